"""Score relevance without a language model: by terms, vectors, a cross-encoder, or terms and vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tersely.core.tables import Float32s, Float64s, Int32s, Int64s
from tersely.engine.reading import Reading
from tersely.engine.relevance import QueryReading, hybrid
from tersely.providers.embedders import CheckedCrossEncoder, CheckedEmbedder

__all__ = [
    "MethodScores",
    "by_cross_encoder",
    "by_embedding",
    "by_hybrid",
    "by_keyword",
    "document_relevance",
]

_HALF = 0.3  # share of the query's terms plus cosine, of the best segment, at which relevance is a half


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
    vectors, truncated = embedder.embed_report([prepared.query, *texts])
    cosines = np.clip(vectors[1:] @ vectors[0], 0.0, 1.0)
    warnings = ("texts_truncated",) if len(truncated) else ()
    return _by_best(prepared, cosines, owners, warnings)


def by_cross_encoder(prepared: QueryReading, cross_encoder: CheckedCrossEncoder) -> MethodScores:
    """Score each segment and title with a cross-encoder; a document has its best one."""
    texts, owners = _texts_and_owners(prepared)
    scores, truncated = cross_encoder.score_report(prepared.query, texts)
    return _by_best(prepared, scores, owners, ("texts_truncated",) if len(truncated) else ())


def by_hybrid(prepared: QueryReading, embedder: CheckedEmbedder | None) -> MethodScores:
    """Score by all features of engine/relevance.py together.

    Segments: 1 / (1 + exp(m - s)) for the weighted sum s of the features and its median m: above a half for
    what stands out in the call. Documents: `document_relevance`, whatever else is in the call.
    """
    scores = hybrid(prepared, embedder)
    segments = np.asarray(-np.expm1(-scores.segments), dtype=np.float32)
    analysis, size = prepared.analysis, len(prepared.documents)
    terms = analysis.term_ids, analysis.term_offsets
    documents = _topical(prepared.table.document, *terms, size, scores.cosine)
    return MethodScores(segments, documents.astype(np.float32), scores.warnings)


def document_relevance(reading: Reading, documents: int) -> Float64s:
    """Say how much each document has to do with the query, whatever the others are: float64[n] in [0, 1].

    x / (x + 0.3) for the best x of its segments (and title): the share of the query's distinct terms in it,
    plus its cosine with the query, from 0. Most texts on the subject of a query lie above a half, and most
    others below: of the development questions' documents with evidence 98% do, of the documents of other
    questions 14%. 1 without a query, and for data that was read for the query as a whole. O(terms).
    """
    if not (reading.request.query or "").strip() or len(reading.term_offsets) <= len(reading.table) + 1:
        return np.ones(documents)
    terms = reading.term_ids, reading.term_offsets
    return _topical(reading.table.document, *terms, documents, reading.cosine)


def _topical(
    document: Int32s, term_ids: Int32s, term_offsets: Int64s, documents: int, cosine: Float32s | None
) -> Float64s:
    """See `document_relevance`; the rows of terms after the segments' are the query's and the titles'."""
    size = len(document)
    best = np.zeros(documents)
    if len(term_offsets) <= size + 1:
        return best
    wanted = np.zeros(int(term_ids.max(initial=-1)) + 1, dtype=bool)
    wanted[term_ids[term_offsets[size] : term_offsets[size + 1]]] = True
    hits = wanted[term_ids].nonzero()[0]
    rows = term_offsets.searchsorted(hits, side="right") - 1
    distinct = np.unique(rows * len(wanted) + term_ids[hits]) // max(len(wanted), 1)
    share = np.bincount(distinct, minlength=len(term_offsets) - 1) / max(int(wanted.sum()), 1)
    x = share[:size] if cosine is None else share[:size] + np.maximum(cosine, 0)
    np.maximum.at(best, document, x)
    titles = share[size + 1 : size + 1 + documents]
    best[: len(titles)] = np.maximum(best[: len(titles)], titles)
    return np.asarray(best / (best + _HALF), dtype=np.float64)


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
