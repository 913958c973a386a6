"""Fit chunks into the context of a call."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from tersely import checks, metrics
from tersely.documents import read_document, warnings_about
from tersely.engine.allocation import in_steps, share_out, weights_of
from tersely.engine.incremental import Known, prepare_with, price
from tersely.engine.reading import count, count_batch
from tersely.engine.strategies import Auto, with_required
from tersely.errors import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.models.language_models import one_model
from tersely.options import CompressionMethod, CompressionOptions
from tersely.strategies.compressors import (
    CompressionCache,
    Compressor,
    ExtractiveCompressor,
    HierarchicalCompressor,
    HybridCompressor,
    checked_options,
    content_id,
)
from tersely.strategies.contexts import (
    CompressedContext,
    ContextChunk,
    DroppedChunk,
    PreparationReport,
    PreparedChunk,
    PreparedContext,
)
from tersely.threads import map_in_threads
from tersely.types import Compressed, Document, Request

SEPARATOR = "\n\n---\n\n"
_PIECE_SEPARATOR = "\n\n"  # of pieces of one chunk
_MODEL_CALLS = 8  # at a time
_CACHE_BYTES = 64 * 2**20
_LARGEST = 2**60  # tokens: the sums stay in range
_UNUSED = 10  # a share of the budget so small may be left: units are whole


class Manager:
    """Prepares context for calls of a language model; thread-safe.

    Attributes:
        options: the options of every compression, except target and query.
        compressor: compresses a chunk, if it has a model or is your own.
        hierarchy: makes three levels of a text with the same compressor.
        cache: scores of chunks of earlier calls, with `hits`, `misses` and `hit_rate`.
    """

    def __init__(
        self,
        options: CompressionOptions | None = None,
        *,
        model: Any = None,
        counter: Any = None,
        embedder: Any = None,
        compressor: Compressor | None = None,
        cache_bytes: int = _CACHE_BYTES,
        separator: str = SEPARATOR,
        llm: Any = None,
    ) -> None:
        """Parts by keyword.

        Args:
            options: None: `CompressionOptions()`.
            model, llm: a language model under either name (`resolve_language_model`); None: whole segments
                are kept, nothing is written.
            counter, embedder: as for `Compressor`.
            compressor: in place of the three before.
            cache_bytes: of the cache of chunks; the least recently used make room: memory stops growing, at
                about twice as much. 0: nothing is cached.
            separator: between the parts.
        """
        self.options = checked_options(options)
        model = one_model(model=model, llm=llm)
        if compressor is not None and not (model is None and counter is None and embedder is None):
            raise ValueError("give model, counter and embedder to the compressor")
        self.compressor = compressor or HybridCompressor(model, embedder, resolve_counter(counter))
        self.hierarchy = HierarchicalCompressor(3, compressor=self.compressor)
        self.cache = CompressionCache(cache_bytes)
        self.separator = checks.text(separator, "separator")
        self.counter = self.compressor.counter
        self._extractive = ExtractiveCompressor(self.compressor.embedder, self.counter)
        self.workers = _MODEL_CALLS if model is not None else 1

    def prepare_context(
        self, chunks: Iterable[ContextChunk], query: str, token_budget: int
    ) -> PreparedContext:
        """Fit chunks into a budget for a query.

        The segments of all chunks compete for the budget. If a chunk has a `relevance`, or if there is no
        query, each chunk gets at most its share of the budget, in proportion to its relevance (a chunk
        without one has the mean of the others). Scores are cached by a chunk's content, the query and the
        options, so a chunk that stays in a changing list is a cache hit.

        With a language model, or a compressor of your own, the budget is first divided among the chunks, in
        proportion to their relevance and in coarse steps, so that most shares stay the same while a list
        grows. Each chunk is compressed to its share, or taken from the cache. If that fails, whole segments
        are kept instead.

        The whole text never has more tokens than the budget, and the report says what became of each chunk.
        Raises BudgetExceededError if the budget is too small for the smallest piece of any chunk, and
        ValueError or TypeError for a wrong argument.
        """
        budget = checks.whole_number(token_budget, "token_budget")
        question = " ".join(checks.text(query, "query").split())  # the same for the same question
        given = _check_chunks(chunks)
        call = _Call(self, given, question, budget)
        strategy = self.compressor.verbatim_for(call.options)
        if strategy is not None:
            return call.by_choice(strategy)
        return with_required(lambda allowed: _Call(self, given, question, allowed).by_shares(), budget)

    def prepare_context_for_call(
        self, chunks: Iterable[ContextChunk], query: str, max_tokens: int
    ) -> PreparedContext:
        """Return the chunks joined if they fit into `max_tokens`; otherwise call `prepare_context`."""
        checks.text(query, "query")
        listed = _check_chunks(chunks)
        call = _Call(self, listed, query, checks.whole_number(max_tokens, "max_tokens"))
        whole = self.separator.join(call.texts)
        tokens = count(self.counter, whole)
        if tokens > call.budget:
            return self.prepare_context(listed, query, max_tokens)
        counts = count_batch(self.counter, call.texts).tolist()
        rows = zip(call.chunks, call.texts, counts, strict=True)
        kept = [PreparedChunk(chunk.id, text, size, size, 0) for chunk, text, size in rows]
        return call.prepared(whole, tokens, tokens, kept, False, [*warnings_about(call.documents)])

    async def aprepare_context(
        self, chunks: Iterable[ContextChunk], query: str, token_budget: int
    ) -> PreparedContext:
        """Run `prepare_context` on a thread, from an event loop."""
        import asyncio

        return await asyncio.to_thread(self.prepare_context, chunks, query, token_budget)

    async def aprepare_context_for_call(
        self, chunks: Iterable[ContextChunk], query: str, max_tokens: int
    ) -> PreparedContext:
        """Run `prepare_context_for_call` on a thread, from an event loop."""
        import asyncio

        return await asyncio.to_thread(self.prepare_context_for_call, chunks, query, max_tokens)

    def compress_chunk(self, chunk: ContextChunk, query: str, share: int, size: int) -> PreparedChunk:
        """Compress a chunk of `size` tokens into at most `share` > 0 by the compressor, else verbatim.

        Raises BudgetExceededError if its smallest piece does not fit, otherwise the last error.
        """
        options = replace(self.options, query_context=query, target_tokens=share, min_tokens=0)
        key = content_id(chunk.content, self.compressor.settings(options))
        made: CompressedContext | None = self.cache.get(key)
        cached, reason = made is not None, made.fallback_reason if made else None
        if made is not None:
            original = made.original.token_count if made.original else 0
            metrics.observe(made.method, original, made.token_count, 0.0, cache_hit=True)
        else:
            made, reason = self._made_within(chunk.content, options, share)
            if reason is None or reason == made.fallback_reason != "model_failed":  # may be over by the next
                self.cache.set(key, made)
        return PreparedChunk(chunk.id, made.compressed, made.token_count, size, share, cached, reason, made)

    def _made_within(
        self, content: str, options: CompressionOptions, share: int
    ) -> tuple[CompressedContext, str | None]:
        """Return what the compressor makes, or whole segments where that cannot be used, and why."""
        reason = "over_budget"
        try:
            made = self.compressor.compress(content, options)
            if max(made.token_count, count(self.counter, made.compressed)) <= share:
                return made, made.fallback_reason
        except BudgetExceededError:
            raise
        except Exception:  # whatever a compressor does, the context is not lost with it
            reason = "compressor_failed"
        return self._extractive.compress(content, options), reason


class _Call:
    """A call: its usable chunks, and the part that is made of each."""

    def __init__(self, manager: Manager, given: Sequence[ContextChunk], query: str, budget: int) -> None:
        self.manager, self.query, self.budget = manager, query, budget
        self.options = replace(manager.options, query_context=query, target_tokens=0)
        self.dropped: dict[int, DroppedChunk] = {}  # chunks that cannot be used, by place
        documents: dict[int, Document] = {}
        for place, chunk in enumerate(given):
            try:
                given_one = Document(chunk.content, chunk.id, metadata=chunk.metadata)
                documents[place] = read_document(given_one, "content")
            except TypeError as error:
                self.dropped[place] = DroppedChunk(chunk.id, "failed", str(error))
                continue
            if not documents[place].text:
                del documents[place]
                self.dropped[place] = DroppedChunk(chunk.id, "empty")
        self.places, self.documents = list(documents), tuple(documents.values())
        self.chunks, self.texts = [given[place] for place in documents], [one.text for one in self.documents]
        self.relevances = [
            None if chunk.relevance is None else checks.number(chunk.relevance, "a relevance") or None
            for chunk in self.chunks
        ]
        self.made: dict[int, PreparedChunk] = {}  # of each chunk that was tried, by index
        self.required: dict[int, int] = {}  # tokens that are enough for each that had no room
        self.hits = self.misses = 0  # of the cache

    def by_choice(self, strategy: Auto) -> PreparedContext:
        """One choice among the segments of all chunks."""
        started, method = time.perf_counter(), CompressionMethod.EXTRACTIVE
        manager, compressor, texts = self.manager, self.manager.compressor, self.texts
        settings = compressor.settings(self.options)
        keys = [content_id(chunk.content, settings) for chunk in self.chunks]
        before: list[Known | None] = [manager.cache.get(key) for key in keys]
        known = [Known() if one is None else replace(one) for one in before]  # others may be reading them
        new = [one for one in range(len(known)) if known[one].tokens < 0]
        counts = count_batch(manager.counter, [texts[one] for one in new]).tolist()
        for index, tokens in zip(new, counts, strict=True):
            known[index].tokens = tokens
        result = self._choose(known, strategy)
        for key, old, one in zip(keys, before, known, strict=True):
            if old is None or old.counts is not one.counts:
                manager.cache.put(key, one, one.nbytes)
        metrics.observe(method, result.original_tokens, result.tokens, time.perf_counter() - started)
        compressed = any(part != text for part, text in zip(result.parts, texts, strict=True))
        kept, counts = list[PreparedChunk](), count_batch(manager.counter, list(result.parts)).tolist()
        for index, part in enumerate(result.parts):
            chunk, hit = self.chunks[index], before[index] is not None
            tokens, size = counts[index], known[index].tokens
            if not part:
                why = "budget" if texts[index].strip() else "empty"
                self.dropped[self.places[index]] = DroppedChunk(chunk.id, why)
                continue
            reason = "no_model" if part != texts[index] and compressor.misses_model(self.options) else None
            kept.append(PreparedChunk(chunk.id, part, tokens, size, tokens * compressed, hit, reason))
            if hit:
                metrics.observe(method, size, tokens, 0.0, cache_hit=True)
        self.misses = before.count(None)
        self.hits = len(before) - self.misses
        sizes = result.tokens, result.original_tokens
        return self.prepared(result.text, *sizes, kept, compressed, [*result.receipt.warnings], result)

    def _choose(self, known: Sequence[Known], strategy: Auto) -> Compressed:
        """Choose among the segments of the chunks; token counts are noted in `known`."""
        budget = self.budget
        prepared = prepare_with(known, strategy, self._request(self.documents))
        if prepared.fits(budget):
            return prepared.fit(budget)
        price(known, prepared.reading)
        known_weights, weights, favour = weights_of(self.relevances), [1.0] * len(known), None
        if known_weights is not None:
            weights = known_weights.tolist()
            favour = known_weights.astype(np.float32)[prepared.reading.table.document]
        if self.query and not any(self.relevances):
            return prepared.fit(budget, favour=favour)
        gap = count(self.manager.counter, self.manager.separator)
        sizes = [one.tokens for one in known]
        found = share_out(sizes, weights, min(budget, _LARGEST), gap, [0] * len(sizes))
        shares = [found.get(index, 0) for index in range(len(sizes))]
        result = prepared.fit(budget, caps=shares, favour=favour)
        if (left := budget - result.tokens) > budget // _UNUSED:  # units are whole
            more = prepared.fit(budget, caps=[share + left for share in shares], favour=favour)
            result = max(result, more, key=attrgetter("tokens"))
        return result

    def by_shares(self) -> PreparedContext:
        """Share the budget out, have a model or the caller's compressor make the parts, and join them.

        What failed parts do not use goes to the others. Where the joined text counts more than its parts, its
        segments are chosen as those of any documents. Raises BudgetExceededError where not one part fits.
        """
        counter, separator = self.manager.counter, self.manager.separator
        self.sizes: list[int] = count_batch(counter, self.texts).tolist()
        known = weights_of(self.relevances)
        weights = [1.0] * len(self.chunks) if known is None else known.tolist()
        one, other, both = count_batch(counter, ["one.", "Two", f"one.{separator}Two"]).tolist()
        gap, left, shares = max(both - one - other, 0), list(range(len(self.chunks))), dict[int, int]()
        while left:
            sizes, theirs = [self.sizes[index] for index in left], [weights[index] for index in left]
            found = share_out(sizes, theirs, min(self.budget, _LARGEST), gap, [0] * len(left))
            shares = {left[place]: share for place, share in found.items()}
            self._make(shares)
            gone = self.required.keys() | {i for i, place in enumerate(self.places) if place in self.dropped}
            if gone.isdisjoint(shares):
                break
            left = [index for index in left if index not in gone]
            shares = {}
        kept = [index for index in shares if self.made[index].text]
        if not kept and (self.required or count(counter, "") > self.budget):
            required = max(min(self.required.values(), default=1), self.budget + 1)
            raise BudgetExceededError("nothing of the documents fits", required=required, budget=self.budget)
        documents = tuple(Document(self.made[index].text) for index in kept)
        request = self._request(documents)
        result = Auto("prose").prepare(request).fit(self.budget)
        for index, part in zip(kept, result.parts, strict=True):
            if part != self.made[index].text:
                size = count(counter, part)
                self.made[index] = replace(self.made[index], text=part, token_count=size, context=None)
        for index, place in enumerate(self.places):
            if index not in kept or not self.made[index].text:  # "empty": nothing but white space
                why = "empty" if index in shares and index not in kept else "budget"
                self.dropped.setdefault(place, DroppedChunk(self.chunks[index].id, why))
        chunks = [self.made[index] for index in kept if self.made[index].text]
        warnings = [warning for chunk in chunks if chunk.context for warning in chunk.context.warnings]
        if any(chunk.fallback_reason not in (None, "no_model") for chunk in chunks):
            warnings.append("chunk_fell_back")
        compressed = any(chunk.token_count != chunk.original_tokens for chunk in chunks)
        original = count(counter, separator.join(self.texts))
        return self.prepared(result.text, result.tokens, original, chunks, compressed, warnings)

    def _request(self, documents: tuple[Document, ...]) -> Request:
        """Return the request that fits documents into the budget, with the manager's separators."""
        counter, separator = self.manager.counter, self.manager.separator
        query, piece = self.query or None, _PIECE_SEPARATOR
        return Request(
            documents, query, self.budget, 1.0, counter, separator=separator, piece_separator=piece
        )

    def prepared(
        self,
        text: str,
        tokens: int,
        original_tokens: int,
        chunks: list[PreparedChunk],
        compressed: bool,
        warnings: list[str],
        result: Compressed | None = None,
    ) -> PreparedContext:
        """Return the context of these parts, with a report on all chunks."""
        warnings += ["chunks_dropped"] * bool(self.dropped)
        report = PreparationReport(
            self.budget,
            tokens,
            original_tokens,
            compressed or bool(self.dropped),
            tuple(chunks),
            tuple(self.dropped[place] for place in sorted(self.dropped)),
            self.hits,
            self.misses,
            tuple(dict.fromkeys(warnings)),
        )
        return PreparedContext(text, tuple(chunk.text for chunk in chunks), report, result)

    def _make(self, shares: Mapping[int, int]) -> None:
        """Compress chunks, in steps of shares.

        Equal ones come last, from the cache, so that none is compressed twice at a time.
        """
        steps = in_steps(shares, self.sizes)
        first = {(self.chunks[index].content, steps[index]): index for index in reversed(shares)}.values()
        early, late = ([index for index in shares if (index in first) is new] for new in (True, False))
        for some in (early, late):
            items = [(index, steps[index], max(shares[index], steps[index])) for index in some]
            map_in_threads(self._one, items, self.manager.workers)
        for index in shares:
            if index not in self.required and self.places[index] not in self.dropped:
                self.hits += self.made[index].cached
                self.misses += not self.made[index].cached

    def _one(self, item: tuple[int, int, int]) -> None:
        """Make the part of a chunk, by index, in its share of the budget; if that is too small, in `most`."""
        index, share, most = item
        chunk, size = self.chunks[index], self.sizes[index]
        if share < 1:  # a chunk that counts nothing, or has no share
            self.made[index] = PreparedChunk(chunk.id, self.texts[index], 0, 0, 0)
            self.required |= {index: 1} if size else {}
            return
        try:
            self.made[index] = self.manager.compress_chunk(chunk, self.query, share, size)
        except BudgetExceededError as error:
            required = max(int(error.required), 1)
            if share < required <= most:
                self._one((index, required, most))
            else:
                self.required[index] = required
        except Exception as error:  # one bad chunk must not lose the others; it stands in the report
            why = f"{type(error).__name__}: {error}"
            self.dropped[self.places[index]] = DroppedChunk(chunk.id, "failed", why)


def _check_chunks(chunks: Iterable[ContextChunk]) -> list[ContextChunk]:
    if isinstance(chunks, str) or not isinstance(chunks, Iterable):
        raise TypeError(f"chunks must be a list of ContextChunk, not {type(chunks).__name__}")
    listed = list(chunks)
    for place, chunk in enumerate(listed):
        if not isinstance(chunk, ContextChunk):
            raise TypeError(f"chunk {place} must be a ContextChunk, not {type(chunk).__name__}")
    return listed
