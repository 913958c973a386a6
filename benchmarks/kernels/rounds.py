"""Timing: the systems in turn, on so many threads, and what they return checked each time."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.kernels.pairs import installed

__all__ = ["Times", "interleaved", "pin"]


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of one system, a round each."""

    walls: list[float]
    cpus: list[float]

    @property
    def wall(self) -> float:
        return median(self.walls)

    @property
    def cpu(self) -> float:
        return median(self.cpus)

    def row(self) -> dict[str, Any]:
        """Milliseconds, for a table."""
        return {
            "wall": self.wall * 1e3,
            "wall_min": min(self.walls) * 1e3,
            "cpu": self.cpu * 1e3,
            "cpu_min": min(self.cpus) * 1e3,
        }


def pin(threads: int) -> None:
    """Every library that this process has loaded to so many threads; one loaded later may undo it.

    One that is pinned by the arguments of its calls (tersely, usearch, numkong) is not meant here.
    """
    if installed("torch"):
        importlib.import_module("torch").set_num_threads(threads)
    if installed("faiss"):
        importlib.import_module("faiss").omp_set_num_threads(threads)
    threadpool_limits(threads)


def interleaved(
    calls: dict[str, Callable[[], Any]],
    rounds: int,
    check: Callable[[str, Any], None],
    *,
    threads: int = 1,
    warm: bool = True,
) -> dict[str, Times]:
    """One call of each system, again and again, so that a slow minute of the machine meets all of them."""
    times: dict[str, Times] = {name: Times([], []) for name in calls}
    for turn in range(-1 if warm else 0, rounds):
        if turn <= 0:
            pin(threads)  # again: the first calls may have loaded more
        for name, call in calls.items():
            wall, cpu = time.perf_counter(), time.process_time()
            answer = call()
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            check(name, answer)
            if turn >= 0:  # the round before the first warms up
                times[name].walls.append(wall)
                times[name].cpus.append(cpu)
    return times
