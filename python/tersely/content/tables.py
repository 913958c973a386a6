"""Tables in text: CSV, TSV and Markdown's pipe tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tersely import _native
from tersely.content.outline import Outline, fit_outline
from tersely.content.unit_relevance import unit_relevance
from tersely.tables import Float32s, Int32s, Int64s, Kind, SegmentTable
from tersely.types import Compressed, Request

__all__ = ["Table"]

_DELIMITERS = ("", ",", ";", "\t", "|")
_ENDS = 0.5  # what the first and the last row are worth, beside 1 for the farthest outlier
_WITH_QUERY = 0.2  # what outliers and ends are worth beside the rows that the query asks for


@dataclass(frozen=True, slots=True)
class Table:
    """Keeps the header, then the rows that the query asks for, outliers, and the first and last rows.

    Rows stay as they are written, quoted cells with line breaks included. A row with a number far from the
    others of its column, or a value that few rows have, is an outlier (csrc/kernels/content/table_rows.hpp).
    A line says how many rows were left out.

    Attributes:
        delimiter: between cells: ",", ";", tab or "|"; "": found out.
        header: whether the first row names the columns and stays as long as anything does (for Markdown, with
            the rule under it).
    """

    delimiter: str = ""
    header: bool = True

    def __post_init__(self) -> None:
        """Check the options."""
        if self.delimiter not in _DELIMITERS:
            raise ValueError(
                f"delimiter must be one of {', '.join(map(repr, _DELIMITERS))}, not {self.delimiter!r}"
            )

    def compress(self, request: Request) -> Compressed:
        """Fit the documents, a table each, into the budget.

        Raises BudgetExceededError when pinned content, or the smallest row, does not fit. O(characters).
        """
        return fit_outline(request, lambda texts: self._read(request, texts))

    def _read(self, request: Request, texts: list[str]) -> Outline:
        read = [_Rows.read(text, self.delimiter, self.header) for text in texts]
        sizes = [len(rows.start) for rows in read]
        first = np.concatenate(([0], np.cumsum(sizes)))
        heads = [rows.head for rows in read]
        table = SegmentTable(
            document=np.repeat(np.arange(len(texts)), sizes).astype(np.int32),
            start=_joined([rows.start for rows in read]),
            end=_joined([rows.end for rows in read]),
            kind=np.full(int(first[-1]), Kind.TABLE, dtype=np.uint8),
            block=np.arange(first[-1], dtype=np.int32),
            heading=np.concatenate(
                [
                    _headings(size, head, at)
                    for size, head, at in zip(sizes, heads, first[:-1].tolist(), strict=True)
                ]
                or [np.empty(0, dtype=np.int32)]
            ),
        )
        must = np.zeros(len(table), dtype=np.uint8)
        for head, at in zip(heads, first[:-1].tolist(), strict=True):
            must[at : at + head] = 1
        scores = np.concatenate([rows.worth for rows in read] or [np.empty(0, dtype=np.float32)])
        found = unit_relevance(request, table)
        if found.by_query:
            largest = float(found.scores.max(initial=0)) or 1.0
            scores = found.scores / np.float32(largest) + np.float32(_WITH_QUERY) * scores
        delimiters = [rows.delimiter for rows in read]

        def marker(low: int, high: int) -> str:
            rows = high - low + 1
            said = f"… {rows:,} more row{'s' if rows > 1 else ''}"
            return f"| {said} |" if delimiters[int(table.document[low])] == "|" else said

        return Outline(table, scores.astype(np.float32), must, marker, warnings=found.warnings)


@dataclass(frozen=True, eq=False, slots=True)
class _Rows:
    """Rows of one text; the first `head` of them are the header."""

    delimiter: str
    start: Int64s
    end: Int64s
    head: int
    worth: Float32s  # [0, 1], without a query

    @staticmethod
    def read(text: str, delimiter: str, header: bool) -> _Rows:
        found, start, end, outlier = _native.table_rows([text], delimiter)
        head = int(header and len(start) > 0)
        if head and found == "|" and len(start) > 1 and not set(text[start[1] : end[1]]) - set("|:- \t"):
            head = 2
        worth = outlier / np.float32(max(float(outlier.max(initial=0)), 1e-6))
        if len(worth) > head:
            worth[head] = max(worth[head], _ENDS)
            worth[-1] = max(worth[-1], _ENDS)
        spread = np.float32(0.01) / (
            1 + np.arange(len(worth), dtype=np.float32)
        )  # earlier rows before later ones
        return _Rows(found, start, end, head, worth + spread)


def _headings(size: int, head: int, at: int) -> Int32s:
    """The row that each row needs: the one above it in the header, the header's last below it."""
    heading = np.full(size, at + head - 1 if head else -1, dtype=np.int32)
    for row in range(head):
        heading[row] = at + row - 1 if row else -1
    return heading


def _joined(columns: list[Int64s]) -> Int64s:
    return np.concatenate(columns or [np.empty(0, dtype=np.int64)])
