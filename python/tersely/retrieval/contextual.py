"""Fit search results into a token budget by their relevance to a query."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from tersely import checks, metrics
from tersely.cache import BoundedCache, digest_of
from tersely.documents import warnings_about
from tersely.engine.reading import count, count_batch, separator_cost, to_spans
from tersely.engine.strategies import Auto, Extractive, Prepared, with_required
from tersely.errors import BudgetExceededError, ModelReplyError, RelevanceScoringError, SummarizationError
from tersely.models.counters import resolve_counter
from tersely.models.language_models import (
    CheckedLanguageModel,
    Flow,
    limited,
    one_model,
    resolve_language_model,
    run_flow,
    run_flow_async,
    to_be_awaited,
)
from tersely.retrieval.chunks import (
    ChunkResult,
    Retriever,
    SearchResult,
    generated_by_document,
    read_chunks,
)
from tersely.retrieval.extractive import Selection, spans_by_document
from tersely.retrieval.scoring import RelevanceScore, RelevanceScorer, to_uuid
from tersely.retrieval.settings import (
    BudgetPlan,
    CompressedDocument,
    CompressionBatch,
    CompressionConfig,
    CompressionResult,
    CompressionStats,
    CompressionStrategy,
    DroppedDocument,
    StrategySelector,
    TokenBudgetConfig,
    TokenBudgetManager,
    limits_for,
    to_strategy,
    total_for,
)
from tersely.types import MODEL_NOT_USED, Frame, Int64s, Kind, Level, Request, Span
from tersely.writing.summary import ContentSummarizer, Filler, Summary

_CACHE = 32 * 2**20  # bytes of results
_DOCUMENT_BYTES = 1000  # of a result, a document, besides its text
_EXTRACTIVE = CompressionStrategy.EXTRACTIVE.value


class Compression:
    """One call: reads, chooses a strategy, fits, and accounts for each document."""

    relevance: Sequence[RelevanceScore] | None = None  # of the caller's scorer; None: not asked, or it failed
    reason: str | None = None  # why the scores are not those that were asked for; None: they are

    def __init__(
        self,
        by: ContextualCompressor,
        documents: Any,
        query: str,
        strategy: CompressionStrategy | str | None,
        config: CompressionConfig | None,
        pinned: Any,
    ) -> None:
        """Check the arguments of a call."""
        self.by, self.started = by, time.perf_counter()
        self.chunks, self.documents = read_chunks(documents)
        self.query, self.strategy = checks.text(query, "query").strip(), to_strategy(strategy)
        self.config = config or by.config
        self.manager, told = by.limited(self.config)
        self.pinned = to_spans(pinned, self.documents)  # (document, start, end)
        self.sizes = count_batch(by.counter, [document.text for document in self.documents])
        self.warnings = (*told, *warnings_about(self.documents))

    @cached_property
    def key(self) -> bytes:
        """A digest that tells this call from others to the same compressor."""
        parts = [self.query, repr((self.strategy, self.config, self.manager.config, self.pinned))]
        for one in self.chunks:
            parts += [repr(one.id), "" if one.metadata is None else repr(one.metadata), one.content]
        return digest_of(parts)

    def run(self, model: CheckedLanguageModel | None) -> Flow[CompressionResult]:
        """Yield prompts, take replies, return the result, within the available tokens.

        Raises BudgetExceededError where what is pinned does not fit, SummarizationError where a model failed
        and the limits are strict: nothing steps in for it.
        """
        self.available = self.manager.available()
        self.prepared = self._read()
        self.warnings = (*self.warnings, *self.prepared.reading.warnings)
        blank = np.array([not document.text.strip() for document in self.documents], dtype=bool)
        self.live = self.selection.relevant & ~blank
        self.scores: list[float] = self.selection.document_scores.tolist()
        self.shares = np.zeros(len(self.documents), dtype=np.int64)  # tokens, where there are any
        live, strategy = self.live.nonzero()[0].tolist(), None
        contents: dict[int, CompressedDocument] | None = None
        if live:
            strategy = self._strategy(live, model is not None)
            if strategy is CompressionStrategy.PASSTHROUGH:
                whole = self._count(self.documents[index].text for index in live)
                if max(whole, int(self.sizes[live].sum())) <= self.available:
                    contents = {index: self._whole_document(index) for index in live}
                else:
                    strategy = CompressionStrategy.EXTRACTIVE
            if contents is None and strategy is not CompressionStrategy.EXTRACTIVE and model is not None:
                hybrid = strategy is CompressionStrategy.HYBRID
                contents = yield from self._summaries(live, hybrid, self._summarizer(model))
            elif contents is None:
                contents = self._extract(None if strategy is CompressionStrategy.EXTRACTIVE else "no_model")
        return self._result(contents or {}, strategy)

    def _summarizer(self, model: CheckedLanguageModel) -> ContentSummarizer:
        config = self.config
        return ContentSummarizer(
            model,
            counter=self.manager.counter,
            summary_ratio=config.summary_ratio,
            min_summary_length=config.min_summary_length,
            max_summary_length=config.max_summary_length,
            batch_size=config.batch_size,
        )

    def _read(self) -> Prepared:
        """Read the documents, and see which of their segments may be kept."""
        config = self.config
        self.selection = Selection(
            self.documents,
            self.relevance,
            threshold=config.min_relevance_threshold if self.query else 0.0,
            window=config.context_window,
            wholes=config.preserve_structure,
        )
        request = Request(
            self.documents,
            self.query or None,
            self.available,
            1.0,
            self.manager.counter,
            self.pinned,
            separator=self.by.separator,
            frame=Frame(apart=True),
        )
        reader = _reader(config.segment_size, config.preserve_structure)
        original = int(np.add.reduce(self.sizes))  # only estimates are made of it
        return reader.prepare(request, self.selection.revise, original)

    def _strategy(self, live: list[int], has_model: bool) -> CompressionStrategy:
        sizes, room = self.sizes[live].tolist(), self.available
        if sum(sizes) <= room:
            room -= separator_cost(self.prepared.request) * (len(live) - 1)
        texts = [self.documents[index].text for index in live]
        return self.by.strategy_selector.select(
            texts, sizes, room, self.config, strategy=self.strategy, has_model=has_model
        )

    def _count(self, texts: Iterable[str]) -> int:
        """Count the tokens of texts as they are sent."""
        return count(self.manager.counter, self.by.separator.join(texts))

    def _whole_document(self, index: int) -> CompressedDocument:
        text = self.documents[index].text
        span = Span(index, 0, len(text), Kind.PROSE, "fits", self.scores[index])
        return self._document(index, text, int(self.sizes[index]), "passthrough", (span,))

    def _document(
        self,
        index: int,
        text: str,
        tokens: int,
        method: str,
        kept: Sequence[Span],
        dropped: Sequence[Span] = (),
        **more: Any,
    ) -> CompressedDocument:
        """Make a CompressedDocument."""
        identity, score = to_uuid(self.chunks[index].id), self.scores[index]
        return CompressedDocument(identity, text, tokens, method, kept, score, index, dropped, **more)

    def _extract(self, fallback: str | None) -> dict[int, CompressedDocument]:
        """Extract the best segments of all documents; `fallback`: why no model wrote summaries."""
        floors, caps = None, None
        if self.manager.shares:
            reading = self.prepared.reading
            counts = reading.prices().counts
            counts = counts if reading.bulk is None else np.where(reading.bulk, 0, counts)
            usable = np.bincount(reading.table.document, counts, len(self.documents)).astype(np.int64)
            floors = self.shares = self._allocate(np.minimum(self.sizes, usable))
            out = floors == 0
            if (self.live & out).any():
                self.prepared = self.prepared.revised(self.selection.rule_out(out))
            if out.all() and not self.prepared.reading.pinned.any():
                return {}  # nobody has a share
            caps = np.where(out, 0, np.maximum(self.manager.config.max_per_document, self._required()))
        contents, self.warnings = self._fitted(self.available, floors, caps, fallback)
        return contents

    def _fitted(
        self, budget: int, floors: Int64s | None, caps: Int64s | None, fallback: str | None = None
    ) -> tuple[dict[int, CompressedDocument], tuple[str, ...]]:
        """Fit the documents into a budget; return those of which something is left, and reason codes."""
        limits = [None if one is None else one.tolist() for one in (floors, caps)]
        result = self.prepared.fit(budget, floors=limits[0], caps=limits[1])
        tokens = count_batch(self.manager.counter, list(result.parts)).tolist()
        kept, dropped = spans_by_document(result, self.selection)
        places = generated_by_document(result, self.by.separator) if result.generated else {}
        cut = ("segment_cut",) if "segment_cut" in result.receipt.warnings else ()
        contents = {
            index: self._document(
                index,
                text,
                tokens[index],
                _EXTRACTIVE,
                kept[index],
                dropped[index],
                generated=places.get(index, ()),
                fallback_reason=fallback,
                warnings=cut,
            )
            for index, text in enumerate(result.parts)
            if text and len(kept[index])
        }
        return contents, (*self.warnings, *result.receipt.warnings)

    def _allocate(self, most: Int64s) -> Int64s:
        """Share out what is available, less the separators between documents with a share."""
        required, gap = self._required(), separator_cost(self.prepared.request)
        least = min(self.manager.config.min_per_document, self.available)
        documents = max(self.available // (least + gap), 1) if self.available else 1
        plan = self.manager.allocate(
            np.where(self.live, np.maximum(most, required), 0).tolist(),
            self.scores,
            available=max(self.available - gap * (min(int(self.live.sum()), documents) - 1), 0),
            required=required.tolist(),
        )
        return np.array(plan.allocations, dtype=np.int64)

    def _required(self) -> Int64s:
        """int64[n]: estimate the tokens of each document's pins; 0 where the fit will raise."""
        required = np.zeros(len(self.documents), dtype=np.int64)
        if self.pinned:
            reading = self.prepared.reading
            rows = np.flatnonzero(reading.pinned)
            np.add.at(required, reading.table.document[rows], reading.prices().counts[rows])
        return required if int(required.sum()) <= self.available else np.zeros_like(required)

    def _summaries(
        self, live: list[int], hybrid: bool, summarizer: ContentSummarizer
    ) -> Flow[dict[int, CompressedDocument]]:
        """Have documents summarized; a failed summary is replaced by an extract of the same share."""
        targets = np.array([min(size, summarizer.target(size)) for size in self.sizes.tolist()])
        shares = self.shares = self._allocate(targets)
        pinned = {document for document, _, _ in self.pinned}
        contents = {
            index: self._whole_document(index) for index in live if self.sizes[index] <= shares[index]
        }
        rest = [index for index in live if index not in contents]
        asked = [index for index in rest if shares[index] and index not in pinned]
        extracts = self._extracts(rest, shares, pinned)
        first = self._extracts(asked, np.maximum(self.sizes // 2, shares)) if hybrid else {}
        asked = [index for index in asked if not hybrid or index in first]
        tasks = [
            summarizer.task(
                first[index].content if hybrid else self.documents[index].text, self.query, int(shares[index])
            )
            for index in asked
        ]
        fillers = [self._filler(index, extracts.get(index)) for index in asked]
        summaries = yield from summarizer.summaries(tasks, fillers)
        for index, one in extracts.items():
            contents[index] = replace(one, fallback_reason="pinned" if index in pinned else None)
        for index, summary in zip(asked, summaries, strict=True):
            if summary.reason is None:
                contents[index] = self._summary_document(
                    index, summary, extracts.get(index), first.get(index)
                )
            elif self.manager.strict:
                why = f"{summarizer.model.name} gave no summary: {summary.reason}"
                raise SummarizationError(why) from summary.error
            elif index in contents:
                contents[index] = replace(contents[index], fallback_reason=summary.reason)
        return self._drop_least_relevant(contents, pinned)

    def _extracts(
        self, which: Sequence[int], most: Int64s, pinned: Collection[int] = ()
    ) -> dict[int, CompressedDocument]:
        """Extract so many tokens of some documents; of one without any segment that fits there is nothing.

        What is pinned may take more; `_drop_least_relevant` says whether there is room for it.
        """
        floors = np.zeros_like(most)
        floors[which] = most[which]
        caps = floors.copy()
        caps[list(pinned)] = np.iinfo(np.int64).max
        budget = int(floors.sum())
        if not caps.any():
            return {}
        try:
            contents, _ = self._fitted(budget, floors, caps)
        except BudgetExceededError as error:
            if not pinned:
                return {}
            contents, _ = self._fitted(int(error.required), floors, caps)
        return {index: one for index, one in contents.items() if index in which}

    def _filler(self, index: int, extract: CompressedDocument | None) -> Filler:
        """List pieces of an extract, the best first, to fill up a summary with."""
        if extract is None or extract.warnings:  # its only piece was cut
            return ()
        best = sorted(extract.preserved_segments, key=lambda span: (-span.score, span.start))
        text = self.documents[index].text
        return tuple(((span.start, span.end), text[span.start : span.end]) for span in best)

    def _summary_document(
        self,
        index: int,
        summary: Summary,
        extract: CompressedDocument | None,
        first: CompressedDocument | None,
    ) -> CompressedDocument:
        """A summary, with the spans of its document.

        `extract`: what would stand in its place, which fills it up. `first`: what the model read; None: all.
        """
        known = extract or first or self._whole_document(index)
        unread = {} if first is None else {(one.start, one.end): one for one in first.dropped_segments}
        filled = {start for start, _ in summary.filled}
        kept, dropped = list[Span](), list[Span]()
        spans = [*known.preserved_segments, *known.dropped_segments]
        for span in sorted(spans, key=lambda span: span.start):
            if span.start in filled:
                kept.append(replace(span, reason="selected"))
            else:
                dropped.append(unread.get((span.start, span.end)) or replace(span, reason="rewritten"))
        method = CompressionStrategy.ABSTRACTIVE if first is None else CompressionStrategy.HYBRID
        written, facts = ((0, summary.written),), summary.unsupported_facts
        more = {"generated": written, "warnings": summary.warnings, "unsupported_facts": facts}
        return self._document(
            index, summary.text, summary.token_count, method.value, kept, dropped, used_llm=True, **more
        )

    def _drop_least_relevant(
        self, contents: dict[int, CompressedDocument], pinned: set[int]
    ) -> dict[int, CompressedDocument]:
        """Drop the least relevant documents until the rest fits; those with something pinned stay."""
        order = sorted(contents, key=lambda index: (index not in pinned, -self.scores[index], index))
        while order:
            stay = [contents[index] for index in sorted(order)]
            needed = max(self._count(one.content for one in stay), sum(one.token_count for one in stay))
            if needed <= self.available:
                break
            if order[-1] in pinned:
                problem = "pinned content does not fit"
                raise BudgetExceededError(problem, required=needed, budget=self.available)
            order.pop()
        return {index: contents[index] for index in sorted(order)}

    def _result(
        self, contents: dict[int, CompressedDocument], strategy: CompressionStrategy | None
    ) -> CompressionResult:
        documents, dropped = tuple(contents.values()), self._dropped_documents(contents)
        used = np.zeros(len(self.chunks), dtype=np.int64)
        warnings, fallback = [*self.warnings], self.reason
        for one in documents:
            used[one.index] = one.token_count
            warnings += one.warnings
            fallback = fallback or one.fallback_reason
            if one.fallback_reason not in (None, "pinned") and not one.used_llm:
                warnings.append(MODEL_NOT_USED)
        if dropped:
            warnings.append("documents_dropped")
        if self.query and self.chunks and not self.selection.relevant.any():
            warnings.append("nothing_relevant")
        if self.selection.doubtful:
            warnings.append("relevance_doubtful")
        allowed = np.maximum(used, self.shares)  # its share, or its use if that is more
        if int(allowed.sum()) > self.available:
            allowed = used
        plan = BudgetPlan(tuple(allowed.tolist()), (), self.available)
        before, after = int(self.sizes.sum()), int(used.sum())
        return CompressionResult(
            original_documents=self.chunks,
            compressed_documents=documents,
            original_token_count=before,
            compressed_token_count=after,
            compression_ratio=after / before if before else 1.0,
            strategy_used=strategy or self.strategy or self.config.default_strategy,
            relevance_scores=self.relevance
            or self.selection.relevance_scores([chunk.id for chunk in self.chunks]),
            dropped_documents=dropped,
            usage=self.manager.usage(plan, used.tolist(), self._count(one.content for one in documents)),
            used_llm=any(one.used_llm for one in documents),
            fallback_reason=fallback,
            warnings=tuple(dict.fromkeys(warnings)),
            separator=self.by.separator,
        )

    def _dropped_documents(self, contents: dict[int, CompressedDocument]) -> tuple[DroppedDocument, ...]:
        """List the documents without anything in the result, and why."""
        gone = list[DroppedDocument]()
        for index, chunk in enumerate(self.chunks):
            if index not in contents:
                units = self.selection.reading.table.document == index
                reason = "duplicate" if units.any() and self.selection.repeated[units].all() else "budget"
                if not self.selection.relevant[index]:
                    reason = "irrelevant" if chunk.content.strip() else "empty"
                size = int(self.sizes[index])
                gone.append(DroppedDocument(chunk.id, index, size, self.scores[index], reason))
        return tuple(gone)


@lru_cache(maxsize=16)
def _reader(level: Level, structure: bool) -> Auto:
    """The strategy that reads documents."""
    return Auto.of_text(Extractive(level=level, preserve_structure=structure))


class ContextualCompressor:
    """Compresses retrieved documents to a token budget by their relevance to a query.

    Documents and segments below the relevance threshold are left out. The budget goes to the segments with
    the highest score per token, of all documents, verbatim; if you set limits per document
    (`TokenBudgetConfig`), each document has its share first. With a language model, documents can be
    summarized instead. The text never has more tokens than are available; the result has a reason for
    everything that was dropped or failed. Caches hold 32 MiB of results and 8 MiB of relevance, the most
    recently used ones.

    Attributes:
        config: the settings of calls without a `config`.
        counter: the token counter.
        llm: the language model; None: there is none.
        budget_manager, strategy_selector: what divides the budget, and what chooses the strategy.
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
        if budget is not None and not isinstance(budget, TokenBudgetConfig):
            raise TypeError(f"budget must be a TokenBudgetConfig, not {budget!r}; a number is token_budget=")
        totals = {token_budget} | ({config.token_budget} if config else set())
        totals |= {budget.total_budget} if budget else set()
        totals -= {TokenBudgetConfig().total_budget}
        if len(totals) > 1:
            raise ValueError(f"give one budget, not {' and '.join(map(str, sorted(totals)))}")
        config = config or CompressionConfig(default_strategy=default_strategy, token_budget=token_budget)  # type: ignore[arg-type]  # names too
        if budget is not None:
            total, allocation = budget.total_budget, budget.allocation_strategy
            config = replace(config, token_budget=total, allocation_strategy=allocation)
        self.config, self._given = config, budget
        self.counter = resolve_counter(counter)
        model = one_model(model=model, llm_client=llm_client)
        self.llm = None if model is None else resolve_language_model(model)
        self.separator = checks.text(separator, "separator")
        self.strict = strict
        self.strategy_selector = strategy_selector or StrategySelector()
        self.budget_manager, _ = self.limited(config)
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
    ) -> CompressionResult:
        """Compress documents for a query.

        Args:
            documents: DocumentChunks, ChunkResults, SearchResults, or what `tersely.compress` takes.
            query: the question; "" for a general summary.
            strategy: a strategy or its name; None: the selector's choice, or the default.
            config: the settings of this call, with its budget.
            pinned: what must stay, verbatim (`tersely.compress`).

        Raises:
            BudgetExceededError: pinned text does not fit, or, if `strict`, not all relevant documents do. Its
                numbers are of the total budget, with the reserve for the response.
            RelevanceScoringError, SummarizationError: `strict`, and a model failed.
            ValueError, TypeError: a wrong argument.

        O(characters). Prompts are sent in the caller's event loop, `config.batch_size` at a time; all else
        runs on other threads.
        """
        return await self._compress(Compression(self, documents, query, strategy, config, pinned), self.llm)

    def compress_sync(
        self,
        documents: Any,
        query: str,
        strategy: CompressionStrategy | str | None = None,
        *,
        config: CompressionConfig | None = None,
        pinned: Any = (),
    ) -> CompressionResult:
        """Compress as `compress` does, without an event loop; prompts are sent from other threads."""
        call = Compression(self, documents, query, strategy, config, pinned)
        if (known := self._cached(call)) is not None:
            return known
        answer: Any = None
        if self._scorer is not None and call.query:
            try:
                answer = self._scorer.score_sync(call.documents, call.query)
            except Exception as error:
                answer = error
        return run_flow(self._steps(call, answer, self.llm), self.llm, call.config.batch_size)

    @to_be_awaited
    async def compress_batch(self, batches: Sequence[CompressionBatch]) -> list[CompressionResult]:
        """Compress the documents of several calls side by side; results are in the order of the calls.

        The model works on `config.batch_size` prompts of all calls at a time. If a call raises an error, it
        is raised once the others are done.
        """
        model = None if self.llm is None else limited(self.llm, self.config.batch_size)
        calls = [Compression(self, one.documents, one.query, one.strategy, None, ()) for one in batches]
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
        answer: Any = None
        if self._scorer is not None and call.query:
            try:
                found = await asyncio.to_thread(self._scorer.score, call.documents, call.query)
                answer = await found if inspect.isawaitable(found) else found
            except Exception as error:
                answer = error
        return await run_flow_async(self._steps(call, answer, model), model, call.config.batch_size)

    def _steps(
        self, call: Compression, answer: Any, model: CheckedLanguageModel | None
    ) -> Flow[CompressionResult]:
        """Run a call. `answer`: of the caller's scorer, or what it raised; None: it was not asked."""
        if answer is not None:
            self._take_scores(call, answer)
        try:
            result = yield from call.run(model)
        except BudgetExceededError as error:
            raise self._budget_error(call, error) from None
        return self._record(call, result)

    def limited(
        self, config: CompressionConfig, total: int | None = None
    ) -> tuple[TokenBudgetManager, tuple[str, ...]]:
        """Return what shares out the budget of some settings, and reason codes.

        `total`: goes before that of the settings.
        """
        total = config.token_budget if total is None else total
        limits, warnings = limits_for(total, config.allocation_strategy, self._given)
        threshold = config.min_relevance_threshold
        manager = TokenBudgetManager(
            limits, counter=self.counter, relevance_threshold=threshold, strict=self.strict
        )
        return manager, warnings

    def _take_scores(self, call: Compression, answer: Any) -> None:
        """Check what a scorer gave or raised; where it failed, the reading itself steps in.

        Raises RelevanceScoringError where that, or another method of the scorer, must not step in.
        """
        try:
            if isinstance(answer, Exception):
                raise answer
            wanted = len(call.documents)
            if not isinstance(answer, Sequence) or len(answer) != wanted:
                raise ModelReplyError(f"a scorer must give {wanted} scores, not {type(answer).__name__}")
            for score in answer:
                if not isinstance(score, RelevanceScore) or not 0 <= score.overall_score <= 1:
                    raise ModelReplyError(f"a scorer must give RelevanceScores in [0, 1], not {score!r}")
            call.reason = getattr(answer, "fallback_reason", None)
            if self.strict and call.reason is not None:
                raise RelevanceScoringError(call.reason)
            call.relevance = answer
            call.warnings = (*call.warnings, *getattr(answer, "warnings", ()))
        except Exception as error:
            call.reason = f"{type(self._scorer).__name__} failed: {type(error).__name__}: {error}"
            if self.strict or isinstance(self._scorer, RelevanceScorer):
                if isinstance(error, RelevanceScoringError):
                    raise
                raise RelevanceScoringError(call.reason) from error
            call.warnings = (*call.warnings, "scorer_failed")

    def _budget_error(self, call: Compression, error: BudgetExceededError) -> BudgetExceededError:
        """Make the error for a total budget that is too small, with one that was tried and is enough.

        No model is asked for that: what must stay stays as it is.
        """
        model = None if self.llm is None else resolve_language_model(lambda prompt: "")

        def attempt(total: int) -> None:
            again = copy(call)
            again.manager, _ = self.limited(call.config, total)
            try:
                run_flow(again.run(model), model, 1)
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
        return None if known is None else self._record(call, replace(known, cached=True))

    def _record(self, call: Compression, result: CompressionResult) -> CompressionResult:
        """Cache and count a result. One that fell back may do better next time, and is not cached."""
        if call.config.cache_results and not result.cached and result.fallback_reason is None:
            size = sum([len(chunk.content) for chunk in call.chunks]) * 2
            self._cache.put(call.key, result, size + _DOCUMENT_BYTES * len(call.chunks))
        seconds = time.perf_counter() - call.started
        with self._lock:
            self._stats = self._stats.plus(result)
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
        pool: how many chunks the retriever is asked for, per chunk that is wanted; >= 1.
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
        """Return at most `top_n` of the originals, or of `documents` (one per original), by relevance."""
        given = self.result.original_documents if documents is None else documents
        if len(given) != len(self.result.original_documents):
            expected = len(self.result.original_documents)
            raise ValueError(f"there must be {expected} documents, not {len(given)}")
        return [given[index] for index in self.order()][:top_n]
