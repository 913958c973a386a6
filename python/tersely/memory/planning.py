"""Plan a compaction: its cost, with caches and models, and its savings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tersely.checks import Valued, number, whole_number
from tersely.memory.compaction import CompactedMessages, compact_messages
from tersely.memory.folding import MessageAccount
from tersely.memory.groups import count_entries
from tersely.memory.messages import read_messages
from tersely.models.counters import resolve_counter


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of tokens, in one currency.

    Attributes:
        input, cached_input, cache_write: for a million tokens: of a prompt, of its start that the provider
            has seen, and of writing such a start. None: as `input`.
        model_call: of one call to a model that the compaction makes.
    """

    input: float
    cached_input: float | None = None
    cache_write: float | None = None
    model_call: float = 0.0

    def __post_init__(self) -> None:
        for name in ("input", "cached_input", "cache_write", "model_call"):
            value = getattr(self, name)
            if value is not None:
                number(value, name, least=0)

    @property
    def kept(self) -> float:
        """Price of a million tokens that are sent again: the price of cached input, if there is one."""
        return self.input if self.cached_input is None else self.cached_input

    @property
    def new(self) -> float:
        """Price of a million tokens that the provider has not cached."""
        return self.input if self.cache_write is None else self.cache_write


def break_even(cost: float, saved_tokens: int, price_per_million: float) -> int | None:
    """Return the least number of requests after which a compression has paid for itself; None: never.

    That is the smallest n with n * saved_tokens * price_per_million / 1e6 >= cost. `price_per_million` is the
    price of the saved input tokens, in the currency of `cost` (the cached price, if a provider caches them).
    Raises ValueError for negative numbers and NaN.
    """
    given = {"cost": cost, "saved_tokens": saved_tokens, "price_per_million": price_per_million}
    for name, value in given.items():
        number(value, name, least=0)
    if cost == 0:
        return 0
    saved = saved_tokens * price_per_million / 1e6
    return math.ceil(cost / saved) if saved > 0 and math.isfinite(cost / saved) else None


@dataclass(frozen=True, eq=False, slots=True)
class CompactionPlan(Valued):
    """The outcome and costs of a compaction that is not done yet.

    Attributes:
        worth_it: whether it pays within the horizon, or the history is over the limit anyway.
        reason: "over_limit", "pays", "too_dear" (not within the horizon), "saves_nothing".
        tokens_before, tokens_after, saved_tokens: of the history.
        unchanged_tokens: at its start, that stay the same bytes: a provider's cache holds so far.
        cost: of compacting once: the new start is written again, and calls to models.
        saving: of each later request.
        requests: until it has paid; None: never.
        decisions: one a message, with reason and tokens.
        compacted: what `apply` gives.
    """

    worth_it: bool
    reason: str
    tokens_before: int
    tokens_after: int
    unchanged_tokens: int
    cost: float
    saving: float
    requests: int | None
    decisions: tuple[MessageAccount, ...]
    compacted: CompactedMessages

    @property
    def saved_tokens(self) -> int:
        """tokens_before - tokens_after."""
        return self.tokens_before - self.tokens_after


def plan(
    messages: Sequence[Any],
    *,
    budget: int,
    prices: Prices,
    horizon: int = 20,
    model_calls: int = 0,
    limit: int | None = None,
    counter: Any = None,
    **options: Any,
) -> CompactionPlan:
    """Estimate what compacting to `budget` saves and costs; changes nothing.

    Args:
        messages, counter: as in `compact_messages`.
        budget: tokens after compacting.
        prices: of tokens and calls.
        horizon: requests that are still to come with this history in them.
        model_calls: calls that the compaction makes; `compact_messages` makes none of its own.
        limit: tokens that the history may have at most (the window); above it compacting pays at any
            price. None: no limit.
        options: of `compact_messages`.
    """
    whole_number(horizon, "horizon")
    compacted = compact_messages(messages, budget=budget, counter=counter, **options)
    same = 0
    while same < len(compacted.messages) and compacted.messages[same] is messages[same]:
        same += 1
    counting = resolve_counter(counter)
    unchanged = int(count_entries(counting, read_messages(messages[:same])).sum())
    saved = compacted.original_tokens - compacted.tokens
    # Once: what follows the unchanged start is new to the cache, where it would have been read from it.
    rewritten = max(compacted.tokens - unchanged, 0)
    cost = model_calls * prices.model_call + max(rewritten * (prices.new - prices.kept), 0.0) / 1e6
    requests = break_even(cost, saved, prices.kept)
    if limit is not None and compacted.original_tokens > limit:
        worth_it, reason = True, "over_limit"
    elif saved <= 0:
        worth_it, reason = False, "saves_nothing"
    elif requests is not None and requests <= horizon:
        worth_it, reason = True, "pays"
    else:
        worth_it, reason = False, "too_dear"
    tokens, saving = (compacted.original_tokens, compacted.tokens, unchanged), saved * prices.kept / 1e6
    return CompactionPlan(worth_it, reason, *tokens, cost, saving, requests, compacted.accounts, compacted)


def apply(planned: CompactionPlan) -> CompactedMessages:
    """Compact a history as planned."""
    return planned.compacted
