"""Questions: how much of their evidence each system keeps at 10, 20, 30 and 50% of the tokens (cl100k_base).

Examples:
    python -m benchmarks.quality.evidence --data DIR
    python -m benchmarks.quality.evidence --data DIR --rows 10 --xquad-rows 50 --json evidence.json
    python -m benchmarks.quality.evidence --data DIR --outputs DIR2     also what each system returned
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks import peers, report, tokens
from benchmarks.arguments import make_parser
from benchmarks.quality.bm25 import bm25_compressor
from benchmarks.quality.tasks import ENCODING, RATIOS, Task, evidence_recall, make_tasks, set_tasks

_SHOWN = 0.2  # the ratio of the rows by set and by language
_XQUAD = "qa_xquad_multilingual"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one system returned for one task, scored."""

    system: str
    task: Task
    text: str
    recall: float
    used: int
    ms: float
    failed: bool


def main() -> None:
    """The command."""
    options = _arguments()
    systems = [
        bm25_compressor(ENCODING),
        peers.tersely_compressor(encoding=ENCODING),
        peers.textcrusher(),
        peers.llmslim(),
    ]
    counted = {"rows": options.rows, "xquad_rows": options.xquad_rows}
    result = report.Report("quality/evidence", counted)
    answers = list(_answers(systems, make_tasks(options.data, options.rows)))
    _overall(result, systems, answers)
    _by_set(result, systems, answers)
    if options.xquad_rows:
        xquad = set_tasks(options.data, _XQUAD, options.xquad_rows, _SHOWN)
        _by_language(result, systems, list(_answers(systems, xquad)))
    result.note(
        f"llmslim counts tokens with: {peers.llmslim_counter()}. A peer that raises scores an empty text."
    )
    result.finish(options.json)
    if options.outputs:
        _write(options.outputs, answers)


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=60, help="questions of each set (default: 60)")
    parser.add_argument(
        "--xquad-rows",
        type=int,
        default=100_000,
        help="XQuAD questions for the rows by language (default: all)",
    )
    parser.add_argument("--outputs", type=Path, metavar="DIR", help="write tasks.jsonl and NAME.jsonl there")
    return parser.parse_args()


def _answers(systems: list[peers.Compressor], tasks: Iterable[Task]) -> Iterator[Answer]:
    """Each system in turn on each task, so that a slow minute of the machine meets them all."""
    for task in tasks:
        for system in systems:
            if system.call is not None:
                yield _answer(system, task)


def _answer(system: peers.Compressor, task: Task) -> Answer:
    begin = time.perf_counter()
    try:
        answer = system(task.documents, task.query, task.budget, task.ratio)
        failed = False
    except Exception:
        if system.name == "tersely":
            raise
        answer, failed = None, True
    ms = (time.perf_counter() - begin) * 1e3
    text = "" if failed else system.text(answer)
    if not failed:
        system.check(answer, task.budget)
    used = tokens.count(text, ENCODING)
    return Answer(system.name, task, text, evidence_recall(text, task), used, ms, failed)


def _overall(result: report.Report, systems: list[peers.Compressor], answers: list[Answer]) -> None:
    rows: list[dict[str, Any]] = []
    for system in systems:
        mine = [answer for answer in answers if answer.system == system.name]
        if not mine:
            rows.append({"system": system.name, str(RATIOS[0]): report.MISSING})
            continue
        row: dict[str, Any] = {"system": system.name}
        row |= {str(ratio): _mean_over_sets([a for a in mine if a.task.ratio == ratio]) for ratio in RATIOS}
        row["over"] = mean(answer.used > answer.task.budget for answer in mine)
        row["kept"] = mean(answer.used / answer.task.total for answer in mine if answer.task.ratio == _SHOWN)
        row["failed"] = sum(answer.failed for answer in mine)
        row["ms"] = median(answer.ms for answer in mine)
        rows.append(row)
    sets = len({answer.task.set for answer in answers})
    recalls = [report.Column(str(ratio), f"{ratio:.0%}", ".3f") for ratio in RATIOS]
    columns = [
        report.Column("system"),
        *recalls,
        report.Column("over", "over budget", ".1%"),
        report.Column("kept", f"kept at {_SHOWN:.0%}", ".3f"),
        report.Column("failed"),
        report.Column("ms", "median ms", ".1f"),
    ]
    result.table(f"Evidence kept, mean over {sets} sets, {len(answers)} answers", columns, rows)


def _by_set(result: report.Report, systems: list[peers.Compressor], answers: list[Answer]) -> None:
    shown = [answer for answer in answers if answer.task.ratio == _SHOWN]
    sets = sorted({answer.task.set for answer in shown})
    rows = _grouped(shown, sets, lambda answer: answer.task.set)
    result.table(f"Evidence kept at {_SHOWN:.0%} by set", _columns("set", systems), rows)


def _by_language(result: report.Report, systems: list[peers.Compressor], answers: list[Answer]) -> None:
    languages = sorted({answer.task.language for answer in answers})
    rows = _grouped(answers, languages, lambda answer: answer.task.language)
    result.table(f"XQuAD by language: answers kept at {_SHOWN:.0%}", _columns("language", systems), rows)


def _columns(first: str, systems: list[peers.Compressor]) -> list[report.Column]:
    return [
        report.Column("group", first),
        report.Column("questions"),
        *(report.Column(system.name, form=".3f") for system in systems if system.call is not None),
    ]


def _grouped(
    answers: list[Answer], groups: Iterable[str], group_of: Callable[[Answer], str]
) -> list[dict[str, Any]]:
    rows = []
    for group in groups:
        members = [answer for answer in answers if group_of(answer) == group]
        row: dict[str, Any] = {"group": group}
        for name in dict.fromkeys(answer.system for answer in members):
            recalls = [answer.recall for answer in members if answer.system == name]
            row |= {"questions": len(recalls), name: mean(recalls)}
        rows.append(row)
    return rows


def _mean_over_sets(answers: list[Answer]) -> float:
    sets = {answer.task.set for answer in answers}
    return mean(mean(answer.recall for answer in answers if answer.task.set == name) for name in sets)


def _write(folder: Path, answers: list[Answer]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tasks = {answer.task.id: answer.task for answer in answers}
    _write_lines(folder / "tasks.jsonl", (asdict(task) for task in tasks.values()))
    for name in dict.fromkeys(answer.system for answer in answers):
        lines = (
            {"id": answer.task.id, "text": answer.text, "ms": answer.ms, "recall": answer.recall}
            for answer in answers
            if answer.system == name
        )
        _write_lines(folder / f"{name.replace(' ', '_')}.jsonl", lines)


def _write_lines(path: Path, entries: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


if __name__ == "__main__":
    main()
