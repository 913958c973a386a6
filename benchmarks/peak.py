"""Peak memory of this process while something runs."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from pathlib import Path

__all__ = ["peak", "start_of_peak"]


def start_of_peak() -> int:
    """Bytes held now; the peak counts from here on where the system can forget the old one.

    Loading the input has a peak of its own, and a child process takes over the peak of its parent: without
    forgetting it, both would hide what a call needs.
    """
    gc.collect()
    if sys.platform != "linux":
        return peak()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status("VmRSS")


def peak() -> int:
    """The most bytes held so far."""
    if sys.platform == "linux":
        return _status("VmHWM")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _status(key: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(key)
