"""Write kept units as text: the source's own gaps where they touch; a separator or marker elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tersely import _native
from tersely.content.units import Lines, Marker, Nested, Quoted
from tersely.types import Int64s, Kind, SegmentTable, pieces

if TYPE_CHECKING:
    from tersely.engine.reading import Reading, Region

Places = tuple[tuple[int, int], ...]

_OMITTED = " … "
_SHORT_GAP = 2  # characters between two quotes of a line that are written as they are
_LINE_KINDS = (Kind.TABLE, Kind.FENCED_CODE, Kind.CODE)


class Wording(IntEnum):
    """Amount of detail in the notes on what was left out."""

    FULL = 0
    SHORT = 1
    TOTAL = 2  # how much once, in other places that something was
    SIGNS = 3  # in each place that something was
    BARE = 4  # only what the syntax of the content asks for


class Rendered(NamedTuple):
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
    if reading.clauses and not reading.forms:
        return _render_clauses(reading, rows)
    if not reading.forms:
        table, within = reading.table, reading.request.within
        texts = _native.join_rows(reading.texts, table.document, table.start, table.end, rows, within)
        return Rendered(separator.join(filter(None, texts)), tuple(texts), ())
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
    """Choose the text between two regions: the source's gap at a fence, else the separator."""
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

    def add(self, text: str, generated: bool = False) -> None:
        """Write a piece."""
        if not text:
            return
        length = self.length + len(text)
        if generated:
            self.places.append((self.length, length))
        self.pieces.append(text)
        self.length = length


def _write_region(reading: Reading, region: Region, rows: Int64s, wording: Wording, writer: _Writer) -> None:
    text = reading.texts[region.document]
    if region.form is None:
        first, last = _runs(reading.table, rows)
        kept, between, places = _text_parts(reading, first, last)
        begin = writer.length
        for piece, gap in zip(kept, between, strict=True):
            writer.add(piece)
            writer.add(gap)
        writer.places += [(begin + start, begin + end) for start, end in places]
    elif isinstance(region.form, Lines):
        _write_lines(text, reading.table, region, region.form, rows, wording, writer)
    elif isinstance(region.form, Quoted):
        _write_quoted(text, reading.table, region.form, rows, writer)
    else:
        _write_nested(text, reading.table, region, region.form, rows, wording, writer)


def _write_quoted(text: str, table: SegmentTable, form: Quoted, rows: Int64s, writer: _Writer) -> None:
    """Sources, each with the words of it that are kept; in a line, what is left out becomes a space."""
    source = table.heading[rows] < 0
    rows = rows[~(source & np.concatenate((source[1:], [True])))]  # of a source without words nothing is said
    if len(rows) == 0:
        return
    source = table.heading[rows] < 0
    apart = table.end[rows[:-1]] != table.start[rows[1:]]
    edges = np.concatenate(([True], apart, [True]))
    begin, end = table.start[rows[edges[:-1]]], table.end[rows[edges[1:]]]
    block = table.block[rows]
    opens, same_line = source[1:][apart], (block[1:] == block[:-1])[apart]
    near = same_line & (begin[1:] - end[:-1] <= _SHORT_GAP)
    gap = np.where(opens, 1, np.where(source[:-1][apart] | near, 2, np.where(same_line, 3, 0)))
    written = ("\n" + form.indent, "\n", "", " ")
    parts = [""] * (2 * len(begin) - 1)
    parts[::2] = [text[start:stop] for start, stop in zip(begin.tolist(), end.tolist(), strict=True)]
    parts[1::2] = [written[code] for code in gap.tolist()]
    short = (near & ~source[:-1][apart] & ~opens).nonzero()[0].tolist()
    for run in short:
        parts[2 * run + 1] = text[int(end[run]) : int(begin[run + 1])]
    ends = list(accumulate(map(len, parts), initial=writer.length))
    writer.places += [(ends[2 * run + 1], ends[2 * run + 2]) for run in short if parts[2 * run + 1].strip()]
    writer.add("".join(parts))


def _render_clauses(reading: Reading, rows: Int64s) -> Rendered:
    """Text alone, cut into clauses."""
    table, request = reading.table, reading.request
    first, last = _runs(table, rows)
    kept, between, places = _text_parts(reading, first, last)
    document = table.document[first]
    parts = [""] * len(reading.texts)
    begin = 0
    for stop in [*((document[1:] != document[:-1]).nonzero()[0] + 1).tolist(), len(kept)]:
        gaps = [*between[begin : stop - 1], ""]
        written = [part for pair in zip(kept[begin:stop], gaps, strict=True) for part in pair]
        parts[document[begin]] = "".join(written)
        begin = stop
    return Rendered(request.separator.join(filter(None, parts)), tuple(parts), places)


def _text_parts(reading: Reading, first: Int64s, last: Int64s) -> tuple[list[str], list[str], Places]:
    """Return the source's text of each run, the gap after each (the last: none), and the places of "…"."""
    table, texts = reading.table, reading.texts
    document = table.document[first]
    kept = pieces(texts, document, table.start[first], table.end[last])
    request = reading.request
    between = [*[request.separator] * (len(kept) - 1), ""]
    if request.within != request.separator:
        for place in (document[1:] == document[:-1]).nonzero()[0].tolist():
            between[place] = request.within
    if not reading.clauses:
        return kept, between, ()
    block = table.block
    within = (block[last[:-1]] == block[first[1:]]) & ~np.isin(table.kind[first[1:]], _LINE_KINDS)
    for place in np.flatnonzero(within).tolist():
        between[place] = _OMITTED
    ends = np.cumsum([len(piece) + len(gap) for piece, gap in zip(kept, between, strict=True)])
    at = ends[:-1][within] - len(_OMITTED) + _OMITTED.index("…")
    return kept, between, tuple((place, place + 1) for place in at.tolist())


def _runs(table: SegmentTable, rows: Int64s) -> tuple[Int64s, Int64s]:
    """The first and the last row of each run of rows that follow one another in a document."""
    document = table.document[rows]
    apart = (rows[1:] - rows[:-1] != 1) | (document[1:] != document[:-1])
    first = np.concatenate((rows[:1], rows[1:][apart]))
    return first, np.concatenate((rows[:-1][apart], rows[-1:]))


def join_rows(texts: Sequence[str], table: SegmentTable, rows: Int64s, separator: str) -> str:
    """The text of rows (ascending) of text: touching ones keep the source's gap. O(rows + characters)."""
    parts = _native.join_rows(list(texts), table.document, table.start, table.end, rows, separator)
    return separator.join(filter(None, parts))


def _write_lines(
    text: str,
    table: SegmentTable,
    region: Region,
    form: Lines,
    rows: Int64s,
    wording: Wording,
    writer: _Writer,
) -> None:
    """Runs of kept units, markers between them; a note after units that have one. O(kept units)."""
    shift = region.local - region.first
    says = wording is not Wording.BARE
    note = form.note if says else None
    marker = form.total(rows + shift) if form.total and wording is Wording.TOTAL else form.marker
    first, last = _runs(table, rows)
    after = np.concatenate(([region.first], last + 1))  # first rows that nothing stands for yet
    upto = np.append(first, region.last)
    begins, goes_on = after, np.zeros(len(upto), dtype=np.bool_)
    if (
        form.continued is not None
    ):  # of what is left out, what begins a line; the rest stands behind a kept unit
        at = np.flatnonzero(~form.continued[region.first + shift : region.last + shift]) + region.first
        lines = np.append(at, region.last)
        begins = np.minimum(lines[np.searchsorted(lines, after)], upto)
        begins[0] = after[0]
        goes_on[:-1] = (begins == upto)[:-1] & (upto > after)[:-1] & form.continued[first + shift]
    starts, stops = table.start[first].tolist(), table.end[last].tolist()
    written = False
    gaps = zip(after.tolist(), begins.tolist(), upto.tolist(), goes_on.tolist(), strict=True)
    for run, (left, begin, one, on) in enumerate(gaps):
        if left < begin and (on or says):
            writer.add(form.elision, generated=True)
        gap = begin + shift, one - 1 + shift
        if begin < one and says and form.marker(*gap):
            if written:
                writer.add(form.joint)
            written = True
            said = "" if wording is Wording.SIGNS else marker(*gap)
            writer.add(said or form.sign(*gap), generated=True)
        if run == len(starts):
            break
        if on:
            writer.add(" ")
        elif written:
            writer.add(form.joint)
        written = True
        start = starts[run]
        if note is not None:
            for row in range(one, int(last[run]) + 1):
                if noted := note(row + shift):
                    end = int(table.end[row])
                    writer.add(text[start:end])
                    writer.add(noted, generated=True)
                    start = end
        writer.add(text[start : stops[run]])


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
    elif wording in (Wording.TOTAL, Wording.SIGNS) and form.total is not None:
        marker = form.total(rows + shift)
    elif wording is Wording.BARE:
        marker = form.bare
    at_line = not writer.pieces or writer.pieces[-1].endswith("\n")
    written, places = _native.write_nested(
        text,
        table.start,
        table.end,
        rows,
        region.first,
        region.last,
        shift,
        marker,
        form.gap,
        form.numbered,
        writer.length,
        at_line,
    )
    writer.add(written)
    writer.places += places
