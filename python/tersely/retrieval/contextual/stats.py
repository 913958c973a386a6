"""Sums over the calls of a compressor, from many threads."""

from __future__ import annotations

import threading
from collections import Counter

from tersely.retrieval.contextual.results import CompressionResult, CompressionStats
from tersely.retrieval.contextual.settings import CompressionStrategy

__all__ = ["Tally"]


class Tally:
    """Adds up results. Thread-safe."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._lock = threading.Lock()
        self._sums: Counter[str] = Counter()
        self._by_strategy: Counter[CompressionStrategy] = Counter()
        self._seconds = 0.0

    def add(self, result: CompressionResult, seconds: float, asked: int) -> None:
        """One call, which took so long and sent so many prompts."""
        with self._lock:
            self._sums["calls"] += 1
            self._sums["documents_in"] += len(result.original_documents)
            self._sums["documents_out"] += len(result.compressed_documents)
            self._sums["tokens_in"] += result.original_token_count
            self._sums["tokens_out"] += result.compressed_token_count
            self._sums["cache_hits"] += result.cached
            self._sums["llm_calls"] += asked
            self._sums["fallbacks"] += result.fallback_reason is not None
            self._by_strategy[result.strategy_used] += 1
            self._seconds += seconds

    def stats(self) -> CompressionStats:
        """The sums so far."""
        with self._lock:
            return CompressionStats(**self._sums, by_strategy=dict(self._by_strategy), seconds=self._seconds)
