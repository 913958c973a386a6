"""Near-duplicates: of pairs that people or the texts themselves say are the same or not, which are merged.

Examples:
    python -m benchmarks.quality.dedup --data DIR
    python -m benchmarks.quality.dedup --data DIR --model DIR2 --half tuned --json dedup.json
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tersely
from tersely.models.static import StaticEmbedder

from benchmarks import data, report
from benchmarks.arguments import make_parser
from benchmarks.quality import halves

__all__ = ["Pair", "System", "neardup_sets", "rates_of", "section_pairs", "systems"]

_DEFAULT = 0.85
_GRID = np.arange(0.5, 1.0001, 0.01)
_SHINGLE = 3  # words
_SENTENCES = 10_000
_AROUND = "`'\"()[]{},.;:"  # marks that a token which differs in nothing else may have around it

Bools = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts. `same`: None where the labels do not say. `kind` groups them in the tables."""

    a: str
    b: str
    kind: str
    same: bool | None
    half: str


@dataclass(frozen=True, slots=True)
class System:
    """What is measured: `merged(pairs, threshold)`; `tunable`: also at the threshold that is best for it."""

    name: str
    merged: Callable[[Sequence[Pair], float], Bools]
    tunable: bool = False


def main() -> None:
    """The command."""
    options = _arguments()
    pairs = [*_sentence_pairs(options.data), *section_pairs(options.data)]
    tuned = [pair for pair in pairs if pair.half == halves.TUNED]
    shown = [pair for pair in pairs if options.half in (halves.BOTH, pair.half)]
    settings = {"half": options.half, "pairs": len(shown)}
    result = report.Report("quality/dedup", settings, ("semhash", "datasketch", "onnxruntime"))
    rows = []
    for system in systems(options.model):
        thresholds = [("", _DEFAULT)]
        if system.tunable:
            thresholds.append(("best ", _best_threshold(system, tuned)))
        for word, threshold in thresholds:
            merged = system.merged(shown, threshold)
            named = {"system": system.name, "threshold": f"{word}{threshold:.2f}"}
            rows.append(named | _counts(shown, merged))
    _tables(result, rows, shown)
    _speed(result, options.data)
    result.finish(options.json)


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--half", choices=halves.HALVES, default=halves.REPORTED)
    parser.add_argument(
        "--model", type=Path, metavar="DIR", help="a sentence model in ONNX with tokenizer.json"
    )
    return parser.parse_args()


def _sentence_pairs(folder: Path) -> list[Pair]:
    """Scores of 4 and more: the same. 2 and less: not. Between: the labels do not say."""
    rows = list(data.rows(folder, "pairs_stsb"))
    names = halves.halves_of([[row["a"], row["b"]] for row in rows])
    return [
        Pair(
            row["a"],
            row["b"],
            f"sentences {row['lang']}",
            None if 2 < row["score"] < 4 else bool(row["score"] >= 4),
            half,
        )
        for row, half in zip(rows, names, strict=True)
    ]


def neardup_sets(folder: Path) -> list[str]:
    """Names of the sets of sections, without what tells chunks and pairs apart."""
    found = [name for name in data.names(folder) if name.startswith("neardup_docs_")]
    return [name.removesuffix("_pairs") for name in found if name.endswith("_pairs")]


def section_pairs(folder: Path) -> list[Pair]:
    """Sections of two versions of a manual: the same where hardly a character and no number differs."""
    return [pair for name in neardup_sets(folder) for pair in _pairs_of(folder, name)]


def _pairs_of(folder: Path, name: str) -> list[Pair]:
    texts = {row["id"]: row["text"] for row in data.rows(folder, f"{name}_chunks")}
    rows = list(data.rows(folder, f"{name}_pairs"))
    names = halves.halves_of([[row["a"].split("|")[1], row["b"].split("|")[1]] for row in rows])
    return [
        Pair(texts[row["a"]], texts[row["b"]], *_section_kind(row), half)
        for row, half in zip(rows, names, strict=True)
    ]


def _section_kind(row: dict[str, Any]) -> tuple[str, bool | None]:
    if row["relation"] == "different_section":
        return "other section", False
    only = [sorted(token.strip(_AROUND) for token in row[side]) for side in ("only_in_a", "only_in_b")]
    if only[0] != only[1]:
        return "numbers differ", False
    return {"exact": ("copies", True), "near": ("near copies", None)}.get(row["relation"], ("edited", None))


def systems(model: Path | None) -> list[System]:
    static = StaticEmbedder()
    systems = [_tersely("tersely", None), _cosine("cosine, the same vectors", static.embed)]
    if model is not None:
        from tersely.models.onnx import OnnxEmbedder

        embedder = OnnxEmbedder(model)
        remembered = _Remembered(embedder.embed)
        systems += [_tersely("tersely, vectors of the model", remembered)]
        systems += [_cosine("cosine, vectors of the model", remembered.embed)]
    if importlib.util.find_spec("semhash"):
        systems.append(System("semhash", _semhash(static)))
    if importlib.util.find_spec("datasketch"):
        systems.append(System("MinHash (datasketch)", _minhash, tunable=True))
    return systems


class _Remembered:
    """Each text is embedded once."""

    def __init__(self, embed: Callable[[Sequence[str]], Scores]) -> None:
        self._embed = embed
        self._known: dict[str, Scores] = {}

    def embed(self, texts: Sequence[str]) -> Scores:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= zip(new, self._embed(new), strict=True)
        return np.array([self._known[text] for text in texts])


def _tersely(name: str, embedder: Any) -> System:
    def merged(pairs: Sequence[Pair], threshold: float) -> Bools:
        found = [tersely.dedup([pair.a, pair.b], threshold, embedder=embedder) for pair in pairs]
        return np.array([len(one.representatives) == 1 for one in found])

    return System(name, merged)


def _cosine(name: str, embed: Callable[[Sequence[str]], Scores]) -> System:
    def merged(pairs: Sequence[Pair], threshold: float) -> Bools:
        a, b = (embed([getattr(pair, side) for pair in pairs]) for side in "ab")
        return np.asarray(np.einsum("nd,nd->n", a, b) >= threshold - 1e-6)

    return System(name, merged, tunable=True)


def _semhash(static: StaticEmbedder) -> Callable[[Sequence[Pair], float], Bools]:
    from semhash import SemHash

    class Encoder:
        def encode(self, inputs: Sequence[str], **_: Any) -> Scores:
            return static.embed(list(inputs))

    def merged(pairs: Sequence[Pair], threshold: float) -> Bools:
        answers = []
        for pair in pairs:
            index = SemHash.from_records([pair.a, pair.b], model=Encoder())
            answers.append(len(index.self_deduplicate(threshold).selected) == 1)
        return np.array(answers)

    return merged


def _minhash(pairs: Sequence[Pair], threshold: float) -> Bools:
    from datasketch import MinHash

    def sketch(text: str) -> Any:
        words = text.lower().split()
        made = MinHash(num_perm=128, seed=1)
        for start in range(max(len(words) - _SHINGLE + 1, 1)):
            made.update(" ".join(words[start : start + _SHINGLE]).encode())
        return made

    return np.array([sketch(pair.a).jaccard(sketch(pair.b)) >= threshold for pair in pairs])


def _best_threshold(system: System, pairs: Sequence[Pair]) -> float:
    """The threshold with the best F1 over the labelled pairs that are not copies."""
    labelled = [pair for pair in pairs if pair.same is not None and pair.kind != "copies"]
    scored = [(rates_of(labelled, system.merged(labelled, t))["f1"], float(t)) for t in _GRID]
    return max(scored, key=lambda one: (one[0], -one[1]))[1]


def rates_of(pairs: Sequence[Pair], merged: Bools) -> dict[str, Any]:
    same = np.array([pair.same is True for pair in pairs])
    different = np.array([pair.same is False for pair in pairs])
    right, wrong = int((merged & same).sum()), int((merged & different).sum())
    precision = right / (right + wrong) if right + wrong else 1.0
    recall = right / max(int(same.sum()), 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return {"right": right, "wrong": wrong, "precision": precision, "recall": recall, "f1": f1}


def _counts(pairs: Sequence[Pair], merged: Bools) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for kind in dict.fromkeys(pair.kind for pair in pairs):
        inside = np.array([pair.kind == kind for pair in pairs])
        row[kind] = int((merged & inside).sum())
        if kind.startswith("sentences"):
            rates = rates_of([pair for pair in pairs if pair.kind == kind], merged[inside])
            row |= {f"{kind} {name}": value for name, value in rates.items()}
    return row


def _tables(result: report.Report, rows: list[dict[str, Any]], pairs: Sequence[Pair]) -> None:
    first = [report.Column("system"), report.Column("threshold")]
    kinds = list(dict.fromkeys(pair.kind for pair in pairs))
    for kind in kinds:
        if not kind.startswith("sentences"):
            continue
        counts = [
            sum(pair.kind == kind and pair.same is same for pair in pairs) for same in (True, False, None)
        ]
        title = f"Merged of {kind}: {counts[0]} same, {counts[1]} different, {counts[2]} between"
        columns = [
            report.Column(f"{kind} {name}", name, form)
            for name, form in (
                ("right", ""),
                ("wrong", ""),
                ("precision", ".3f"),
                ("recall", ".3f"),
                ("f1", ".3f"),
            )
        ]
        result.table(title, [*first, *columns, report.Column(kind, "all merged")], rows)
    sizes = {kind: sum(pair.kind == kind for pair in pairs) for kind in kinds if "sentences" not in kind}
    columns = [report.Column(kind, f"{kind} ({size})") for kind, size in sizes.items()]
    result.table("Merged of sections of two versions of a manual", [*first, *columns], rows)
    result.note(
        "Sentences: merging a pair that people score 2 or less is wrong. Of those that they score 4 and "
        "more, many differ in a day, a name, a colour: tersely keeps these apart on purpose. Sections: "
        "numbers differ and other section should be 0; near copies and edited ones may differ in names. "
        "'best' is the threshold with the best F1 on the tuned half."
    )


def _speed(result: report.Report, folder: Path) -> None:
    documents = data.english_documents(folder)
    table = tersely.segment(documents)
    step = max(len(table) // _SENTENCES, 1)
    texts = [documents[document][start:end] for document, start, end, _ in list(table)[::step]][:_SENTENCES]
    static = StaticEmbedder()
    work: dict[str, Callable[[], object]] = {
        "tersely.dedup, one thread": lambda: tersely.dedup(texts, threads=1),
        "of these, vectors": lambda: static.embed(texts),
        "of these, guards and terms": lambda: tersely._native.guards(texts),
        "kernels.threshold_clusters of the vectors": lambda: tersely.dedup(static.embed(texts), threads=1),
    }
    rows = [{"work": name, "cpu": min(_cpu(run) for _ in range(3))} for name, run in work.items()]
    kept = len(tersely.dedup(texts).representatives)
    title = f"{len(texts):,} sentences ({kept:,} stay), CPU time, best of 3"
    result.table(title, [report.Column("work"), report.Column("cpu", "ms", ".0f")], rows)


def _cpu(run: Callable[[], object]) -> float:
    begin = time.process_time()
    run()
    return (time.process_time() - begin) * 1e3


if __name__ == "__main__":
    main()
