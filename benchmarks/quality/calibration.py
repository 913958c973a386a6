"""Fit the probability that documents and segments are on a query's topic; precision and recall by threshold.

Each question meets its own documents (right), with all its words and with a few of them as key words; and
the documents meet questions of other rows of their set and of other sets (wrong). Documents with evidence are
on topic, documents of wrong queries are not; what a data set puts beside the evidence is neither, as it was
mostly chosen for its likeness to the query. Sets weigh the same; of seven documents one is on topic. The
tables are of families that the fit did not see: each is left out once, and what may not ship was never in it.

Examples:
    python -m benchmarks.quality.calibration --data DIR            each family left out once
    python -m benchmarks.quality.calibration --data DIR --write    writes tersely/models/probability.json, too
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from tersely.documents import to_documents
from tersely.engine.worth import DOCUMENT_COLUMNS, SEGMENT_COLUMNS, hybrid, read_for_query, topic_columns
from tersely.models.embedders import CheckedEmbedder, resolve_embedder
from tersely.models.weights import fitted_file
from tersely.types import Level

from benchmarks import report
from benchmarks.arguments import make_parser
from benchmarks.progress import Progress
from benchmarks.quality.fit import gold_rows
from benchmarks.quality.forest import FAMILIES, MAY_SHIP
from benchmarks.quality.halves import BOTH, REPORTED, TUNED
from benchmarks.quality.tasks import QUESTION_SETS, TRAINING_SETS, Question, sampled
from benchmarks.quality.unseen import fitting_questions

_SEED = 0
_RIDGE = 1e-4
_SIZES = ("segments", "terms")
_WRONG = 3.0  # what the wrong queries of a set, and those of others, weigh beside the right ones
_KEY_WORDS = (1, 3)  # of a query, at least and at most
_THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
_RIGHT, _KEYS, _SAME, _OTHER = CALLS = ("right", "key words", "same set", "other set")
#: Sets whose rows are all about one subject, or ask the same: a question of another row is not wrong.
_ONE_SUBJECT = (
    "longdoc_contracts",
    "longdoc_covidqa",
    "train_contractnli",
    "train_cosqa",
    "train_evidence_inference",
    "train_friendsqa",
    "train_molweni",
    "train_policyqa",
    "train_subjqa",
    "train_tatqa",
)


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """Documents beside a query: what their probabilities are made of, and which hold its evidence."""

    set: str  #: with `call`: which data, and one of CALLS
    call: str
    fits: bool  #: whether what ships is fitted on it
    kind: str  #: of the vectors that count
    documents: np.ndarray  #: with `segments`: columns (engine/worth.py)
    segments: np.ndarray
    document: np.ndarray  #: int[n], of each segment
    on_topic: np.ndarray  #: bool[documents], with evidence
    evidence: np.ndarray  #: bool[n]


def main() -> None:
    """The command."""
    options = _arguments()
    result = report.Report("quality/calibration", {"rows": options.rows}, ("scipy",))
    path = fitted_file("probability.json")
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for kind, embedder in (("none", None), ("static", resolve_embedder(None))):
        calls = list(_calls(options.data, options.rows, embedder))
        mine = [call for call in calls if call.kind == kind]
        if options.write:
            known[kind] = _fit([call for call in mine if call.fits], kind)
            path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        _report(result, kind, mine)
    result.finish(options.json)


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=120, help="questions of each set and half (default: 120)")
    parser.add_argument("--write", action="store_true", help="fit and write the numbers that ship")
    return parser.parse_args()


def _calls(directory: Path, rows: int, embedder: CheckedEmbedder | None) -> Iterator[Call]:
    """All calls. Queries of wrong ones are drawn by chance, the same ones each time."""
    development, training = (fitting_questions(directory, sets) for sets in (QUESTION_SETS, TRAINING_SETS))
    chosen = [(one, True) for one in sampled(development, rows, TUNED)]
    chosen += [(one, False) for one in sampled(development, rows, REPORTED)]
    chosen += [(one, one.set in MAY_SHIP) for one in sampled(training, rows, BOTH)]
    by_set: dict[str, list[Question]] = {}
    for question, _ in chosen:
        by_set.setdefault(question.set, []).append(question)
    everything, generator = [question for question, _ in chosen], random.Random(_SEED)
    with Progress("calls", len(chosen)) as bar:
        for question, fits in chosen:
            bar.step(question.set)
            query = question.content["query"]
            listed = {_RIGHT: query, _KEYS: _key_words(query, generator)}
            listed[_OTHER] = _wrong(question, everything, generator, lambda a, b: _family(a) != _family(b))
            if question.set not in _ONE_SUBJECT:
                others = by_set[question.set]
                listed[_SAME] = _wrong(question, others, generator, lambda a, b: a.language == b.language)
            for call, asked in listed.items():
                if asked:
                    yield _call(question, call, asked, fits, embedder)


def _call(question: Question, call: str, query: str, fits: bool, embedder: CheckedEmbedder | None) -> Call:
    texts = [document["text"] for document in question.row["documents"]]
    prepared = read_for_query(to_documents(texts), query.strip(), Level.SENTENCE)
    found = hybrid(prepared, embedder).asked
    columns = topic_columns(found)
    on_topic, evidence = np.zeros(len(texts), dtype=bool), np.zeros(len(prepared.table), dtype=bool)
    if call in (_RIGHT, _KEYS):
        on_topic[[piece["doc"] for piece in question.content["evidence"]]] = True
        evidence[[row for row, _ in gold_rows(prepared, question.content["evidence"])]] = True
    return Call(
        question.set,
        call,
        fits,
        found.calibration,
        columns.documents,
        columns.segments,
        prepared.table.document,
        on_topic,
        evidence,
    )


def _family(question: Question) -> str:
    return FAMILIES.get(question.set, question.set)


def _titles(question: Question) -> set[str]:
    return {document.get("title") or document["text"] for document in question.row["documents"]}


def _wrong(
    question: Question,
    others: Sequence[Question],
    generator: random.Random,
    allowed: Callable[[Question, Question], bool],
) -> str:
    """The query of another row that shares no document with this one; "" where some draws find none."""
    mine = _titles(question)
    for other in generator.sample(others, min(len(others), 30)):
        if other.row is not question.row and allowed(question, other) and not mine & _titles(other):
            return str(other.content["query"])
    return ""


def _key_words(query: str, generator: random.Random) -> str:
    """A few of the longer words of a query, in their order; "" where it has none."""
    words = [number for number, word in enumerate(query.split()) if len(word) > 4]
    chosen = sorted(generator.sample(words, min(len(words), generator.randint(*_KEY_WORDS))))
    return " ".join(query.split()[number].strip("?.,;:!\"'()") for number in chosen)


def _fit(calls: Sequence[Call], kind: str) -> dict[str, dict[str, float]]:
    """Weights by column, of documents and then of segments, which know the odds of their documents."""
    columns, target, weight = _examples(calls, lambda call: (call.documents, call.on_topic), hard=0.0)
    documents = _logistic_fit(columns, target, weight, DOCUMENT_COLUMNS, kind)
    columns, target, weight = _examples(
        calls, lambda call: (_segments(call, documents), call.evidence), hard=1.0
    )
    return {
        "document": documents,
        "segment": _logistic_fit(columns, target, weight, SEGMENT_COLUMNS, kind),
    }


def _segments(call: Call, documents: dict[str, float]) -> np.ndarray:
    columns = call.segments.copy()
    columns[:, 0] = _odds(call.documents, DOCUMENT_COLUMNS, documents)[call.document]
    return columns


def _examples(
    calls: Sequence[Call], take: Callable[[Call], tuple[np.ndarray, np.ndarray]], hard: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns, whether they are on topic, and weights: each set and kind of call as much as another.

    `hard`: what the rest of right calls weighs beside what is on topic in them.
    """
    taken = [take(call) for call in calls]
    sizes: dict[tuple[str, str, bool], int] = {}
    for call, (_, on_topic) in zip(calls, taken, strict=True):
        for yes in (True, False):
            key = (call.set, call.call, yes)
            sizes[key] = sizes.get(key, 0) + int((on_topic == yes).sum())
    weights = []
    for call, (_, on_topic) in zip(calls, taken, strict=True):
        shares = (0.5, 0.5 * hard) if call.call in (_RIGHT, _KEYS) else (0.0, _WRONG)
        weigh_yes, weigh_no = (
            share / max(sizes[call.set, call.call, on], 1)
            for share, on in zip(shares, (True, False), strict=True)
        )
        weights.append(np.where(on_topic, weigh_yes, weigh_no))
    columns = np.concatenate([part for part, _ in taken])
    return columns, np.concatenate([yes for _, yes in taken]), np.concatenate(weights)


def _logistic_fit(
    columns: np.ndarray, target: np.ndarray, weight: np.ndarray, names: Sequence[str], kind: str
) -> dict[str, float]:
    """Weights of columns and a constant: weighted log loss, a small ridge on standardized columns."""
    used = [number for number, name in enumerate(names) if kind != "none" or "cosine" not in name]
    mean, deviation = columns[:, used].mean(axis=0), columns[:, used].std(axis=0) + 1e-9
    given = np.c_[(columns[:, used] - mean) / deviation, np.ones(len(columns))]
    weight = weight / weight.sum()

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        odds = given @ values
        chance = 1 / (1 + np.exp(-np.clip(odds, -40, 40)))
        pull = given.T @ (weight * (chance - target)) + 2 * _RIDGE * np.append(values[:-1], 0)
        return float(
            weight @ (np.logaddexp(0, odds) - target * odds) + _RIDGE * values[:-1] @ values[:-1]
        ), pull

    # More of the query never counts against a text; how long both are may go either way.
    bounds = [(None if names[number] in _SIZES else 0, None) for number in used] + [(None, None)]
    found = minimize(loss, np.zeros(given.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = found[:-1] / deviation
    named = {names[number]: weights[place] for place, number in enumerate(used)}
    named["constant"] = found[-1] - weights @ mean
    return {name: float(f"{value:.4g}") for name, value in named.items()}


def _odds(columns: np.ndarray, names: Sequence[str], weights: dict[str, float]) -> np.ndarray:
    row = np.array([weights.get(name, 0.0) for name in names])
    return np.asarray(columns @ row + weights["constant"])


def _report(result: report.Report, kind: str, calls: Sequence[Call]) -> None:
    """Tables of families that the fit did not see."""
    chances: list[tuple[Call, np.ndarray, np.ndarray]] = []
    families = sorted({FAMILIES.get(call.set, call.set) for call in calls})
    with Progress(f"families left out ({kind})", len(families)) as bar:
        for family in families:
            bar.step(family)
            rest = [one for one in calls if one.fits and FAMILIES.get(one.set, one.set) != family]
            weights = _fit(rest, kind)
            for call in calls:
                if FAMILIES.get(call.set, call.set) == family:
                    each = _odds(call.documents, DOCUMENT_COLUMNS, weights["document"])
                    parts = _segments(call, weights["document"])
                    chances.append(
                        (call, _chance(each), _chance(_odds(parts, SEGMENT_COLUMNS, weights["segment"])))
                    )
    _by_threshold(result, f"Documents, vectors: {kind}", [(c, p, c.on_topic) for c, p, _ in chances])
    _by_threshold(result, f"Segments, vectors: {kind}", [(c, p, c.evidence) for c, _, p in chances])
    _by_set(result, kind, [(c, p, c.on_topic) for c, p, _ in chances])


def _chance(odds: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -40, 40))))


_Judged = Sequence[tuple[Call, np.ndarray, np.ndarray]]


def _passing(judged: _Judged, call: str, yes: bool, threshold: float) -> dict[str, float]:
    """By set, the share of what is (not) on topic in such calls that reaches a threshold."""
    found: dict[str, list[np.ndarray]] = {}
    for one, chance, on_topic in judged:
        if one.call == call and (on_topic == yes).any():
            found.setdefault(one.set, []).append(chance[on_topic == yes] >= threshold)
    return {name: float(np.concatenate(parts).mean()) for name, parts in found.items()}


def _mean(values: dict[str, float]) -> float:
    return float(np.mean(list(values.values()))) if values else float("nan")


def _row(judged: _Judged, threshold: float) -> dict[str, float]:
    right = {call: _mean(_passing(judged, call, True, threshold)) for call in (_RIGHT, _KEYS)}
    wrong = {call: _mean(_passing(judged, call, False, threshold)) for call in (_SAME, _OTHER)}
    beside = _passing(judged, _RIGHT, False, threshold)
    passing = (wrong[_SAME] + wrong[_OTHER]) / 2
    own: dict[str, list[np.ndarray]] = {}
    for one, chance, on_topic in judged:
        if one.call == _RIGHT and one.set in beside:
            own.setdefault(one.set, []).append(on_topic[chance >= threshold])
    precise = {name: np.concatenate(parts) for name, parts in own.items()}
    return {
        "threshold": threshold,
        "recall": right[_RIGHT],
        "keys": right[_KEYS],
        "same": wrong[_SAME],
        "other": wrong[_OTHER],
        "wrong": passing,
        "precision": right[_RIGHT] / max(right[_RIGHT] + passing, 1e-9),
        "beside": _mean(beside),
        "own": _mean({name: float(part.mean()) for name, part in precise.items() if len(part)}),
    }


def _by_threshold(result: report.Report, title: str, judged: _Judged) -> None:
    columns = [
        report.Column("threshold", "threshold", ".2f"),
        report.Column("recall", "recall", ".3f"),
        report.Column("keys", "of key words", ".3f"),
        report.Column("same", "wrong, same set", ".3f"),
        report.Column("other", "other set", ".3f"),
        report.Column("wrong", "wrong, mean", ".3f"),
        report.Column("precision", "precision, wrong as many", ".3f"),
        report.Column("beside", "passes beside evidence", ".3f"),
        report.Column("own", "precision among them", ".3f"),
    ]
    rows = [_row(judged, threshold) for threshold in _THRESHOLDS]
    result.table(f"{title}; families left out of the fit, mean over the sets", columns, rows)


def _by_set(result: report.Report, kind: str, judged: _Judged) -> None:
    shown = {
        "recall": _passing(judged, _RIGHT, True, 0.5),
        "beside": _passing(judged, _RIGHT, False, 0.5),
        "same": _passing(judged, _SAME, False, 0.5),
        "other": _passing(judged, _OTHER, False, 0.5),
    }
    names = sorted({call.set for call, _, _ in judged})
    rows: list[dict[str, Any]] = [
        {"set": name} | {key: found.get(name, "") for key, found in shown.items()} for name in names
    ]
    columns = [report.Column("set"), *(report.Column(key, key, ".3f") for key in shown)]
    result.table(f"Documents at .5 by set, each left out of the fit; vectors: {kind}", columns, rows)


if __name__ == "__main__":
    main()
