"""Time of each compressor on 10,000 tokens, without a model, warm."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import tersely
from tersely.strategies import (
    CompressionOptions,
    ContextChunk,
    ExtractiveCompressor,
    HierarchicalCompressor,
    Manager,
)

from benchmarks import data as development, tokens
from benchmarks.report import TIMES, Column, Report, Target

__all__ = ["report"]

_TOKENS = 10_000
_ROUNDS = 60
_CHUNKS = 10
_QUERY = "What are the main findings, the risks and the obligations of the parties?"


def report(report: Report, data: Path) -> None:
    """A row a compressor: wall and CPU time, with the 95th percentile."""
    documents = development.english_documents(data, development.LONG)
    text = development.exact_texts(iter(documents), _TOKENS, 1)[0]
    options = CompressionOptions(query_context=_QUERY)
    size = len(text) // _CHUNKS + 1
    chunks = [ContextChunk(str(i), text[i * size : (i + 1) * size]) for i in range(_CHUNKS)]
    extractive, hierarchical, cached = ExtractiveCompressor(), HierarchicalCompressor(), Manager()
    budget = tokens.count(text) * 3 // 10
    calls: dict[str, Callable[[], object]] = {
        "tersely.compress": lambda: tersely.compress(text, _QUERY, budget=budget),
        "ExtractiveCompressor": lambda: extractive.compress(text, options),
        "HierarchicalCompressor, 3 levels": lambda: hierarchical.compress(text, options),
        "Manager, 10 chunks, new": lambda: Manager().prepare_context(chunks, _QUERY, budget),
        "Manager, 10 chunks, again": lambda: cached.prepare_context(chunks, _QUERY, budget),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for turn in range(_ROUNDS + 1):
        for name, call in calls.items():
            wall, cpu = time.perf_counter(), time.process_time()
            call()
            if turn > 0:  # the first round warms up
                times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    rows = [_row(name, found) for name, found in times.items()]
    columns = [*TIMES, Column("p95", "wall p95", ".2f")]
    report.table(f"{_TOKENS:,} tokens of long documents kept to 30% with a query, no model", columns, rows)
    for row in rows[1:3]:
        report.targets.append(Target(f"{row['system']}, p95", 1000, row["p95"], "ms", True))
        report.targets.append(Target(f"{row['system']}, median", 10, row["wall"], "ms", True))


def _row(name: str, times: list[tuple[float, float]]) -> dict[str, Any]:
    walls = [wall * 1e3 for wall, _ in times]
    cpus = [cpu * 1e3 for _, cpu in times]
    return {
        "system": name,
        "wall": median(walls),
        "wall_min": min(walls),
        "cpu": median(cpus),
        "cpu_min": min(cpus),
        "p95": quantiles(walls, n=20)[-1],
    }
