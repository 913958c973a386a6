"""Score segments by relevance to a query: terms, what stands around, leads between documents, vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tersely.core.question import Question, is_english, read_question
from tersely.core.tables import Analysis, Float32s, Level, SegmentTable, pieces
from tersely.core.types import Document
from tersely.engine.score import FEATURES, Asked, weight_row
from tersely.engine.segment import analyze
from tersely.models import Forest, relevance_forest, relevance_weights
from tersely.providers.embedders import CheckedCrossEncoder, CheckedEmbedder
from tersely.providers.static import StaticEmbedder
from tersely.providers.utf8 import Texts

__all__ = ["RERANK_SHARE", "Hybrid", "QueryReading", "hybrid", "read_for_query"]

RERANK_SHARE = 1 / 6  # of the characters
_LEAST_RERANKED = 5  # segments
_RERANKED, _BRIDGE = FEATURES.index("reranked"), FEATURES.index("bridge")
_LEAST_COSINE = 0.3  # without a term in common, a query is only followed where some vector is as near as this


@dataclass(frozen=True, eq=False, slots=True)
class QueryReading:
    """A call's texts, cut and read.

    Attributes:
        documents: as given.
        texts: what is read of each: its text, or what a page shows.
        query: not blank.
        question: what the query asks for.
        analysis: segments and terms; the rows after the segments' are the question's and the titles'.
    """

    documents: tuple[Document, ...]
    texts: Sequence[str]
    query: str
    question: Question
    analysis: Analysis

    @property
    def table(self) -> SegmentTable:
        """The segments."""
        return self.analysis.table

    def segment_texts(self) -> list[str]:
        """The text of each segment, verbatim."""
        table = self.table
        return pieces(self.texts, table.document, table.start, table.end)


def read_for_query(
    documents: Sequence[Document], query: str, level: Level, window: int = 200
) -> QueryReading:
    """Cut the documents into segments and read the terms of segments, query and titles."""
    question = read_question(query)
    titles = [document.title or "" for document in documents]
    texts = Texts([document.text for document in documents])
    return QueryReading(
        tuple(documents), texts, query, question, analyze(texts, [question.text, *titles], level, window)
    )


@dataclass(frozen=True, eq=False, slots=True)
class Hybrid:
    """Scores, and what they are made of.

    Attributes:
        segments: float32[n] >= 0; see csrc/kernels/relevance/weigh.hpp.
        features: float32[len(FEATURES), n].
        weights: by the names in engine/score.py.
        asked: what the features are made of.
        forest: corrects their weighted sum.
        corrections: float32[n], by how much.
        by_query: False where the query has nothing to do with the text, as far as terms and vectors tell.
        warnings: "embedder_failed" (scored by terms alone), "reranker_failed" (scored without it),
            "query_without_matches".
    """

    segments: Float32s
    features: Float32s
    weights: Mapping[str, float]
    asked: Asked
    forest: Forest
    corrections: Float32s
    by_query: bool
    warnings: tuple[str, ...]


def hybrid(
    prepared: QueryReading,
    embedder: CheckedEmbedder | None,
    reranker: CheckedEmbedder | CheckedCrossEncoder | None = None,
    rerank_share: float = RERANK_SHARE,
    cosine: Float32s | None = None,
) -> Hybrid:
    """Score the segments; without an embedder by terms alone. A model that fails is left out, with a warning.

    A reranker reads the best segments only, `rerank_share` of the characters: the standard scores of what it
    says about them ("reranked") are weighed with the rest. `cosine`: what the embedder said of the segments,
    where that is known; then it is not asked. O(terms), the embedder's cost of all segments and the
    reranker's of its share.
    """
    warnings = []
    analysis = prepared.analysis
    size = len(analysis.table)
    if cosine is None and embedder is not None and size:
        try:
            cosine = embedder.similarity_spans(prepared.query, prepared.texts, analysis.table)
        except Exception:  # whatever a model does, history is not lost with it
            warnings.append("embedder_failed")
    titles = [size + 1 + i if document.title else -1 for i, document in enumerate(prepared.documents)]
    kind = _kind(embedder) if cosine is not None else "none"
    weights, forest = relevance_weights(kind), relevance_forest(kind)
    # Cosines of the static table are known by their size for English alone, those of other models not at all.
    calibration = kind if kind == "static" and is_english(prepared.query) else "none"
    asked = Asked(analysis, size, titles, prepared.question.answer, cosine, calibration)
    row = weight_row(kind)
    scored = asked.scores(row, forest)
    by_query, features = scored.matched, scored.features
    if not by_query and analysis.term_offsets[size] > 0:
        warnings.append("query_without_matches")
        by_query = scored.nearest >= _LEAST_COSINE
    if reranker is not None and by_query:
        try:
            features[_RERANKED] = _reranked(prepared, scored.scores, reranker, rerank_share)
            scored = asked.scores(row, forest, features)
        except Exception:
            warnings.append("reranker_failed")
    asked.named = features[_BRIDGE] > 0
    told = tuple(warnings)
    return Hybrid(scored.scores, features, weights, asked, forest, scored.corrections, by_query, told)


def _reranked(
    prepared: QueryReading, scores: Float32s, reranker: CheckedEmbedder | CheckedCrossEncoder, share: float
) -> Float32s:
    """float32[n]: the reranker's scores of the best segments, as standard scores; 0 elsewhere."""
    texts = prepared.segment_texts()
    order = np.argsort(-scores, kind="stable")
    read = np.cumsum([len(texts[row]) for row in order])
    best = np.sort(order[: max(_LEAST_RERANKED, int(np.searchsorted(read, share * read[-1], side="right")))])
    ask = reranker.similarity if isinstance(reranker, CheckedEmbedder) else reranker.score
    found = ask(prepared.query, [texts[row] for row in best]).astype(np.float64)
    result = np.zeros(len(texts), dtype=np.float32)
    if found.std() > 0:
        result[best] = (found - found.mean()) / found.std()
    return result


def _kind(embedder: CheckedEmbedder | None) -> str:
    """Which weights an embedder's cosines deserve."""
    return "static" if embedder and isinstance(embedder.embedder, StaticEmbedder) else "model"
