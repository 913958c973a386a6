"""Without a query: ROUGE recall of human summaries in what is kept at 20% of the tokens (o200k_base).

Examples:
    python -m benchmarks.quality.summaries --data DIR
    python -m benchmarks.quality.summaries --data DIR --rows 20 --ratio 0.1 --json summaries.json
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from itertools import islice
from statistics import mean, median
from typing import Any

from benchmarks import data, peers, report, tokens
from benchmarks.arguments import make_parser
from benchmarks.quality.rouge import rouge_recall

_SETS = ("sum_gov_report", "sum_news", "sum_scitldr", "sum_dialogsum")


@dataclass(frozen=True, slots=True)
class Answer:
    """What one system made of one text, scored."""

    system: str
    set: str
    one: float
    two: float
    kept: float
    over: bool
    ms: float
    failed: bool


def main() -> None:
    """The command."""
    options = _arguments()
    systems = [
        peers.tersely_compressor(),
        peers.tersely_compressor("tersely lead", strategy="lead"),
        peers.textcrusher(),
        peers.llmslim(),
        peers.sumy_lexrank(),
    ]
    result = report.Report("quality/summaries", {"rows": options.rows, "ratio": options.ratio})
    answers = [
        _answer(system, name, row, options.ratio)
        for name in _SETS
        for row in islice(data.rows(options.data, name), options.rows)
        for system in systems
        if system.call is not None
    ]
    _table(result, systems, answers, options.ratio)
    result.note(
        "Recall grows with what is kept: read it beside 'kept' and 'over budget'. Of several references the "
        f"best one counts. llmslim counts tokens with: {peers.llmslim_counter()}."
    )
    result.finish(options.json)


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=None, help="texts of each set (default: all)")
    parser.add_argument("--ratio", type=float, default=0.2, help="share of the tokens allowed (default: 0.2)")
    return parser.parse_args()


def _answer(system: peers.Compressor, name: str, row: dict[str, Any], ratio: float) -> Answer:
    text = data.text_of(row)
    total = tokens.count(text)
    budget = int(total * ratio)
    begin = time.perf_counter()
    try:
        answer = system([text], None, budget, ratio)
        failed = False
    except Exception:
        if system.name.startswith("tersely"):
            raise
        answer, failed = None, True
    ms = (time.perf_counter() - begin) * 1e3
    short = "" if failed else system.text(answer)
    if not failed:
        system.check(answer, budget)
    used = tokens.count(short)
    one, two = (rouge_recall(short, row["references"], n) for n in (1, 2))
    return Answer(system.name, name, one, two, used / total, used > budget, ms, failed)


def _table(
    result: report.Report, systems: list[peers.Compressor], answers: list[Answer], ratio: float
) -> None:
    columns = [
        report.Column("set"),
        report.Column("system"),
        report.Column("one", "ROUGE-1", ".3f"),
        report.Column("two", "ROUGE-2", ".3f"),
        report.Column("kept", form=".3f"),
        report.Column("over", "over budget", ".1%"),
        report.Column("failed"),
        report.Column("ms", "median ms", ".1f"),
    ]
    rows = [
        _row(name, system.name, [one for one in answers if (one.set, one.system) == (name, system.name)])
        for name in _SETS
        for system in systems
    ]
    rows += [
        _mean_row(system.name, [row for row in rows if row["system"] == system.name]) for system in systems
    ]
    title = f"ROUGE-1 and ROUGE-2 recall at {ratio:.0%} of the tokens, {len(answers)} answers"
    result.table(title, columns, rows)


def _row(name: str, system: str, answers: list[Answer]) -> dict[str, Any]:
    if not answers:
        return {"set": name, "system": system, "one": report.MISSING}
    return {
        "set": name,
        "system": system,
        "one": mean(answer.one for answer in answers),
        "two": mean(answer.two for answer in answers),
        "kept": mean(answer.kept for answer in answers),
        "over": mean(answer.over for answer in answers),
        "failed": sum(answer.failed for answer in answers),
        "ms": median(answer.ms for answer in answers),
    }


def _mean_row(system: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    measured = [row for row in rows if "kept" in row]
    if not measured:
        return {"set": "mean", "system": system, "one": report.MISSING}
    row: dict[str, Any] = {"set": "mean", "system": system, "failed": sum(row["failed"] for row in measured)}
    return row | {key: mean(row[key] for row in measured) for key in ("one", "two", "kept", "over", "ms")}


if __name__ == "__main__":
    main()
