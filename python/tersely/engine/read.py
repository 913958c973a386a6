"""Read the documents of a request, each by its content type, into one table of units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tersely import _native, checks
from tersely.content.blocks import Block, Mixed, long_blocks
from tersely.content.conversation import Conversation
from tersely.content.html import Html, PageText
from tersely.content.registry import reader_of
from tersely.content.units import ContentReader, Lines, Nested, Quoted, Units, join_tables, units_of
from tersely.engine.allocation import weights_of
from tersely.engine.facts import FactCoverage, preserved_facts
from tersely.engine.reading import (
    Reading,
    Region,
    analyze,
    forms_of,
    mark_groups,
    mark_pinned,
    segment,
    with_edges,
)
from tersely.engine.worth import (
    extras_of,
    redundancy_of,
    units_are_read,
    with_floor,
    with_joint_worth,
    worth_of_text,
)
from tersely.models.counters import Texts, texts_of
from tersely.types import Analysis, Document, FactKind, Float32s, Int32s, Kind, Level, Request, SegmentTable

if TYPE_CHECKING:
    from tersely.engine.strategies import Extractive

_MOST_ROWS, _ALL_ROWS = 131_072, 1 << 40
_NEAR = 0.5  # of the best worth: units whose facts count where a query says what matters
_FACT_SHARE = 0.1  # of the budget that goes to units for their facts, with a query
_PIECES = (Level.CHARACTER, Level.WORD, Level.CLAUSE)  # less than sentences
_WHOLE_BLOCKS = (Kind.LIST_ITEM, Kind.FENCED_CODE, Kind.CODE)
_NO_ROW = np.array([-1], dtype=np.int32)
_LINE = re.compile(r"\S(?:[^\n]*\S)?")


def rows_for(request: Request) -> int:
    """How many units of a document are told apart, whatever the budget; all where the caller names some."""
    return _ALL_ROWS if request.pinned or request.groups else _MOST_ROWS


def read(
    request: Request,
    original: int,
    options: Extractive,
    readers: Sequence[ContentReader | None] = (),
    texts: Texts | None = None,
    types: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Reading:
    """Read the documents, and value each unit.

    `original`: tokens of the documents joined by the separator. `options`: how text is read and valued.
    `readers`: of each document, what reads it as its content type; None, and (): it is read as text.
    `texts`: those of the documents, with their UTF-8; None: they are made. `types`,
    `warnings`: of the reading, beside what it finds. O(characters).
    """
    if not any(readers):
        reading = _read_text(request, original, options, texts, types, warnings)
    else:
        reading = _Joining(request, original, options, readers, texts, types, warnings).run()
    found = dict[str, Any]()
    if request.query is not None and not request.query.strip() and "empty_query" not in reading.warnings:
        found["warnings"] = (*reading.warnings, "empty_query")
    several = len(request.documents) > 1
    if reading.by_query and several and (factors := _factors(request, options)) is not None:
        found["worth"] = reading.worth * factors[reading.table.document]
    preserve, talks = options.preserve, list[int]()
    talk: Conversation | None = None  # the first one's reader
    for index, reader in enumerate(readers):
        if isinstance(reader, Conversation):
            talk = talk or reader
            talks.append(index)
    if talk is not None and (talk.with_query or not reading.by_query):
        found |= {"leading": tuple(talk.newest(reading.table, talks)), "leading_share": talk.share}
        preserve = tuple(dict.fromkeys((*preserve, *talk.preserve)))
    if preserve:
        found["must"] = _coverage(reading, options, preserve)
    if request.pinned:
        shown = {region.document for region in reading.regions if isinstance(region.form, Quoted)}
        pins = [span for span in request.pinned if span[0] not in shown.union(reading.pages)]
        found["table"] = with_edges(reading.table, reading.texts, pins)
    return replace(reading, **found) if found else reading


def _read_text(
    request: Request,
    original: int,
    options: Extractive,
    texts: Texts | None,
    types: tuple[str, ...],
    told: Sequence[str],
) -> Reading:
    """All documents as text: segments, worth what they have to do with the query, else by importance."""
    if texts is None:
        texts = texts_of(request.documents)
    analysis = analyze(texts, extras_of(request), *_cut(request, options))
    valued, by_query, warnings, asked = worth_of_text(request, texts, options, analysis)
    table = analysis.table
    if len(texts) == 1:
        regions: tuple[Region, ...] = (Region(0, 0, len(table.start)),) if len(table.start) else ()
    else:
        regions = tuple(_regions_of_text(table.document))
    needs, follows = _ties_of_text(table, options)
    reading = Reading(
        request=request,
        texts=texts,
        original=original,
        table=table,
        worth=valued.worth,
        gist=valued.gist,
        apart=valued.apart,
        regions=regions,
        group=_grouped(table, request.groups, follows),
        pinned=mark_pinned(table, request.pinned),
        term_ids=analysis.term_ids,
        term_offsets=analysis.term_offsets,
        term_weight=analysis.term_weight,
        redundancy=redundancy_of(options, by_query),
        needs=needs,
        context=options.context,
        clauses=options.level is Level.CLAUSE,
        pieces_of_lines=bool(options.piece),
        pieces_repeat=options.level in _PIECES,
        warnings=(*told, *warnings),
        types=types,
        by_query=by_query,
        asked=asked,
    )
    return with_floor(reading, None)


def _cut(request: Request, options: Extractive) -> tuple[Level, int, int, bool]:
    """How documents are cut as text: the last arguments of `analyze`, and of `segment`.

    Of many documents, most of them as short as a turn of a talk, each short one is one unit: but where
    somebody named parts of them, and where scores of a search decide.
    """
    whole = len(request.documents) > 1 and not (options.piece or request.pinned or request.groups)
    if whole and request.query:
        whole = _factors(request, options) is None
    return options.level, options.window, options.piece or 0, whole


def _factors(request: Request, options: Extractive) -> Float32s | None:
    """float32[documents], of several: what the scores of a search make of worth; None: nothing."""
    scores = [document.score for document in request.documents]
    if not options.score_weight or scores.count(None) == len(scores):  # nothing is known, as mostly
        return None
    weights = weights_of(scores)
    return None if weights is None else (weights**options.score_weight).astype(np.float32)


def _ties_of_text(table: SegmentTable, options: Extractive) -> tuple[Int32s, Int32s]:
    """(needs, follows): the rows that segments need, and those that they are kept or dropped with.

    Each is int32[n], -1 for no row, or empty where no segment has one. A segment needs its heading, or the
    head of a cut table. A piece follows the first piece of its list item or block of code, where these have
    to stay whole.
    """
    needs = follows = np.empty(0, dtype=np.int32)
    if options.preserve_structure:
        needs = table.heading
        if options.piece:
            first = np.searchsorted(table.block, table.block)
            cut = np.isin(table.kind, _WHOLE_BLOCKS) & (first < np.arange(len(table)))
            follows = np.where(cut, first, -1).astype(np.int32)
    elif options.piece:
        in_table = (table.kind == Kind.TABLE) & (table.heading >= 0)
        in_table[in_table] = table.kind[table.heading[in_table]] == Kind.TABLE
        needs = np.where(in_table, table.heading, -1).astype(np.int32)
    return needs, follows


def _coverage(reading: Reading, options: Extractive, preserve: tuple[str, ...]) -> FactCoverage:
    """Find the facts that are to be preserved: with a query, decisions and those in units that have to do
    with it."""
    table, level = reading.table, options.level
    if not reading.by_query or options.strict_preserve:
        facts = preserved_facts(reading.texts, table, level, preserve)
        factor = _by_relevance(reading.worth) if reading.by_query else reading.apart
        # Lines of logs and records all have numbers: their reader says which matter.
        is_text = any(region.form is None for region in reading.regions)
        strict = options.strict_preserve
        share = 1.0 if strict else options.preserve_share if is_text else _FACT_SHARE
        return FactCoverage.of(facts, len(table), factor, preserve, strict, share, not is_text)
    near = reading.worth >= _NEAR * reading.worth.max(initial=0)
    if "decisions" in preserve:
        facts = preserved_facts(reading.texts, table, level, preserve)
        facts = facts.rows(near[facts.segment] | (facts.kind == FactKind.DECISION))
    else:
        rows = np.flatnonzero(near)
        chosen = SegmentTable(*(column[rows] for column in table.columns()))
        found = preserved_facts(reading.texts, chosen, level, preserve)
        facts = replace(
            found, segment=rows[found.segment].astype(np.int32), last=rows[found.last].astype(np.int32)
        )
    factor = _by_relevance(reading.worth)
    return FactCoverage.of(facts, len(table), factor, preserve, False, _FACT_SHARE, True)


def _by_relevance(relevance: Float32s) -> Float32s | None:
    """float32[n]: facts of the most relevant unit count twice those of one that has nothing to do with it."""
    top = float(relevance.max(initial=0))
    return (1 + np.maximum(relevance, 0) / top).astype(np.float32) if top > 0 else None


@checks.quick
@dataclass(frozen=True, eq=False, slots=True)
class _Part:
    """Rows of one document out of the units of a content type, or of text (`units` None)."""

    document: int | None  # None: whole documents, read as text, one after another
    at: int  # the character of the document that their places count from
    table: SegmentTable
    units: Units | None  # None: text, or lines that a reader has left
    low: int
    high: int
    fence: int = 0  # 1: the line that opens a block, 2: the one that closes it


# By document and number of its block (-1: all of it): the units of its content type, the row of its first one
# among them, and its own rows.
_ReadUnits = dict[tuple[int, int], tuple[Units, int, SegmentTable]]


class _Joining:
    """Documents of several content types: their units in one table, worth in one currency."""

    def __init__(
        self,
        request: Request,
        original: int,
        options: Extractive,
        readers: Sequence[ContentReader | None],
        texts: Texts | None,
        types: tuple[str, ...],
        warnings: Sequence[str],
    ) -> None:
        self.request, self.original, self.options, self.types = request, original, options, types
        self.readers = list(readers)
        self.texts = texts_of(request.documents) if texts is None else texts
        self.pages: dict[int, PageText] = {}
        self.warnings = list(warnings)
        self.query = (request.query or "").strip()

    def run(self) -> Reading:
        request = self.request
        self._show_pages()
        read: _ReadUnits = {}
        self._read_wholes(read)
        blocks = self._read_blocks(read)
        if not read and not self.pages:
            return _read_text(request, self.original, self.options, self.texts, self.types, self.warnings)
        analysis = table = None
        if blocks or len(read) < len(self.texts):
            # All documents as text, without the fences of blocks that were read.
            shown, cut = self.texts, _cut(request, self.options)
            if blocks:
                shown = Texts(self._without_fences(at, blocks.get(at, ()), read) for at in range(len(shown)))
            if units_are_read(request, self.options):
                table = segment(shown, *cut)
            else:
                analysis = analyze(shown, extras_of(request), *cut)
                table = analysis.table
        limits: list[int] = []  # of each document's segments
        if table is not None:
            limits = table.document.searchsorted(np.arange(len(self.texts) + 1)).tolist()
        parts: list[_Part] = []
        plain = 0  # the first of the documents before this one that are text alone
        for document, text in enumerate((*self.texts, "")):
            whole = read.get((document, -1))
            if whole is None and document not in blocks and document < len(self.texts):
                continue
            if plain < document and limits[plain] < limits[document]:
                assert table is not None  # not all documents were read whole
                low, high = limits[plain], limits[document]
                parts.append(_Part(None, 0, _rows_of(table, low, high), None, low, high))
            plain = document + 1
            if whole is not None:
                units, low, own = whole
                parts += _covering(document, 0, text, own, units, low)
            elif document in blocks:
                assert table is not None
                low, high = limits[document], limits[plain]
                parts += self._parts_of_text(document, table, low, high, blocks[document], read)
        return self._join(parts, analysis)

    def _show_pages(self) -> None:
        """Replace pages by the text they show, and the caller's places by places in that."""
        named: dict[int, list[tuple[int, int]]] = {}
        for document, start, end in (*self.request.pinned, *(s for g in self.request.groups for s in g)):
            named.setdefault(document, []).append((start, end))
        for index, reader in enumerate(self.readers):
            if not isinstance(reader, Html):
                continue
            self.readers[index] = None
            page = PageText.read(self.texts[index], named.get(index, ()))
            if page.tags or not page.plain.strip():
                self.warnings.append("markup_kept")
            if not page.plain.strip():
                continue
            if not self.pages:  # the texts are a list of their own, since what pages show stands in it
                self.texts = Texts(self.texts)
            self.pages[index], self.texts[index] = page, page.plain

    def _read_wholes(self, read: _ReadUnits) -> None:
        """Read each document that has one content type, those of one type in one call."""
        places: dict[ContentReader, list[tuple[int, int, Document]]] = {}
        for index, (reader, document) in enumerate(zip(self.readers, self.request.documents, strict=True)):
            if reader is not None and not isinstance(reader, (Mixed, Conversation)):
                places.setdefault(reader, []).append((index, -1, document))
        for reader, wholes in places.items():
            self._read(reader, wholes, read)

    def _read_blocks(self, read: _ReadUnits) -> dict[int, list[Block]]:
        """Read the long blocks of documents that no reader has read as a whole; return them by document."""
        blocks: dict[int, list[Block]] = {}
        if self.options.level is not Level.SENTENCE:
            return blocks
        places: dict[ContentReader, list[tuple[int, int, Document]]] = {}
        for index, (reader, document) in enumerate(zip(self.readers, self.request.documents, strict=True)):
            if (
                reader is None
                or isinstance(reader, Conversation)
                or (index, -1) in read
                or index in self.pages
            ):
                continue
            for block in long_blocks(document.text):
                text = document.text[block.start : block.end]
                inner = reader_of(text, block.language)
                if inner is None:
                    continue
                blocks.setdefault(index, []).append(block)
                pasted = Document(text, metadata={"language": block.language})
                places.setdefault(inner, []).append((index, len(blocks[index]) - 1, pasted))
        for inner, pasted_blocks in places.items():
            self._read(inner, pasted_blocks, read)
        return blocks

    def _read(
        self,
        reader: ContentReader,
        places: list[tuple[int, int, Document]],
        read: _ReadUnits,
    ) -> None:
        documents = [document for _, _, document in places]
        units = reader.read(documents, self.request.query, rows_for(self.request))
        if units is None or len(units.table) == 0:
            self.warnings += getattr(reader, "refusals", lambda _: ())(documents)
            return
        self.warnings += [code for code in units.warnings if code != "query_without_matches"]
        limits = [0, len(units.table)]
        if len(places) > 1:
            limits = units.table.document.searchsorted(np.arange(len(places) + 1)).tolist()
        for number, (index, block, _) in enumerate(places):
            low, high = limits[number], limits[number + 1]
            if low < high:
                read[index, block] = (units, low, _rows_of(units.table, low, high))

    def _without_fences(
        self,
        document: int,
        blocks: Sequence[Block],
        read: _ReadUnits,
    ) -> str:
        """A text with white space for the fences of blocks, so that what is between them is cut as it is."""
        text = self.texts[document]
        for number, block in enumerate(blocks):
            if block.fenced and (document, number) in read:
                opened, start, end, closed = block.opened, block.start, block.end, block.closed
                blank = " " * (start - 1 - opened), " " * (closed - end - 1)
                text = f"{text[:opened]}{blank[0]}{text[start - 1 : end + 1]}{blank[1]}{text[closed:]}"
        return text

    def _parts_of_text(
        self,
        document: int,
        table: SegmentTable,
        low: int,
        high: int,
        blocks: Sequence[Block],
        read: _ReadUnits,
    ) -> list[_Part]:
        """Segments of a document, rows [low, high), with the units of blocks in the places of theirs."""
        text = self.texts[document]
        parts: list[_Part] = []
        for number, block in enumerate(blocks):
            if (document, number) not in read:
                continue
            before = low + int(np.searchsorted(table.end[low:high], block.opened, side="right"))
            after = low + int(np.searchsorted(table.start[low:high], block.closed, side="left"))
            if before > low:
                parts.append(_Part(document, 0, _rows_of(table, low, before), None, low, before))
            units, first, inner = read[document, number]
            covering = _covering(document, block.start, text[block.start : block.end], inner, units, first)
            if block.fenced:
                begins, ends = [block.opened, block.end + 1], [block.start - 1, block.closed]
                fences = units_of([0, 0], begins, ends, Kind.FENCED_CODE)
                opening = _Part(document, 0, _rows_of(fences, 0, 1), None, -1, -1, fence=1)
                closing = _Part(document, 0, _rows_of(fences, 1, 2), None, -1, -1, fence=2)
                covering = [opening, *covering, closing]
            parts += covering
            low = after
        if low < high:
            parts.append(_Part(document, 0, _rows_of(table, low, high), None, low, high))
        return _filled(parts, document, text)

    def _join(self, parts: list[_Part], analysis: Analysis | None) -> Reading:
        """One reading of all parts."""
        request = self.request
        table = join_tables([(part.table, part.document, part.at) for part in parts])
        size = len(table)
        limits = [*accumulate([len(part.table.start) for part in parts], initial=0)]
        places = [*map(slice, limits, limits[1:])]  # the rows of each part
        read = [(part, rows) for part, rows in zip(parts, places, strict=True) if part.units is not None]

        def said(name: str, dtype: Any = np.bool_) -> npt.NDArray[Any] | None:
            """Join the columns of the units of each part; None if no part says anything."""
            column = None
            for part, rows in read:
                one = getattr(part.units, name)
                if one is not None and one is not False:
                    column = np.zeros(size, dtype=dtype) if column is None else column
                    column[rows] = one[part.low : part.high] if isinstance(one, np.ndarray) else one
            return column if column is not None and np.logical_or.reduce(column) else None

        own, alone = said("worth", np.float32), said("independent")
        own = np.zeros(size, dtype=np.float32) if own is None else own
        needs = _NO_ROW.repeat(size)
        follows = needs.copy()
        regions: list[Region] = []
        pinned = {document for document, _, _ in request.pinned}
        fences: list[tuple[int, int]] = []
        opened = -1
        for part, rows in zip(parts, places, strict=True):
            first, units = rows.start, part.units
            if part.fence == 1:
                opened = first
            elif part.fence == 2:
                follows[rows] = opened
                fences.append((opened, first))
                opened = -1
            elif units is not None:
                above = table.heading[rows]
                needs[rows] = above if opened < 0 else np.where(above >= 0, above, opened)
                if units.follows is not None:
                    moved = units.follows[part.low : part.high]
                    by = first - part.low
                    follows[rows] = np.where(moved >= 0, moved + by, -1) if by else moved
            else:
                for column, tied in zip(
                    (needs, follows), _ties_of_text(part.table, self.options), strict=True
                ):
                    if len(tied):
                        column[rows] = np.where(tied >= 0, tied + first, -1)
            form = None if units is None else units.form
            if isinstance(form, Lines) and form.note is not None and part.document in pinned:
                form = replace(form, note=None)  # what is pinned stands in the text as it is
            if part.document is None:
                regions += _regions_of_text(part.table.document, first)
            else:
                regions.append(Region(part.document, rows.start, rows.stop, form, part.low))
        kinds = {id(part.units) for part in parts if part.fence == 0}
        single = parts[0].units if len(kinds) == 1 and parts and parts[0].units is not None else None
        groups = [spans for group in request.groups if (spans := self._spans(group))]  # blanks are in no unit
        ranked = single is not None and (not self.query or (single.relevant and len(self.texts) == 1))
        if ranked and single is not None:
            self.warnings += [code for code in single.warnings if code == "query_without_matches"]
        merged = _merged(regions)
        reading = Reading(
            request=request,
            texts=self.texts,
            original=self.original,
            table=table,
            worth=own,
            regions=merged,
            forms=forms_of(merged),
            group=_grouped(table, groups, follows),
            pinned=mark_pinned(table, self._spans(request.pinned)),
            needs=needs if np.maximum.reduce(needs, initial=-1) >= 0 else needs[:0],
            essential=said("essential"),
            bulk=said("bulk"),
            auxiliary=said("auxiliary"),
            fragments=said("fragments"),
            pages=self.pages,
            context=self.options.context if single is None else 0,
            clauses=self.options.level is Level.CLAUSE,
            pieces_of_lines=bool(self.options.piece),
            pieces_repeat=self.options.level in _PIECES,
            fences=tuple(fences),
            complete=all(part.units is None or part.units.complete for part in parts),
            ranked=ranked and single is not None and single.ranked,
            warnings=tuple(dict.fromkeys(self.warnings)),
            types=self.types,
        )
        if not ranked:
            ordered = said("relevant")
            reading = with_joint_worth(reading, own, analysis, self.options, follows, alone, ordered)
        return with_floor(reading, said("graded"))

    def _spans(self, spans: Sequence[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
        """Spans of the documents in the texts that the table counts."""
        if not self.pages:
            return tuple(spans)
        return tuple(
            (document, *place)
            for document, start, end in spans
            for place in (
                self.pages[document].to_plain(start, end) if document in self.pages else [(start, end)]
            )
        )


def _rows_of(table: SegmentTable, low: int, high: int) -> SegmentTable:
    """The rows [low, high); rows that they need among those before are forgotten."""
    if low == 0 and high == len(table):
        return table
    columns = [column[low:high] for column in table.columns()]
    columns[-1] = np.maximum(columns[-1] - low, -1)
    return SegmentTable(*columns)


def _covering(document: int, at: int, text: str, table: SegmentTable, units: Units, low: int) -> list[_Part]:
    """Parts that have every character of a text: its units, and lines of text where a reader has left some.

    `table`: the units, the first of which is `low` among all of their type.
    """
    if isinstance(units.form, Nested):  # between its units stand commas
        return [_Part(document, at, table, units, low, low + len(table))]
    parts: list[_Part] = []
    size = len(table)
    begins, ends = np.concatenate(([0], table.end)), np.concatenate((table.start, [len(text)]))
    done = 0
    gaps = np.flatnonzero(ends - begins > 1)
    for row, begin, end in zip(gaps.tolist(), begins[gaps].tolist(), ends[gaps].tolist(), strict=True):
        if text[begin:end].isspace() or (left := _lines_between(text, begin, end)) is None:
            continue
        if done < row:
            parts.append(_Part(document, at, _rows_of(table, done, row), units, low + done, low + row))
        parts.append(_Part(document, at, left, None, -1, -1))
        done = row
    if done < size:
        parts.append(_Part(document, at, _rows_of(table, done, size), units, low + done, low + size))
    return parts


def _lines_between(text: str, begin: int, end: int) -> SegmentTable | None:
    """The lines of text[begin:end] that are not blank, as units; None if there are none."""
    lines = [(begin + line.start(), begin + line.end()) for line in _LINE.finditer(text[begin:end])]
    if not lines:
        return None
    starts, ends = zip(*lines, strict=True)
    return units_of([0] * len(lines), starts, ends, Kind.PROSE)


def _filled(parts: Sequence[_Part], document: int, text: str) -> list[_Part]:
    """Parts of a document, and lines that are in none of them: where a segment reaches over a fence."""
    filled: list[_Part] = []
    done = 0
    for part in parts:
        left = _lines_between(text, done, part.at + int(part.table.start[0]))
        if left is not None:
            filled.append(_Part(document, 0, left, None, -1, -1))
        filled.append(part)
        done = max(done, part.at + int(part.table.end[-1]))
    left = _lines_between(text, done, len(text))
    return filled if left is None else [*filled, _Part(document, 0, left, None, -1, -1)]


def _regions_of_text(document: Int32s, first: int = 0) -> list[Region]:
    """A region for each document's rows, the first of which is row `first`."""
    if len(document) == 0:
        return []
    low, high = int(document[0]), int(document[-1])
    limits = document.searchsorted(np.arange(low, high + 2, dtype=np.int32)).tolist()
    places = enumerate(pairwise(limits), low)
    return [Region(index, first + begin, first + end) for index, (begin, end) in places if begin < end]


def _merged(regions: Sequence[Region]) -> tuple[Region, ...]:
    """Regions of text that follow one another in a document are one, fences too."""
    merged: list[Region] = []
    for region in regions:
        if merged and region.form is None is merged[-1].form and merged[-1].document == region.document:
            merged[-1] = replace(merged[-1], last=region.last)
        else:
            merged.append(region)
    return tuple(merged)


def _grouped(
    table: SegmentTable, groups: Sequence[Sequence[tuple[int, int, int]]], follows: Int32s
) -> Int32s:
    """int32[n]: the groups of the caller, and of units that are kept or dropped together."""
    asked = mark_groups(table, groups)
    tied = np.maximum.reduce(follows, initial=-1) >= 0
    return _native.held_together(asked, follows) if tied else asked
