"""Arrays of objects with the same keys as tables: a row of keys, then a row of values for each object."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tersely.content.tree import ARRAY, CLOSE, OBJECT, VALUE, TreeUnits
from tersely.core.tables import Int32s, Int64s

__all__ = ["JsonTables", "find_tables"]

_LEAST = 3  # objects of an array: a table of fewer is hardly shorter
_KEY = re.compile(r'"(?:[^"\\]|\\.)*"\s*:\s*', re.DOTALL)
_LONG_KEY = 200  # characters


@dataclass(frozen=True, eq=False, slots=True)
class JsonTables:
    """Units with tables in them.

    Attributes:
        units: as before, but without what opens and closes the objects of tables, and without their keys.
        follows: int32[n], as in `Tree`; the values of an object are in or out together.
        gaps: what stands before the first value of each object of a table, and before what closes the table.
    """

    units: TreeUnits
    follows: Int32s
    gaps: dict[int, str]

    def gap(self, row: int) -> str:
        """What stands before a row."""
        if row in self.gaps:
            return self.gaps[row]
        in_row = self.follows[row] >= 0 and self.units.kind[row] == VALUE
        return "," if in_row else self.units.gap(row)


def find_tables(texts: Sequence[str], units: TreeUnits) -> JsonTables:
    """Units whose arrays of at least 3 flat objects with the same keys, in the same order, are tables.

    A flat object has scalars and short containers of scalars, each in one unit. O(units).
    """
    table, kind = units.table, units.kind
    start = table.start.copy()
    parent, priority = table.heading.copy(), units.priority.copy()
    follows = np.where(kind == CLOSE, parent, -1).astype(np.int32)
    gone = np.zeros(len(kind), dtype=bool)
    gaps: dict[int, str] = {}
    for array, keys, records in _arrays(texts, units):
        for number, (opens, first, last, values) in enumerate(records):
            gone[[opens, last + 1]] = True
            start[first : last + 1] = values
            parent[first : last + 1] = array
            follows[first + 1 : last + 1] = first
            follows[first] = -1
            priority[first : last + 1] = priority[opens]
            gaps[first] = "],[" if number else f"[{','.join(keys)}],["
        gaps[records[-1][2] + 2] = "]"
    rows = np.flatnonzero(~gone)
    moved = np.full(len(kind) + 1, -1, dtype=np.int32)  # the last for -1
    moved[rows] = np.arange(len(rows), dtype=np.int32)
    shown = replace(
        table,
        document=table.document[rows],
        start=start[rows],
        end=table.end[rows],
        kind=table.kind[rows],
        block=table.block[rows],
        heading=moved[parent[rows]],
    )
    left = replace(
        units,
        table=shown,
        kind=kind[rows],
        place=_places(units, gaps, rows),
        count=units.count[rows],
        priority=priority[rows],
        record=units.record[rows],
    )
    return JsonTables(left, moved[follows[rows]], {int(moved[row]): gap for row, gap in gaps.items()})


_Record = tuple[int, int, int, Int64s]  # what opens it, its first and last value, where the values begin


def _arrays(texts: Sequence[str], units: TreeUnits) -> Iterator[tuple[int, list[str], list[_Record]]]:
    """Rows of arrays that can be tables, their keys as they are written, and their objects."""
    table, kind = units.table, units.kind.tolist()
    parents = table.heading.tolist()
    opened: dict[int, list[int]] = {}  # objects of each array
    for row, parent in enumerate(parents):
        if parent >= 0 and kind[parent] == ARRAY and kind[row] == OBJECT:
            opened.setdefault(parent, []).append(row)
    for array, objects in opened.items():
        if len(objects) < _LEAST or len(objects) != units.count[array]:
            continue
        records, keys = [], None
        for opens in objects:
            first, last = opens + 1, opens + int(units.count[opens])
            if last < first or last + 1 >= len(kind) or kind[last + 1] != CLOSE or parents[last + 1] != opens:
                break
            found = _keys(texts[int(table.document[opens])], units, first, last)
            if found is None or (keys is not None and found[0] != keys):
                break
            keys = found[0]
            records.append((opens, first, last, found[1]))
        if len(records) == len(objects) and keys is not None and len(set(keys)) == len(keys):
            yield array, keys, records


def _keys(text: str, units: TreeUnits, first: int, last: int) -> tuple[list[str], Int64s] | None:
    """The keys of the members [first, last] as they are written, and where their values begin."""
    keys, begins = [], []
    for row in range(first, last + 1):
        if units.kind[row] != VALUE:
            return None
        begin, end = int(units.table.start[row]), int(units.table.end[row])
        match = _KEY.match(text, begin, min(end, begin + _LONG_KEY))
        if match is None:
            return None
        keys.append(match.group().rstrip()[:-1].rstrip())
        begins.append(match.end())
    return keys, np.array(begins, dtype=np.int64)


def _places(units: TreeUnits, gaps: dict[int, str], rows: Int64s) -> Int32s:
    """Look up the index, in the array, of the object that each value of a table belongs to."""
    place = units.place.copy()
    parents = units.table.heading
    for row, gap in gaps.items():
        if gap == "]":
            continue
        opens = int(parents[row])
        place[row : row + int(units.count[opens])] = units.place[opens]
    return place[rows]
