"""Fit the trees that correct the weighted sum of relevance (tersely/models/forest.json); leave families out.

Boosting of oblivious trees on the loss of benchmarks.quality.fit: the mean over the evidence of ln(0.05 + R),
R the share of the tokens that scores above a piece of evidence, made smooth; each set counts the same. It
starts from the weighted sum. What ships is fitted on the tuned half of the development sets and on those
training families whose licence allows it. --gate fits once without each family: the evidence kept of it. Only
a share of what the trees say counts: the largest with which no family that is left out loses more than .01.

Examples:
    python -m benchmarks.quality.forest --data DIR                    writes the trees for static vectors
    python -m benchmarks.quality.forest --data DIR --gate --dry-run   every family left out once
    python -m benchmarks.quality.forest --data DIR --gate --dry-run --keep DIR2   goes on if stopped
"""

from __future__ import annotations

import argparse
import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from tersely.documents import to_documents
from tersely.engine.worth import COLUMNS, FEATURES, hybrid, read_for_query
from tersely.models.embedders import resolve_embedder
from tersely.models.weights import fitted_file, relevance_weights
from tersely.types import Level

from benchmarks import report, tokens
from benchmarks.arguments import make_parser
from benchmarks.progress import Progress
from benchmarks.quality.fit import gold_rows
from benchmarks.quality.halves import BOTH, REPORTED, TUNED
from benchmarks.quality.spans import spans_kept
from benchmarks.quality.tasks import (
    ENCODING,
    QUESTION_SETS,
    RATIOS,
    TRAINING_SETS,
    Question,
    sampled,
)
from benchmarks.quality.unseen import fitting_questions

__all__ = ["FAMILIES", "MAY_SHIP"]

_DEPTH, _BINS = 4, 32
_EPSILON = 0.05
_SPANS_AT = 0.2  # of the tokens
_SEED = 0
#: Training families whose licence lets what is fitted on them be published.
MAY_SHIP = (
    "train_contractnli",
    "train_entailmentbank",
    "train_evidence_inference",
    "train_expmrc",
    "train_fm2",
    "train_molweni",
    "train_ottqa",
    "train_strategyqa",
    "train_synthetic_twohop",
    "train_tatqa",
)
#: Sets that share questions or documents are left out together.
FAMILIES = {
    "longdoc_contracts": "contracts",
    "train_contractnli": "contracts",
    "qa_hotpotqa_paragraphs": "two steps",
    "qa_hotpotqa_sentences": "two steps",
    "qa_musique_paragraphs": "two steps",
    "train_synthetic_twohop": "two steps",
    "qa_nq_20docs": "nq",
    "qa_nq_sentence": "nq",
}


@dataclass(frozen=True, eq=False, slots=True)
class Example:
    """A question: columns (n, len(COLUMNS)); the sum, tokens and share of the evidence of each segment.

    `place`: among the questions of its set and half.
    """

    set: str
    place: int
    fits: bool
    columns: np.ndarray
    sum: np.ndarray
    cost: np.ndarray
    gold: np.ndarray


@dataclass(frozen=True, eq=False, slots=True)
class Tree:
    """Four tests (column, bin) and sixteen leaves."""

    tests: list[tuple[int, int]]
    leaves: np.ndarray


def _family(example: Example) -> str:
    return FAMILIES.get(example.set, example.set)


Fitted = tuple[list[Tree], list[np.ndarray]]  # with the borders of each column
Row = list[float]  # evidence kept of a question: by the sum at each of RATIOS, then by the trees
_SUM, _TREES = slice(0, len(RATIOS)), slice(len(RATIOS), 2 * len(RATIOS))


class Fits:
    """Trees by what they were fitted on; with a folder, several runs fit the same ones once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._entries: dict[str, dict[str, Any]] = {}

    def entry(self, examples: list[Example], what: str) -> dict[str, Any]:
        """The trees as forest.json has them."""
        folder, name = self._options.keep, self._name(examples)
        if name not in self._entries and folder and (folder / name).exists():
            self._entries[name] = json.loads((folder / name).read_text(encoding="utf-8"))
        if name not in self._entries:
            self._entries[name] = _written(*_fit(examples, self._options, what))
            if folder:
                folder.mkdir(parents=True, exist_ok=True)
                part = folder / f"{name}.part"
                part.write_text(json.dumps(self._entries[name]), encoding="utf-8")
                part.replace(folder / name)
        return self._entries[name]

    def _name(self, examples: list[Example]) -> str:
        options = self._options
        digest = blake2b(repr((options.trees, options.rate, options.share)).encode(), digest_size=12)
        for one in examples:
            digest.update(one.set.encode())
            for array in (one.columns, one.sum, one.cost, one.gold):
                digest.update(np.ascontiguousarray(array).data)
        return f"{digest.hexdigest()}.json"


class Pairs:
    """Every piece of evidence beside every segment of its question, flat."""

    def __init__(self, examples: Sequence[Example]) -> None:
        """Lay the examples out one after another; each set weighs the same."""
        in_set = Counter(example.set for example in examples)
        self.sizes = np.array([len(example.cost) for example in examples])
        self.sum = np.concatenate([example.sum for example in examples])
        other, gold, cost, weight = [], [], [], []
        start = 0
        for example in examples:
            size, total = len(example.cost), example.gold.sum()
            for row in np.flatnonzero(example.gold):
                other.append(np.arange(start, start + size))
                gold.append(np.full(size, start + row))
                cost.append(example.cost / example.cost.sum())
                weight.append(example.gold[row] / total / in_set[example.set] / len(in_set))
            start += size
        self.counts = np.array(list(map(len, other)))
        self.first = np.concatenate(([0], np.cumsum(self.counts)[:-1]))
        self.other, self.gold, self.cost = (np.concatenate(part) for part in (other, gold, cost))
        self.weight = np.array(weight)

    def slopes(self, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The gradient of the loss, and how much each segment moves it at all (the size of a step)."""
        step = 1 / (1 + np.exp(-np.clip(score[self.other] - score[self.gold], -30, 30)))
        above = np.add.reduceat(step * self.cost, self.first)
        slope = np.repeat(self.weight / (_EPSILON + above), self.counts) * self.cost * step * (1 - step)
        up, down = np.bincount(self.other, slope, len(score)), np.bincount(self.gold, slope, len(score))
        return up - down, up + down


def main() -> None:
    """The command."""
    options = _arguments()
    chosen = _questions(options.data, options.rows)
    result = report.Report("quality/forest", {"rows": options.rows, "trees": options.trees}, ())
    path = fitted_file("forest.json")
    forests = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    fits = Fits(options)
    for kind in options.kinds:
        examples = list(_examples(chosen, kind))
        forests[kind] = fits.entry([example for example in examples if example.fits], kind)
        reported = [example for example in examples if not example.fits and example.set not in MAY_SHIP]
        _show(result, f"Vectors: {kind}; not fitted on", _kept(reported, _read(forests[kind])))
        if options.gate:
            _gate(result, kind, chosen, examples, fits, options.gate_rows)
    if not options.dry_run:
        path.write_text(json.dumps(forests) + "\n", encoding="utf-8")
    result.finish(options.json)


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=200, help="questions of each set and half (default: 200)")
    parser.add_argument("--trees", type=int, default=300, help="default: 300")
    parser.add_argument("--rate", type=float, default=0.4, help="of learning (default: 0.4)")
    parser.add_argument(
        "--share", type=float, default=0.4, help="of what the trees say that counts (default: 0.4)"
    )
    parser.add_argument("--kinds", nargs="+", default=["static"], choices=["none", "static"])
    parser.add_argument("--gate", action="store_true", help="also leave out each family once")
    parser.add_argument(
        "--gate-rows",
        type=int,
        default=60,
        help="questions of each set and half that its fits see; all --rows are asked (default: 60)",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep fitted trees there: a run that was stopped goes on"
    )
    parser.add_argument("--dry-run", action="store_true", help="write no trees")
    return parser.parse_args()


def _questions(directory: Path, rows: int) -> list[tuple[Question, bool]]:
    """Questions, and whether what ships may be fitted on them."""
    development, training = (fitting_questions(directory, sets) for sets in (QUESTION_SETS, TRAINING_SETS))
    found = [(one, True) for one in sampled(development, rows, TUNED)]
    found += [(one, False) for one in sampled(development, rows, REPORTED)]
    return found + [(one, one.set in MAY_SHIP) for one in sampled(training, rows, BOTH)]


def _examples(chosen: list[tuple[Question, bool]], kind: str) -> Iterable[Example]:
    embedder = resolve_embedder(None) if kind == "static" else None
    weights = relevance_weights(kind)
    given = np.array([weights.get(name, 0.0) for name in FEATURES])
    places: Counter[tuple[str, bool]] = Counter()
    with Progress(f"columns ({kind})", len(chosen)) as bar:
        for question, fits in chosen:
            bar.step(question.set)
            place = places[question.set, fits]
            places[question.set, fits] += 1
            documents = to_documents([document["text"] for document in question.row["documents"]])
            prepared = read_for_query(documents, question.content["query"].strip(), Level.SENTENCE)
            gold = np.zeros(len(prepared.table))
            for row, share in gold_rows(prepared, question.content["evidence"]):
                gold[row] += share
            if not gold.any():
                continue
            found = hybrid(prepared, embedder)
            cost = np.array(tokens.counts(prepared.segment_texts(), ENCODING), dtype=np.float64)
            total = given @ found.features.astype(np.float64)
            yield Example(question.set, place, fits, found.asked.columns(weights).T.copy(), total, cost, gold)


def _fit(examples: list[Example], options: argparse.Namespace, what: str) -> Fitted:
    """Trees one after another, each on six of ten questions and four of ten columns, drawn by chance."""
    pairs = Pairs(examples)
    values = np.concatenate([example.columns for example in examples])
    shares = np.linspace(0, 1, _BINS + 1)[1:-1]
    borders = [np.unique(np.quantile(column, shares)).astype(np.float32) for column in values.T]
    bins = [
        np.searchsorted(edges, column).astype(np.int64)
        for edges, column in zip(borders, values.T, strict=True)
    ]
    random = np.random.default_rng(_SEED)
    score, trees, ridge = pairs.sum.copy(), [], 0.0
    with Progress(f"trees ({what})", options.trees) as bar:
        for _ in range(options.trees):
            bar.step("")
            slope, size = pairs.slopes(score)
            ridge = ridge or size.sum() / 1000
            rows = np.flatnonzero(np.repeat(random.random(len(pairs.sizes)) < 0.6, pairs.sizes))
            asked = random.permutation(len(borders))[: int(0.4 * len(borders))]
            tree, leaf = _grow(bins, [len(edges) for edges in borders], asked, slope, size, rows, ridge)
            totals = [np.bincount(leaf[rows], part[rows], 1 << _DEPTH) for part in (slope, size)]
            leaves = -options.rate * totals[0] / (totals[1] + ridge)
            score += leaves[leaf]
            trees.append(Tree(tree, options.share * leaves))
    return trees, borders


def _grow(
    bins: list[np.ndarray],
    counts: list[int],
    asked: Iterable[int],
    slope: np.ndarray,
    size: np.ndarray,
    rows: np.ndarray,
    ridge: float,
) -> tuple[list[tuple[int, int]], np.ndarray]:
    """The tests that lower the loss most, level by level, and the leaf of every row."""
    tests: list[tuple[int, int]] = []
    leaf = np.zeros(len(slope), dtype=np.int64)
    slopes, sizes = slope[rows], size[rows]
    chosen = [(column, bins[column][rows]) for column in asked if counts[column]]
    for level in range(_DEPTH):
        best, first = (-1.0, 0, 0), leaf[rows] * _BINS
        for column, places in chosen:
            place = first + places
            shape = (1 << level, _BINS)
            low = [
                np.bincount(place, part, shape[0] * _BINS).reshape(shape).cumsum(axis=1)
                for part in (slopes, sizes)
            ]
            high = [part[:, -1:] - part for part in low]
            gains = [(part[0] ** 2 / (part[1] + ridge)).sum(axis=0) for part in (low, high)]
            gain = (gains[0] + gains[1])[: counts[column]]
            best = max(best, (float(gain.max()), int(column), int(gain.argmax())))
        _, column, edge = best
        tests.append((column, edge))
        leaf = 2 * leaf + (bins[column] > edge)
    return tests, leaf


def _predicted(trees: list[Tree], borders: list[np.ndarray], example: Example) -> np.ndarray:
    bins = [np.searchsorted(edges, column) for edges, column in zip(borders, example.columns.T, strict=True)]
    score = example.sum.copy()
    for tree in trees:
        leaf = np.zeros(len(score), dtype=np.int64)
        for column, edge in tree.tests:
            leaf = 2 * leaf + (bins[column] > edge)
        score += tree.leaves[leaf]
    return score


def _written(trees: list[Tree], borders: list[np.ndarray]) -> dict[str, Any]:
    """Leaves in 8 bits; columns that no tree asks for have no borders."""
    used = {column for tree in trees for column, _ in tree.tests}
    leaves = np.array([tree.leaves for tree in trees])
    scale = float(np.abs(leaves).max()) / 127
    tests = np.array([test for tree in trees for test in tree.tests], dtype=np.uint8)
    arrays = {"column": tests[:, 0], "bin": tests[:, 1], "leaf": np.rint(leaves / scale).astype(np.int8)}
    return {
        "columns": list(COLUMNS),
        "borders": [
            [float(f"{edge:.6g}") for edge in edges] if column in used else []
            for column, edges in enumerate(borders)
        ],
        "scale": scale,
    } | {name: b64encode(array.tobytes()).decode() for name, array in arrays.items()}


def _read(entry: dict[str, Any]) -> Fitted:
    """What `_written` wrote."""
    column, bins = (np.frombuffer(b64decode(entry[name]), dtype=np.uint8) for name in ("column", "bin"))
    leaves = np.frombuffer(b64decode(entry["leaf"]), dtype=np.int8).reshape(-1, 1 << _DEPTH) * entry["scale"]
    tests = list(zip(column.tolist(), bins.tolist(), strict=True))
    trees = [Tree(tests[_DEPTH * row : _DEPTH * (row + 1)], each) for row, each in enumerate(leaves)]
    return trees, [np.array(edges, dtype=np.float32) for edges in entry["borders"]]


def _gate(
    result: report.Report,
    kind: str,
    chosen: list[tuple[Question, bool]],
    examples: list[Example],
    fits: Fits,
    most: int,
) -> None:
    """Ask for each family with trees that never saw it, and say what came out as soon as it is known.

    `most`: questions of each set and half that the trees are fitted on; all are asked.
    """
    # Half a development set is for tuning what ships; a family that was left out is asked for with both.
    members: dict[str, list[Example]] = {}
    for example in examples:
        members.setdefault(_family(example), []).append(example)
    asked: dict[str, list[Question]] = {}
    for question, _ in chosen:
        if kind == "static" and TRAINING_SETS.match(question.set):
            asked.setdefault(question.set, []).append(question)
    kept: dict[str, list[Row]] = {}
    changes: dict[str, float] = {}
    spans: dict[str, float] = {}
    for number, family in enumerate(sorted(members), 1):
        rest = [one for one in examples if one.fits and one.place < most and _family(one) != family]
        trees = fits.entry(rest, f"{kind}, without {family}")
        kept |= (rows := _kept(members[family], _read(trees)))
        spans |= {name: spans_kept(asked[name], trees, _SPANS_AT) for name in rows if name in asked}
        changes[family] = float(np.mean(list(map(_change, rows.values()))))
        print(f"{number} of {len(members)}, {family}: {changes[family]:+.3f}", flush=True)
    _show(result, f"Vectors: {kind}; each family left out", kept)
    if spans:
        spans["mean over the sets"] = float(np.mean(list(spans.values())))
        columns = [report.Column("set"), report.Column("spans", f"spans {_SPANS_AT:.0%}", ".3f")]
        rows_of = [{"set": name, "spans": share} for name, share in sorted(spans.items())]
        result.table("Training families left out: spans that tersely.compress keeps whole", columns, rows_of)
    worst = min(changes, key=changes.__getitem__)
    name = f"what the worst family loses ({worst})"
    result.targets.append(report.Target(name, 0.01, -changes[worst], "", True))


def _kept(examples: Sequence[Example], fitted: Fitted) -> dict[str, list[Row]]:
    """Evidence kept by a greedy fill, by set and question: by the sum, then by the trees, at each ratio."""
    kept: dict[str, list[Row]] = {}
    for example in examples:
        both = _filled(example, example.sum), _filled(example, _predicted(*fitted, example))
        kept.setdefault(example.set, []).append([*both[0], *both[1]])
    return kept


def _change(rows: list[Row]) -> float:
    """By how much the trees keep more than the sum does, mean over the ratios."""
    mean = np.mean(rows, axis=0)
    return float(mean[_TREES].mean() - mean[_SUM].mean())


def _show(result: report.Report, title: str, kept: Mapping[str, list[Row]]) -> None:
    """A row a set, then the mean over the sets."""
    means = {name: [*np.mean(rows, axis=0), _change(rows)] for name, rows in sorted(kept.items())}
    means["mean over the sets"] = np.mean(list(means.values()), axis=0).tolist()
    names = [f"{who} {ratio:.0%}" for who in ("sum", "trees") for ratio in RATIOS] + ["change"]
    rows = [
        {"set": name, "questions": len(kept.get(name, ()))} | dict(zip(names, map(float, mean), strict=True))
        for name, mean in means.items()
    ]
    columns = [report.Column("set"), report.Column("questions")]
    columns += [report.Column(name, name, "+.3f" if name == "change" else ".3f") for name in names]
    result.table(f"{title}: evidence kept by a greedy fill", columns, rows)


def _filled(example: Example, score: np.ndarray) -> list[float]:
    """The share of the evidence kept at each ratio: the best segments as long as they fit."""
    order, shares = np.argsort(-score, kind="stable"), []
    for ratio in RATIOS:
        left, kept = ratio * example.cost.sum(), 0.0
        for row in order:
            if example.cost[row] <= left:
                left -= example.cost[row]
                kept += example.gold[row]
        shares.append(kept / example.gold.sum())
    return shares


if __name__ == "__main__":
    main()
