"""Which segments of a range of documents to keep: hits first, then what stands beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tersely.stages.select import select
from tersely.tables import Float32s, Int32s, Int64s, SegmentTable, UInt8s

if TYPE_CHECKING:
    from tersely.retrieval.contextual.extraction import Reading

__all__ = ["CODES", "FIRST_KEPT", "Part", "choose", "is_kept"]

#: Why a segment is out or, from "selected" on, in. The first two and the next four in are those of select().
CODES = (
    "budget",
    "redundant",
    "irrelevant",
    "duplicate",
    "rewritten",
    "selected",
    "pinned",
    "context",
    "heading",
    "cut",
    "fits",
)
FIRST_KEPT = CODES.index("selected")
_IRRELEVANT, _DUPLICATE, _SELECTED, _CONTEXT, _HEADING = map(
    CODES.index, ("irrelevant", "duplicate", "selected", "context", "heading")
)
_SELECT = ("budget", "redundant", "selected", "pinned", "context", "heading")  # codes of stages/select.py
_OURS = np.array([CODES.index(name) for name in _SELECT])


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """A range of rows on its own: arrays as in `Reading`, rows counted from its first."""

    table: SegmentTable
    group: Int32s
    pinned: UInt8s
    open: UInt8s
    worth: Float32s
    costs: Int64s
    term_ids: Int32s
    term_offsets: Int64s

    @classmethod
    def of(cls, reading: Reading, first: int, last: int, share: int) -> Part:
        """The rows `first` to `last` (exclusive), which are all those of some documents.

        A group that is larger than their share of tokens is dissolved. One with a row that may be chosen is
        chosen whole: each of its rows is worth the mean per token.
        """
        table, rows = reading.table, slice(first, last)
        offsets = reading.analysis.term_offsets[first : last + 1]
        heading, costs, status = table.heading[rows], reading.prices.costs[rows], reading.status[rows]
        group = np.where(reading.group[rows] >= 0, reading.group[rows] - first, -1).astype(np.int32)
        worth = np.where(status == 0, reading.worth[rows], 0).astype(np.float64)
        grouped = (group >= 0).nonzero()[0]
        if len(grouped):
            of = group[grouped]
            tokens = np.bincount(of, costs[grouped], len(group))
            value = np.bincount(of, (worth * costs)[grouped], len(group))
            group[grouped[tokens[of] > share]] = -1
            whole = np.flatnonzero(group >= 0)
            worth[whole] = (value / np.maximum(tokens, 1))[group[whole]]
        return cls(
            SegmentTable(
                table.document[rows],
                table.start[rows],
                table.end[rows],
                table.kind[rows],
                table.block[rows],
                np.where(heading >= 0, heading - first, -1).astype(np.int32),
            ),
            group,
            reading.pinned[rows],
            status,
            worth.astype(np.float32),
            costs,
            reading.analysis.term_ids[offsets[0] : offsets[-1]],
            offsets - offsets[0],
        )


def is_kept(status: UInt8s) -> Int64s:
    """Rows that are in, ascending."""
    return (status >= FIRST_KEPT).nonzero()[0]


def choose(reading: Reading, part: Part, target: int) -> UInt8s:
    """uint8[rows]: an index into CODES for each; those in cost `target` at most, pinned ones apart.

    The hits are the best choice of what may be chosen; what is left of the target goes to neighbours of the
    best hits, the nearest first.
    """
    chosen = select(
        part.table,
        part.worth,
        part.costs,
        max(target, 0),
        pinned=part.pinned,
        group=part.group,
        term_ids=part.term_ids,
        term_offsets=part.term_offsets,
        term_weight=reading.term_weight,
        redundancy=reading.redundancy,
        headings=reading.headings,
    )
    status = _OURS[chosen].astype(np.uint8)
    status[(status == _SELECTED) & (part.worth <= 0)] = _IRRELEVANT
    _drop_lone_headings(part, status)
    closed = (status < FIRST_KEPT) & (part.open > 0)
    status[closed] = part.open[closed]
    if reading.context:
        _add_context(reading, part, status, target)
    return status


def _drop_lone_headings(part: Part, status: UInt8s) -> None:
    """A heading above nothing that is kept goes."""
    if not (status == _HEADING).any():
        return
    kept = status >= FIRST_KEPT
    needed = np.zeros(len(status), dtype=bool)
    for row in np.flatnonzero(kept & (status != _HEADING)).tolist():
        above = int(part.table.heading[row])
        while above >= 0 and not needed[above]:
            needed[above] = True
            above = int(part.table.heading[above])
    status[(status == _HEADING) & ~needed] = 0


def _add_context(reading: Reading, part: Part, status: UInt8s, target: int) -> None:
    """Neighbours of the hits, best hit first and nearest first, each with its group and headings."""
    hits = (status == _SELECTED).nonzero()[0]
    kept = status >= FIRST_KEPT
    room = target - int(part.costs[kept].sum())
    cheapest = int(part.costs[~kept].min(initial=2**60))
    if not len(hits) or room < cheapest:
        return
    document = part.table.document
    best = hits[np.argsort(-part.worth[hits], kind="stable")].tolist()
    for distance in range(1, reading.context + 1):
        for hit in best:
            for row in (hit - distance, hit + distance):
                if not 0 <= row < len(status) or document[row] != document[hit] or status[row] >= FIRST_KEPT:
                    continue
                if part.open[row] == _DUPLICATE:
                    continue
                rows = _with_headings(reading, part, status, row)
                cost = int(part.costs[rows].sum()) if len(rows) > 1 else int(part.costs[row])
                if cost <= room:
                    room -= cost
                    status[rows] = _HEADING
                    status[_members(part, row)] = _CONTEXT
        if room < cheapest:
            return


def _members(part: Part, row: int) -> list[int]:
    group = int(part.group[row])
    return [row] if group < 0 else np.flatnonzero(part.group == group).tolist()


def _with_headings(reading: Reading, part: Part, status: UInt8s, row: int) -> list[int]:
    """The row, its group, and the headings above them that are not in."""
    rows = [each for each in _members(part, row) if status[each] < FIRST_KEPT]
    if not reading.headings:
        return rows
    for each in rows:
        above = int(part.table.heading[each])
        while above >= 0 and status[above] < FIRST_KEPT and above not in rows:
            rows.append(above)
            above = int(part.table.heading[above])
    return rows
