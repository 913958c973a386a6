"""Arguments of the kernels, checked and in the form the native side takes."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.threads import default_threads

__all__ = [
    "Float64s",
    "Progress",
    "to_count",
    "to_matrix",
    "to_numbers",
    "to_progress",
    "to_threads",
    "to_threshold",
]

Float64s = npt.NDArray[np.float64]
Progress = Callable[[float], object]


def to_matrix(values: npt.ArrayLike, name: str) -> npt.NDArray[np.floating[Any]]:
    """(rows, columns) of float16, float32 or float64 in native byte order; other numbers as float64."""
    array = np.asarray(values)
    if array.ndim != 2:
        raise ValueError(f"{name} must be 2D (rows, columns), not {array.ndim}D")
    if len(array) >= 2**31:
        raise ValueError(f"{name} must have less than 2^31 rows, not {len(array)}")
    if array.shape[1] > 2**20:
        raise ValueError(f"{name} must have at most 2^20 columns, not {array.shape[1]}")
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    if array.dtype.kind != "f" or array.dtype.itemsize not in (2, 4, 8):
        raise TypeError(f"{name} must be float16, float32 or float64, not {array.dtype}")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def to_threshold(threshold: float) -> float:
    """A cosine in [-1, 1]."""
    if isinstance(threshold, bool) or not isinstance(threshold, Real):
        raise TypeError(f"threshold must be a number, not {threshold!r}")
    if not -1 <= float(threshold) <= 1:
        raise ValueError(f"threshold must lie in [-1, 1], not {threshold}")
    return float(threshold)


def to_numbers(
    values: npt.ArrayLike | None, name: str, count: int | None = None, least: float | None = None
) -> Float64s:
    """float64[count] of finite numbers, none below `least`."""
    try:
        numbers = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numbers: {error}") from error
    shape = (len(numbers) if count is None else count,)
    if numbers.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite: number {np.flatnonzero(~np.isfinite(numbers))[0]} is not")
    if least is not None and numbers.size and numbers.min() < least:
        raise ValueError(f"{name} must be at least {least:g}, not {numbers.min():g}")
    return numbers


def to_count(value: int, name: str, least: int = 0) -> int:
    """A whole number from `least`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < least:
        raise ValueError(f"{name} must be a whole number from {least}, not {value}")
    return min(value.__index__(), 2**62)


def to_threads(threads: int | None) -> int:
    """How many threads to use; the default where None is asked for."""
    return default_threads() if threads is None else min(to_count(threads, "threads", least=1), 1024)


def to_progress(progress: Progress | None) -> Progress | None:
    """A callable or None."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable, not {type(progress).__name__}")
    return progress
