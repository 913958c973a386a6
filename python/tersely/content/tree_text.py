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
        firsts = mine[np.concatenate(([0], breaks))].tolist()
        lasts = mine[np.concatenate((breaks - 1, [len(mine) - 1]))].tolist()
        _render_document(texts[document], tree, low, high, firsts, lasts, marker, parts)
    return "".join(parts.pieces), tuple(parts.places)


class _Parts:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.places: list[tuple[int, int]] = []
        self.length = 0

    def add(self, text: str, generated: bool = False) -> None:
        if generated and text:
            self.places.append((self.length, self.length + len(text)))
        self.pieces.append(text)
        self.length += len(text)

    def add_numbered(self, text: str, line: int) -> None:
        """A piece of a document that begins on the line; lines that begin in it get their numbers."""
        for place, part in enumerate(text.split("\n")):
            if place:
                self.add("\n")
            if part and (not self.pieces or self.pieces[-1].endswith("\n")):
                self.add(f"{line + place:>5}  ", generated=True)
            if part:
                self.add(part)


def _render_document(
    text: str,
    tree: Tree,
    low: int,
    high: int,
    firsts: list[int],
    lasts: list[int],
    marker: Marker,
    parts: _Parts,
) -> None:
    """Runs of kept rows [firsts[i], lasts[i]] of the rows [low, high), with the document's own gaps."""
    start, end = tree.table.start, tree.table.end

    def put(begin: int, stop: int) -> None:
        piece = text[begin:stop]
        if tree.numbered:
            parts.add_numbered(piece, text.count("\n", 0, begin) + 1)
        else:
            parts.add(piece)

    def put_gap(row: int) -> None:
        """What stands before a row."""
        if low < row < high and tree.gap is not None:
            parts.add(tree.gap(row))
        elif low < row < high:
            put(int(end[row - 1]), int(start[row]))

    done = low  # rows that something stands for
    for first, last in zip([*firsts, high], [*lasts, high - 1], strict=True):
        if done < first:
            stand_in = marker(done, first - 1)
            if stand_in:
                put_gap(done)
                parts.add(stand_in, generated=True)
                put_gap(first)
            elif done > low and first < high:
                comma = "," in text[int(end[first - 1]) : int(start[first])]
                put_gap(done if comma else first)  # no comma before what closes
        elif first < high:
            put_gap(first)
        if first < high:
            put(int(start[first]), int(end[last]))
        done = last + 1
