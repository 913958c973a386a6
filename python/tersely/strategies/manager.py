"""Chunks of context for a call: one budget, shared out, compressed, cached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tersely import metrics
from tersely.documents import check_text
from tersely.errors import BudgetExceededError
from tersely.providers.counters import resolve_counter
from tersely.stages.count import count, count_batch
from tersely.strategies.allocation import weights_of
from tersely.strategies.assembly import Part, assemble
from tersely.strategies.compressor import Compressor, content_id
from tersely.strategies.context_cache import CompressionCache
from tersely.strategies.contexts import CompressedContext, ContextChunk
from tersely.strategies.cutting import longest_prefix
from tersely.strategies.extractive_compressor import ExtractiveCompressor
from tersely.strategies.forms import checked_options
from tersely.strategies.hierarchical_compressor import HierarchicalCompressor
from tersely.strategies.model_compressors import HybridCompressor
from tersely.strategies.options import CompressionOptions
from tersely.strategies.prepared_context import (
    DroppedChunk,
    PreparationReport,
    PreparedChunk,
    PreparedContext,
)
from tersely.threads import map_in_threads

__all__ = ["SEPARATOR", "Manager"]

SEPARATOR = "\n\n---\n\n"
_MODEL_CALLS = 8  # at a time
_CACHE_BYTES = 64 * 2**20


class Manager:
    """Prepares context for language model calls. Safe to use from many threads at once.

    Attributes:
        options: of every compression, but target and query.
        compressor: compresses a chunk.
        hierarchy: makes three levels of a text with the same compressor.
        cache: what was compressed before, with `hits`, `misses` and `hit_rate`.
        separator: stands between the parts.
        counter: the tokenizer that budgets are meant in.
        workers: chunks that are compressed at a time.
    """

    def __init__(
        self,
        options: CompressionOptions | None = None,
        *,
        llm: Any = None,
        counter: Any = None,
        embedder: Any = None,
        compressor: Compressor | None = None,
        cache_bytes: int = _CACHE_BYTES,
        separator: str = SEPARATOR,
    ) -> None:
        """Parts by keyword.

        Args:
            options: None: `CompressionOptions()`.
            llm: a language model (`tersely.providers.language_models.resolve_language_model`); None: whole
                segments are kept, nothing is written.
            counter, embedder: as for `Compressor`.
            compressor: in place of the three before.
            cache_bytes: of the cache; 0: nothing is cached.
            separator: between the parts.
        """
        self.options = checked_options(options)
        if compressor is not None and not (llm is None and counter is None and embedder is None):
            raise ValueError("give llm, counter and embedder to the compressor")
        self.compressor = compressor or HybridCompressor(llm, embedder, resolve_counter(counter))
        self.hierarchy = HierarchicalCompressor(3, compressor=self.compressor)
        self.cache = CompressionCache(cache_bytes)
        self.separator = separator
        self.counter = self.compressor.counter
        self._extractive = ExtractiveCompressor(self.compressor.embedder, self.counter)
        self.workers = _MODEL_CALLS if llm is not None else 1

    def prepare_context(
        self, chunks: Iterable[ContextChunk], query: str, token_budget: int
    ) -> PreparedContext:
        """Fit chunks into a budget, each compressed for the query.

        The budget, less the separators, is shared out over all chunks first: in proportion to their relevance
        (those without one count as the mean of the others), none more than it has. Each is then compressed to
        its share, or comes from the cache. Where that fails, whole segments are kept instead, and where that
        fails too, the chunk's head; else it is dropped, and the report says why. The whole never counts more
        than the budget.

        Raises BudgetExceededError where the budget is too small for the smallest piece of any chunk;
        ValueError, TypeError: a wrong argument.
        """
        budget, query = _budget(token_budget), _query(query)
        return _Preparation(self, _listed(chunks), query, budget).run()

    def prepare_context_for_call(
        self, chunks: Iterable[ContextChunk], query: str, max_tokens: int
    ) -> PreparedContext:
        """The chunks as they are, joined, where that counts at most `max_tokens`; else `prepare_context`."""
        budget, listed = _budget(max_tokens), _listed(chunks)
        texts = [chunk.content for chunk in listed]
        try:
            whole = self.separator.join(texts)
            check_text(whole, "the chunks")
        except (TypeError, ValueError):  # a chunk that cannot be used: the others can
            return self.prepare_context(listed, query, budget)
        tokens = count(self.counter, whole)
        if tokens > budget:
            return self.prepare_context(listed, query, budget)
        counts = count_batch(self.counter, texts).tolist()
        kept = tuple(
            PreparedChunk(chunk.id, chunk.content, size, size, 0)
            for chunk, size in zip(listed, counts, strict=True)
        )
        return PreparedContext(whole, tuple(texts), PreparationReport(budget, tokens, tokens, False, kept))

    async def aprepare_context(
        self, chunks: Iterable[ContextChunk], query: str, token_budget: int
    ) -> PreparedContext:
        """`prepare_context` in a thread, for async callers."""
        import asyncio

        return await asyncio.to_thread(self.prepare_context, chunks, query, token_budget)

    async def aprepare_context_for_call(
        self, chunks: Iterable[ContextChunk], query: str, max_tokens: int
    ) -> PreparedContext:
        """`prepare_context_for_call` in a thread, for async callers."""
        import asyncio

        return await asyncio.to_thread(self.prepare_context_for_call, chunks, query, max_tokens)

    def compress_chunk(
        self, chunk: ContextChunk, query: str, share: int
    ) -> tuple[CompressedContext | None, str, str | None, bool]:
        """A chunk in at most `share` > 0 tokens: (context, text, reason of a fallback, cached or not).

        Raises BudgetExceededError where its smallest piece does not fit, else what the last way raised.
        """
        options = replace(self.options, query_context=query, target_tokens=share, min_tokens=0)
        key = content_id(chunk.content, options, self.compressor.method, self.counter, self._models())
        cached = self.cache.get(key)
        if cached is not None:
            original = cached.original.token_count if cached.original else 0
            metrics.observe(cached.method, original, cached.token_count, 0.0, cache_hit=True)
            return cached, cached.compressed, cached.fallback_reason, True
        try:
            made = self.compressor.compress(chunk.content, options)
            if made.token_count <= share and count(self.counter, made.compressed) <= share:
                if made.fallback_reason in (None, "no_model"):  # a failure may be over by the next call
                    self.cache.set(key, made)
                return made, made.compressed, made.fallback_reason, False
            reason = "over_budget"
        except BudgetExceededError:
            raise
        except Exception:  # whatever a compressor does, the context is not lost with it
            reason = "compressor_failed"
        try:
            made = self._extractive.compress(chunk.content, options)
            return made, made.compressed, reason, False
        except BudgetExceededError:
            raise
        except Exception:
            text = self._head(chunk.content, share)
            return None, text, "cut_to_head", False

    def _head(self, content: str, share: int) -> str:
        required = count(self.counter, content[:1])
        if required > share:
            raise BudgetExceededError("not one letter fits", required=required, budget=share)
        size, mark = longest_prefix(content, lambda text: count(self.counter, text) <= share)
        return content[:size] + mark

    def _models(self) -> str:
        """What besides options, counter and method decides what the compressor makes."""
        return f"{type(self.compressor).__qualname__} {self.compressor.model_name}"


class _Preparation:
    """One call of `prepare_context`."""

    def __init__(self, manager: Manager, chunks: list[ContextChunk], query: str, budget: int) -> None:
        self.manager, self.chunks, self.query, self.budget = manager, chunks, query, budget
        self.dropped: dict[int, DroppedChunk] = {}
        self.made: dict[int, PreparedChunk] = {}
        self.hits = self.misses = 0
        self.usable = [place for place, chunk in enumerate(chunks) if self._usable(place, chunk)]
        texts = [chunks[place].content for place in self.usable]
        self.sizes = count_batch(manager.counter, texts).tolist()
        self.original = count(manager.counter, manager.separator.join(texts))

    def run(self) -> PreparedContext:
        weights = weights_of([self.chunks[place].relevance for place in self.usable])
        manager = self.manager
        found = assemble(self.sizes, weights, self.budget, manager.counter, manager.separator, self._make)
        for index in found.refused:
            place = self.usable[index]
            self.dropped.setdefault(place, DroppedChunk(self.chunks[place].id, "budget"))
        for index, place in enumerate(self.usable):
            if index not in found.shares:  # white space only, of which nothing was kept
                self.dropped.setdefault(place, DroppedChunk(self.chunks[place].id, "empty"))
        chunks = tuple(self.made[index] for index in found.shares)
        warnings = [warning for chunk in chunks if chunk.context for warning in chunk.context.warnings]
        fell_back = any(chunk.fallback_reason not in (None, "no_model") for chunk in chunks)
        warnings += ["chunk_fell_back"] if fell_back else []
        warnings += ["chunks_dropped"] if self.dropped else []
        report = PreparationReport(
            self.budget,
            found.tokens,
            self.original,
            any(chunk.token_count != chunk.original_tokens for chunk in chunks) or bool(self.dropped),
            chunks,
            tuple(self.dropped[place] for place in sorted(self.dropped)),
            self.hits,
            self.misses,
            tuple(dict.fromkeys(warnings)),
        )
        return PreparedContext(found.text, tuple(chunk.text for chunk in chunks), report)

    def _usable(self, place: int, chunk: ContextChunk) -> bool:
        try:
            check_text(chunk.content, "content")
        except (TypeError, ValueError) as error:
            self.dropped[place] = DroppedChunk(chunk.id, "failed", str(error))
            return False
        if not chunk.content:
            self.dropped[place] = DroppedChunk(chunk.id, "empty")
        return bool(chunk.content)

    def _make(self, shares: Mapping[int, int]) -> dict[int, Part]:
        found = map_in_threads(self._one, list(shares.items()), self.manager.workers)
        for index, part in zip(shares, found, strict=True):
            if part.text is not None:
                self.hits += self.made[index].cached
                self.misses += not self.made[index].cached
        return dict(zip(shares, found, strict=True))

    def _one(self, item: tuple[int, int]) -> Part:
        index, share = item
        place = self.usable[index]
        chunk = self.chunks[place]
        if share < 1:
            return self._free(chunk, index)
        try:
            context, text, reason, cached = self.manager.compress_chunk(chunk, self.query, share)
        except BudgetExceededError as error:
            return Part(None, max(int(error.required), 1))
        except Exception as error:  # one bad chunk must not lose the others; it stands in the report
            self.dropped[place] = DroppedChunk(chunk.id, "failed", f"{type(error).__name__}: {error}")
            return Part(None)
        tokens = context.token_count if context is not None else count(self.manager.counter, text)
        self.made[index] = PreparedChunk(
            chunk.id, text, tokens, self.sizes[index], share, cached, reason, context
        )
        return Part(text)

    def _free(self, chunk: ContextChunk, index: int) -> Part:
        """The part for a share of nothing: a chunk that counts nothing."""
        if self.sizes[index]:
            return Part(None, 1)
        self.made[index] = PreparedChunk(chunk.id, chunk.content, 0, 0, 0)
        return Part(chunk.content)


def _listed(chunks: Iterable[ContextChunk]) -> list[ContextChunk]:
    if isinstance(chunks, str) or not isinstance(chunks, Iterable):
        raise TypeError(f"chunks must be a list of ContextChunk, not {type(chunks).__name__}")
    listed = list(chunks)
    for place, chunk in enumerate(listed):
        if not isinstance(chunk, ContextChunk):
            raise TypeError(f"chunk {place} must be a ContextChunk, not {type(chunk).__name__}")
    return listed


def _budget(tokens: int) -> int:
    if isinstance(tokens, bool) or not hasattr(tokens, "__index__"):
        raise TypeError(f"token_budget must be a whole number of tokens, not {tokens!r}")
    value = tokens.__index__()
    if value < 0:
        raise ValueError(f"token_budget must be 0 or more tokens, not {value}")
    return value


def _query(query: str) -> str:
    """The query without white space that says nothing: the same for the same question."""
    if not isinstance(query, str):
        raise TypeError(f"query must be str, not {type(query).__name__}")
    check_text(query, "query")
    return " ".join(query.split())
