"""Write kept units as text: the source's own gaps where they touch; a separator or marker elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from tersely.content.units import Lines, Marker, Nested, Quoted
from tersely.core.tables import Int64s, Kind, SegmentTable

if TYPE_CHECKING:
    from tersely.engine.reading import Reading, Region

__all__ = ["Places", "Rendered", "Wording", "join_rows", "render"]

Places = tuple[tuple[int, int], ...]

_OMITTED = " … "
_SHORT_GAP = 2  # characters between two quotes of a line that are written as they are
_LINE_KINDS = (Kind.TABLE, Kind.FENCED_CODE, Kind.CODE)


class Wording(IntEnum):
    """How much is said about what was left out."""

    FULL = 0
    SHORT = 1
    TOTAL = 2  # how much once, not in each place
    BARE = 3  # only what the syntax of the content asks for


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text.

    Attributes:
        text: what to send.
        parts: what stands of each document in it; "" where nothing does.
        generated: (start, end) characters of `text` that are no source's: markers, notes, an "…".
    """

    text: str
    parts: tuple[str, ...]
    generated: Places


def render(reading: Reading, rows: Int64s, wording: Wording = Wording.FULL) -> Rendered:
    """The text of the rows (ascending), document by document. O(runs of rows + characters kept)."""
    separator = reading.request.separator
    if len(rows) == 0:
        return Rendered("", ("",) * len(reading.texts), ())
    if not any(region.form for region in reading.regions):
        return _render_text(reading, rows)
    writer = _Writer()
    parts = [""] * len(reading.texts)
    spans: list[tuple[int, int, int]] = []  # of the text, of each document
    bounds = np.searchsorted(rows, [bound for r in reading.regions for bound in (r.first, r.last)]).tolist()
    document, begin = -1, 0
    before = -1  # the last row that was written
    for number, region in enumerate(reading.regions):
        mine = rows[bounds[2 * number] : bounds[2 * number + 1]]
        if len(mine) == 0:
            continue
        if region.document != document:
            if document >= 0:
                spans.append((document, begin, writer.length))
                writer.add(separator)
            document, begin, before = region.document, writer.length, -1
        elif before >= 0:
            writer.add(_between(reading, before, int(mine[0]), region, reading.request.within))
        _write_region(reading, region, mine, wording, writer)
        before = int(mine[-1])
    if document >= 0:
        spans.append((document, begin, writer.length))
    text = "".join(writer.pieces)
    for document, begin, end in spans:
        parts[document] = text[begin:end]
    return Rendered(text, tuple(parts), tuple(writer.places))


def _between(reading: Reading, before: int, after: int, region: Region, separator: str) -> str:
    """What stands between two regions of a document: the source's gap at a fence, else the separator."""
    table = reading.table
    if region.first == after or region.form is not None or before == region.first - 1:
        gap = reading.texts[region.document][int(table.end[before]) : int(table.start[region.first])]
        if region.form is not None or after == region.first:
            return gap if not gap.strip() else "\n"
    return separator


class _Writer:
    """Pieces of a text, and which of them are no source's."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.places: list[tuple[int, int]] = []
        self.length = 0
        self.line, self.counted = 1, 0  # of the document that is written: the line of a character, and that

    def add(self, text: str, generated: bool = False) -> None:
        """Write a piece."""
        if not text:
            return
        length = self.length + len(text)
        if generated:
            self.places.append((self.length, length))
        self.pieces.append(text)
        self.length = length

    def add_numbered(self, text: str, begin: int, stop: int) -> None:
        """Write a piece of a document; lines that begin in it get their numbers. Pieces come in order."""
        self.line += text.count("\n", self.counted, begin)
        self.counted = begin
        line = self.line
        for place, part in enumerate(text[begin:stop].split("\n")):
            if place:
                self.add("\n")
            if part and (not self.pieces or self.pieces[-1].endswith("\n")):
                self.add(f"{line + place:>5}  ", generated=True)
            if part:
                self.add(part)


def _write_region(reading: Reading, region: Region, rows: Int64s, wording: Wording, writer: _Writer) -> None:
    text = reading.texts[region.document]
    if region.form is None:
        first, last = _runs(reading.table, rows)
        pieces, between, places = _text_parts(reading, first, last)
        begin = writer.length
        for piece, gap in zip(pieces, between, strict=True):
            writer.add(piece)
            writer.add(gap)
        writer.places += [(begin + start, begin + end) for start, end in places]
    elif isinstance(region.form, Lines):
        _write_lines(text, reading.table, region, region.form, rows, wording, writer)
    elif isinstance(region.form, Quoted):
        _write_quoted(text, reading.table, region.form, rows, writer)
    else:
        writer.line, writer.counted = 1, 0
        _write_nested(text, reading.table, region, region.form, rows, wording, writer)


def _write_quoted(text: str, table: SegmentTable, form: Quoted, rows: Int64s, writer: _Writer) -> None:
    """Sources, each with the words of it that are kept; in a line, what is left out becomes a space."""
    source = table.heading[rows] < 0
    rows = rows[~(source & np.append(source[1:], True))]  # of a source without words nothing is said
    if len(rows) == 0:
        return
    source = table.heading[rows] < 0
    apart = table.end[rows[:-1]] != table.start[rows[1:]]
    begin, end = table.start[rows[np.append(True, apart)]], table.end[rows[np.append(apart, True)]]
    opens, same_line = source[1:][apart], (np.diff(table.block[rows]) == 0)[apart]
    near = same_line & (begin[1:] - end[:-1] <= _SHORT_GAP)
    gap = np.select([opens, source[:-1][apart], near, same_line], [1, 2, 2, 3], 0)
    written = ("\n" + form.indent, "\n", "", " ")
    parts = [""] * (2 * len(begin) - 1)
    parts[::2] = [text[start:stop] for start, stop in zip(begin.tolist(), end.tolist(), strict=True)]
    parts[1::2] = [written[code] for code in gap.tolist()]
    short = np.flatnonzero(near & ~source[:-1][apart] & ~opens).tolist()
    for run in short:
        parts[2 * run + 1] = text[int(end[run]) : int(begin[run + 1])]
    ends = (np.cumsum([len(part) for part in parts]) + writer.length).tolist()
    writer.places += [(ends[2 * run], ends[2 * run + 1]) for run in short if parts[2 * run + 1].strip()]
    writer.add("".join(parts))


def _render_text(reading: Reading, rows: Int64s) -> Rendered:
    """Text alone, quickly."""
    if len(rows) == 0:
        return Rendered("", ("",) * len(reading.texts), ())
    table = reading.table
    first, last = _runs(table, rows)
    pieces, between, places = _text_parts(reading, first, last)
    document = table.document[first]
    parts = [""] * len(reading.texts)
    begin = 0
    for stop in [*((document[1:] != document[:-1]).nonzero()[0] + 1).tolist(), len(pieces)]:
        gaps = [*between[begin : stop - 1], ""]
        written = [part for pair in zip(pieces[begin:stop], gaps, strict=True) for part in pair]
        parts[document[begin]] = "".join(written)
        begin = stop
    return Rendered(reading.request.separator.join(filter(None, parts)), tuple(parts), places)


def _text_parts(reading: Reading, first: Int64s, last: Int64s) -> tuple[list[str], list[str], Places]:
    """The source's text of each run, what stands after each (the last: nothing), and where an "…" stands."""
    table, texts = reading.table, reading.texts
    document, start, end = table.document[first], table.start[first], table.end[last]
    runs = zip(document.tolist(), start.tolist(), end.tolist(), strict=True)
    pieces = [texts[index][begin:stop] for index, begin, stop in runs]
    request = reading.request
    between = [*[request.separator] * (len(pieces) - 1), ""]
    if request.within != request.separator:
        for place in (document[1:] == document[:-1]).nonzero()[0].tolist():
            between[place] = request.within
    if not reading.clauses:
        return pieces, between, ()
    block = table.block
    within = (block[last[:-1]] == block[first[1:]]) & ~np.isin(table.kind[first[1:]], _LINE_KINDS)
    for place in np.flatnonzero(within).tolist():
        between[place] = _OMITTED
    ends = np.cumsum([len(piece) + len(gap) for piece, gap in zip(pieces, between, strict=True)])
    at = ends[:-1][within] - len(_OMITTED) + _OMITTED.index("…")
    return pieces, between, tuple((place, place + 1) for place in at.tolist())


def _runs(table: SegmentTable, rows: Int64s) -> tuple[Int64s, Int64s]:
    """The first and the last row of each run of rows that follow one another in a document."""
    document = table.document[rows]
    apart = (rows[1:] - rows[:-1] != 1) | (document[1:] != document[:-1])
    first = np.concatenate((rows[:1], rows[1:][apart]))
    return first, np.concatenate((rows[:-1][apart], rows[-1:]))


def join_rows(texts: Sequence[str], table: SegmentTable, rows: Int64s, separator: str) -> str:
    """The text of rows (ascending) of text: touching ones keep the source's gap. O(rows + characters)."""
    first, last = _runs(table, rows)
    document, start, end = table.document[first], table.start[first], table.end[last]
    runs = zip(document.tolist(), start.tolist(), end.tolist(), strict=True)
    return separator.join([texts[index][begin:stop] for index, begin, stop in runs])


def _write_lines(
    text: str,
    table: SegmentTable,
    region: Region,
    form: Lines,
    rows: Int64s,
    wording: Wording,
    writer: _Writer,
) -> None:
    """Runs of kept units, markers between them."""
    shift = region.local - region.first
    after = region.first  # first row that no piece or marker stands for yet
    written = False

    def begin_line() -> None:
        nonlocal written
        if written:
            writer.add(form.joint)
        written = True

    marker = form.marker
    if wording is Wording.TOTAL and form.total is not None:
        marker = form.total(rows + shift)

    def mark(first: int, last: int) -> None:
        said = "" if wording is Wording.BARE else marker(first + shift, last + shift)
        if said:
            begin_line()
            writer.add(said, generated=True)

    def rest_of_line(row: int, end: int) -> int:
        """The first of the left out rows [row, end) that begins a line."""
        if form.continued is not None and written:
            while row < end and form.continued[row + shift]:
                row += 1
        return row

    first, last = _runs(table, rows)
    for one, other in zip([*first.tolist(), region.last], [*last.tolist(), -1], strict=True):
        begins = rest_of_line(after, one)
        goes_on = other >= 0 and begins == one > after and rest_of_line(one, one + 1) > one
        if after < begins and (goes_on or wording is not Wording.BARE):
            writer.add(" …", generated=True)
        if begins < one:
            mark(begins, one - 1)
        if other < 0:
            break
        if goes_on:
            writer.add(" ")
        else:
            begin_line()
        _write_run(text, table, form, one, other, shift, wording, writer)
        after = other + 1


def _write_run(
    text: str,
    table: SegmentTable,
    form: Lines,
    first: int,
    last: int,
    shift: int,
    wording: Wording,
    writer: _Writer,
) -> None:
    """Kept units that touch, as they stand in the source, with a note after those that have one."""
    at, stop = int(table.start[first]), int(table.end[last])
    if form.note is not None and wording is not Wording.BARE:
        for row in range(first, last + 1):
            if note := form.note(row + shift):
                end = int(table.end[row])
                writer.add(text[at:end])
                writer.add(note, generated=True)
                at = end
    writer.add(text[at:stop])


def _write_nested(
    text: str,
    table: SegmentTable,
    region: Region,
    form: Nested,
    rows: Int64s,
    wording: Wording,
    writer: _Writer,
) -> None:
    """Runs of kept units with the document's own gaps, markers in the places of the others."""
    shift = region.local - region.first
    marker: Marker = form.marker
    if wording is Wording.SHORT and form.short is not None:
        marker = form.short
    elif wording is Wording.TOTAL and form.total is not None:
        marker = form.total(rows + shift)
    elif wording is Wording.BARE:
        marker = form.bare
    every = np.ones(len(rows) - 1, dtype=bool) if form.gap is not None else np.diff(rows) != 1
    breaks = np.flatnonzero(every) + 1
    firsts = rows[np.concatenate(([0], breaks))]
    lasts = rows[np.concatenate((breaks - 1, [len(rows) - 1]))]
    low, high = region.first, region.last
    start, end = table.start, table.end
    opens = np.append(start[firsts], 0).tolist()  # of each run: where it begins in the text, and ends
    closes = np.append(end[lasts], 0).tolist()
    out = np.concatenate(([low], lasts + 1))  # the first row of what is left out before it, or itself
    out_opens = start[np.minimum(out, high - 1)].tolist()
    out_closes = end[np.append(firsts, high) - 1].tolist()  # where the row before it ends

    def put_gap(row: int, begin: int, stop: int, marked: bool) -> None:
        """What stands before a row; beside a marker, more than white space of it is no source's."""
        if form.gap is not None:
            between = form.gap(row + shift)
            writer.add(between, generated=bool(between.strip()))
        elif form.numbered:
            writer.add_numbered(text, begin, stop)
        else:
            between = text[begin:stop]
            writer.add(between, generated=marked and bool(between.strip()))

    runs = len(firsts)
    spans = zip(out.tolist(), [*firsts.tolist(), high], strict=True)
    for run, (done, first) in enumerate(spans):
        inside, more = run > 0, run < runs  # whether a run stands before, and comes
        if done < first:
            stand_in = marker(done + shift, first - 1 + shift)
            comma = not stand_in and inside and more and "," in text[out_closes[run] : opens[run]]
            if inside and (stand_in or comma):
                put_gap(done, closes[run - 1], out_opens[run], True)
            writer.add(stand_in, generated=True)
            if more and (stand_in or (inside and not comma)):  # no comma before what closes
                put_gap(first, out_closes[run], opens[run], True)
        elif inside and more:
            put_gap(first, closes[run - 1], opens[run], False)
        if more and form.numbered:
            writer.add_numbered(text, opens[run], closes[run])
        elif more:
            writer.add(text[opens[run] : closes[run]])
