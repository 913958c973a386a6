"""Logs: a line of each template and how often it came, errors and their neighbours, what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tersely._native import line_worth
from tersely.checks import whole_number
from tersely.content.lines import (
    LineTable,
    Mark,
    asked_for,
    places_of_lines,
    read_lines,
    report_grades,
)
from tersely.content.units import Lines, Marker, Total, Units
from tersely.types import Document, Int64s

__all__ = ["Logs"]

_FAILS, _IS_NEW = 1, 2  # csrc/kernels/content/line_grades.hpp
_LONG = 400  # characters: a longer piece of a line does not come first, whatever it says
_REPEATED = 3  # lines of a template from which its first line says how many there are


@dataclass(frozen=True, slots=True)
class Logs:
    """Keeps the first line of each template, rare lines, errors, and lines that the query asks for.

    A template is what lines have in common when values are left aside. Where more lines than one follow it,
    its first line ends with a note of how many and until when; left out lines are counted where they were, or
    once for all, beside an "…" in each place, where such counts would take more than a tenth of the budget
    ("markers_shortened").

    Attributes:
        context: lines before and after an error that count as its neighbourhood.
        notes: whether the first line of a template says how often it came.
    """

    kind: ClassVar[str] = "log"

    context: int = 2
    notes: bool = True

    def __post_init__(self) -> None:
        whole_number(self.context, "context")

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """The lines with their worth; at most `rows` of them are looked at one by one. O(characters)."""
        lines = read_lines([document.text for document in documents], query, rows)
        return self.units(lines, query)

    def units(self, lines: LineTable, query: str | None) -> Units:
        """Make units of lines that are read already."""
        units = units_of_lines(lines, query, self.context, True, _notes(lines) if self.notes else None)
        return replace(units, independent=True, complete=not lines.gaps or bool(lines.bulk.any()))


def units_of_lines(
    lines: LineTable,
    query: str | None,
    context: int,
    kinds: bool = False,
    note: Callable[[int], str] | None = None,
) -> Units:
    """Lines of programs as units: their worth by themselves and for the query, failures before all others.

    `context`: lines around an error that count as its neighbourhood; `kinds`: whether the first line of each
    template and rare lines come before all others, too; `note`: row -> what stands after it.
    O(lines), natively.
    """
    asked, for_query = asked_for(lines)
    worth, first = line_worth(
        report_grades(lines), for_query.astype(np.float32), lines.graded(), context, kinds
    )
    must = (first & (_FAILS | _IS_NEW if kinds else _FAILS)) != 0
    must &= lines.table.end - lines.table.start <= _LONG
    return Units(
        lines.table,
        worth,
        Lines(left_out(lines), note=note, continued=lines.continued, total=total_left_out(lines)),
        (must | asked) & ~lines.bulk & ~lines.has(Mark.OVERWRITTEN),
        bulk=lines.bulk,
        graded=True,
        warnings=lines.unmatched(query),
    )


def left_out(lines: LineTable) -> Marker:
    """Make markers that count the lines of a run of rows that are left out; a run lies in one document."""
    number = np.cumsum(np.diff(lines.line, prepend=-1) != 0).tolist()
    before = [0, *np.cumsum(_left_out_before(lines)).tolist()]

    def marker(first: int, last: int) -> str:
        if lines.gaps:
            above, below = _line_beside(lines, first, -1), _line_beside(lines, last, 1)
            many = below - above - 1 if below >= 0 else -1
        else:
            many = number[last] - number[first] + 1
        return _says(many, before[last + 1] - before[first])

    return marker


def _left_out_before(lines: LineTable) -> Int64s:
    """int64[n]: lines that an earlier compression left out where a row says so, beside that row."""
    return np.where(lines.has(Mark.OWN), lines.stands_for - 1, 0)


def _says(many: int, before: int) -> str:
    """The marker for so many lines; `before`: how many more an earlier compression left out there."""
    many += before if many > 0 else 0
    return f"… {many} line{'s' if many > 1 else ''}" if many > 0 else "… more lines"


def total_left_out(lines: LineTable) -> Total | None:
    """Markers that say once, in the last place of a document, how many of its lines are left out."""
    if lines.gaps:
        return None
    document, before = lines.table.document, _left_out_before(lines)

    def total(kept: Int64s) -> Marker:
        out = ~lines.continued
        out[kept] = False
        rows = np.flatnonzero(out)
        documents = np.arange(int(document[-1]) + 2 if len(document) else 1)
        bounds = np.searchsorted(document[rows], documents).tolist()

        def marker(first: int, last: int) -> str:
            mine = rows[bounds[document[first]] : bounds[document[first] + 1]]
            return "" if mine[-1] > last else _says(len(mine), int(before[mine].sum()))

        return marker

    return total


def _line_beside(lines: LineTable, row: int, step: int) -> int:
    """Number of the line before or after a row; -1 before the first; after the last, how many there are."""
    document, other = lines.table.document, row + step
    if 0 <= other < len(document) and document[other] == document[row]:
        return int(lines.line[other])
    return lines.total if step > 0 and document[-1] == 0 else -1


def _notes(lines: LineTable) -> Callable[[int], str]:
    """Make the note after a template's first line: how many such lines there are, and the last time."""
    counts = lines.counts[lines.template]
    noted = (places_of_lines(lines) == 0) & (counts >= _REPEATED) & ~lines.continued & (lines.stands_for <= 1)
    rows = set(np.flatnonzero(noted).tolist())

    def note(row: int) -> str:
        if row not in rows:
            return ""
        first, last = lines.stamps[lines.template[row]]
        return f" … ×{counts[row]}" + (f" to {shorter(first, last)}" if last and last != first else "")

    return note


def shorter(first: str, last: str) -> str:
    """The second stamp without the fields that it shares with the first, from the left."""
    if len(first) != len(last):
        return last
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), len(last))
    while same > 0 and last[same - 1] not in " T":
        same -= 1
    return last[same:]
