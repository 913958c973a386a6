"""Does work grow with the input or with its square?

A kernel (`Kernel`, marked growth("kernel")) is measured in instructions, which are the same on every run: a
native program runs it under Valgrind's callgrind. What is called from Python is measured in CPU time of this
process, on texts so large that a quadratic part shows and chance does not. ci/growth.sh runs both.
"""

from __future__ import annotations

import atexit
import functools
import gc
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Input = TypeVar("Input")

COUNTS = "TERSELY_COUNTS"  # names the file that callgrind writes its counts to, plus .1, .2 and so on
COUNTER = "TERSELY_COUNTER"  # the program made from tests/growth/kernels.cpp
LARGEST = 16_000_000  # characters
GROWS = 1.2  # times the work before: below this, what was made did not grow, so nothing is measured
# Times the step from n to 2n for that from 2n to 4n: linear is 2, n log n 2.17, quadratic 4.
MOST_INSTRUCTIONS = 2.2
MOST = 2.5  # of CPU time, which caches and chance change
# Smaller steps say more about what is done once, or about chance, than about growth.
LEAST_INSTRUCTIONS = 2_000_000
LEAST_SECONDS = 0.008


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


def instructions(kernel: Kernel, text: str) -> int:
    """Instructions of the kernel on the text."""
    kernel(text)
    counts = Path(os.environ[COUNTS])
    written = sorted(counts.parent.glob(f"{counts.name}.*"), key=lambda path: int(path.suffix[1:]))
    totals = next(line for line in written[-1].read_text().splitlines() if line.startswith("totals:"))
    for path in written:
        path.unlink()
    return int(totals.split()[1])


def seconds(run: Callable[[Input], object], given: Input) -> float:
    """CPU seconds of run(given) on all threads.

    Without Python's collector, which looks at what all tests before have left.
    """
    gc.disable()
    begun = time.process_time()
    run(given)
    taken = time.process_time() - begun
    gc.enable()
    return taken


def growth(make: Callable[[int], Input], run: Callable[[Input], object], first: int = 1_000) -> float:
    """How work grows (`_growth`); where CPU time seems to grow too fast, the least of three measurements.

    Other processes change a machine's caches and clock between sizes. Quadratic work is steep each time.
    """
    found = _growth(make, run, first)
    for _ in range(0 if isinstance(run, Kernel) else 2):
        if found >= MOST:
            found = min(found, _growth(make, run, first))
    return found


def _growth(make: Callable[[int], Input], run: Callable[[Input], object], first: int) -> float:
    """The step from 2n to 4n characters over the step from n to 2n: 2 is linear, 4 is quadratic.

    What is done once, whatever the size, is in neither step. n is the first power-of-two multiple of `first`
    whose step takes LEAST_INSTRUCTIONS or LEAST_SECONDS. Where the quotient is too large, or the work does
    not grow, the next doublings are tried, until three were too steep or three too flat to say anything: a
    table that is built anew, or a second try to meet a budget, makes one step larger, a quadratic algorithm
    makes all of them steep. So a step is compared with each one before it, and the quotient is that of one
    doubling on the way from there. Nothing is compared with a step below the first: quadratic work has none.
    """
    run(make(first))  # caches are filled and modules loaded
    counted = isinstance(run, Kernel)
    enough, most = (LEAST_INSTRUCTIONS, MOST_INSTRUCTIONS) if counted else (LEAST_SECONDS, MOST)

    def cost(size: int) -> float:
        if isinstance(run, Kernel):
            return instructions(run, make(size))
        return min(seconds(run, make(size)) for _ in range(2))

    size = first
    costs = [cost(size), cost(2 * size)]
    while costs[1] - costs[0] < enough and size < LARGEST:
        size *= 2
        costs = [costs[1], cost(2 * size)]
    grows = costs[1] - costs[0] >= enough or costs[1] > GROWS * costs[0]
    assert grows, f"no more work from {size} characters to {2 * size}"
    steps = [costs[1] - costs[0]]
    quotients: list[float] = []
    flat = 0
    while len(quotients) < 3 and flat < 3 and size < 8 * LARGEST and not (quotients and quotients[-1] < most):
        size *= 2
        costs = [costs[1], cost(2 * size)]
        steps.append(costs[1] - costs[0])
        if costs[1] > GROWS * costs[0]:
            before = [(step, n) for n, step in enumerate(steps[:-1]) if step >= steps[0]]
            quotients.append(min((steps[-1] / step) ** (1 / (len(steps) - 1 - n)) for step, n in before))
        else:
            flat += 1
    assert quotients, f"no more work from {size} characters to {2 * size}"
    return min(quotients)
