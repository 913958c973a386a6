"""The compressor for texts that change."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from tersely import metrics
from tersely.cache import BoundedCache
from tersely.documents import check_text
from tersely.stages.count import count
from tersely.strategies.compressor import Compressor
from tersely.strategies.contexts import CompressedContext
from tersely.strategies.describing import Description, describe
from tersely.strategies.extractive import Extractive
from tersely.strategies.forms import checked_options
from tersely.strategies.incremental import CACHE_BYTES, Incremental
from tersely.strategies.options import CompressionMethod, CompressionOptions
from tersely.strategies.recounting import recount
from tersely.strategies.updating import IncrementalUpdate, State, advance
from tersely.types import Document, Request

__all__ = ["IncrementalCompressor", "IncrementalContext"]

_NAMES = 300  # bytes of a segment's names and numbers


@dataclass(frozen=True, slots=True)
class IncrementalContext(CompressedContext):
    """A compressed text, and how it came out of the version before.

    Attributes:
        update: what changed, how much was compressed again, how many tokens at the start are the same.
    """

    update: IncrementalUpdate | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False, slots=True)
class _Entry:
    """All that is kept of a text. Never changed, only replaced, so that threads may share it."""

    options: CompressionOptions
    strategy: Extractive
    state: State
    description: Description | None
    context: IncrementalContext


class IncrementalCompressor(Compressor):
    """Keeps compressed texts up to date: an edit is compressed alone, what did not change stays as it was.

    Everything kept stands verbatim in the newest version, what was removed from the text is gone from the
    compressed text, and the target holds after any number of edits. Without a version before, and after a
    change of 10% or more, it does what `ExtractiveCompressor` does. Safe to use from many threads at once: of
    two that update one text, the later one's answer is remembered.
    """

    method = CompressionMethod.EXTRACTIVE

    def __init__(
        self,
        *,
        counter: Any = None,
        embedder: Any = None,
        options: CompressionOptions | None = None,
        cache_bytes: int = CACHE_BYTES,
        clock: Callable[[], datetime] | None = None,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        """See `Compressor`; further:

        Args:
            options: for calls without options of their own.
            cache_bytes: memory for texts and what is known of them; the least recently used go first.
        """
        super().__init__(embedder=embedder, counter=counter, clock=clock, new_id=new_id)
        self.options = checked_options(options)
        self._cache: BoundedCache[_Entry] = BoundedCache(cache_bytes)
        self._strategy = Extractive(embedder=embedder)

    @property
    def hits(self) -> int:
        """How often `update` knew an earlier version."""
        return self._cache.hits

    @property
    def misses(self) -> int:
        """How often it did not."""
        return self._cache.misses

    @property
    def strategy(self) -> Incremental:
        """A new `Incremental`, with a memory of its own."""
        return Incremental(self._strategy)

    def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Extractive:
        """What compresses a text that was not seen before."""
        return replace(self._strategy, preserve=options.preserve, strict_preserve=options.strict_preserve)

    def update(
        self, id: str, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> IncrementalContext:
        """Compress the newest version of a text.

        Args:
            id: the caller's name for the text; the answer has the same.
            content: the text as it is now.
            options: None: those of the compressor. Others than the last time compress everything again.
            source: where the text is from; carried along.

        Raises what `compress` does; then what is remembered of the text stays. The diff is
        O(characters + lines log lines), the rest O(characters changed), with O(characters) only in counting
        tokens and comparing, and O(segments + terms) in numpy and native code.
        """
        if not isinstance(id, str):
            raise TypeError(f"id must be str, not {type(id).__name__}")
        if not isinstance(content, str):
            raise TypeError(f"content must be str, not {type(content).__name__}")
        check_text(content, "content")
        started = time.perf_counter()
        options = self.options if options is None else checked_options(options)
        before = self._cache.get(_key(id))
        original = before.context.original if before else None
        tokens = (
            recount(self.counter, content, original.content, original.token_count)
            if original
            else count(self.counter, content)
        )
        query = options.query_context or None
        request = Request((Document(content, id),), query, options.target(tokens), 1.0, self.counter)
        same = before is not None and before.options == options
        strategy = before.strategy if before and same else self.strategy_for(options, tokens)
        state = advance(
            strategy,
            request,
            before.state if before else None,
            original=tokens,
            afresh=before is not None and not same,
        )
        if before is not None and state.update.way == "same":
            seconds = time.perf_counter() - started
            metrics.observe(self.method, tokens, state.result.tokens, seconds, cache_hit=True)
            return replace(before.context, update=state.update)
        description = None
        if state.scored is not None:
            description = describe(state, state.scored, before.description if before else None)
        context = self._described(id, content, options, source, state, description)
        entry = _Entry(options, strategy, state, description, context)
        self._cache.put(_key(id), entry, state.nbytes + _NAMES * len(state.status))
        metrics.observe(self.method, tokens, state.result.tokens, time.perf_counter() - started)
        return context

    def _described(
        self,
        id: str,
        content: str,
        options: CompressionOptions,
        source: str | None,
        state: State,
        description: Description | None,
    ) -> IncrementalContext:
        warnings = list(state.result.receipt.warnings)
        if state.result.dropped and 0 < options.target_tokens < options.min_tokens:
            warnings.append("target_tokens_below_min")
        metadata = description.metadata if description else None
        context = self._context(content, options, source, state.result, self.method, warnings, metadata, id)
        values = {entry.name: getattr(context, entry.name) for entry in fields(context)}
        return IncrementalContext(**{**values, "update": state.update})

    def forget(self, id: str) -> bool:
        """Remember nothing of a text any more; whether anything was."""
        return self._cache.remove(_key(id))


def _key(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
