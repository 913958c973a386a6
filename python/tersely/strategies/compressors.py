"""The compressors: a strategy with options each, whose results have an original, an id and metadata."""

from __future__ import annotations

import math
import secrets
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import pairwise
from types import MethodType
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from tersely import _native, checks, metrics
from tersely.cache import BoundedCache, digest_of
from tersely.checks import brief
from tersely.documents import read_document
from tersely.engine.incremental import CACHE_BYTES, Incremental, IncrementalUpdate, State, advance
from tersely.engine.reading import count, count_batch, longest_prefix
from tersely.engine.strategies import (
    Auto,
    Extractive,
    Hierarchical,
    level_targets,
    prepare_by,
    smallest_fit,
    with_required,
)
from tersely.engine.worth import position_and_length
from tersely.errors import BudgetExceededError, NotReversibleError, RelevanceScoringError
from tersely.kernels.checks import to_numbers
from tersely.models.counters import resolve_counter
from tersely.models.embedders import resolve_embedder
from tersely.models.language_models import one_model
from tersely.options import CompressionMethod, CompressionOptions
from tersely.protocols import BatchTokenCounter, Strategy
from tersely.strategies.contexts import (
    CompressedContext,
    CompressionLevel,
    CompressionMetadata,
    HierarchicalContext,
    OriginalContext,
)
from tersely.threads import default_threads, map_in_threads
from tersely.types import MODEL_NOT_USED, Compressed, Document, Level, Request
from tersely.writing.abstractive import Abstractive, Hybrid

_SEGMENT_BYTES = 64  # a row of the table, its score and its code


class CompressionCache(BoundedCache[Any]):
    """A thread-safe cache of compressed texts, limited in bytes; the least recently used texts go first.

    A key must contain everything that the text depends on (`content_id`). The manager stores the scores of
    chunks in such a cache, and makes contexts for any budget from them.
    """

    def __init__(self, nbytes: int = 64 * 2**20) -> None:
        """An empty cache of `nbytes` >= 0; with 0 it keeps nothing."""
        super().__init__(nbytes)

    def set(self, key: str, context: CompressedContext) -> None:
        """Store a text under a key."""
        texts = [context.compressed]
        if context.original is not None:
            texts += [context.original.content] * 2  # what is dropped of it stands in the metadata
        segments = context.result.receipt.segments if context.result is not None else 0
        self.put(key, context, sum(map(sys.getsizeof, texts)) + _SEGMENT_BYTES * segments)

    @property
    def hit_rate(self) -> float:
        """hits / (hits + misses); 0.0 before the first `get`."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


T = TypeVar("T")


class Forms(Generic[T]):
    """Base class that adds batch and async forms of `compress`."""

    def compress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> T:
        """Compress one text."""
        raise NotImplementedError(f"{type(self).__name__} must say how to compress")

    def compress_batch(
        self,
        contents: Sequence[str],
        options: CompressionOptions | None = None,
        *,
        threads: int | None = None,
    ) -> list[T | Exception]:
        """Compress many texts side by side; an exception takes the place of a result.

        `threads`: None: OMP_NUM_THREADS, or the CPUs that this process may use.
        """
        options = checked_options(options)
        checks.threads(threads)

        def one(content: str) -> T | Exception:
            try:
                return self.compress(content, options)
            except Exception as error:  # one bad text must not lose the others; it stands in the result
                return error

        return map_in_threads(one, _texts(contents), threads or default_threads())

    def decompress(self, compressed: CompressedContext | HierarchicalContext) -> str:
        """Return the original text. Raises NotReversibleError where `compressed` came without it."""
        if compressed.original is None:
            raise NotReversibleError(f"compressed text {compressed.id[:12]!r} came without its original")
        return compressed.original.content

    async def acompress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> T:
        """Run `compress` on a thread, for async callers."""
        import asyncio

        return await asyncio.to_thread(self.compress, content, options, source=source)

    async def acompress_batch(
        self, contents: Sequence[str], options: CompressionOptions | None = None
    ) -> list[T | Exception]:
        """Run `compress_batch` for async callers; after a cancellation, no further text is started."""
        import asyncio

        options = checked_options(options)

        async def one(content: str) -> T | Exception:
            try:
                return await self.acompress(content, options)
            except Exception as error:
                return error

        return await asyncio.gather(*map(one, _texts(contents)))


@dataclass(frozen=True, slots=True)
class Call:
    """A checked call of a compressor."""

    options: CompressionOptions  #: what was asked
    request: Request  #: the same for a strategy, with the budget in tokens
    tokens: int  #: of the text
    strategy: Strategy  #: what compresses it
    started: float  #: of `time.perf_counter`


class Compressor(Forms[CompressedContext]):
    """Compresses texts by a strategy; thread-safe.

    A subclass may choose a strategy by the options: `strategy_for`.

    Attributes:
        method: what its strategies do, unless they have to fall back on another method.
    """

    method = CompressionMethod.EXTRACTIVE

    def __init__(
        self,
        strategy: Strategy | None = None,
        *,
        embedder: Any = None,
        counter: Any = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """Options by keyword.

        Args:
            strategy: None: `Auto`, which keeps whole segments. An `Auto` and an `Extractive` preserve the
                facts that the options of a call name; another strategy is used as it is.
            embedder: what makes the vectors (`tersely.models.embedders.resolve_embedder`); None: the table
                that comes with tersely, or the strategy's.
            counter: the tokenizer that targets are meant in; as for `tersely.compress`.
            clock: gives timestamps, with a time zone; None: now, in UTC.
        """
        if embedder is not None:
            resolve_embedder(embedder)  # say now what is wrong with it
        self.embedder = embedder
        self.counter: BatchTokenCounter = resolve_counter(counter)
        self._clock = clock or (lambda: datetime.now(UTC))
        if isinstance(strategy, Extractive):
            strategy = Auto.of_text(strategy)
        verbatim = strategy if isinstance(strategy, Auto) else Auto()
        if embedder is not None:
            verbatim = replace(verbatim, text=replace(verbatim.text, embedder=embedder))
        self._verbatim = verbatim
        self._other = None if strategy is None or isinstance(strategy, Auto) else strategy

    def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Strategy:
        """Return the strategy for a text with this number of tokens, which is more than the target."""
        return self._other or self.extractive_for(options)

    def extractive_for(self, options: CompressionOptions) -> Auto:
        """Return the verbatim strategy for these options, which reads each text by its content type."""
        return replace(self._verbatim, text=replace(self._verbatim.text, **options.preserving))

    def verbatim_for(self, options: CompressionOptions) -> Auto | None:
        """Return the strategy for these options; None if a model or the caller's code takes part."""
        own = type(self).compress is Compressor.compress
        strategy = self.strategy_for(options, 0) if own else None
        return strategy if isinstance(strategy, Auto) else None

    def misses_model(self, options: CompressionOptions) -> bool:
        """Return whether these options need a model and there is none; results are then verbatim."""
        return False

    @property
    def strategy(self) -> Strategy:
        """The strategy with default options, which `tersely.compress(..., strategy=compressor)` uses."""
        return self.strategy_for(CompressionOptions(), 0)

    def compress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> CompressedContext:
        """Compress a text; a text within the target is returned unchanged.

        Args:
            content: the text.
            options: None: `CompressionOptions()`. `preferred_method` EXTRACTIVE asks no model.
            source: where the text is from; carried along.

        Raises:
            BudgetExceededError: nothing of the text fits into the target, or not all that is to be preserved
                with `strict_preserve`.
            ValueError, TypeError: a wrong argument.
        """
        call = self.call(content, options)

        def attempt(target: int) -> Compressed:
            same = target == call.request.budget
            return self.run(call if same else self.call(content, replace(call.options, target_tokens=target)))

        target = call.options.target(call.tokens)
        return self.finish(call, with_required(attempt, target, call.tokens), source)

    def call(self, content: str, options: CompressionOptions | None = None) -> Call:
        """Check the arguments of a call and choose its strategy."""
        started = time.perf_counter()
        options = checked_options(options)
        document = read_document(Document(content), "content")
        tokens = count(self.counter, document.text)
        target = options.target(tokens)
        request = Request((document,), options.query_context or None, target, 1.0, self.counter)
        strategy = Extractive() if tokens <= target else self.strategy_for(options, tokens)
        return Call(options, request, tokens, strategy, started)

    def run(self, call: Call) -> Compressed:
        """Compress the text of a call whose arguments were checked."""
        prepared = prepare_by(call.strategy, call.request, call.tokens)
        result = call.strategy.compress(call.request) if prepared is None else prepared.fit()
        if call.tokens > call.options.target(call.tokens) and self.misses_model(call.options):
            result = replace(result, receipt=result.receipt.without_model("no_model"))
        return self.checked(result)

    def checked(self, result: Compressed) -> Compressed:
        """Return a result that the compressor's own settings allow; raise an error for any other."""
        return result

    def now(self) -> datetime:
        """Return the current time of the compressor's clock."""
        timestamp = self._clock()
        if timestamp.tzinfo is None:
            raise ValueError("clock must give timestamps with a time zone, such as datetime.now(UTC)")
        return timestamp

    def new_id(self, content: str, options: CompressionOptions) -> str:
        """Return the id of a compression: the same for the same call."""
        return content_id(content, self.settings(options))

    def settings(self, options: CompressionOptions) -> str:
        """Return what a compression with these options depends on, apart from the text, as a cache key."""
        return f"{self._own_settings} {options!r}"

    @cached_property
    def _own_settings(self) -> str:
        """Describe the settings of the compressor itself, without the options."""
        embedder = None if self.embedder is None else resolve_embedder(self.embedder).name
        own = (type(self).__qualname__, self.method, self.strategy, embedder, self.embedder, self.counter)
        return f"{_native.__version__} {described(own)}"

    def finish(
        self,
        call: Call,
        result: Compressed,
        source: str | None = None,
        *,
        id: str | None = None,
        kind: type[CompressedContext] = CompressedContext,
        **more: Any,
    ) -> CompressedContext:
        """Make the `CompressedContext` of a result, and record the call in the metrics.

        `id`: None: a new one. `kind`, `more`: a subclass of CompressedContext, and values of its fields.
        """
        options, receipt, given = call.options, result.receipt, result.expand()
        fell_back = receipt.fallback_reason is not None and not receipt.used_llm
        verbatim = fell_back or isinstance(call.strategy, (Auto, Extractive))
        method = CompressionMethod.EXTRACTIVE if verbatim else getattr(call.strategy, "method", self.method)
        below = result.tokens < call.tokens and 0 < options.target_tokens < options.min_tokens
        read = call.request.documents[0].text
        made = kind(
            id=self.new_id(given, options) if id is None else id,
            original=OriginalContext(given, result.original_tokens, source, self.now()),
            compressed=result.text,
            compression_ratio=result.ratio,
            token_count=result.tokens,
            method=method,
            metadata=CompressionMetadata(read, options.query_context, result.text, result),
            used_llm=receipt.used_llm,
            fallback_reason=receipt.fallback_reason,
            codes=(*receipt.warnings, *["target_tokens_below_min"] * below),
            min_confidence=options.min_confidence,
            result=result,
            **more,
        )
        metrics.observe(method, call.tokens, result.tokens, time.perf_counter() - call.started)
        return made


def checked_options(options: CompressionOptions | None) -> CompressionOptions:
    """Return the options, or the default ones for None. Raises TypeError for anything else."""
    if options is None:
        return CompressionOptions()
    if not isinstance(options, CompressionOptions):
        raise TypeError(f"options must be CompressionOptions or None, not {type(options).__name__}")
    return options


def content_id(content: str, settings: str) -> str:
    """SHA-256 of a text and all else that its compression depends on, as 64 hexadecimal digits."""
    return digest_of([settings, content]).hex()


_PROCESS = secrets.token_hex(8)


def described(value: Any) -> str:
    """Describe options, strategies, models and tokenizers as text; different behaviour, different text.

    Dataclasses count by the fields that are compared, what has a name by that, functions of modules by
    theirs. Anything else counts as itself while it lives, and as nothing that another process has.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(described, value))})"
    if is_dataclass(value) and not isinstance(value, type):
        held = [getattr(value, entry.name) for entry in fields(value) if entry.compare]
        return type(value).__qualname__ + described(held)
    name = getattr(value, "name", None)
    if isinstance(name, str) and name:
        return name
    if isinstance(value, MethodType):
        return value.__func__.__qualname__ + described([value.__self__])
    place, kind = getattr(value, "__qualname__", "<"), type(value)
    if "<" not in place:
        return f"{value.__module__}.{place}"
    return f"{kind.__module__}.{kind.__qualname__} {_PROCESS} {id(value)}"


def _texts(contents: Sequence[str]) -> list[str]:
    if isinstance(contents, str):
        raise TypeError("contents must be a list of str, not one str")
    return list(contents)


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

    def checked(self, result: Compressed) -> Compressed:
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
        `strict`), the share of the query's terms in the sentence takes the place of the cosine.
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

    The text is parsed and scored once, and each level is a verbatim part of the one before. A compressor's
    model is not asked; the warning "model_not_used" says so.
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
        """The strategy for `tersely.compress(..., strategy=compressor)`."""
        return Hierarchical(self.levels, self.compressor.extractive_for(CompressionOptions()).text)

    def compress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> HierarchicalContext:
        """Make the levels of a text. The target and minimum of the options are not used.

        If a level's target is too small for any segment, the level has the fewest tokens that are possible.
        Raises the errors of `Compressor.compress`, except BudgetExceededError, as there is no budget.
        """
        started = time.perf_counter()
        options, compressor = checked_options(options), self.compressor
        document = read_document(Document(content), "content")
        timestamp = compressor.now()
        request = Request((document,), options.query_context or None, None, 1.0, compressor.counter)
        prepared = compressor.extractive_for(options).prepare(request)
        tokens = prepared.original_tokens
        targets = level_targets(tokens, self.levels)

        def attempt(least: int) -> list[Compressed]:
            made = prepared.levels([max(target, least) for target in targets])
            return [compressor.checked(result) for result in made]

        results = smallest_fit(attempt, targets[-1], tokens)
        levels = [CompressionLevel(n, one.text, one.tokens, one.ratio, one) for n, one in enumerate(results)]
        warnings = [warning for result in results for warning in result.receipt.warnings]
        if options.preferred_method is not self.method and compressor.verbatim_for(options) is None:
            warnings.append(MODEL_NOT_USED)  # by itself it would have a model, or other code, write the text
        metrics.observe(self.method, tokens, levels[0].token_count, time.perf_counter() - started)
        return HierarchicalContext(
            levels,
            OriginalContext(content, tokens, source, timestamp),
            compressor.new_id(f"{self.levels} levels\0{content}", options),
            tuple(dict.fromkeys(warnings)),
        )


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
    """A compressed text, and how it came out of the version before."""

    #: what changed, how much was compressed again, how many tokens at the start are the same
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
        #: texts of earlier calls, with `hits` and `misses`
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
