"""Choose the next job, and record how one ended: the same here and on a cluster.

A job whose worker dies is done again; the third time the run ends.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from tersely.scale.jobs import Job
from tersely.scale.merging import STAGES
from tersely.scale.options import DedupOptions
from tersely.scale.workspace import Totals, Workspace, shuffle_path

_DEATHS = 3  # of the workers of a job


@dataclass(slots=True)
class Schedule:
    """The jobs of a plan, stage by stage: those of STAGES, or the parts alone where rows are compressed.

    Not safe for several threads at once: whoever asks holds a lock. `units`: whose parts are wanted. `done`
    hears of each part with its totals, `progress` of each job's stage and the share of all stages that is
    done.
    """

    space: Workspace
    units: Collection[int]
    done: Callable[[int, Totals], object]
    progress: Callable[[str, float], object]
    _todo: deque[Job] = field(init=False, default_factory=deque)
    _deaths: Counter[tuple[str, int]] = field(init=False, default_factory=Counter)
    _running: int = field(init=False, default=0)
    _left: deque[str] = field(init=False)
    _at: list[str] = field(init=False, default_factory=list)  # stages whose jobs are being done
    _jobs: int = field(init=False, default=0)  # that they had

    def __post_init__(self) -> None:
        self._left = deque(STAGES if self._merges else ["part"])
        if not self.units:
            self._left.clear()
        self._advance()

    @property
    def _merges(self) -> bool:
        return isinstance(self.space.plan.options, DedupOptions)

    @property
    def finished(self) -> bool:
        """Whether no job is left and none runs."""
        return not self._todo and not self._running and not self._left

    @property
    def jobs(self) -> int:
        """How many jobs there may be at once: a partition a job, or a unit."""
        return max(len(self.units), STAGES["match"].jobs(self.space) if self._merges else 0)

    def next(self) -> Job | None:
        """A job to begin; None where there is none now."""
        if not self._todo:
            return None
        self._running += 1
        return self._todo.popleft()

    def ended(self, job: Job, totals: Totals) -> None:
        """Take note of a job that is done."""
        self._running -= 1
        if job["stage"] == "part":
            self.done(job["number"], totals)
        self._advance()

    def died(self, job: Job) -> None:
        """Take note of a job whose worker died. Raises RuntimeError at the third time."""
        self._running -= 1
        key = job["stage"], job["number"]
        self._deaths[key] += 1
        if self._deaths[key] >= _DEATHS:
            raise RuntimeError(f"workers die in job {key[1]} of the stage {key[0]!r} of {self.space.out}")
        self._todo.append(job)

    def _advance(self) -> None:
        """Ask for the jobs of the next stages, if nothing is left of the ones before."""
        while self._left and not self._todo and not self._running:
            self._at = [self._left.popleft()]
            while self._left and not STAGES[self._left[0]].after:
                self._at.append(self._left.popleft())
            for name in self._at:
                self._todo.extend(Job(stage=name, number=number) for number in self._missing(name))
            self._jobs = len(self._todo)
        open_jobs = len(self._todo) + self._running
        share = len(self._at) * (open_jobs / self._jobs if self._jobs else 0)
        self.progress(self._at[0] if self._at else "part", 1 - (len(self._left) + share) / len(STAGES))

    def _missing(self, name: str) -> list[int]:
        if name == "part":
            return list(self.units)
        stage = STAGES[name]
        numbers = range(stage.jobs(self.space))
        return [n for n in numbers if not shuffle_path(self.space, stage.writes, n).exists()]
