"""Score how relevant documents are to a query by the method of choice, with a simpler one if it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from tersely.core import checks
from tersely.core.cache import BoundedCache, digest_of
from tersely.core.documents import to_documents, to_level
from tersely.core.errors import RelevanceScoringError
from tersely.core.tables import Level
from tersely.core.types import Document
from tersely.engine.relevance import QueryReading, read_for_query
from tersely.providers.embedders import resolve_cross_encoder, resolve_embedder
from tersely.providers.flows import Flow, one_model, run_flow, run_flow_async
from tersely.providers.language_models import resolve_language_model
from tersely.relevance.language_model import by_language_model
from tersely.relevance.methods import MethodScores, by_cross_encoder, by_embedding, by_hybrid, by_keyword
from tersely.relevance.scores import (
    RelevanceScore,
    RelevanceScores,
    ScoringMethod,
    SegmentScores,
    document_uuid,
)

__all__ = ["RelevanceScorer"]

_SCORE_BYTES = 400  # of a segment in the cache, its terms included
_LIMIT = 5  # prompts under way at a time

# The model of a method, and the method that steps in where it fails.
_MODELS = {
    ScoringMethod.EMBEDDING: ("embedder", ScoringMethod.KEYWORD),
    ScoringMethod.CROSS_ENCODER: ("cross-encoder", ScoringMethod.HYBRID),
}


class RelevanceScorer:
    """Scores documents and their segments against a query.

    A method that fails gives way to a simpler one, and the result says so: an embedder to KEYWORD, a
    cross-encoder or a language model to HYBRID, the latter only for the documents it gave no rating.
    """

    def __init__(
        self,
        method: ScoringMethod | str = ScoringMethod.HYBRID,
        *,
        embedder: Any = None,
        llm: Any = None,
        cross_encoder: Any = None,
        level: Level | str = Level.SENTENCE,
        batch_size: int = 5,
        cache: int = 8 * 2**20,
        strict: bool = False,
        model: Any = None,
    ) -> None:
        """Choose the method and its model.

        Args:
            method: EMBEDDING, LLM, CROSS_ENCODER, KEYWORD or HYBRID, or its name.
            embedder: for EMBEDDING and HYBRID: see `resolve_embedder`.
            llm, model: for LLM, under either name: see `resolve_language_model`.
            cross_encoder: for CROSS_ENCODER: see `resolve_cross_encoder`.
            level: what the segments are.
            batch_size: documents a prompt; up to 5 prompts are under way at a time.
            cache: bytes for the scores of earlier calls; the same query over the same documents then asks
                no model. 0: none.
            strict: raise RelevanceScoringError instead of falling back.

        Raises ValueError where the method lacks its model.
        """
        self.method = checks.member(method, "method", ScoringMethod)
        llm = one_model(llm=llm, model=model)
        if self.method is ScoringMethod.LLM and llm is None:
            raise ValueError("the method LLM needs llm=")
        if self.method is ScoringMethod.CROSS_ENCODER and cross_encoder is None:
            raise ValueError("the method CROSS_ENCODER needs cross_encoder=")
        self.level = to_level(level)
        self.batch_size = checks.whole_number(batch_size, "batch_size", least=1)
        self.strict = checks.flag(strict, "strict")
        self._embedder = resolve_embedder(embedder)
        self._llm = None if llm is None else resolve_language_model(llm)
        self._cross_encoder = None if cross_encoder is None else resolve_cross_encoder(cross_encoder)
        self._cache: BoundedCache[RelevanceScores] = BoundedCache(checks.whole_number(cache, "cache"))

    def score_sync(self, documents: Any, query: str) -> RelevanceScores:
        """Score documents (what `tersely.compress` takes) for a query.

        A language model is asked on up to 5 threads. Raises RelevanceScoringError where `strict` forbids a
        fallback.
        """
        return run_flow(self._steps(to_documents(documents), checks.text(query, "query")), self._llm, _LIMIT)

    async def score(self, documents: Any, query: str) -> RelevanceScores:
        """As `score_sync`, on other threads; an async language model is asked in this event loop."""
        steps = self._steps(to_documents(documents), checks.text(query, "query"))
        return await run_flow_async(steps, self._llm, _LIMIT)

    def _steps(self, documents: tuple[Document, ...], query: str) -> Flow[RelevanceScores]:
        """Run a call as a generator: yields the prompts that need replies, returns the scores."""
        key = self._key(documents, query)
        known = self._cache.get(key)
        if known is not None:
            return replace(known, cached=True)
        prepared = read_for_query(documents, query.strip(), self.level)
        if not prepared.query:
            nothing = MethodScores(
                np.zeros(len(prepared.table), np.float32), np.zeros(len(documents), np.float32)
            )
            methods = [self.method] * len(documents)
            return self._result(prepared, nothing, methods, None, ("empty_query",))
        if self.method is ScoringMethod.LLM:
            result = yield from self._by_language_model(prepared)
        else:
            result = self._by_vectors_or_terms(prepared)
        if result.fallback_reason is None:  # a failure may be over by the next call
            self._cache.put(key, result, _SCORE_BYTES * (len(prepared.table) + len(documents)))
        return result

    def _by_vectors_or_terms(self, prepared: QueryReading) -> RelevanceScores:
        method, reason = self.method, None
        warnings: tuple[str, ...] = ()
        try:
            scored = self._score(prepared, method)
        except Exception as error:
            if method not in _MODELS:
                raise
            name, method = _MODELS[method]
            reason = self._fallback(f"the {name} failed: {_describe(error)}", error)
            warnings = (f"{name.replace('-', '_')}_failed",)
            scored = self._score(prepared, method)
        methods = [method] * len(prepared.documents)
        return self._result(prepared, scored, methods, reason, warnings + scored.warnings)

    def _score(self, prepared: QueryReading, method: ScoringMethod) -> MethodScores:
        if method is ScoringMethod.EMBEDDING:
            return by_embedding(prepared, self._embedder)
        if method is ScoringMethod.CROSS_ENCODER and self._cross_encoder is not None:
            return by_cross_encoder(prepared, self._cross_encoder)
        if method is ScoringMethod.KEYWORD:
            return by_keyword(prepared)
        return by_hybrid(prepared, self._embedder)

    def _by_language_model(self, prepared: QueryReading) -> Flow[RelevanceScores]:
        rated = yield from by_language_model(prepared, self.batch_size, self._embedder)
        reason = None
        if rated.error is not None:
            reason = f"{len(rated.unrated)} of {len(prepared.documents)} documents have no rating"
            reason = self._fallback(f"{reason}: {_describe(rated.error)}", rated.error)
        methods = [ScoringMethod.LLM] * len(prepared.documents)
        for index in rated.unrated:
            methods[index] = ScoringMethod.HYBRID
        return self._result(prepared, rated.scores, methods, reason, rated.scores.warnings)

    def _result(
        self,
        prepared: QueryReading,
        scored: MethodScores,
        methods: Sequence[ScoringMethod],
        reason: str | None,
        warnings: tuple[str, ...],
    ) -> RelevanceScores:
        scores = _by_document(prepared, scored, methods)
        return RelevanceScores(scores, prepared.analysis, self.level, scored.segments, reason, warnings)

    def _fallback(self, reason: str, error: Exception) -> str:
        if self.strict:
            raise RelevanceScoringError(reason) from error
        return reason

    def _key(self, documents: tuple[Document, ...], query: str) -> bytes:
        """Return a digest of all that the scores depend on besides this scorer's own settings."""
        fields = [query]
        for document in documents:
            fields += [document.text, document.title or "", repr(document.id)]
        return digest_of(fields)


def _by_document(
    prepared: QueryReading, scored: MethodScores, methods: Sequence[ScoringMethod]
) -> tuple[RelevanceScore, ...]:
    table = prepared.table
    bounds = np.searchsorted(table.document, np.arange(len(prepared.documents) + 1)).tolist()
    return tuple(
        RelevanceScore(
            document_uuid(document), overall, SegmentScores(table, scored.segments, first, last), method
        )
        for document, overall, (first, last), method in zip(
            prepared.documents, scored.documents.tolist(), pairwise(bounds), methods, strict=True
        )
    )


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
