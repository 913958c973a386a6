"""Fit a chat history into a token budget, once or again and again as it grows."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tersely import checks
from tersely.checks import Ratios, brief
from tersely.engine.strategies import with_required
from tersely.errors import BudgetExceededError
from tersely.memory.excerpts import relevance_of
from tersely.memory.folding import NEWEST_ROOM, FoldedHistory, History, MessageAccount, fold, shorten_held
from tersely.memory.groups import (
    PICTURE_TOKENS,
    REPLY_TOKENS,
    atomic_groups,
    breaks_rules,
    count_entries,
    count_tools,
    count_waiting,
    held_messages,
)
from tersely.memory.messages import Entry, calls_of, check_list, read_messages, warnings_of
from tersely.memory.statements import learn
from tersely.memory.writing import joined_turns
from tersely.models.counters import resolve_counter
from tersely.protocols import BatchTokenCounter


@brief
@dataclass(frozen=True, eq=False, slots=True)
class CompactedMessages(Ratios):
    """A history within its budget."""

    messages: list[Any]  #: what to send, in the format of the input; unchanged messages are the same objects
    tokens: int  #: tokens of messages and tools, with what a provider adds around them; at most `budget`
    original_tokens: int  #: the same for the original history
    budget: int  #: tokens allowed
    accounts: tuple[MessageAccount, ...]  #: one entry per message of the history, in order
    originals: Sequence[Any]  #: the original messages
    #: reason codes: "empty_query", "query_without_matches" (it was as without one), "unknown_shape" (a
    #: message has content of an unknown format, which is counted; the message may be shortened or left out,
    #: but an item of an unknown type stays), "characters_replaced" (lone surrogates were read as U+FFFD;
    #: messages that stay still have them), "facts_left_out" and "errors_left_out" (`accounts` lists facts, or
    #: errors of tools, that no message states any more)
    warnings: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """tokens / original_tokens."""
        return self.tokens / self.original_tokens if self.original_tokens else 1.0

    def expand(self, index: int) -> Any:
        """Return the original message of a number: "tool grep 12: ..." and "user 12.3: ..." are of 12."""
        return self.originals[index]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the messages, as plain JSON types."""
        return {
            "tokens": self.tokens,
            "original_tokens": self.original_tokens,
            "budget": self.budget,
            "warnings": list(self.warnings),
            "accounts": [
                {**account._asdict(), "kept": [*map(list, account.kept)], "lost": [*map(list, account.lost)]}
                for account in self.accounts
            ],
        }


def compact_messages(
    messages: Sequence[Any],
    *,
    budget: int,
    counter: Any = None,
    tools: Any = None,
    pinned: Collection[int] | Callable[[Any], bool] = (),
    keep_last: int = 0,
    query: str | None = None,
    picture_tokens: int = PICTURE_TOKENS,
    references: bool = True,
) -> CompactedMessages:
    """Fit a chat history into a token budget.

    The newest messages stay unchanged as far as the budget allows; long tool results among them are cut.
    One message with excerpts replaces the older messages: first what people said, verbatim, then what failed,
    then sentences, lines and rows by their facts. `accounts` lists statements that did not fit. Excerpts
    name their sources, so the output of a tool cannot pass for the user's words. A tool call and its results
    are kept or dropped together. A line of text replaces pictures in tool results, the oldest first. System
    messages, messages with other pictures or cache markers, and pinned messages stay unchanged; only if those
    with cache markers or pictures do not fit, their pictures are replaced and their results shortened, too.
    Everything in a message is counted, whatever its format.

    Args:
        messages: OpenAI chat messages, items of the Responses API, messages of Anthropic, Bedrock, Gemini,
            LangChain, pydantic-ai or the AI SDK; they are not changed.
        budget: tokens allowed for all of them, the tools, and the frames of messages and reply.
        counter: as in `tersely.compress`; the history costs the sum of its texts' counts and of the frames.
        tools: schemas that are sent along, counted as JSON.
        pinned: indices of messages that stay, or a function that says so of a message.
        keep_last: the number of the newest messages that must stay, with the calls and results that belong to
            them.
        query: the topic of the next answers. Relevant messages, and those around them, then come before facts
            and, except for a tenth of the budget, before the newest.
        picture_tokens: the tokens that a picture counts as.
        references: a result that a newer one repeats, whole or except a few lines, becomes a line that
            names the newer one by its call, and says how it differs.

    Raises:
        BudgetExceededError: messages that must stay do not fit, or nothing that a person said fits.
        TypeError, ValueError: a wrong argument.

    O(characters + facts log facts).
    """
    check_options(budget, pinned, picture_tokens, references)
    checks.whole_number(keep_last, "keep_last")
    entries = read_messages(messages)
    counting = resolve_counter(counter)
    costs = count_entries(counting, entries, picture_tokens)
    frame = REPLY_TOKENS + count_tools(counting, tools)
    original = frame + int(costs.sum())
    warnings = warnings_of(entries)
    if original <= budget:
        accounts = [
            MessageAccount(index, "verbatim", "fits", tokens) for index, tokens in enumerate(costs.tolist())
        ]
        same = list(messages)
        return CompactedMessages(same, original, original, budget, tuple(accounts), same[:], tuple(warnings))
    relevance = None
    if query is not None:
        query = checks.text(query, "query")
        relevance = relevance_of(entries, query) if query.strip() else None
        if relevance is None:
            warnings.append("query_without_matches" if query.strip() else "empty_query")
    groups = atomic_groups(entries)
    stays = held_messages(messages, entries, groups, pinned, keep_last)
    numbers, topic = range(len(entries)), "" if relevance is None else query or ""
    history = History(
        messages, entries, groups, costs, costs, counting, picture_tokens, stays, calls_of(entries), numbers,
        relevance=relevance, query=topic, references=references,
    )  # fmt: skip

    def attempt(allowed: int) -> FoldedHistory:
        folded = fold(shorten_held(history, frame, allowed), allowed - frame)
        if problem := _problem(folded.entries, folded.accounts, entries):
            raise BudgetExceededError(problem, required=allowed + 1, budget=allowed)
        return folded

    folded = with_required(attempt, budget, original)
    sent, saved = _as_turns(folded.messages, messages, counting, picture_tokens)
    tokens, warned = frame + folded.tokens - saved, (*warnings, *folded.warnings)
    return CompactedMessages(sent, tokens, original, budget, folded.accounts, list(messages), warned)


def _as_turns(
    messages: list[Any], given: Sequence[Any], counter: BatchTokenCounter, picture_tokens: int
) -> tuple[list[Any], int]:
    """The messages in turns as their provider takes them (`joined_turns`), and the tokens that this saves.

    `given`: the messages before; where these have such turns, nobody minds them.
    """
    sent, saved, found = list(messages), 0, joined_turns(messages)
    if found and joined_turns(given):
        return sent, saved
    for first, last, joined in reversed(found):
        turns = read_messages([*messages[first:last], joined])
        *apart, together = count_entries(counter, turns, picture_tokens).tolist()
        if together <= sum(apart):
            sent[first:last] = [joined]
            saved += sum(apart) - together
    return sent, saved


def _problem(sent: Sequence[Entry], accounts: Sequence[MessageAccount], came: Sequence[Entry]) -> str:
    """Return why a model cannot be sent this (nothing is said, or a rule is broken); "" where it can."""
    of = zip(reversed(accounts), reversed(came), strict=True)  # the newest is hardly ever dropped
    left = any(account.outcome != "dropped" and entry.role != "system" for account, entry in of)
    if not left and (said := sum([entry.role != "system" for entry in came])):
        return f"nothing of {said} messages fits"
    return "nothing of what the user said fits" if breaks_rules(sent, came) else ""


def check_options(budget: Any, pinned: Any, picture_tokens: Any, references: Any) -> None:
    """Raise TypeError or ValueError for wrong options."""
    checks.flag(references, "references")
    checks.whole_number(budget, "budget")
    checks.whole_number(picture_tokens, "picture_tokens")
    if not callable(pinned) and (isinstance(pinned, str) or not isinstance(pinned, Collection)):
        kind = type(pinned).__name__
        raise TypeError(f"pinned must be indices of messages, or a function of a message, not {kind}")


_OPTIONS = ("budget", "counter", "tools", "pinned", "picture_tokens", "references")
_FULL = 0.6  # of the room beside what must stay: excerpts that take more are made anew, shorter
_FOLDED_TO = 0.5  # of the budget: up to here the newest group may take more than `headroom` leaves


@dataclass(eq=False, slots=True)
class Compactor:
    """Compacts a growing history; the beginning of the result keeps the same bytes from call to call.

    Providers charge less for the start of a prompt that they have seen. So messages are added unchanged until
    the budget is reached; then excerpts replace the older ones, so that `headroom` of the room is free again.
    Earlier excerpts stay as they are, until they have become long. Not thread-safe.

    Attributes:
        budget, counter, tools, pinned, picture_tokens, references: as in `compact_messages`; future messages
            may be pinned.
        headroom: the share of the budget, without the messages that stay, that is free after a compaction, in
            [0, 1).
    """

    budget: int
    counter: Any = None
    tools: Any = None
    pinned: Collection[int] | Callable[[Any], bool] = ()
    picture_tokens: int = PICTURE_TOKENS
    headroom: float = 0.65
    references: bool = True
    _seen: list[Any] = field(default_factory=list, repr=False)  # the history as it was, safe from changes
    _entries: list[Entry] = field(default_factory=list, repr=False)
    _costs: list[int] = field(default_factory=list, repr=False)
    _called: dict[str, str] = field(default_factory=dict, repr=False)  # each call, by its id
    _known: dict[str, int] = field(default_factory=dict, repr=False)  # what words say of sentences
    _head: list[_SentMessage] | None = field(default=None, repr=False)  # `_sent`, as it was read
    _accounts: list[MessageAccount] = field(default_factory=list, repr=False)
    _sent: list[Any] = field(default_factory=list, repr=False)  # stands for the first `_done` messages
    _sent_tokens: int = field(default=0, repr=False)
    _done: int = field(default=0, repr=False)
    _warnings: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        check_options(self.budget, self.pinned, self.picture_tokens, self.references)
        if checks.number(self.headroom, "headroom", least=0) >= 1:
            raise ValueError(f"headroom must lie in [0, 1), not {self.headroom!r}")

    def compact(self, messages: Sequence[Any]) -> CompactedMessages:
        """Return the messages to send for a history, which should extend the one of the call before.

        A history that does not is compacted from its start. Raises as `compact_messages` does. O(messages)
        for a history that fits, O(characters) of new messages once older ones were replaced, and of all that
        anything is left of where messages are replaced.
        """
        check_list(messages)
        if list(messages[: len(self._seen)]) != self._seen:
            self._forget()
        self._read(messages)
        counter = resolve_counter(self.counter)
        frame = REPLY_TOKENS + count_tools(counter, self.tools)
        waiting = sum(self._costs[self._done :])
        if frame + self._sent_tokens + waiting > self.budget:
            try:
                if self._is_full(frame) or not self._fold(messages, frame, anew=False):
                    self._fold(messages, frame, anew=True)
            except BudgetExceededError:
                return self._alone(messages)
            sent = [*(old.entry for old in self._as_sent()), *self._entries[self._done :]]
            if _problem(sent, self._accounts, self._entries):
                return self._alone(messages)
            waiting = sum(self._costs[self._done :])
        sent, saved = [*self._sent, *messages[self._done :]], 0
        if self._sent:
            sent, saved = _as_turns(sent, messages, counter, self.picture_tokens)
        return CompactedMessages(
            sent,
            frame + self._sent_tokens + waiting - saved,
            frame + sum(self._costs),
            self.budget,
            tuple(self._accounts),
            self._seen[:],
            self._warnings,
        )

    def _alone(self, messages: Sequence[Any]) -> CompactedMessages:
        """Compact a history that leaves no room to grow by itself, or say which budget would do."""
        self._forget()
        options: Any = {name: getattr(self, name) for name in _OPTIONS}
        return compact_messages(messages, **options)

    def _is_full(self, frame: int) -> bool:
        kept = [account.tokens for account in self._accounts[: self._done] if account.outcome == "verbatim"]
        room = self.budget - frame - sum(kept)
        return self._sent_tokens - sum(kept) > _FULL * room

    def _forget(self) -> None:
        for column in (self._seen, self._entries, self._costs, self._accounts, self._sent):
            column.clear()
        self._called.clear()
        self._known.clear()
        self._head = None
        self._sent_tokens = self._done = 0
        self._warnings = ()

    def _read(self, messages: Sequence[Any]) -> None:
        first = len(self._seen)
        entries = read_messages(messages[first:], first)
        costs = count_entries(resolve_counter(self.counter), entries, self.picture_tokens).tolist()
        self._seen += [_snapshot(message) for message in messages[first:]]
        self._entries += entries
        self._called |= calls_of(entries)
        if self._sent:  # others were folded, so these are soon: the turn that does it finds them read
            learn(entries, self._known)
        self._warnings = tuple(dict.fromkeys((*self._warnings, *warnings_of(entries))))
        self._costs += costs
        self._accounts += [
            MessageAccount(index, "verbatim", "fits", tokens) for index, tokens in enumerate(costs, first)
        ]

    def _fold(self, messages: Sequence[Any], frame: int, anew: bool) -> bool:
        """Fold the messages behind those already sent, or, `anew`, all that is left; False if it fails.

        Raises BudgetExceededError where what must stay does not fit.
        """
        counter, done = resolve_counter(self.counter), self._done
        head = self._standing(messages) if anew else self._as_sent()
        tail = range(done, len(messages))
        came = map(_SentMessage, messages[done:], self._entries[done:], self._costs[done:], tail)
        rows = [*head, *came]
        current, entries, costs, numbers, _ = zip(*rows, strict=True) if rows else [()] * 5
        before = {index for index, old in enumerate(head) if old.folded}
        groups = atomic_groups(entries)
        sent = 0 if anew else len(head)
        pinned = self._pinned(current, numbers, before)
        stays = held_messages(current, entries, groups, pinned, count_waiting(entries), sent)
        fixed = frame + sum(costs[index] for index in stays)
        if fixed > self.budget and not anew:
            return False
        tokens = np.array(costs, dtype=np.int64)
        history = History(
            current, entries, groups, tokens, tokens, counter, self.picture_tokens, stays, self._called,
            numbers, folded=before, references=self.references, known=self._known,
        )  # fmt: skip
        history = shorten_held(history, frame, self.budget)
        fixed += int(history.now.sum()) - sum(costs)
        newest = sum(costs[slice(*groups[-1])])
        wanted = min(fixed + int(newest / NEWEST_ROOM) + 1, int(_FOLDED_TO * self.budget))
        target = max(fixed + int((1 - self.headroom) * (self.budget - fixed)), wanted)
        folded = fold(history, target - frame)
        for account in self._accounts[:done]:
            if account.reason == "stated_elsewhere":  # perhaps by a message that is folded now
                self._accounts[account.index] = account._replace(reason="budget")
        for old, account in zip(head if anew else (), folded.accounts, strict=False):
            self._accounts[old.number] = account._replace(index=old.number)
        accounts = folded.accounts[len(head) :]
        self._accounts[done:] = [
            account._replace(index=number) for account, number in zip(accounts, tail, strict=True)
        ]
        changed = [index for index, account in enumerate(accounts) if account.outcome != "verbatim"]
        upto = max([index + 1 for index in changed[-1:]] + [folded.cited - len(head), 0])
        at = upto + len(head)  # messages that stay or go together are never parted by what comes later
        upto = next((last for first, last in groups if first < at < last), at) - len(head)
        self._head = None
        self._sent = folded.messages[: len(folded.messages) - (len(accounts) - upto)]
        self._done = done + upto
        self._sent_tokens = folded.tokens - sum(self._costs[self._done :])
        self._warnings = tuple(dict.fromkeys((*self._warnings, *folded.warnings)))
        return frame + folded.tokens <= self.budget

    def _as_sent(self) -> list[_SentMessage]:
        """Read the messages that were sent as ones that stay."""
        if self._head is None:
            entries = read_messages(self._sent)
            costs = count_entries(resolve_counter(self.counter), entries, self.picture_tokens).tolist()
            sent = zip(self._sent, entries, costs, strict=True)
            self._head = [_SentMessage(message, entry, tokens, -1) for message, entry, tokens in sent]
        return self._head

    def _standing(self, messages: Sequence[Any]) -> list[_SentMessage]:
        """Return the messages before `_done` that something is left of; folded ones make no calls."""
        found = []
        for account in self._accounts[: self._done]:
            if account.outcome != "dropped":
                number, folded = account.index, account.outcome == "folded"
                entry = self._entries[number]
                if folded:
                    entry = Entry(entry.role, entry.pieces, name=entry.name)  # no call, and no result of one
                found.append(_SentMessage(messages[number], entry, account.tokens, number, folded))
        return found

    def _pinned(self, current: Sequence[Any], numbers: Sequence[int], folded: Collection[int]) -> list[int]:
        """Indices in `current` of the pinned messages that are not folded."""
        if callable(self.pinned):
            asked = [at for at, number in enumerate(numbers) if number >= 0 and self.pinned(current[at])]
        else:
            wanted = {index + len(self._seen) if index < 0 else index for index in self.pinned}
            asked = [index for index, number in enumerate(numbers) if number in wanted]
        return [index for index in asked if index not in folded]


class _SentMessage(NamedTuple):
    """A message that something is left of: its number, and whether it was folded."""

    message: Any
    entry: Entry
    tokens: int
    number: int
    folded: bool = False


_PLAIN = {str, int, bool, type(None)}  # values that nobody can change


def _snapshot(message: Any) -> Any:
    """Copy a message, so that the caller may change theirs."""
    if not isinstance(message, Mapping):
        return message
    plain = _PLAIN.issuperset(map(type, message.values()))
    return dict(message) if plain else copy.deepcopy(message)
