"""Facts of changed texts, found again only where blocks of text changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tersely.facts import FactTable
from tersely.stages.facts import fact_keys, find_facts, is_named
from tersely.strategies.preserving import MustKeep
from tersely.strategies.splicing import Seam, spliced
from tersely.tables import Int64s, Level, SegmentTable

__all__ = ["reread_facts"]


def reread_facts(
    must: MustKeep | None,
    numbers: Mapping[bytes, int],
    old: SegmentTable,
    shift: Int64s,
    table: SegmentTable,
    texts: Sequence[str],
    level: Level,
    seams: Sequence[Seam],
) -> tuple[FactTable | None, Mapping[bytes, int]]:
    """The facts of changed texts, and the number of each key.

    Facts do not reach beyond blocks, so those of the blocks at the seams are found again and the others move.
    None where that is not so: whether a word is a name depends on all the text.

    Args:
        must: what was to be preserved before; None: nothing.
        numbers: the id of each fact's key.
        old, shift: segments before, and by how many characters each of them moves.
        table, texts: segments and texts now.
        level: of the segments.
        seams: of the segments.
    """
    if must is None or level is not Level.SENTENCE or {"names", "all"} & set(must.preserve):
        return None, numbers
    blocks = _whole_blocks(old, seams)
    lengths = [block.end - block.begin for block in blocks]
    rows = np.concatenate([np.arange(block.begin, block.end) for block in blocks])
    document = [table.document.item(min(block.begin, len(table) - 1)) for block in blocks]
    begins = np.array([_begin(table, block.begin) for block in blocks])
    begin = np.repeat(begins, lengths)
    ends = [table.end.item(block.end - 1) if block.end > block.begin else 0 for block in blocks]
    pieces = [texts[i][at:end] for i, at, end in zip(document, begins.tolist(), ends, strict=True)]
    read = SegmentTable(
        np.repeat(np.arange(len(blocks), dtype=np.int32), lengths),
        table.start[rows] - begin,
        table.end[rows] - begin,
        table.kind[rows],
        table.block[rows],
        table.heading[rows],
    )
    found = find_facts(pieces, read)
    new = found.rows(is_named(pieces, found, must.preserve))
    known = dict(numbers)
    key = [known.setdefault(name, len(known)) for name in fact_keys(pieces, new)]

    was, now = must.facts, np.arange(len(old))  # now: where segments that stay stand
    for block in blocks:
        now[block.last :] = np.arange(block.end, block.end + len(old) - block.last)
    borders = new.document.searchsorted(np.arange(len(blocks) + 1, dtype=np.int32)).tolist()
    inside = [
        Seam(*was.segment.searchsorted(np.array(block[:2], dtype=np.int32)).tolist(), *borders[i : i + 2])
        for i, block in enumerate(blocks)
    ]
    moved = shift[was.segment]
    return FactTable(
        spliced(was.kind, new.kind, inside),
        spliced(was.document, np.array(document, dtype=np.int32)[new.document], inside),
        spliced(was.start + moved, new.start + begins[new.document], inside),
        spliced(was.end + moved, new.end + begins[new.document], inside),
        spliced(now[was.segment], rows[new.segment], inside).astype(np.int32),
        spliced(now[was.last], rows[new.last], inside).astype(np.int32),
        spliced(was.key, np.array(key, dtype=np.int32), inside),
        len(known),
    ), known


def _whole_blocks(table: SegmentTable, seams: Sequence[Seam]) -> list[Seam]:
    """The seams, and all of the blocks that they are in; `begin`, `end`: rows of all segments now."""
    found: list[Seam] = []
    moved = 0
    for seam in seams:
        first, last = seam.first, seam.last
        if _goes_on(table, first):
            first = int(table.block.searchsorted(table.block[first]))
        if _goes_on(table, last):
            last = int(table.block.searchsorted(table.block[last], "right"))
        begin, moved = first + moved, moved + seam.end - seam.begin - (seam.last - seam.first)
        if found and first < found[-1].last:
            above = found.pop()
            first, begin = above.first, above.begin
        found.append(Seam(first, last, begin, last + moved))
    return found


def _goes_on(table: SegmentTable, row: int) -> bool:
    """Whether a block goes on at a row."""
    return 0 < row < len(table) and table.block.item(row - 1) == table.block.item(row)


def _begin(table: SegmentTable, row: int) -> int:
    """Where the white space before a segment begins."""
    if not 0 < row < len(table) or table.document.item(row - 1) != table.document.item(row):
        return 0
    return table.end.item(row - 1)
