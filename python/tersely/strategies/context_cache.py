"""Compressed texts that need not be made again."""

from __future__ import annotations

import sys

from tersely.cache import BoundedCache
from tersely.strategies.contexts import CompressedContext

__all__ = ["CompressionCache"]

_SEGMENT_BYTES = 64  # a row of the table, its score and its code


class CompressionCache:
    """Compressed texts by key, in so many bytes; the least recently used ones make room. Thread-safe.

    A key must say all that the text depends on (`tersely.strategies.compressor.content_id`).
    """

    def __init__(self, nbytes: int = 64 * 2**20) -> None:
        """An empty cache of `nbytes` >= 0; with 0 it keeps nothing."""
        self._cache: BoundedCache[CompressedContext] = BoundedCache(nbytes)

    def __len__(self) -> int:
        """Number of texts."""
        return len(self._cache)

    def get(self, key: str) -> CompressedContext | None:
        """The text of `key`, or None."""
        return self._cache.get(key.encode("utf-8"))

    def set(self, key: str, context: CompressedContext) -> None:
        """Keep a text."""
        self._cache.put(key.encode("utf-8"), context, _nbytes(context))

    def clear(self) -> None:
        """Forget the texts, not the counts."""
        self._cache.clear()

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._cache.nbytes

    @property
    def hits(self) -> int:
        """How often `get` found a text."""
        return self._cache.hits

    @property
    def misses(self) -> int:
        """How often it did not."""
        return self._cache.misses

    @property
    def hit_rate(self) -> float:
        """hits / (hits + misses); 0.0 before the first `get`."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


def _nbytes(context: CompressedContext) -> int:
    texts = [context.compressed, *context.metadata.dropped_sections]
    if context.original is not None:
        texts.append(context.original.content)
    segments = context.result.receipt.segments if context.result is not None else 0
    return sum(map(sys.getsizeof, texts)) + _SEGMENT_BYTES * segments
