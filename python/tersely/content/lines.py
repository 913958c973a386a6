"""Read lines of logs and tool output: templates, repeats, and outcomes such as errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import IntFlag
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.types import Float32s, Int32s, Int64s, Kind, SegmentTable, UInt8s

UInt32s = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]

_COLUMNS = (
    "line", "template", "marks", "variant", "copies", "asked", "stands_for", "finding",
    "series", "margin", "odd",
)  # fmt: skip
_MOST_ASKED = 0.6  # of the weight of the query's words: a line with as much is what was asked for
_FEW_ASKED = 3  # lines: where more have as much, none is
# Characters that str.strip takes away.
_BLANKS = np.array(
    [*range(9, 14), *range(28, 33), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
     0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
)  # fmt: skip


class Mark(IntFlag):
    """Signs of a line (csrc/kernels/content/marks.hpp)."""

    ERROR = 1
    TROUBLE = 2
    SUMMARY = 4
    ANCHOR = 8
    FRAME = 16
    OVERWRITTEN = 32
    CONTINUED = 64
    PASSED = 128
    FAILURE = 512
    VERDICT = 2048
    OWN = 4096
    COMPARED = 8192
    NONE = 16384
    POINTS = 32768
    LIBRARY = 67108864
    LEADS = 1073741824


@dataclass(frozen=True, eq=False, slots=True)
class LineTable:
    """Lines of documents, a row each, in source order; blank lines have none.

    A line of more than 2,048 bytes has a row for each piece: the first, its head, has the marks and query
    words of all of it; the others need it and have `Mark.CONTINUED`.

    Where a document has more lines than were to be kept, the most telling ones have a row of their own, and
    what lies between them is one row, with `template` -1. So is a marker of an earlier compression.
    """

    table: SegmentTable  #: where they are; `heading` of a piece is its head
    line: Int64s  #: int64[n], number of the line in its document, from 0
    #: int32[n], lines of one template differ in values only (kernels/content/line_reader.hpp)
    template: Int32s
    marks: UInt32s  #: uint32[n], bits of `Mark`
    #: int32[n], lines of one variant have the same words of letters; -1 where there were too many
    variant: Int32s
    copies: Int32s  #: int32[n], how often a line was met before, character for character
    asked: UInt64s  #: uint64[n], a bit for each of the query's words that a line has
    #: int64[n], lines, where an earlier compression says how many were left out or how often a line came;
    #: else 1
    stands_for: Int64s
    #: int32[n], lines of one have the same code, such as E0308 (csrc/kernels/content/marks.hpp); -1 without
    #: one
    finding: Int32s
    series: Int32s  #: int32[n], lines of one say the same but for the time and counters; -1 of very long ones
    #: int32[n], columns before a line's first word; -1 - columns, where branches are drawn there
    margin: Int32s
    #: float32[n] in [0, 1], how rare or far a value of a line is at its place in lines of the template
    odd: Float32s
    counts: Int64s  #: int64[templates], lines of each template
    variants: Int64s  #: int64[variants], lines of each variant
    findings: Int64s  #: int64[findings], lines of each finding
    forms: UInt64s  #: uint64[templates], templates of one are names and numbers between the same signs
    in_series: Int64s  #: int64[series], lines of each series
    #: template -> its first and last time stamp, as written; "" without
    stamps: Callable[[int], tuple[str, str]]
    asked_lines: Int64s  #: int64[64], lines that have each of the query's words
    id_words: int  #: bits of the query's words that are ids
    total: int  #: lines of all documents
    gaps: bool = False  #: whether there are lines without a row
    _graded: _native.GradedLines | None = field(default=None, init=False, repr=False)

    def has(self, mark: Mark) -> npt.NDArray[np.bool_]:
        """bool[n]: whether a line has any of the marks."""
        return np.asarray((self.marks & np.uint32(mark)) != 0)

    def unmatched(self, query: str | None) -> tuple[str, ...]:
        """The reason code for a query that has no word in common with any line."""
        asked = query is not None and bool(query.strip())
        return ("query_without_matches",) if asked and not self.asked_lines.any() else ()

    def graded(self) -> _native.GradedLines:
        """The columns that native grading reads (csrc/kernels/content/line_grades.hpp), handed over once."""
        graded = self._graded
        if graded is None:
            said = (self.marks, self.template, self.copies, self.finding)
            told = (self.table.document, self.line, self.counts, self.findings, self.total)
            size = self.table.end - self.table.start
            graded = _native.GradedLines(
                (*said, *told, self.variant, self.variants, self.margin, self.forms, self.odd, size)
            )
            object.__setattr__(self, "_graded", graded)
        return graded

    @property
    def continued(self) -> npt.NDArray[np.bool_]:
        """bool[n]: rows that go on in the line of the row before."""
        return self.has(Mark.CONTINUED)

    @property
    def bulk(self) -> npt.NDArray[np.bool_]:
        """bool[n]: rows for many lines: those of very long texts, or left out by an earlier compression."""
        return self.template < 0


def read_lines(texts: list[str], query: str | None, most: int) -> LineTable:
    """Read the lines of documents; at most `most` rows of single lines (1,024 or more). O(characters)."""
    reader = _native.LineReader(query or "", most)
    for text in texts:
        reader.read(text)
    lines = from_reader(reader)
    return _with_bulk(lines, texts) if lines.gaps else lines


def from_reader(reader: _native.LineReader) -> LineTable:
    """Return the lines that a native reader has read, without rows for those it let go."""
    (
        document, start, end, line, template, marks, variant,
        copies, asked, said, finding, series, margin, odd,
    ) = reader.rows()  # fmt: skip
    n = len(start)
    own = (marks & np.uint32(Mark.OWN)) != 0  # markers of an earlier compression are no lines
    template, variant = np.where(own, -1, template), np.where(own, -1, variant)
    piece = (marks & np.uint32(Mark.CONTINUED)) != 0
    head = np.maximum.accumulate(np.where(piece, 0, np.arange(n)))
    table = SegmentTable(
        document,
        start,
        end,
        np.full(n, Kind.LOG_LINE, dtype=np.uint8),
        np.arange(n, dtype=np.int32),
        np.where(piece, head, -1).astype(np.int32),
    )
    return LineTable(
        table, line, template.astype(np.int32), marks, variant.astype(np.int32), copies, asked, said,
        finding, series, margin, odd, reader.templates(), reader.variants(), reader.findings(),
        reader.forms(), reader.series(), reader.stamps, reader.asked(), reader.id_words, reader.lines,
        reader.let_go,
    )  # fmt: skip


def without_loose_pieces(lines: LineTable) -> LineTable:
    """The rows without pieces of long lines before which another piece was let go, or much white space is."""
    table, continued = lines.table, lines.continued
    if not continued.any():
        return lines
    loose = continued.copy()
    loose[1:] &= table.start[1:] - table.end[:-1] > 1
    numbers = np.arange(len(table))
    since = np.maximum.accumulate(np.where(loose, numbers, -1))  # the last loose piece, and the last head
    head = np.maximum.accumulate(np.where(continued, -1, numbers))
    rows = np.flatnonzero(since < head)
    place = np.cumsum(since < head) - 1
    above = table.heading[rows]
    kept = SegmentTable(*(column[rows] for column in table.columns()))
    kept = replace(
        kept,
        block=np.arange(len(rows), dtype=np.int32),
        heading=np.where(above >= 0, place[above], -1).astype(np.int32),
    )
    return replace(lines, table=kept, **{name: getattr(lines, name)[rows] for name in _COLUMNS})


def relevance(lines: LineTable) -> Float32s:
    """float32[n] in [0, 1]: the share of the query's words that a line has, rare words counting more.

    The weight of a word that l of n lines have is log(1 + n / l).
    """
    seen = np.flatnonzero(lines.asked_lines)
    result = np.zeros(len(lines.table), dtype=np.float32)
    if len(seen) == 0:
        return result
    weights = np.log1p(max(lines.total, 1) / lines.asked_lines[seen])
    for bit, weight in zip(seen.tolist(), weights.tolist(), strict=True):
        result += ((lines.asked >> np.uint64(bit)) & np.uint64(1)).astype(np.float32) * np.float32(weight)
    return result / np.float32(weights.sum())


def asked_for(lines: LineTable) -> tuple[npt.NDArray[np.bool_], Float32s]:
    """Which lines a query asks for (bool[n]), and their worth for it (float32[n], 0 to 14).

    Asked for are lines that have an id of the query that is rare enough to mean something, those with the
    largest share of its words, if that is large and they are few, and without such an id
    of each word that none of these has, and few have, those with the largest share: it asks for two.
    """
    rare = [bit for bit in range(64) if 0 < lines.asked_lines[bit] <= max(20, lines.total // 20)]
    ids = sum(1 << bit for bit in rare) & lines.id_words
    share = relevance(lines)
    best = share >= max(_MOST_ASKED, 0.999 * float(share.max(initial=0)))
    few = max(_FEW_ASKED, lines.total // 50)
    if np.count_nonzero(best) > few:
        best[:] = False
    asked = np.asarray((lines.asked & np.uint64(ids)) != 0) | best
    rest = (lines.asked_lines > 0) & (lines.asked_lines <= few) if not ids else np.zeros(64, dtype=bool)
    for bit in np.flatnonzero(rest).tolist():
        has = (lines.asked >> np.uint64(bit)) & np.uint64(1) != 0
        if not (has & asked).any():
            best |= has & (share >= share[has].max(initial=0))
    return asked | best, 6 * share + np.where(best, np.float32(8), np.float32(0))


def places_of_lines(lines: LineTable) -> Int64s:
    """int64[n]: 0 for the first line of a template, 1 for its last, 2 for its second, ...

    Pieces of a long line have the place of its head.
    """
    return _native.places_of_lines(lines.graded())


def split_at(lines: LineTable, row: Int64s, place: Int64s) -> LineTable:
    """Cut rows (ascending) at places within them; all pieces but a line's first are continued and need it."""
    table = lines.table
    rows = np.repeat(np.arange(len(table)), 1 + np.bincount(row, minlength=len(table)))
    rest = np.zeros(len(rows), dtype=bool)
    rest[1:] = rows[1:] == rows[:-1]
    start, end = table.start[rows], table.end[rows]
    start[rest] = place
    end[:-1][rest[1:]] = place
    first, above = np.flatnonzero(~rest), table.heading[rows]
    split = SegmentTable(
        table.document[rows],
        start,
        end,
        table.kind[rows],
        np.arange(len(rows), dtype=np.int32),
        np.where(rest, first[rows], np.where(above >= 0, first[above], -1)).astype(np.int32),
    )
    each = {name: getattr(lines, name)[rows] for name in _COLUMNS}
    each["marks"] = each["marks"] | np.where(rest, Mark.CONTINUED, 0).astype(np.uint32)
    return replace(lines, table=split, **each)


def _with_bulk(lines: LineTable, texts: list[str]) -> LineTable:
    """Rows for the text between the rows, if it is more than white space."""
    table = lines.table
    spans: list[
        tuple[int, int, int, int, bool]
    ] = []  # before which row, document, start, end, rest of a line
    n = len(table)
    bounds = np.searchsorted(table.document, np.arange(len(texts) + 1)).tolist()
    for document, text in enumerate(texts):
        first, last = bounds[document], bounds[document + 1]
        begins = np.concatenate(([0], table.end[first:last]))
        stops = np.append(table.start[first:last], len(text))
        for gap in _gaps(text, begins, stops).tolist():
            _add_gap(spans, first + gap, document, text, int(begins[gap]), int(stops[gap]))
    if not spans:
        return lines
    before, documents, starts, ends, tails = (np.array(column) for column in zip(*spans, strict=True))
    moved = np.arange(n) + np.searchsorted(before, np.arange(n), side="right")  # where each row goes

    def put(values: npt.NDArray[Any], more: Any) -> npt.NDArray[Any]:
        return np.insert(values, before, np.asarray(more, dtype=values.dtype))

    rows = n + len(before)
    kinds: UInt8s = np.full(rows, Kind.LOG_LINE, dtype=np.uint8)
    merged = SegmentTable(
        put(table.document, documents),
        put(table.start, starts),
        put(table.end, ends),
        kinds,
        np.arange(rows, dtype=np.int32),
        put(np.where(table.heading >= 0, moved[table.heading], -1), -1).astype(np.int32),
    )
    more: dict[str, Any] = {"template": -1, "variant": -1, "finding": -1, "series": -1}
    more["line"] = np.where(tails, lines.line[before - 1], -1)
    more["marks"] = np.where(tails, Mark.CONTINUED, 0)
    columns: dict[str, Any] = {name: put(getattr(lines, name), more.get(name, 0)) for name in _COLUMNS}
    return replace(lines, table=merged, **columns)


def _gaps(text: str, begins: Int64s, stops: Int64s) -> Int64s:
    """int64[m]: the stretches between rows that are longer than an end of line, or hold more than blanks."""
    codes: npt.NDArray[Any] = (
        np.frombuffer(text.encode(), np.uint8)
        if text.isascii()
        else np.frombuffer(text.encode("utf-32-le"), "<u4")
    )
    far = stops - begins >= 3
    near = np.flatnonzero(~far & (stops > begins))
    blank = np.isin(codes[begins[near]], _BLANKS) & np.isin(codes[stops[near] - 1], _BLANKS)
    return np.sort(np.concatenate((np.flatnonzero(far), near[~blank])))


def _add_gap(
    spans: list[tuple[int, int, int, int, bool]], row: int, document: int, text: str, start: int, end: int
) -> None:
    """Add the text before a row: the rest of the line before it, and whole lines."""
    line_end = min(
        (at for at in (text.find("\n", start, end), text.find("\r", start, end)) if at >= 0), default=end
    )
    for begin, stop, tail in ((start, line_end, start > 0), (line_end, end, False)):
        piece = text[begin:stop]
        left = len(piece) - len(piece.lstrip())
        if left < len(piece):
            spans.append((row, document, begin + left, begin + len(piece.rstrip()), tail))


# Grades from which a line says that something failed, or has words of errors: line_grades.hpp of
# csrc/kernels/content.
FAILED, ERROR = 0.7, 0.45


def outcome_grades(lines: LineTable) -> Float32s:
    """Grade how much each line tells about a failure or an outcome: float32[n] in [0, 1].

    From FAILED: what tools write of failures (`Mark.FAILURE`), of a template less and less, and the first
    line of each finding, rare ones before others. From ERROR: words of errors, counts of results. Below:
    warnings. Lines that came before, character for character, share what one is worth. O(lines).
    """
    return _native.outcome_grades(lines.graded())


def report_grades(lines: LineTable) -> Float32s:
    """float32[n] in [0, 1]: `outcome_grades` of lines that report to somebody, in sections and to an end.

    From ERROR too: the head of a section in which something failed, where few do, and numbers in the closing
    lines. O(lines).
    """
    return _native.report_grades(lines.graded())


def is_lined(text: str) -> bool:
    """Whether a text consists of lines, not of sentences (csrc/kernels/content/line_reader.hpp). O(1)."""
    return bool(_native.lined([text])[0])
