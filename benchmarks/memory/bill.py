"""What long runs of agents cost: each is replayed turn by turn, with the prices of a provider's cache.

Every turn sends the whole history so far. What is equal to the start of the prompt before, message by
message, is cached input, the rest is written to the cache; replies cost the same in all systems and are left
out. The summary is a size only: no model is asked, and nothing that it may hold counts, so its strings are a
lower bound.

examples:
  python -m benchmarks.memory.bill --data DIR
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import mean
from typing import Any

from tersely.agents import compress_tool_result
from tersely.memory import Compactor

from benchmarks import data as development, tokens
from benchmarks.arguments import make_parser
from benchmarks.memory.traces import ENCODING, Task as Cut, kept_strings, message
from benchmarks.report import Column, Report, Target

__all__ = ["Bill", "Run", "replay", "report", "runs", "systems"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Dollars a million tokens: of a prompt, of its start that the provider has seen, of writing such one."""

    input: float
    cached_input: float | None = None  # None: as `input`
    cache_write: float | None = None

    @property
    def kept(self) -> float:
        """Price of what a later request sends again."""
        return self.input if self.cached_input is None else self.cached_input

    @property
    def new(self) -> float:
        """Price of what the provider has not cached."""
        return self.input if self.cache_write is None else self.cache_write


LIMIT = 10_000  # tokens of a history, before something is done about it
_LONG = 16_000  # tokens of a run that counts as long
_SHORT = 3_000  # and of one that counts at all
_RESULT = (500, 1000)  # tokens of a result at first sight
_SUMMARY = 800  # tokens
_KEEP_RESULTS = 3  # of the newest, where old ones are cleared
_KEEP_TAIL = 2_500  # tokens that a summary leaves as they are
_CLEARED = "[Old tool result content cleared]"
#: Cache writes dearer than input, and as dear; and no cache at all.
_PRICES = {
    "writes dearer": Prices(input=3.0, cached_input=0.3, cache_write=3.75),
    "writes as input": Prices(input=1.25, cached_input=0.125),
    "no cache": Prices(input=3.0),
}
_OUTPUT = 5.0  # times the price of input


@dataclass(frozen=True, slots=True)
class Run:
    """A run: messages, whether each is a tool's result, whether it is fixed; where turns begin; cuts."""

    messages: list[dict[str, Any]]
    results: list[bool]
    pinned: list[bool]
    turns: list[int]  # lengths of the history that requests send
    cuts: list[tuple[int, Cut]]


@dataclass(slots=True)
class Bill:
    """What a system's prompts of one run came to, in tokens; `dollars` adds up the prices."""

    cached: int = 0
    fresh: int = 0
    summary_input: int = 0
    summaries: int = 0
    same_bytes: int = 0
    possible_bytes: int = 0  # of the prompt before, which could have stayed
    needed: list[float] = field(default_factory=list)

    def dollars(self, prices: Prices) -> float:
        """Money, for prompts and summaries."""
        summaries = self.summary_input * prices.kept + self.summaries * _SUMMARY * _OUTPUT * prices.input
        return (self.cached * prices.kept + self.fresh * prices.new + summaries) / 1e6


@lru_cache(maxsize=1 << 16)
def _cost(text: str) -> int:
    return tokens.count(text, ENCODING) + 4


def runs(data: Path, least: int, most: int) -> list[Run]:
    """The runs of so many tokens: from `least` on, less than `most`."""
    found = []
    for row in development.rows(data, "agent_traces"):
        entries = row["entries"]
        if not least <= sum(_cost(entry["text"]) for entry in entries) < most:
            continue
        own = [entry["role"] == "assistant" for entry in entries]
        turns = [index for index in range(1, len(entries)) if own[index] and not own[index - 1]]
        cuts = [
            (cut["cut"], Cut(row["id"], [], 0, [need["text"] for need in cut["needs"]], []))
            for cut in row["later_needed"]
            if cut["needs"]
        ]
        found.append(
            Run(
                [message(entry) for entry in entries],
                [entry["kind"] == "observation" for entry in entries],
                [bool(entry.get("pinned")) for entry in entries],
                turns,
                cuts,
            )
        )
    return found


# --- systems: a run -> what is sent for its first n messages -------------------------------------------

Texts = list[str]
System = Callable[[Run], Callable[[int], Texts]]


def _texts(messages: Sequence[dict[str, Any]]) -> Texts:
    return [one["content"] for one in messages]


def _nothing(run: Run) -> Callable[[int], Texts]:
    texts = _texts(run.messages)
    return lambda size: texts[:size]


def _clearing(run: Run) -> Callable[[int], Texts]:
    texts = _texts(run.messages)
    cleared: set[int] = set()

    def send(size: int) -> Texts:
        def sent() -> Texts:
            return [_CLEARED if index in cleared else texts[index] for index in range(size)]

        if sum(map(_cost, sent())) > LIMIT:
            old = [index for index in range(size) if run.results[index] and not run.pinned[index]]
            cleared.update(old[:-_KEEP_RESULTS])
        return sent()

    return send


def _trimming(run: Run) -> Callable[[int], Texts]:
    texts = _texts(run.messages)

    def send(size: int) -> Texts:
        left = LIMIT - sum(_cost(texts[index]) for index in range(size) if run.pinned[index])
        first = size
        while first and (run.pinned[first - 1] or (left := left - _cost(texts[first - 1])) >= 0):
            first -= 1
        return [texts[index] for index in range(size) if run.pinned[index] or index >= first]

    return send


def _summarizing(run: Run, bill: Bill) -> Callable[[int], Texts]:
    texts = _texts(run.messages)
    done = [0, 0]  # messages that a summary stands for, summaries so far

    def send(size: int) -> Texts:
        head = [texts[index] for index in range(size) if run.pinned[index]]

        def tail(first: int) -> Texts:
            return [texts[index] for index in range(first, size) if not run.pinned[index]]

        stand = [f"summary {done[1]} " + "word " * (_SUMMARY - 8)] if done[1] else []
        whole = sum(map(_cost, (*head, *stand, *tail(done[0]))))
        if whole > LIMIT:
            first, left = size, _KEEP_TAIL
            while first > done[0] and (left := left - _cost(texts[first - 1])) >= 0:
                first -= 1
            bill.summary_input += whole
            bill.summaries += 1
            done[:] = [first, done[1] + 1]
            stand = [f"summary {done[1]} " + "word " * (_SUMMARY - 8)]
        return [*head, *stand, *tail(done[0])]

    return send


def _first_sight(budget: int) -> System:
    def system(run: Run) -> Callable[[int], Texts]:
        made: dict[int, str] = {}

        def text(index: int) -> str:
            if not run.results[index] or run.pinned[index]:
                return str(run.messages[index]["content"])
            if index not in made:
                whole = run.messages[index]["content"]
                made[index] = compress_tool_result(whole, budget=budget, counter=ENCODING)
            return made[index]

        return lambda size: [text(index) for index in range(size)]

    return system


def _compacting(first: System) -> System:
    def system(run: Run) -> Callable[[int], Texts]:
        before = first(run)
        pinned = [index for index, is_pinned in enumerate(run.pinned) if is_pinned]
        compactor = Compactor(budget=LIMIT, counter=ENCODING, pinned=pinned)

        def send(size: int) -> Texts:
            roles = [one["role"] for one in run.messages[:size]]
            history = [
                {"role": role, "content": text} for role, text in zip(roles, before(size), strict=True)
            ]
            return _texts(compactor.compact(history).messages)

        return send

    return system


def systems() -> dict[str, System]:
    """By name; "summary" is made in `replay`, as it has costs of its own."""
    found: dict[str, System] = {
        "no compression": _nothing,
        "old results cleared": _clearing,
        "trim_messages, newest that fit": _trimming,
        "summary at the limit (size only)": _nothing,
    }
    for budget in _RESULT:
        found[f"tersely, results of {budget} at first sight"] = _first_sight(budget)
    found["tersely, compacting"] = _compacting(_nothing)
    found[f"tersely, {_RESULT[1]} at first sight, compacting"] = _compacting(_first_sight(_RESULT[1]))
    return found


def replay(name: str, system: System, run: Run) -> Bill:
    """All requests of a run; strings that are needed later are looked for in what is sent at the cuts."""
    bill = Bill()
    send = _summarizing(run, bill) if name.startswith("summary") else system(run)
    cuts = dict(run.cuts)
    last: Texts = []
    for size in sorted({*run.turns, *cuts}):
        texts = send(size)
        if size in cuts:
            bill.needed.append(kept_strings(cuts[size], "\n".join(texts))[0])
        if size not in run.turns:
            continue
        same = 0
        while same < min(len(last), len(texts)) and last[same] == texts[same]:
            same += 1
        bill.cached += sum(map(_cost, texts[:same]))
        bill.fresh += sum(map(_cost, texts[same:]))
        bill.same_bytes += sum(len(text.encode()) for text in texts[:same])
        bill.possible_bytes += sum(len(text.encode()) for text in last)
        last = texts
    return bill


def report(report: Report, data: Path) -> None:
    """A row a system: money beside no compression, strings needed later, bytes that stayed the same."""
    report.note(
        f"From {LIMIT} tokens of a history on, something is done about it. Tokens are {ENCODING}; strings "
        "that are needed later are derived."
    )
    long = _table(report, "long", runs(data, _LONG, 1 << 40))
    _table(report, "shorter", runs(data, _SHORT, _LONG))
    ours = [row for row in long if row["system"].startswith("tersely")]
    others = [row for row in long if not row["system"].startswith("tersely")]
    for what in _PRICES:
        best = min(ours, key=lambda row: row[what])
        report.targets.append(Target(f"bill, {what}: {best['system']}", 0.7, best[what], "", True))
        rivals = [row[what] for row in others if row["needed"] >= best["needed"]]
        report.targets.append(
            Target(f"{what}, of the best that keeps as much", 0.9, best[what] / min(rivals), "", True)
        )


def _table(report: Report, which: str, chosen: list[Run]) -> list[dict[str, Any]]:
    requests = sum(len(run.turns) for run in chosen)
    rows: list[dict[str, Any]] = []
    whole: dict[str, float] = {}
    for name, system in systems().items():
        bills = [replay(name, system, run) for run in chosen]
        money = {what: sum(bill.dollars(prices) for bill in bills) for what, prices in _PRICES.items()}
        whole = whole or money
        rows.append(
            {
                "system": name,
                "tokens": sum(bill.cached + bill.fresh for bill in bills) / requests,
                "needed": mean(share for bill in bills for share in bill.needed),
                "same": sum(bill.same_bytes for bill in bills) / sum(bill.possible_bytes for bill in bills),
                **{what: money[what] / whole[what] for what in money},
            }
        )
    columns = (
        Column("system"), Column("tokens", "tokens a request", ".0f"),
        Column("needed", "later needed", ".3f"),
        Column("same", "bytes that stay", ".3f"), *(Column(what, f"bill, {what}", ".2f") for what in _PRICES),
    )  # fmt: skip
    title = f"{len(chosen)} {which} runs, {requests} requests; bills beside no compression"
    report.table(title, columns, rows)
    return rows


def main() -> None:
    """Print the table."""
    arguments = make_parser(__doc__).parse_args()
    said = Report("agents' bills", {"data": str(arguments.data)}, ())
    report(said, arguments.data)
    said.finish(arguments.json)


if __name__ == "__main__":
    main()
