"""ContextualCompressor: the results of a search, made smaller for a query."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from tersely import metrics
from tersely.cache import BoundedCache
from tersely.documents import to_spans
from tersely.providers.counters import resolve_counter
from tersely.providers.language_models import CheckedLanguageModel, limited, resolve_language_model
from tersely.retrieval.chunks import SearchResult
from tersely.retrieval.contextual.arguments import checked_query, cosines, to_chunks, to_document, to_strategy
from tersely.retrieval.contextual.assembling import to_result
from tersely.retrieval.contextual.budget import TokenBudgetManager
from tersely.retrieval.contextual.pipeline import run
from tersely.retrieval.contextual.planning import Asked, Scored, planned, reported
from tersely.retrieval.contextual.results import CompressionBatch, CompressionResult, CompressionStats
from tersely.retrieval.contextual.scoring import Scoring
from tersely.retrieval.contextual.selector import StrategySelector
from tersely.retrieval.contextual.settings import CompressionConfig, CompressionStrategy, TokenBudgetConfig
from tersely.retrieval.contextual.stats import Tally
from tersely.retrieval.contextual.summarizer import ContentSummarizer
from tersely.strategies.asking import Reply, answer, answer_async

__all__ = ["ContextualCompressor"]

_CACHE = 32 * 2**20  # bytes of results
_DOCUMENT_BYTES = 1000  # of a result, a document, besides its text


@dataclass(frozen=True, slots=True)
class _Finished:
    """A result and the prompts it took."""

    result: CompressionResult
    asked: int


class ContextualCompressor:
    """Compresses retrieved documents to a token budget by what they say about a query.

    Documents under the relevance threshold are left out, the others share the budget by their relevance, and
    each keeps its best segments, verbatim, or is summarized by a language model. The text of a result never
    counts more tokens than are available; whatever was dropped, or went otherwise than asked for, stands in
    it with a reason.

    Attributes:
        config: the settings of calls that bring none.
        counter: the token counter that every part uses.
        llm: the language model, None: there is none.
        budget_manager, strategy_selector: the parts.
    """

    def __init__(
        self,
        llm_client: Any = None,
        default_strategy: CompressionStrategy | str = CompressionStrategy.EXTRACTIVE,
        token_budget: int = 4000,
        *,
        config: CompressionConfig | None = None,
        budget: TokenBudgetConfig | None = None,
        relevance_scorer: Any = None,
        strategy_selector: StrategySelector | None = None,
        counter: Any = None,
        separator: str = "\n\n",
        strict: bool = False,
    ) -> None:
        """Put the parts together.

        Args:
            llm_client: a language model (`resolve_language_model`); used by ABSTRACTIVE and HYBRID alone.
            default_strategy, token_budget: see `CompressionConfig`; `config` goes before them.
            config: further settings.
            budget: further limits; its total and its allocation go before those of `config`.
            relevance_scorer: a `tersely.relevance.RelevanceScorer`, or an object with `score(documents,
                query)` (and `score_sync`, for `compress_sync`) that gives a RelevanceScore a document. None:
                a RelevanceScorer with the method HYBRID.
            strategy_selector: chooses the strategy where the caller did not.
            counter: the tokenizer that budgets are meant in (`tersely.compress`).
            separator: stands between kept pieces that do not touch in the source, and between documents.
            strict: raise RelevanceScoringError, SummarizationError or BudgetExceededError where otherwise a
                simpler method steps in or documents are dropped.
        """
        config = config or CompressionConfig(default_strategy=default_strategy, token_budget=token_budget)  # type: ignore[arg-type]  # names too
        if budget is not None:
            config = replace(
                config, token_budget=budget.total_budget, allocation_strategy=budget.allocation_strategy
            )
        self.config = config
        self.counter = resolve_counter(counter)
        self.llm = None if llm_client is None else resolve_language_model(llm_client)
        self.separator = separator
        self.strict = strict
        self.strategy_selector = strategy_selector or StrategySelector()
        limits = budget or TokenBudgetConfig(
            total_budget=config.token_budget, allocation_strategy=config.allocation_strategy
        )
        self.budget_manager = self._manager(limits, config)
        self._scoring = Scoring(relevance_scorer, config.segment_size, strict)
        self._cache: BoundedCache[CompressionResult] = BoundedCache(_CACHE)
        self._tally = Tally()

    @property
    def relevance_scorer(self) -> Any:
        """Scores the documents: the caller's scorer, or a RelevanceScorer."""
        return self._scoring.scorer

    async def compress(
        self,
        documents: Any,
        query: str,
        strategy: CompressionStrategy | str | None = None,
        *,
        config: CompressionConfig | None = None,
        pinned: Any = (),
        embeddings: npt.ArrayLike | None = None,
        query_embedding: npt.ArrayLike | None = None,
    ) -> CompressionResult:
        """Compress documents for a query.

        Args:
            documents: DocumentChunks, ChunkResults, SearchResults, or what `tersely.compress` takes.
            query: what the reader asks; "" for what matters in general.
            strategy: or its name; None: the selector's choice, or the default.
            config: the settings of this call.
            pinned: what must stay, verbatim (`tersely.compress`).
            embeddings, query_embedding: vectors, (n, d) and (d,), whose cosines are the documents' relevance;
                only those that can have a share of the budget are then read at all.

        Raises:
            BudgetExceededError: what is pinned does not fit; `strict`: not all relevant documents do.
            RelevanceScoringError, SummarizationError: `strict`, and a model failed.
            ValueError, TypeError: a wrong argument.

        O(characters). Prompts are sent in the caller's event loop, `config.batch_size` at a time; all else
        runs on other threads.
        """
        asked = self._asked(documents, query, strategy, config, pinned, embeddings, query_embedding)
        return await self._compress(asked, self.llm)

    def compress_sync(
        self,
        documents: Any,
        query: str,
        strategy: CompressionStrategy | str | None = None,
        *,
        config: CompressionConfig | None = None,
        pinned: Any = (),
        embeddings: npt.ArrayLike | None = None,
        query_embedding: npt.ArrayLike | None = None,
    ) -> CompressionResult:
        """As `compress`, with the same result; prompts are sent from threads of their own."""
        started = time.perf_counter()
        asked = self._asked(documents, query, strategy, config, pinned, embeddings, query_embedding)
        known = self._known(asked)
        if known is not None:
            return self._done(asked, _Finished(known, 0), started)
        scored = self._scoring.score_sync(asked)
        finished = answer(self._steps(asked, scored, self.llm), self.llm, asked.config.batch_size)
        return self._done(asked, finished, started)

    async def compress_batch(self, batches: Sequence[CompressionBatch]) -> list[CompressionResult]:
        """Compress several calls' documents side by side; results in their order.

        `config.batch_size` prompts of all of them are with the model at a time. Where one raises, that is
        raised once the others are done.
        """
        model = None if self.llm is None else limited(self.llm, self.config.batch_size)
        asked = [
            self._asked(batch.documents, batch.query, batch.strategy, None, (), None, None)
            for batch in batches
        ]
        found = await asyncio.gather(*(self._compress(one, model) for one in asked), return_exceptions=True)
        for result in found:
            if isinstance(result, BaseException):
                raise result
        return [result for result in found if isinstance(result, CompressionResult)]

    async def compress_results(
        self, results: Sequence[SearchResult], query: str, config: CompressionConfig | None = None
    ) -> CompressionResult:
        """Compress the documents of search results; `config`: the settings of this call."""
        return await self.compress([result.document for result in results], query, config=config)

    def get_compression_stats(self) -> CompressionStats:
        """Sums over all calls so far."""
        return self._tally.stats()

    def _asked(
        self,
        documents: Any,
        query: str,
        strategy: CompressionStrategy | str | None,
        config: CompressionConfig | None,
        pinned: Any,
        embeddings: npt.ArrayLike | None,
        query_embedding: npt.ArrayLike | None,
    ) -> Asked:
        """The arguments of a call, checked."""
        chunks = to_chunks(documents)
        given = tuple(to_document(chunk) for chunk in chunks)
        if (embeddings is None) != (query_embedding is None):
            raise ValueError("give both embeddings and query_embedding, or neither")
        similarity = None
        if embeddings is not None and query_embedding is not None:
            similarity = cosines(embeddings, query_embedding, len(chunks))
        manager = self.budget_manager
        if config is not None:
            limits = replace(
                manager.config,
                total_budget=config.token_budget,
                allocation_strategy=config.allocation_strategy,
            )
            manager = self._manager(limits, config)
        return Asked.of(
            chunks=chunks,
            documents=given,
            query=checked_query(query),
            strategy=to_strategy(strategy),
            config=config or self.config,
            manager=manager,
            pinned=to_spans(pinned, given),
            similarity=similarity,
        )

    def _manager(self, limits: TokenBudgetConfig, config: CompressionConfig) -> TokenBudgetManager:
        threshold = config.min_relevance_threshold
        return TokenBudgetManager(
            limits, counter=self.counter, relevance_threshold=threshold, strict=self.strict
        )

    async def _compress(self, asked: Asked, model: CheckedLanguageModel | None) -> CompressionResult:
        started = time.perf_counter()
        known = self._known(asked)
        if known is not None:
            return self._done(asked, _Finished(known, 0), started)
        scored = await self._scoring.score(asked)
        steps = self._steps(asked, scored, model)
        return self._done(asked, await answer_async(steps, model, asked.config.batch_size), started)

    def _steps(
        self, asked: Asked, scored: Scored, model: CheckedLanguageModel | None
    ) -> Generator[list[str], list[Reply], _Finished]:
        summarizer = None
        if model is not None:
            summarizer = ContentSummarizer(
                model,
                counter=self.counter,
                summary_ratio=asked.config.summary_ratio,
                min_summary_length=asked.config.min_summary_length,
                max_summary_length=asked.config.max_summary_length,
                batch_size=asked.config.batch_size,
            )
        call = planned(asked, scored, self.strategy_selector, summarizer, self.strict, self.separator)
        outcome = yield from run(call)
        relevance = reported(call, asked.similarity)
        result = to_result(call, outcome, relevance, scored.reason, scored.warnings)
        return _Finished(result, outcome.asked)

    def _known(self, asked: Asked) -> CompressionResult | None:
        if not asked.config.cache_results:
            return None
        known = self._cache.get(asked.key())
        return None if known is None else replace(known, cached=True)

    def _done(self, asked: Asked, finished: _Finished, started: float) -> CompressionResult:
        """Remember and count a result. What fell back may do better next time, and is not remembered."""
        result = finished.result
        if asked.config.cache_results and not result.cached and result.fallback_reason is None:
            size = sum(len(chunk.content) for chunk in asked.chunks) * 2
            self._cache.put(asked.key(), result, size + _DOCUMENT_BYTES * len(asked.chunks))
        seconds = time.perf_counter() - started
        self._tally.add(result, seconds, finished.asked)
        if metrics.enabled():
            name = result.strategy_used.value if result.used_llm else "extractive"
            before, after = result.original_token_count, result.compressed_token_count
            metrics.observe(name, before, after, seconds, cache_hit=result.cached)
        return result
