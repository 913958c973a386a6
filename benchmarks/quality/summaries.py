"""Without a query: the words of human summaries that each system keeps (ROUGE recall)."""

from __future__ import annotations

from statistics import mean, median
from typing import Any

from benchmarks.quality.evidence import grouped
from benchmarks.quality.rouge import rouge_recall
from benchmarks.quality.run import Answer
from benchmarks.quality.systems import System
from benchmarks.quality.tasks import Task
from benchmarks.report import Column, Report

__all__ = ["by_set", "score"]

_COLUMNS = (
    Column("set"),
    Column("texts"),
    Column("system"),
    Column("one", "ROUGE-1", ".3f"),
    Column("two", "ROUGE-2", ".3f"),
    Column("used", form=".3f"),
    Column("over", "over budget", ".1%"),
    Column("failed"),
    Column("cpu", "CPU ms / 10K tokens", ".2f"),
)


def score(text: str, task: Task) -> dict[str, float]:
    """ROUGE-1 and ROUGE-2 recall, of the best of several references."""
    references = list(task.references)
    return {"one": rouge_recall(text, references, 1), "two": rouge_recall(text, references, 2)}


def by_set(report: Report, systems: list[System], answers: list[Answer], ratio: float, sample: str) -> None:
    """A row a set and system, then the means over the sets."""
    rows: list[dict[str, Any]] = []
    for name, members in grouped(answers).items():
        for system in systems:
            mine = [answer for answer in members if answer.system == system.name]
            rows.append({"set": name, "system": system.name} | _numbers(mine, system))
    for system in systems:
        mine_rows = [row for row in rows if row["system"] == system.name and "used" in row]
        if mine_rows:
            means = {
                key: mean(row[key] for row in mine_rows) for key in ("one", "two", "used", "over", "cpu")
            }
            texts, failed = (sum(row[key] for row in mine_rows) for key in ("texts", "failed"))
            rows.append({"set": "mean", "system": system.name, "texts": texts, "failed": failed} | means)
    report.table(f"ROUGE recall of human summaries at {ratio:.0%}, no query; {sample}", _COLUMNS, rows)
    report.note(
        "Recall grows with what is kept: read it beside 'used' and 'over budget'. Of several references the "
        "best one counts."
    )


def _numbers(mine: list[Answer], system: System) -> dict[str, Any]:
    if not mine:
        return {"one": system.without}
    return {
        "texts": len(mine),
        "one": mean(answer.scores["one"] for answer in mine),
        "two": mean(answer.scores["two"] for answer in mine),
        "used": mean(answer.used / answer.task.total for answer in mine),
        "over": mean(answer.over for answer in mine),
        "failed": sum(answer.failed for answer in mine),
        "cpu": median(answer.ms / answer.task.total * 1e4 for answer in mine),
    }
