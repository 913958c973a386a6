"""Sets of rows that pairs hold together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.core.tables import Int32s

__all__ = ["roots", "united"]

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
