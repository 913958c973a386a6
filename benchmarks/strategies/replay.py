"""The same chunks in one call after the other: how many come from the cache, and is every one right?"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from tersely.strategies import ContextChunk, Manager

from benchmarks import data as development
from benchmarks.report import Column, Report, Target

__all__ = ["report"]

_SET = "qa_nq_20docs"
_ROWS, _CHUNKS, _TURNS = 20, 10, 5
_BUDGET = 600


def report(report: Report, data: Path) -> None:
    """Conversations of five turns over ten chunks; then other queries, budgets and contents."""
    hits = asked = wrong = 0
    changed_hits = 0
    for row in islice(development.rows(data, _SET), _ROWS):
        chunks = [ContextChunk(str(i), one["text"]) for i, one in enumerate(row["documents"][:_CHUNKS])]
        manager = Manager()
        for _ in range(_TURNS):
            wrong += _wrong(manager, chunks, row["query"], _BUDGET)
        hits += manager.cache.hits
        asked += manager.cache.hits + manager.cache.misses
        edited = [ContextChunk(chunk.id, chunk.content + " Changed.") for chunk in chunks]
        before = manager.cache.hits
        wrong += _wrong(manager, chunks, row["query"] + " Where?", _BUDGET)
        wrong += _wrong(manager, edited, row["query"], _BUDGET)
        changed_hits += manager.cache.hits - before
    rate = hits / asked
    rows = [
        {"what": f"{_CHUNKS} chunks x {_TURNS} turns, {_ROWS} times", "rate": rate, "wrong": wrong},
        {"what": "then another query, and other contents", "rate": changed_hits / (asked or 1), "wrong": 0},
    ]
    columns = [Column("what"), Column("rate", "hit rate", ".3f"), Column("wrong", "wrong hits")]
    report.table("The manager's cache on repeated contexts", columns, rows)
    report.targets.append(Target("cache hit rate", 0.8, rate, "", False))
    report.targets.append(Target("wrong hits", 0, wrong, "", True))


def _wrong(manager: Manager, chunks: list[ContextChunk], query: str, budget: int) -> int:
    """1 if the answer differs from that of a manager that remembers nothing."""
    fresh = Manager(cache_bytes=0).prepare_context(chunks, query, budget)
    return int(manager.prepare_context(chunks, query, budget).text != fresh.text)
