"""Groups of messages that stay or go together, messages that must stay, and costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from tersely.engine.reading import count, count_batch
from tersely.memory.messages import Entry, to_json
from tersely.protocols import BatchTokenCounter
from tersely.types import Int64s

# What frames a message and the reply, as OpenAI counts chat messages (cookbook, "How to count tokens with
# tiktoken"): <|start|>role<|message|>...<|end|>, and the start of the reply. A call has a frame of its own.
MESSAGE_TOKENS = 3
REPLY_TOKENS = 3
CALL_TOKENS = 3
PICTURE_TOKENS = 1000  # about, of a picture, where nobody says


def atomic_groups(entries: Sequence[Entry]) -> list[tuple[int, int]]:
    """Half-open ranges of entries that stay or go together, in order; together all of them. O(entries).

    A range reaches from a call to the last of its results; calls whose ranges overlap share one. Reasoning
    goes with what follows it.
    """
    called: dict[str, int] = {}
    begins = list(range(len(entries)))  # the first entry that each must stay with
    for index, entry in enumerate(entries):
        for call in entry.calls:
            called[call] = index
        for answer in entry.answers:
            begins[index] = min(begins[index], called.get(answer, index))
        if index and entries[index - 1].leads:
            begins[index] = min(begins[index], index - 1)
    groups: list[tuple[int, int]] = []
    for index, begin in enumerate(begins):
        first = index
        while groups and groups[-1][1] > begin:
            first = groups.pop()[0]
        groups.append((first, index + 1))
    return groups


def count_waiting(entries: Sequence[Entry]) -> int:
    """Count the newest entries, from the first call on that still waits for its result. O(entries)."""
    waiting: dict[str, int] = {}
    for index, entry in enumerate(entries):
        if entry.role == "user" and not entry.answers:
            waiting.clear()  # what nobody answers by now stays without a result
        for answer in entry.answers:
            waiting.pop(answer, None)
        waiting.update(dict.fromkeys(entry.calls, index))
    return len(entries) - min(waiting.values(), default=len(entries))


def broken_rules(entries: Sequence[Entry]) -> list[str]:
    """List the breaks of providers' rules in a history, a code for each place. O(entries).

    "result_without_call": no message before it makes the call; "call_without_result": none behind it answers,
    and it is not of the last turn; "call_parted": somebody speaks between a call and its result;
    "reasoning_alone": what was thought is not followed by what came of it; "begins_with_answer": the first
    message besides system ones is no user's.
    """
    found: list[str] = []
    waiting: dict[str, int] = {}  # calls without a result so far, and how often somebody spoke before each
    spoken = 0
    first, before = "", False
    for entry in entries:
        if entry.role != "system":
            first = first or entry.role
        for answer in entry.answers:
            said = waiting.pop(answer, -1)
            if said < 0:
                found.append("result_without_call")
            elif said != spoken:
                found.append("call_parted")
        speaks = entry.role == "user" and not entry.answers
        spoken += speaks
        if before and speaks:
            found.append("reasoning_alone")
        before = entry.leads
        waiting.update(dict.fromkeys(entry.calls, spoken))
    found += ["call_without_result" for said in waiting.values() if said != spoken]
    return found if first in ("", "user") else [*found, "begins_with_answer"]


def breaks_rules(sent: Sequence[Entry], came: Sequence[Entry]) -> bool:
    """Whether a result breaks a rule (`broken_rules`) more often than the history did."""
    return bool((found := broken_rules(sent)) and Counter(found) - Counter(broken_rules(came)))


def count_entries(counter: BatchTokenCounter, entries: Sequence[Entry], picture_tokens: int = 0) -> Int64s:
    """int64[n]: tokens of each entry: frame, role, name, every text, calls, opaque parts, pictures.

    One batch of the counter. Raises ValueError as `count_batch` does.
    """
    texts: list[str] = []
    owner: list[int] = []
    totals: list[int] = []
    for index, entry in enumerate(entries):
        before, pictures = len(texts), 0
        texts.append(entry.role)
        for piece in entry.pieces:
            if piece.kind == "picture":
                pictures += 1
            else:
                texts.append(piece.text if piece.within is None else piece.sent)
        for text in (entry.name, entry.opaque):
            if text:
                texts.append(text)
        owner += [index] * (len(texts) - before)
        frame = MESSAGE_TOKENS + len(entry.calls) * CALL_TOKENS + bool(entry.name)
        totals.append(frame + pictures * picture_tokens)
    costs = np.array(totals, dtype=np.int64)
    np.add.at(costs, owner, count_batch(counter, texts))
    return costs


def count_tools(counter: BatchTokenCounter, tools: Any) -> int:
    """Tokens of the tools' schemas, as compact JSON; 0 for None. Raises ValueError for ones too deep."""
    return count(counter, to_json(tools)) if tools else 0


def held_messages(
    messages: Sequence[Any],
    entries: Sequence[Entry],
    groups: Sequence[tuple[int, int]],
    pinned: Collection[int] | Callable[[Any], bool],
    keep_last: int,
    sent: int = 0,
) -> dict[int, str]:
    """List the messages that must stay: index -> reason, in order. Raises ValueError for a wrong index.

    `sent`: so many of the first were sent before, and stay.
    """
    reasons = dict.fromkeys(range(sent), "sent")
    reasons |= {index: entry.held for index, entry in enumerate(entries) if entry.held and index >= sent}
    if callable(pinned):
        named = [index for index, message in enumerate(messages) if pinned(message)]
    else:
        named = [_place(index, len(entries)) for index in pinned]
    reasons |= dict.fromkeys(named, "pinned")
    for index in range(max(len(entries) - keep_last, 0), len(entries)):
        reasons.setdefault(index, "newest")
    for first, last in groups:
        if last - first > 1 and not reasons.keys().isdisjoint(range(first, last)):
            for index in range(first, last):
                reasons.setdefault(index, "with_held")
    return dict(sorted(reasons.items()))


def _place(index: Any, count: int) -> int:
    if isinstance(index, bool) or not hasattr(index, "__index__"):
        raise TypeError(f"pinned must hold indices of messages, not {index!r}")
    if not -count <= index < count:
        raise ValueError(f"pinned: there is no message {index}; there are {count}")
    return int(range(count)[index])
