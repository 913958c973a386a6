"""Arguments of the kernels, checked and in the form the native side takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.threads import default_threads

__all__ = ["Progress", "to_matrix", "to_progress", "to_threads", "to_threshold"]

Progress = Callable[[float], object]


def to_matrix(values: npt.ArrayLike, name: str) -> npt.NDArray[np.floating[Any]]:
    """(rows, columns) of float16, float32 or float64 in native byte order; other numbers as float64."""
    array = np.asarray(values)
    if array.ndim != 2:
        raise ValueError(f"{name} must be 2D (rows, columns), not {array.ndim}D")
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    if array.dtype not in (np.float16, np.float32, np.float64):
        raise TypeError(f"{name} must be float16, float32 or float64, not {array.dtype}")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def to_threshold(threshold: float) -> float:
    """A cosine in [-1, 1]."""
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float, np.floating)):
        raise TypeError(f"threshold must be a number, not {threshold!r}")
    if not -1 <= threshold <= 1:
        raise ValueError(f"threshold must lie in [-1, 1], not {threshold}")
    return float(threshold)


def to_threads(threads: int | None) -> int:
    """How many threads to use; the default where None is asked for."""
    if threads is None:
        return default_threads()
    if isinstance(threads, bool) or not hasattr(threads, "__index__") or threads < 1:
        raise ValueError(f"threads must be a whole number from 1, not {threads!r}")
    return min(int(threads), 1024)


def to_progress(progress: Progress | None) -> Progress | None:
    """A callable or None."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable, not {type(progress).__name__}")
    return progress
