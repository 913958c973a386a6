"""The compressor: a strategy with options, whose results have an original, an id and metadata."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from types import MethodType
from typing import Any, Generic, TypeVar

from tersely import _native, checks, metrics
from tersely.cache import BoundedCache, digest_of
from tersely.documents import read_document
from tersely.engine.reading import count
from tersely.engine.strategies import Auto, Extractive, prepare_by, with_required
from tersely.errors import NotReversibleError
from tersely.models.counters import resolve_counter
from tersely.models.embedders import resolve_embedder
from tersely.options import CompressionMethod, CompressionOptions
from tersely.protocols import BatchTokenCounter, Strategy
from tersely.strategies.contexts import (
    CompressedContext,
    CompressionMetadata,
    HierarchicalContext,
    OriginalContext,
)
from tersely.threads import default_threads, map_in_threads
from tersely.types import Compressed, Document, Request

_SEGMENT_BYTES = 64  # a row of the table, its score and its code


class CompressionCache(BoundedCache[Any]):
    """A thread-safe cache of compressed texts, limited in bytes; the least recently used texts go first.

    A key must say all that the text depends on (`content_id`). The manager keeps what it knows of chunks in
    one, from which it makes contexts for any budget.
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
    """A checked call of a compressor.

    Attributes:
        options: what was asked.
        request: the same for a strategy, with the budget in tokens.
        tokens: of the text.
        strategy: what compresses it.
        started: of `time.perf_counter`.
    """

    options: CompressionOptions
    request: Request
    tokens: int
    strategy: Strategy
    started: float


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
        new_id: Callable[[], str] | None = None,
    ) -> None:
        """Options by keyword.

        Args:
            strategy: None: `Auto`, which keeps whole segments. An `Auto` and an `Extractive` preserve the
                facts that the options of a call name; another strategy is used as it is.
            embedder: what makes the vectors (`tersely.models.embedders.resolve_embedder`); None: the table
                that comes with tersely, or the strategy's.
            counter: the tokenizer that targets are meant in; as for `tersely.compress`.
            clock: gives timestamps, with a time zone; None: now, in UTC.
            new_id: gives ids; None: hashes of what was asked, the same for the same call.
        """
        if embedder is not None:
            resolve_embedder(embedder)  # say now what is wrong with it
        self.embedder = embedder
        self.counter: BatchTokenCounter = resolve_counter(counter)
        self._clock = clock or (lambda: datetime.now(UTC))
        self._new_id = new_id
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
        return self.checked(result, call.options, call.tokens > call.options.target(call.tokens))

    def checked(self, result: Compressed, options: CompressionOptions, shortened: bool = True) -> Compressed:
        """Check a result against the settings, and add a warning if a model is missing."""
        if shortened and self.misses_model(options):
            return replace(result, receipt=result.receipt.without_model("no_model"))
        return result

    def now(self) -> datetime:
        """Return the current time of the compressor's clock."""
        timestamp = self._clock()
        if timestamp.tzinfo is None:
            raise ValueError("clock must give timestamps with a time zone, such as datetime.now(UTC)")
        return timestamp

    def new_id(self, content: str, options: CompressionOptions) -> str:
        """Return the id of a compression: by `new_id` of the constructor, otherwise by `content_id`."""
        return self._new_id() if self._new_id else content_id(content, self.settings(options))

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
