"""Keep compressed texts up to date as their originals change, so that prompt caches hold."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tersely import metrics
from tersely.compat.compressor import Call, checked_options
from tersely.compat.contexts import CompressedContext
from tersely.compat.extractive_compressor import ExtractiveCompressor
from tersely.core.cache import BoundedCache
from tersely.core.documents import read_document
from tersely.core.options import CompressionOptions
from tersely.core.types import Document, Request
from tersely.engine.auto import Auto
from tersely.engine.incremental import CACHE_BYTES, Incremental, IncrementalUpdate, State, advance

__all__ = ["IncrementalCompressor", "IncrementalContext"]


@dataclass(frozen=True, slots=True)
class IncrementalContext(CompressedContext):
    """A compressed text, and how it came out of the version before.

    Attributes:
        update: what changed, how much was compressed again, how many tokens at the start are the same.
    """

    update: IncrementalUpdate | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False, slots=True)
class _Entry:
    """The state of one text. Never changed, only replaced, so that threads may share it."""

    options: CompressionOptions
    strategy: Auto
    state: State
    context: IncrementalContext


class IncrementalCompressor(ExtractiveCompressor):
    """Keeps compressed texts up to date: what was kept before the first change stays as it was.

    That is what it is for: the compressed text begins as the one before, so a model's prompt cache can use it
    again. An edit takes about the time of compressing afresh, as all of the text is read again. A tokenizer
    or embedder of the caller's, which may be slow, sees less: the tokenizer the newest text once as a whole,
    new segments and what is kept, about half of what it sees afresh; the embedder new segments alone.

    Everything kept stands verbatim in the newest version, what was removed from the text is gone from the
    compressed text, and the target holds after any number of edits. Without a version before, and after a
    change of 10% or more, it does what `ExtractiveCompressor` does. Safe to use from many threads at once: of
    two that update one text, the later one's answer is remembered.
    """

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
            cache_bytes: for texts and what is known of them; the least recently used make room, so memory
                stops growing, at about twice as much.
        """
        super().__init__(embedder, counter, clock=clock, new_id=new_id)
        self.options = checked_options(options)
        self._cache: BoundedCache[_Entry] = BoundedCache(cache_bytes)

    @property
    def hits(self) -> int:
        """How often `update` knew an earlier version."""
        return self._cache.hits

    @property
    def misses(self) -> int:
        """How often `update` knew no earlier version."""
        return self._cache.misses

    @property
    def strategy(self) -> Incremental:
        """A new `Incremental`, with a memory of its own."""
        return Incremental(self._text)

    def update(
        self, id: str, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> IncrementalContext:
        """Compress the newest version of a text.

        Args:
            id: the caller's name for the text; the answer has the same.
            content: the text as it is now.
            options: None: those of the compressor. Others than the last time compress everything again.
            source: where the text is from; carried along.

        Raises what `compress` does; then what is remembered of the text stays. O(characters + lines log
        lines).
        """
        if not isinstance(id, str):
            raise TypeError(f"id must be str, not {type(id).__name__}")
        document = read_document(Document(content, id), "content")
        started = time.perf_counter()
        options = self.options if options is None else checked_options(options)
        key = hashlib.sha256(id.encode("utf-8", "surrogatepass")).digest()
        before = self._cache.get(key)
        same = before is not None and before.options == options
        strategy = before.strategy if before is not None and same else self.extractive_for(options)
        request = Request((document,), options.query_context or None, None, 1.0, self.counter)
        state = advance(
            strategy,
            request,
            before.state if before is not None else None,
            target=options.target,
            afresh=before is not None and not same,
        )
        result = state.result
        if before is not None and state.update.way == "same":
            seconds = time.perf_counter() - started
            metrics.observe(self.method, result.original_tokens, result.tokens, seconds, cache_hit=True)
            return before.context.but(update=state.update)
        call = Call(options, request, result.original_tokens, strategy, False, started)
        context = self.finish(call, result, source, id=id, kind=IncrementalContext, update=state.update)
        assert isinstance(context, IncrementalContext)
        self._cache.put(key, _Entry(options, strategy, state, context), state.nbytes)
        return context

    def forget(self, id: str) -> bool:
        """Forget a text; return whether it was known."""
        return self._cache.remove(hashlib.sha256(id.encode("utf-8", "surrogatepass")).digest())
