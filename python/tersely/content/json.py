"""JSON and JSON lines: smaller, valid, and every kept value the source's own; equal objects as a table."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tersely.content.tree import ARRAY, CLOSE, LINE, OBJECT, PIECE, VALUE, TreeUnits, nested_units
from tersely.content.units import Units
from tersely.types import Compressed, Document, Int32s, Int64s, Span

__all__ = ["Json", "json_pointers"]

_LEAST = 3  # objects of an array: a table of fewer is hardly shorter
_KEY = re.compile(r'"(?:[^"\\]|\\.)*"\s*:\s*', re.DOTALL)
_LONG_KEY = 200  # characters


@dataclass(frozen=True, eq=False, slots=True)
class JsonTables:
    """Units with tables in them."""

    #: as before, but without what opens and closes the objects of tables, and without their keys
    units: TreeUnits
    follows: Int32s  #: int32[n], as in `Tree`; the values of an object are in or out together
    #: what stands before the first value of each object of a table, and before what closes the table
    gaps: dict[int, str]

    def gap(self, row: int) -> str:
        """Return the gap before a row."""
        if row in self.gaps:
            return self.gaps[row]
        in_row = self.follows[row] >= 0 and self.units.kind[row] == VALUE
        return "," if in_row else self.units.gap(row)


def find_tables(texts: Sequence[str], units: TreeUnits) -> JsonTables:
    """Return units whose arrays of at least 3 flat objects with the same keys, in the same order, are tables.

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
        own=units.own[rows],
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


_READER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Json:
    """Keeps the structure of JSON: keys first, some elements of long arrays, the beginnings of long strings.

    The result of valid JSON is valid JSON. What was left out says so in its place, `generated` in the result:
    `"… 37 more"` among the values of an array or on a line of JSON lines, `"…": "37 more"` at the end of an
    object, `"… 4-40": "37 more"` before it (their places, from 1), `… 812 more` (characters) in a string.
    Numbers, escapes and repeated keys stay as they are written, and so do NaN and Infinity, commas before
    what closes, and comments inside, so a result needs no other parser than its source does. Of an array
    stay the first value, outliers, the last, the middle, ...; with a query, the records that it names come
    first. Where there is no room for the best of them beside such words, numbers alone stand there
    (`"… 37"`, `"…": 37`, `"… 4-40": ""`, `… 812`; warning "markers_shortened"). Where markers would take more
    than a tenth of the budget, what an array or object outside of all records lacks is counted once, at its
    end; an "…" stands in other places of arrays, and fields of records and pieces of strings are not counted
    (warning "markers_shortened").

    A text that is not JSON, or nests deeper than 512, is compressed as text: warning "json_invalid" or
    "json_too_deep".
    """

    kind: ClassVar[str] = "json"
    whole: ClassVar[bool] = True  # a piece of JSON is no JSON

    minify: bool = False  #: leave out white space between values
    #: three objects or more with the same keys, in the same order, and only scalars and short containers of
    #: scalars in them, become a table: a row of the keys, then a row of the values of each. White space goes,
    #: too.
    tables: bool = False

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """Values, their brackets, pieces of long strings; None if no text is JSON. Linear."""
        texts = [document.text for document in documents]
        units = TreeUnits.read(texts, query)
        if units.fault.all():
            return None
        if self.tables:
            found = find_tables(texts, units)
            return nested_units(found.units, found.follows, found.gap)
        return nested_units(units, units.follows(), units.gap if self.minify else None)

    @property
    def simpler(self) -> Json | None:
        """Without tables: a table may need more for its first row than an object does."""
        return replace(self, tables=False) if self.tables else None

    def refusals(self, documents: Sequence[Document]) -> tuple[str, ...]:
        """Reason codes for why texts are no JSON."""
        return TreeUnits.read([document.text for document in documents], None).warnings()


def json_pointers(result: Compressed) -> list[tuple[str, Span, bool]]:
    """Return (JSON Pointer, span, kept) for each span of a result of `Json`, in source order.

    A pointer (RFC 6901) names the value that a span is, opens, closes or lies in. Of JSON lines, the first
    step is the number of the line's value, from 0; spans of text that is not JSON have the pointer "". Linear
    in the documents, and in the pointers' length.
    """
    texts = [document.text for document in result.documents]
    units = TreeUnits.read(texts, None)
    table = units.table
    places = list(zip(table.document.tolist(), table.start.tolist(), strict=True))
    roots = np.bincount(table.document[table.heading < 0], minlength=len(texts))
    pointers: list[str] = []
    for row, container in enumerate(table.heading.tolist()):
        if units.kind[row] in (CLOSE, PIECE):
            pointers.append(pointers[container])
        elif container < 0:
            lines = roots[table.document[row]] > 1 and units.kind[row] != LINE
            pointers.append(f"/{units.place[row]}" if lines else "")
        elif units.kind[container] == OBJECT:
            source = texts[table.document[row]][int(table.start[row]) : int(table.end[row])]
            key = _READER.raw_decode(source)[0].replace("~", "~0").replace("/", "~1")
            pointers.append(f"{pointers[container]}/{key}")
        else:
            pointers.append(f"{pointers[container]}/{units.place[row]}")
    spans = [(span, kept) for spans, kept in ((result.kept, True), (result.dropped, False)) for span in spans]
    spans.sort(key=lambda item: (item[0].document, item[0].start))

    def pointer(span: Span) -> str:
        """Return the pointer of a span's one unit, the last that begins in it; else there are only commas."""
        row = bisect_left(places, (span.document, span.end)) - 1
        return pointers[row] if row >= 0 and places[row][0] == span.document else ""

    return [(pointer(span), span, kept) for span, kept in spans]
