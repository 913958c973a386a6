"""Kept rows -> text: touching neighbours keep the source's own gap, a separator stands elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely.tables import Int64s, SegmentTable

__all__ = ["render"]


def render(texts: Sequence[str], table: SegmentTable, rows: Int64s, separator: str) -> str:
    """The text of the rows (ascending). O(rows + characters)."""
    if len(rows) == 0:
        return ""
    document = table.document[rows]
    apart = (np.diff(rows) != 1) | (np.diff(document) != 0)
    first = np.concatenate(([0], np.flatnonzero(apart) + 1))
    last = np.concatenate((first[1:] - 1, [len(rows) - 1]))
    runs = zip(
        document[first].tolist(),
        table.start[rows[first]].tolist(),
        table.end[rows[last]].tolist(),
        strict=True,
    )
    return separator.join([texts[index][start:end] for index, start, end in runs])
