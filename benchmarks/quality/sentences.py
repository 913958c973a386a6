"""Sentence boundaries: F1 on treebank text, share of the golden rules passed, and CPU time.

Examples:
    python -m benchmarks.quality.sentences --data DIR
    python -m benchmarks.quality.sentences --data DIR --failures 5 --json sentences.json
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from benchmarks import checks, data, peers, report
from benchmarks.arguments import make_parser

_CODES = {
    "arabic": "ar",
    "chinese": "zh",
    "deutsch": "de",
    "english": "en",
    "french": "fr",
    "hindi": "hi",
    "spanish": "es",
}


@dataclass(slots=True)
class Boundaries:
    """Counts over the texts of one language, for one splitter."""

    right: int = 0
    found: int = 0
    wanted: int = 0
    altered: int = 0

    def add(self, text: str, sentences: list[str], spans: list[list[int]]) -> None:
        """Count one text in."""
        predicted = _ends(sentences)
        gold = {_visible(text[:end]) for _, end in spans}
        self.right += len(predicted & gold)
        self.found += len(predicted)
        self.wanted += len(gold)
        self.altered += "".join("".join(sentences).split()) != "".join(text.split())

    def row(self) -> dict[str, Any]:
        """F1, precision, recall, and how many texts did not come back as they were."""
        precision, recall = self.right / max(self.found, 1), self.right / max(self.wanted, 1)
        both = 2 * precision * recall / max(precision + recall, 1e-9)
        return {"f1": both, "precision": precision, "recall": recall, "altered": self.altered}


@dataclass(slots=True)
class Measured:
    """All of one splitter's numbers."""

    boundaries: dict[str, Boundaries] = field(default_factory=dict)
    passed: dict[str, list[bool]] = field(default_factory=dict)
    seconds: float = 0.0
    size: int = 0


def main() -> None:
    """The command."""
    options = _arguments()
    treebank = list(data.rows(options.data, "sentences_ud"))
    rules = list(data.rows(options.data, "sentences_golden_rules"))
    result = report.Report(
        "quality/sentences", {"repeats": options.repeats}, ("pysbd", "sentencex", "chonkie")
    )
    splitters = [
        peers.tersely_splitter(),
        peers.pysbd_splitter(),
        peers.sentencex_splitter(),
        peers.chonkie_splitter(),
    ]
    measured = {splitter.name: _measure(splitter, treebank, rules, options.repeats) for splitter in splitters}
    _tables(result, measured, {splitter.name: splitter.without for splitter in splitters})
    result.note(
        "F1 of sentence ends (UD treebanks, micro-averaged over texts). Altered: texts whose visible "
        "characters did not all come back. The golden rules are pysbd's own cases, and some expect cleaned "
        "text. tersely is not told the language. CPU seconds per MB: treebank texts, one call a text."
    )
    result.finish(options.json)
    if options.failures:
        for splitter in splitters:
            _show_failures(splitter, rules, options.failures)


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="runs for the CPU time (default: 3)")
    parser.add_argument(
        "--failures", type=int, default=0, metavar="N", help="show N failed rules of each system"
    )
    return parser.parse_args()


def _measure(
    splitter: peers.Splitter, treebank: list[dict[str, Any]], rules: list[dict[str, Any]], repeats: int
) -> Measured | None:
    if splitter.split is None:
        return None
    measured = Measured(size=sum(len(row["text"].encode()) for row in treebank))
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        answers = [splitter.split(row["text"], row["lang"]) for row in treebank]
        times.append(time.process_time() - begin)
    measured.seconds = min(times)
    for row, sentences in zip(treebank, answers, strict=True):
        counts = measured.boundaries.setdefault(row["lang"], Boundaries())
        counts.add(row["text"], sentences, row["sentences"])
    for row in rules:
        measured.passed.setdefault(_CODES[row["lang"]], []).append(_passes(splitter.split, row))
    if splitter.name == "tersely":
        altered = sum(counts.altered for counts in measured.boundaries.values())
        checks.require(altered == 0, f"tersely altered {altered} texts")
    return measured


def _tables(result: report.Report, measured: dict[str, Measured | None], without: dict[str, str]) -> None:
    known = [one for one in measured.values() if one]
    treebanks, languages = sorted(known[0].boundaries), sorted(known[0].passed)
    first = "f1 " + treebanks[0]
    rows = [
        _row(name, one) if one else {"system": name, first: without[name]} for name, one in measured.items()
    ]
    cases = {language: len(known[0].passed[language]) for language in languages}
    columns = [
        report.Column("system"),
        *(report.Column("f1 " + language, f"F1 {language}", ".3f") for language in treebanks),
        report.Column("altered"),
        report.Column("rules", f"rules ({sum(cases.values())})", ".1%"),
        *(report.Column("rules " + language, f"{language} ({n})", ".0%") for language, n in cases.items()),
        report.Column("s_per_mb", "CPU s/MB", ".4f"),
    ]
    result.table("Sentence boundaries", columns, rows)


def _row(name: str, measured: Measured) -> dict[str, Any]:
    row: dict[str, Any] = {"system": name, "altered": 0}
    for language, counts in measured.boundaries.items():
        numbers = counts.row()
        row |= {"f1 " + language: numbers["f1"], "boundaries " + language: numbers}
        row["altered"] += counts.altered
    row["rules"] = mean(passed for cases in measured.passed.values() for passed in cases)
    row |= {"rules " + language: mean(cases) for language, cases in measured.passed.items()}
    row["s_per_mb"] = measured.seconds / (measured.size / 1e6)
    return row


def _passes(split: Any, row: dict[str, Any]) -> bool:
    return _shown(split(row["text"], _CODES[row["lang"]])) == _shown(row["sentences"])


def _show_failures(splitter: peers.Splitter, rules: list[dict[str, Any]], how_many: int) -> None:
    if splitter.split is None:
        return
    failed = [row for row in rules if not _passes(splitter.split, row)]
    print(f"\n{splitter.name}: {len(failed)} failed")
    for row in failed[:how_many]:
        print(f"  {row['id']}\n    text     {row['text']!r}\n    expected {_shown(row['sentences'])}")
        print(f"    got      {_shown(splitter.split(row['text'], _CODES[row['lang']]))}")


def _shown(sentences: list[str]) -> list[str]:
    return [shown for sentence in sentences if (shown := " ".join(sentence.split()))]


def _ends(sentences: list[str]) -> set[int]:
    ends: set[int] = set()
    position = 0
    for sentence in sentences:
        visible = _visible(sentence)
        position += visible
        if visible:
            ends.add(position)
    return ends


def _visible(text: str) -> int:
    return len("".join(text.split()))


if __name__ == "__main__":
    main()
