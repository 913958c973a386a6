"""Segments, query -> what each segment is worth per token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.core.tables import Analysis, Float32s, Int32s, Int64s

__all__ = [
    "FEATURES",
    "centrality",
    "lead",
    "position_and_length",
    "relevance_features",
    "term_weights",
    "weigh",
]

#: What relevance is made of, in the order of csrc/kernels/relevance/features.hpp, which says what each is.
FEATURES = (
    "share",
    "bm25",
    "previous",
    "next",
    "headings",
    "lead",
    "first",
    "block_best",
    "document",
    "answer",
    "feedback",
    "feedback_wide",
    "bridge",
    "named",
    "cosine",
    "cosine_previous",
    "cosine_next",
    "cosine_block",
    "cosine_document",
    "cosine_lead",
    "reranked",
)


def relevance_features(
    analysis: Analysis,
    query_row: int,
    title_rows: Sequence[int],
    answer: int = 0,
    cosine: Float32s | None = None,
) -> Float32s:
    """float32[len(FEATURES), n]: what each of n segments has to do with the query.

    `query_row`: the row of the query's terms. `title_rows[d]`: the row of document d's title, -1 without one.
    `answer`: classes of terms that the query asks for (engine/question.py).
    `cosine`: float32[n], of each segment's vector with the query's; None: the features made of it are 0.
    "reranked" is 0: engine/relevance.py fills it. O(terms).
    """
    table = analysis.table
    return _native.relevance_features(
        analysis.term_ids,
        analysis.term_offsets,
        analysis.term_class,
        table.document,
        table.block,
        table.heading,
        query_row,
        np.asarray(title_rows, dtype=np.int64),
        answer,
        cosine if cosine is not None else np.empty(0, dtype=np.float32),
    )


def weigh(features: Float32s, weights: Mapping[str, float]) -> Float32s:
    """float32[n] >= 0: features to scores (csrc/kernels/relevance/weigh.hpp); a missing weight is 0."""
    return _native.weigh(features, np.array([weights.get(name, 0.0) for name in FEATURES]))


def centrality(analysis: Analysis) -> Float32s:
    """float32[n] in [0, 1.7]: importance without a query (csrc/kernels/lexical/centrality.hpp)."""
    return _native.centrality(*_columns(analysis))


def term_weights(analysis: Analysis) -> Float32s:
    """float32[vocabulary]: inverse frequency of each term (csrc/kernels/lexical/)."""
    return _native.inverse_frequency(*_columns(analysis))


def _columns(analysis: Analysis) -> tuple[Int32s, Int64s, int, Int32s, Int32s, Int32s]:
    table = analysis.table
    terms = (analysis.term_ids, analysis.term_offsets, analysis.vocabulary)
    return (*terms, table.document, table.block, table.heading)


def lead(words: Sequence[int], position_decay: float = 0.01, position_floor: float | None = None) -> Float32s:
    """float32[n]: `position_and_length`."""
    return position_and_length(words, position_decay, position_floor).astype(np.float32)


def position_and_length(
    words: Sequence[int], position_decay: float = 0.01, position_floor: float | None = None
) -> npt.NDArray[np.float64]:
    """float64[n]: 1 - i * position_decay (not under the floor), + 0.3 where 5 < words < 50.

    `words[i]`: number of white-space separated words of segment i.
    """
    count = np.asarray(words)
    score = 1.0 - np.arange(len(count)) * position_decay
    if position_floor is not None:
        score = np.maximum(score, position_floor)
    return np.asarray(score + 0.3 * ((count > 5) & (count < 50)), dtype=np.float64)
