"""Tables in text: CSV, TSV and Markdown's pipe tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely import _native
from tersely.content.units import Lines, Units, units_of
from tersely.core.tables import Float32s, Int32s, Int64s, Kind
from tersely.core.types import Document

__all__ = ["Table"]

_DELIMITERS = ("", ",", ";", "\t", "|")
_ENDS = 0.5  # what the first and the last row are worth, beside 1 for the farthest outlier


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

    kind: ClassVar[str] = "table"

    delimiter: str = ""
    header: bool = True

    def __post_init__(self) -> None:
        """Check the options."""
        if self.delimiter not in _DELIMITERS:
            raise ValueError(
                f"delimiter must be one of {', '.join(map(repr, _DELIMITERS))}, not {self.delimiter!r}"
            )

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """The rows, a table a document, each with its header as what it needs. O(characters)."""
        read = [_Rows.read(document.text, self.delimiter, self.header) for document in documents]
        sizes = [len(one.start) for one in read]
        first = np.cumsum([0, *sizes]).tolist()
        places = list(zip(sizes, read, first, strict=False))
        none32, none64 = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
        table = units_of(
            np.repeat(np.arange(len(read)), sizes),
            np.concatenate([none64, *(one.start for one in read)]),
            np.concatenate([none64, *(one.end for one in read)]),
            Kind.TABLE,
            np.concatenate([none32, *(_headings(size, one.head, at) for size, one, at in places)]),
        )
        header = np.zeros(len(table), dtype=bool)
        for _, one, at in places:
            header[at : at + one.head] = True
        worth = np.concatenate([np.empty(0, dtype=np.float32), *(one.worth for one in read)])
        delimiters = [one.delimiter for one in read]

        def marker(low: int, high: int) -> str:
            rows = high - low + 1
            said = f"… {rows:,} more row{'s' if rows > 1 else ''}"
            return f"| {said} |" if delimiters[int(table.document[low])] == "|" else said

        return Units(table, worth.astype(np.float32), Lines(marker), header, relevant=False)


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
