"""Memory of what lives through many calls grows to its bound and stays there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads Linux's own account")

CALLS = 16_000
CACHE = 4 * 2**20
LARGER = 2  # times what a cache counts is what the process takes
GARBAGE = 32 * 2**20  # that waits for Python's collector, at most, and caches of a fixed size
STEADY = 12 * 2**20  # between half of the calls and all

# Each text is a new one. Prints the resident bytes after the first call, after half of them, and after all.
SCRIPT = """
import json, resource, sys
from tersely.retrieval import ContextualCompressor
from tersely.strategies import ContextChunk, IncrementalCompressor, Manager

door, (calls, cache, parts) = sys.argv[1], map(int, sys.argv[2:])

def text(number):
    return " ".join(f"Report {number} says that k{number}{part} lifts {part} t." for part in range(parts))

def resident():
    with open("/proc/self/statm") as account:
        return int(account.read().split()[1]) * resource.getpagesize()

manager, incremental = Manager(cache_bytes=cache), IncrementalCompressor(cache_bytes=cache)
contextual = ContextualCompressor()
call = {
    "Manager": lambda number: manager.prepare_context([ContextChunk("a", text(number))], "crane 7", 40),
    "IncrementalCompressor": lambda number: incremental.update(f"text {number}", text(number)),
    "ContextualCompressor": lambda number: contextual.compress_sync([text(number)], "crane 7"),
}[door]
call(-1)
seen = [resident()]
for number in range(calls):
    call(number)
    if number + 1 in (calls // 2, calls):
        seen.append(resident())
print(json.dumps(seen))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("door", "cached", "parts"),
    [
        ("Manager", 1.25 * CACHE, 6),
        ("IncrementalCompressor", CACHE, 6),
        ("ContextualCompressor", 32 * 2**20, 24),
    ],
)
def test_memory_stays_within_the_bound_that_the_docstring_says(door: str, cached: float, parts: int) -> None:
    run = [sys.executable, "-c", SCRIPT, door, str(CALLS), str(CACHE), str(parts)]
    out = subprocess.run(run, capture_output=True, text=True, check=True, timeout=600).stdout
    first, half, last = json.loads(out)
    assert last - first < LARGER * cached + GARBAGE
    assert last - half < STEADY
