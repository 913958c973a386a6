"""Rows of numbers as vectors of length one."""

from __future__ import annotations

from typing import Any

import numpy as np

from tersely.core.tables import Float32s

__all__ = ["unit_rows"]

_BLOCK = 4096  # rows that are scaled at a time


def unit_rows(rows: Any) -> Float32s:
    """Scale rows to length one: float32[n, d]; a zero row stays zero. Lengths are computed in double."""
    given = np.asarray(rows)
    unit = np.empty(given.shape, dtype=np.float32)
    for first in range(0, len(given), _BLOCK):
        wide = np.asarray(given[first : first + _BLOCK], dtype=np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        with np.errstate(invalid="ignore"):  # infinite rows become NaN: the caller looks
            unit[first : first + _BLOCK] = wide / np.where(lengths > 0, lengths, 1.0)[:, None]
    return unit
