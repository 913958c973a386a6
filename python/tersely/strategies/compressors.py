"""Compressors: extractive, hierarchical, incremental, and two that use a language model."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import _native, metrics
from tersely.cache import BoundedCache
from tersely.checks import brief
from tersely.documents import read_document
from tersely.engine.incremental import CACHE_BYTES, Incremental, IncrementalUpdate, State, advance
from tersely.engine.reading import count, count_batch, longest_prefix
from tersely.engine.strategies import Auto, Extractive, Hierarchical, level_targets, smallest_fit
from tersely.engine.worth import position_and_length
from tersely.errors import BudgetExceededError, RelevanceScoringError
from tersely.kernels.checks import to_numbers
from tersely.models.embedders import resolve_embedder
from tersely.models.flows import one_model
from tersely.options import CompressionMethod, CompressionOptions
from tersely.protocols import Strategy
from tersely.strategies.compressor import Call, Compressor, Forms, checked_options
from tersely.strategies.contexts import (
    CompressedContext,
    CompressionLevel,
    HierarchicalContext,
    OriginalContext,
)
from tersely.types import Compressed, Document, Level, Request
from tersely.writing.abstractive import Abstractive
from tersely.writing.hybrid import Hybrid

_RELEVANCE = 2.0  # weight of a cosine beside position and length, in score_sentences
_SCORE_FLOOR = 0.5  # of the best score, in select_sentences


class ExtractiveCompressor(Compressor):
    """Keeps whole segments, verbatim and in source order.

    Takes a text and `CompressionOptions`; `tersely.retrieval.ExtractiveCompressor` takes a document, a query
    and a number of tokens.

    `compress` works like `tersely.compress`, with the facts of `CompressionOptions.preserve`: it reads a text
    by its content type (prose, code, JSON, a log ...), or, if `level` is not SENTENCE, as prose.

    `score_sentences` and `select_sentences` are for callers with a list of sentences. They score by position,
    length and cosine; `compress` does not use them, because its own scores keep more of what answers a query.
    """

    method = CompressionMethod.EXTRACTIVE

    def __init__(
        self,
        embedder: Any = None,
        counter: Any = None,
        *,
        level: Level | str = Level.SENTENCE,
        position_decay: float = 0.01,
        position_floor: float | None = None,
        lexical_fallback: bool = False,
        strict: bool = False,
        **options: Any,
    ) -> None:
        """See `Compressor`; further:

        Args:
            embedder, counter, options: as for `Compressor`.
            level: how finely `compress` cuts texts.
            position_decay, position_floor: `score_sentences` takes so much off for each sentence before, but
                does not go below the floor (None: it does).
            lexical_fallback: `score_sentences` without an embedder goes by the query's terms.
            strict: raise where the embedder fails or no whole segment fits, instead of going by terms alone
                or cutting one; `compress` and the functions for sentences alike.
        """
        self._text = Extractive(
            level=level,  # type: ignore[arg-type]  # made a Level there
            embedder=embedder,
            position_decay=position_decay,
            position_floor=position_floor,
            piece=0 if strict else None,
        )
        super().__init__(self._text, embedder=embedder, counter=counter, **options)
        self.lexical_fallback = lexical_fallback
        self.strict = strict

    def checked(self, result: Compressed, options: CompressionOptions, shortened: bool = True) -> Compressed:
        """Return a result; if `strict`, raise an error for a failed embedder or a cut segment."""
        codes = result.receipt.warnings if self.strict else ()
        if "embedder_failed" in codes:
            name = resolve_embedder(self.embedder).name
            raise RelevanceScoringError(f"the embedder {name} failed, and strict=True allows nothing else")
        if "segment_cut" in codes:
            problem, budget = "no whole segment (strict=True cuts none) fits", result.receipt.budget
            raise BudgetExceededError(problem, required=budget + 1, budget=budget)
        return result

    def score_sentences(self, sentences: Sequence[str], query: str = "") -> list[float]:
        """Return a score for each sentence by position, relevance to the query, and length.

        The score is 1 - i * position_decay for sentence i, at least position_floor; plus 2 times its cosine
        with the query, if there are a query and an embedder; plus 0.3 if it has 6 to 49 words. With
        `lexical_fallback`, or if the embedder fails (with a RuntimeWarning, or RelevanceScoringError if
        `strict`), the share of the query's terms in the sentence takes the place of the cosine. `compress`
        scores in another way.
        """
        words = [len(sentence.split()) for sentence in sentences]
        options = self._text
        scores = position_and_length(words, options.position_decay, options.position_floor)
        relevance = self._relevance(list(sentences), query) if query.strip() and sentences else 0.0
        return [float(score) for score in scores + _RELEVANCE * np.asarray(relevance)]

    def select_sentences(
        self,
        sentences: Sequence[str],
        scores: Sequence[float],
        target_tokens: int,
        score_floor: float = _SCORE_FLOOR,
    ) -> list[str]:
        """Return the best sentences that have at most `target_tokens` tokens together, in source order.

        In descending order of score (ties: the first), each sentence is taken if it still fits. Sentences
        that score less than `score_floor` times the best score are left out, if that is above 0. If no
        sentence fits, the best is cut and marked with "…", or BudgetExceededError is raised if `strict`.
        `compress` selects by score per token, and leaves out repeats.
        """
        if len(scores) != len(sentences):
            raise ValueError(f"there must be one score a sentence: {len(scores)} for {len(sentences)}")
        values = to_numbers(scores, "scores")
        if not sentences or target_tokens < 1:
            return []
        tokens = count_batch(self.counter, list(sentences)).tolist()
        least = score_floor * best if (best := values.max()) > 0 else -math.inf
        left, selected, order = target_tokens, list[int](), np.argsort(-values, kind="stable").tolist()
        for i in order:
            if values[i] >= least and tokens[i] <= left:
                selected.append(i)
                left -= tokens[i]
        if selected:
            return [sentences[i] for i in sorted(selected)]
        if not self.strict:  # the best sentence that at least a letter fits of
            starts = count_batch(self.counter, [sentence[:1] for sentence in sentences]).tolist()
            for i in order:
                if starts[i] <= target_tokens and sentences[i]:
                    size, mark = longest_prefix(sentences[i], partial(count, self.counter), target_tokens)
                    return [sentences[i][:size] + mark]
        raise BudgetExceededError("no sentence fits", required=min(tokens), budget=target_tokens)

    def _relevance(self, sentences: list[str], query: str) -> npt.NDArray[np.float64] | float:
        if self.embedder is not None:
            try:
                return resolve_embedder(self.embedder).similarity(query, sentences).astype(np.float64)
            except Exception as error:  # whatever a model does
                if self.strict:
                    raise RelevanceScoringError(f"the embedder failed: {error!r}") from error
                warnings.warn(f"the embedder failed, terms stand in: {error!r}", RuntimeWarning, stacklevel=3)
        elif not self.lexical_fallback:
            return 0.0
        ids, offsets, _ = _native.terms([query, *sentences])  # the share of the query's terms that each holds
        wanted = set(ids[: offsets[1]].tolist())
        held = [len(wanted.intersection(ids[start:end].tolist())) for start, end in pairwise(offsets[1:])]
        return np.array(held, dtype=np.float64) / max(len(wanted), 1)


class HierarchicalCompressor(Forms[HierarchicalContext]):
    """Makes levels of a half, a quarter, an eighth and so on of the original's tokens.

    Without `compressor`, with an extractive one or one without a model, each level is a verbatim part of the
    one before, made by parsing and scoring the text once; with another one, such as a HybridCompressor
    with a model, each is that compressor's version of the one before. The targets are always parts of the
    original.

    Attributes:
        levels: how many.
        compressor: what compresses.
    """

    method = CompressionMethod.HIERARCHICAL

    def __init__(
        self,
        levels: int = 3,
        *,
        compressor: Compressor | None = None,
        **options: Any,
    ) -> None:
        """`options` are those of an `ExtractiveCompressor`; a `compressor` has its own."""
        if compressor is not None and options:
            raise ValueError(f"give {', '.join(options)} to the compressor")
        self.compressor = compressor or ExtractiveCompressor(**options)
        self.levels = Hierarchical(levels).levels

    @property
    def strategy(self) -> Hierarchical:
        """The strategy for `tersely.compress(..., strategy=compressor)`; its levels are verbatim."""
        return Hierarchical(self.levels, self.compressor.extractive_for(CompressionOptions()).text)

    def compress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> HierarchicalContext:
        """Make the levels of a text. The target and minimum of the options are not used.

        If a level's target is too small for any segment, the level has the fewest tokens that are possible.
        Raises the errors of `Compressor.compress`, except BudgetExceededError, as there is no budget.
        """
        options = checked_options(options)
        document = read_document(Document(content), "content")
        timestamp = self.compressor.now()
        if options.preferred_method is CompressionMethod.HIERARCHICAL:  # as all of this is
            options = replace(options, preferred_method=CompressionMethod.HYBRID)
        verbatim = self.compressor.verbatim_for(options)
        if verbatim is not None:
            started = perf_counter()
            tokens, levels, warnings, reason = self._verbatim(document, options, verbatim)
            metrics.observe(self.method, tokens, levels[0].token_count, perf_counter() - started)
        else:  # the compressor's calls are observed, one by one
            tokens, levels, warnings, reason = self._cascade(document.text, options)
        return HierarchicalContext(
            levels,
            OriginalContext(content, tokens, source, timestamp),
            self.compressor.new_id(f"{self.levels} levels\0{content}", options),
            tuple(dict.fromkeys(warnings)),
            reason,
        )

    def _verbatim(
        self, document: Document, options: CompressionOptions, strategy: Auto
    ) -> tuple[int, list[CompressionLevel], list[str], str | None]:
        request = Request((document,), options.query_context or None, None, 1.0, self.compressor.counter)
        prepared = strategy.prepare(request)
        targets = level_targets(prepared.original_tokens, self.levels)

        def attempt(least: int) -> list[Compressed]:
            made = prepared.levels([max(target, least) for target in targets])
            return [self.compressor.checked(result, options) for result in made]

        results = smallest_fit(attempt, targets[-1], prepared.original_tokens)
        levels = [CompressionLevel(n, one.text, one.tokens, one.ratio, one) for n, one in enumerate(results)]
        warnings = [warning for result in results for warning in result.receipt.warnings]
        return prepared.original_tokens, levels, warnings, results[0].receipt.fallback_reason

    def _cascade(
        self, text: str, options: CompressionOptions
    ) -> tuple[int, list[CompressionLevel], list[str], str | None]:
        """Each level of the one before, in the fewest tokens that its compressor needs."""
        tokens = count(self.compressor.counter, text)
        levels, warnings, reason = list[CompressionLevel](), list[str](), None
        for level, target in enumerate(level_targets(tokens, self.levels)):
            options = replace(options, target_tokens=target, min_tokens=0)
            try:
                made = self.compressor.compress(text, options)
            except BudgetExceededError as error:
                made = self.compressor.compress(text, replace(options, target_tokens=int(error.required)))
            text, size = made.compressed, made.token_count
            levels.append(CompressionLevel(level, text, size, size / tokens if tokens else 1.0))
            warnings += made.warnings
            reason = reason or made.fallback_reason
        return tokens, levels, warnings, reason


class AbstractiveCompressor(Compressor):
    """Lets a language model write the text (see `Abstractive`); its errors are a SummarizationError.

    `options.preferred_method` EXTRACTIVE or HIERARCHICAL asks no model.
    """

    method = CompressionMethod.ABSTRACTIVE

    def __init__(
        self,
        model: Any = None,
        counter: Any = None,
        *,
        embedder: Any = None,
        fallback: bool = False,
        max_prompt_tokens: int | None = None,
        concurrency: int = 4,
        llm: Any = None,
        **options: Any,
    ) -> None:
        """See `Compressor` and `Abstractive`.

        Args:
            model: see `resolve_language_model`; `llm` is another name of it. None: results are extractive,
                and say so.
            counter, embedder, options: as for `Compressor`; the embedder is for extractive results.
            fallback: be extractive where the model raises.
            max_prompt_tokens, concurrency: as for `Abstractive`.
        """
        super().__init__(embedder=embedder, counter=counter, **options)
        self.model = one_model(model=model, llm=llm)
        self._settings = {
            "model": self.model,
            "fallback": fallback,
            "max_prompt_tokens": max_prompt_tokens,
            "concurrency": concurrency,
            "extractive": Extractive(embedder=embedder),
        }
        Abstractive(**self._settings)  # say now what is wrong with them

    @property
    def llm(self) -> Any:
        """The language model."""
        return self.model

    def misses_model(self, options: CompressionOptions) -> bool:
        """Return whether these options need a model and there is none; results are then verbatim."""
        verbatim = (CompressionMethod.EXTRACTIVE, CompressionMethod.HIERARCHICAL)
        return self.model is None and options.preferred_method not in verbatim

    def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Strategy:
        """Return the strategy by `options.preferred_method`; EXTRACTIVE and HIERARCHICAL use no model."""
        verbatim = self.extractive_for(options)
        if options.preferred_method is CompressionMethod.HIERARCHICAL:
            return Hierarchical(extractive=verbatim.text)
        if options.preferred_method is CompressionMethod.EXTRACTIVE or self.model is None:
            return verbatim
        return self._writer(options, original_tokens)

    def _writer(self, options: CompressionOptions, original_tokens: int) -> Abstractive:
        return Abstractive(**self._options(options))

    def _options(self, options: CompressionOptions) -> dict[str, Any]:
        return {
            **self._settings,
            "preserve": options.preserve,
            "min_confidence": options.min_confidence,
            "strict_preserve": options.strict_preserve,
        }

    async def acompress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> CompressedContext:
        """Compress as `compress` does, from an event loop; uses the model's `acomplete`, if it has one."""
        import asyncio

        call = await asyncio.to_thread(self.call, content, options)
        if isinstance(call.strategy, Abstractive):
            result = await call.strategy.acompress(call.request)
        else:
            result = await asyncio.to_thread(self.run, call)
        return await asyncio.to_thread(self.finish, call, result, source)


class HybridCompressor(AbstractiveCompressor):
    """Lets a model rewrite a text, after a verbatim selection if the text is long (see `Hybrid`).

    `options.preferred_method` EXTRACTIVE or HIERARCHICAL asks no model; ABSTRACTIVE, or `allow_hybrid=False`,
    leaves out the first stage. Without a model, or if it fails, results are extractive: `fallback_reason`
    says why.
    """

    method = CompressionMethod.HYBRID

    def __init__(
        self,
        model: Any = None,
        embedder: Any = None,
        counter: Any = None,
        *,
        threshold: int = 2000,
        fallback: bool = True,
        **options: Any,
    ) -> None:
        """See `Compressor`, `Abstractive` and `Hybrid`.

        Args:
            model, embedder, counter, options: as for `AbstractiveCompressor`.
            threshold: a text of fewer tokens has one stage.
            fallback: be extractive where the model raises; else SummarizationError.
        """
        super().__init__(model, counter, embedder=embedder, fallback=fallback, **options)
        self.threshold = Hybrid(threshold=threshold).threshold

    @property
    def strategy(self) -> Hybrid:
        """The strategy `Hybrid` with default options."""
        return Hybrid(**self._options(CompressionOptions()), threshold=self.threshold)

    def _writer(self, options: CompressionOptions, original_tokens: int) -> Abstractive:
        two_stages = Hybrid(**self._options(options), threshold=self.threshold)
        alone = options.preferred_method is CompressionMethod.ABSTRACTIVE or not options.allow_hybrid
        if alone or two_stages.first_target(original_tokens, options.target(original_tokens)) is None:
            return super()._writer(options, original_tokens)
        return two_stages


@brief
@dataclass(frozen=True, slots=True)
class IncrementalContext(CompressedContext):
    """A compressed text, and how it came out of the version before.

    Attributes:
        update: what changed, how much was compressed again, how many tokens at the start are the same.
    """

    update: IncrementalUpdate | None = field(default=None, compare=False)


class IncrementalCompressor(ExtractiveCompressor):
    """Compresses new versions of a text; the result before the first change stays the same.

    So the new compressed text begins like the one before, and a model's prompt cache can use it again. It
    does not save time: an edit takes about as long as a full compression, because all of the text is read
    again. Only your own tokenizer or embedder is called less: the tokenizer for about half of the text, the
    embedder for new segments alone.

    Everything kept is verbatim in the newest version, text that was removed from the source is gone from the
    compressed text, and the target holds after any number of edits. For a first version, and after a change
    of 10% or more, it works like `ExtractiveCompressor`. Thread-safe: if two threads update one text, the
    later result is remembered.

    Attributes:
        cache: texts of earlier calls, with `hits` and `misses`.
    """

    def __init__(
        self,
        *,
        counter: Any = None,
        embedder: Any = None,
        options: CompressionOptions | None = None,
        cache_bytes: int = CACHE_BYTES,
        **more: Any,
    ) -> None:
        """See `Compressor`; further:

        Args:
            options: for calls without options of their own.
            cache_bytes: for texts and what is known of them; the least recently used make room, so memory
                stops growing, at about twice as much.
        """
        super().__init__(embedder, counter, **more)
        self.options = checked_options(options)
        self.cache: BoundedCache[tuple[CompressionOptions, State, IncrementalContext]] = BoundedCache(
            cache_bytes
        )

    @property
    def strategy(self) -> Incremental:
        """A new `Incremental` without earlier versions."""
        return Incremental(self._text)

    def update(
        self, id: str, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> IncrementalContext:
        """Compress the newest version of a text.

        Args:
            id: your name for the text; the result has the same.
            content: the text as it is now.
            options: None: those of the compressor. If they changed, everything is compressed again.
            source: where the text is from; it is passed on.

        Raises the errors of `compress`; the earlier version is then still remembered. O(characters + lines
        log lines).
        """
        if not isinstance(id, str):
            raise TypeError(f"id must be str, not {type(id).__name__}")
        document = read_document(Document(content, id), "content")
        started = time.perf_counter()
        options = self.options if options is None else checked_options(options)
        asked, before, context = self.cache.get(id) or (options, None, None)
        request = Request((document,), options.query_context or None, None, 1.0, self.counter)
        strategy = self.extractive_for(options)
        state = advance(strategy, request, before, target=options.target, afresh=asked != options)
        result = state.result
        if context is not None and state.update.way == "same":
            seconds = time.perf_counter() - started
            metrics.observe(self.method, result.original_tokens, result.tokens, seconds, cache_hit=True)
            return replace(context, update=state.update)
        call = Call(options, request, result.original_tokens, strategy, started)
        made = self.finish(call, result, source, id=id, kind=IncrementalContext, update=state.update)
        assert isinstance(made, IncrementalContext)
        self.cache.put(id, (options, state, made), state.nbytes)
        return made

    def forget(self, id: str) -> bool:
        """Forget a text, and return whether it was known."""
        return self.cache.remove(id)
