"""A hundred chunks of 1,500 characters for one query: time, with and without vectors at hand."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import tersely
from tersely.retrieval import AllocationStrategy, CompressionConfig, ContextualCompressor, DocumentChunk

from benchmarks import data
from benchmarks.checks import require
from benchmarks.report import TIMES, Report, Target

_CHUNKS, _CHARACTERS = 100, 1500
_QUERY = "How much did federal agencies spend on cybersecurity programs?"
_ROUNDS = 40
_ASKED = {"read": 15.0, "vectors": 5.0}  # milliseconds


def report(result: Report, options: argparse.Namespace) -> None:
    """Warm calls in turn; no cache."""
    text = "\n\n".join(data.english_documents(options.data))[: _CHUNKS * _CHARACTERS]
    chunks = [
        DocumentChunk(id=str(i), content=text[i * _CHARACTERS : (i + 1) * _CHARACTERS])
        for i in range(_CHUNKS)
    ]
    calls = _calls(chunks)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(_ROUNDS):
        for name, call in calls.items():
            wall, cpu = time.perf_counter(), time.process_time()
            call()
            times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    rows: list[dict[str, Any]] = [{"system": name, **_summary(found[1:])} for name, found in times.items()]
    result.table(f"{_CHUNKS} chunks of {_CHARACTERS} characters into 3,000 tokens", TIMES, rows)
    for row, asked in zip(rows, _ASKED.values(), strict=False):
        result.targets.append(Target(f"{row['system']}, median", asked, row["wall"], "ms", at_most=True))


def _summary(found: list[tuple[float, float]]) -> dict[str, float]:
    wall, cpu = ([pair[i] * 1e3 for pair in found] for i in (0, 1))
    return {"wall": median(wall), "wall_min": min(wall), "cpu": median(cpu), "cpu_min": min(cpu)}


def _calls(chunks: list[DocumentChunk]) -> dict[str, Callable[[], Any]]:
    generator = np.random.default_rng(5)
    query = generator.normal(size=384).astype(np.float32)
    noise = generator.normal(size=(len(chunks), 384)).astype(np.float32)
    vectors = noise + np.outer(generator.uniform(0.2, 1.5, len(chunks)), query).astype(np.float32)
    made: dict[str, Callable[[], Any]] = {}

    def call(allocation: AllocationStrategy, **given: Any) -> Callable[[], Any]:
        config = CompressionConfig(cache_results=False, allocation_strategy=allocation)

        def run() -> None:
            found = ContextualCompressor(config=config).compress_sync(
                chunks, _QUERY, **given
            )  # scores afresh
            require(0 < found.usage.used <= 3000, "over the budget")

        return run

    given = {"embeddings": vectors, "query_embedding": query}
    made["tersely"] = call(AllocationStrategy.PROPORTIONAL)
    made["tersely, vectors at hand"] = call(AllocationStrategy.PROPORTIONAL, **given)
    made["tersely, marginal"] = call(AllocationStrategy.MARGINAL)
    texts = [chunk.content for chunk in chunks]
    made["tersely.compress"] = lambda: tersely.compress(texts, _QUERY, budget=3000)
    return made
