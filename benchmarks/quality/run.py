"""The systems in turn on each task: what each kept, how many tokens it used, how long it took."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import tokens
from benchmarks.progress import Progress
from benchmarks.quality.cache import Cache, Kept
from benchmarks.quality.once import Ledger
from benchmarks.quality.systems import System
from benchmarks.quality.tasks import ENCODING, Task
from benchmarks.report import one_line

__all__ = ["Answer", "Attempt", "Runner", "attempt"]

Score = Callable[[str, Task], dict[str, float]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one system made of one task."""

    system: str
    task: Task
    scores: dict[str, float]  #: by name, 0 to 1; an empty text's where the system failed
    used: int  #: tokens of the text
    ms: float  #: CPU milliseconds
    failure: str  #: what the system raised, on one line; "" where it did not
    kept_before: bool  #: taken from the cache, time and all

    @property
    def failed(self) -> bool:
        """Whether the system raised."""
        return bool(self.failure)

    @property
    def over(self) -> bool:
        """Over the budget."""
        return self.used > self.task.budget

    def row(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "system": self.system,
            "task": self.task.id,
            "budget": self.task.budget,
            "used": self.used,
            "cpu_ms": round(self.ms, 3),
            **{name: round(value, 6) for name, value in self.scores.items()},
            **({"failed": self.failure} if self.failed else {}),
        }


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the systems that can run here."""

    systems: list[System]
    ledger: Ledger  #: where the systems say what they owe for work done earlier
    cache: Cache | None
    outputs: Path | None  #: folder for tasks.jsonl and the texts, NAME.jsonl; None for none
    encoding: str = ENCODING  #: of the budgets of the tasks

    def answers(self, tasks: Sequence[Task], score: Score, label: str) -> list[Answer]:
        """Each system in turn on each task, so that a slow minute of the machine meets them all."""
        present = [system for system in self.systems if system.run is not None]
        done: list[Answer] = []
        with Progress(label, len(tasks) * len(present)) as progress:
            for task in tasks:
                self._write("tasks", asdict(task))
                for system in present:
                    progress.step(system.name)
                    done.append(self._answer(system, task, score))
        return done

    def _answer(self, system: System, task: Task, score: Score) -> Answer:
        kept = self.cache.get(system.key, system.version, task) if self.cache and system.version else None
        known = kept is not None
        failure = "" if kept is None or kept.text is not None else "in an earlier run"
        if kept is None:
            tried = attempt(system, task, self.ledger)
            kept, failure = Kept(tried.text, tried.ms), tried.failure
            if self.cache and system.version:
                self.cache.put(system.key, system.version, task, kept)
        text = kept.text or ""
        self._write(system.key, {"id": task.id, "text": text, "ms": kept.ms})
        used = tokens.count(text, self.encoding)
        return Answer(system.name, task, score(text, task), used, kept.ms, failure, known)

    def _write(self, name: str, entry: dict[str, Any]) -> None:
        if self.outputs is not None:
            with (self.outputs / f"{name}.jsonl").open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(entry, ensure_ascii=False) + "\n")


class Attempt(NamedTuple):
    """A call of a system: its text, CPU ms, and what it raised on one line."""

    text: str | None
    ms: float
    failure: str


def attempt(system: System, task: Task, ledger: Ledger) -> Attempt:
    """Call a system on a task and check its answer; raises only where it is tersely that raised."""
    assert system.run is not None
    ledger.settle()
    begin = time.process_time()
    try:
        answer, failure = system.run(task), ""
    except Exception as error:
        if system.ours:
            raise
        answer, failure = None, one_line(error)
    ms = (time.process_time() - begin) * 1e3 + ledger.settle()
    if failure:
        return Attempt(None, ms, failure)
    system.check(answer, task.budget)
    return Attempt(system.text(answer), ms, "")
