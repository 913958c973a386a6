"""Fit chunks into the context of a call (Manager), and documents by their scores (the strategy "manager")."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Any

from tersely import checks, metrics
from tersely.cache import BoundedCache
from tersely.documents import read_document, warnings_about
from tersely.engine.allocation import favour_of, in_steps, share_out, weights_of
from tersely.engine.incremental import Known, prepare_with, price
from tersely.engine.reading import count, count_batch, longest_prefix
from tersely.engine.strategies import Auto, Extractive, prepare_by, with_required
from tersely.errors import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.models.flows import one_model
from tersely.options import CompressionMethod, CompressionOptions
from tersely.protocols import BatchTokenCounter
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
from tersely.threads import map_in_threads
from tersely.types import Compressed, Document, FactReport, Receipt, Request, count_reasons

SEPARATOR = "\n\n---\n\n"
_PIECE_SEPARATOR = "\n\n"  # of pieces of one chunk
_MODEL_CALLS = 8  # at a time
_CACHE_BYTES = 64 * 2**20
_LARGEST = 2**60  # tokens: the sums stay in range
_UNUSED = 10  # a share of the budget so small may be left: units are whole


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
        documents, dropped = dict[int, Document](), dict[int, DroppedChunk]()
        for place, chunk in enumerate(given):
            try:
                document = _document(chunk)
            except TypeError as error:
                dropped[place] = DroppedChunk(chunk.id, "failed", str(error))
                continue
            if document.text:
                documents[place] = document
            else:
                dropped[place] = DroppedChunk(chunk.id, "empty")
        options = replace(self.options, query_context=question, target_tokens=0)
        strategy = self.compressor.verbatim_for(options)
        if strategy is not None:
            return self._fit(given, documents, dropped, options, budget, strategy)

        def attempt(allowed: int) -> PreparedContext:
            return _ByShares(self, given, documents, dict(dropped), question, allowed).run()

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
        documents: Mapping[int, Document],
        dropped: dict[int, DroppedChunk],
        options: CompressionOptions,
        budget: int,
        strategy: Auto,
    ) -> PreparedContext:
        """One choice among the segments of all usable chunks."""
        started = time.perf_counter()
        chunks, texts = [given[place] for place in documents], [one.text for one in documents.values()]
        settings = self.compressor.settings(options)
        keys = [content_id(chunk.content, settings) for chunk in chunks]
        known: list[Known | None] = [self.cache.get(key) for key in keys]
        now = [Known() if one is None else replace(one) for one in known]  # others may be reading them
        new = [index for index, one in enumerate(now) if one.tokens < 0]
        for index, tokens in zip(
            new, count_batch(self.counter, [texts[index] for index in new]), strict=True
        ):
            now[index].tokens = int(tokens)
        named = [(chunk.id, chunk.relevance, dict(chunk.metadata)) for chunk in chunks]
        whole_key = content_id(f"{keys} {named} {budget}", self.separator)
        result = None if None in known else self._results.get(whole_key)
        method = CompressionMethod.EXTRACTIVE
        if result is None:
            result = self._choose(chunks, tuple(documents.values()), now, options, budget, strategy)
            for key, before, one in zip(keys, known, now, strict=True):
                if before is None or before.counts is not one.counts:
                    self.cache.put(key, one, one.nbytes)
            size = sum(map(sys.getsizeof, (result.text, *named, *keys))) + sum(map(len, texts))
            self._results.put(whole_key, result, size + 64 * result.receipt.segments)
            metrics.observe(method, result.original_tokens, result.tokens, time.perf_counter() - started)
        parts = result.parts
        compressed = any(part != text for part, text in zip(parts, texts, strict=True))
        kept, counts = list[PreparedChunk](), count_batch(self.counter, list(parts)).tolist()
        for index, (place, chunk) in enumerate(zip(documents, chunks, strict=True)):
            part, tokens, size = parts[index], counts[index], now[index].tokens
            if not part:
                dropped[place] = DroppedChunk(chunk.id, "budget" if texts[index].strip() else "empty")
                continue
            hit, changed = known[index] is not None, part != texts[index]
            reason = "no_model" if changed and self.compressor.misses_model(options) else None
            made = partial(self._chunk_context, options, result, index, tokens, size) if changed else None
            allocation = tokens if compressed else 0
            kept.append(PreparedChunk(chunk.id, part, tokens, size, allocation, hit, reason, made))
            if hit:
                metrics.observe(method, size, tokens, 0.0, cache_hit=True)
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
        documents: tuple[Document, ...],
        known: Sequence[Known],
        options: CompressionOptions,
        budget: int,
        strategy: Auto,
    ) -> Compressed:
        """Choose among the segments of the chunks; token counts are noted in `known`."""
        query = options.query_context or None
        request = Request(
            documents,
            query,
            budget,
            1.0,
            self.counter,
            separator=self.separator,
            piece_separator=_PIECE_SEPARATOR,
        )
        prepared, shares, favour = prepare_with(known, strategy, request), None, None
        if not prepared.fits(budget):
            price(known, prepared.reading)
            relevances = [chunk.relevance for chunk in chunks]
            weights = weights_of(relevances)
            if query is None or any(relevance > 0 for relevance in relevances):
                gap, sizes = count(self.counter, self.separator), [one.tokens for one in known]
                found = share_out(sizes, weights, min(budget, _LARGEST), gap, [0] * len(sizes))
                shares = [found.get(index, 0) for index in range(len(sizes))]
            favour = favour_of(relevances, prepared.reading.table.document)
        result = prepared.fit(budget, caps=shares, favour=favour)
        if shares is not None and (left := budget - result.tokens) > budget // _UNUSED:  # units are whole
            more = prepared.fit(budget, caps=[share + left for share in shares], favour=favour)
            result = max(result, more, key=attrgetter("tokens"))
        return result

    def _chunk_context(
        self, options: CompressionOptions, result: Compressed, index: int, tokens: int, original: int
    ) -> CompressedContext:
        """A chunk's part of the result as a result of its own."""
        options = replace(options, target_tokens=max(tokens, 1), min_tokens=0)
        part = _part_of(result, index, tokens, original, self.separator)
        request = Request(part.documents, options.query_context or None, tokens, 1.0, self.counter)
        call = Call(options, request, original, self.compressor.extractive_for(options), 0.0)
        return self.compressor.context(call, self.compressor.checked(part, options))

    def compress_chunk(
        self, chunk: ContextChunk, query: str, share: int
    ) -> tuple[CompressedContext | None, str, str | None, bool]:
        """A chunk in at most `share` > 0 tokens: (context, text, reason of a fallback, cached or not).

        Raises BudgetExceededError where its smallest piece does not fit, else what the last way raised.
        """
        options = replace(self.options, query_context=query, target_tokens=share, min_tokens=0)
        key = content_id(chunk.content, self.compressor.settings(options))
        made: CompressedContext | None = self.cache.get(key)
        if made is not None:
            original = made.original.token_count if made.original else 0
            metrics.observe(made.method, original, made.token_count, 0.0, cache_hit=True)
            return made, made.compressed, made.fallback_reason, True
        try:
            made = self.compressor.compress(chunk.content, options)
            if max(made.token_count, count(self.counter, made.compressed)) <= share:
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
            return None, self._head(_document(chunk).text, share), "cut_to_head", False

    def _head(self, content: str, share: int) -> str:
        required = count(self.counter, content[:1])
        if required > share:
            raise BudgetExceededError("not one letter fits", required=required, budget=share)
        size, mark = longest_prefix(content, lambda text: count(self.counter, text), share)
        return content[:size] + mark


@dataclass(frozen=True, slots=True)
class _Part:
    """The compressed text of a chunk; None where there is none: `required` tokens are enough, 0: none are."""

    text: str | None
    required: int = 0


class _ByShares:
    """A call in which a model or a compressor of the caller's has a part: each chunk gets a share."""

    def __init__(
        self,
        manager: Manager,
        given: Sequence[ContextChunk],
        documents: Mapping[int, Document],
        dropped: dict[int, DroppedChunk],
        query: str,
        budget: int,
    ) -> None:
        self.manager, self.dropped, self.query, self.budget = manager, dropped, query, budget
        self.places, self.chunks = list(documents), [given[place] for place in documents]
        self.texts = [one.text for one in documents.values()]
        self.sizes = count_batch(manager.counter, self.texts).tolist()
        self.made: dict[int, PreparedChunk] = {}
        self.hits = self.misses = 0

    def run(self) -> PreparedContext:
        manager = self.manager
        weights = weights_of([chunk.relevance for chunk in self.chunks])
        text, tokens, kept, refused = assemble(
            self.sizes, weights, self.budget, manager.counter, manager.separator, self._make
        )
        for index, place in enumerate(self.places):
            if index not in kept:  # "empty": white space only, of which nothing was kept
                why = "budget" if index in refused else "empty"
                self.dropped.setdefault(place, DroppedChunk(self.chunks[index].id, why))
        chunks = tuple(self.made[index] for index in kept)
        warnings = [warning for chunk in chunks if chunk.context for warning in chunk.context.warnings]
        fell_back = any(chunk.fallback_reason not in (None, "no_model") for chunk in chunks)
        warnings += ["chunk_fell_back"] if fell_back else []
        warnings += ["chunks_dropped"] if self.dropped else []
        report = PreparationReport(
            self.budget,
            tokens,
            count(manager.counter, manager.separator.join(self.texts)),
            any(chunk.token_count != chunk.original_tokens for chunk in chunks) or bool(self.dropped),
            chunks,
            tuple(self.dropped[place] for place in sorted(self.dropped)),
            self.hits,
            self.misses,
            tuple(dict.fromkeys(warnings)),
        )
        return PreparedContext(text, tuple(chunk.text for chunk in chunks), report)

    def _make(self, shares: Mapping[int, int]) -> dict[int, _Part]:
        """Compress the parts, in steps of shares.

        Equal ones come last, from the cache, so that none is compressed twice at a time.
        """
        steps = in_steps(shares, self.sizes)
        first = {(self.chunks[index].content, steps[index]): index for index in reversed(shares)}
        items = {index: (index, steps[index], max(share, steps[index])) for index, share in shares.items()}
        early = [index for index in shares if index in first.values()]
        made = map_in_threads(self._one, [items[index] for index in early], self.manager.workers)
        found = dict(zip(early, made, strict=True))
        found.update((index, self._one(item)) for index, item in items.items() if index not in found)
        for index in shares:
            if found[index].text is not None:
                self.hits += self.made[index].cached
                self.misses += not self.made[index].cached
        return {index: found[index] for index in shares}

    def _one(self, item: tuple[int, int, int]) -> _Part:
        """The part of a chunk, by index, in its share of the budget, or in `most` where that is too small."""
        index, share, most = item
        chunk, size = self.chunks[index], self.sizes[index]
        if share < 1:  # a chunk that counts nothing, or has no share
            self.made[index] = PreparedChunk(chunk.id, self.texts[index], 0, 0, 0)
            return _Part(None, 1) if size else _Part(self.texts[index])
        try:
            context, text, reason, cached = self.manager.compress_chunk(chunk, self.query, share)
        except BudgetExceededError as error:
            required = max(int(error.required), 1)
            return self._one((index, required, most)) if share < required <= most else _Part(None, required)
        except Exception as error:  # one bad chunk must not lose the others; it stands in the report
            why = f"{type(error).__name__}: {error}"
            self.dropped[self.places[index]] = DroppedChunk(chunk.id, "failed", why)
            return _Part(None)
        tokens = context.token_count if context is not None else count(self.manager.counter, text)
        self.made[index] = PreparedChunk(chunk.id, text, tokens, size, share, cached, reason, context)
        return _Part(text)


def assemble(
    sizes: Sequence[int],
    weights: Sequence[float],
    budget: int,
    counter: BatchTokenCounter,
    separator: str,
    make: Callable[[Mapping[int, int]], Mapping[int, _Part]],
) -> tuple[str, int, list[int], set[int]]:
    """Share out a budget, have parts made, and join them: text, tokens, indices in it, those without room.

    `make` gives the part of each index of the shares. What failed parts do not use goes to the others; where
    the joined text counts more than its parts, there is less to share. Raises BudgetExceededError where not
    one part fits.
    """
    one, other = "one.", "Two"
    counts = count_batch(counter, [one, other, one + separator + other]).tolist()
    gap, room, over = max(counts[2] - counts[0] - counts[1], 0), budget, 1
    left, refused = list(range(len(sizes))), dict[int, int]()
    while left and room > 0:
        found = share_out(
            [sizes[index] for index in left],
            [weights[index] for index in left],
            min(room, _LARGEST),
            gap,
            [0] * len(left),
        )
        made = make({left[place]: share for place, share in found.items()})
        left = [index for index in left if index not in made or made[index].text]
        refused |= {index: part.required for index, part in made.items() if part.required}
        parts = {index: part.text for index, part in made.items() if part.text}
        if any(part.text is None for part in made.values()):
            continue
        text = separator.join(parts.values())
        tokens = count(counter, text)
        if tokens <= budget and parts:
            return text, tokens, list(parts), {*refused, *left} - {*parts}
        room -= max(1, tokens - budget) * over
        over *= 2
    for index in sorted(left, key=lambda index: (-weights[index], index)):
        part = make({index: budget})[index]
        if part.text and (tokens := count(counter, part.text)) <= budget:
            return part.text, tokens, [index], {*refused, *left} - {index}
        refused[index] = max(part.required, budget + 1)
    tokens = count(counter, "")
    if refused or tokens > budget:
        required = max(min([*refused.values()] or [tokens]), budget + 1)
        raise BudgetExceededError("nothing of the documents fits", required=required, budget=budget)
    return "", tokens, [], set()


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


_DROPPED = "documents_dropped"  # there is nothing of some of them in the text


@dataclass(frozen=True, slots=True)
class ByDocument:
    """Fits documents into one budget by their scores.

    A document's weight is its `score`, where that is above 0; documents without one count as the mean of
    those that have one. The engine chooses among the segments of all documents, and the weight of a
    document, beside the mean, is a factor on what its segments are worth.

    Attributes:
        inner: how documents are read and chosen from.
    """

    inner: Auto | Extractive = field(default_factory=Auto)

    def __post_init__(self) -> None:
        if not isinstance(self.inner, (Auto, Extractive)):
            kind = type(self.inner).__name__
            raise TypeError(
                f"inner must be an Auto or an Extractive, not {kind}: a Manager gives each chunk its share"
            )

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit.
        """
        prepared = prepare_by(self.inner, request)
        assert prepared is not None  # of the two that the engine fits
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
