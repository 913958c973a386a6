"""CPU time of 10,000 tokens with a query, warm, by configuration of tersely."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

from benchmarks import data, tokens
from benchmarks.quality.once import Ledger
from benchmarks.quality.systems import System
from benchmarks.quality.tasks import ENCODING, Task
from benchmarks.report import Column

__all__ = ["COLUMNS", "TEXTS", "TOKENS", "rows"]

TOKENS = 10_000
TEXTS = 5
_RATIO = 0.2
_SEED = 7
_ROUNDS = 7  # after one to warm up
COLUMNS = (Column("system"), Column("cpu", "CPU ms, median", ".2f"), Column("least", "least", ".2f"))


def rows(systems: Sequence[System], tasks: Sequence[Task], ledger: Ledger) -> list[dict[str, Any]]:
    """The documents of the tasks joined to texts of 10,000 tokens, each with one of their queries, to 20%."""
    made = _texts(tasks)
    times: dict[str, list[float]] = {system.name: [] for system in systems if system.run is not None}
    for turn in range(_ROUNDS + 1):
        for task in made:
            for system in systems:
                if system.run is not None:
                    ledger.settle()
                    begin = time.process_time()
                    answer = system.run(task)
                    spent = (time.process_time() - begin) * 1e3 + ledger.settle()
                    system.check(answer, task.budget)
                    if turn:
                        times[system.name].append(spent)
    return [{"system": name, "cpu": median(mine), "least": min(mine)} for name, mine in times.items()]


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
