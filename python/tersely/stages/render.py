"""Kept rows -> text: touching neighbours keep the source's own gap; a separator or "…" stands elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely.tables import Int64s, Kind, SegmentTable

__all__ = ["render", "render_clauses"]

_OMITTED = " … "
_LINES = (Kind.TABLE, Kind.FENCED_CODE, Kind.CODE)


def render(texts: Sequence[str], table: SegmentTable, rows: Int64s, separator: str) -> str:
    """The text of the rows (ascending). O(rows + characters)."""
    first, last = _runs(table, rows)
    return separator.join(_pieces(texts, table, first, last))


def render_clauses(
    texts: Sequence[str], table: SegmentTable, rows: Int64s, separator: str
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text of the rows (ascending), and where an "…" stands in it.

    It stands where something is left out between two rows of one block; elsewhere, and between lines of
    tables and code, the separator does. O(rows + characters).
    """
    first, last = _runs(table, rows)
    block = table.block
    within = (block[last[:-1]] == block[first[1:]]) & ~np.isin(table.kind[first[1:]], _LINES)
    between = [_OMITTED if inside else separator for inside in within.tolist()]
    pieces = _pieces(texts, table, first, last)
    parts = [part for pair in zip(pieces, [*between, ""], strict=True) for part in pair]
    ends = np.cumsum([len(part) for part in parts])[1::2]  # behind each gap
    at = ends[:-1][within] - len(_OMITTED) + _OMITTED.index("…")
    return "".join(parts), tuple((place, place + 1) for place in at.tolist())


def _runs(table: SegmentTable, rows: Int64s) -> tuple[Int64s, Int64s]:
    """The first and the last row of each run of rows that follow one another in a document."""
    apart = (np.diff(rows) != 1) | (np.diff(table.document[rows]) != 0)
    first = np.concatenate((rows[:1], rows[1:][apart]))
    return first, np.concatenate((rows[:-1][apart], rows[-1:]))


def _pieces(texts: Sequence[str], table: SegmentTable, first: Int64s, last: Int64s) -> list[str]:
    """The source's text of each run."""
    document, start, end = table.document[first], table.start[first], table.end[last]
    runs = zip(document.tolist(), start.tolist(), end.tolist(), strict=True)
    return [texts[index][begin:stop] for index, begin, stop in runs]
