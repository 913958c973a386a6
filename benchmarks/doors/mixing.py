"""Tasks whose documents are of several kinds, of which one answers the question."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from benchmarks import data, tokens
from benchmarks.doors.cases import CASES, LONGEST, Case, cases, window
from benchmarks.quality.tasks import Task

__all__ = ["mixed_tasks"]

_SEED = 11
_LOG_LINES = 150
_SHORTEST, _LONGEST_TASK = 500, 6_000  # characters of what an agent was told to do


def mixed_tasks(directory: Path, each: int, ratios: tuple[float, ...], encoding: str) -> Iterator[Task]:
    """`each` questions about each kind of document, at each of the ratios; `task.set` is the kind.

    Six documents in random order: the task of an agent, lines of a log, JSON, a source file, output of a
    tool, paragraphs. One of the last four is the case's; the others are of the data, without its evidence.
    """
    pools = {name: list(make(directory)) for name, make in _POOLS.items()}
    for kind in CASES:
        for number, case in enumerate(cases(directory, kind, each)):
            documents = _mixed(case, pools, random.Random(f"{_SEED} {kind} {number}"))
            total = tokens.count("\n\n".join(documents), encoding)
            for ratio in ratios:
                yield Task(
                    id=f"{kind}|{number}|{case.source}|{ratio}",
                    set=kind,
                    ratio=ratio,
                    query=case.query,
                    documents=documents,
                    total=total,
                    budget=int(total * ratio),
                    evidence=case.evidence,
                )


def _mixed(case: Case, pools: dict[str, list[str]], generator: random.Random) -> list[str]:
    documents = [case.text]
    for kind, pool in pools.items():
        if kind != case.kind:
            fitting = (text for text in generator.sample(pool, len(pool)) if not _answers(text, case))
            documents += islice(fitting, 1)
    generator.shuffle(documents)
    return documents


def _answers(text: str, case: Case) -> bool:
    return any(piece in text for piece in case.evidence)


def _agent_tasks(directory: Path) -> Iterator[str]:
    for row in data.rows(directory, "agent_traces"):
        for entry in row["entries"]:
            told = entry.get("pinned") and entry["role"] == "user"
            if told and _SHORTEST <= len(entry["text"]) <= _LONGEST_TASK:
                yield entry["text"]


def _logs(directory: Path) -> Iterator[str]:
    for row in data.rows(directory, "logs_loghub"):
        for first in range(0, len(row["lines"]) - _LOG_LINES + 1, _LOG_LINES):
            yield "\n".join(row["lines"][first : first + _LOG_LINES])


def _replies(directory: Path) -> Iterator[str]:
    for row in data.rows(directory, "json_webhooks"):
        yield row["json"]


def _code(directory: Path) -> Iterator[str]:
    for row in data.rows(directory, "code_files"):
        if len(row["text"]) <= LONGEST:
            yield row["text"]


def _outputs(directory: Path) -> Iterator[str]:
    for row in data.rows(directory, "tool_output"):
        yield window(row["text"], 0, 0)


def _paragraphs(directory: Path) -> Iterator[str]:
    for row in data.rows(directory, "qa_nq_sentence"):
        yield "\n\n".join(document["text"] for document in row["documents"])


#: What the other documents of a task are taken from, by kind.
_POOLS: dict[str, Callable[[Path], Iterator[str]]] = {
    "task": _agent_tasks,
    "log": _logs,
    "json": _replies,
    "code": _code,
    "tool": _outputs,
    "prose": _paragraphs,
}
