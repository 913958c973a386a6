"""Score relevance without a language model: by terms, vectors, a cross-encoder, or terms and vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tersely.core.tables import Float32s, Int64s
from tersely.engine.probability import document_probability
from tersely.engine.relevance import QueryReading, hybrid
from tersely.providers.embedders import CheckedCrossEncoder, CheckedEmbedder

__all__ = [
    "MethodScores",
    "by_cross_encoder",
    "by_embedding",
    "by_hybrid",
    "by_keyword",
]


@dataclass(frozen=True, eq=False, slots=True)
class MethodScores:
    """Scores that one method gives all segments and all documents.

    Attributes:
        segments: float32[segments] in [0, 1].
        documents: float32[documents] in [0, 1].
        warnings: see RelevanceScores.
    """

    segments: Float32s
    documents: Float32s
    warnings: tuple[str, ...] = ()


def by_keyword(prepared: QueryReading) -> MethodScores:
    """Score by the share of the query's distinct terms that a segment, or a document with its title, holds.

    0 where the query has no term. O(terms).
    """
    analysis, table = prepared.analysis, prepared.table
    rows = np.repeat(np.arange(len(analysis.term_offsets) - 1), np.diff(analysis.term_offsets))
    wanted = np.unique(analysis.term_ids[rows == len(table)])
    column = np.full(analysis.vocabulary, -1, dtype=np.int64)
    column[wanted] = np.arange(len(wanted))
    # Of each row the document; the query's row belongs to none.
    owner = np.concatenate([table.document, [-1], np.arange(len(prepared.documents))])
    hits = (column[analysis.term_ids] >= 0) & (owner[rows] >= 0)
    rows, columns = rows[hits], column[analysis.term_ids[hits]]
    segments = rows < len(table)
    return MethodScores(
        _shares(rows[segments], columns[segments], len(table), len(wanted)),
        _shares(owner[rows], columns, len(prepared.documents), len(wanted)),
    )


def by_embedding(prepared: QueryReading, embedder: CheckedEmbedder) -> MethodScores:
    """Score by the cosine of query and segment or title, at least 0; a document has its best one."""
    texts, owners = _texts_and_owners(prepared)
    cosines, truncated = embedder.similarity_report(prepared.query, texts)
    warnings = ("texts_truncated",) if truncated else ()
    return _by_best(prepared, np.clip(cosines, 0.0, 1.0), owners, warnings)


def by_cross_encoder(prepared: QueryReading, cross_encoder: CheckedCrossEncoder) -> MethodScores:
    """Score each segment and title with a cross-encoder; a document has its best one."""
    texts, owners = _texts_and_owners(prepared)
    scores, truncated = cross_encoder.score_report(prepared.query, texts)
    return _by_best(prepared, scores, owners, ("texts_truncated",) if len(truncated) else ())


def by_hybrid(prepared: QueryReading, embedder: CheckedEmbedder | None) -> MethodScores:
    """Score by all features of engine/relevance.py together.

    Segments: 1 / (1 + exp(m - s)) for the weighted sum s of the features and its median m: above a half for
    what stands out in the call. Documents: the probability that each is on
    topic, whatever else is in the call.
    """
    scores = hybrid(prepared, embedder)
    segments = np.asarray(-np.expm1(-scores.segments), dtype=np.float32)
    documents = document_probability(scores.asked)
    return MethodScores(segments, documents.astype(np.float32), scores.warnings)


def _texts_and_owners(prepared: QueryReading) -> tuple[list[str], Int64s]:
    """Return all segments and then the titles there are, and the document of each."""
    titled = [index for index, document in enumerate(prepared.documents) if document.title]
    titles = [prepared.documents[index].title or "" for index in titled]
    owners = np.concatenate([prepared.table.document.astype(np.int64), np.array(titled, dtype=np.int64)])
    return [*prepared.segment_texts(), *titles], owners


def _by_best(
    prepared: QueryReading, scores: Float32s, owners: Int64s, warnings: tuple[str, ...]
) -> MethodScores:
    """Give each document the best score of the texts that belong to it; 0 for one without text."""
    documents = np.zeros(len(prepared.documents), dtype=np.float32)
    np.maximum.at(documents, owners, scores)
    segments = np.asarray(scores[: len(prepared.table)], dtype=np.float32)
    return MethodScores(segments, documents, warnings)


def _shares(rows: Int64s, columns: Int64s, count: int, wanted: int) -> Float32s:
    """Return float32[count]: distinct columns of each row / wanted; 0 where nothing is wanted."""
    if wanted == 0:
        return np.zeros(count, dtype=np.float32)
    distinct = np.unique(rows.astype(np.int64) * wanted + columns) // wanted
    return (np.bincount(distinct, minlength=count) / wanted).astype(np.float32)
