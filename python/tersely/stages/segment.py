"""Documents -> segments and their terms, in one native pass over the UTF-8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tersely import _native
from tersely.types import Int32s, Int64s, Level, SegmentTable

__all__ = ["Analysis", "analyze", "segment"]

_LARGEST_WINDOW = 2**62  # what the native border takes; no text is longer


@dataclass(frozen=True, eq=False, slots=True)
class Analysis:
    """Segments with their terms.

    Attributes:
        table: the segments.
        term_ids: int32, ids of all rows' terms one after another, in [0, vocabulary).
        term_offsets: int64[rows + 1]; row i is `term_ids[term_offsets[i]:term_offsets[i + 1]]`. Rows are
            the segments, then the extras.
        vocabulary: number of distinct terms.
    """

    table: SegmentTable
    term_ids: Int32s
    term_offsets: Int64s
    vocabulary: int


def analyze(
    texts: Sequence[str], extras: Sequence[str] = (), level: Level = Level.SENTENCE, window: int = 200
) -> Analysis:
    """Cut texts into segments and read their terms; `extras` (query, titles) only give a term row each.

    O(characters) time and memory linear in the number of segments and terms; the GIL is released.
    Raises ValueError for a text with a lone surrogate.
    """
    columns, ids, offsets, vocabulary = _native.analyze(
        list(texts), list(extras), int(level), min(window, _LARGEST_WINDOW)
    )
    return Analysis(SegmentTable(*columns), ids, offsets, vocabulary)


def segment(texts: Sequence[str], level: Level = Level.SENTENCE, window: int = 200) -> SegmentTable:
    """Cut texts into segments. See `analyze`."""
    return SegmentTable(*_native.segment(list(texts), int(level), min(window, _LARGEST_WINDOW)))
