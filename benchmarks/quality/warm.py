"""CPU time of 10,000 tokens with a query: warm, and the first answer of a fresh process."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import data, peers, tokens
from benchmarks.end_to_end.fresh import first_calls
from benchmarks.quality.once import Ledger
from benchmarks.quality.run import attempt
from benchmarks.quality.systems import System
from benchmarks.quality.tasks import ENCODING, Task
from benchmarks.report import Column

__all__ = ["COLUMNS", "TEXTS", "TOKENS", "rows"]

TOKENS = 10_000
TEXTS = 5
_RATIO = 0.2
_SEED = 7
_ROUNDS = 7  # after one to warm up
_SLOW_MS = 300.0  # of an answer: one round is enough
COLUMNS = (
    Column("system"),
    Column("cpu", "warm, CPU ms, median", ".1f"),
    Column("least", "least", ".1f"),
    Column("fresh", "first answer of a process, CPU ms, its start included", ".0f"),
)


def rows(systems: Sequence[System], tasks: Sequence[Task], ledger: Ledger) -> list[dict[str, Any]]:
    """The documents of the tasks joined to texts of 10,000 tokens, each with one of their queries, to 20%."""
    made = _texts(tasks)
    times: dict[str, list[float]] = {system.name: [] for system in systems}
    failures: dict[str, str] = {}
    for turn in range(_ROUNDS + 1):
        for task in made:
            for system in systems:
                if system.name in failures or (turn > 1 and median(times[system.name]) > _SLOW_MS):
                    continue
                tried = attempt(system, task, ledger)
                if tried.failure:
                    failures[system.name] = f"raised {tried.failure}"
                elif turn:
                    times[system.name].append(tried.ms)
    fresh = _fresh(made[0].documents[0])
    return [
        {"system": name, "cpu": failures[name]}
        if name in failures
        else {"system": name, "cpu": median(mine), "least": min(mine), "fresh": fresh.get(name)}
        for name, mine in times.items()
    ]


def _fresh(text: str) -> dict[str, float]:
    """CPU milliseconds of a process that starts, imports a system and answers once, where that is known."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_bytes(text.encode())
        known = [peers.tersely_compressor(), peers.textcrusher(), peers.llmslim()]
        return {row["system"]: row["cpu"] * 1e3 for row in first_calls(path, known, repeats=3)}


def _texts(tasks: Sequence[Task]) -> list[Task]:
    documents = list(dict.fromkeys(text for task in tasks for text in task.documents))
    random.Random(_SEED).shuffle(documents)
    texts = data.exact_texts(data.endless(documents), TOKENS, TEXTS)
    return [
        _task(number, text, tasks[number * len(tasks) // TEXTS].query) for number, text in enumerate(texts)
    ]


def _task(number: int, text: str, query: str | None) -> Task:
    total = tokens.count(text, ENCODING)
    return Task(
        id=f"warm|{number}|{_RATIO}",
        set="warm",
        ratio=_RATIO,
        query=query,
        documents=[text],
        total=total,
        budget=int(total * _RATIO),
        evidence=[],
    )
