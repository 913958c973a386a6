"""Write a table of token vectors, in the format of tersely.models.static: rows in 4 bits."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tersely.files import renamed
from tersely.models.static import DTYPES
from tersely.types import Float32s, UInt8s

MOST_META = 1 << 20  # bytes
_STEPS = np.linspace(0.55, 1.05, 26, dtype=np.float32) / np.float32(7.5)  # shares of a row's largest value
_TINY = 2.0**-50  # rows of smaller values are coded as zeros: a table takes scales from 2^-64 on
_ROWS_AT_ONCE = 1024


def save(
    path: str | os.PathLike[str],
    words: Sequence[str],
    rows: UInt8s,
    scales: Float32s,
    meta: Mapping[str, Any],
) -> None:
    """Write a table; the same arguments give the same bytes. `meta` must be JSON and have a `name`.

    The file appears whole or not at all. Raises ValueError for arrays that do not fit together.
    """
    if not isinstance(meta.get("name"), str):
        raise ValueError("meta must have a 'name', a str")
    if any("\n" in word for word in words):
        raise ValueError("words must not contain line feeds")
    arrays: dict[str, npt.NDArray[Any]] = {
        "words": np.frombuffer("\n".join(words).encode(), np.uint8),
        "rows": np.ascontiguousarray(rows),
        "scales": np.ascontiguousarray(scales),
        "meta": np.frombuffer(json.dumps(dict(meta), ensure_ascii=False, sort_keys=True).encode(), np.uint8),
    }
    _check(arrays)
    if not len(words) == len(arrays["rows"]) == len(arrays["scales"]):
        counts = f"{len(words)} words, {len(rows)} rows and {len(scales)} scales"
        raise ValueError(f"each word must have a row and a scale; there are {counts}")
    with renamed(Path(path)) as fresh, fresh.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # its own options are not among them


def _check(arrays: Mapping[str, Any]) -> None:
    for name, (dtype, dimensions) in DTYPES.items():
        array = arrays[name]
        if array.dtype != dtype or array.ndim != dimensions:
            wanted = f"{np.dtype(dtype)} with {dimensions} dimension(s)"
            raise ValueError(f"{name} must be {wanted}, not {array.dtype} with {array.ndim}")
    if arrays["meta"].size > MOST_META:
        raise ValueError(f"meta has {arrays['meta'].size} bytes; at most {MOST_META} are allowed")


def quantize(vectors: npt.NDArray[np.floating[Any]]) -> tuple[UInt8s, Float32s]:
    """Code the rows of a matrix (n, d), d even, in 4 bits: rows uint8 (n, d / 2), scales float32 (n,).

    The scale of a row is, of a grid, the one with the least squared error, then fitted to its codes by least
    squares; it may be negative, as one sign has a code more. O(n d) time for each of the grid's 52 scales.
    Rows of values below 2^-50 become zeros. Raises ValueError for odd d and for values that are not finite.
    """
    values = np.asarray(vectors)
    if values.ndim != 2 or values.shape[1] % 2 or not values.shape[1]:
        raise ValueError(f"vectors must be 2D with an even number of columns, not {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("vectors must be finite")
    codes = np.empty(values.shape, np.int8)
    scales = np.empty(len(values), np.float32)
    for first in range(0, len(values), _ROWS_AT_ONCE):
        part = slice(first, first + _ROWS_AT_ONCE)
        codes[part], scales[part] = _code(values[part].astype(np.float32))
    unsigned = (codes + 8).astype(np.uint8)
    half = values.shape[1] // 2
    packed: UInt8s = unsigned[:, :half] | unsigned[:, half:] << np.uint8(4)
    return packed, scales


def _code(values: Float32s) -> tuple[npt.NDArray[np.int8], Float32s]:
    largest = np.abs(values).max(axis=1)
    largest[largest < _TINY] = 0
    shares = values / np.where(largest > 0, largest, 1)[:, None]
    best = np.full(len(values), np.inf, np.float32)
    codes = np.zeros(values.shape, np.int8)
    for step in (*_STEPS, *-_STEPS):
        tried = np.clip(np.rint(shares / step), -8, 7)
        error = ((shares - tried * step) ** 2).sum(axis=1)
        better = error < best
        best[better] = error[better]
        codes[better] = tried[better].astype(np.int8)
    squares = (codes.astype(np.float32) ** 2).sum(axis=1)
    fitted = (shares * codes).sum(axis=1) / np.maximum(squares, 1)
    return codes, (fitted * largest).astype(np.float32)
