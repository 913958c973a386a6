"""Read lines of logs and of tools' output: their template, what they say at a glance, what they repeat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntFlag
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.core.tables import Float32s, Int32s, Int64s, Kind, SegmentTable, UInt8s

__all__ = [
    "LineTable",
    "Mark",
    "around",
    "asked_ids",
    "from_reader",
    "place_in",
    "read_lines",
    "relevance",
    "split_after_places",
]

UInt32s = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]

_COLUMNS = ("line", "template", "marks", "variant", "copies", "places", "anchor_end", "asked", "finding")


class Mark(IntFlag):
    """What a line tells at a glance (csrc/kernels/content/marks.hpp)."""

    ERROR = 1
    TROUBLE = 2
    SUMMARY = 4
    ANCHOR = 8
    FRAME = 16
    OVERWRITTEN = 32
    CONTINUED = 64
    PASSED = 128
    NUMBER = 256
    FAILURE = 512
    QUIET = 1024
    VERDICT = 2048


@dataclass(frozen=True, eq=False, slots=True)
class LineTable:
    """Lines of documents, a row each, in source order; blank lines have none.

    Where a document has more lines than were to be kept, the most telling ones have a row of their own, and
    what lies between them is one row, with `template` -1.

    Attributes:
        table: where they are.
        line: int64[n], number of the line in its document, from 0.
        template: int32[n], lines of one template differ in values only (csrc/kernels/content/templates.hpp).
        marks: uint32[n], bits of `Mark`.
        variant: int32[n], lines of one variant have the same words of letters; -1 where there were too many.
        copies: int32[n], how often a line was met before, character for character.
        places: int32[n], how many path:line places a line is the first to name.
        anchor_end: int32[n], characters of the row to the end of the last of these; 0 without one.
        asked: uint64[n], a bit for each of the query's words that a line has.
        finding: int32[n], lines of one have the same code, such as E0308 (csrc/kernels/content/outcomes.hpp);
            -1 without one.
        counts: int64[templates], lines of each template.
        variants: int64[variants], lines of each variant.
        findings: int64[findings], lines of each finding.
        stamps: first and last time stamp of each template, as written; "" without.
        asked_lines: int64[64], lines that have each of the query's words.
        id_words: bits of the query's words that are ids.
        gaps: whether there are lines without a row.
        total: lines of all documents.
    """

    table: SegmentTable
    line: Int64s
    template: Int32s
    marks: UInt32s
    variant: Int32s
    copies: Int32s
    places: Int32s
    anchor_end: Int32s
    asked: UInt64s
    finding: Int32s
    counts: Int64s
    variants: Int64s
    findings: Int64s
    stamps: list[tuple[str, str]]
    asked_lines: Int64s
    id_words: int
    total: int
    gaps: bool = False

    def has(self, mark: Mark) -> npt.NDArray[np.bool_]:
        """bool[n]: whether a line has any of the marks."""
        return np.asarray((self.marks & np.uint32(mark)) != 0)

    def unmatched(self, query: str | None) -> tuple[str, ...]:
        """The reason code for a query that has no word in common with any line."""
        asked = query is not None and bool(query.strip())
        return ("query_without_matches",) if asked and not self.asked_lines.any() else ()

    @property
    def bulk(self) -> npt.NDArray[np.bool_]:
        """bool[n]: rows that stand for many lines, too many to be looked at one by one."""
        return self.template < 0


def read_lines(texts: list[str], query: str | None, most: int) -> LineTable:
    """Read the lines of documents; at most `most` rows of single lines (1,024 or more). O(characters)."""
    reader = _native.LineReader(query or "", most)
    for text in texts:
        reader.read(text)
    lines = from_reader(reader, most)
    return _with_bulk(lines, texts) if lines.gaps else lines


def from_reader(reader: _native.LineReader, most: int) -> LineTable:
    """What a reader has read; where rows were let go, without rows for what lies between."""
    counts, stamps = reader.templates()
    document, start, end, line, template, marks, variant, copies, places, anchor_end, asked, finding = (
        reader.rows()
    )
    n = len(start)
    table = SegmentTable(
        document,
        start,
        end,
        np.full(n, Kind.LOG_LINE, dtype=np.uint8),
        np.arange(n, dtype=np.int32),
        np.full(n, -1, dtype=np.int32),
    )
    return LineTable(
        table, line, template, marks, variant, copies, places, anchor_end, asked, finding,
        counts, reader.variants(), reader.findings(), stamps,
        reader.asked(), reader.id_words, reader.lines, reader.let_go,
    )  # fmt: skip


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


def asked_ids(lines: LineTable) -> npt.NDArray[np.bool_]:
    """bool[n]: lines that have an id of the query, where the id is rare enough to mean something."""
    rare = [bit for bit in range(64) if 0 < lines.asked_lines[bit] <= max(20, lines.total // 20)]
    ids = sum(1 << bit for bit in rare) & lines.id_words
    return np.asarray((lines.asked & np.uint64(ids)) != 0)


def place_in(group: Int32s) -> Int64s:
    """int64[n]: 0 for the first row of a group, 1 for its last, 2 for its second, ..."""
    n = len(group)
    order = np.argsort(group, kind="stable")
    ids = group[order]
    starts = (
        np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1]))) if n else np.empty(0, dtype=np.int64)
    )
    sizes = np.diff(np.concatenate((starts, [n])))
    rank = np.arange(n) - np.repeat(starts, sizes)
    rank = np.where(rank > 0, rank + 1, 0)
    last = starts + sizes - 1
    rank[last[sizes > 1]] = 1
    place = np.empty(n, dtype=np.int64)
    place[order] = rank
    return place


def around(chosen: npt.NDArray[np.bool_], reach: int) -> npt.NDArray[np.bool_]:
    """bool[n]: rows within `reach` rows of a chosen one, without the chosen ones."""
    near = np.zeros(len(chosen), dtype=np.int64)
    for step in range(1, min(reach, len(chosen) - 1) + 1):
        near[step:] += chosen[:-step]
        near[:-step] += chosen[step:]
    return (near > 0) & ~chosen


def split_after_places(
    lines: LineTable, chosen: npt.NDArray[np.bool_]
) -> tuple[LineTable, npt.NDArray[np.bool_]]:
    """Cut the chosen lines after their last new place; the second value says which rows are what followed.

    A rest needs its head: the head's row is its `heading`.
    """
    table = lines.table
    cut = chosen & (lines.anchor_end > 0) & (table.start + lines.anchor_end < table.end)
    rows = np.repeat(np.arange(len(table)), 1 + cut)
    rest = np.concatenate(([False], rows[1:] == rows[:-1])) if len(rows) else np.zeros(0, dtype=bool)
    head = np.concatenate((rest[1:], [False])) if len(rows) else rest
    middle = table.start[rows] + lines.anchor_end[rows]
    split = SegmentTable(
        table.document[rows],
        np.where(rest, middle, table.start[rows]),
        np.where(head, middle, table.end[rows]),
        table.kind[rows],
        np.arange(len(rows), dtype=np.int32),
        np.where(rest, np.arange(len(rows)) - 1, -1).astype(np.int32),
    )
    each = {name: getattr(lines, name)[rows] for name in _COLUMNS}
    return replace(lines, table=split, **each), rest


def _with_bulk(lines: LineTable, texts: list[str]) -> LineTable:
    """Rows for what lies between the rows, where that is more than white space."""
    table = lines.table
    spans: list[tuple[int, int, int, int]] = []  # before which row, document, start, end
    row, n = 0, len(table)
    for document, text in enumerate(texts):
        at = 0
        while row < n and table.document[row] == document:
            _add_gap(spans, row, document, text, at, int(table.start[row]))
            at = int(table.end[row])
            row += 1
        _add_gap(spans, row, document, text, at, len(text))
    if not spans:
        return lines
    before, documents, starts, ends = (np.array(column) for column in zip(*spans, strict=True))

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
        np.full(rows, -1, dtype=np.int32),
    )
    more = {"line": -1, "template": -1, "variant": -1, "finding": -1}
    columns: dict[str, Any] = {name: put(getattr(lines, name), more.get(name, 0)) for name in _COLUMNS}
    return replace(lines, table=merged, **columns)


def _add_gap(
    spans: list[tuple[int, int, int, int]], row: int, document: int, text: str, start: int, end: int
) -> None:
    if end - start < 3 and not text[start:end].strip():
        return
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    if left < len(piece):
        spans.append((row, document, start + left, start + len(piece.rstrip())))
