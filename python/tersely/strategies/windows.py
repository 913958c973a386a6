"""Where a changed text must be read again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tersely.strategies.diff import Change
from tersely.tables import Kind, SegmentTable

__all__ = ["Window", "windows"]

_REACH = 1000  # characters between a change and the blank line where reading starts or ends
_MARGIN = 2  # segments around a change where no blank line is in reach
_FENCES = ("```", "~~~")
_FENCED = int(Kind.FENCED_CODE)  # numpy is slow with enums


class Window(NamedTuple):
    """Rows `first` to `last` (exclusive) of a document are read again as characters `start` to `end`.

    What comes after them in the document moves by `shift` characters more than what comes before.
    """

    document: int
    first: int
    last: int
    start: int
    end: int
    shift: int


def windows(
    table: SegmentTable, before: Sequence[str], after: Sequence[str], changes: Sequence[Sequence[Change]]
) -> list[Window] | None:
    """What to read again of texts, in order and apart: from blank line to blank line around each change.

    Where none is within 1,000 characters, two segments more on each side. Fenced code is read as a whole.
    None where a change may turn code into text or the other way round (it holds a fence).
    """
    found: list[Window] = []
    for document, places in enumerate(changes):
        old, new = before[document], after[document]
        for place in places:
            changed = old[place.old_start : place.old_end] + "\n" + new[place.new_start : place.new_end]
            if any(fence in changed for fence in _FENCES):
                return None
        found.extend(_in_document(table, document, old, new, places))
    return found


def _rows(table: SegmentTable, document: int) -> slice:
    first, last = table.document.searchsorted(np.array([document, document + 1], dtype=np.int32)).tolist()
    return slice(first, last)


def _in_document(
    table: SegmentTable, document: int, old: str, new: str, places: Sequence[Change]
) -> list[Window]:
    rows = _rows(table, document)
    start, end = table.start[rows], table.end[rows]
    parts: list[tuple[int, int, int, int]] = []  # first and last row, steps before and after
    for place in places:
        first = rows.start + max(int(start.searchsorted(place.old_start, "right")) - 1, 0)
        last = rows.start + min(int(end.searchsorted(place.old_end)) + 1, len(start))
        first, last = _back(table, rows.start, first, old), _forth(table, rows.stop, last, old)
        step, after = place.new_start - place.old_start, place.new_end - place.old_end
        if parts and first <= parts[-1][1]:
            above = parts.pop()
            first, last, step = min(first, above[0]), max(last, above[1]), above[2]
        parts.append((first, last, step, after))
    return [
        Window(
            document,
            first,
            last,
            table.start.item(first) + step if first > rows.start else 0,
            table.end.item(last - 1) + after if last < rows.stop else len(new),
            after - step,
        )
        for first, last, step, after in parts
    ]


def _back(table: SegmentTable, least: int, row: int, text: str) -> int:
    """The row to start from, at or above `row`."""
    at, lowest = row, table.start.item(row) - _REACH if row > least else 0
    while at > least and table.start.item(at) >= lowest and not _is_border(table, at, text):
        at -= 1
    if at > least and not _is_border(table, at, text):
        at = max(row - _MARGIN, least)
    if at > least and table.kind[at] == _FENCED and table.block[at] == table.block[at - 1]:
        at = int(table.block.searchsorted(table.block[at]))
    return at


def _forth(table: SegmentTable, most: int, row: int, text: str) -> int:
    """The row before which to stop, at or below `row`."""
    at, highest = row, table.end.item(row - 1) + _REACH if row < most else 0
    while at < most and table.end.item(at) <= highest and not _is_border(table, at, text):
        at += 1
    if at < most and not _is_border(table, at, text):
        at = min(row + _MARGIN, most)
    if at < most and table.kind[at] == _FENCED and table.block[at] == table.block[at - 1]:
        at = int(table.block.searchsorted(table.block[at], "right"))
    return at


def _is_border(table: SegmentTable, row: int, text: str) -> bool:
    """Whether a blank line parts two blocks above the row."""
    apart = table.block.item(row) != table.block.item(row - 1)
    return apart and text.count("\n", table.end.item(row - 1), table.start.item(row)) > 1
