"""A history that grows, turn after turn: what was sent once stays as it is while it fits."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tersely.content.auto import Auto
from tersely.memory.accounts import CompactedMessages, MessageAccount
from tersely.memory.compaction import check_options, stay_within, staying
from tersely.memory.counting import REPLY_TOKENS, count_entries, count_tools
from tersely.memory.folding import NEWEST_ROOM, Folding
from tersely.memory.groups import atomic_groups
from tersely.memory.messages import Entry, Piece, check_list, read_message
from tersely.protocols import Strategy
from tersely.providers.counters import resolve_counter

__all__ = ["Compactor"]

_SENT_SHARE = 0.9  # of the tokens after folding: excerpts that take more are made anew, shorter
_FOLDED_TO = 0.5  # of the budget: up to here the newest group may take more than `headroom` leaves

Places = tuple[tuple[int, int, int], ...]


@dataclass(eq=False, slots=True)
class Compactor:
    """Compacts a history again and again as it grows, so that the start of what is sent stays the same bytes.

    Providers charge a fraction for a prompt's start that they have seen. So messages are added as they are
    until the budget is reached; then the older ones are folded, to `1 - headroom` of the budget, behind the
    excerpts that are there already. Not for several threads at a time.

    Attributes:
        budget, counter, tools, pinned, strategy, picture_tokens: as in `compact_messages`; messages that
            are still to come may be pinned.
        headroom: share of the budget that is free after folding, in [0, 1).
    """

    budget: int
    counter: Any = None
    tools: Any = None
    pinned: Collection[int] | Callable[[Any], bool] = ()
    strategy: Strategy | None = None
    picture_tokens: int = 1000
    headroom: float = 0.6
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
        check_options(self.budget, self.pinned, self.strategy, self.picture_tokens)
        if not 0 <= self.headroom < 1:
            raise ValueError(f"headroom must be in [0, 1), not {self.headroom!r}")

    def compact(self, messages: Sequence[Any]) -> CompactedMessages:
        """What to send for the history so far; it should begin with what was given before.

        A history that does not is compacted from its start. Raises as `compact_messages` does. O(messages)
        for one that fits, and O(characters of the budget) where something has to be folded.
        """
        check_list(messages)
        if len(messages) < len(self._seen) or not all(map(_same, self._seen, messages)):
            self._forget()
        self._read(messages)
        counter = resolve_counter(self.counter)
        frame = REPLY_TOKENS + count_tools(counter, self.tools)
        waiting = sum(self._costs[self._done :])
        if frame + self._sent_tokens + waiting > self.budget:
            if self._sent_tokens > _SENT_SHARE * (1 - self.headroom) * self.budget or not self._fold(
                messages, frame, anew=False
            ):
                self._fold(messages, frame, anew=True)
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

    def _forget(self) -> None:
        for column in (self._seen, self._entries, self._costs, self._accounts, self._sent):
            column.clear()
        self._total = self._sent_tokens = self._done = 0
        self._warnings = ()

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

    def _fold(self, messages: Sequence[Any], frame: int, anew: bool) -> bool:
        """Fold messages behind what was sent, or, `anew`, with what is left of those; False if it fails.

        Raises BudgetExceededError where what must stay does not fit.
        """
        counter, done = resolve_counter(self.counter), self._done
        head = self._standing(messages) if anew else self._as_sent()
        tail = range(done, len(messages))
        current = [*(old.message for old in head), *messages[done:]]
        entries = [*(old.entry for old in head), *self._entries[done:]]
        numbers = [*(old.number for old in head), *tail]
        costs = [*(old.tokens for old in head), *self._costs[done:]]
        excerpts = {index for index, old in enumerate(head) if old.kept}
        groups = atomic_groups(entries)
        stays = staying(current, entries, groups, self._pinned(current, numbers, excerpts), 0)
        if not anew:
            stays |= dict.fromkeys(range(len(head)), "sent")
        fixed = frame + sum(costs[index] for index in stays)
        if fixed > self.budget and not anew:
            return False
        stay_within(entries, groups, costs, stays, frame, self.budget)
        newest = sum(costs[slice(*groups[-1])])
        wanted = min(fixed + int(newest / NEWEST_ROOM) + 1, int(_FOLDED_TO * self.budget))
        target = max(int((1 - self.headroom) * self.budget), wanted, min(fixed, self.budget))
        folding = Folding(
            current, entries, groups, np.array(costs, dtype=np.int64), counter, self.strategy or Auto(),
            stays, numbers, excerpts,
        )  # fmt: skip
        folded = folding.fit(target - frame)
        for old, account in zip(head, folded.accounts, strict=False):
            if anew:
                kept = _original_places(old.kept, account.kept) if old.kept else account.kept
                self._accounts[old.number] = replace(account, index=old.number, kept=kept)
        accounts = folded.accounts[len(head) :]
        self._accounts[done:] = [
            replace(account, index=number) for account, number in zip(accounts, tail, strict=True)
        ]
        changed = [index for index, account in enumerate(accounts) if account.outcome != "verbatim"]
        upto = changed[-1] + 1 if changed else 0
        self._sent = folded.messages[: len(folded.messages) - (len(accounts) - upto)]
        self._done = done + upto
        self._sent_tokens = folded.tokens - sum(self._costs[self._done :])
        self._warnings = tuple(dict.fromkeys((*self._warnings, *folded.warnings)))
        return frame + folded.tokens <= self.budget

    def _as_sent(self) -> list[_Old]:
        """What was sent, as messages that stay."""
        entries = [read_message(message) for message in self._sent]
        costs = count_entries(resolve_counter(self.counter), entries, self.picture_tokens).tolist()
        sent = zip(self._sent, entries, costs, strict=True)
        return [_Old(message, entry, tokens, -1) for message, entry, tokens in sent]

    def _standing(self, messages: Sequence[Any]) -> list[_Old]:
        """The messages before `_done` of which anything is left, those that are folded as their excerpts."""
        found = []
        for account in self._accounts[: self._done]:
            number = account.index
            entry = self._entries[number]
            if account.outcome == "folded":
                lines = [entry.pieces[piece].text[start:end] for piece, start, end in account.kept]
                entry = Entry(entry.role, (Piece("\n".join(lines), "text", ()),), name=entry.name)
            if account.outcome != "dropped":
                found.append(_Old(messages[number], entry, account.tokens, number, account.kept))
        return found

    def _pinned(self, current: Sequence[Any], numbers: Sequence[int], folded: Collection[int]) -> list[int]:
        """Where in `current` the pinned messages are; those that are folded were none."""
        if callable(self.pinned):
            asked = [
                index for index, number in enumerate(numbers) if number >= 0 and self.pinned(current[index])
            ]
        else:
            wanted = {index + len(self._seen) if index < 0 else index for index in self.pinned}
            asked = [index for index, number in enumerate(numbers) if number in wanted]
        return [index for index in asked if index not in folded]


@dataclass(frozen=True, eq=False, slots=True)
class _Old:
    """A message that was sent, or what is left of one: its number, and `kept` where it was folded."""

    message: Any
    entry: Entry
    tokens: int
    number: int
    kept: Places = ()


def _original_places(kept: Places, left: Places) -> Places:
    """Places in the lines that `kept` made, as places of the message."""
    found = []
    for _, first, last in left:
        at = 0
        for piece, start, end in kept:
            low, high = max(first, at), min(last, at + end - start)
            if low < high:
                found.append((piece, start + low - at, start + high - at))
            at += end - start + 1
    return tuple(found)


def _snapshot(message: Any) -> Any:
    """The message, safe from changes that the caller makes to his."""
    if not isinstance(message, Mapping):
        return message
    plain = all(isinstance(value, (str, int, type(None))) for value in message.values())
    return dict(message) if plain else copy.deepcopy(message)


def _same(seen: Any, message: Any) -> bool:
    return seen is message or bool(seen == message)
