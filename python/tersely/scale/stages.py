"""Say which job of `dedup_dataset` is next: a stage begins when those that it needs are done."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from tersely.scale.merging import STAGES
from tersely.scale.parts import Totals
from tersely.scale.shuffle import shuffle_path
from tersely.scale.workspace import Workspace

__all__ = ["Stages"]

_DEATHS = 3  # of a job until no more is tried


@dataclass(slots=True)
class Stages:
    """Jobs that are to be done for a plan, stage by stage, and what has come of those that ended.

    Looks like a `Schedule` to those that run it. `units`: whose parts are wanted. `backwards`: each stage
    from its end, as a second runner does. `done` is called with each part and its totals, `progress` for
    each job with its stage and the share of all stages that is done.
    """

    space: Workspace
    units: Collection[int]
    done: Callable[[int, Totals], object]
    progress: Callable[[str, float], object] = lambda *_: None
    backwards: bool = False
    _todo: deque[dict[str, Any]] = field(init=False, default_factory=deque)
    _left: deque[str] = field(init=False, default_factory=lambda: deque(STAGES))
    _deaths: dict[tuple[str, int], int] = field(init=False, default_factory=dict)
    _running: int = field(init=False, default=0)
    _at: list[str] = field(init=False, default_factory=list)  # stages whose jobs are being done
    _jobs: int = field(init=False, default=0)  # that they had

    def __post_init__(self) -> None:
        """Begin with the first stage that has something to do."""
        if not self.units:
            self._left.clear()
        self._advance()

    @property
    def finished(self) -> bool:
        """Whether no job is left and none runs."""
        return not self._todo and not self._running and not self._left

    def next(self) -> dict[str, Any] | None:
        """A job to begin; None where there is none now."""
        if not self._todo:
            return None
        self._running += 1
        return self._todo.popleft()

    def ended(self, job: dict[str, Any], totals: Totals) -> None:
        """Take note of a job that is done."""
        self._running -= 1
        if job["stage"] == "part":
            self.done(job["number"], totals)
        self._advance()

    def died(self, job: dict[str, Any]) -> None:
        """Take note of a job whose worker died. Raises RuntimeError at the third time."""
        self._running -= 1
        key = job["stage"], job["number"]
        deaths = self._deaths[key] = self._deaths.get(key, 0) + 1
        if deaths == _DEATHS:
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
            missing = list(self.units)
        else:
            stage = STAGES[name]
            numbers = range(stage.jobs(self.space))
            missing = [n for n in numbers if not shuffle_path(self.space, stage.writes, n).exists()]
        return missing[::-1] if self.backwards else missing
