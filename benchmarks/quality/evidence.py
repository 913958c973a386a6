"""Questions: the share of their evidence that each system keeps, by budget, by set and by language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean, median
from typing import Any

import numpy as np

from benchmarks.quality.bootstrap import interval, mean_over_sets
from benchmarks.quality.evidence_metric import evidence_shares
from benchmarks.quality.run import Answer
from benchmarks.quality.systems import System
from benchmarks.quality.tasks import RATIOS, Task
from benchmarks.report import Column, Report

__all__ = ["SHOWN", "by_language", "by_set", "gains", "grouped", "overall", "score"]

SHOWN = 0.2  # the ratio of the tables by set and by language


def score(text: str, task: Task) -> dict[str, float]:
    """Evidence kept, and whether all of it is."""
    share, every = evidence_shares(text, task)
    return {"kept": share, "all": float(every)}


def overall(
    report: Report, systems: list[System], answers: list[Answer], sample: str
) -> list[dict[str, Any]]:
    """Means over the sets with intervals, budgets, CPU time. Gives the rows."""
    rows = [_overall_row(system, [a for a in answers if a.system == system.name]) for system in systems]
    columns = [Column("system")]
    for ratio in RATIOS:
        columns += [Column(str(ratio), f"{ratio:.0%}", ".3f"), Column(f"{ratio} interval", "95%")]
    columns.append(Column(f"all {SHOWN}", f"all at {SHOWN:.0%}", ".3f"))
    report.table(f"Evidence kept, mean over the sets; {sample}", columns, rows)
    budget = [
        Column("system"),
        Column("over", "over budget", ".1%"),
        Column("over_by", "by, median", ".1%"),
        Column("over_most", "most", ".0%"),
        Column("used", f"used at {SHOWN:.0%}", ".3f"),
        Column("failed"),
        Column("cpu", "CPU ms / 10K tokens", ".2f"),
        Column("earlier", "from cache"),
        Column("raised", "first error"),
    ]
    present = [row for row in rows if "cpu" in row]
    report.table(
        "Budgets and time (medians over the tasks; short texts pay what each call costs)",
        budget,
        present,
    )
    return rows


def _overall_row(system: System, mine: list[Answer]) -> dict[str, Any]:
    row: dict[str, Any] = {"system": system.name}
    if not mine:
        return row | {str(RATIOS[0]): system.without}
    failures = [answer.failure for answer in mine if answer.failed]
    if len(failures) == len(mine):
        return row | {str(RATIOS[0]): f"raised {failures[0]}"}
    for ratio in RATIOS:
        groups = grouped(answer for answer in mine if answer.task.ratio == ratio)
        kept = [[answer.scores["kept"] for answer in group] for group in groups.values()]
        low, high = interval(kept)
        row |= {
            str(ratio): mean_over_sets(kept),
            f"{ratio} interval": f"{low:.3f}-{high:.3f}",
            f"{ratio} low": low,
            f"{ratio} high": high,
            f"all {ratio}": mean_over_sets([[a.scores["all"] for a in group] for group in groups.values()]),
        }
    excess = [answer.used / max(answer.task.budget, 1) - 1 for answer in mine if answer.over]
    return row | {
        "over": len(excess) / len(mine),
        "over_by": median(excess) if excess else "",
        "over_most": max(excess) if excess else "",
        "used": mean(answer.used / answer.task.total for answer in mine if answer.task.ratio == SHOWN),
        "failed": len(failures),
        "raised": failures[0] if failures else "",
        "cpu": median(answer.ms / answer.task.total * 1e4 for answer in mine),
        "earlier": sum(answer.kept_before for answer in mine),
    }


def by_set(report: Report, systems: list[System], answers: list[Answer]) -> None:
    """A row a set: evidence kept, and questions with all their evidence kept, at one ratio."""
    shown = [answer for answer in answers if answer.task.ratio == SHOWN]
    groups = grouped(shown)
    for name, title in (("kept", "Evidence kept"), ("all", "All evidence kept")):
        rows = [_group_row(group, members, name) for group, members in groups.items()]
        report.table(f"{title} at {SHOWN:.0%}, by set", _columns("set", systems), rows)


def gains(report: Report, before: str, after: str, answers: list[Answer], sample: str) -> None:
    """A row a set, and one of their mean: what a system keeps, and how much more another does of the same.

    Nothing where one of them was not asked.
    """
    kept = {name: _by_ratio_and_set(answers, name) for name in (before, after)}
    if not all(kept.values()):
        return
    columns, rows = [Column("set"), Column("questions")], []
    for ratio in RATIOS:
        columns += [Column(str(ratio), f"{ratio:.0%}", ".3f"), Column(f"{ratio} gain", "gain", "+.3f")]
        columns.append(Column(f"{ratio} interval", "95%"))
    first, second = kept[before], kept[after]
    names = list(first[RATIOS[0]])
    for title, sets in [*((name, [name]) for name in names), ("mean over the sets", names)]:
        row: dict[str, Any] = {"set": title, "questions": sum(len(first[RATIOS[0]][name]) for name in sets)}
        for ratio in RATIOS:
            more = [np.subtract(second[ratio][name], first[ratio][name]).tolist() for name in sets]
            low, high = interval(more)
            row[str(ratio)] = mean_over_sets([first[ratio][name] for name in sets])
            row |= {f"{ratio} gain": mean_over_sets(more), f"{ratio} interval": f"{low:+.3f} to {high:+.3f}"}
        rows.append(row)
    report.table(f"Evidence kept by {before}, and the gain of {after}; {sample}", columns, rows)


def _by_ratio_and_set(answers: list[Answer], system: str) -> dict[float, dict[str, list[float]]]:
    """What a system kept of each question, in the order of the questions."""
    found: dict[float, dict[str, list[float]]] = {}
    for answer in answers:
        if answer.system == system:
            by_set = found.setdefault(answer.task.ratio, {})
            by_set.setdefault(answer.task.set, []).append(answer.scores["kept"])
    return found


def by_language(report: Report, systems: list[System], answers: list[Answer], sample: str) -> None:
    """A row a language, and one over all questions."""
    rows = [
        _group_row(language, members, "kept")
        for language, members in grouped(answers, lambda answer: answer.task.language).items()
    ]
    rows.append(_group_row("all", answers, "kept"))
    sets = " and ".join(sorted({answer.task.set for answer in answers}))
    title = f"{sets}: answers kept at {SHOWN:.0%}, by language; {sample}"
    report.table(title, _columns("language", systems), rows)


def grouped(
    answers: Any, key: Callable[[Answer], str] = lambda answer: answer.task.set
) -> dict[str, list[Answer]]:
    """Answers by set, or by another key, sorted."""
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(key(answer), []).append(answer)
    return dict(sorted(groups.items()))


def _columns(first: str, systems: list[System]) -> list[Column]:
    present = [system for system in systems if system.run is not None]
    return [
        Column("group", first),
        Column("questions"),
        *(Column(system.name, system.key, ".3f") for system in present),
    ]


def _group_row(group: str, members: Sequence[Answer], name: str) -> dict[str, Any]:
    by_system: dict[str, list[float]] = {}
    for answer in members:
        by_system.setdefault(answer.system, []).append(answer.scores[name])
    row: dict[str, Any] = {"group": group, "questions": len(next(iter(by_system.values())))}
    return row | {system: mean(values) for system, values in by_system.items()}
