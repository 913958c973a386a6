"""Which segments of a range of documents to keep: hits first, then what stands beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tersely.stages.select import select
from tersely.tables import Float32s, Int32s, Int64s, SegmentTable, UInt8s

if TYPE_CHECKING:
    from tersely.retrieval.contextual.extraction import Reading

__all__ = ["CODES", "FIRST_KEPT", "Parts", "Place", "choose", "is_kept"]

Place = tuple[int, int]  # first row and row after the last

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
_OURS = np.array([CODES.index(name) for name in _SELECT], dtype=np.uint8)


@dataclass(frozen=True, eq=False, slots=True)
class Parts:
    """Ranges of rows that are chosen from, each on its own.

    Attributes:
        worth: float32[n], per token; 0 where a row may not be chosen.
        group, heading: int32[n], as in the reading, rows counted from the first of their range.
    """

    worth: Float32s
    group: Int32s
    heading: Int32s

    @classmethod
    def of(cls, reading: Reading, shares: Mapping[Place, int]) -> Parts:
        """The ranges, first row and row after the last, each all rows of some documents; with their tokens.

        A group that is larger than the share of its range is dissolved. One with a row that may be chosen is
        chosen whole: each of its rows is worth the mean per token.
        """
        n, costs = len(reading.table), reading.prices.costs
        begins, share = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int64)
        for (first, last), tokens in shares.items():
            begins[first:last], share[first:last] = first, tokens
        group = reading.group.copy()
        worth = np.where(reading.status == 0, reading.worth, 0).astype(np.float64)
        grouped = (group >= 0).nonzero()[0]
        if len(grouped):
            of = group[grouped]
            sums = np.bincount(of, costs[grouped], n)
            value = np.bincount(of, (worth * costs)[grouped], n)
            group[grouped[sums[of] > share[grouped]]] = -1
            whole = (group >= 0).nonzero()[0]
            worth[whole] = (value / np.maximum(sums, 1))[group[whole]]
        heading = reading.table.heading
        return cls(
            worth.astype(np.float32),
            np.where(group >= 0, group - begins, -1).astype(np.int32),
            np.where(heading >= 0, heading - begins, -1).astype(np.int32),
        )


def is_kept(status: UInt8s) -> Int64s:
    """Rows that are in, ascending."""
    return (status >= FIRST_KEPT).nonzero()[0]


def choose(reading: Reading, parts: Parts, targets: Mapping[Place, int]) -> UInt8s:
    """uint8[n]: an index into CODES for each row of the ranges that have a target; those that are kept cost
    their target at most, pinned ones apart.

    The hits are the best choice of what may be chosen; what is left of the target goes to neighbours of the
    best hits, the nearest first. O(segments log segments).
    """
    chosen = np.zeros(len(reading.table), dtype=np.uint8)
    for (first, last), target in targets.items():
        chosen[first:last] = _hits(reading, parts, first, last, max(target, 0))
    status = _OURS[chosen]
    status[(status == _SELECTED) & (parts.worth <= 0)] = _IRRELEVANT
    _drop_lone_headings(reading, status)
    closed = (status < FIRST_KEPT) & (reading.status > 0)
    status[closed] = reading.status[closed]
    if reading.context:
        for (first, last), target in targets.items():
            _add_context(reading, parts, status, first, last, target)
    return status


def _hits(reading: Reading, parts: Parts, first: int, last: int, target: int) -> UInt8s:
    """The choice for one range, in the codes of stages/select.py."""
    table, rows = reading.table, slice(first, last)
    offsets = reading.analysis.term_offsets[first : last + 1]
    return select(
        SegmentTable(
            table.document[rows],
            table.start[rows],
            table.end[rows],
            table.kind[rows],
            table.block[rows],
            parts.heading[rows],
        ),
        parts.worth[rows],
        reading.prices.costs[rows],
        target,
        pinned=reading.pinned[rows],
        group=parts.group[rows],
        term_ids=reading.analysis.term_ids[offsets[0] : offsets[-1]],
        term_offsets=offsets - offsets[0],
        term_weight=reading.term_weight,
        redundancy=reading.redundancy,
        headings=reading.headings,
    )


def _drop_lone_headings(reading: Reading, status: UInt8s) -> None:
    """A heading above nothing that is kept goes."""
    if not (status == _HEADING).any():
        return
    needed = np.zeros(len(status), dtype=bool)
    rows = ((status >= FIRST_KEPT) & (status != _HEADING)).nonzero()[0]
    while True:
        above = reading.table.heading[rows]
        above = np.unique(above[above >= 0])
        rows = above[~needed[above]]
        if not len(rows):
            break
        needed[rows] = True
    status[(status == _HEADING) & ~needed] = 0


def _add_context(reading: Reading, parts: Parts, status: UInt8s, first: int, last: int, target: int) -> None:
    """Neighbours of the hits of a range, best hit and nearest first, with their groups and headings."""
    own, costs = status[first:last], reading.prices.costs[first:last]
    kept = own >= FIRST_KEPT
    room = target - int(costs[kept].sum())
    cheapest = int(costs[~kept].min(initial=2**60))
    if room < cheapest:
        return
    hits = (own == _SELECTED).nonzero()[0]
    best = hits[np.argsort(-parts.worth[first:last][hits], kind="stable")].tolist()
    rows = _Rows.of(reading, parts, own, first, last)
    closed = reading.status[first:last] == _DUPLICATE
    for distance in range(1, reading.context + 1):
        if room < cheapest:
            break
        for hit in best:
            for row in (hit - distance, hit + distance):
                if not 0 <= row < last - first or rows.document[row] != rows.document[hit]:
                    continue
                if rows.status[row] >= FIRST_KEPT or closed[row]:
                    continue
                added = rows.with_headings(row)
                cost = sum(rows.costs[each] for each in added)
                if cost <= room:
                    room -= cost
                    for each in added:
                        rows.status[each] = _HEADING
                    for each in rows.members(row):
                        rows.status[each] = _CONTEXT
    own[:] = rows.status


@dataclass(frozen=True, eq=False, slots=True)
class _Rows:
    """The rows of a range as lists, of which single numbers are had sooner than of arrays.

    Attributes:
        status: is written to.
        document, costs: of each row.
        group: the first row of the group of each row, -1: it is in none. The rows of a group adjoin.
        heading: the row of the heading above each, -1: there is none, or headings do not matter.
    """

    status: list[int]
    document: list[int]
    costs: list[int]
    group: list[int]
    heading: list[int]

    @classmethod
    def of(cls, reading: Reading, parts: Parts, status: UInt8s, first: int, last: int) -> _Rows:
        rows = slice(first, last)
        return cls(
            status.tolist(),
            reading.table.document[rows].tolist(),
            reading.prices.costs[rows].tolist(),
            parts.group[rows].tolist(),
            parts.heading[rows].tolist() if reading.headings else [-1] * (last - first),
        )

    def members(self, row: int) -> range:
        """The group of a row, or the row alone."""
        begin = self.group[row]
        if begin < 0:
            return range(row, row + 1)
        end = row + 1
        while end < len(self.group) and self.group[end] == begin:
            end += 1
        return range(begin, end)

    def with_headings(self, row: int) -> list[int]:
        """The row, its group, and the headings above them that are not in."""
        found = [each for each in self.members(row) if self.status[each] < FIRST_KEPT]
        for each in tuple(found):
            above = self.heading[each]
            while above >= 0 and self.status[above] < FIRST_KEPT and above not in found:
                found.append(above)
                above = self.heading[above]
        return found
