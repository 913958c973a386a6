"""Histories that grow: the time of a turn, and how much of what was sent stays the same bytes."""

from __future__ import annotations

import gc
import json
import time
from pathlib import Path
from statistics import mean, median

from tersely.memory import Compactor

from benchmarks import data as development, tokens
from benchmarks.memory.systems import Message
from benchmarks.memory.traces import ENCODING, Task, kept_strings, message, tasks
from benchmarks.report import Column, Report, Target

__all__ = ["report_long", "report_starts"]

_BUDGETS = (8000, 32_000, 100_000)
_TURNS = 300  # that come after the long history
_LEAST = 1500  # tokens
_SHARES = (0.25, 0.5)


def report_long(report: Report, data: Path) -> None:
    """The long chat: CPU time of the first compaction and of each of the newest turns after it.

    Python's garbage collector runs over what compaction makes, not over what was there before (modules,
    peers, the data): one run over all of that takes longer than a turn, and falls into any turn it likes.
    """
    row = next(development.rows(data, "agent_long_chat"))
    messages = [message(entry) for entry in row["entries"]]
    Compactor(100).compact(messages[:50])  # the vocabulary is loaded
    gc.collect()
    gc.freeze()
    rows = []
    for budget in _BUDGETS:
        compactor = Compactor(budget)
        first = _milliseconds(compactor, messages[:-_TURNS], budget)
        turns = [
            _milliseconds(compactor, messages[: len(messages) - left], budget)
            for left in range(_TURNS - 1, -1, -1)
        ]
        rows.append(
            {
                "budget": budget,
                "first": first,
                "mean": mean(turns),
                "median": median(turns),
                "max": max(turns),
            }
        )
    gc.unfreeze()
    columns = (
        Column("budget"),
        Column("first", "first, ms", ".0f"),
        Column("mean", "turn, mean ms", ".1f"),
        Column("median", "median", ".1f"),
        Column("max", "", ".1f"),
    )
    report.table(f"{len(messages)} messages, then {_TURNS} turns, CPU time", columns, rows)
    report.targets.append(Target("first, long chat", 1000, max(row["first"] for row in rows), "ms", True))
    report.targets.append(Target("each turn, mean", 20, max(row["mean"] for row in rows), "ms", True))
    report.targets.append(Target("each turn, slowest", 20, max(row["max"] for row in rows), "ms", True))


def report_starts(report: Report, data: Path) -> None:
    """Traces, message by message: how much of what was sent is sent again, byte for byte, at the start.

    And what is still stated in the end, as in the part "traces", where each history comes at once.
    """
    todo = list(tasks(data))
    rows = []
    for share in _SHARES:
        shares: list[float] = []
        foldings = 0
        for row in development.rows(data, "agent_traces"):
            messages: list[Message] = [
                {"role": "system", "content": entry["text"]} if entry["role"] == "system" else message(entry)
                for entry in row["entries"]
            ]
            counts = tokens.counts([one["content"] for one in messages])
            held = sum(count for count, one in zip(counts, messages, strict=True) if one["role"] == "system")
            if sum(counts) - held < _LEAST:
                continue
            found = _stable(messages, held + int(share * (sum(counts) - held)))
            foldings += sum(one < 1 for one in found)
            shares += found
        stated = [_stated(task, share) for task in todo]
        rows.append(
            {
                "budget": f"{share:.0%}",
                "turns": len(shares),
                "foldings": foldings,
                "same": mean(shares),
                "needed": mean(needed for needed, _ in stated),
                "facts": mean(facts for _, facts in stated if facts is not None),
            }
        )
    columns = (
        Column("budget"),
        Column("turns"),
        Column("foldings"),
        Column("same", "same bytes", ".3f"),
        Column("needed", "later needed", ".3f"),
        Column("facts", "facts of newest third", ".3f"),
    )
    report.table("Start that stays the same bytes from one turn to the next, of tokens", columns, rows)
    average = mean(float(str(row["same"])) for row in rows)
    report.targets.append(Target("start that stays", 0.95, average, "", False))


def _stated(task: Task, share: float) -> tuple[float, float | None]:
    """Shares of needed strings and of facts that are stated at the cut, None without facts."""
    compactor = Compactor(int(share * task.total), counter=ENCODING)
    for length in range(1, len(task.messages) + 1):
        result = compactor.compact(task.messages[:length])
    return kept_strings(task, "\n".join(one["content"] for one in result.messages))


def _milliseconds(compactor: Compactor, messages: list[Message], budget: int) -> float:
    started = time.process_time()
    result = compactor.compact(messages)
    seconds = time.process_time() - started
    assert result.tokens <= budget
    return 1e3 * seconds


def _stable(messages: list[Message], budget: int) -> list[float]:
    compactor = Compactor(budget)
    before: list[str] = []
    shares = []
    for length in range(1, len(messages) + 1):
        sent = [json.dumps(one) for one in compactor.compact(messages[:length]).messages]
        if before:
            counts = tokens.counts(before)
            same = 0
            while same < min(len(before), len(sent)) and before[same] == sent[same]:
                same += 1
            shares.append(sum(counts[:same]) / sum(counts))
        before = sent
    return shares
