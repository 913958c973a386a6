"""JSON and JSON lines: smaller, valid, and every kept value the source's own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tersely import _native
from tersely.content.tree import Tree, fit_tree
from tersely.stages.question import read_question
from tersely.strategies.extractive import Extractive
from tersely.tables import Int32s, Int64s, Kind, SegmentTable, UInt8s
from tersely.types import Compressed, Request

__all__ = ["Json"]

# Kinds of units and faults of texts, as csrc/kernels/content/json_scan.hpp has them.
_OBJECT, _CLOSE, _HEAD, _PIECE, _LINE = 1, 3, 4, 5, 6
_FAULTS = ("", "json_invalid", "json_too_deep")


@dataclass(frozen=True, slots=True)
class Json:
    """Keeps the shape of JSON: keys first, some elements of long arrays, the beginnings of long strings.

    The result of valid JSON is valid JSON. What was left out says so in its place, in the result's `generated`:
    `"… 37 more"` among the values of an array or on a line of JSON lines, `"…": "37 more"` at the end of an
    object, `"… 4-40": "37 more"` before it (the places of those left out, from 1), `… 812 more` (characters) in a
    string. Numbers, escapes and repeated keys stay as they are written. Of an array stay the first value, the
    outliers, the last, the middle, ...; with a query, the records that it names come first.

    A text that is not JSON, or nests deeper than 512, is compressed as text: warning "json_invalid" or
    "json_too_deep".
    """

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
        return fit_tree(request, lambda _: units.tree())


@dataclass(frozen=True, eq=False, slots=True)
class _Units:
    table: SegmentTable
    kind: UInt8s
    place: Int32s
    count: Int32s
    priority: np.ndarray
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

    def tree(self) -> Tree:
        follows = np.where(self.kind == _CLOSE, self.table.heading, -1).astype(np.int32)
        return Tree(self.table, follows, self.priority, self.marker, warnings=self.warnings())

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
        return int(np.count_nonzero(self.table.heading[first : after] == container)) + int(self.place[first])


