"""Fit the weights of relevance (tersely/models/relevance.json) on the tuned half of the questions.

The loss of a question is the mean over its evidence of ln(0.05 + R), R the share of the tokens that scores
above a piece of evidence: what a budget has to hold before it is kept. R is made smooth (a logistic step),
the weights are kept small (ridge), each set counts the same.

Examples:
    python -m benchmarks.quality.fit --data DIR                                       "none" and "static"
    python -m benchmarks.quality.fit --data DIR --model MODEL.onnx                    "model" too
    python -m benchmarks.quality.fit --data DIR --ridge 0.1 --json fit.json --dry-run
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from tersely.documents import to_documents
from tersely.engine.worth import FEATURES, QueryReading, hybrid, read_for_query
from tersely.models.embedders import CheckedEmbedder, resolve_embedder
from tersely.models.weights import fitted_file
from tersely.types import Level

from benchmarks import report, tokens
from benchmarks.arguments import make_parser
from benchmarks.progress import Progress
from benchmarks.quality.halves import REPORTED, TUNED
from benchmarks.quality.tasks import ENCODING, QUESTION_SETS, SENTENCE, Question, sampled
from benchmarks.quality.unseen import fitting_questions

_EPSILON = 0.05
_LEAST_DEVIATION = 0.1  # of a feature: below it, the ridge would let rare features have any weight
_TIED = {"headings": "lead"}  # too few of the questions stand under headings to say; both name what follows
_SEMANTIC = [name for name in FEATURES if name.startswith("cosine")]
_RERANKED = {"reranked": 1.0}  # set by hand: from 0.5 to 1.5 it makes no difference


@dataclass(frozen=True, eq=False, slots=True)
class Example:
    """A question: features (n, features), cost share of each segment, evidence as rows with their weights."""

    set: str
    features: np.ndarray
    cost: np.ndarray
    gold: list[tuple[int, float]]


@dataclass(frozen=True, eq=False, slots=True)
class Pairs:
    """Every piece of evidence beside every segment of its question, flat."""

    features: np.ndarray  # (segments, features), over the deviation of each
    deviation: np.ndarray
    other: np.ndarray
    gold: np.ndarray
    cost: np.ndarray
    first: np.ndarray  # where the pairs of each piece of evidence begin
    weight: np.ndarray  # of each piece of evidence

    def loss(self, weights: np.ndarray, ridge: float) -> tuple[float, np.ndarray]:
        """The loss and its gradient."""
        score = self.features @ weights
        step = 1 / (1 + np.exp(-np.clip(score[self.other] - score[self.gold], -30, 30)))
        above = np.add.reduceat(step * self.cost, self.first)
        counts = np.diff(np.append(self.first, len(self.other)))
        slope = np.repeat(self.weight / (_EPSILON + above), counts) * self.cost * step * (1 - step)
        size = len(score)
        pull = np.bincount(self.other, slope, size) - np.bincount(self.gold, slope, size)
        value = self.weight @ np.log(_EPSILON + above) + ridge * weights @ weights
        return float(value), pull @ self.features + 2 * ridge * weights


def main() -> None:
    """The command."""
    options = _arguments()
    by_set = fitting_questions(options.data, QUESTION_SETS)
    result = report.Report("quality/fit", {"rows": options.rows, "ridge": options.ridge}, ("scipy",))
    path = fitted_file("relevance.json")
    weights = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    rows = []
    for kind, embedder in _kinds(options):
        halves = [
            list(_examples(sampled(by_set, options.rows, half), embedder)) for half in (TUNED, REPORTED)
        ]
        left_out = {*_RERANKED, *(_SEMANTIC if kind == "none" else ())}
        used = [name for name in FEATURES if name not in left_out]
        tuned, reported = (_pairs(half, used) for half in halves)
        before = _losses(weights.get(kind), used, tuned, reported)
        weights[kind] = _fit(tuned, used, options.ridge) | _RERANKED
        after = _losses(weights[kind], used, tuned, reported)
        rows.append({"kind": kind, "before": before[1], "tuned": after[0], "reported": after[1]})
    columns = [
        report.Column("kind"),
        report.Column("before", "reported half before", ".3f"),
        report.Column("tuned", "tuned half after", ".3f"),
        report.Column("reported", "reported half after", ".3f"),
    ]
    result.table("Loss by kind of vectors (lower is better)", columns, rows)
    print(json.dumps(weights, indent=1))
    if not options.dry_run:
        path.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    result.finish(options.json)


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=200, help="questions of each set and half (default: 200)")
    parser.add_argument("--ridge", type=float, default=0.02, help="default: 0.02")
    parser.add_argument("--model", type=Path, help="an ONNX sentence model, its tokenizer.json beside it")
    parser.add_argument("--dry-run", action="store_true", help="write no weights")
    return parser.parse_args()


def _kinds(options: argparse.Namespace) -> Iterator[tuple[str, CheckedEmbedder | None]]:
    yield "none", None
    yield "static", resolve_embedder(None)
    if options.model:
        from tersely.models.onnx import OnnxEmbedder

        yield "model", resolve_embedder(OnnxEmbedder(options.model))


def _examples(chosen: list[Question], embedder: CheckedEmbedder | None) -> Iterator[Example]:
    with Progress("features", len(chosen)) as bar:
        for question in chosen:
            bar.step(question.set)
            example = _example(question, embedder)
            if example is not None:
                yield example


def _example(question: Question, embedder: CheckedEmbedder | None) -> Example | None:
    documents = to_documents([document["text"] for document in question.row["documents"]])
    prepared = read_for_query(documents, question.content["query"].strip(), Level.SENTENCE)
    gold = gold_rows(prepared, question.content["evidence"])
    if not gold:
        return None
    cost = np.array(tokens.counts(prepared.segment_texts(), ENCODING), dtype=np.float64)
    features = hybrid(prepared, embedder).features.T.astype(np.float64)
    return Example(question.set, features, cost / cost.sum(), gold)


def gold_rows(prepared: QueryReading, evidence: list[dict[str, Any]]) -> list[tuple[int, float]]:
    """Segments that hold evidence; the weights of a question's sum to 1."""
    table, found = prepared.table, []
    for piece in evidence:
        parts = [match.span() for match in SENTENCE.finditer(piece["text"]) if match.group().strip()]
        for begin, end in parts:
            here = (table.start < piece["start"] + end) & (table.end > piece["start"] + begin)
            rows = np.flatnonzero(here & (table.document == piece["doc"])).tolist()
            found += [(row, 1 / len(evidence) / len(parts) / len(rows)) for row in rows]
    return found


def _pairs(examples: list[Example], used: list[str]) -> Pairs:
    columns = [FEATURES.index(name) for name in used]
    features = np.concatenate([example.features for example in examples])
    for name, with_name in _TIED.items():
        features[:, FEATURES.index(with_name)] += features[:, FEATURES.index(name)]
        features[:, FEATURES.index(name)] = 0
    features = features[:, columns]
    deviation = np.maximum(features.std(axis=0), _LEAST_DEVIATION)
    in_set = Counter(example.set for example in examples)
    other, gold, cost, first, weight = [], [], [], [], []
    start = done = 0
    for example in examples:
        size = len(example.cost)
        for row, share in example.gold:
            other.append(np.arange(start, start + size))
            gold.append(np.full(size, start + row))
            cost.append(example.cost)
            first.append(done)
            weight.append(share / in_set[example.set] / len(in_set))
            done += size
        start += size
    return Pairs(
        features / deviation,
        deviation,
        np.concatenate(other),
        np.concatenate(gold),
        np.concatenate(cost),
        np.array(first),
        np.array(weight),
    )


def _fit(pairs: Pairs, used: list[str], ridge: float) -> dict[str, float]:
    start = np.zeros(len(used))
    found = minimize(pairs.loss, start, args=(ridge,), jac=True, method="L-BFGS-B").x / pairs.deviation
    weights = {name: round(float(value), 2) for name, value in zip(used, found, strict=True)}
    return weights | {name: weights[other] for name, other in _TIED.items()}


def _losses(weights: dict[str, float] | None, used: list[str], *halves: Pairs) -> list[float]:
    if weights is None:
        return [float("nan")] * len(halves)
    given = np.array([weights.get(name, 0.0) for name in used])
    return [pairs.loss(given * pairs.deviation, 0.0)[0] for pairs in halves]


if __name__ == "__main__":
    main()
