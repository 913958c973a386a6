"""Fit a chat history into a token budget, in the shape it came in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tersely.core import checks
from tersely.core.errors import BudgetExceededError
from tersely.core.protocols import Strategy
from tersely.core.ratios import Ratios
from tersely.engine.required import with_required
from tersely.history.accounts import MessageAccount
from tersely.history.excerpts import relevance_of
from tersely.history.folding import FoldedHistory, History, fold, shorten_held
from tersely.history.groups import (
    REPLY_TOKENS,
    atomic_groups,
    count_entries,
    count_tools,
    held_messages,
)
from tersely.history.hints import called_tools
from tersely.history.messages import read_messages
from tersely.providers.counters import resolve_counter

__all__ = ["CompactedMessages", "check_options", "compact_messages"]


@dataclass(frozen=True, eq=False, slots=True)
class CompactedMessages(Ratios):
    """A history within its budget.

    Attributes:
        messages: what to send, in the shape that came; what did not change is the object that came.
        tokens: what they and the tools count, with the frames of messages and reply; at most `budget`.
        original_tokens: the same of the history as it was.
        budget: tokens allowed.
        accounts: one a message of the history, in order.
        originals: the messages as they came.
        warnings: reason codes: "empty_query", "query_without_matches" (it was as without one),
            "strategy_failed" (what was to shorten a result raised, so the message was folded),
            "unknown_shape" (some message holds what is not known: it counts, and may be folded or left out),
            "characters_replaced" (lone surrogates were read as U+FFFD; messages that stay have them still),
            "facts_left_out" (accounts list facts that nothing states any more), "errors_left_out" (so they do
            words of tools that tell of a failure).
    """

    messages: list[Any]
    tokens: int
    original_tokens: int
    budget: int
    accounts: tuple[MessageAccount, ...]
    originals: Sequence[Any]
    warnings: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """tokens / original_tokens."""
        return self.tokens / self.original_tokens if self.original_tokens else 1.0

    def expand(self, index: int) -> Any:
        """The message with this number, as it came: "tool grep 12: ..." in excerpts is number 12."""
        return self.originals[index]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the messages, as plain JSON types."""
        return {
            "tokens": self.tokens,
            "original_tokens": self.original_tokens,
            "budget": self.budget,
            "warnings": list(self.warnings),
            "accounts": [
                {**asdict(account), "kept": [*map(list, account.kept)], "lost": [*map(list, account.lost)]}
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
    strategy: Strategy | None = None,
    picture_tokens: int = 1000,
) -> CompactedMessages:
    """Fit a chat history into a token budget.

    The newest messages stay as they are as far as the budget goes, a long result of a tool among them
    shorter. Of older ones excerpts stay, in one message that stands for them: first what failed in its own
    words, then every path, identifier, date and the like once, where it was stated last, as far as the budget
    goes, then whole lines; what did not fit is listed in the accounts. They are quoted with their sources, so
    that nothing that a tool gave passes for the user's words. A call of tools and its results stay or go
    together. Pictures in results of tools give way to a line of text, the oldest first. System messages,
    messages with other pictures or with cache markers, and what is pinned are left alone; only where those
    with cache markers or pictures do not fit, pictures give way and results become shorter in them, too. All
    that a message holds counts, whatever its shape.

    Args:
        messages: OpenAI chat messages, items of the Responses API, messages of Anthropic, Bedrock, Gemini,
            LangChain, pydantic-ai or the AI SDK; they are not changed.
        budget: tokens allowed for all of them, the tools, and the frames of messages and reply.
        counter: as in `tersely.compress`; the history costs the sum of its texts' counts and of the frames.
        tools: schemas that are sent along, counted as JSON.
        pinned: indices of messages that stay, or a function that says so of a message.
        keep_last: so many of the newest messages must stay as they are, with what belongs to them.
        query: what the next answers will be about. Messages that have to do with it, and those around them,
            then come before facts and, but for a tenth of the budget, before the newest.
        strategy: shortens results of tools; None: each is read as what it is, and takes part in the choice.
        picture_tokens: what a picture is taken to cost.

    Raises:
        BudgetExceededError: what must stay does not fit, or of what somebody said nothing does.
        TypeError, ValueError: a wrong argument.

    O(characters + facts log facts).
    """
    check_options(budget, pinned, strategy, picture_tokens)
    checks.whole_number(keep_last, "keep_last")
    entries = read_messages(messages)
    counting = resolve_counter(counter)
    costs = count_entries(counting, entries, picture_tokens)
    frame = REPLY_TOKENS + count_tools(counting, tools)
    original = frame + int(costs.sum())
    warnings = list(dict.fromkeys(code for entry in entries for code in entry.warnings))
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
    history = History(
        messages=messages,
        entries=entries,
        groups=groups,
        costs=costs,
        counter=counting,
        picture_tokens=picture_tokens,
        stays=stays,
        called=called_tools(entries),
        numbers=range(len(entries)),
        strategy=strategy,
        relevance=relevance,
        query=query if query is not None and relevance is not None else "",
    )

    def attempt(allowed: int) -> FoldedHistory:
        folded = fold(shorten_held(history, frame, allowed), allowed - frame)
        fates = [
            account.outcome
            for account, entry in zip(folded.accounts, entries, strict=True)
            if entry.role != "system"
        ]
        if fates and set(fates) == {"dropped"}:  # a model cannot answer no message
            problem = f"nothing of {len(fates)} messages fits"
            raise BudgetExceededError(problem, required=allowed + 1, budget=allowed)
        return folded

    folded = with_required(attempt, budget, original)
    return CompactedMessages(
        folded.messages,
        frame + folded.tokens,
        original,
        budget,
        folded.accounts,
        list(messages),
        (*warnings, *folded.warnings),
    )


def check_options(budget: Any, pinned: Any, strategy: Any, picture_tokens: Any) -> None:
    """Raise TypeError or ValueError for options that are none."""
    checks.whole_number(budget, "budget")
    checks.whole_number(picture_tokens, "picture_tokens")
    if not callable(pinned) and (isinstance(pinned, str) or not isinstance(pinned, Collection)):
        kind = type(pinned).__name__
        raise TypeError(f"pinned must be indices of messages, or a function of a message, not {kind}")
    if strategy is not None and (isinstance(strategy, type) or not isinstance(strategy, Strategy)):
        raise TypeError(f"strategy must be None or an object with compress(request), not {strategy!r}")
