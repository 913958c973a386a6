"""Which messages stay in their places, and what stands for the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tersely.memory.accounts import MessageAccount
from tersely.memory.counting import MESSAGE_TOKENS, count_entries
from tersely.memory.excerpts import Excerpts, Stated, read_stated
from tersely.memory.mentions import Mentions
from tersely.memory.messages import Entry, Path, read_message
from tersely.memory.quoting import quote
from tersely.memory.repeats import find_repeats
from tersely.memory.results import shortened
from tersely.memory.writing import new_user_message, with_texts
from tersely.protocols import BatchTokenCounter, Strategy
from tersely.stages.count import count_batch
from tersely.tables import Int64s

__all__ = ["NEWEST_ROOM", "Folded", "Folding"]

_NEWEST_SHARE = 0.3  # of the budget: for the newest messages even where facts of older ones go short
_NEWEST_SHARE_ASKED = 0.1  # the same where a query says what matters
NEWEST_ROOM = 0.8  # of what is free: for the newest group, whatever becomes of others


@dataclass(frozen=True, eq=False, slots=True)
class Folded:
    """Messages that fit: what to send, its tokens without the frame of the reply, what became of each."""

    messages: list[Any]
    tokens: int
    accounts: tuple[MessageAccount, ...]
    warnings: tuple[str, ...]


@dataclass(eq=False, slots=True)
class Folding:
    """Fits a history. `stays`: index -> reason of what is not touched; `costs`: tokens of each message."""

    messages: Sequence[Any]
    entries: Sequence[Entry]
    groups: Sequence[tuple[int, int]]
    costs: Int64s
    counter: BatchTokenCounter
    strategy: Strategy
    stays: dict[int, str]
    called: Mapping[str, str]  # the tool of each call, by its id
    numbers: Sequence[int] = ()
    excerpts: Collection[int] = ()  # entries that hold excerpts, a line each: folded before
    mentions: Mentions | None = None  # of all pieces, where they are known
    relevance: npt.NDArray[np.float64] | None = None  # of each message to a query
    _changed: dict[int, dict[Path, str]] = field(default_factory=dict)
    _now: list[int] = field(default_factory=list)  # tokens of each message as changed
    _why: dict[int, str] = field(default_factory=dict)
    _warnings: list[str] = field(default_factory=list)

    def fit(self, budget: int) -> Folded:
        """Everything in at most `budget` tokens, the frame of the reply not counted."""
        self._now = self.costs.tolist()
        self.numbers = self.numbers or range(len(self.entries))
        for index, changed in find_repeats(self.entries, self.stays, self.numbers).items():
            entry = with_pieces(self.entries[index], changed)
            self._changed[index], self._why[index] = changed, "repeated"
            self._now[index] = int(count_entries(self.counter, [entry])[0])
        stated = read_stated(self.counter, self.entries, self.stays, self.excerpts, self.mentions)
        folded = self._choose(stated, budget)
        kept = sum(tokens for tokens, folds in zip(self._now, folded, strict=True) if not folds)
        excerpts = Excerpts(stated, self.entries, self.numbers, self.called)
        return self._assemble(excerpts, folded, self._excerpt(excerpts, folded, budget - kept))

    def _choose(self, stated: Stated, budget: int) -> list[bool]:
        """Which messages are folded: the older ones, where facts would have no room otherwise."""
        owed = stated.tokens.tolist()  # by the facts of each message, once it is folded
        share = _NEWEST_SHARE
        if self.relevance is not None:
            owed, share = [0] * len(owed), _NEWEST_SHARE_ASKED
        used = sum(self._now[index] for index in self.stays)
        rest = sum(owed) + self._frame()
        folded = [index not in self.stays for index in range(len(self.entries))]
        for first, last in reversed(self.groups):
            if first in self.stays:
                continue
            if first in self.excerpts:
                break
            cost = sum(self._now[first:last])
            rest_after = rest - sum(owed[first:last])
            room = int(share * budget)
            if self.relevance is None:
                room = max(budget - rest_after, room)
            room = min(room, budget) - used
            if last == len(self.entries):
                room = max(room, int(NEWEST_ROOM * (budget - used)))  # the next answer is to it
            if cost > room:
                cost = self._shorten(first, last, room)
                if cost > room:
                    break
                folded[first:last] = [False] * (last - first)
                break
            used += cost
            rest = rest_after
            folded[first:last] = [False] * (last - first)
        return folded

    def _shorten(self, first: int, last: int, room: int) -> int:
        """Shorten the results of a group to take at most `room`; its tokens then, too many if it failed."""
        before = sum(self._now[first:last])
        holders = [index for index in range(first, last) if self.entries[index].role in ("tool", "user")]
        results = {
            index: sum(
                count_batch(self.counter, [p.text for p in self.entries[index].pieces if p.kind == "result"])
            )
            for index in holders
        }
        total = sum(map(int, results.values()))
        spare = room - (before - total)
        if spare <= 0 or not total:
            return before
        changed: dict[int, dict[Path, str]] = {}
        try:
            for index, tokens in results.items():
                if tokens:
                    texts = shortened(
                        self.entries[index], self.counter, self.strategy, spare * int(tokens) // total
                    )
                    if texts is None:
                        return before
                    changed[index] = dict(texts)
        except Exception:  # foreign code: the messages are folded instead, nothing is lost
            self._warnings.append("strategy_failed")
            return before
        now = {
            index: int(count_entries(self.counter, [with_pieces(self.entries[index], texts)])[0])
            for index, texts in changed.items()
        }
        after = before + sum(tokens - self._now[index] for index, tokens in now.items())
        if after <= room:
            self._changed |= {index: texts for index, texts in changed.items() if texts}
            self._why |= dict.fromkeys(changed, "budget")
            for index, tokens in now.items():
                self._now[index] = tokens
        return after

    def _frame(self) -> int:
        """Tokens of a message of excerpts with nothing in it."""
        return MESSAGE_TOKENS + int(count_batch(self.counter, ["user", quote([("user 0", "")])]).sum())

    def _excerpt(self, excerpts: Excerpts, folded: list[bool], room: int) -> str:
        """The text of excerpts of folded messages, with the frame of its message in `room` tokens."""
        room_inside = room - self._frame()
        if self.relevance is not None:
            order = [int(index) for index in np.argsort(-self.relevance, kind="stable") if folded[index]]
            room_inside = excerpts.keep_entries(self.counter, order, room_inside)
        expected = excerpts.keep_facts(folded, room_inside)
        text, spent = self._fitting(excerpts, room)
        if excerpts.order or room > self._frame():
            excerpts.keep_lines(self.counter, folded, room - max(spent, min(expected, room)))
            text, _ = self._fitting(excerpts, room)
        return text

    def _fitting(self, excerpts: Excerpts, room: int) -> tuple[str, int]:
        while True:
            text = excerpts.text()
            spent = MESSAGE_TOKENS + int(count_batch(self.counter, ["user", text]).sum()) if text else 0
            if spent <= room or not excerpts.order:
                return text, spent
            excerpts.drop_last((spent - room) * len(text) // spent * 2 // 3)

    def _assemble(self, excerpts: Excerpts, folded: list[bool], text: str) -> Folded:
        messages: list[Any] = []
        accounts: list[MessageAccount] = []
        tokens = 0
        for index, folds in enumerate(folded):
            places: tuple[tuple[int, int, int], ...] = ()
            outcome: Literal["verbatim", "compressed", "folded", "dropped"] = "verbatim"
            reason = self.stays.get(index, "newest")
            if folds:
                if text:
                    made = new_user_message(text, self.messages)
                    text = ""  # in the place of the first
                    messages.append(made)
                    tokens += int(count_entries(self.counter, [read_message(made)])[0])
                places = excerpts.places(index)
                outcome = "folded" if places else "dropped"
                reason = "budget" if places or excerpts.stated.tokens[index] else "stated_elsewhere"
            else:
                message = self.messages[index]
                if index in self._changed:
                    message = with_texts(message, self._changed[index])
                    outcome, reason = "compressed", self._why[index]
                messages.append(message)
                tokens += self._now[index]
            accounts.append(MessageAccount(index, outcome, reason, int(self.costs[index]), places))
        return Folded(messages, tokens, tuple(accounts), tuple(dict.fromkeys(self._warnings)))


def with_pieces(entry: Entry, texts: dict[Path, str]) -> Entry:
    """The entry as it is with other texts."""
    pieces = tuple(replace(piece, text=texts.get(piece.path, piece.text)) for piece in entry.pieces)
    return replace(entry, pieces=pieces)
