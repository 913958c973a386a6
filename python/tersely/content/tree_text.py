"""Documents as trees of units: what is left out is a marker in its place, everything else is the source's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tersely.strategies.fitting import Places
from tersely.tables import Float64s, Int32s, Int64s, SegmentTable

__all__ = ["Marker", "Tree", "render_tree"]

Marker = Callable[[int, int], str]


@dataclass(frozen=True, eq=False, slots=True)
class Tree:
    """What a content type says of documents.

    Attributes:
        table: the units, in source order; `heading` is the unit that each needs (what opens its object, the
            signature of its function), -1 for none. A unit whose opening is kept, and all that close it, are.
        follows: int32[n], the unit that each is in or out with, such as what closes an object; -1 for none.
        priority: float64[n], higher comes first; a unit never comes before the one it needs.
        marker: (first, last) rows of a run of left out units of one document -> what stands in its place;
            "" for nothing. Where some of a document is kept, such a run never parts what follows from what it
            follows.
        short: such a marker with less to say, used where more of what `must` stay stays with it (warning
            "markers_shortened").
        bare: (first, last) -> what must stand in the place of a run even where there is no room for markers.
        must: bool[n] or None, what the markers give way to.
        gap: row -> what stands before it instead of the document's own gap; None: that.
        numbered: each line of a document has its number before it.
        warnings: reason codes.
    """

    table: SegmentTable
    follows: Int32s
    priority: Float64s
    marker: Marker
    short: Marker | None = None
    bare: Marker = lambda first, last: ""
    must: npt.NDArray[np.bool_] | None = None
    gap: Callable[[int], str] | None = None
    numbered: bool = False
    warnings: tuple[str, ...] = ()


def render_tree(
    texts: list[str], tree: Tree, rows: Int64s, separator: str, marker: Marker
) -> tuple[str, Places]:
    """The documents of the rows with markers for other rows, and where what is not the source's stands.

    O(runs of rows + characters kept).
    """
    table = tree.table
    limits = np.searchsorted(table.document, np.arange(len(texts) + 1)).tolist()
    parts = _Parts()
    for document in np.unique(table.document[rows]).tolist():
        if parts.pieces:
            parts.add(separator)
        low, high = limits[document], limits[document + 1]
        mine = rows[(rows >= low) & (rows < high)]
        breaks = np.flatnonzero(np.diff(mine) != 1 if tree.gap is None else np.ones(len(mine) - 1)) + 1
        firsts = mine[np.concatenate(([0], breaks))]
        lasts = mine[np.concatenate((breaks - 1, [len(mine) - 1]))]
        parts.line, parts.counted = 1, 0
        _render_document(texts[document], tree, low, high, firsts, lasts, marker, parts)
    return "".join(parts.pieces), tuple(parts.places)


class _Parts:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.places: list[tuple[int, int]] = []
        self.length = 0
        self.line, self.counted = 1, 0  # of the document that is added: the line of a character, and that

    def add(self, text: str, generated: bool = False) -> None:
        if not text:
            return
        length = self.length + len(text)
        if generated:
            self.places.append((self.length, length))
        self.pieces.append(text)
        self.length = length

    def add_numbered(self, text: str, begin: int, stop: int) -> None:
        """A piece of a document; lines that begin in it get their numbers. Pieces come in order."""
        self.line += text.count("\n", self.counted, begin)
        self.counted = begin
        line = self.line
        for place, part in enumerate(text[begin:stop].split("\n")):
            if place:
                self.add("\n")
            if part and (not self.pieces or self.pieces[-1].endswith("\n")):
                self.add(f"{line + place:>5}  ", generated=True)
            if part:
                self.add(part)


def _render_document(
    text: str, tree: Tree, low: int, high: int, firsts: Int64s, lasts: Int64s, marker: Marker, parts: _Parts
) -> None:
    """Runs of kept rows [firsts[i], lasts[i]] of the rows [low, high), with the document's own gaps."""
    start, end = tree.table.start, tree.table.end
    opens = np.append(start[firsts], 0).tolist()  # of each run: where it begins in the text, and ends
    closes = np.append(end[lasts], 0).tolist()
    out = np.concatenate(([low], lasts + 1))  # the first row of what is left out before it, or itself
    out_opens = start[np.minimum(out, high - 1)].tolist()
    out_closes = end[np.append(firsts, high) - 1].tolist()  # where the row before it ends
    add, gap = parts.add, tree.gap

    def put_gap(row: int, begin: int, stop: int) -> None:
        """What stands before a row."""
        if gap is not None:
            between = gap(row)
            add(between, generated=bool(between.strip(", \n\t")))
        elif tree.numbered:
            parts.add_numbered(text, begin, stop)
        else:
            add(text[begin:stop])

    runs = len(firsts)
    rows = zip(out.tolist(), [*firsts.tolist(), high], strict=True)
    for run, (done, first) in enumerate(rows):
        inside, more = run > 0, run < runs  # whether a run stands before, and comes
        if done < first:
            stand_in = marker(done, first - 1)
            comma = not stand_in and inside and more and "," in text[out_closes[run] : opens[run]]
            if inside and (stand_in or comma):
                put_gap(done, closes[run - 1], out_opens[run])
            add(stand_in, generated=True)
            if more and (stand_in or (inside and not comma)):  # no comma before what closes
                put_gap(first, out_closes[run], opens[run])
        elif inside and more:
            put_gap(first, closes[run - 1], opens[run])
        if more and tree.numbered:
            parts.add_numbered(text, opens[run], closes[run])
        elif more:
            add(text[opens[run] : closes[run]])
