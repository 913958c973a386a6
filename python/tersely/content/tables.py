"""Tables in text: CSV, TSV, pipes (Markdown, psql, mysql), columns by white space."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely import _native
from tersely.content.tool_output import ToolOutput
from tersely.content.units import Bools, Lines, Marker, Units, units_of
from tersely.types import Document, Float32s, Int32s, Int64s, Kind, UInt8s

__all__ = ["Table"]

_DELIMITERS = ("", ",", ";", "\t", "|", " ")
_ROW, _HEAD, _RULE, _TEXT = range(4)  # roles of rows, as csrc/kernels/content/tables.hpp has them
# What an earlier compression wrote.
_OWN = re.compile(r"(?m)^(?:\| )?…(?: ([0-9,]{1,15}) more rows?)?(?: \|)?$")
_FIRST = re.compile(r"[ \t|]*(\S{1,80})")
_LETTERS, _DIGITS = re.compile(r"[^\W\d]+"), re.compile(r"\d+")
_ABOVE = 7  # rows above a foot that it is compared with
_ENDS, _LINE = 0.5, 0.001  # worth of the first and last rows, of a rule
_WORDS, _TOLD = 0.45, 0.55  # of text around a table; with numbers, such as totals


@dataclass(frozen=True, slots=True)
class Table:
    """Keeps the header, then rows about the query, outliers, the first and last rows, and rows with totals.

    Rows stay as they are written, quoted cells with line breaks included. A row stands out for a value that
    is rare in a column where values repeat, a word of failure, a number far from the others
    (csrc/kernels/content/records.hpp). A line says how many rows were left out; where such lines would take
    more than a tenth of the budget, one at the end counts all, and an "…" stands in the others' places
    (warning "markers_shortened").
    """

    kind: ClassVar[str] = "table"

    delimiter: str = ""  #: between cells: ",", ";", tab or "|"; " " for columns by white space; "": found out
    #: whether the first rows name the columns and stay as long as any row below them does
    header: bool = True

    def __post_init__(self) -> None:
        if self.delimiter not in _DELIMITERS:
            raise ValueError(
                f"delimiter must be one of {', '.join(map(repr, _DELIMITERS))}, not {self.delimiter!r}"
            )

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """Return the rows; each needs its header. O(characters)."""
        read = [_Rows.read(document.text, self.delimiter, self.header) for document in documents]
        if not self.delimiter and any(
            one.delimiter not in document.text for one, document in zip(read, documents, strict=True)
        ):
            return ToolOutput().read(documents, query, rows)  # rows of one cell are lines
        sizes = [len(one.start) for one in read]
        first = np.cumsum([0, *sizes]).tolist()
        none32, none64 = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
        heads = [np.where(one.head >= 0, one.head + at, -1) for one, at in zip(read, first, strict=False)]
        table = units_of(
            np.repeat(np.arange(len(read)), sizes),
            np.concatenate([none64, *(one.start for one in read)]),
            np.concatenate([none64, *(one.end for one in read)]),
            Kind.TABLE,
            np.concatenate([none32, *heads]),
        )
        worth = np.concatenate([np.empty(0, dtype=np.float32), *(one.worth for one in read)])
        header = np.concatenate([np.empty(0, dtype=bool), *(one.header for one in read)])
        piped = [one.delimiter == "|" for one in read]
        stands_for = np.concatenate([none64, *(one.stands_for for one in read)])

        def says(low: int, rows: int) -> str:
            said = f"… {rows:,} more row{'s' if rows > 1 else ''}"
            return f"| {said} |" if piped[int(table.document[low])] else said

        def marker(low: int, high: int) -> str:
            return says(low, int(stands_for[low : high + 1].sum()))

        def sign(low: int, high: int) -> str:
            return "| … |" if piped[int(table.document[low])] else "…"

        def total(kept: Int64s) -> Marker:
            """Markers that count all rows of a document that are left out, once, in the last place."""
            out = np.ones(len(table), dtype=bool)
            out[kept] = False

            def marker(low: int, high: int) -> str:
                document = int(table.document[low])
                after = slice(high + 1, first[document + 1])
                if out[after].any():
                    return ""
                rows = slice(first[document], first[document + 1])
                return says(low, int(stands_for[rows][out[rows]].sum()))

            return marker

        return Units(
            table,
            worth.astype(np.float32),
            Lines(marker, total=total, sign=sign),
            header,
            ranked=True,
            relevant=False,
        )


@dataclass(frozen=True, eq=False, slots=True)
class _Rows:
    """Rows of one text."""

    delimiter: str  #: between cells
    start: Int64s  #: with `end`: int64[n], where they are
    end: Int64s
    head: Int32s  #: int32[n], the row that each needs; -1: none
    header: Bools  #: bool[n], rows of the header, where all rows have the same
    worth: Float32s  #: float32[n], without a query
    stands_for: Int64s  #: int64[n], rows: of what an earlier compression wrote, as many as it counts; else 1

    @staticmethod
    def read(text: str, delimiter: str, header: bool) -> _Rows:
        found, start, end, role, head, standing = _native.table_rows([text], delimiter, header)
        heads = np.zeros(len(role), dtype=bool)
        heads[(role == _HEAD) & (len(np.unique(head[role == _ROW])) == 1)] = True
        stands_for = np.ones(len(start), dtype=np.int64)
        for mark in _OWN.finditer(text):
            row = int(np.searchsorted(start, mark.start()))
            if row < len(start) and (start[row], end[row]) == mark.span():
                stands_for[row] = int((mark[1] or "").replace(",", "") or 0)
        numbers = np.array([_DIGITS.search(text, *row) is not None for row in zip(start, end, strict=True)])
        worth = np.where(
            stands_for != 1, np.float32(0), _worth(role, standing, _feet(text, start, role, head), numbers)
        )
        return _Rows(found, start, end, head, heads, worth, stands_for)


def _feet(text: str, start: Int64s, role: UInt8s, head: Int32s) -> list[int]:
    """Return the rows of totals: the last row, if its first cell is unlike those above it."""
    rows = np.flatnonzero(role == _ROW)
    last = np.append(np.flatnonzero(np.diff(head[rows])), len(rows) - 1) if len(rows) else rows
    feet = []
    for at in last[np.diff(last, prepend=-1) > _ABOVE].tolist():
        *above, foot = (_shape(text, int(start[row])) for row in rows[at - _ABOVE : at + 1])
        if foot not in above:
            feet.append(int(rows[at]))
    return feet


def _shape(text: str, start: int) -> str:
    """Return the shape of a word: letters and digits each replaced by one sign."""
    word = _FIRST.match(text, start)
    return _LETTERS.sub("a", _DIGITS.sub("0", word[1])) if word else ""


def _worth(role: UInt8s, standing: Float32s, feet: list[int], numbers: Bools) -> Float32s:
    """Return the worth of rows: outliers above 1, first, last, feet and text near a half, others in order."""
    worth = np.where(standing > 0, 1 + standing, 0).astype(np.float32)
    rows = np.flatnonzero(role == _ROW)
    if len(rows):
        ends = [rows[0], rows[-1], *feet]
        worth[ends] = np.maximum(worth[ends], _ENDS)
    worth[role == _TEXT] = np.where(numbers[role == _TEXT], _TOLD, _WORDS)
    spread = np.float32(0.01) / (
        1 + np.arange(len(worth), dtype=np.float32)
    )  # earlier rows before later ones
    return np.where(role == _RULE, np.float32(_LINE), worth + spread)
