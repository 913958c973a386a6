"""Runs of agents cut to a share of their tokens: is still stated what later steps need?

Both kinds of strings are derived: needed later are strings that an action after the cut uses and only the
history before it states; facts are paths, places and error lines of its newest third, found by regular
expressions.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks import data as development, tokens
from benchmarks.memory.systems import Message, systems
from benchmarks.report import Column, Report, Target

__all__ = ["ENCODING", "Task", "half_of", "kept_strings", "message", "report", "tasks"]

ENCODING = "cl100k_base"
RATIOS = (0.25, 0.5)
_LEAST = 1500  # tokens of a history
_ASKED = {(0.25, "needed"): 0.93, (0.5, "needed"): 0.99, (0.25, "facts"): 0.99, (0.5, "facts"): 0.99}
_COLUMNS = (
    Column("system"), Column("half", "half, or agent"), Column("kept", "tokens kept", ".3f"),
    Column("needed", "later needed", ".3f"), Column("facts", "facts of newest third", ".3f"),
    Column("over", "over budget", ".0%"), Column("ms", "CPU ms, median", ".1f"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Task:
    """A history up to a cut, and the strings that should still be stated."""

    id: str
    messages: list[Message]
    total: int
    needed: list[str]
    facts: list[str]


def half_of(trace: str) -> str:
    """The half of a trace: weights were chosen on "tuned" alone."""
    return ("tuned", "reported")[int(hashlib.sha1(trace.encode()).hexdigest(), 16) % 2]


def message(entry: dict[str, Any]) -> Message:
    """An entry of a trace as a chat message: what tools gave is the user's, as in the reference metric."""
    return {"role": "assistant" if entry["role"] == "assistant" else "user", "content": entry["text"]}


def tasks(data: Path) -> Iterator[Task]:
    """Every cut of every trace that is long enough and needs something later."""
    for row in development.rows(data, "agent_traces"):
        for cut in row["later_needed"]:
            entries = [entry for entry in row["entries"][: cut["cut"]] if not entry.get("pinned")]
            total = sum(tokens.counts([entry["text"] for entry in entries], ENCODING))
            if not cut["needs"] or total < _LEAST:
                continue
            facts = {
                fact["text"]
                for fact in row["facts"]
                if cut["cut"] * 2 / 3 <= fact["entry"] < cut["cut"]
                and not row["entries"][fact["entry"]].get("pinned")
            }
            needed = [need["text"] for need in cut["needs"]]
            yield Task(row["id"], [message(entry) for entry in entries], total, needed, sorted(facts))


def report(report: Report, data: Path) -> None:
    """A table a ratio, the targets on all tasks and on the half that nothing was tuned on."""
    todo = list(tasks(data))
    report.note(
        f"{len(todo)} histories of {len({task.id for task in todo})} runs. Later-needed strings and facts "
        "are derived, not labelled by people. Tokens are cl100k_base, messages joined by line ends."
    )
    for ratio in RATIOS:
        rows: list[dict[str, Any]] = []
        for name, call in systems().items():
            if call is None:
                rows.append({"system": name, "half": "not installed"})
                continue
            found = _measured(call, todo, ratio)
            agents = sorted({row["agent"] for row in found}) if name == "tersely" else []
            for half in ("both", "reported", *agents):
                part = [row for row in found if half in ("both", row["half"], row["agent"])]
                rows.append({"system": name, "half": half, **_means(part)})
        report.table(f"Histories cut to {ratio:.0%} of their tokens", _COLUMNS, rows)
        ours = {row["half"]: row for row in rows if row["system"] == "tersely"}
        for half in ("both", "reported"):
            for what in ("needed", "facts"):
                title = f"{what} at {ratio:.0%}, {half}"
                report.targets.append(Target(title, _ASKED[ratio, what], ours[half][what], "", False))


def _measured(
    call: Callable[[list[Message], int, float], str], todo: list[Task], ratio: float
) -> list[dict[str, Any]]:
    rows = []
    for task in todo:
        budget = int(task.total * ratio)
        started = time.process_time()
        text = call(task.messages, budget, ratio)
        seconds = time.process_time() - started
        used = tokens.count(text, ENCODING)
        needed, facts = kept_strings(task, text)
        rows.append(
            {
                "half": half_of(task.id),
                "agent": task.id.partition(":")[0],
                "kept": used / task.total,
                "over": used > budget,
                "ms": 1e3 * seconds,
                "needed": needed,
                "facts": facts,
            }
        )
    return rows


def kept_strings(task: Task, text: str) -> tuple[float, float | None]:
    """Shares of needed strings and of facts that a text states; None for no facts."""
    plain = _plain(text)
    facts = [_plain(string) in plain for string in task.facts]
    return mean(_plain(string) in plain for string in task.needed), mean(facts) if facts else None


def _means(rows: list[dict[str, Any]]) -> dict[str, float]:
    means = {
        key: mean(float(row[key]) for row in rows if row[key] is not None)
        for key in ("kept", "needed", "facts", "over")
    }
    return {**means, "ms": median(row["ms"] for row in rows)}


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
