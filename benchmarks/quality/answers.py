"""What a text is still good for: exact answers that stand in it, and what a small reader answers from it.

Only questions count whose answers, as people gave them, stand in the whole documents. The reader reads
English; benchmarks/quality/reader.py says what it is. Its figure for whole documents stands beside the
others: most of what is missing there no compression can give.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import mean
from typing import Any

from benchmarks.quality.bootstrap import mean_over_sets
from benchmarks.quality.evidence import grouped
from benchmarks.quality.reader import answer_f1, fitted, states
from benchmarks.quality.run import Answer
from benchmarks.quality.systems import System
from benchmarks.quality.tasks import RATIOS, Task
from benchmarks.report import Column, Report

__all__ = ["score", "tables"]

_ENGLISH = ("", "en")
_STATED, _F1 = "stated", "f1"


def score(text: str, task: Task) -> dict[str, float]:
    """Whether an answer stands in the text, and the F1 of what the reader answers; {} without answers."""
    if not _answerable(tuple(task.documents), task.answers):
        return {}
    stated = {_STATED: float(states(text, task.answers))}
    return stated if task.language not in _ENGLISH else stated | {_F1: _read(text, task)}


@cache
def _answerable(documents: tuple[str, ...], answers: tuple[str, ...]) -> bool:
    return states("\n\n".join(documents), answers)


def _read(text: str, task: Task) -> float:
    return answer_f1(fitted().answer(text, task.query or ""), task.answers)


def tables(report: Report, systems: Sequence[System], answers: Sequence[Answer], sample: str) -> None:
    """Answers that stand in the texts and F1 of the reader, at each ratio, means over the sets."""
    counted = [answer for answer in answers if _STATED in answer.scores]
    if not counted:
        return
    rows = [row for system in systems if (row := _row(system.name, counted))]
    whole = {answer.task.id.rpartition("|")[0]: answer.task for answer in counted if _F1 in answer.scores}
    sets: dict[str, list[float]] = {}
    for task in whole.values():
        sets.setdefault(task.set, []).append(_read("\n\n".join(task.documents), task))
    if sets:
        rows.append({"system": "the whole documents", f"{_F1} {RATIOS[0]}": mean_over_sets([*sets.values()])})
    columns = [Column("system")]
    for name, title in ((_STATED, "answer stands"), (_F1, "reader F1")):
        columns += [Column(f"{name} {ratio}", f"{title} {ratio:.0%}", ".3f") for ratio in RATIOS]
    asked = len({answer.task.id.rpartition("|")[0] for answer in counted})
    report.table(f"Answers, {asked} questions with some, mean over the sets; {sample}", columns, rows)
    report.note(
        "An answer stands in a text where its words do, in order (without case, punctuation, articles). The "
        "reader is a small linear model over spans, fitted on the tuned half: no language model."
    )


def _row(system: str, answers: Sequence[Answer]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name in (_STATED, _F1):
        for ratio in RATIOS:
            mine = (a for a in answers if a.system == system and a.task.ratio == ratio and name in a.scores)
            if groups := grouped(mine):
                row[f"{name} {ratio}"] = mean(
                    mean(answer.scores[name] for answer in group) for group in groups.values()
                )
    return {"system": system} | row if row else row
