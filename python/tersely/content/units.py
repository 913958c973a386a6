"""The interface of content types: units, their needs and worth, and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tersely import _native, checks
from tersely.types import Document, Float32s, Int32s, Int64s, SegmentTable

__all__ = [
    "Bools",
    "ContentReader",
    "Form",
    "Lines",
    "Marker",
    "Nested",
    "Quoted",
    "Total",
    "Units",
    "join_tables",
    "units_of",
]

Bools = npt.NDArray[np.bool_]
Marker = Callable[[int, int], str]  # (first, last) rows of a run that is left out -> what stands in its place
Total = Callable[[Int64s], Marker]  # kept rows, ascending -> markers, the last of which counts all


def _nothing(first: int, last: int) -> str:
    """No marker."""
    return ""


def _sign(first: int, last: int) -> str:
    """The shortest marker."""
    return "…"


@dataclass(frozen=True, eq=False, slots=True)
class Lines:
    """Writes units one below the other, with a marker on a line of its own at each gap."""

    #: what stands in the place of a run of left out units of one document, in the syntax of the content; ""
    #: for nothing
    marker: Marker
    joint: str = "\n"  #: is written between kept units that do not touch, and around markers
    #: row -> text to write right after that unit if it is kept, such as how often it came; "" for nothing.
    #: None: no unit has one.
    note: Callable[[int], str] | None = None
    noted: Bools | None = None  #: bool[n], units that are asked for a note; None: all are
    #: bool[n], units that go on in the line of the unit before; None: all begin a line
    continued: Bools | None = None
    #: the same for where those of all runs would take more than a tenth of the budget: the last of a document
    #: counts all, `sign` stands in the places of the others
    total: Total | None = None
    sign: Marker = _sign  #: such a marker without a count
    elision: str = " …"  #: is written in a line where some of it is left out
    fill: bool = True  #: whether what is no longer than a marker is kept instead of it
    #: int32[n], the row whose note tells of a unit, which is left out where that is kept, and without a
    #: marker right behind it; -1: none. None: no note does.
    told: Int32s | None = None


@checks.quick
@dataclass(frozen=True, eq=False, slots=True)
class Nested:
    """Writes nested units with the document's own white space, and a marker at each gap."""

    marker: Marker  #: what stands in the place of a run of left out units of one document; "" for nothing
    #: such a marker with less to say, used where more essential units stay with it
    short: Marker | None = None
    bare: Marker = _nothing  #: what must stand in the place of a run even where there is no room for markers
    #: row -> text to write before it in place of the document's white space; None: that
    gap: Callable[[int], str] | None = None
    numbered: bool = False  #: each line of a document has its number before it
    #: the reader cuts units of several lines where they are larger than the room (its `finer`)
    cut: bool = False
    #: markers for where those of all runs would take more than a tenth of the budget: the last of a list
    #: counts all, an "…" stands in the places of the others
    total: Total | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Quoted:
    """Writes quoted units after the name of their source, which they need; a source begins a line.

    A unit without needs is a source ("user 12: ") and is written where words of it are kept. Words lie in one
    line of the document each (`table.block` is its number); all further lines of a source are indented by
    `indent`, so that no words pass for a source.
    """

    indent: str = " "


Form = Lines | Nested | Quoted


@checks.quick
@dataclass(frozen=True, eq=False, slots=True)
class Units:
    """The units (segments of any type) that a parser found in some texts."""

    #: where they are, in source order; `heading` is the row that each needs (a method its class, a frame its
    #: exception, a value what opens its object), -1 where it needs none
    table: SegmentTable
    worth: Float32s  #: float32[n] >= 0, the score of each per token or, if `ranked`, its rank: higher first
    form: Form  #: how they are written when some are left out
    #: bool[n], units that come before all others as far as the budget goes; None: there are none
    essential: Bools | None = None
    #: int32[n], the row that each is in or out with, such as what it closes; -1: it is on its own. None: all
    #: are.
    follows: Int32s | None = None
    bulk: Bools | None = None  #: bool[n], units that are never kept, nor counted; None: there are none
    auxiliary: Bools | None = None  #: bool[n], units that are kept only where others need them
    ranked: bool = False  #: whether `worth` is an order
    #: whether units are parts of lines; then their tokens are estimated by their length
    fragments: bool = False
    relevant: bool = True  #: whether `worth` already includes the relevance to the query
    independent: bool = False  #: whether the units around a unit say nothing about it (lines of logs)
    graded: bool = False  #: whether `worth` already includes the grades of failures (content/lines.py)
    #: whether the units are all there is; else documents that fit are not left as they are
    complete: bool = True
    warnings: tuple[str, ...] = ()  #: reason codes


@runtime_checkable
class ContentReader(Protocol):
    """Reads texts of one content type: a frozen, picklable dataclass whose fields are its options."""

    kind: ClassVar[str]

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """Return the units of the documents; None if they are not of this type.

        `query`: the question of the call; None: none. `rows`: how many units are worth
        telling apart, for types that need not tell all. `Units.table.document` counts the given documents.
        """
        ...


def units_of(document: Any, start: Any, end: Any, kind: int, needs: Any = None) -> SegmentTable:
    """Return a table of units of one kind; `needs`: the row that each needs; None: none needs any."""
    size = len(start)
    return SegmentTable(
        np.asarray(document, dtype=np.int32),
        np.asarray(start, dtype=np.int64),
        np.asarray(end, dtype=np.int64),
        np.full(size, kind, dtype=np.uint8),
        np.arange(size, dtype=np.int32),
        np.full(size, -1, dtype=np.int32) if needs is None else np.asarray(needs, dtype=np.int32),
    )


def _counts_from_0(table: SegmentTable) -> bool:
    """Whether all rows are of document 0, and their blocks begin with 0."""
    document, block = table.document, table.block
    if len(document) == 0 or document[0] or document[-1]:
        return False
    return block is document or not block.min()


def join_tables(parts: Sequence[tuple[SegmentTable, int | None, int]]) -> SegmentTable:
    """Join tables of units: (table, document of its rows, characters to add to each row's offsets).

    `heading` and `block` move along with their rows. A document of None: each row's own.
    """
    if len(parts) == 1 and parts[0][1:] == (0, 0) and _counts_from_0(parts[0][0]):
        return parts[0][0]
    given = [(table.columns(), -1 if document is None else document, at) for table, document, at in parts]
    return SegmentTable(*_native.join_tables(given))
