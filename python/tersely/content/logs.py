"""Logs: a line of each template and how often it came, errors and their neighbours, what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

import numpy as np

from tersely import _native
from tersely.checks import whole_number
from tersely.content.lines import (
    LineTable,
    Mark,
    asked_for,
    places_of_lines,
    read_lines,
    report_grades,
)
from tersely.content.units import Bools, Lines, Units
from tersely.types import Document

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
        units = units_of_lines(lines, query, self.context, True, self.notes)
        return replace(units, independent=True, complete=not lines.gaps or bool(lines.bulk.any()))


def units_of_lines(
    lines: LineTable,
    query: str | None,
    context: int,
    kinds: bool = False,
    notes: bool = False,
) -> Units:
    """Lines of programs as units: their worth by themselves and for the query, failures before all others.

    `context`: lines around an error that count as its neighbourhood; `kinds`: whether the first line of each
    template and rare lines come before all others, too; `notes`: whether the first line of each template
    says how often it came.
    O(lines), natively.
    """
    asked, for_query = asked_for(lines)
    worth, first = _native.line_worth(
        report_grades(lines), for_query.astype(np.float32), lines.graded(), context, kinds
    )
    must = (first & (_FAILS | _IS_NEW if kinds else _FAILS)) != 0
    must &= lines.table.end - lines.table.start <= _LONG
    return Units(
        lines.table,
        worth,
        marked_lines(lines, *(_notes(lines) if notes else ())),
        (must | asked) & ~lines.bulk & ~lines.has(Mark.OVERWRITTEN),
        bulk=lines.bulk,
        graded=True,
        warnings=lines.unmatched(query),
    )


def marked_lines(
    lines: LineTable, note: Callable[[int], str] | None = None, noted: Bools | None = None
) -> Lines:
    """Write lines with markers that count the lines left out of a run of rows, or once for all of a document.

    A run lies in one document. Lines that an earlier compression left out beside a row count, too.
    """
    earlier = np.where(lines.has(Mark.OWN), lines.stands_for - 1, 0)
    continued = lines.continued
    marker = _native.line_marker(
        lines.table.document,
        lines.line,
        earlier,
        continued,
        lines.total if lines.gaps else -1,
    )
    total = None if lines.gaps else marker.total
    return Lines(marker, note=note, noted=noted, continued=continued, total=total)


def _notes(lines: LineTable) -> tuple[Callable[[int], str], Bools]:
    """Make the note after a template's first line: how many such lines there are, and the last time.

    Returns row -> note, and bool[n]: the rows that have one.
    """
    counts = lines.counts[lines.template]
    noted = (places_of_lines(lines) == 0) & (counts >= _REPEATED) & ~lines.continued & (lines.stands_for <= 1)

    @cache  # each of several texts is asked for the same
    def note(row: int) -> str:
        first, last = lines.stamps[lines.template[row]]
        return f" … ×{counts[row]}" + (f" to {shorter(first, last)}" if last and last != first else "")

    return note, noted


def shorter(first: str, last: str) -> str:
    """The second stamp without the fields that it shares with the first, from the left."""
    if len(first) != len(last):
        return last
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), len(last))
    while same > 0 and last[same - 1] not in " T":
        same -= 1
    return last[same:]
