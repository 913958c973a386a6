"""Write kept units as a text: the source's own gaps, separators, markers; list the generated parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.content.units import Lines, Marker, Nested, Quoted
from tersely.engine.reading import Reading, Region
from tersely.types import Int64s, Kind, SegmentTable, pieces

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
        places: where markers, notes and each "…" begin and end in `text`, in arrays of any shape.
    """

    text: str
    parts: tuple[str, ...]
    places: Sequence[npt.ArrayLike]

    @property
    def generated(self) -> Places:
        """(start, end) characters of `text` that are no source's."""
        if not self.places:
            return ()
        pairs = [np.asarray(some, np.int64).reshape(-1, 2).tolist() for some in self.places]
        return tuple([(start, end) for some in pairs for start, end in some])


def render(reading: Reading, rows: Int64s, wording: Wording = Wording.FULL) -> Rendered:
    """The text of the rows (ascending), document by document. O(runs of rows + characters kept)."""
    separator = reading.request.separator
    if len(rows) == 0:
        return Rendered("", ("",) * len(reading.texts), ())
    if not reading.forms and joins_are_marked(reading):
        return _render_marked(reading, rows)
    if not reading.forms:
        table, within = reading.table, reading.request.within
        texts = _native.join_rows(reading.texts, table.document, table.start, table.end, rows, within)
        return Rendered(separator.join(filter(None, texts)), tuple(texts), ())
    writer = _Writer()
    parts = [""] * len(reading.texts)
    spans: list[tuple[int, int, int]] = []  # of the text, of each document
    bounds = [0, len(rows)]
    if len(reading.regions) > 1:
        edges = [bound for region in reading.regions for bound in (region.first, region.last)]
        bounds = np.searchsorted(rows, edges).tolist()
    document, begin = -1, 0
    before = -1  # the last row that was written
    for number, region in enumerate(reading.regions):
        mine = rows[bounds[2 * number] : bounds[2 * number + 1]]
        if len(mine) == 0:
            continue
        if region.document != document:
            if document >= 0:
                spans.append((document, begin, writer.length))
                writer.join(separator)
            document, begin, before = region.document, writer.length, -1
        elif before >= 0:
            writer.join(_between(reading, before, int(mine[0]), region, reading.request.within))
        _write_region(reading, region, mine, wording, writer)
        before = int(mine[-1])
    if document >= 0:
        spans.append((document, begin, writer.length))
    text = "".join(writer.pieces)
    for document, begin, end in spans:
        parts[document] = text[begin:end]
    return Rendered(text, tuple(parts), writer.places)


def _between(reading: Reading, before: int, after: int, region: Region, separator: str) -> str:
    """Choose the text between two regions: the source's gap at a fence, else the separator."""
    table = reading.table
    if region.first == after or region.form is not None or before == region.first - 1:
        gap = reading.texts[region.document][int(table.end[before]) : int(table.start[region.first])]
        if region.form is not None or after == region.first:
            return gap if not gap.strip() and len(gap) <= _native.WIDEST_GAP else "\n"
    return separator


class _Writer:
    """Pieces of a text, and which of them are no source's."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.places: list[npt.ArrayLike] = []
        self.length = 0

    def add(self, text: str) -> None:
        """Write a piece."""
        if text:
            self.pieces.append(text)
            self.length += len(text)

    def join(self, text: str) -> None:
        """Write a gap between two pieces; one that is not blank is generated."""
        self.places.append(_said_in(text, self.length))
        self.add(text)


def _said_in(text: str, at: int) -> list[tuple[int, int]]:
    """Return where a text that begins at a character says something: [(start, end)], [] for a blank one."""
    said = text.strip()
    begin = at + len(text) - len(text.lstrip())
    return [(begin, begin + len(said))] if said else []


def places_of_separators(texts: Sequence[str], separator: str) -> Places:
    """Return the places of a separator that is not blank in texts that are joined by it. O(texts)."""
    if not separator.strip():
        return ()
    ends = accumulate(len(text) + len(separator) for text in texts[:-1])
    return tuple(place for end in ends for place in _said_in(separator, end - len(separator)))


def _write_region(reading: Reading, region: Region, rows: Int64s, wording: Wording, writer: _Writer) -> None:
    """Write the kept units of a region as text, or in its form with marks for the others. O(kept units)."""
    text = reading.texts[region.document]
    if region.form is None:
        first, last = _runs(reading.table, rows)
        kept, between, places = _text_parts(reading, first, last)
        begin = writer.length
        for piece, gap in zip(kept, between, strict=True):
            writer.add(piece)
            writer.add(gap)
        writer.places.append([(begin + start, begin + end) for start, end in places])
    elif isinstance(region.form, Quoted):
        _write_quoted(text, reading.table, region.form, rows, writer)
    else:
        table, form, shift = reading.table, region.form, region.local - region.first
        where = (text, table.start, table.end, rows, region.first, region.last, shift)
        local = rows + shift if shift else rows
        if isinstance(form, Lines):
            says = wording is not Wording.BARE
            counts = _counting_marker(form, local, wording)
            note = form.note if says else None
            written, marked = _native.write_lines(
                *where,
                form.continued,
                says,
                form.marker,
                counts,
                form.sign,
                note,
                form.noted,
                form.told,
                form.joint,
                form.elision,
                writer.length,
            )
        else:
            marker = _nested_marker(form, local, wording)
            at_line = not writer.pieces or writer.pieces[-1].endswith("\n")
            written, marked = _native.write_nested(
                *where, marker, form.gap, form.numbered, writer.length, at_line
            )
        writer.add(written)
        writer.places.append(marked)


def _write_quoted(text: str, table: SegmentTable, form: Quoted, rows: Int64s, writer: _Writer) -> None:
    """Write each source with its kept words; within a line, a gap becomes a space."""
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
    said = [run for run in short if parts[2 * run + 1].strip()]
    writer.places.append([(ends[2 * run + 1], ends[2 * run + 2]) for run in said])
    writer.add("".join(parts))


def joins_are_marked(reading: Reading) -> bool:
    """Whether the text between pieces may hold words: "…" between parts of a line, or a separator."""
    parts = reading.clauses or reading.pieces_of_lines
    return parts or bool((reading.request.separator + reading.request.within).strip())


def _render_marked(reading: Reading, rows: Int64s) -> Rendered:
    """Plain text whose joints may hold words."""
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
    return Rendered(request.separator.join(filter(None, parts)), tuple(parts), [places])


def _text_parts(reading: Reading, first: Int64s, last: Int64s) -> tuple[list[str], list[str], Places]:
    """Return the source's text of each run, the gap after each (the last: none), and the generated parts."""
    table, texts = reading.table, reading.texts
    document = table.document[first]
    kept = pieces(texts, document, table.start[first], table.end[last])
    request = reading.request
    between = [*[request.separator] * (len(kept) - 1), ""]
    if request.within != request.separator:
        for place in (document[1:] == document[:-1]).nonzero()[0].tolist():
            between[place] = request.within
    if not joins_are_marked(reading):
        return kept, between, ()
    block, kind = table.block, table.kind
    parted = (block[last[:-1]] == block[first[1:]]) & (first[1:] - last[:-1] > 1)  # something is left out
    if reading.clauses:
        for place in np.flatnonzero(parted & ~np.isin(kind[first[1:]], _LINE_KINDS)).tolist():
            between[place] = _OMITTED
    elif reading.pieces_of_lines:
        for place in np.flatnonzero(parted).tolist():
            end, start = int(table.end[last[place]]), int(table.start[first[place + 1]])
            if "\n" not in texts[document[place]][end:start]:
                between[place] = _OMITTED
            elif kind[first[place + 1]] in _LINE_KINDS:
                between[place] = "\n"
    ends = accumulate(len(piece) + len(gap) for piece, gap in zip(kept, between, strict=True))
    said = (_said_in(gap, end - len(gap)) for gap, end in zip(between, ends, strict=True))
    return kept, between, tuple(place for places in said for place in places)


def _runs(table: SegmentTable, rows: Int64s) -> tuple[Int64s, Int64s]:
    """The first and the last row of each run: its rows follow one another in a document, with no wide gap."""
    document = table.document[rows]
    apart = (rows[1:] - rows[:-1] != 1) | (document[1:] != document[:-1])
    apart |= table.start[rows[1:]] - table.end[rows[:-1]] > _native.WIDEST_GAP
    first = np.concatenate((rows[:1], rows[1:][apart]))
    return first, np.concatenate((rows[:-1][apart], rows[-1:]))


def join_rows(texts: Sequence[str], table: SegmentTable, rows: Int64s, separator: str) -> str:
    """The text of rows (ascending) of text: touching ones keep the source's gap. O(rows + characters)."""
    parts = _native.join_rows(list(texts), table.document, table.start, table.end, rows, separator)
    return separator.join(filter(None, parts))


def _counting_marker(form: Lines, rows: Int64s, wording: Wording) -> Marker | None:
    """Return the marker that counts the lines of each gap; None where a sign without a count is enough."""
    if wording is Wording.TOTAL and form.total is not None:
        return form.total(rows)
    return None if wording is Wording.SIGNS else form.marker


def _nested_marker(form: Nested, rows: Int64s, wording: Wording) -> Marker:
    if wording is Wording.SHORT and form.short is not None:
        return form.short
    if wording in (Wording.TOTAL, Wording.SIGNS) and form.total is not None:
        return form.total(rows)
    return form.bare if wording is Wording.BARE else form.marker


def noted(region: Region, row: int) -> Region:
    """Return a region of lines with an "…" behind a row."""
    form, local = region.form, row + region.local - region.first
    assert isinstance(form, Lines)
    note, asked = form.note, form.noted
    if form.continued is not None and form.continued[local + 1 : local + 2].any():
        return region  # the form marks that the line goes on
    if asked is not None:
        asked = asked.copy()
        asked[local] = True
    elif note is None:
        asked = np.arange(region.local + region.last - region.first) == local

    def cut(at: int) -> str:
        return " …" if at == local else "" if note is None else note(at)

    return replace(region, form=replace(form, note=cut, noted=asked))
