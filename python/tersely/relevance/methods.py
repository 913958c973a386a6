"""The scoring methods that need no language model: each gives float32 scores in [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tersely.providers.embedders import CheckedCrossEncoder, CheckedEmbedder
from tersely.relevance.hybrid import hybrid
from tersely.relevance.prepared import Prepared
from tersely.tables import Float32s, Int64s

__all__ = ["Scored", "by_cross_encoder", "by_embedding", "by_hybrid", "by_keyword"]


@dataclass(frozen=True, eq=False, slots=True)
class Scored:
    """Scores of all segments and all documents.

    Attributes:
        segments: float32[segments] in [0, 1].
        documents: float32[documents] in [0, 1].
        warnings: see RelevanceScores.
    """

    segments: Float32s
    documents: Float32s
    warnings: tuple[str, ...] = ()


def by_keyword(prepared: Prepared) -> Scored:
    """Share of the query's distinct terms that a segment holds; that a document holds anywhere, its title
    included. 0 where the query has no term. O(terms).
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
    return Scored(
        _shares(rows[segments], columns[segments], len(table), len(wanted)),
        _shares(owner[rows], columns, len(prepared.documents), len(wanted)),
    )


def by_embedding(prepared: Prepared, embedder: CheckedEmbedder) -> Scored:
    """Cosine of query and segment or title, at least 0; a document is worth its best."""
    texts, owners = _texts_and_owners(prepared)
    vectors, truncated = embedder.embed_report([prepared.query, *texts])
    cosines = np.clip(vectors[1:] @ vectors[0], 0.0, 1.0)
    warnings = ("texts_truncated",) if len(truncated) else ()
    return _by_best(prepared, cosines, owners, warnings)


def by_cross_encoder(prepared: Prepared, cross_encoder: CheckedCrossEncoder) -> Scored:
    """The cross-encoder's score of each segment or title; a document is worth its best."""
    texts, owners = _texts_and_owners(prepared)
    scores, truncated = cross_encoder.score_report(prepared.query, texts)
    return _by_best(prepared, scores, owners, ("texts_truncated",) if len(truncated) else ())


def by_hybrid(prepared: Prepared, embedder: CheckedEmbedder | None) -> Scored:
    """1 / (1 + exp(m - s)) of the weighted sum s of the features of relevance/hybrid.py, m its median: above
    a half for what stands out. A document is worth its best.
    """
    scores = hybrid(prepared, embedder)
    owners = prepared.table.document.astype(np.int64)
    return _by_best(prepared, -np.expm1(-scores.segments), owners, scores.warnings)


def _texts_and_owners(prepared: Prepared) -> tuple[list[str], Int64s]:
    """All segments and then the titles there are, and the document of each."""
    titled = [index for index, document in enumerate(prepared.documents) if document.title]
    titles = [prepared.documents[index].title or "" for index in titled]
    owners = np.concatenate([prepared.table.document.astype(np.int64), np.array(titled, dtype=np.int64)])
    return [*prepared.segment_texts(), *titles], owners


def _by_best(prepared: Prepared, scores: Float32s, owners: Int64s, warnings: tuple[str, ...] = ()) -> Scored:
    """A document's score is the best of the texts that belong to it; 0 for one without text."""
    documents = np.zeros(len(prepared.documents), dtype=np.float32)
    np.maximum.at(documents, owners, scores)
    segments = np.asarray(scores[: len(prepared.table)], dtype=np.float32)
    return Scored(segments, documents, warnings)


def _shares(rows: Int64s, columns: Int64s, count: int, wanted: int) -> Float32s:
    """float32[count]: distinct columns of each row / wanted; 0 where nothing is wanted."""
    if wanted == 0:
        return np.zeros(count, dtype=np.float32)
    distinct = np.unique(rows.astype(np.int64) * wanted + columns) // wanted
    return (np.bincount(distinct, minlength=count) / wanted).astype(np.float32)
