"""Does work grow with the input or with its square? In instructions, which are the same on every run.

Only Valgrind's callgrind counts them. A kernel is run by a native program under it (`Kernel`, marked
growth("kernel")), beside a Python that is not; only where the Python of a door may grow does the interpreter
run under it. ci/growth.sh does both.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import gc
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Input = TypeVar("Input")

COUNTS = "TERSELY_COUNTS"  # names the file that callgrind writes its counts to, plus .1, .2 and so on
COUNTER = "TERSELY_COUNTER"  # what was compiled of tests/growth: kernels.cpp, or count.cpp for a Python
LEAST = 2_000_000  # instructions: smaller steps say more about what is done once than about growth
LARGEST = 16_000_000  # characters
GROWS = 1.2  # a quotient below this: what was made did not grow, so nothing is measured
MOST = 2.2  # times the step from n to 2n for that from 2n to 4n: linear is 2, n log n 2.17, quadratic 4


@dataclass(frozen=True)
class Kernel:
    """A kernel by the name that it has in tests/growth/kernels.cpp."""

    name: str

    def __call__(self, text: str) -> None:
        """Run it, and dump its instructions."""
        given = text.encode()
        program = _kernels()
        assert program.stdin is not None and program.stdout is not None
        program.stdin.write(b"%s %d\n%s" % (self.name.encode(), len(given), given))
        program.stdin.flush()
        assert program.stdout.readline() == b"done\n", f"{self.name} failed"


@functools.cache
def _kernels() -> subprocess.Popen[bytes]:
    command = ["valgrind", "-q", "--tool=callgrind", "--dump-line=no"]
    command += [f"--callgrind-out-file={os.environ[COUNTS]}", os.environ[COUNTER]]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(program.communicate)
    return program


def instructions(run: Callable[[Input], object], given: Input) -> int:
    """Instructions of run(given): of a `Kernel` in its program, else in this process, on all of its threads.

    Without Python's collector, which looks at what all tests before have left.
    """
    if isinstance(run, Kernel):
        run(given)
    else:
        counter = ctypes.CDLL(os.environ[COUNTER])
        gc.disable()
        counter.begin()
        run(given)
        counter.end()
        gc.enable()
    counts = Path(os.environ[COUNTS])
    written = sorted(counts.parent.glob(f"{counts.name}.*"), key=lambda path: int(path.suffix[1:]))
    totals = next(line for line in written[-1].read_text().splitlines() if line.startswith("totals:"))
    for path in written:
        path.unlink()
    return int(totals.split()[1])


def growth(make: Callable[[int], Input], run: Callable[[Input], object], first: int = 1_000) -> float:
    """The step from 2n to 4n characters over the step from n to 2n: 2 is linear, 4 is quadratic.

    What is done once, whatever the size, is in neither step. n is the first power-of-two multiple of `first`
    whose step takes LEAST instructions. Where the quotient is not between GROWS and MOST, the next doublings
    are tried, until three were too steep or three too flat to say anything: a table that is built anew, or a
    second try to meet a budget, makes one step larger, a quadratic algorithm makes all of them steep. Nothing
    is compared with a step below the first: quadratic work has none.
    """
    run(make(first))  # caches are filled and modules loaded
    size = first
    costs = [instructions(run, make(size)), instructions(run, make(2 * size))]
    while costs[1] - costs[0] < LEAST and size < LARGEST:
        size *= 2
        costs = [costs[1], instructions(run, make(2 * size))]
    grows = costs[1] - costs[0] >= LEAST or costs[1] > GROWS * costs[0]
    assert grows, f"no more work from {size} characters to {2 * size}"
    quotients: list[float] = []
    flat = 0
    least = costs[1] - costs[0]
    while len(quotients) < 3 and flat < 3 and size < 8 * LARGEST and not (quotients and quotients[-1] < MOST):
        size *= 2
        costs = [*costs[-2:], instructions(run, make(2 * size))]
        if costs[-2] - costs[-3] >= least:
            quotient = (costs[-1] - costs[-2]) / max(costs[-2] - costs[-3], 1)
            if quotient > GROWS:
                quotients.append(quotient)
            else:
                flat += 1
    assert quotients, f"no more work from {size} characters to {2 * size}"
    return min(quotients)
