"""Documents and their relevance -> a `Reading`: what may be chosen, what it is worth, what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.protocols import BatchTokenCounter
from tersely.relevance.scores import RelevanceScore, RelevanceScores, ScoringMethod
from tersely.retrieval.contextual.choice import CODES
from tersely.retrieval.contextual.extraction import Reading
from tersely.retrieval.contextual.prices import SegmentPrices
from tersely.retrieval.contextual.settings import CompressionConfig
from tersely.stages.score import centrality, term_weights
from tersely.stages.segment import analyze
from tersely.stages.select import mark_pinned
from tersely.tables import Analysis, Float32s, Float64s, Int32s, Int64s, Kind, SegmentTable, UInt8s
from tersely.types import Document, Request

__all__ = ["NEARLY_ONE", "needs", "read"]

Bools = npt.NDArray[np.bool_]

_CLOSE = 1e-6  # how near to the threshold counts as there: the scores are float32
NEARLY_ONE = 1 - 1e-7  # float32 has no number between
_WHOLE = (Kind.TABLE, Kind.FENCED_CODE, Kind.CODE)  # blocks that stay whole; a list is all its items
_BY_QUERY, _ANYTHING = 0.2, 1.0  # redundancy, as in strategies/extractive.py
_LEAST_TERMS = 4  # of a segment that may count as a duplicate


def read(
    documents: Sequence[Document],
    query: str,
    relevance: Sequence[RelevanceScore],
    document_scores: Float64s,
    live: Bools,
    config: CompressionConfig,
    pinned: Sequence[tuple[int, int, int]],
    counter: BatchTokenCounter,
    separator: str,
) -> Reading:
    """Cut and judge the segments of documents; none is counted yet.

    `live`: documents that may be kept at all. `document_scores`: of two segments that say the same word for
    word, the one in the better document may be chosen. Without a query a segment is worth what the text keeps
    coming back to, and none is irrelevant. O(characters).
    """
    texts = [document.text for document in documents]
    analysis = _analysis(texts, relevance, config)
    table = analysis.table
    status = np.zeros(len(table), dtype=np.uint8)
    if query:
        scores, worth = _scores(table, relevance)
        status[scores < config.min_relevance_threshold - _CLOSE] = CODES.index("irrelevant")
    else:
        scores, worth = np.ones(len(table), dtype=np.float32), centrality(analysis)
    _mark_duplicates(texts, analysis, status, live, document_scores)
    status[~live[table.document]] = CODES.index("irrelevant")
    request = Request(tuple(documents), query, None, 1.0, counter, tuple(pinned), (), separator)
    bounds = np.searchsorted(table.document, np.arange(len(texts) + 1)).tolist()
    return Reading(
        texts=texts,
        bounds=bounds,
        analysis=analysis,
        scores=scores,
        worth=worth,
        status=status,
        prices=SegmentPrices(request, table, bounds),
        pinned=mark_pinned(table, pinned),
        group=_wholes(table) if config.preserve_structure else np.full(len(table), -1, dtype=np.int32),
        term_weight=term_weights(analysis),
        redundancy=_BY_QUERY if query else _ANYTHING,
        context=config.context_window,
        headings=config.preserve_structure,
        counter=counter,
        separator=separator,
    )


def needs(reading: Reading, documents: int) -> Int64s:
    """int64[documents]: about how many tokens each could use: what may be chosen, what stands beside it, the
    headings above. Right for documents whose segments were counted. O(segments)."""
    table = reading.table
    wanted = (reading.status == 0) | (reading.pinned > 0)
    grouped = np.flatnonzero(reading.group >= 0)
    if len(grouped):
        any_of = np.bincount(reading.group[grouped], wanted[grouped], len(table)) > 0
        wanted[grouped] = any_of[reading.group[grouped]]
    hits = wanted.copy()
    for distance in range(1, min(reading.context, len(table) - 1) + 1):
        same = table.document[distance:] == table.document[:-distance]
        wanted[distance:] |= hits[:-distance] & same
        wanted[:-distance] |= hits[distance:] & same
    while reading.headings:
        above = table.heading[wanted]
        above = above[above >= 0]
        if wanted[above].all():
            break
        wanted[above] = True
    found = np.bincount(table.document[wanted], reading.prices.costs[wanted], documents)
    return found.astype(np.int64)


def _analysis(texts: list[str], relevance: Sequence[RelevanceScore], config: CompressionConfig) -> Analysis:
    """The scorer's own reading where it cut the documents as is asked for here."""
    if isinstance(relevance, RelevanceScores) and relevance.level == config.segment_size:
        return relevance.analysis
    return analyze(texts, [], config.segment_size)


def _scores(table: SegmentTable, relevance: Sequence[RelevanceScore]) -> tuple[Float32s, Float32s]:
    """Scores in [0, 1], and what a token of each segment is worth."""
    if isinstance(relevance, RelevanceScores) and relevance.segments is table:
        scores = relevance.segment_scores
    else:
        scores = _of_others(table, relevance)
    worth = scores.astype(np.float64)
    hybrid = np.array([score.method is ScoringMethod.HYBRID for score in relevance], dtype=bool)
    if hybrid.any():  # these are 1 - exp(-worth)
        rows = hybrid[table.document]
        worth[rows] = -np.log1p(-np.minimum(worth[rows], NEARLY_ONE))
    return scores, worth.astype(np.float32)


def _of_others(table: SegmentTable, relevance: Sequence[RelevanceScore]) -> Float32s:
    """The best score of those a scorer gave to spans that overlap a segment; where there are none, its
    document's."""
    scores = np.zeros(len(table), dtype=np.float32)
    for row, (document, start, end, _) in enumerate(table):
        scored: Any = relevance[document]
        found = [one.score for one in scored.segment_scores if one.start < end and one.end > start]
        scores[row] = max(found, default=scored.overall_score)
    return scores


def _mark_duplicates(
    texts: list[str], analysis: Analysis, status: UInt8s, live: Bools, document_scores: Float64s
) -> None:
    """Of segments with the same words, all but the one in the best document (ties: the first) are out."""
    table, offsets = analysis.table, analysis.term_offsets
    data = analysis.term_ids.tobytes()
    lengths = np.diff(offsets[: len(table) + 1])
    rows = np.flatnonzero((status == 0) & live[table.document] & (lengths >= _LEAST_TERMS))
    order = rows[np.lexsort((rows, -document_scores[table.document[rows]]))]
    first: dict[bytes, int] = {}
    bounds = (offsets * 4).tolist()
    for row in order.tolist():
        other = first.setdefault(data[bounds[row] : bounds[row + 1]], row)
        if other != row and _words(texts, table, other) == _words(texts, table, row):
            status[row] = CODES.index("duplicate")


def _words(texts: list[str], table: SegmentTable, row: int) -> list[str]:
    return texts[int(table.document[row])][int(table.start[row]) : int(table.end[row])].casefold().split()


def _wholes(table: SegmentTable) -> Int32s:
    """int32[n]: the first row of the table, list or piece of code that a row is part of, -1 for others."""
    kind = table.kind.copy()
    whole = np.isin(kind, [*_WHOLE, Kind.LIST_ITEM])
    apart = np.ones(len(table), dtype=bool)
    apart[1:] = (kind[1:] != kind[:-1]) | (table.document[1:] != table.document[:-1])
    apart[1:] |= (table.block[1:] != table.block[:-1]) & (kind[1:] != Kind.LIST_ITEM)
    begins = np.maximum.accumulate(np.where(apart, np.arange(len(table)), 0))
    return np.where(whole, begins, -1).astype(np.int32)
