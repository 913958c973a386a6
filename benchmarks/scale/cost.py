"""What a run costs: CPU of this process and of those that it started, and wall time."""

from __future__ import annotations

import contextlib
import os
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["cost", "cost_with"]

_LOOKS = 0.2  # seconds between looks at processes of others: what one does after its last is missed


def cost(run: Callable[[], object]) -> dict[str, float]:
    """Seconds of CPU, here and in the processes that have ended, and of wall time."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    own = time.process_time()
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    others = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": time.process_time() - own + others, "wall": time.perf_counter() - begun}


def cost_with(run: Callable[[], object], name: bytes) -> dict[str, float]:
    """As `cost`, with the CPU of processes of others: those with `name` in their command line."""
    before, spent = _cpu_by_process(name), dict[int, float]()
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_LOOKS):
            spent.update(_cpu_by_process(name))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        row = cost(run)
    finally:
        spent.update(_cpu_by_process(name))
        done.set()
        watcher.join()
    others = sum(seconds - before.get(process, 0.0) for process, seconds in spent.items())
    return row | {"cpu": row["cpu"] + others}


def _cpu_by_process(name: bytes) -> dict[int, float]:
    """Seconds of CPU so far of each running process with `name` in its command line."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            if name in (folder / "cmdline").read_bytes():
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                found[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found
