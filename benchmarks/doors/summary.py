"""Rows of the tables: evidence kept by budget, CPU time, and answers over the budget or empty."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from benchmarks.checks import require
from benchmarks.quality.bootstrap import mean_over_sets
from benchmarks.quality.evidence import grouped
from benchmarks.quality.run import Answer
from benchmarks.quality.systems import System
from benchmarks.report import Column

__all__ = ["columns", "require_budgets", "summary"]


def columns(ratios: Sequence[float]) -> list[Column]:
    """Of the rows of `summary`, without the first."""
    return [
        *(Column(str(ratio), f"{ratio:.0%}", ".3f") for ratio in ratios),
        Column("cpu", "CPU ms", ".2f"),
        Column("times", "times compress", ".2f"),
        Column("over", "over budget"),
        Column("empty"),
    ]


def summary(
    system: System, answers: Sequence[Answer], ratios: Sequence[float], baseline: str
) -> dict[str, Any]:
    """One system: evidence kept at each ratio, mean over the sets; CPU milliseconds, median over the answers.

    "times": median over the answers of the time beside that of the system `baseline` on the same task.
    """
    mine = [answer for answer in answers if answer.system == system.name]
    if not mine:
        return {str(ratios[0]): system.without}
    kept = {}
    for ratio in ratios:
        groups = grouped(answer for answer in mine if answer.task.ratio == ratio)
        kept[str(ratio)] = mean_over_sets(
            [[one.scores["kept"] for one in group] for group in groups.values()]
        )
    base = {answer.task.id: answer.ms for answer in answers if answer.system == baseline}
    return {
        **kept,
        "cpu": median(answer.ms for answer in mine),
        "times": median(answer.ms / base[answer.task.id] for answer in mine) if base else "",
        "over": sum(answer.over for answer in mine),
        "empty": sum(not answer.used for answer in mine),
    }


def require_budgets(answers: Sequence[Answer]) -> None:
    """Raise AssertionError where any answer counts more tokens than its task allows."""
    over = [answer for answer in answers if answer.over]
    told = "; ".join(f"{one.system}, {one.task.id}: {one.used} of {one.task.budget}" for one in over[:5])
    require(not over, f"{len(over)} answers are over their budget: {told}")
