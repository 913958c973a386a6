"""Choose units under a budget of estimated tokens, and say why each stays or goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tersely import _native
from tersely.content.units import Lines, Quoted
from tersely.kernels.checks import united
from tersely.types import Float32s, Heads, Int32s, Int64s, SegmentTable, UInt8s

if TYPE_CHECKING:
    from tersely.engine.reading import Reading

__all__ = [
    "FIRST_KEPT",
    "REASONS",
    "fill_gaps",
    "is_kept",
    "mark_groups",
    "mark_pinned",
    "select",
]

# Names of the status codes of csrc/kernels/select/budgeted.hpp, then those that the strategies set.
REASONS = ("budget", "redundant", "selected", "pinned", "context", "heading", "cut", "fits", "preserved")
FIRST_KEPT = REASONS.index("selected")

_SHORT = 20  # characters of units that are kept rather than marked as left out
_NO_UINT8 = np.empty(0, dtype=np.uint8)
_NO_INT32 = np.empty(0, dtype=np.int32)
_NO_INT64 = np.empty(0, dtype=np.int64)
_NO_FLOAT32 = np.empty(0, dtype=np.float32)


def is_kept(status: UInt8s) -> Int64s:
    """Rows that stay, ascending."""
    return (status >= FIRST_KEPT).nonzero()[0]


def select(
    document: Int32s,
    worth: Float32s,
    costs: Int64s,
    budget: int,
    *,
    pinned: UInt8s,
    group: Int32s,
    needs: Int32s = _NO_INT32,
    term_ids: Int32s = _NO_INT32,
    term_offsets: Int64s = _NO_INT64,
    term_weight: Float32s = _NO_FLOAT32,
    redundancy: float = 0.0,
    context: int = 0,
    coverage: bool = False,
    ranked: bool = False,
    caps: Int64s | None = None,
    same: Int32s = _NO_INT32,
    heads: Heads | None = None,
    table: SegmentTable | None = None,
) -> UInt8s:
    """uint8[n]: an index into REASONS for each unit.

    Greedy by marginal worth per token with completion, compared with the best single unit; the guarantee
    stands in csrc/kernels/select/budgeted.hpp. Pinned units come first and may exceed the budget.
    `document`: int32[n], ascending. `needs`: a selected unit brings the unit that it needs, and pays for it.
    `coverage`: a unit is worth the terms it adds; one that adds none is left out. `ranked`: worth is an
    order.
    `caps`: tokens that each document may take. `same`: the first unit with the same text, or the unit itself;
    what only repeats a unit that is in is left out, however much room there is. `heads`: what stands above
    documents. `table`: the units, where headings are not selected with nothing under them.
    """
    kind, above = (_NO_UINT8, _NO_INT32) if table is None else (table.kind, table.heading)
    more = 0 if heads is None else len(heads.costs)
    if heads is not None:  # rows of their own, before all others
        below, own = heads.of[document], np.arange(more, dtype=np.int32)
        needs = np.where(needs < 0, below, needs + np.int32(more)) if len(needs) else below
        needs = np.concatenate((heads.above, needs))
        document = np.concatenate((own, document + np.int32(more)))
        worth = np.concatenate((np.zeros(more, worth.dtype), worth))
        costs = np.concatenate((heads.costs, costs))
        pinned = np.concatenate((np.zeros(more, pinned.dtype), pinned))
        group = np.concatenate(
            (np.full(more, -1, np.int32), np.where(group < 0, group, group + np.int32(more)))
        )
        if len(term_offsets):
            term_offsets = np.concatenate((np.zeros(more, term_offsets.dtype), term_offsets))
        if table is not None:
            kind = np.concatenate((np.zeros(more, kind.dtype), kind))
            above = np.concatenate(
                (np.full(more, -1, np.int32), np.where(above < 0, above, above + np.int32(more)))
            )
        caps = None if caps is None else np.concatenate((heads.costs, caps))
        if len(same):
            same = np.concatenate((own, same + np.int32(more)))
    chosen = _native.select_budgeted(
        worth,
        costs,
        min(budget, 2**60),
        pinned,
        group,
        document,
        needs,
        term_ids,
        term_offsets,
        term_weight,
        redundancy,
        min(context, len(worth)),
        coverage,
        ranked,
        _NO_INT64 if caps is None else caps,
        same,
        kind,
        above,
    )
    return chosen[more:] if more else chosen


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


def hold_leading(
    held: UInt8s, costs: Int64s, leading: Sequence[tuple[int, int]], share: float, target: int
) -> UInt8s:
    """Add the runs of units that go first to what is held, as far as their share of the budget goes."""
    held = held.copy()
    room = min(int(share * target), target - int(costs[held > 0].sum()))
    for first, last in leading:
        cost = int(costs[first:last][held[first:last] == 0].sum())
        if cost > room:
            break
        held[first:last] = 1
        room -= cost
    return held


def fill_gaps(reading: Reading, status: UInt8s) -> None:
    """Keep what is no longer than a marker for it; what it needs is in or comes along."""
    table, regions = reading.table, reading.regions
    bare = []
    for region in regions:
        form = region.form
        if isinstance(form, Quoted) or (isinstance(form, Lines) and not form.fill):
            bare.append(region)
    if len(bare) == len(regions):
        return
    without = np.array([row for region in bare for row in (region.first, region.last)], dtype=np.int64)
    _native.fill_gaps(status, table.document, table.start, table.end, without, FIRST_KEPT, _SHORT)
