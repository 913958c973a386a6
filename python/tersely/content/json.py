"""JSON and JSON lines: smaller, valid, and every kept value the source's own."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tersely.content.json_tables import find_tables
from tersely.content.tree import CLOSE, LINE, OBJECT, PIECE, TreeUnits, nested_units
from tersely.content.units import Units
from tersely.core.types import Compressed, Document, Span

__all__ = ["Json", "json_pointers"]

_READER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Json:
    """Keeps the shape of JSON: keys first, some elements of long arrays, the beginnings of long strings.

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

    Attributes:
        minify: leave out white space between values.
        tables: three objects or more with the same keys, in the same order, and only scalars and short
            containers of scalars in them, become a table: a row of the keys, then a row of the values of
            each. White space goes, too.
    """

    kind: ClassVar[str] = "json"
    whole: ClassVar[bool] = True  # a piece of JSON is no JSON

    minify: bool = False
    tables: bool = False

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """Values, what opens and closes them, pieces of long strings; None where no text is JSON. Linear."""
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
    """(JSON Pointer, span, kept) of each span of a result of `Json`, in source order.

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
