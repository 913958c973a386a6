"""Fit chunks into the context of a call (Manager), and documents by their scores (the strategy "manager")."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from operator import attrgetter
from typing import Any, NoReturn

from tersely import checks, metrics
from tersely.cache import BoundedCache
from tersely.documents import read_document, warnings_about
from tersely.engine.allocation import favour_of, in_steps, share_out, weights_of
from tersely.engine.incremental import Known, prepare_with, price
from tersely.engine.reading import count, count_batch, longest_prefix, name_of
from tersely.engine.render import places_of_separators
from tersely.engine.strategies import Auto, Extractive, Prepared, prepare_by, with_required
from tersely.errors import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.models.flows import one_model
from tersely.options import CompressionMethod, CompressionOptions
from tersely.protocols import BatchTokenCounter, Strategy
from tersely.strategies.compressor import Call, CompressionCache, Compressor, checked_options, content_id
from tersely.strategies.compressors import ExtractiveCompressor, HierarchicalCompressor, HybridCompressor
from tersely.strategies.contexts import (
    CompressedContext,
    ContextChunk,
    DroppedChunk,
    PreparationReport,
    PreparedChunk,
    PreparedContext,
)
from tersely.text import well_formed
from tersely.threads import map_in_threads
from tersely.types import Compressed, Document, Fact, FactReport, Receipt, Request, Span, count_reasons

_LARGEST = 2**60  # tokens: the sums stay in range
_UNUSED = 10  # a share of the budget so small may be left: units are whole
_ROUNDS = 6  # of sharing out, making the parts and counting them together


@dataclass(frozen=True, slots=True)
class Part:
    """The compressed text of one document.

    Attributes:
        text: the part; None where there is none.
        required: tokens that the document needs at least; 0: not known.
    """

    text: str | None
    required: int = 0


@dataclass(frozen=True, slots=True)
class Assembly:
    """The joined parts, within the budget.

    Attributes:
        text, tokens: the parts joined by the separator, and their count.
        shares: of each document in `text`, by index, ascending: what it was allowed.
        refused: indices of those that got no share, or whose smallest piece is larger than it.
    """

    text: str
    tokens: int
    shares: Mapping[int, int]
    refused: tuple[int, ...]


Make = Callable[[Mapping[int, int]], Mapping[int, Part]]


@dataclass(slots=True, eq=False)
class Assembler:
    """Shares out a budget, has the parts made, and joins them; the count of the whole never exceeds it.

    Attributes:
        sizes, weights: tokens of each document, and its claim on the budget.
        make: gives the part of each index of the shares that it is passed, of at most so many tokens; a text
            of None with `required` 0 means that it failed, whatever its share; an empty one is left out.
        floors: tokens that each gets at least; one with a floor > 0 is never left out.
        refused: index -> what a document without a part would need, 0 where that is not known.

    What failed parts do not use goes to the others; where the joined text counts more than its parts, there
    is less to share.
    """

    sizes: Sequence[int]
    weights: Sequence[float]
    budget: int
    counter: BatchTokenCounter
    separator: str
    make: Make
    floors: list[int] = field(default_factory=list)
    left: list[int] = field(init=False)
    refused: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.left = list(range(len(self.sizes)))
        self.floors = self.floors or [0] * len(self.sizes)

    def run(self) -> Assembly:
        """Join the parts. Raises BudgetExceededError where not one fits, or not all that have a floor."""
        one, other = "one.", "Two"
        counts = count_batch(self.counter, [one, other, one + self.separator + other]).tolist()
        gap, room = max(counts[2] - counts[0] - counts[1], 0), self.budget
        shares: dict[int, int] = {}
        parts: dict[int, str] = {}
        for attempt in range(_ROUNDS):
            if not self.left or room < 1:
                break
            shares, parts, again = self._make_parts(min(room, _LARGEST), gap)
            if again:
                continue  # some got out, or need more
            text, tokens = self._join(parts)
            if tokens <= self.budget and parts:
                return self._assembly(text, tokens, shares, parts)
            room -= max(1, tokens - self.budget) * 2**attempt
        return self._drop_least(shares, parts)

    def _make_parts(self, room: int, gap: int) -> tuple[dict[int, int], dict[int, str], bool]:
        """Share the budget out and make the parts; say whether sharing it out again gives more."""
        found = share_out(
            [self.sizes[index] for index in self.left],
            [self.weights[index] for index in self.left],
            room,
            gap,
            [self.floors[index] for index in self.left],
        )
        shares = {self.left[place]: share for place, share in found.items()}
        made = self.make(shares)
        for index, part in made.items():
            if part.text is None and self.floors[index]:
                self.floors[index] = max(part.required, self.floors[index] + 1)
                if sum(self.floors) > self.budget:
                    self._raise_too_small(sum(self.floors))
            elif not part.text:
                self.left.remove(index)
                if part.required:
                    self.refused[index] = part.required
        parts = {index: part.text for index, part in made.items() if part.text}
        return shares, parts, any(part.text is None for part in made.values())

    def _drop_least(self, shares: dict[int, int], parts: dict[int, str]) -> Assembly:
        """Drop the parts with the lowest weights, more each time, until the rest fits."""
        pinned = [index for index, floor in enumerate(self.floors) if floor]
        order, out = sorted(parts, key=self._rank), 0
        while len(order) > max(len(pinned), 1) or (order and out == 0):
            order = order[: max(len(order) - out, len(pinned), 1)]
            chosen = {index: parts[index] for index in order}
            text, tokens = self._join(chosen)
            if tokens <= self.budget and set(pinned) <= set(chosen):
                return self._assembly(text, tokens, shares, chosen)
            out = 2 * out or 1
        if len(pinned) > 1:
            self._raise_too_small(max(sum(self.floors), self.budget + 1))
        for index in pinned or sorted(self.left, key=self._rank):
            part = self.make({index: self.budget})[index]
            if part.text and (tokens := count(self.counter, part.text)) <= self.budget:
                return self._assembly(part.text, tokens, {index: self.budget}, {index: part.text})
            self.refused[index] = max(part.required, self.budget + 1)
        tokens = count(self.counter, "")
        if self.refused or tokens > self.budget:
            self._raise_too_small(max(min([*self.refused.values()] or [tokens]), self.budget + 1))
        return self._assembly("", tokens, {}, {})

    def _rank(self, index: int) -> tuple[bool, float, int]:
        """Sort key: pinned parts first, then by weight, then in order."""
        return not self.floors[index], -self.weights[index], index

    def _join(self, parts: Mapping[int, str]) -> tuple[str, int]:
        text = self.separator.join(parts[index] for index in sorted(parts))
        return text, count(self.counter, text)

    def _assembly(
        self, text: str, tokens: int, shares: Mapping[int, int], parts: Mapping[int, str]
    ) -> Assembly:
        refused = set(self.refused) | (set(self.left) - set(parts))
        return Assembly(
            text, tokens, {index: shares[index] for index in sorted(parts)}, tuple(sorted(refused))
        )

    def _raise_too_small(self, required: int) -> NoReturn:
        raise BudgetExceededError("nothing of the documents fits", required=required, budget=self.budget)


SEPARATOR = "\n\n---\n\n"
_PIECE_SEPARATOR = "\n\n"  # of pieces of one chunk
_MODEL_CALLS = 8  # at a time
_CACHE_BYTES = 64 * 2**20


class Manager:
    """Prepares context for language model calls. Safe to use from many threads at once.

    Attributes:
        options: of every compression, but target and query.
        compressor: compresses a chunk, where it has a model or is the caller's own.
        hierarchy: makes three levels of a text with the same compressor.
        cache: what is known of chunks from earlier calls, with `hits`, `misses` and `hit_rate`.
        separator: stands between the parts.
        counter: the tokenizer that budgets are meant in.
        workers: chunks that are with a model at a time.
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
            cache_bytes: of the cache of chunks, and a quarter more for whole answers; the least recently used
                make room, so memory stops growing, at about twice as much. 0: nothing is cached.
            separator: between the parts.
        """
        self.options = checked_options(options)
        model = one_model(model=model, llm=llm)
        if compressor is not None and not (model is None and counter is None and embedder is None):
            raise ValueError("give model, counter and embedder to the compressor")
        self.compressor = compressor or HybridCompressor(model, embedder, resolve_counter(counter))
        self.hierarchy = HierarchicalCompressor(3, compressor=self.compressor)
        self.cache = CompressionCache(cache_bytes)
        self._results: BoundedCache[Compressed] = BoundedCache(cache_bytes // 4)
        self.separator = checks.text(separator, "separator")
        self.counter = self.compressor.counter
        self._extractive = ExtractiveCompressor(self.compressor.embedder, self.counter)
        self.workers = _MODEL_CALLS if model is not None else 1

    def prepare_context(
        self, chunks: Iterable[ContextChunk], query: str, token_budget: int
    ) -> PreparedContext:
        """Fit chunks into a budget, for a query.

        All chunks are read as the documents of one call, and one choice is made among the segments of all
        of them. Where a chunk has a `relevance`, or there is no query, each gets at most its share of the
        budget, in proportion to its relevance (one without any: the mean of the others); else what has to
        do with the query stays, wherever it is. What is known of a chunk's segments is cached by its
        content, the query and the options, so a chunk that stays in a list that changes is a hit.

        With a language model, or a compressor of the caller's own, the budget is shared out over the chunks
        first, in proportion to their relevance and in coarse steps, none more than it has; each is compressed
        to its share, or comes from the cache, for the same share: in steps most shares stay as they are while
        a list grows. Where that fails, whole segments are kept instead, and where
        that fails too, the chunk's head; else it is dropped.

        The whole never counts more than the budget, and the report says what became of each chunk. Raises
        BudgetExceededError where the budget is too small for the smallest piece of any chunk; ValueError,
        TypeError: a wrong argument.
        """
        budget = checks.whole_number(token_budget, "token_budget")
        question = " ".join(checks.text(query, "query").split())  # the same for the same question
        given = _check_chunks(chunks)
        dropped: dict[int, DroppedChunk] = {}
        usable = [place for place, chunk in enumerate(given) if _usable(place, chunk, dropped)]
        options = replace(self.options, query_context=question, target_tokens=0)
        strategy = self.compressor.verbatim_for(options)
        if strategy is not None:
            return self._fit(given, usable, dropped, options, budget, strategy)

        def attempt(allowed: int) -> PreparedContext:
            return _ByShares(self, given, usable, dict(dropped), options, allowed).run()

        return with_required(attempt, budget)

    def prepare_context_for_call(
        self, chunks: Iterable[ContextChunk], query: str, max_tokens: int
    ) -> PreparedContext:
        """The chunks as they are, joined, where that counts at most `max_tokens`; else `prepare_context`."""
        budget, listed = checks.whole_number(max_tokens, "max_tokens"), _check_chunks(chunks)
        try:
            documents = [_document(chunk) for chunk in listed]
        except TypeError:  # a chunk that cannot be used: the others can
            return self.prepare_context(listed, query, budget)
        texts = [document.text for document in documents]
        whole = self.separator.join(texts)
        tokens = count(self.counter, whole)
        if tokens > budget:
            return self.prepare_context(listed, query, budget)
        counts = count_batch(self.counter, texts).tolist()
        kept = tuple(
            PreparedChunk(chunk.id, text, size, size, 0)
            for chunk, text, size in zip(listed, texts, counts, strict=True)
        )
        warnings = warnings_about(documents)
        report = PreparationReport(budget, tokens, tokens, False, kept, warnings=warnings)
        return PreparedContext(whole, tuple(texts), report)

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

    def _fit(
        self,
        given: Sequence[ContextChunk],
        usable: Sequence[int],
        dropped: dict[int, DroppedChunk],
        options: CompressionOptions,
        budget: int,
        strategy: Auto,
    ) -> PreparedContext:
        """One choice among the segments of all usable chunks."""
        started = time.perf_counter()
        chunks = [given[place] for place in usable]
        documents = [_document(chunk) for chunk in chunks]
        settings = self.compressor.settings(options)
        keys = [content_id(chunk.content, settings) for chunk in chunks]
        known = [self.cache.get_reading(key) for key in keys]
        named = [(chunk.id, chunk.relevance, dict(chunk.metadata)) for chunk in chunks]
        whole_key = content_id(f"{keys} {named} {budget}", self.separator).encode()
        result = None if None in known else self._results.get(whole_key)
        method = CompressionMethod.EXTRACTIVE
        if result is None:
            result = self._choose(chunks, documents, keys, known, options, budget, strategy)
            self._results.put(
                whole_key,
                result,
                sum(map(sys.getsizeof, (result.text, *named, *keys)))
                + 64 * result.receipt.segments
                + sum(len(document.text) for document in documents),
            )
            metrics.observe(method, result.original_tokens, result.tokens, time.perf_counter() - started)
        compressed = any(part != one.text for part, one in zip(result.parts, documents, strict=True))
        size = cache(partial(count, self.counter))  # of parts, counted when they are asked for
        kept = []
        for index, (chunk, document, part) in enumerate(zip(chunks, documents, result.parts, strict=True)):
            if not part:
                why = "budget" if document.text.strip() else "empty"
                dropped[usable[index]] = DroppedChunk(chunk.id, why)
                continue
            cached, changed = known[index] is not None, part != document.text
            late: dict[str, Callable[[], Any]] = {
                "token_count": partial(size, part),
                "original_tokens": partial(size, document.text),
                "allocation": partial(size, part) if compressed else int,
            }
            if changed:
                late["context"] = partial(self._chunk_context, options, result, index, size)
            reason = "no_model" if changed and self.compressor.lacks_model else None
            one = PreparedChunk.build(late, id=chunk.id, text=part, cached=cached, fallback_reason=reason)
            kept.append(one)
            if cached and metrics.enabled():
                metrics.observe(method, one.original_tokens, one.token_count, 0.0, cache_hit=True)
        hits = len(known) - known.count(None)
        report = PreparationReport(
            budget,
            result.tokens,
            result.original_tokens,
            compressed or bool(dropped),
            tuple(kept),
            tuple(dropped[place] for place in sorted(dropped)),
            hits,
            len(known) - hits,
            (*result.receipt.warnings, *(["chunks_dropped"] if dropped else [])),
        )
        return PreparedContext(result.text, tuple(one.text for one in kept), report, result)

    def _choose(
        self,
        chunks: Sequence[ContextChunk],
        documents: Sequence[Document],
        keys: Sequence[str],
        known: Sequence[Known | None],
        options: CompressionOptions,
        budget: int,
        strategy: Auto,
    ) -> Compressed:
        """Choose among the segments of the chunks; readings of new chunks go to the cache."""
        now = [Known() if one is None else replace(one) for one in known]  # others may be reading them
        request = Request(
            tuple(documents),
            options.query_context or None,
            budget,
            1.0,
            self.counter,
            separator=self.separator,
            piece_separator=_PIECE_SEPARATOR,
        )
        prepared, shares, favour = prepare_with(now, strategy, request), None, None
        if not prepared.fits(budget):
            price(now, prepared.reading)
            shares = self._shares(chunks, documents, options, budget)
            favour = favour_of([chunk.relevance for chunk in chunks], prepared.reading.table.document)
        result = prepared.fit(budget, caps=shares, favour=favour)
        if shares is not None and (left := budget - result.tokens) > budget // _UNUSED:  # units are whole
            more = prepared.fit(budget, caps=[share + left for share in shares], favour=favour)
            result = max(result, more, key=attrgetter("tokens"))
        for key, before, one in zip(keys, known, now, strict=True):
            if before is None or before.counts is not one.counts:
                self.cache.set_reading(key, one)
        return result

    def _shares(
        self,
        chunks: Sequence[ContextChunk],
        documents: Sequence[Document],
        options: CompressionOptions,
        budget: int,
    ) -> list[int] | None:
        """Share a budget out by the relevances of the chunks; None where only the query says what matters."""
        weights = weights_of([chunk.relevance for chunk in chunks])
        if options.query_context and not any(chunk.relevance > 0 for chunk in chunks):
            return None
        sizes = count_batch(self.counter, [document.text for document in documents]).tolist()
        gap = count(self.counter, self.separator)
        found = share_out(sizes, weights, min(budget, _LARGEST), gap, [0] * len(sizes))
        return [found.get(index, 0) for index in range(len(sizes))]

    def _chunk_context(
        self, options: CompressionOptions, result: Compressed, index: int, size: Callable[[str], int]
    ) -> CompressedContext:
        """A chunk's part of the result as a result of its own."""
        lacks_model = self.compressor.lacks_model
        tokens, original = size(result.parts[index]), size(result.documents[index].text)
        part = _part_of(result, index, tokens, original, self.separator)
        if lacks_model:
            part = replace(part, receipt=part.receipt.without_model("no_model"))
        options = replace(options, target_tokens=tokens, min_tokens=0)
        query = options.query_context or None
        request = Request(part.documents, query, tokens, 1.0, self.counter, separator=_PIECE_SEPARATOR)
        strategy = self.compressor.extractive_for(options)
        call = Call(options, request, original, strategy, lacks_model, 0.0)
        return self.compressor.context(call, part)

    def compress_chunk(
        self, chunk: ContextChunk, query: str, share: int
    ) -> tuple[CompressedContext | None, str, str | None, bool]:
        """A chunk in at most `share` > 0 tokens: (context, text, reason of a fallback, cached or not).

        Raises BudgetExceededError where its smallest piece does not fit, else what the last way raised.
        """
        options = replace(self.options, query_context=query, target_tokens=share, min_tokens=0)
        key = content_id(chunk.content, self.compressor.settings(options))
        cached = self.cache.get(key)
        if cached is not None:
            original = cached.original.token_count if cached.original else 0
            metrics.observe(cached.method, original, cached.token_count, 0.0, cache_hit=True)
            return cached, cached.compressed, cached.fallback_reason, True
        try:
            made = self.compressor.compress(chunk.content, options)
            if made.token_count <= share and count(self.counter, made.compressed) <= share:
                if made.fallback_reason != "model_failed":  # which may be over by the next call
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
            text = self._head(well_formed(chunk.content), share)
            return None, text, "cut_to_head", False

    def _head(self, content: str, share: int) -> str:
        required = count(self.counter, content[:1])
        if required > share:
            raise BudgetExceededError("not one letter fits", required=required, budget=share)
        size, mark = longest_prefix(content, lambda text: count(self.counter, text), share)
        return content[:size] + mark


class _ByShares:
    """A call in which a model or a compressor of the caller's has a part: each chunk gets a share."""

    def __init__(
        self,
        manager: Manager,
        chunks: Sequence[ContextChunk],
        usable: Sequence[int],
        dropped: dict[int, DroppedChunk],
        options: CompressionOptions,
        budget: int,
    ) -> None:
        self.manager, self.chunks, self.usable = manager, chunks, usable
        self.dropped, self.query, self.budget = dropped, options.query_context, budget
        self.made: dict[int, PreparedChunk] = {}
        self.hits = self.misses = 0
        texts = [well_formed(chunks[place].content) for place in usable]
        self.sizes = count_batch(manager.counter, texts).tolist()
        self.original = count(manager.counter, manager.separator.join(texts))

    def run(self) -> PreparedContext:
        weights = weights_of([self.chunks[place].relevance for place in self.usable])
        manager = self.manager
        parts = (self.budget, manager.counter, manager.separator, self._make)
        found = Assembler(self.sizes, weights, *parts).run()
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

    def _make(self, shares: Mapping[int, int]) -> dict[int, Part]:
        steps = in_steps(shares, self.sizes)
        items_of = {index: (index, steps[index], max(share, steps[index])) for index, share in shares.items()}
        first: dict[tuple[str, int], tuple[int, int, int]] = {}
        for item in items_of.values():
            first.setdefault((self.chunks[self.usable[item[0]]].content, item[1]), item)
        items = list(first.values())
        made = map_in_threads(self._one, items, self.manager.workers)
        found = {item[0]: part for item, part in zip(items, made, strict=True)}
        for item in items_of.values():  # equal ones afterwards, from the cache: never a race of two threads
            if item[0] not in found:
                found[item[0]] = self._one(item)
        for index in shares:
            if found[index].text is not None:
                self.hits += self.made[index].cached
                self.misses += not self.made[index].cached
        return {index: found[index] for index in shares}

    def _one(self, item: tuple[int, int, int]) -> Part:
        """The part of a chunk, by index, in its share of the budget, or in `most` where that is too small."""
        index, share, most = item
        place = self.usable[index]
        chunk = self.chunks[place]
        if share < 1:
            return self._free(chunk, index)
        try:
            context, text, reason, cached = self.manager.compress_chunk(chunk, self.query, share)
        except BudgetExceededError as error:
            required = max(int(error.required), 1)
            return self._one((index, required, most)) if share < required <= most else Part(None, required)
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
        text = well_formed(chunk.content)
        self.made[index] = PreparedChunk(chunk.id, text, 0, 0, 0)
        return Part(text)


def _check_chunks(chunks: Iterable[ContextChunk]) -> list[ContextChunk]:
    if isinstance(chunks, str) or not isinstance(chunks, Iterable):
        raise TypeError(f"chunks must be a list of ContextChunk, not {type(chunks).__name__}")
    listed = list(chunks)
    for place, chunk in enumerate(listed):
        if not isinstance(chunk, ContextChunk):
            raise TypeError(f"chunk {place} must be a ContextChunk, not {type(chunk).__name__}")
    return listed


def _document(chunk: ContextChunk) -> Document:
    return read_document(Document(chunk.content, chunk.id, metadata=chunk.metadata), "content")


def _usable(place: int, chunk: ContextChunk, dropped: dict[int, DroppedChunk]) -> bool:
    """Whether a chunk has a text; if not, why goes to `dropped`."""
    try:
        checks.text(chunk.content, "content")
    except TypeError as error:
        dropped[place] = DroppedChunk(chunk.id, "failed", str(error))
        return False
    if not chunk.content:
        dropped[place] = DroppedChunk(chunk.id, "empty")
    return bool(chunk.content)


def _part_of(result: Compressed, index: int, tokens: int, original: int, separator: str) -> Compressed:
    """Make a result of one document of a result; it has so many tokens, and had `original`."""
    begin = sum(len(part) + len(separator) for part in result.parts[:index] if part)
    end = begin + len(result.parts[index])
    kept, dropped = (
        [replace(span, document=0) for span in spans if span.document == index]
        for spans in (result.kept, result.dropped)
    )
    facts = result.receipt.facts
    if facts is not None:
        facts = FactReport([replace(fact, document=0) for fact in facts.facts if fact.document == index])
    receipt = Receipt(
        budget=tokens,
        tokens=tokens,
        original_tokens=original,
        counter=result.receipt.counter,
        segments=len(kept) + len(dropped),
        reasons=count_reasons(kept, dropped),
        recounts=0,
        facts=facts,
        content_types=result.receipt.content_types[index : index + 1],
    )
    inside = [(start - begin, stop - begin) for start, stop in result.generated if begin <= start < end]
    part = result.parts[index]
    return Compressed(
        part, result.documents[index : index + 1], kept, dropped, receipt, tuple(inside), (part,)
    )


_UNMATCHED = "query_without_matches"  # said of all documents, or not at all
_DROPPED = "documents_dropped"  # there is nothing of some of them in the text
_Spans = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class ByDocument:
    """Fits documents into one budget by their scores.

    A document's weight is its `score`, where that is above 0; documents without one count as the mean of
    those that have one. The engine chooses among the segments of all documents, and the weight of a
    document, beside the mean, is a factor on what its segments are worth. Another `inner` strategy gets each
    document by itself: the budget is shared out in proportion to the weights, none more than it needs, and
    where it is too small for all, documents with the lowest weight are dropped.

    Attributes:
        inner: what compresses: an `Extractive` or an `Auto` are the engine's own.
    """

    inner: Strategy = field(default_factory=Auto)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit; ValueError
        for a group that spans several documents, where each is compressed by itself.
        """
        prepared = prepare_by(self.inner, request)
        if prepared is not None:
            budget = prepared.allowed(None, None)
            scores = [document.score for document in request.documents]
            weights_of(scores)  # say what is wrong with them, also where all fits
            if prepared.fits(budget):
                return prepared.fit(budget)
            result = prepared.fit(budget, favour=favour_of(scores, prepared.reading.table.document))
            texts = zip(request.documents, result.parts, strict=True)
            if not any(not part and document.text.strip() for document, part in texts):
                return result
            warnings = (*result.receipt.warnings, _DROPPED)
            return replace(result, receipt=replace(result.receipt, warnings=warnings))
        original = count(request.counter, request.separator.join([one.text for one in request.documents]))
        budget = checks.budget_of(request.budget, request.ratio, original)
        return with_required(partial(self._by_shares, request, original), budget, original)

    def _by_shares(self, request: Request, original: int, budget: int) -> Compressed:
        texts = [document.text for document in request.documents]
        if original <= budget:
            return Prepared(request, Extractive(), original_tokens=original).fit(budget)
        alone = _requests(request)
        sizes = count_batch(request.counter, texts).tolist()
        made: dict[int, Compressed] = {}

        def make(shares: Mapping[int, int]) -> dict[int, Part]:
            return {index: one(index, share) for index, share in shares.items()}

        def one(index: int, share: int) -> Part:
            try:
                made[index] = self.inner.compress(replace(alone[index], budget=share))
            except BudgetExceededError as error:
                return Part(None, max(int(error.required), 1))
            return Part(made[index].text)

        weights = weights_of([document.score for document in request.documents])
        must = [int(bool(part.pinned)) for part in alone]
        found = Assembler(sizes, weights, budget, request.counter, request.separator, make, must).run()
        kept = {index: made[index] for index in found.shares}
        dropped = {  # their segments are the `kept` of these
            index: Prepared(alone[index], Extractive(), original_tokens=size).fit(size)
            for index, size in enumerate(sizes)
            if index not in kept
        }
        return _combine(request, found.text, found.tokens, budget, original, kept, dropped)


def _requests(request: Request) -> list[Request]:
    """Make the request for each document alone."""
    pinned: list[list[tuple[int, int, int]]] = [[] for _ in request.documents]
    groups: list[list[_Spans]] = [[] for _ in request.documents]
    for document, start, end in request.pinned:
        pinned[document].append((0, start, end))
    for group in request.groups:
        documents = {document for document, _, _ in group}
        if len(documents) > 1:
            raise ValueError(f"a group must lie in one document here, not in {sorted(documents)}")
        groups[documents.pop()].append(tuple((0, start, end) for _, start, end in group))
    return [
        replace(request, documents=(document,), pinned=tuple(pins), groups=tuple(held), ratio=1.0)
        for document, pins, held in zip(request.documents, pinned, groups, strict=True)
    ]


def _combine(
    request: Request,
    text: str,
    tokens: int,
    budget: int,
    original: int,
    kept: Mapping[int, Compressed],
    dropped: Mapping[int, Compressed],
) -> Compressed:
    """Combine the results of the documents into one; of those dropped, what each would keep is dropped."""
    reasons = Counter[str]()
    stay, go, facts, generated = list[Span](), list[Span](), list[Fact](), list[tuple[int, int]]()
    at = 0
    for index in sorted([*kept, *dropped]):
        if index not in kept:
            if segments := dropped[index].receipt.segments:
                reasons["dropped:budget"] += segments
            go += [replace(span, document=index, reason="budget") for span in dropped[index].kept]
            continue
        part = kept[index]
        reasons.update(part.receipt.reasons)
        stay += [replace(span, document=index) for span in part.kept]
        go += [replace(span, document=index) for span in part.dropped]
        for fact in part.receipt.facts.facts if part.receipt.facts is not None else ():
            facts.append(replace(fact, document=index if fact.document >= 0 else -1))
        generated += [(at + start, at + end) for start, end in part.generated]
        at += len(part.text) + len(request.separator)
    generated += places_of_separators([kept[index].text for index in sorted(kept)], request.separator)
    generated.sort()
    receipts = [part.receipt for part in kept.values()]
    warnings = [warning for receipt in receipts for warning in receipt.warnings]
    searched = [one.warnings for one in receipts if len(one.reasons) > 1]  # the others fit, or hold one thing
    if any(_UNMATCHED not in some for some in searched):
        warnings = [warning for warning in warnings if warning != _UNMATCHED]
    lost = [_DROPPED] if any(one.receipt.segments for one in dropped.values()) else []
    receipt = Receipt(
        budget=budget,
        tokens=tokens,
        original_tokens=original,
        counter=name_of(request.counter),
        segments=reasons.total(),
        reasons=dict(reasons),
        recounts=sum(one.recounts for one in receipts) + 1,
        warnings=tuple(dict.fromkeys([*warnings, *lost, *warnings_about(request.documents)])),
        facts=FactReport(tuple(facts)) if facts else None,
        used_llm=any(one.used_llm for one in receipts),
        fallback_reason=next((one.fallback_reason for one in receipts if one.fallback_reason), None),
    )
    parts = tuple(kept[index].text if index in kept else "" for index in range(len(request.documents)))
    return Compressed(text, request.documents, stay, go, receipt, tuple(generated), parts)
