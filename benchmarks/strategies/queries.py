"""Whether compressing for a query keeps more of its evidence than compressing without one."""

from __future__ import annotations

from math import comb
from pathlib import Path
from statistics import mean
from typing import Any

import tersely

from benchmarks import checks
from benchmarks.progress import Progress
from benchmarks.quality.evidence_metric import evidence_shares
from benchmarks.quality.halves import BOTH
from benchmarks.quality.tasks import ENCODING, Task, at_ratios, questions, sampled
from benchmarks.report import Column, Report, Target

__all__ = ["report", "sign_test"]

_QUESTIONS = 60  # a set
_RATIO = 0.2
_COLUMNS = [
    Column("set"),
    Column("questions"),
    Column("with", "with query", ".3f"),
    Column("without", "without", ".3f"),
    Column("better"),
    Column("worse"),
    Column("p", "sign test p", ".1e"),
]


def report(report: Report, data: Path) -> None:
    """A row a set: evidence kept with and without the query, and the paired sign test."""
    tasks = list(at_ratios(sampled(questions(data), _QUESTIONS, BOTH), (_RATIO,)))
    pairs: dict[str, list[tuple[float, float]]] = {}
    with Progress("queries", len(tasks)) as progress:
        for task in tasks:
            progress.step(task.set)
            pairs.setdefault(task.set, []).append((_kept(task, task.query), _kept(task, None)))
    rows = [_row(name, found) for name, found in sorted(pairs.items())]
    rows.append(_row("all", [pair for found in pairs.values() for pair in found]))
    report.table(f"Evidence kept at {_RATIO:.0%}, with the query and without", _COLUMNS, rows)
    report.targets.append(Target("query-aware is better: sign test p", 0.05, rows[-1]["p"], "", True))


def _kept(task: Task, query: str | None) -> float:
    result = tersely.compress(task.documents, query, budget=task.budget, counter=ENCODING)
    checks.check_compressed(result, task.budget, ENCODING)
    return evidence_shares(result.text, task)[0]


def _row(name: str, pairs: list[tuple[float, float]]) -> dict[str, Any]:
    better = sum(one > other for one, other in pairs)
    worse = sum(one < other for one, other in pairs)
    return {
        "set": name,
        "questions": len(pairs),
        "with": mean(one for one, _ in pairs),
        "without": mean(other for _, other in pairs),
        "better": better,
        "worse": worse,
        "p": sign_test(better, worse),
    }


def sign_test(better: int, worse: int) -> float:
    """Two-sided p of so many pairs one way and so many the other, if both were as likely; ties left out."""
    total = better + worse
    tail = sum(comb(total, k) for k in range(min(better, worse) + 1))
    return float(min(1.0, 2 * tail / 2**total))
