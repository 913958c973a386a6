"""Segments, query -> what each segment is worth per token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely import _native
from tersely.types import Float32s, Int32s, Int64s, SegmentTable

__all__ = ["centrality", "lead", "relevance"]


def relevance(
    table: SegmentTable,
    term_ids: Int32s,
    term_offsets: Int64s,
    vocabulary: int,
    query_row: int,
    title_rows: Sequence[int],
) -> Float32s:
    """float32[n] >= 0: lexical relevance to the query whose terms are row `query_row`.

    `title_rows[d]` is the term row of document d's title, -1 without one. All zeros where no segment,
    heading or title holds a term of the query. The formula stands in csrc/kernels/lexical/relevance.hpp.
    """
    titles = np.asarray(title_rows, dtype=np.int64)
    return _native.relevance(
        term_ids, term_offsets, vocabulary, table.document, table.block, table.heading, query_row, titles
    )


def centrality(table: SegmentTable, term_ids: Int32s, term_offsets: Int64s, vocabulary: int) -> Float32s:
    """float32[n] in [0, 1.2]: importance without a query (csrc/kernels/lexical/centrality.hpp)."""
    return _native.centrality(term_ids, term_offsets, vocabulary, table.document, table.block, table.heading)


def lead(words: Sequence[int], position_decay: float = 0.01, position_floor: float | None = None) -> Float32s:
    """float32[n]: 1 - i * position_decay (not under the floor), + 0.3 where 5 < words < 50.

    `words[i]`: number of white-space separated words of segment i.
    """
    count = np.asarray(words)
    score = 1.0 - np.arange(len(count)) * position_decay
    if position_floor is not None:
        score = np.maximum(score, position_floor)
    return np.asarray(score + 0.3 * ((count > 5) & (count < 50)), dtype=np.float32)
