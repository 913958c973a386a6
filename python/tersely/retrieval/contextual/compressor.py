"""Fit search results into a token budget by their relevance to a query."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy.typing as npt

from tersely import checks, metrics
from tersely.cache import BoundedCache
from tersely.documents import warnings_about
from tersely.engine.reading import count_batch, to_spans
from tersely.engine.strategies import with_required
from tersely.errors import BudgetExceededError, RelevanceScoringError, SummarizationError
from tersely.models.counters import resolve_counter
from tersely.models.flows import limited, one_model, run_flow, run_flow_async, to_be_awaited
from tersely.models.language_models import CheckedLanguageModel, resolve_language_model
from tersely.retrieval.chunks import ChunkResult, Retriever, SearchResult, read_chunks
from tersely.retrieval.contextual.compression import Compression, Scores
from tersely.retrieval.contextual.settings import (
    CompressionBatch,
    CompressionConfig,
    CompressionResult,
    CompressionStats,
    CompressionStrategy,
    StrategySelector,
    TokenBudgetConfig,
    TokenBudgetManager,
    cosines_with,
    limits_for,
    readable_documents,
    to_strategy,
    total_for,
)
from tersely.retrieval.scoring import RelevanceScorer

_CACHE = 32 * 2**20  # bytes of results
_DOCUMENT_BYTES = 1000  # of a result, a document, besides its text


class ContextualCompressor:
    """Compresses retrieved documents to a token budget by their relevance to a query.

    Documents and segments under the relevance threshold are left out. The budget goes to the segments that
    bring most per token, of whatever document, verbatim; where shares per document were asked for (see
    `TokenBudgetConfig`), each document has its share first. With a language model, documents can be
    summarized instead. The text of a result never counts more tokens than are available; whatever was
    dropped, or went otherwise than asked for, stands in it with a reason. Results are remembered in 32 MiB,
    and relevance in 8; the least recently used make room, so memory stops growing, at about twice as much.

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
        model: Any = None,
    ) -> None:
        """Put the parts together.

        Args:
            llm_client, model: a language model under either name (`resolve_language_model`); used by
                ABSTRACTIVE and HYBRID alone.
            default_strategy, token_budget: see `CompressionConfig`; `config` goes before them.
            config: further settings.
            budget: further limits; its total and its allocation go before those of `config`. Two different
                budgets, neither of them the default, are an error.
            relevance_scorer: a `tersely.retrieval.RelevanceScorer`, or an object with `score(documents,
                query)` (and `score_sync`, for `compress_sync`) that gives a RelevanceScore a document. None:
                a RelevanceScorer with the method HYBRID.
            strategy_selector: chooses the strategy where the caller did not.
            counter: the tokenizer that budgets are meant in (`tersely.compress`).
            separator: stands between kept pieces that do not touch in the source, and between documents.
            strict: raise RelevanceScoringError, SummarizationError or BudgetExceededError where otherwise a
                simpler method steps in or documents are dropped.
        """
        _check_one_budget(token_budget, config, budget)
        config = config or CompressionConfig(default_strategy=default_strategy, token_budget=token_budget)  # type: ignore[arg-type]  # names too
        self._given, self._warnings = budget, tuple[str, ...]()
        if budget is None:
            budget, self._warnings = limits_for(config.token_budget, config.allocation_strategy, None)
        self.config = replace(
            config, token_budget=budget.total_budget, allocation_strategy=budget.allocation_strategy
        )
        self.counter = resolve_counter(counter)
        model = one_model(model=model, llm_client=llm_client)
        self.llm = None if model is None else resolve_language_model(model)
        self.separator = checks.text(separator, "separator")
        self.strict = strict
        self.strategy_selector = strategy_selector or StrategySelector()
        self.budget_manager = self._manager(budget, self.config)
        self._scorer = relevance_scorer
        self._cache: BoundedCache[CompressionResult] = BoundedCache(_CACHE)
        self._stats, self._lock = CompressionStats(), threading.Lock()

    @cached_property
    def relevance_scorer(self) -> Any:
        """The scorer of documents: yours, or a RelevanceScorer."""
        return self._scorer or RelevanceScorer(level=self.config.segment_size)

    @to_be_awaited
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
            config: the settings of this call, its budget included.
            pinned: what must stay, verbatim (`tersely.compress`).
            embeddings, query_embedding: vectors, (n, d) and (d,), whose cosines are the documents' relevance;
                only those that can have a share of the budget are then read at all.

        Raises:
            BudgetExceededError: what is pinned does not fit; `strict`: not all relevant documents do. It
                speaks of the total budget, the reserve for the response included.
            RelevanceScoringError, SummarizationError: `strict`, and a model failed.
            ValueError, TypeError: a wrong argument.

        O(characters). Prompts are sent in the caller's event loop, `config.batch_size` at a time; all else
        runs on other threads.
        """
        call = self._check_call(documents, query, strategy, config, pinned, embeddings, query_embedding)
        return await self._compress(call, self.llm)

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
        """Compress as `compress` does, without an event loop; prompts are sent from other threads."""
        call = self._check_call(documents, query, strategy, config, pinned, embeddings, query_embedding)
        if (known := self._cached(call)) is not None:
            return known
        scored = Scores()
        if self._scorer is not None and call.query:
            try:
                answered = self._scorer.score_sync(call.documents, call.query)
                scored = Scores.of(answered, len(call.documents), self.strict)
            except Exception as error:
                scored = self._fallback_scores(error)
        try:
            finished = run_flow(call.run(scored, self.llm), self.llm, call.config.batch_size)
        except BudgetExceededError as error:
            raise self._budget_error(call, scored, error) from None
        return self._record(call, *finished)

    @to_be_awaited
    async def compress_batch(self, batches: Sequence[CompressionBatch]) -> list[CompressionResult]:
        """Compress the documents of several calls side by side; results are in the order of the calls.

        `config.batch_size` prompts of all of them are with the model at a time. Where one raises, that is
        raised once the others are done.
        """
        model = None if self.llm is None else limited(self.llm, self.config.batch_size)
        calls = [self._check_call(batch.documents, batch.query, batch.strategy, None) for batch in batches]
        found = await asyncio.gather(*(self._compress(one, model) for one in calls), return_exceptions=True)
        for result in found:
            if isinstance(result, BaseException):
                raise result
        return [result for result in found if isinstance(result, CompressionResult)]

    @to_be_awaited
    async def compress_results(
        self, results: Sequence[SearchResult], query: str, config: CompressionConfig | None = None
    ) -> CompressionResult:
        """Compress the documents of search results; `config` has the settings of this call."""
        return await self.compress([result.document for result in results], query, config=config)

    def get_compression_stats(self) -> CompressionStats:
        """Return the sums over all calls."""
        return self._stats

    async def _compress(self, call: Compression, model: CheckedLanguageModel | None) -> CompressionResult:
        if (known := self._cached(call)) is not None:
            return known
        scored = Scores()
        if self._scorer is not None and call.query:
            try:
                found = await asyncio.to_thread(self._scorer.score, call.documents, call.query)
                answered = await found if inspect.isawaitable(found) else found
                scored = Scores.of(answered, len(call.documents), self.strict)
            except Exception as error:
                scored = self._fallback_scores(error)
        try:
            finished = await run_flow_async(call.run(scored, model), model, call.config.batch_size)
        except BudgetExceededError as error:
            raise await asyncio.to_thread(self._budget_error, call, scored, error) from None
        return self._record(call, *finished)

    def _check_call(
        self,
        documents: Any,
        query: str,
        strategy: CompressionStrategy | str | None,
        config: CompressionConfig | None,
        pinned: Any = (),
        embeddings: npt.ArrayLike | None = None,
        query_embedding: npt.ArrayLike | None = None,
        total: int | None = None,
    ) -> Compression:
        """Check the arguments of a call. `total`: replaces the total budget of the settings."""
        started = time.perf_counter()
        chunks, given = read_chunks(documents)
        if (embeddings is None) != (query_embedding is None):
            raise ValueError("give both embeddings and query_embedding, or neither")
        manager, warnings = self.budget_manager, (*self._warnings, *warnings_about(given))
        asked, config = config, config or self.config
        if asked is not None or total is not None:
            budget = config.token_budget if total is None else total
            limits, warnings = limits_for(budget, config.allocation_strategy, self._given)
            manager, warnings = self._manager(limits, config), (*warnings, *warnings_about(given))
        spans = to_spans(pinned, given)
        sizes = count_batch(self.counter, [document.text for document in given])
        similarity = None
        if embeddings is not None and query_embedding is not None:
            similarity = cosines_with(embeddings, query_embedding, len(chunks))
            given = readable_documents(
                given, sizes, similarity, config, manager, {document for document, _, _ in spans}
            )
        return Compression(
            chunks,
            given,
            checks.text(query, "query").strip(),
            to_strategy(strategy),
            config,
            manager,
            spans,
            similarity,
            sizes,
            warnings,
            self.strategy_selector,
            self.separator,
            lambda total: self._check_call(
                chunks, query, strategy, asked, spans, embeddings, query_embedding, total
            ),
            started,
        )

    def _manager(self, limits: TokenBudgetConfig, config: CompressionConfig) -> TokenBudgetManager:
        threshold = config.min_relevance_threshold
        return TokenBudgetManager(
            limits, counter=self.counter, relevance_threshold=threshold, strict=self.strict
        )

    def _fallback_scores(self, error: Exception) -> Scores:
        """Scores after the scorer failed. Raises RelevanceScoringError where no fallback is allowed."""
        scorer = self._scorer
        described = f"{type(scorer).__name__} failed: {type(error).__name__}: {error}"
        if self.strict or isinstance(scorer, RelevanceScorer):
            known = error if isinstance(error, RelevanceScoringError) else RelevanceScoringError(described)
            raise known from error
        return Scores(None, described, ("scorer_failed",))

    def _budget_error(
        self, call: Compression, scored: Scores, error: BudgetExceededError
    ) -> BudgetExceededError:
        """Make the error for a total budget that is too small, with one that was tried and is enough.

        No model is asked for that: what must stay stays as it is.
        """
        model = None if self.llm is None else resolve_language_model(lambda prompt: "")

        def attempt(total: int) -> None:
            try:
                run_flow(call.again(total).run(scored, model), model, 1)
            except SummarizationError:  # strict: all but the model's part went well
                return
            except BudgetExceededError as wrong:
                required = total_for(int(wrong.required), self._given)
                raise BudgetExceededError(wrong.reason, required=required, budget=total) from None

        try:
            with_required(attempt, call.manager.config.total_budget)
        except BudgetExceededError as found:
            return found
        return error

    def _cached(self, call: Compression) -> CompressionResult | None:
        known = self._cache.get(call.key) if call.config.cache_results else None
        return None if known is None else self._record(call, replace(known, cached=True), 0)

    def _record(self, call: Compression, result: CompressionResult, prompts: int) -> CompressionResult:
        """Cache and count a result. One that fell back may do better next time, and is not cached."""
        if call.config.cache_results and not result.cached and result.fallback_reason is None:
            size = sum([len(chunk.content) for chunk in call.chunks]) * 2
            self._cache.put(call.key, result, size + _DOCUMENT_BYTES * len(call.chunks))
        seconds = time.perf_counter() - call.started
        with self._lock:
            self._stats = self._stats.plus(result, seconds, prompts)
        if metrics.enabled():
            name = result.strategy_used.value if result.used_llm else "extractive"
            before, after = result.original_token_count, result.compressed_token_count
            metrics.observe(name, before, after, seconds, cache_hit=result.cached)
        return result


@dataclass(frozen=True, slots=True)
class CompressingRetriever:
    """Wraps a retriever and compresses its chunks before they are returned.

    Attributes:
        retriever: finds the chunks.
        compressor: compresses them.
        pool: chunks that are asked for, for each that is wanted; >= 1.
    """

    retriever: Retriever
    compressor: ContextualCompressor
    pool: int = 1

    def search(self, query: str, top_n: int = 5) -> Sequence[ChunkResult]:
        """Return at most `top_n` chunks with compressed content, in the order of the retriever."""
        return self.compressed(query, top_n)[0]

    def chunk(self, chunk_id: str) -> ChunkResult:
        """Return the whole chunk with an id. Raises KeyError if there is none."""
        return self.retriever.chunk(chunk_id)

    def compressed(self, query: str, top_n: int = 5) -> tuple[list[ChunkResult], CompressionResult]:
        """Return the chunks of `search(query, top_n)`, and the result with reasons for what was dropped."""
        found = list(self.retriever.search(query, top_n * self.pool))
        result = self.compressor.compress_sync(found, query)
        kept = [
            replace(found[document.index], content=document.content)
            for document in result.compressed_documents
        ]
        return kept[:top_n], result


@dataclass(frozen=True, slots=True)
class RelevanceReranker:
    """Orders documents by the relevance that a compression computed; nothing is scored again."""

    result: CompressionResult

    def order(self) -> list[int]:
        """Indices of all original documents, the most relevant first; ties stay in their order."""
        scores = [score.overall_score for score in self.result.relevance_scores]
        return sorted(range(len(scores)), key=lambda index: (-scores[index], index))

    def rerank(self, documents: Sequence[Any] | None = None, top_n: int | None = None) -> list[Any]:
        """Return at most `top_n` documents in that order: yours (one for each original), or the originals."""
        given = self.result.original_documents if documents is None else documents
        if len(given) != len(self.result.original_documents):
            expected = len(self.result.original_documents)
            raise ValueError(f"there must be {expected} documents, not {len(given)}")
        return [given[index] for index in self.order()][:top_n]


def _check_one_budget(
    token_budget: int, config: CompressionConfig | None, budget: TokenBudgetConfig | None
) -> None:
    """Raise ValueError where two different budgets were given, neither of them the default.

    Raises TypeError for a budget of another type.
    """
    if budget is not None and not isinstance(budget, TokenBudgetConfig):
        raise TypeError(f"budget must be a TokenBudgetConfig, not {budget!r}; a number is token_budget=")
    given = {"token_budget": token_budget}
    given |= {} if config is None else {"config.token_budget": config.token_budget}
    given |= {} if budget is None else {"budget.total_budget": budget.total_budget}
    given = {name: tokens for name, tokens in given.items() if tokens != TokenBudgetConfig().total_budget}
    if len(set(given.values())) > 1:
        listed = ", ".join(f"{name}={tokens}" for name, tokens in given.items())
        raise ValueError(f"give one budget, not {listed}")
