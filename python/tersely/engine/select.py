"""Choose units under a budget of estimated tokens, and say why each stays or goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tersely import _native
from tersely.content.units import Quoted
from tersely.core.tables import Float32s, Int32s, Int64s, SegmentTable, UInt8s

if TYPE_CHECKING:
    from tersely.engine.reading import Heads, Reading

__all__ = ["FIRST_KEPT", "REASONS", "fill_gaps", "is_kept", "mark_groups", "mark_pinned", "select"]

# Names of the status codes of csrc/kernels/select/budgeted.hpp, then those that the strategies set.
REASONS = ("budget", "redundant", "selected", "pinned", "context", "heading", "cut", "fits", "preserved")
FIRST_KEPT = REASONS.index("selected")

_SHORT = 20  # characters of units that are kept rather than marked as left out
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
) -> UInt8s:
    """uint8[n]: an index into REASONS for each unit.

    Greedy by marginal worth per token with completion, compared with the best single unit; the guarantee
    stands in csrc/kernels/select/budgeted.hpp. Pinned units come first and may exceed the budget.
    `document`: int32[n], ascending. `needs`: a selected unit brings the unit that it needs, and pays for it.
    `coverage`: a unit is worth the terms it adds; one that adds none is left out. `ranked`: worth is an
    order.
    `caps`: tokens that each document may take. `same`: the first unit with the same text, or the unit itself;
    what only repeats a unit that is in is left out, however much room there is. `heads`: what stands above
    documents.
    """
    more = 0 if heads is None else len(heads.costs)
    if heads is not None:  # rows of their own, before all others
        below = heads.of[document]
        needs = np.append(heads.above, np.where(needs < 0, below, needs + more) if len(needs) else below)
        document = np.append(np.arange(more, dtype=np.int32), document + np.int32(more))
        worth, costs = np.append(np.zeros(more, worth.dtype), worth), np.append(heads.costs, costs)
        pinned = np.append(np.zeros(more, pinned.dtype), pinned)
        group = np.append(np.full(more, -1, np.int32), np.where(group < 0, -1, group + np.int32(more)))
        if len(term_offsets):
            term_offsets = np.append(np.zeros(more, term_offsets.dtype), term_offsets)
        caps = None if caps is None else np.append(heads.costs, caps)
        if len(same):
            same = np.append(np.arange(more, dtype=np.int32), same + np.int32(more))
    return _native.select_budgeted(
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
    )[more:]


def _rows_of(table: SegmentTable, document: int, start: int, end: int) -> slice:
    """The rows of a document that overlap [start, end)."""
    first, last = np.searchsorted(table.document, [document, document + 1])
    low = first + int(np.searchsorted(table.end[first:last], start, side="right"))
    high = first + int(np.searchsorted(table.start[first:last], end, side="left"))
    return slice(int(low), int(max(low, high)))


def mark_pinned(table: SegmentTable, spans: Sequence[tuple[int, int, int]]) -> UInt8s:
    """uint8[n]: 1 for segments that overlap a (document, start, end) span."""
    pinned = np.zeros(len(table), dtype=np.uint8)
    for document, start, end in spans:
        pinned[_rows_of(table, document, start, end)] = 1
    return pinned


def mark_groups(table: SegmentTable, groups: Sequence[Sequence[tuple[int, int, int]]]) -> Int32s:
    """int32[n]: the group of each segment (its lowest row), -1 where it has none.

    Groups that share a segment are merged.
    """
    owner = np.full(len(table), -1, dtype=np.int32)  # the last group that claimed the row
    if not groups:
        return owner
    parent: list[int] = []  # union-find over groups; a root has the lowest number of its set

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    for number, spans in enumerate(groups):
        parent.append(number)
        rows = np.concatenate(
            [np.arange(part.start, part.stop) for part in (_rows_of(table, *span) for span in spans)]
        )
        for other in np.unique(owner[rows]).tolist():
            if other >= 0:
                low, high = sorted((root(number), root(other)))
                parent[high] = low
        owner[rows] = number
    roots = np.array([root(number) for number in range(len(parent))], dtype=np.int32)
    claimed = np.flatnonzero(owner >= 0)
    sets, first, which = np.unique(roots[owner[claimed]], return_index=True, return_inverse=True)
    group = np.full(len(table), -1, dtype=np.int32)
    group[claimed] = claimed[first][which] if len(sets) else -1
    return group


def fill_gaps(reading: Reading, status: UInt8s) -> None:
    """Keep what is no longer than a marker for it; what it needs is in or comes along."""
    table, regions = reading.table, reading.regions
    quoted = [region for region in regions if isinstance(region.form, Quoted)]  # without markers
    if len(quoted) == len(regions):
        return
    chosen = status >= FIRST_KEPT
    change = np.flatnonzero(np.diff(chosen) | (np.diff(table.document) != 0)) + 1
    firsts = np.concatenate(([0], change))
    lasts = np.concatenate((change - 1, [len(chosen) - 1]))
    short = ~chosen[firsts] & (table.end[lasts] - table.start[firsts] <= _SHORT)
    for region in quoted:
        short &= (firsts < region.first) | (firsts >= region.last)
    # only beside what is kept: a document of which nothing is kept has no markers
    beside = np.zeros(len(firsts), dtype=bool)
    same = table.document[firsts[1:]] == table.document[lasts[:-1]]
    beside[1:] |= same
    beside[:-1] |= same
    for run in np.flatnonzero(short & beside).tolist():
        status[firsts[run] : lasts[run] + 1] = FIRST_KEPT
