"""A chat history within a token budget, in the shape it came in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from tersely.content.auto import Auto
from tersely.documents import check_text
from tersely.errors import BudgetExceededError
from tersely.memory.accounts import CompactedMessages, MessageAccount
from tersely.memory.asking import relevance_of
from tersely.memory.counting import REPLY_TOKENS, count_entries, count_tools
from tersely.memory.folding import Folding
from tersely.memory.groups import atomic_groups
from tersely.memory.messages import Entry, read_messages
from tersely.memory.sources import called_tools
from tersely.protocols import Strategy
from tersely.providers.counters import resolve_counter

__all__ = ["check_options", "compact_messages", "stay_within", "staying"]

_TASK_SHARE = 0.1  # of the budget: a first message of the user up to this size stays


def compact_messages(
    messages: Sequence[Any],
    *,
    budget: int,
    counter: Any = None,
    tools: Any = None,
    pinned: Collection[int] | Callable[[Any], bool] = (),
    keep_last: int = 0,
    query: str | None = None,
    strategy: Strategy | None = None,
    picture_tokens: int = 1000,
) -> CompactedMessages:
    """Fit a chat history into a token budget.

    The newest messages stay as they are as far as the budget goes, a long result of a tool among them
    shorter. Of older ones excerpts stay, in one message that stands for them: every path, identifier, error,
    date and the like once, where it was stated last, as far as the budget goes, then whole lines. They are
    quoted with their sources, so that nothing that a tool gave passes for the user's words. A call of
    tools and its results stay or go together. System messages, messages with pictures or cache markers, and
    what is pinned are left alone.

    Args:
        messages: OpenAI chat messages, items of the Responses API, Anthropic or LangChain messages; they are
            not changed.
        budget: tokens allowed for all of them, the tools, and the frames of messages and reply.
        counter: as in `tersely.compress`; the history costs the sum of its texts' counts and of the frames.
        tools: schemas that are sent along, counted as JSON.
        pinned: indices of messages that stay, or a function that says so of a message.
        keep_last: so many of the newest messages must stay as they are, with what belongs to them.
        query: what the next answers will be about. Messages that have to do with it, and those around them,
            then come before facts and, but for a tenth of the budget, before the newest.
        strategy: shortens results of tools; None: each as what it is (`tersely.content.auto.Auto`).
        picture_tokens: what a picture is taken to cost.

    Raises:
        BudgetExceededError: what must stay does not fit.
        TypeError, ValueError: a wrong argument.

    O(characters + facts log facts).
    """
    check_options(budget, pinned, strategy, picture_tokens)
    if isinstance(keep_last, bool) or not isinstance(keep_last, int) or keep_last < 0:
        raise ValueError(f"keep_last must be a whole number from 0, not {keep_last!r}")
    entries = read_messages(messages)
    counting = resolve_counter(counter)
    costs = count_entries(counting, entries, picture_tokens)
    frame = REPLY_TOKENS + count_tools(counting, tools)
    original = frame + int(costs.sum())
    if original <= budget:
        accounts = tuple(
            MessageAccount(index, "verbatim", "fits", tokens) for index, tokens in enumerate(costs.tolist())
        )
        return CompactedMessages(list(messages), original, original, budget, accounts, list(messages))
    relevance, warnings = None, list[str]()
    if query is not None:
        check_text(query, "query")
        relevance = relevance_of(entries, query) if query.strip() else None
        if relevance is None:
            warnings.append("query_without_matches" if query.strip() else "empty_query")
    groups = atomic_groups(entries)
    stays = staying(messages, entries, groups, pinned, keep_last)
    stay_within(entries, groups, costs.tolist(), stays, frame, budget)
    chosen = strategy or Auto()
    called = called_tools(entries)
    folding = Folding(messages, entries, groups, costs, counting, chosen, stays, called, relevance=relevance)
    folded = folding.fit(budget - frame)
    return CompactedMessages(
        folded.messages,
        frame + folded.tokens,
        original,
        budget,
        folded.accounts,
        list(messages),
        (*warnings, *folded.warnings),
    )


def staying(
    messages: Sequence[Any],
    entries: Sequence[Entry],
    groups: Sequence[tuple[int, int]],
    pinned: Collection[int] | Callable[[Any], bool],
    keep_last: int,
) -> dict[int, str]:
    """Why messages must stay: index -> reason, in order. Raises ValueError for a wrong index."""
    reasons = {index: entry.held for index, entry in enumerate(entries) if entry.held}
    if callable(pinned):
        asked = [index for index, message in enumerate(messages) if pinned(message)]
    else:
        asked = [_place(index, len(entries)) for index in pinned]
    reasons |= dict.fromkeys(asked, "pinned")
    for index in range(max(len(entries) - keep_last, 0), len(entries)):
        reasons.setdefault(index, "newest")
    for first, last in groups:
        if last - first > 1 and any(index in reasons for index in range(first, last)):
            for index in range(first, last):
                reasons.setdefault(index, "with_held")
    return dict(sorted(reasons.items()))


def stay_within(
    entries: Sequence[Entry],
    groups: Sequence[tuple[int, int]],
    costs: Sequence[int],
    stays: dict[int, str],
    frame: int,
    budget: int,
) -> None:
    """Check that what stays fits; a first message of the user that is small stays too: it is the task.

    Raises BudgetExceededError.
    """
    required = frame + sum(costs[index] for index in stays)
    if required > budget:
        raise BudgetExceededError(
            f"{len(stays)} messages that must stay, and the tools, need {required} tokens; "
            f"{budget} are allowed",
            required=required,
            budget=budget,
        )
    for first, last in groups:
        if entries[first].role == "user" and last - first == 1:
            if costs[first] <= min(_TASK_SHARE * budget, budget - required):
                stays.setdefault(first, "task")
            return


def check_options(budget: Any, pinned: Any, strategy: Any, picture_tokens: Any) -> None:
    """Raise TypeError or ValueError for options that are none."""
    for name, value in (("budget", budget), ("picture_tokens", picture_tokens)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} must be a whole number, not {value!r}")
        if value < 0:
            raise ValueError(f"{name} must be 0 or more, not {value}")
    if not callable(pinned) and (isinstance(pinned, str) or not isinstance(pinned, Collection)):
        kind = type(pinned).__name__
        raise TypeError(f"pinned must be indices of messages, or a function of a message, not {kind}")
    if strategy is not None and (isinstance(strategy, type) or not isinstance(strategy, Strategy)):
        raise TypeError(f"strategy must be None or an object with compress(request), not {strategy!r}")


def _place(index: Any, count: int) -> int:
    if isinstance(index, bool) or not hasattr(index, "__index__"):
        raise TypeError(f"pinned must hold indices of messages, not {index!r}")
    if not -count <= index < count:
        raise ValueError(f"pinned: there is no message {index}; there are {count}")
    return int(range(count)[index])
