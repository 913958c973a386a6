"""JSON and JSON lines: smaller, valid, and every kept value the source's own."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from tersely.content.json_tables import find_tables
from tersely.content.json_units import CLOSE, LINE, OBJECT, PIECE, JsonUnits
from tersely.content.tree import fit_tree
from tersely.content.tree_text import Tree
from tersely.errors import BudgetExceededError
from tersely.strategies.extractive import Extractive
from tersely.tables import Int32s
from tersely.types import Compressed, Request, Span

__all__ = ["Json", "json_pointers"]

_READER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Json:
    """Keeps the shape of JSON: keys first, some elements of long arrays, the beginnings of long strings.

    The result of valid JSON is valid JSON. What was left out says so in its place, `generated` in the result:
    `"… 37 more"` among the values of an array or on a line of JSON lines, `"…": "37 more"` at the end of an
    object, `"… 4-40": "37 more"` before it (their places, from 1), `… 812 more` (characters) in a string.
    Numbers, escapes and repeated keys stay as they are written. Of an array stay the first value, outliers,
    the last, the middle, ...; with a query, the records that it names come first. Where there is no room
    for the best of them beside such words, numbers alone stand there (`"… 37"`, `"…": 37`, `"… 4-40": ""`,
    `… 812`; warning "markers_shortened").

    A text that is not JSON, or nests deeper than 512, is compressed as text: warning "json_invalid" or
    "json_too_deep".

    Attributes:
        minify: leave out white space between values.
        tables: three objects or more with the same keys, in the same order, and only scalars and short
            containers of scalars in them, become a table: a row of the keys, then a row of the values of
            each. White space goes, too.
    """

    minify: bool = False
    tables: bool = False

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget.

        Raises BudgetExceededError where not even what opens and closes the first value fits. Linear.
        """
        texts = [document.text for document in request.documents]
        units = JsonUnits.read(texts, request.query)
        if units.fault.all():
            result = Extractive().compress(request)
            warnings = (*units.warnings(), *result.receipt.warnings)
            return replace(result, receipt=replace(result.receipt, warnings=warnings))
        if self.tables:
            with suppress(BudgetExceededError):  # a table may need more for its first row than an object does
                result = fit_tree(request, lambda texts: _tables(texts, units))
                if "markers_left_out" not in result.receipt.warnings:
                    return result
        follows = np.where(units.kind == CLOSE, units.table.heading, -1).astype(np.int32)
        gap = units.gap if self.minify or self.tables else None
        return fit_tree(request, lambda _: _tree(units, follows, gap))


def _tables(texts: list[str], units: JsonUnits) -> Tree:
    found = find_tables(texts, units)
    return _tree(found.units, found.follows, found.gap)


def _tree(units: JsonUnits, follows: Int32s, gap: Callable[[int], str] | None) -> Tree:
    return Tree(
        units.table,
        follows,
        units.priority,
        units.marker,
        units.short_marker,
        must=units.named(),
        gap=gap,
        warnings=units.warnings(),
    )


def json_pointers(result: Compressed) -> list[tuple[str, Span, bool]]:
    """(JSON Pointer, span, kept) of each span of a result of `Json`, in source order.

    A pointer (RFC 6901) names the value that a span is, opens, closes or lies in. Of JSON lines, the first
    step is the number of the line's value, from 0; spans of text that is not JSON have the pointer "". Linear
    in the documents, and in the pointers' length.
    """
    texts = [document.text for document in result.documents]
    units = JsonUnits.read(texts, None)
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
    found = [(bisect_right(places, (span.document, span.start)) - 1, span, kept) for span, kept in spans]
    found.sort(key=lambda item: (item[1].document, item[1].start))
    return [(pointers[row] if row >= 0 else "", span, kept) for row, span, kept in found]
