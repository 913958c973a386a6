"""Does work grow with the input or with its square? In CPU time, so that other processes do not count."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")

LEAST = 0.02  # seconds: less is noise
CLOCK = 1e-3  # seconds: no time is counted as less, for ticks of a clock may all fall to others
LARGEST = 64_000_000  # characters
MOST = 8  # times the time for four times the input: linear is 4, quadratic 16


def user_seconds() -> float:
    """CPU time of this process so far, without what the kernel does for it (handing out memory)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def cpu_seconds(run: Callable[[Input], object], given: Input, rounds: int = 3) -> float:
    """The least CPU time of several rounds."""
    times = []
    for _ in range(rounds):
        start = user_seconds()
        run(given)
        times.append(user_seconds() - start)
    return max(min(times), CLOCK)


def size_that_takes_time(
    make: Callable[[int], Input], run: Callable[[Input], object], least: float, first: int = 4_000
) -> int:
    """The first power-of-two multiple of `first` whose text takes `least` seconds."""
    size = first
    while size < LARGEST and cpu_seconds(run, make(size), rounds=1) < least:
        size *= 2
    return size


def growth(make: Callable[[int], Input], run: Callable[[Input], object], least: float = LEAST) -> float:
    """Time of four times the input over the time of the input: 4 is linear, 16 is quadratic.

    Where that is MOST or more, twice the input is tried, then four times: memory that no longer fits
    a cache makes one step steeper, a quadratic algorithm makes all of them steep.
    """
    size = size_that_takes_time(make, run, least)
    steps = []
    for factor in (1, 2, 4):
        small, large = make(factor * size), make(4 * factor * size)
        steps.append(cpu_seconds(run, large) / cpu_seconds(run, small))
        if steps[-1] < MOST:
            break
    return min(steps)
