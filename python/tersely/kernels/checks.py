"""Check arrays that callers pass in; sets of rows that pairs hold together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import _native, checks
from tersely.threads import default_threads
from tersely.types import Int32s

Rows = npt.NDArray[np.signedinteger[Any]]


def united(size: int, i: Rows, j: Rows) -> Int32s:
    """int32[size]: the lowest row that each hangs together with, through pairs (i, j) of rows.

    O(size + pairs), near enough.
    """
    parent = np.arange(size, dtype=np.int32)
    _native.unite(parent, i.astype(np.int32), j.astype(np.int32))
    return roots(parent)


def roots(parent: Int32s) -> Int32s:
    """Find the root of each row (int32[n]); a parent is never above its row."""
    while not np.array_equal(parent, above := parent[parent]):
        parent = above
    return parent


Float64s = npt.NDArray[np.float64]
Progress = Callable[[float], object]


def to_matrix(values: npt.ArrayLike, name: str) -> npt.NDArray[np.floating[Any]]:
    """Return (rows, columns) of float16, float32 or float64 in native byte order; other numbers as float64.

    Raises ValueError for another number of dimensions or too many rows or columns, TypeError for other types.
    """
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


def to_numbers(
    values: npt.ArrayLike | None, name: str, count: int | None = None, least: float | None = None
) -> Float64s:
    """Return float64[count] of finite numbers, none below `least`. Raises ValueError or TypeError."""
    numbers = np.ascontiguousarray(checks.numbers(values, name))
    shape = (len(numbers) if count is None else count,)
    if numbers.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite: number {np.flatnonzero(~np.isfinite(numbers))[0]} is not")
    if least is not None and numbers.size and numbers.min() < least:
        raise ValueError(f"{name} must be at least {least:g}, not {numbers.min():g}")
    return numbers


def to_threads(threads: int | None) -> int:
    """Return how many threads to use, at most 1,024: those asked for, or the default for None."""
    return min(checks.threads(threads) or default_threads(), 1024)
