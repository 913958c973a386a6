"""Changed texts, read again only around their changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tersely import _native
from tersely.stages.count import count_batch
from tersely.stages.question import read_question
from tersely.stages.segment import analyze
from tersely.strategies.diff import Change
from tersely.strategies.fitting import Prices, price_counted
from tersely.strategies.scored import Scored
from tersely.strategies.windows import Window, moves, windows
from tersely.tables import Analysis, Int32s, Int64s, Kind, Level, SegmentTable, UInt8s
from tersely.types import Request

__all__ = ["Reread", "reread", "term_numbers"]

_HEADING = int(Kind.HEADING)  # numpy is slow with enums


@dataclass(frozen=True, eq=False, slots=True)
class Reread:
    """Changed texts as if they had been read whole.

    Attributes:
        analysis, prices: segments, terms and costs.
        terms: the id of each term; also of terms that only earlier versions had.
        origin: int64[n], the row that each segment had before, -1 for new ones.
        characters: how many were read again.
    """

    analysis: Analysis
    prices: Prices
    terms: Mapping[str, int]
    origin: Int64s
    characters: int


def term_numbers(scored: Scored) -> dict[str, int]:
    """The id of each term of an analysis. O(characters)."""
    names = _native.terms([*scored.prices.pieces, *_extras(scored.request)])[2]
    return {name: number for number, name in enumerate(names)}


def reread(
    before: Scored,
    terms: Mapping[str, int],
    request: Request,
    changes: Sequence[Sequence[Change]],
    level: Level,
    window: int,
) -> Reread | None:
    """Read the request's documents, which differ from those of `before` by `changes` (a list for each).

    Only what `windows` names is read, as texts of their own, and only new segments are counted; for the rest,
    rows move. So borders of segments may differ from those of a reading of the whole where text runs long
    without a blank line. None where `windows` says so. O(characters read), and O(segments + terms) in numpy.
    """
    texts = [document.text for document in request.documents]
    old = before.analysis.table
    around = windows(old, before.texts, texts, changes)
    if around is None:
        return None
    shift, untouched = moves(old, changes)
    read = analyze([texts[w.document][w.start : w.end] for w in around], _extras(request), level, window)
    new = _placed(read.table, around)
    rows = zip(new.document.tolist(), new.start.tolist(), new.end.tolist(), strict=True)
    places = list(rows)
    pieces = [texts[document][start:end] for document, start, end in places]

    stayed: dict[tuple[int, int, int], int] = {}  # segments that are read again though nothing touched them
    for w in around:
        for row in range(w.first, w.last):
            if untouched[row]:
                start, end = int(old.start[row] + shift[row]), int(old.end[row] + shift[row])
                stayed[w.document, start, end] = row
    twin = np.array([stayed.get(place, -1) for place in places], dtype=np.int64)

    order = _order(len(old), around, read.table)
    moved = SegmentTable(old.document, old.start + shift, old.end + shift, old.kind, old.block, old.heading)
    table = _joined(moved, new, order)
    spelled = [*pieces, *_extras(request)]
    ids, offsets, classes, numbered = _terms(before.analysis, terms, read, spelled, order)
    return Reread(
        Analysis(table, ids, offsets, classes),
        _prices(before.prices, request, pieces, twin, order),
        numbered,
        np.concatenate([np.arange(len(old)), twin])[order],
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


def _order(size: int, around: Sequence[Window], read: SegmentTable) -> Int64s:
    """int64[n]: for each segment from now on its row in (rows before, rows read)."""
    borders = np.searchsorted(read.document, np.arange(len(around) + 1)) + size
    parts, done = [], 0
    for number, w in enumerate(around):
        parts += [np.arange(done, w.first), np.arange(borders[number], borders[number + 1])]
        done = w.last
    return np.concatenate([*parts, np.arange(done, size)]).astype(np.int64)


def _joined(old: SegmentTable, new: SegmentTable, order: Int64s) -> SegmentTable:
    document = np.concatenate([old.document, new.document])[order]
    kind = np.concatenate([old.kind, new.kind])[order]
    first_block = int(old.block[-1]) + 1 if len(old) else 0
    block = np.concatenate([old.block, new.block + first_block])[order]
    starts = np.diff(block, prepend=block[:1]) != 0
    heading = np.concatenate([old.heading, np.where(new.heading < 0, -1, new.heading + len(old))])[order]
    return SegmentTable(
        document,
        np.concatenate([old.start, new.start])[order],
        np.concatenate([old.end, new.end])[order],
        kind,
        np.cumsum(starts, dtype=np.int32),
        _headings(heading, order, kind, document, len(old)),
    )


def _headings(heading: Int32s, order: Int64s, kind: UInt8s, document: Int32s, size: int) -> Int32s:
    """Where each segment's heading stands now; the nearest one above where its own is gone."""
    rows = np.arange(len(order))
    now = np.full(max(size, int(order.max(initial=-1)) + 1), -1, dtype=np.int64)
    now[order] = rows
    found = np.where(heading < 0, -1, now[heading])
    above = np.concatenate([[-1], np.maximum.accumulate(np.where(kind == _HEADING, rows, -1))])[:-1]
    above = np.where((above >= 0) & (document[above] == document), above, -1)
    unknown = (found < 0) & ((heading >= 0) | (order >= size)) & (kind != _HEADING)
    return np.where(unknown, above, found).astype(np.int32)


def _terms(
    old: Analysis, terms: Mapping[str, int], read: Analysis, texts: list[str], order: Int64s
) -> tuple[Int32s, Int64s, UInt8s, dict[str, int]]:
    """Ids, offsets and classes of all terms, and the id of each; `texts`: of the rows read."""
    numbered = dict(terms)
    names = _native.terms(texts)[2]
    number = np.array([numbered.setdefault(name, len(numbered)) for name in names], dtype=np.int32)
    classes = np.concatenate([old.term_class, np.zeros(len(numbered) - len(terms), dtype=np.uint8)])
    classes[number] = read.term_class
    size, extras = len(old.table), len(read.term_offsets) - 1 - len(read.table)
    order = np.concatenate([order, size + len(read.table) + np.arange(extras)])
    ids = np.concatenate([old.term_ids[: old.term_offsets[size]], number[read.term_ids]])
    starts = np.concatenate([old.term_offsets[: size + 1], old.term_offsets[size] + read.term_offsets[1:]])
    lengths = np.diff(starts)[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    gathered = np.arange(offsets[-1]) + np.repeat(starts[order] - offsets[:-1], lengths)
    return ids[gathered], offsets, classes, numbered


def _prices(old: Prices, request: Request, pieces: list[str], twin: Int64s, order: Int64s) -> Prices:
    """Costs of all segments; those without a twin are counted."""
    counts = np.concatenate([old.counts, old.counts[twin] if len(old.counts) else twin])
    missing = np.flatnonzero(twin < 0)
    counts[len(old.counts) + missing] = count_batch(request.counter, [pieces[row] for row in missing])
    everything = [*old.pieces, *pieces]
    return price_counted(request, [everything[row] for row in order.tolist()], counts[order])
