"""Python function calls inside warm calls of tersely, and the time of another budget and of a short text.

Examples:
    python -m benchmarks.doors.calls --data DIR
    python -m benchmarks.doors.calls --data DIR --json calls.json
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any

import tersely
from tersely.memory import compact_messages
from tersely.retrieval import ContextualCompressor, TokenBudgetConfig

from benchmarks import data, tokens
from benchmarks.arguments import make_parser
from benchmarks.checks import check_compressed, require
from benchmarks.memory.traces import message
from benchmarks.report import TIMES, Column, Report

_QUERY = "What are the main findings, the risks and the obligations of the parties?"
_LONG, _SHORT = 10_000, 100  # tokens
_DOCUMENTS = 3
_MESSAGES = 120
_RATIO = 0.3
_OTHER_SHARES = range(10, 60)  # percent
_WARM = 3  # calls before one that is measured
_ROUNDS = 50

Call = Callable[[], Any]
Make = Callable[[], Call]  # a call that no cache knows


def main() -> None:
    """The command."""
    options = make_parser(__doc__).parse_args()
    result = Report("doors/calls", {}, ())
    documents = data.endless(data.english_documents(options.data))
    (long,) = data.exact_texts(documents, _LONG, 1)
    (short,) = data.exact_texts(documents, _SHORT, 1)
    three = data.exact_texts(documents, _LONG // _DOCUMENTS, _DOCUMENTS)
    made = {
        f"compress, {_LONG:,} tokens": _compress(long),
        f"ContextualCompressor, {_DOCUMENTS} documents, {_LONG:,} tokens": _contextual(three),
        f"compact_messages, {_MESSAGES} messages": _compact(_history(options.data)),
        f"compress, {_SHORT} tokens": _compress(short),
    }
    rows = [{"call": name, "python": _python_calls(make)} for name, make in made.items()]
    shown = [Column("call"), Column("python", "Python calls", ",")]
    result.table("Python functions entered in one warm call, to 30% with a query", shown, rows)
    elsewhere = next(iter(made))  # benchmarks/strategies/latency.py times that
    times = [_times(name, [make] * _ROUNDS) for name, make in made.items() if name != elsewhere]
    times.append(_times("another budget for the same documents", _other_budgets(long)))
    result.table("Time of one warm call, to 30% with a query", TIMES, times)
    result.note(f"Texts are English documents of the data; {_ROUNDS} rounds. The history has no query.")
    result.finish(options.json)


def _compress(text: str) -> Make:
    budget = int(tokens.count(text) * _RATIO)
    check_compressed(tersely.compress(text, _QUERY, budget=budget), budget)
    return lambda: partial(tersely.compress, text, _QUERY, budget=budget)


def _contextual(texts: list[str]) -> Make:
    """A compressor of its own for each call: results of the same call before are in its cache."""
    budget = int(sum(tokens.counts(texts)) * _RATIO)
    limits = TokenBudgetConfig(budget, reserve_for_response=0)

    def make() -> Call:
        return partial(ContextualCompressor(budget=limits).compress_sync, texts, _QUERY)

    used = tokens.count(make()().text)
    require(used <= budget, f"{used} tokens, over the budget of {budget}")
    return make


def _compact(messages: list[dict[str, Any]]) -> Make:
    budget = int(sum(tokens.counts([one["content"] for one in messages])) * _RATIO)
    require(compact_messages(messages, budget=budget).tokens <= budget, "the history is over its budget")
    return lambda: partial(compact_messages, messages, budget=budget)


def _history(directory: Path) -> list[dict[str, Any]]:
    """The start of the longest run of an agent."""
    longest = max((row["entries"] for row in data.rows(directory, "agent_traces")), key=len)
    require(len(longest) >= _MESSAGES, f"the longest run has {len(longest)} messages, not {_MESSAGES}")
    return [message(entry) for entry in longest[:_MESSAGES]]


def _other_budgets(text: str) -> list[Make]:
    """Budgets from 10 to 60% for documents that were read once; none where tersely cannot do that yet."""
    if not hasattr(tersely, "prepare"):
        return []
    prepared = tersely.prepare([text], _QUERY)
    budgets = [int(tokens.count(text) * share / 100) for share in _OTHER_SHARES]
    for budget in budgets:
        check_compressed(prepared.fit(budget=budget), budget)
    return [_fit(prepared, budget) for budget in budgets]


def _fit(prepared: Any, budget: int) -> Make:
    return lambda: partial(prepared.fit, budget=budget)


def _python_calls(make: Make) -> int:
    """Functions written in Python that a warm call enters."""
    for _ in range(_WARM):
        make()()
    entered = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal entered
        entered += event == "call"

    call = make()
    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered


def _times(name: str, calls: list[Make]) -> dict[str, Any]:
    """Milliseconds of each call: the medians and the least."""
    if not calls:
        return {"system": name, "wall": "not offered"}
    taken: list[tuple[float, float]] = []
    for make in calls:
        call = make()
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        taken.append(((time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3))
    walls, cpus = zip(*taken, strict=True)
    return {
        "system": name,
        "wall": median(walls),
        "wall_min": min(walls),
        "cpu": median(cpus),
        "cpu_min": min(cpus),
    }


if __name__ == "__main__":
    main()
