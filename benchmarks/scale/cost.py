"""What a run costs: CPU of this process and of those that it started, and wall time."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

__all__ = ["cost"]


def cost(run: Callable[[], object]) -> dict[str, float]:
    """Seconds of CPU, here and in the processes that have ended, and of wall time."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    own = time.process_time()
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    others = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": time.process_time() - own + others, "wall": time.perf_counter() - begun}
