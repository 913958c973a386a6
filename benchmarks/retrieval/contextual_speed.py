"""A hundred chunks of 1,500 characters for one query: time, with and without vectors at hand."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import tersely
from tersely.models.static import StaticEmbedder
from tersely.retrieval import (
    CompressionConfig,
    ContextualCompressor,
    DocumentChunk,
    compress_results,
)

from benchmarks import data
from benchmarks.checks import require
from benchmarks.report import TIMES, Report, Target

_CHUNKS, _CHARACTERS = 100, 1500
_QUERY = "How much did federal agencies spend on cybersecurity programs?"
_ROUNDS = 40
_RESULTS, _CONTEXTUAL, _AT_HAND = "compress_results", "ContextualCompressor", ", vectors at hand"
_READ, _GIVEN = 15.0, 5.0  # milliseconds that are asked for
_ASKED = {
    _RESULTS: _READ,
    _RESULTS + _AT_HAND: _GIVEN,
    _CONTEXTUAL: _READ,
}


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
    result.table(f"{_CHUNKS} chunks of {_CHARACTERS} characters for a query", TIMES, rows)
    result.note("compress_results: duplicates out, top_n 100; the others: the best of all into 3,000 tokens.")
    for row in rows:
        if (asked := _ASKED.get(row["system"])) is not None:
            result.targets.append(Target(f"{row['system']}, median", asked, row["wall"], "ms", at_most=True))


def _summary(found: list[tuple[float, float]]) -> dict[str, float]:
    wall, cpu = ([pair[i] * 1e3 for pair in found] for i in (0, 1))
    return {"wall": median(wall), "wall_min": min(wall), "cpu": median(cpu), "cpu_min": min(cpu)}


def _calls(chunks: list[DocumentChunk]) -> dict[str, Callable[[], Any]]:
    made: dict[str, Callable[[], Any]] = {}
    config = CompressionConfig(cache_results=False)

    def contextual() -> None:
        found = ContextualCompressor(config=config).compress_sync(chunks, _QUERY)  # scores afresh
        require(0 < found.usage.used <= 3000, "over the budget")

    texts = [chunk.content for chunk in chunks]
    results = [(chunk, 1 - place / 200) for place, chunk in enumerate(chunks)]
    known = StaticEmbedder().embed(texts)

    def results_of(**given: Any) -> Callable[[], Any]:
        def run() -> None:
            left = compress_results(results, _QUERY, top_n=_CHUNKS, **given)
            require(left.compression_stats.original_count == _CHUNKS, "results are missing")

        return run

    made[_RESULTS] = results_of()
    made[_RESULTS + _AT_HAND] = results_of(vectors=known)
    made[_CONTEXTUAL] = contextual
    made["tersely.compress"] = lambda: tersely.compress(texts, _QUERY, budget=3000)
    return made
