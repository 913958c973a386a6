"""A history that grows, turn after turn: what was sent once stays as it is while it fits."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tersely.content.auto import Auto
from tersely.memory.accounts import CompactedMessages, MessageAccount
from tersely.memory.compaction import check_budget, stay_within, staying
from tersely.memory.counting import REPLY_TOKENS, count_entries, count_tools
from tersely.memory.folding import Folding
from tersely.memory.groups import atomic_groups
from tersely.memory.messages import Entry, read_message
from tersely.protocols import Strategy
from tersely.providers.counters import resolve_counter

__all__ = ["Compactor"]

_SENT_SHARE = 0.5  # of the budget: excerpts that take more are made anew from the whole history


@dataclass(eq=False, slots=True)
class Compactor:
    """Compacts a history again and again as it grows, so that the start of what is sent stays the same bytes.

    Providers charge a fraction for a prompt's start that they have seen. So messages are added as they are
    until the budget is reached; then the older ones are folded, to `1 - headroom` of the budget, behind the
    excerpts that are there already. Not for several threads at a time.

    Attributes:
        budget, counter, tools, pinned, strategy, picture_tokens: as in `compact_messages`.
        headroom: share of the budget that is free after folding, in [0, 1).
    """

    budget: int
    counter: Any = None
    tools: Any = None
    pinned: Collection[int] | Callable[[Any], bool] = ()
    strategy: Strategy | None = None
    picture_tokens: int = 1000
    headroom: float = 0.5
    _seen: list[Any] = field(default_factory=list, repr=False)  # the history as it was, safe from changes
    _entries: list[Entry] = field(default_factory=list, repr=False)
    _costs: list[int] = field(default_factory=list, repr=False)
    _accounts: list[MessageAccount] = field(default_factory=list, repr=False)
    _sent: list[Any] = field(default_factory=list, repr=False)  # stands for the first `_done` messages
    _sent_tokens: int = field(default=0, repr=False)
    _done: int = field(default=0, repr=False)
    _total: int = field(default=0, repr=False)  # tokens of all messages
    _warnings: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Check the options."""
        check_budget(self.budget)
        if not 0 <= self.headroom < 1:
            raise ValueError(f"headroom must be in [0, 1), not {self.headroom!r}")

    def compact(self, messages: Sequence[Any]) -> CompactedMessages:
        """What to send for the history so far; it should begin with what was given before.

        A history that does not is compacted from its start. Raises as `compact_messages` does. O(messages)
        for one that fits, and O(characters of the budget) where something has to be folded.
        """
        if len(messages) < len(self._seen) or not all(map(_same, self._seen, messages)):
            self._forget(0)
        self._read(messages)
        counter = resolve_counter(self.counter)
        frame = REPLY_TOKENS + count_tools(counter, self.tools)
        waiting = sum(self._costs[self._done :])
        if frame + self._sent_tokens + waiting > self.budget:
            if self._sent_tokens > _SENT_SHARE * self.budget or not self._fold(messages, frame):
                self._forget_sent()
                self._fold(messages, frame)
            waiting = sum(self._costs[self._done :])
        return CompactedMessages(
            [*self._sent, *messages[self._done :]],
            frame + self._sent_tokens + waiting,
            frame + self._total,
            self.budget,
            tuple(self._accounts),
            self._seen[:],
            self._warnings,
        )

    def _forget(self, upto: int) -> None:
        for column in (self._seen, self._entries, self._costs, self._accounts):
            del column[upto:]
        self._total = sum(self._costs)
        self._forget_sent()

    def _forget_sent(self) -> None:
        self._sent, self._sent_tokens, self._done = [], 0, 0
        self._accounts = [
            MessageAccount(index, "verbatim", "fits", tokens) for index, tokens in enumerate(self._costs)
        ]

    def _read(self, messages: Sequence[Any]) -> None:
        first = len(self._seen)
        entries = [read_message(messages[index], index) for index in range(first, len(messages))]
        costs = count_entries(resolve_counter(self.counter), entries, self.picture_tokens).tolist()
        self._seen += [_snapshot(message) for message in messages[first:]]
        self._entries += entries
        self._costs += costs
        self._total += sum(costs)
        self._accounts += [
            MessageAccount(index, "verbatim", "fits", tokens) for index, tokens in enumerate(costs, first)
        ]

    def _fold(self, messages: Sequence[Any], frame: int) -> bool:
        """Fold messages behind what was sent; False where they do not fit so.

        Raises BudgetExceededError where nothing was sent yet, so that there is nothing else to try.
        """
        sent, done = len(self._sent), self._done
        current = [*self._sent, *messages[done:]]
        entries = [*(read_message(message) for message in self._sent), *self._entries[done:]]
        counter = resolve_counter(self.counter)
        costs = count_entries(counter, entries[:sent], self.picture_tokens).tolist() + self._costs[done:]
        groups = [(first, last) for first, last in atomic_groups(entries) if first >= sent]
        pinned = staying(messages, self._entries, atomic_groups(self._entries), self.pinned, 0)
        stays = dict.fromkeys(range(sent), "sent")
        stays |= {index - done + sent: reason for index, reason in pinned.items() if index >= done}
        fixed = frame + sum(costs[index] for index in stays)
        if fixed > self.budget and sent:
            return False
        stay_within(entries, groups, costs, stays, frame, self.budget)
        target = max(int((1 - self.headroom) * self.budget), min(fixed, self.budget))
        numbers = [*range(-sent, 0), *range(done, len(messages))]
        folding = Folding(
            current, entries, [*((i, i + 1) for i in range(sent)), *groups], np.array(costs, dtype=np.int64),
            counter, self.strategy or Auto(), stays, numbers,
        )  # fmt: skip
        folded = folding.fit(target - frame)
        accounts = [replace(account, index=numbers[account.index]) for account in folded.accounts[sent:]]
        self._accounts[done:] = accounts
        changed = [i for i, account in enumerate(accounts) if account.outcome != "verbatim"]
        upto = changed[-1] + 1 if changed else 0
        verbatim = len(accounts) - upto
        self._sent = folded.messages[: len(folded.messages) - verbatim]
        self._done = done + upto
        self._sent_tokens = folded.tokens - sum(self._costs[self._done :])
        self._warnings = tuple(dict.fromkeys((*self._warnings, *folded.warnings)))
        return frame + folded.tokens <= self.budget


def _snapshot(message: Any) -> Any:
    """The message, safe from changes that the caller makes to his."""
    if not isinstance(message, Mapping):
        return message
    plain = all(isinstance(value, (str, int, type(None))) for value in message.values())
    return dict(message) if plain else copy.deepcopy(message)


def _same(seen: Any, message: Any) -> bool:
    return seen is message or bool(seen == message)
