"""Choose the next job, and record how one ended: the same here and on a cluster.

A unit whose worker dies is done again; the third time its rows are compressed one by one, and the row that is
being compressed is noted. A row at which three workers died gets an error.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from tersely.scale.merging import STAGES
from tersely.scale.workspace import Totals, Workspace, shuffle_path

_DEATHS = 3  # of a unit until its rows are done one by one, of one row until it is taken for deadly


@dataclass(slots=True)
class Jobs:
    """The open jobs of a plan, and the outcomes of those that ended.

    Not safe for several threads at once: whoever asks holds a lock. `units`: whose parts are wanted. `done`
    hears of each part with its totals.
    """

    space: Workspace
    units: Collection[int]
    done: Callable[[int, Totals], object]
    _todo: deque[dict[str, Any]] = field(init=False, default_factory=deque)
    _deaths: Counter[Any] = field(init=False, default_factory=Counter)
    _running: int = field(init=False, default=0)

    @property
    def finished(self) -> bool:
        """Whether no job is left and none runs."""
        return not self._todo and not self._running

    def next(self) -> dict[str, Any] | None:
        """A job to begin; None where there is none now."""
        if not self._todo:
            return None
        self._running += 1
        return self._todo.popleft()

    def _died(self, key: Any) -> bool:
        """Take note that the worker of a job died; whether it is time for something else than another try."""
        self._running -= 1
        self._deaths[key] += 1
        return self._deaths[key] >= _DEATHS


@dataclass(slots=True)
class Schedule(Jobs):
    """The jobs of a plan whose units need nothing of each other."""

    def __post_init__(self) -> None:
        self._todo.extend({"unit": unit} for unit in self.units)

    @property
    def jobs(self) -> int:
        """How many jobs could be begun now."""
        return len(self._todo)

    def ended(self, job: dict[str, Any], totals: Totals) -> None:
        """Take note of a job that is done."""
        self._running -= 1
        self.done(job["unit"], totals)

    def died(self, job: dict[str, Any]) -> None:
        """Take note of a job whose worker died. Raises RuntimeError where it was at no row."""
        unit, deadly = job["unit"], job.get("deadly")
        row = None if deadly is None else self.space.noted_row(unit)
        if self._died((unit, deadly is None, row)):
            if deadly is not None and row is None:
                raise RuntimeError(f"workers die while they read unit {unit} of {self.space.out}")
            job = {"unit": unit, "deadly": [] if deadly is None else [*deadly, row]}
        self._todo.append(job)


@dataclass(slots=True)
class Stages(Jobs):
    """The jobs of a plan, stage by stage.

    `progress` is called for each job with its stage and the share of all stages that is done.
    """

    progress: Callable[[str, float], object] = lambda *_: None
    _left: deque[str] = field(init=False, default_factory=lambda: deque(STAGES))
    _at: list[str] = field(init=False, default_factory=list)  # stages whose jobs are being done
    _jobs: int = field(init=False, default=0)  # that they had

    def __post_init__(self) -> None:
        if not self.units:
            self._left.clear()
        self._advance()

    @property
    def finished(self) -> bool:
        """Whether no stage is left, either."""
        return not self._todo and not self._running and not self._left

    @property
    def jobs(self) -> int:
        """How many jobs there may be at once: a partition a job, or a unit."""
        return max(len(self.units), STAGES["match"].jobs(self.space))

    def ended(self, job: dict[str, Any], totals: Totals) -> None:
        """Take note of a job that is done."""
        self._running -= 1
        if job["stage"] == "part":
            self.done(job["number"], totals)
        self._advance()

    def died(self, job: dict[str, Any]) -> None:
        """Take note of a job whose worker died. Raises RuntimeError at the third time."""
        key = job["stage"], job["number"]
        if self._died(key):
            raise RuntimeError(f"workers die in job {key[1]} of the stage {key[0]!r} of {self.space.out}")
        self._todo.append(job)

    def _advance(self) -> None:
        """Ask for the jobs of the next stages, if nothing is left of the ones before."""
        while self._left and not self._todo and not self._running:
            self._at = [self._left.popleft()]
            while self._left and not STAGES[self._left[0]].after:
                self._at.append(self._left.popleft())
            for name in self._at:
                self._todo.extend({"stage": name, "number": number} for number in self._missing(name))
            self._jobs = len(self._todo)
        self._report()

    def _report(self) -> None:
        open_jobs = len(self._todo) + self._running
        share = len(self._at) * (open_jobs / self._jobs if self._jobs else 0)
        self.progress(self._at[0] if self._at else "part", 1 - (len(self._left) + share) / len(STAGES))

    def _missing(self, name: str) -> list[int]:
        if name == "part":
            return list(self.units)
        stage = STAGES[name]
        numbers = range(stage.jobs(self.space))
        return [n for n in numbers if not shuffle_path(self.space, stage.writes, n).exists()]
