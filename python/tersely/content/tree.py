"""JSON, XML and YAML in units: values or elements, what opens and closes them, pieces of long texts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property, partial

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.checks import read_question
from tersely.content.units import Marker, Nested, Units
from tersely.types import Float64s, Int32s, Int64s, Kind, SegmentTable, UInt8s

__all__ = [
    "ARRAY",
    "ATTRIBUTE",
    "CLOSE",
    "LINE",
    "OBJECT",
    "PIECE",
    "VALUE",
    "Syntax",
    "TreeUnits",
    "nested_units",
]

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
    """Units of texts (json_scan.hpp, xml_scan.hpp and yaml_scan.hpp say what they are), in source order.

    Attributes:
        table: their spans; `heading` is the unit that each needs: of JSON what opens what it
            stands in, -1 at the top.
        kind: uint8[n], VALUE, OBJECT, ...
        place: int32[n], from 0, in the container; of what closes it, how many there are.
        count: int32[n], of a container: its values.
        priority: float64[n], higher is kept first.
        record: uint8[n], whether it is a record: one of a list, compared with the others of it.
        own: int64[n], of what an earlier compression wrote: values it left out, -1 of an "…" that counts
            none; 0 of the others.
        fault: uint8[documents], why a text is not of its kind; 0 where it is.
        syntax: what the texts are written in.
        asked: whether a query ranked them.
    """

    table: SegmentTable
    kind: UInt8s
    place: Int32s
    count: Int32s
    priority: Float64s
    record: UInt8s
    own: Int64s
    fault: UInt8s
    syntax: Syntax = Syntax.JSON
    asked: bool = False

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
        name = self.syntax.name.lower()
        return tuple(f"{name}_{_FAULTS[code]}" for code in np.unique(self.fault).tolist() if code)

    def follows(self) -> Int32s:
        """int32[n]: what opens a container is in or out with what closes it."""
        return np.where(self.kind == CLOSE, self.table.heading, -1).astype(np.int32)

    def gap(self, row: int) -> str:
        """Return the shortest gap before a row: a comma before all values of a container but the first."""
        if self.kind[row] in (CLOSE, PIECE) or self.place[row] == 0:
            return ""
        return "\n" if self.table.heading[row] < 0 else ","

    def named(self) -> npt.NDArray[np.bool_] | None:
        """bool[n]: the first unit of those that the query names best; None where it names none."""
        if not self.asked or self.priority.max(initial=0) <= 1:  # what no query names is not above it
            return None
        best = np.flatnonzero(self.priority == self.priority.max())
        inner = best[~np.isin(best, self.table.heading[best])]  # what a container is worth is in it
        named = np.zeros(len(self.priority), dtype=bool)
        named[inner[0]] = True
        return named

    def total(self, rows: Int64s) -> Marker:
        """Markers that count once, at its end, what a container outside of all records lacks.

        Elsewhere a list has an "…" where values are left out; a name says what its value is, so objects have
        none.
        """
        kept: dict[int, list[int]] = {}  # places of values by container; -1 - document for the roots
        kind = self.kind[rows]
        values = rows[(kind != CLOSE) & (kind != PIECE)]
        containers = self._containers()[values]
        for container, place in zip(containers.tolist(), self.place[values].tolist(), strict=True):
            kept.setdefault(container, []).append(place)

        own = set(rows[self.own[rows] != 0].tolist())
        above, kinds, _ = self._listed

        def marker(first: int, last: int) -> str:
            if kinds[first] == PIECE:
                return "…" if kinds[last + 1] == CLOSE else "… …"
            container = above[first]
            named = container >= 0 and kinds[container] == OBJECT
            here = "" if named else "…" if kinds[first] == LINE else '"…"'
            if container in kept:
                outer = container
                while outer >= 0 and not self.record[outer]:
                    outer = above[outer]
                if outer >= 0:  # it is a record, or lies in one
                    return here
            values = int(self.count[container]) if container >= 0 else self._roots[-1 - container]
            stop = self._stop(first, last)
            places = kept.get(container, [])
            if len(places) - bisect_left(places, stop) < values - stop:
                return here  # more is left out behind
            more = self._left_out([row for row in self._own.get(container, ()) if row not in own])
            left = f"{values - len(places) + more} more"
            if kinds[first] == LINE:
                return f"… {left}"
            return f'"…": "{left}"' if named else f'"… {left}"'

        return marker

    def _containers(self) -> Int32s:
        """int32[n]: the container of each unit; -1 - its document where it has none."""
        return np.where(self.table.heading >= 0, self.table.heading, -1 - self.table.document)

    @cached_property
    def _listed(self) -> tuple[list[int], ...]:
        """The container, kind and place of each unit, for markers: one row at a time."""
        return self._containers().tolist(), self.kind.tolist(), self.place.tolist()

    @cached_property
    def _roots(self) -> list[int]:
        """How many values of each document lie in no container."""
        roots = self.table.document[self.table.heading < 0]
        return list(np.bincount(roots, minlength=int(self.table.document[-1]) + 1).tolist())

    @cached_property
    def _own(self) -> dict[int, list[int]]:
        """Find the marks of an earlier compression among the values of each container or document."""
        found: dict[int, list[int]] = {}
        for row in np.flatnonzero(self.own).tolist():
            found.setdefault(self._listed[0][row], []).append(row)
        return found

    def _left_out(self, rows: Sequence[int]) -> int:
        """Count the values that the marks of an earlier compression in these rows report as left out."""
        return sum([max(int(self.own[row]), 0) - 1 for row in rows])

    def marker(self, first: int, last: int, more: str = " more") -> str:
        """Write the marker of a run, which lies in one container, from one of its values to before
        another or what closes it. Without `more`, numbers alone, and none where places say it."""
        above, kinds, places = self._listed
        container = above[first]
        if kinds[first] == PIECE:
            left = f"… {int(self.table.end[last] - self.table.start[first])}{more}"
            return left if kinds[last + 1] == CLOSE else f"{left} …"
        begin = places[first]
        stop = self._stop(first, last)
        own = self._own.get(container)
        left_out = self._left_out(own[bisect_left(own, first) : bisect_right(own, last)]) if own else 0
        count = f"{stop - begin + left_out}{more}"
        if kinds[first] == LINE:
            return f"… {count} lines" if more else f"… {count}"
        if container < 0 or kinds[container] != OBJECT:
            return f'"… {count}"'
        at_end = stop == self.count[container]
        key = "…" if at_end else f"… {begin + 1}-{stop}"
        if more:
            return f'"{key}": "{count}"'
        return f'"{key}": {count}' if at_end else f'"{key}": ""'

    def _stop(self, first: int, last: int) -> int:
        """The place behind the run."""
        above, _, places = self._listed
        after, document = last + 1, self.table.document
        if after < len(places) and document[after] == document[first]:
            return places[after]
        return above[first:after].count(above[first]) + places[first]


def nested_units(units: TreeUnits, follows: Int32s, gap: Callable[[int], str] | None) -> Units:
    """Make units of nested rows; `gap` writes what precedes a row instead of the document's own gap."""
    return Units(
        units.table,
        units.priority.astype(np.float32),
        Nested(
            cache(units.marker),
            cache(partial(units.marker, more="")),
            gap=gap,
            total=None if gap else units.total,
        ),
        units.named(),
        follows,
        ranked=True,
        fragments=True,
        graded=True,  # which records stand out says the rank
        warnings=units.warnings(),
    )
