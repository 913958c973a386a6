"""Compression of documents that change: what did not change stays as it was."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from tersely.cache import BoundedCache
from tersely.strategies.extractive import Extractive
from tersely.strategies.updating import IncrementalUpdate, State, advance
from tersely.types import Compressed, Request

__all__ = ["CACHE_BYTES", "Incremental"]

CACHE_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Incremental:
    """Keeps of documents that it has seen before what it kept then, and reads only what changed.

    Documents are known by their ids together; those without one by their places. An object has a memory and
    serves many calls; a fresh one for each call would do what `Extractive` does, so there is no name for it
    among `STRATEGIES`. Copies and pickles start with an empty memory. Safe to use from many threads at once.
    `advance` in strategies/updating.py says what stays.

    Attributes:
        extractive: how texts are cut, scored and chosen from.
        cache_bytes: memory for what is known of earlier versions; the least recently used go first.
        cache: that memory, with its hits and misses.
    """

    extractive: Extractive = field(default_factory=Extractive)
    cache_bytes: int = CACHE_BYTES
    cache: BoundedCache[State] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the options."""
        if not isinstance(self.extractive, Extractive):
            raise TypeError(f"extractive must be an Extractive, not {type(self.extractive).__name__}")
        object.__setattr__(self, "cache", BoundedCache(self.cache_bytes))

    def __reduce__(self) -> tuple[Any, ...]:
        """The options, not the memory."""
        return Incremental, (self.extractive, self.cache_bytes)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget; raises what `Extractive.compress` does."""
        return self.compress_update(request)[0]

    def compress_update(self, request: Request) -> tuple[Compressed, IncrementalUpdate]:
        """`compress`, and how the result came about."""
        ids = json.dumps([document.id for document in request.documents])
        key = hashlib.sha256(ids.encode()).digest()
        state = advance(self.extractive, request, self.cache.get(key))
        self.cache.put(key, state, state.nbytes)
        return state.result, state.update
