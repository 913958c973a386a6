"""Choose the next job, and record how one ended: the same here and on a cluster.

A unit whose worker dies is done again; the third time it is halved, and so are its halves, until the row is
found that kills. That row gets an error, and the part is joined from the stretches between such rows.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tersely.files import temporary
from tersely.scale.merging import STAGES
from tersely.scale.workspace import Totals, Workspace, part_name, shuffle_path

_DEATHS = 3  # of a unit until it is halved, of one row until it is taken for deadly


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
        job = self._todo.popleft()
        if "rows" in job:
            job["to"] = temporary(self.space.out / part_name(job["unit"])).name
        return job

    def _died(self, key: Any) -> bool:
        """Take note that the worker of a job died; whether it is time for something else than another try."""
        self._running -= 1
        self._deaths[key] += 1
        return self._deaths[key] >= _DEATHS


@dataclass(slots=True)
class _Stretch:
    """Rows of a unit that are done by themselves: not yet (`name` None), into a file, or never (`deadly`)."""

    start: int
    stop: int
    deaths: int = 0
    name: str | None = None
    deadly: bool = False


@dataclass(slots=True)
class _HalvedUnit:
    """A unit in stretches, and whether they are being joined."""

    stretches: list[_Stretch]
    joining: bool = False


@dataclass(slots=True)
class Schedule(Jobs):
    """The jobs of a plan whose units need nothing of each other."""

    _halved: dict[int, _HalvedUnit] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._todo.extend({"unit": unit} for unit in self.units)

    @property
    def jobs(self) -> int:
        """How many jobs could be begun now."""
        return len(self._todo)

    def ended(self, job: dict[str, Any], totals: Totals) -> None:
        """Take note of a job that is done."""
        self._running -= 1
        unit = job["unit"]
        if "rows" not in job:
            self._forget(unit)
            self.done(unit, totals)
            return
        stretch = self._stretch(job)
        stretch.name = job["to"]
        self._join(unit)

    def died(self, job: dict[str, Any]) -> None:
        """Take note of a job whose worker died. Raises RuntimeError where halving cannot help."""
        unit = job["unit"]
        if "rows" in job:
            self._running -= 1
            self._stretch_died(job)
            return
        if not self._died(unit):
            self._todo.append(job)
            return
        if "join" in job:
            raise RuntimeError(f"workers die while they read unit {unit} of {self.space.out}")
        self._deaths[unit] = 0
        self._halved[unit] = _HalvedUnit([])
        self._split(unit, 0, self.space.count_rows(unit))
        self._join(unit)

    def _stretch(self, job: dict[str, Any]) -> _Stretch:
        start, stop = job["rows"]
        stretches = self._halved[job["unit"]].stretches
        return next(one for one in stretches if (one.start, one.stop) == (start, stop))

    def _stretch_died(self, job: dict[str, Any]) -> None:
        """Halve a stretch; or try a row again, until it is taken for deadly."""
        unit = job["unit"]
        stretch = self._stretch(job)
        (self.space.out / job["to"]).unlink(missing_ok=True)
        stretch.deaths += 1
        if stretch.stop - stretch.start > 1:
            self._halved[unit].stretches.remove(stretch)
            self._split(unit, stretch.start, stretch.stop)
        elif stretch.deaths < _DEATHS:
            self._todo.append(job)
        else:
            stretch.deadly = True
            self._join(unit)

    def _split(self, unit: int, start: int, stop: int) -> None:
        for low, high in pairwise((start, (start + stop) // 2, stop)):
            if low < high:
                self._halved[unit].stretches.append(_Stretch(low, high))
                self._todo.append({"unit": unit, "rows": [low, high]})

    def _join(self, unit: int) -> None:
        """Ask for the part of a unit whose stretches are all done."""
        halved = self._halved[unit]
        if halved.joining or any(one.name is None and not one.deadly for one in halved.stretches):
            return
        halved.joining = True
        ordered = sorted(halved.stretches, key=lambda one: one.start)
        self._todo.append({"unit": unit, "join": [[one.start, one.stop, one.name] for one in ordered]})

    def _forget(self, unit: int) -> None:
        """Remove the stretches of a unit whose part is there."""
        halved = self._halved.pop(unit, None)
        for stretch in halved.stretches if halved is not None else ():
            if stretch.name is not None:
                (self.space.out / stretch.name).unlink(missing_ok=True)


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
