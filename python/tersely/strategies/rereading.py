"""Changed texts, read again only around their changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tersely import _native
from tersely.facts import FactTable
from tersely.stages.count import count_batch
from tersely.stages.facts import fact_keys
from tersely.stages.question import read_question
from tersely.stages.segment import analyze
from tersely.strategies.diff import Change
from tersely.strategies.fact_rereading import reread_facts
from tersely.strategies.fitting import Prices, price_counted
from tersely.strategies.scored import Scored
from tersely.strategies.splicing import Seam, offsets_of, spliced, spliced_list, term_seams
from tersely.strategies.windows import Window, windows
from tersely.tables import Analysis, Int32s, Int64s, Kind, Level, SegmentTable, UInt8s
from tersely.types import Request

__all__ = ["NO_NUMBERS", "Numbers", "Reread", "numbers_of", "reread"]

_HEADING = int(Kind.HEADING)  # numpy is slow with enums


class Numbers(NamedTuple):
    """The id of each term and of each fact, also of those that only earlier versions had."""

    terms: Mapping[str, int]
    facts: Mapping[bytes, int]

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.terms) + len(self.facts)


NO_NUMBERS = Numbers({}, {})


@dataclass(frozen=True, eq=False, slots=True)
class Reread:
    """Changed texts as if they had been read whole.

    Attributes:
        analysis, prices: segments, terms and costs.
        facts: those to be preserved; None: they are not known.
        numbers: the ids of terms and facts.
        origin: int64[n], the row that each segment had before, -1 for new ones.
        characters: how many were read again.
    """

    analysis: Analysis
    prices: Prices
    facts: FactTable | None
    numbers: Numbers
    origin: Int64s
    characters: int


def numbers_of(scored: Scored) -> Numbers:
    """The ids of an analysis. O(characters)."""
    names = _native.terms([*scored.prices.pieces, *_extras(scored.request)])[2]
    must = scored.must
    keys = zip(fact_keys(scored.texts, must.facts), must.facts.key.tolist(), strict=True) if must else ()
    return Numbers({name: number for number, name in enumerate(names)}, dict(keys))


def reread(
    before: Scored,
    numbers: Numbers,
    request: Request,
    changes: Sequence[Sequence[Change]],
    level: Level,
    window: int,
) -> Reread | None:
    """Read the request's documents, which differ from those of `before` by `changes` (a list for each).

    Only what `windows` names is read, as texts of their own, and only new segments are counted; the rest
    moves. So borders of segments may differ from those of a reading of the whole where text runs long
    without a blank line. None where `windows` says so. O(characters read), and O(segments + terms) in numpy.
    """
    texts = [document.text for document in request.documents]
    old = before.analysis.table
    around = windows(old, before.texts, texts, changes)
    if around is None:
        return None
    read = analyze([texts[w.document][w.start : w.end] for w in around], [], level, window)
    new = _placed(read.table, around)
    places = list(zip(new.document.tolist(), new.start.tolist(), new.end.tolist(), strict=True))
    pieces = [texts[document][start:end] for document, start, end in places]
    borders = read.table.document.searchsorted(np.arange(len(around) + 1, dtype=np.int32)).tolist()
    seams = [Seam(w.first, w.last, borders[i], borders[i + 1]) for i, w in enumerate(around)]
    stayed = _stayed(old, around, changes)
    twin = np.array([stayed.get(place, -1) for place in places], dtype=np.int64)

    shift = np.zeros(len(old), dtype=np.int64)
    for w in around:
        shift[w.last : old.document.searchsorted(np.int32(w.document), "right")] += w.shift
    table = _joined(old, shift, new, seams, twin)
    ids, offsets, classes, terms = _terms(before.analysis, numbers.terms, read, pieces, seams)
    facts, known = reread_facts(before.must, numbers.facts, old, shift, table, texts, level, seams)
    return Reread(
        Analysis(table, ids, offsets, classes),
        _prices(before.prices, request, pieces, twin, seams),
        facts,
        Numbers(terms, known),
        spliced(np.arange(len(old)), twin, seams),
        sum(w.end - w.start for w in around),
    )


def _extras(request: Request) -> list[str]:
    """The texts whose terms stand in the rows after the segments' (relevance/prepared.py)."""
    query = (request.query or "").strip()
    if not query:
        return []
    return [read_question(query).text, *(document.title or "" for document in request.documents)]


def _placed(table: SegmentTable, around: Sequence[Window]) -> SegmentTable:
    """Segments of windows as segments of the documents that the windows are in."""
    start = np.array([w.start for w in around], dtype=np.int64)[table.document]
    document = np.array([w.document for w in around], dtype=np.int32)[table.document]
    return SegmentTable(
        document, table.start + start, table.end + start, table.kind, table.block, table.heading
    )


def _stayed(
    old: SegmentTable, around: Sequence[Window], changes: Sequence[Sequence[Change]]
) -> dict[tuple[int, int, int], int]:
    """Where segments that are read again though no change touches them stand now, and their rows."""
    found: dict[tuple[int, int, int], int] = {}
    document = passed = -1
    for w in around:
        if w.document != document:
            document, passed = w.document, 0
        places = changes[document]
        starts, ends = old.start[w.first : w.last].tolist(), old.end[w.first : w.last].tolist()
        for row, (start, end) in enumerate(zip(starts, ends, strict=True), w.first):
            while passed < len(places) and places[passed].old_end <= start:
                passed += 1
            step = places[passed - 1].new_end - places[passed - 1].old_end if passed else 0
            if passed == len(places) or end <= places[passed].old_start:
                found[document, start + step, end + step] = row
    return found


def _joined(
    old: SegmentTable, shift: Int64s, new: SegmentTable, seams: Sequence[Seam], twin: Int64s
) -> SegmentTable:
    document = spliced(old.document, new.document, seams)
    kind = spliced(old.kind, new.kind, seams)
    first_block = old.block.item(-1) + 1 if len(old) else 0
    block = spliced(old.block, new.block + np.int32(first_block), seams)
    starts = np.zeros(len(block), dtype=bool)
    np.not_equal(block[1:], block[:-1], out=starts[1:])
    return SegmentTable(
        document,
        spliced(old.start + shift, new.start, seams),
        spliced(old.end + shift, new.end, seams),
        kind,
        np.cumsum(starts, dtype=np.int32),
        _headings(old, new, seams, twin, kind, document),
    )


def _headings(
    old: SegmentTable,
    new: SegmentTable,
    seams: Sequence[Seam],
    twin: Int64s,
    kind: UInt8s,
    document: Int32s,
) -> Int32s:
    """Where each segment's heading stands now; the nearest one above where its own is gone."""
    size, rows = len(old), np.arange(len(kind))
    headings = kind == _HEADING
    if not headings.any():
        return np.full(len(kind), -1, dtype=np.int32)
    heading = spliced(old.heading, np.where(new.heading < 0, -1, new.heading + size).astype(np.int32), seams)
    order = spliced(np.arange(size), np.arange(size, size + len(new)), seams)
    now = np.full(size + len(new), -1)
    now[order] = rows
    found = np.where(heading < 0, -1, now[heading])
    above = np.concatenate([[-1], np.maximum.accumulate(np.where(headings, rows, -1))])[:-1]
    above = np.where((above >= 0) & (document[above] == document), above, -1)
    unknown = (found < 0) & ((heading >= 0) | (order >= size)) & ~headings
    return np.where(unknown, above, found).astype(np.int32)


def _terms(
    old: Analysis, terms: Mapping[str, int], read: Analysis, pieces: list[str], seams: Sequence[Seam]
) -> tuple[Int32s, Int64s, UInt8s, Mapping[str, int]]:
    """Ids, offsets and classes of all terms, and the id of each; `pieces`: what was read."""
    names = _native.terms(pieces)[2]
    new = [row for row, name in enumerate(names) if name not in terms]
    if new:
        terms = {**terms, **{names[row]: number for number, row in enumerate(new, len(terms))}}
    number = np.array([terms[name] for name in names], dtype=np.int32)
    inside = term_seams(old.term_offsets, read.term_offsets, seams)
    return (
        spliced(old.term_ids, number[read.term_ids], inside),
        offsets_of(spliced(np.diff(old.term_offsets), np.diff(read.term_offsets), seams)),
        np.concatenate([old.term_class, read.term_class[new]]) if new else old.term_class,
        terms,
    )


def _prices(old: Prices, request: Request, pieces: list[str], twin: Int64s, seams: Sequence[Seam]) -> Prices:
    """Costs of all segments; those without a twin are counted."""
    counts = old.counts[twin] if len(old.counts) else twin
    missing = np.flatnonzero(twin < 0)
    counts[missing] = count_batch(request.counter, [pieces[row] for row in missing.tolist()])
    everything = spliced_list(old.pieces, pieces, seams)
    return price_counted(request, everything, spliced(old.counts, counts, seams), old.separator)
