"""A cache of compressed texts, and of what is known of the segments of chunks."""

from __future__ import annotations

import sys

from tersely.compat.contexts import CompressedContext
from tersely.core.cache import BoundedCache
from tersely.engine.memo import Known

__all__ = ["CompressionCache"]

_SEGMENT_BYTES = 64  # a row of the table, its score and its code


class CompressionCache:
    """Compressed texts by key, in so many bytes; the least recently used ones make room. Thread-safe.

    A key must say all that the text depends on (`tersely.compat.compressor.content_id`). The manager keeps
    readings of chunks in it, too, from which it makes contexts for any budget.
    """

    def __init__(self, nbytes: int = 64 * 2**20) -> None:
        """An empty cache of `nbytes` >= 0; with 0 it keeps nothing."""
        self._cache: BoundedCache[CompressedContext | Known] = BoundedCache(nbytes)

    def __len__(self) -> int:
        """Number of texts and readings."""
        return len(self._cache)

    def get(self, key: str) -> CompressedContext | None:
        """The text of `key`, or None."""
        found = self._cache.get(key.encode("utf-8"))
        return found if isinstance(found, CompressedContext) else None

    def set(self, key: str, context: CompressedContext) -> None:
        """Keep a text."""
        texts = [context.compressed]
        if context.original is not None:
            texts += [context.original.content] * 2  # what is dropped of it stands in the metadata
        segments = context.result.receipt.segments if context.result is not None else 0
        nbytes = sum(map(sys.getsizeof, texts)) + _SEGMENT_BYTES * segments
        self._cache.put(key.encode("utf-8"), context, nbytes)

    def get_reading(self, key: str) -> Known | None:
        """What is known of the segments of a chunk, or None."""
        found = self._cache.get(key.encode("utf-8"))
        return found if isinstance(found, Known) else None

    def set_reading(self, key: str, reading: Known) -> None:
        """Keep what is known of the segments of a chunk."""
        self._cache.put(key.encode("utf-8"), reading, reading.nbytes)

    def clear(self) -> None:
        """Forget everything but the counts."""
        self._cache.clear()

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._cache.nbytes

    @property
    def hits(self) -> int:
        """How often `get` found something."""
        return self._cache.hits

    @property
    def misses(self) -> int:
        """How often `get` found nothing."""
        return self._cache.misses

    @property
    def hit_rate(self) -> float:
        """hits / (hits + misses); 0.0 before the first `get`."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0
