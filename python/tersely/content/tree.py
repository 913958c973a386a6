"""JSON, XML and YAML in units: values or elements, their brackets or tags, pieces of long texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.checks import read_question
from tersely.content.units import Nested, Units
from tersely.types import Float64s, Int32s, Int64s, Kind, SegmentTable, UInt8s

# Kinds of units and faults of texts, as csrc/kernels/content/tree.hpp has them.
VALUE, OBJECT, ARRAY, CLOSE, _HEAD, PIECE, LINE, ATTRIBUTE = range(8)
_FAULTS = ("", "invalid", "too_deep")


class Syntax(IntEnum):
    """The format of a tree."""

    JSON = 0
    XML = 1
    YAML = 2


@dataclass(frozen=True, eq=False)
class TreeUnits:
    """Units of texts (json_scan.hpp, xml_scan.hpp and yaml_scan.hpp say what they are), in source order."""

    #: their spans; `heading` is the unit that each needs: of JSON what opens what it stands in, -1 at the top
    table: SegmentTable
    kind: UInt8s  #: uint8[n], VALUE, OBJECT, ...
    place: Int32s  #: int32[n], from 0, in the container; of what closes it, how many there are
    count: Int32s  #: int32[n], of a container: its values
    priority: Float64s  #: float64[n], higher is kept first
    record: UInt8s  #: uint8[n], whether it is a record: one of a list, compared with the others of it
    #: int64[n], of what an earlier compression wrote: values it left out, -1 of an "…" that counts none; 0 of
    #: the others
    own: Int64s
    fault: UInt8s  #: uint8[documents], why a text is not of its kind; 0 where it is
    syntax: Syntax = Syntax.JSON  #: what the texts are written in
    asked: bool = False  #: whether a query ranked them

    @staticmethod
    def read(texts: list[str], query: str | None, syntax: Syntax = Syntax.JSON) -> TreeUnits:
        """The units of texts in one syntax, ranked for a query. O(characters)."""
        asked = read_question(query).text if query and query.strip() else ""
        read = _native.tree_units(texts, asked, int(syntax))
        document, start, end, kind, parent, place, count, priority, record, own, fault = read
        code = np.full(len(start), Kind.CODE, dtype=np.uint8)
        table = SegmentTable(document, start, end, code, document, parent)
        return TreeUnits(table, kind, place, count, priority, record, own, fault, syntax, bool(asked))

    def warnings(self) -> tuple[str, ...]:
        """A code for each fault."""
        if not self.fault.any():
            return ()
        name = self.syntax.name.lower()
        return tuple(f"{name}_{_FAULTS[code]}" for code in sorted(set(self.fault.tolist())) if code)

    def follows(self) -> Int32s:
        """int32[n]: groups; the row that opens a container is in or out with the one that closes it."""
        return np.where(self.kind == CLOSE, self.table.heading, -1).astype(np.int32)

    def gap(self, row: int) -> str:
        """Return the shortest gap before a row: a comma before all values of a container but the first."""
        if self.kind[row] in (CLOSE, PIECE) or self.place[row] == 0:
            return ""
        return "\n" if self.table.heading[row] < 0 else ","

    def named(self) -> npt.NDArray[np.bool_] | None:
        """bool[n]: the first of the units that share most words with the query; None if none shares any."""
        if not self.asked or self.priority.max(initial=0) <= 1:  # what no query names is not above it
            return None
        best = np.flatnonzero(self.priority == self.priority.max())
        inner = best[~np.isin(best, self.table.heading[best])]  # what a container is worth is in it
        named = np.zeros(len(self.priority), dtype=bool)
        named[inner[0]] = True
        return named

    def marker(self) -> _native.TreeMarker:
        """Make the marker of a run of left out values, with their number."""
        table = self.table
        places = (table.document, table.start, table.end, self.kind, table.heading)
        return _native.tree_marker(*places, self.place, self.count, self.own, self.record)


def nested_units(units: TreeUnits, follows: Int32s, gap: Callable[[int], str] | None) -> Units:
    """Make units of nested rows; `gap` writes the text before a row instead of the document's own."""
    marker = units.marker()
    return Units(
        units.table,
        units.priority.astype(np.float32),
        Nested(marker, marker.numbers(), gap=gap, total=None if gap else marker.total),
        units.named(),
        follows,
        ranked=True,
        fragments=True,
        graded=True,  # which records stand out says the rank
        warnings=units.warnings(),
    )
