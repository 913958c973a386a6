"""Mark units that callers name, and name the reasons why units stay or go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely.kernels.checks import united
from tersely.types import Int32s, Int64s, SegmentTable, UInt8s

# Names of the status codes of csrc/kernels/select/budgeted.hpp.
REASONS = ("budget", "redundant", "selected", "pinned", "context", "heading", "cut", "fits", "preserved")
FIRST_KEPT = REASONS.index("selected")
MOST_TOKENS = 2**60  # of a budget or a sum of costs: no tokenizer comes near, native sums stay in range


def is_kept(status: UInt8s) -> Int64s:
    """Rows that stay, ascending."""
    return (status >= FIRST_KEPT).nonzero()[0]


def _rows_of(table: SegmentTable, spans: Sequence[tuple[int, int, int]]) -> tuple[Int64s, Int64s]:
    """The first row that overlaps each (document, start, end), and the one behind the last."""
    document, start, end = np.array(spans, dtype=np.int64).reshape(-1, 3).T
    wide = 1 + max(int(table.end.max(initial=0)), int(end.max(initial=0)))  # than any document
    rows = table.document * np.int64(wide)
    low = np.searchsorted(rows + table.end, document * wide + start, side="right")
    high = np.searchsorted(rows + table.start, document * wide + end, side="left")
    return low, np.maximum(low, high)


def _covered(size: int, low: Int64s, high: Int64s) -> UInt8s:
    """uint8[size]: what lies in one of the runs [low, high). O(size + runs)."""
    opens, closes = (np.bincount(edges, minlength=size + 1) for edges in (low, high))
    return (np.cumsum(opens - closes)[:size] > 0).astype(np.uint8)


def mark_pinned(table: SegmentTable, spans: Sequence[tuple[int, int, int]]) -> UInt8s:
    """uint8[n]: 1 for segments that overlap a (document, start, end) span. O(n + spans log(n))."""
    if not spans:
        return np.zeros(len(table.start), dtype=np.uint8)
    return _covered(len(table), *_rows_of(table, spans))


def mark_groups(table: SegmentTable, groups: Sequence[Sequence[tuple[int, int, int]]]) -> Int32s:
    """int32[n]: the group of each segment (its lowest row), -1 where it has none.

    Groups that share a segment are merged. O(n + spans log(n)).
    """
    group = np.empty(len(table.start), dtype=np.int32)
    group.fill(-1)
    if not groups:
        return group
    low, high = _rows_of(table, [span for spans in groups for span in spans])
    some = high > low  # of segments
    low, high = low[some], high[some]
    of = np.repeat(np.arange(len(groups)), [len(spans) for spans in groups])[some]
    _, first, places = np.unique(of, return_index=True, return_inverse=True)
    touching = np.flatnonzero(_covered(len(table), low, high - 1))  # with the next row
    i, j = np.concatenate((low[first][places], touching)), np.concatenate((low, touching + 1))
    every = np.flatnonzero(_covered(len(table), low, high))
    group[every] = united(len(table), i, j)[every]
    return group
