"""JSON and JSON lines: smaller, valid, and every kept value the source's own."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np

from tersely import _native
from tersely.content.tree import fit_tree
from tersely.content.tree_text import Tree
from tersely.stages.question import read_question
from tersely.strategies.extractive import Extractive
from tersely.tables import Float64s, Int32s, Kind, SegmentTable, UInt8s
from tersely.types import Compressed, Request, Span

__all__ = ["Json", "json_pointers"]

# Kinds of units and faults of texts, as csrc/kernels/content/json_scan.hpp has them.
_OBJECT, _CLOSE, _HEAD, _PIECE, _LINE = 1, 3, 4, 5, 6
_READER = json.JSONDecoder()
_FAULTS = ("", "json_invalid", "json_too_deep")


@dataclass(frozen=True, slots=True)
class Json:
    """Keeps the shape of JSON: keys first, some elements of long arrays, the beginnings of long strings.

    The result of valid JSON is valid JSON. What was left out says so in its place, `generated` in the result:
    `"… 37 more"` among the values of an array or on a line of JSON lines, `"…": "37 more"` at the end of an
    object, `"… 4-40": "37 more"` before it (their places, from 1), `… 812 more` (characters) in a string.
    Numbers, escapes and repeated keys stay as they are written. Of an array stay the first value, outliers,
    the last, the middle, ...; with a query, the records that it names come first.

    A text that is not JSON, or nests deeper than 512, is compressed as text: warning "json_invalid" or
    "json_too_deep".

    Attributes:
        minify: leave out white space between values.
    """

    minify: bool = False

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget.

        Raises BudgetExceededError where not even what opens and closes the first value fits. Linear.
        """
        texts = [document.text for document in request.documents]
        units = _Units.read(texts, request.query)
        if units.fault.all():
            result = Extractive().compress(request)
            warnings = (*units.warnings(), *result.receipt.warnings)
            return replace(result, receipt=replace(result.receipt, warnings=warnings))
        return fit_tree(request, lambda _: units.tree(self.minify))


@dataclass(frozen=True, eq=False, slots=True)
class _Units:
    table: SegmentTable
    kind: UInt8s
    place: Int32s
    count: Int32s
    priority: Float64s
    fault: UInt8s

    @staticmethod
    def read(texts: list[str], query: str | None) -> _Units:
        asked = read_question(query).text if query and query.strip() else ""
        document, start, end, kind, parent, place, count, priority, fault = _native.json_units(texts, asked)
        code = np.full(len(start), Kind.CODE, dtype=np.uint8)
        table = SegmentTable(document, start, end, code, document, parent)
        return _Units(table, kind, place, count, priority, fault)

    def warnings(self) -> tuple[str, ...]:
        return tuple(_FAULTS[code] for code in np.unique(self.fault).tolist() if code)

    def tree(self, minify: bool) -> Tree:
        follows = np.where(self.kind == _CLOSE, self.table.heading, -1).astype(np.int32)
        gap = self.gap if minify else None
        return Tree(self.table, follows, self.priority, self.marker, gap=gap, warnings=self.warnings())

    def gap(self, row: int) -> str:
        """The least that may stand before a row: a comma before all values of a container but the first."""
        if self.kind[row] in (_CLOSE, _PIECE) or self.place[row] == 0:
            return ""
        return "\n" if self.table.heading[row] < 0 else ","

    def marker(self, first: int, last: int) -> str:
        """A run lies in one container, from one of its values to before another or what closes it."""
        container = int(self.table.heading[first])
        if self.kind[first] == _PIECE:
            more = f"… {int(self.table.end[last] - self.table.start[first])} more"
            return more if self.kind[last + 1] == _CLOSE else f"{more} …"
        begin = int(self.place[first])
        stop = self._stop(first, last, container)
        more = f"{stop - begin} more"
        if self.kind[first] == _LINE:
            return f"… {stop - begin} more lines"
        if container < 0 or self.kind[container] != _OBJECT:
            return f'"… {more}"'
        key = "…" if stop == self.count[container] else f"… {begin + 1}-{stop}"
        return f'"{key}": "{more}"'

    def _stop(self, first: int, last: int, container: int) -> int:
        """The place behind the run."""
        after = last + 1
        if after < len(self.place) and self.table.document[after] == self.table.document[first]:
            return int(self.place[after])
        return int(np.count_nonzero(self.table.heading[first:after] == container)) + int(self.place[first])


def json_pointers(result: Compressed) -> list[tuple[str, Span, bool]]:
    """(JSON Pointer, span, kept) of each span of a result of `Json`, in source order.

    A pointer (RFC 6901) names the value that a span is, opens, closes or lies in. Of JSON lines, the first
    step is the number of the line's value, from 0; spans of text that is not JSON have the pointer "". Linear
    in the documents, and in the pointers' length.
    """
    texts = [document.text for document in result.documents]
    units = _Units.read(texts, None)
    table = units.table
    row_of = {
        place: row
        for row, place in enumerate(zip(table.document.tolist(), table.start.tolist(), strict=True))
    }
    roots = np.bincount(table.document[table.heading < 0], minlength=len(texts))
    pointers: list[str] = []
    for row, container in enumerate(table.heading.tolist()):
        if units.kind[row] in (_CLOSE, _PIECE):
            pointers.append(pointers[container])
        elif container < 0:
            lines = roots[table.document[row]] > 1 and units.kind[row] != _LINE
            pointers.append(f"/{units.place[row]}" if lines else "")
        elif units.kind[container] == _OBJECT:
            source = texts[table.document[row]][int(table.start[row]) : int(table.end[row])]
            key = _READER.raw_decode(source)[0].replace("~", "~0").replace("/", "~1")
            pointers.append(f"{pointers[container]}/{key}")
        else:
            pointers.append(f"{pointers[container]}/{units.place[row]}")
    spans = [(span, kept) for spans, kept in ((result.kept, True), (result.dropped, False)) for span in spans]
    found = [(row_of.get((span.document, span.start), -1), span, kept) for span, kept in spans]
    found.sort(key=lambda item: (item[1].document, item[1].start))
    return [(pointers[row] if row >= 0 else "", span, kept) for row, span, kept in found]
