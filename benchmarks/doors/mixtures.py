"""Questions over documents of several kinds in one call: evidence kept by the kind of document that answers.

Examples:
    python -m benchmarks.doors.mixtures --data DIR
    python -m benchmarks.doors.mixtures --data DIR --rows 10 --json mixtures.json
"""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import Any

import tersely

from benchmarks import tokens
from benchmarks.arguments import make_parser
from benchmarks.doors.mixing import mixed_tasks
from benchmarks.doors.summary import columns, require_budgets, summary
from benchmarks.doors.systems import COMPRESS, SEPARATOR, compressed, tersely_system
from benchmarks.quality import evidence
from benchmarks.quality.once import Ledger
from benchmarks.quality.run import Answer, Runner
from benchmarks.quality.systems import System
from benchmarks.quality.tasks import Task
from benchmarks.report import Column, Report

_RATIOS = (0.05, 0.1, 0.2, 0.3)  # a line that answers is found in far less than a tenth


def main() -> None:
    """The command."""
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=40, metavar="N", help="questions of each kind (40)")
    options = parser.parse_args()
    systems = _systems()
    tasks = list(mixed_tasks(options.data, options.rows, _RATIOS, tokens.O200K))
    answers = Runner(systems, Ledger(), None, None, tokens.O200K).answers(tasks, evidence.score, "mixtures")
    result = Report("doors/mixtures", {"rows": options.rows}, ())
    rows = [
        {"kind": kind, "questions": len(group) // len(_RATIOS) // len(systems), "system": system.name}
        | summary(system, group, _RATIOS, COMPRESS)
        for kind, group in evidence.grouped(answers).items()
        for system in systems
    ]
    rows += [{"kind": "mean", "questions": "", **_mean(system, rows, answers)} for system in systems]
    shown = [Column("kind", "answer in"), Column("questions"), Column("system"), *columns(_RATIOS)]
    result.table("Evidence kept at a share of the tokens of six documents of six kinds", shown, rows)
    result.note(
        f"Tokens are {tokens.O200K}; {fmean(task.total for task in tasks):,.0f} a task. Documents: the task "
        "of an agent, 150 lines of a log, JSON, a source file, output of a tool, paragraphs; one of the last "
        "four answers. By length: each document compressed alone, its budget in proportion to its tokens. "
        "CPU ms are medians. Labels of code and tools are derived, not human."
    )
    result.details["answers"] = [answer.row() for answer in answers]
    result.finish(options.json)
    require_budgets(answers)


def _systems() -> list[System]:
    return [
        tersely_system("compress", COMPRESS, compressed),
        tersely_system("auto", f'{COMPRESS}, "auto"', partial(compressed, strategy="auto")),
        tersely_system("extractive", f'{COMPRESS}, "extractive"', partial(compressed, strategy="extractive")),
        tersely_system("length", "tersely, by length", _by_length),
    ]


def _mean(system: System, rows: list[dict[str, Any]], answers: list[Answer]) -> dict[str, Any]:
    """The mean of the kinds; times are medians over all answers."""
    mine = [row for row in rows if row["system"] == system.name]
    whole = summary(system, answers, _RATIOS, COMPRESS)
    return {"system": system.name, **whole, **{str(r): fmean(row[str(r)] for row in mine) for r in _RATIOS}}


def _by_length(task: Task) -> str:
    """Each document alone, with a share of the budget in proportion to its tokens."""
    sizes = tokens.counts(task.documents)
    room = task.budget - tokens.count(SEPARATOR) * (len(sizes) - 1)
    while True:
        parts = [
            _alone(text, task.query, room * size // sum(sizes))
            for text, size in zip(task.documents, sizes, strict=True)
        ]
        text = SEPARATOR.join(filter(None, parts))
        used = tokens.count(text)
        if used <= task.budget:
            return text
        room -= used - task.budget


def _alone(text: str, query: str | None, budget: int) -> str:
    try:
        return tersely.compress(text, query, budget=budget).text
    except tersely.BudgetExceededError:
        return ""


if __name__ == "__main__":
    main()
