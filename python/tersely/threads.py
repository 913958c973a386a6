"""How many threads to use when the caller does not say."""

from __future__ import annotations

import os

__all__ = ["default_threads"]


def default_threads() -> int:
    """OMP_NUM_THREADS where it is a positive number, else the CPUs this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
