"""What all compressors share: a text and options in, a compressed text with its original out."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from typing import Any

from tersely import _native, metrics
from tersely.documents import check_text
from tersely.errors import NotReversibleError
from tersely.protocols import BatchTokenCounter, Strategy
from tersely.providers.counters import resolve_counter
from tersely.providers.embedders import resolve_embedder
from tersely.stages.count import count
from tersely.strategies.confidence import confidence
from tersely.strategies.contexts import CompressedContext, CompressionMetadata, OriginalContext
from tersely.strategies.extractive import Extractive
from tersely.strategies.forms import Forms, checked_options
from tersely.strategies.metadata import dropped_sections, entities, key_concepts, words
from tersely.strategies.options import CompressionMethod, CompressionOptions
from tersely.types import Compressed, Document, Request

__all__ = ["Compressor", "content_id"]


class Compressor(Forms[CompressedContext]):
    """Compresses texts as options say. A subclass says with which strategy: `strategy_for`.

    Safe to use from many threads at once.

    Attributes:
        method: what its strategies do when nothing keeps them from it.
    """

    method = CompressionMethod.EXTRACTIVE
    model_name = ""  # says which model has a part in the results

    def __init__(
        self,
        *,
        embedder: Any = None,
        counter: Any = None,
        clock: Callable[[], datetime] | None = None,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        """Options by keyword.

        Args:
            embedder: what makes the vectors (`tersely.providers.embedders.resolve_embedder`); None: the table
                that comes with tersely.
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

    def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Strategy:
        """The strategy for a text of so many tokens, which is more than the target."""
        raise NotImplementedError(f"{type(self).__name__} must say which strategy it stands for")

    @property
    def strategy(self) -> Strategy:
        """The strategy with default options: what `tersely.compress(..., strategy=compressor)` uses."""
        return self.strategy_for(CompressionOptions(), 0)

    def compress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> CompressedContext:
        """Compress one text; one that is within the target stays as it is.

        Args:
            content: the text.
            options: None: `CompressionOptions()`.
            source: where the text is from; carried along.

        Raises:
            BudgetExceededError: nothing of the text fits into the target, or not all that is to be preserved
                with `strict_preserve`.
            ValueError, TypeError: a wrong argument, or a text with a lone surrogate.
        """
        asked = self._asked(content, options)
        return self._answered(asked, asked.strategy.compress(asked.request), source)

    def decompress(self, compressed: CompressedContext) -> str:
        """The original text. Raises NotReversibleError where `compressed` does not have it."""
        if compressed.original is None:
            raise NotReversibleError(f"compressed text {compressed.id[:12]!r} came without its original")
        return compressed.original.content

    def now(self) -> datetime:
        """What the clock says."""
        timestamp = self._clock()
        if timestamp.tzinfo is None:
            raise ValueError("clock must give timestamps with a time zone, such as datetime.now(UTC)")
        return timestamp

    def new_id(self, content: str, options: CompressionOptions, method: CompressionMethod) -> str:
        """The id of a compression."""
        return (
            self._new_id()
            if self._new_id
            else content_id(content, options, method, self.counter, self.model_name)
        )

    def _asked(self, content: str, options: CompressionOptions | None) -> _Asked:
        """The call, checked."""
        started = time.perf_counter()
        options = checked_options(options)
        if not isinstance(content, str):
            raise TypeError(f"content must be str, not {type(content).__name__}")
        check_text(content, "content")
        started = time.perf_counter()
        tokens = count(self.counter, content)
        target = options.target(tokens)
        fits = tokens <= target
        strategy = Extractive() if fits else self.strategy_for(options, tokens)
        query = options.query_context or None
        request = Request((Document(content),), query, target, 1.0, self.counter)
        return _Asked(options, request, strategy, fits, started)

    def _answered(self, asked: _Asked, result: Compressed, source: str | None) -> CompressedContext:
        """The answer to the call."""
        options = asked.options
        warnings = list(result.receipt.warnings)
        if not asked.fits and 0 < options.target_tokens < options.min_tokens:
            warnings.append("target_tokens_below_min")
        fell_back = result.receipt.fallback_reason is not None and not result.receipt.used_llm
        method = (
            CompressionMethod.EXTRACTIVE
            if asked.fits or fell_back or isinstance(asked.strategy, Extractive)
            else getattr(asked.strategy, "method", self.method)
        )
        made = self._context(asked.request.documents[0].text, options, source, result, method, warnings)
        seconds = time.perf_counter() - asked.started
        metrics.observe(method, result.original_tokens, result.tokens, seconds)
        return made

    def _context(
        self,
        content: str,
        options: CompressionOptions,
        source: str | None,
        result: Compressed,
        method: CompressionMethod,
        warnings: list[str],
        metadata: CompressionMetadata | None = None,
        id: str | None = None,
    ) -> CompressedContext:
        """The result as callers of compressors know it; `metadata`, `id`: None: they are made."""
        metadata = metadata or _metadata(content, options.query_context, result)
        if metadata.confidence_score < options.min_confidence and not result.receipt.used_llm:
            warnings.append("low_confidence")  # verbatim: there is nothing safer to fall back to
        return CompressedContext(
            id=self.new_id(content, options, self.method) if id is None else id,
            original=OriginalContext(content, result.original_tokens, source, self.now()),
            compressed=result.text,
            compression_ratio=result.ratio,
            token_count=result.tokens,
            method=method,
            metadata=metadata,
            used_llm=result.receipt.used_llm,
            fallback_reason=result.receipt.fallback_reason,
            warnings=tuple(dict.fromkeys(warnings)),
            result=result,
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A checked call: `fits` where the text is within the target as it is; `started`: of `perf_counter`."""

    options: CompressionOptions
    request: Request
    strategy: Strategy
    fits: bool
    started: float


def content_id(
    content: str,
    options: CompressionOptions,
    method: CompressionMethod,
    counter: BatchTokenCounter,
    model: str = "",
) -> str:
    """SHA-256 of all that a compression depends on, as 64 hexadecimal digits.

    `model`: what besides the options decides, such as the names of embedder and language model.
    """
    name = str(getattr(counter, "name", type(counter).__name__))
    said = json.dumps([_native.__version__, method.name, name, model, *astuple(options)])
    digest = hashlib.sha256(said.encode("utf-8") + b"\0")
    digest.update(content.encode("utf-8"))
    return digest.hexdigest()


def _metadata(content: str, query: str, result: Compressed) -> CompressionMetadata:
    named = entities(content)
    said = words(result.text)
    kept = tuple(name for name in named if name in said)
    if result.text == content:
        score = 1.0
    elif result.receipt.confidence is not None:
        score = result.receipt.confidence
    elif result.receipt.facts is not None:
        score = confidence([content], result.text, query, result.receipt.facts.retention)
    else:
        score = confidence([content], result.text, query, len(kept) / len(named) if named else 1.0)
    return CompressionMetadata(kept, key_concepts(said), dropped_sections(result), score)
