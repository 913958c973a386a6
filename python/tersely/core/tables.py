"""The vocabulary of arrays: segments as a structure of arrays, and the terms in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Analysis", "Float32s", "Float64s", "Int32s", "Int64s", "Kind", "Level", "SegmentTable", "UInt8s",
           "pieces"]  # fmt: skip

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt8s = npt.NDArray[np.uint8]
Float32s = npt.NDArray[np.float32]
Float64s = npt.NDArray[np.float64]


class Kind(IntEnum):
    """What a segment is."""

    PROSE = 0
    HEADING = 1
    LIST_ITEM = 2
    QUOTE = 3
    TABLE = 4
    FENCED_CODE = 5
    CODE = 6  # indented, or lines that look like code or data
    LOG_LINE = 7
    CHAT_TURN = 8


_KINDS = tuple(Kind)  # quicker than calling the enum


class Level(IntEnum):
    """How finely text is cut into segments."""

    CHARACTER = 0  # fixed windows
    WORD = 1
    CLAUSE = 2  # of sentences, where commas, brackets, conjunctions, prepositions part them
    SENTENCE = 3
    PARAGRAPH = 4
    SECTION = 5


@dataclass(frozen=True, eq=False, slots=True)
class SegmentTable:
    """Segments as a structure of arrays, one row a segment, in source order.

    Attributes:
        document: int32[n], index of the document.
        start, end: int64[n], characters of that document, half-open. What lies between segments is
            white space only.
        kind: uint8[n], a `Kind`.
        block: int32[n], the paragraph, list item, table, ... it lies in; ascending over all documents.
        heading: int32[n], row of the nearest heading above, -1 where there is none; of items of a list,
            the sentence that leads into it with a colon; of a heading, the heading it stands under.
    """

    document: Int32s
    start: Int64s
    end: Int64s
    kind: UInt8s
    block: Int32s
    heading: Int32s

    def __len__(self) -> int:
        """Number of segments."""
        return len(self.start)

    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """The arrays, in the order of the attributes."""
        return self.document, self.start, self.end, self.kind, self.block, self.heading

    def __iter__(self) -> Iterator[tuple[int, int, int, Kind]]:
        """(document, start, end, kind) of each segment."""
        rows = zip(
            self.document.tolist(), self.start.tolist(), self.end.tolist(), self.kind.tolist(), strict=True
        )
        return ((document, start, end, _KINDS[kind]) for document, start, end, kind in rows)


def pieces(texts: Sequence[str], document: Int32s, start: Int64s, end: Int64s) -> list[str]:
    """Return each `texts[document][start:end]`, row by row."""
    rows = zip(document.tolist(), start.tolist(), end.tolist(), strict=True)
    return [texts[index][first:last] for index, first, last in rows]


@dataclass(frozen=True, eq=False, slots=True)
class Analysis:
    """Segments with their terms.

    Attributes:
        table: the segments.
        term_ids: int32, ids of all rows' terms one after another, in [0, vocabulary).
        term_offsets: int64[rows + 1]; row i is `term_ids[term_offsets[i]:term_offsets[i + 1]]`. Rows are
            the segments, then the extras.
        term_class: uint8[vocabulary], what each distinct term is, in bits: 1 a quantity, 2 a time, 4 a word
            that texts of all kinds have (csrc/kernels/text/term_class.hpp).
    """

    table: SegmentTable
    term_ids: Int32s
    term_offsets: Int64s
    term_class: UInt8s

    @property
    def vocabulary(self) -> int:
        """Number of distinct terms."""
        return len(self.term_class)
