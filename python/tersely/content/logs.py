"""Logs: a line of each template with its count, errors and their neighbours, lines for the query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

import numpy as np

from tersely import _native
from tersely.checks import whole_number
from tersely.content.lines import (
    ERROR,
    LineTable,
    Mark,
    asked_for,
    places_of_lines,
    read_lines,
    report_grades,
)
from tersely.content.units import Bools, Lines, Units
from tersely.types import Document, Float32s, Int32s, Int64s, Kind

__all__ = ["Logs"]

_FAILS, _IS_NEW = 1, 2  # csrc/kernels/content/line_grades.hpp
_LONG = 400  # characters: a longer piece of a line does not come first, whatever it says
_REPEATED, _SERIES = 3, 5  # lines of a template, of a series, whose first says how many there are


@dataclass(frozen=True, slots=True)
class Logs:
    """Keeps the first line of each template, rare lines, errors, and lines about the query.

    A template is what lines have in common when values are left aside. Where more lines than one follow it,
    its first line ends with a note of how many and until when; left out lines are counted where they were, or
    once for all, beside an "…" in each place, where such counts would take more than a tenth of the budget
    ("markers_shortened").
    """

    kind: ClassVar[str] = "log"

    context: int = 2  #: lines before and after an error that count as its neighbourhood
    notes: bool = True  #: whether the first line of a template, and of a series, says how often it came

    def __post_init__(self) -> None:
        whole_number(self.context, "context")

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """Return the lines with their scores; examines at most `rows` lines one by one. O(characters)."""
        lines = read_lines([document.text for document in documents], query, rows)
        return self.units(lines, query)

    def units(self, lines: LineTable, query: str | None) -> Units:
        """Make units of lines that are read already."""
        units = units_of_lines(lines, query, self.context, True, self.notes)
        return replace(units, independent=True, complete=not lines.gaps or bool(lines.bulk.any()))


def units_of_lines(
    lines: LineTable, query: str | None, context: int, kinds: bool = False, notes: bool = True
) -> Units:
    """Return lines of programs as units, scored by themselves and for the query, failures first.

    `context`: lines around an error that count as its neighbourhood; `kinds`: whether the first line of each
    template and rare lines come before all others, too; `notes`: whether the first line of a series, or with
    `kinds` of a template, says how often it came. In lists entries go by their place. Odd lines
    bring what they stand under. O(lines), natively.
    """
    asked, for_query = asked_for(lines)
    grade = report_grades(lines)
    worth, first, needs, lists = _native.line_worth(
        grade, for_query.astype(np.float32), lines.graded(), context, True
    )
    listed, table = lists > 0, lines.table
    must = (first & (_FAILS | _IS_NEW if kinds else _FAILS)) != 0
    placed = listed & ((needs >= 0) | (lines.copies == 0))  # rules between records say nothing alone
    needs = np.where(table.heading >= 0, table.heading, needs)
    table = replace(table, heading=needs, kind=np.where(placed, np.uint8(Kind.CODE), table.kind))
    must &= table.end - table.start <= _LONG
    leads = lines.has(Mark.LEADS) & (grade < ERROR) & ~asked & (worth > 0)
    leads &= np.bincount(needs[needs >= 0], minlength=len(needs)) > 0
    note, noted, told = _notes(lines, grade, kinds, listed) if notes else (None, None, None)
    if told is not None:
        must &= told < 0
    return Units(
        table,
        worth,
        marked_lines(lines, note, noted, told),
        (must | asked) & ~lines.bulk & ~lines.has(Mark.OVERWRITTEN),
        bulk=lines.bulk,
        auxiliary=leads,
        graded=True,
        warnings=lines.unmatched(query),
    )


def marked_lines(
    lines: LineTable,
    note: Callable[[int], str] | None = None,
    noted: Bools | None = None,
    told: Int32s | None = None,
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
    return Lines(marker, note=note, noted=noted, continued=continued, total=total, told=told)


def _notes(
    lines: LineTable, grade: Float32s, kinds: bool, listed: Bools
) -> tuple[Callable[[int], str] | None, Bools | None, Int32s | None]:
    """Make notes, and find which rows have one, and which row's note tells of each line.

    A note says how many lines there are, and until when. The first line of a series has one, with `kinds`
    that of a template, too; lines of lists have none. Of a trace that comes again, what says most has one.
    """
    told, traces = _native.repeated_traces(grade, lines.graded())
    heads = ~lines.continued & (lines.stands_for <= 1) & ~lines.bulk & ~listed
    counts = np.zeros(len(lines.table), dtype=np.int64)
    members = np.flatnonzero((lines.series >= 0) & heads & ~np.append(lines.continued, False)[1:])
    members = members[lines.in_series[lines.series[members]] >= _SERIES]
    if len(members):
        _, at, of = np.unique(lines.series[members], return_index=True, return_inverse=True)
        first = members[at[of]]
        counts[first] = lines.in_series[lines.series[first]]
        if not len(told):
            told = np.full(len(lines.table), -1, dtype=np.int32)
        alike = (members != first) & (lines.asked[members] == lines.asked[first])
        alike &= told[members] < 0
        told[members[alike]] = first[alike]
        _tell_gaps(lines, members, first, told)
    if kinds:
        heads &= places_of_lines(lines) == 0
        counts[heads] = np.maximum(counts[heads], lines.counts[lines.template[heads]])
    while len(told) and (deep := (told >= 0) & (told[told] >= 0)).any():
        told[deep] = told[told[deep]]  # by a line that is told itself
    noted = counts >= _REPEATED
    if len(traces):
        counts, noted = np.where(traces > 0, traces, counts), noted | (traces > 0)
    if not noted.any():
        return None, None, None

    @cache  # each of several texts is asked for the same
    def note(row: int) -> str:
        first, last = lines.stamps(int(lines.template[row]))
        until = last and last != first and counts[row] == lines.counts[lines.template[row]]
        return f" … ×{counts[row]}" + (f" to {shorter(first, last)}" if until else "")

    return note, noted, told if len(told) else None


def _tell_gaps(lines: LineTable, members: Int64s, first: Int64s, told: Int32s) -> None:
    """Write for rows of lines that were let go which row's note counts them: where all are of one series.

    They are, where they lie between two lines of it, and are as many as it has without a row. O(rows).
    """
    series, gap = lines.series, np.flatnonzero(lines.bulk[1:-1] & ~lines.has(Mark.OWN)[1:-1]) + 1
    same = lines.table.document[gap - 1] == lines.table.document[gap + 1]
    gap = gap[same & (series[gap - 1] >= 0) & (series[gap - 1] == series[gap + 1])]
    many = len(lines.in_series)
    between = np.bincount(series[gap - 1], lines.line[gap + 1] - lines.line[gap - 1] - 1, many)
    held = np.full(many, -1, dtype=np.int32)  # of each series: the row that counts it
    held[series[first]] = first
    held[between + np.bincount(series[members], minlength=many) != lines.in_series] = -1
    told[gap] = held[series[gap - 1]]


def shorter(first: str, last: str) -> str:
    """Return the second stamp without the fields that it shares with the first, from the left."""
    if len(first) != len(last):
        return last
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), len(last))
    while same > 0 and last[same - 1] not in " T":
        same -= 1
    return last[same:]
