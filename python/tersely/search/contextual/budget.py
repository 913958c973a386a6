"""Share a token budget out over documents by their relevance, and account for what was used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tersely.core.errors import BudgetExceededError
from tersely.core.tables import Float64s, Int64s
from tersely.engine.allocation import fill
from tersely.providers.counters import resolve_counter
from tersely.search.contextual.settings import AllocationStrategy, TokenBudgetConfig

__all__ = ["BudgetPlan", "TokenBudgetManager", "TokenUsage", "limits_for", "total_for"]

_DEFAULT = TokenBudgetConfig()
_LEAST_WEIGHT = 1e-9  # of a document without any relevance


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """Shares of a budget.

    Attributes:
        allocations: tokens of each document; 0: none of it is kept.
        dropped: documents without a share, ascending: those of least relevance, or under the threshold.
        available: tokens that were shared out.
    """

    allocations: tuple[int, ...]
    dropped: tuple[int, ...]
    available: int


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Accounts for a budget, in tokens.

    Attributes:
        available: allowed for the documents together.
        used: of their text, separators between documents included.
        allocated: of each document.
        used_by_document: of each document; 0 for one that was left out.
    """

    available: int
    used: int
    allocated: tuple[int, ...]
    used_by_document: tuple[int, ...]

    @property
    def unused(self) -> int:
        """available - used."""
        return self.available - self.used

    @property
    def unused_by_document(self) -> tuple[int, ...]:
        """The tokens of each document's share that it did not use."""
        pairs = zip(self.allocated, self.used_by_document, strict=True)
        return tuple(share - used for share, used in pairs)


def limits_for(
    total: int, allocation: AllocationStrategy, given: TokenBudgetConfig | None
) -> tuple[TokenBudgetConfig, tuple[str, ...]]:
    """Return limits like `given` with another total and allocation, and reason codes.

    A reserve that was given but does not fit into the total is the same share of it as of the total that it
    was given for. Where nobody gave limits, documents have what the default ones leave them first, and the
    default reserve what is above that. "reserve_shrunk" says that it is smaller.
    """
    limits = given or _DEFAULT
    reserve = limits.reserve_for_response
    if given is None:
        reserve = min(reserve, max(total - limits.available(), 0))
    elif reserve >= total:
        reserve = total * reserve // given.total_budget
    warnings = ("reserve_shrunk",) if reserve < limits.reserve_for_response else ()
    limits = replace(limits, total_budget=total, reserve_for_response=reserve, allocation_strategy=allocation)
    return limits, warnings


def total_for(tokens: int, given: TokenBudgetConfig | None) -> int:
    """The least total budget whose limits (`limits_for`) leave so many tokens to documents."""
    limits = given or _DEFAULT
    share = limits.allocation_strategy
    reserve, of = limits.reserve_for_response, limits.total_budget
    totals = (tokens, (tokens - 1) * of // (of - reserve) + 1, tokens + reserve)
    return min(one for one in totals if limits_for(one, share, given)[0].available() >= tokens)


class TokenBudgetManager:
    """Shares tokens out over documents by their relevance, and sees that nobody takes more."""

    def __init__(
        self,
        config: TokenBudgetConfig | int = TokenBudgetConfig(),  # noqa: B008  it is frozen
        *,
        counter: Any = None,
        relevance_threshold: float = 0.5,
        strict: bool = False,
    ) -> None:
        """Set the limits.

        Args:
            config: or the total budget, with the other limits as they are by default (`limits_for`).
            counter: the tokenizer that the limits are meant in (`tersely.compress`).
            relevance_threshold: of THRESHOLD.
            strict: raise BudgetExceededError where some documents would get nothing.
        """
        if isinstance(config, int):
            config, _ = limits_for(config, _DEFAULT.allocation_strategy, None)
        self.config = config
        self.counter = resolve_counter(counter)
        self.relevance_threshold = relevance_threshold
        self.strict = strict

    def available(self) -> int:
        """Tokens for documents."""
        return self.config.available()

    @property
    def shares(self) -> bool:
        """Whether documents have shares: where somebody set other limits a document, or another allocation,
        than the default, or is `strict`. Else tokens go wherever they bring most."""
        config, default = self.config, _DEFAULT
        return (
            self.strict
            or config.allocation_strategy is not default.allocation_strategy
            or config.min_per_document != default.min_per_document
            or config.max_per_document != default.max_per_document
        )

    def allocate(
        self,
        sizes: Sequence[int],
        scores: Sequence[float],
        *,
        available: int | None = None,
        required: Sequence[int] | None = None,
    ) -> BudgetPlan:
        """Share the budget out.

        Args:
            sizes: tokens that each document can use.
            scores: relevance of each, finite, from 0.
            available: tokens to share out; None: `available()`.
            required: tokens that each must have (what is pinned in it); those come first.

        Returns:
            Shares that add up to `available` at most, none above a document's size or `max_per_document`,
            none below `min_per_document` but of a document that is smaller. Rounding is by largest
            remainder; ties go to the first. Where the least for all is too much, the least relevant get
            nothing; where it is too much for one, the most relevant gets all there is.

        Raises:
            BudgetExceededError: what is required does not fit, or `strict` and not all have a share.
            ValueError: a wrong argument; or MARGINAL, which shares nothing out.

        O(n log n).
        """
        room = self.available() if available is None else max(available, 0)
        size, score = _checked(sizes, scores)
        must = np.zeros(len(size), np.int64) if required is None else np.asarray(required, np.int64)
        if self.config.allocation_strategy is AllocationStrategy.MARGINAL:
            raise ValueError("MARGINAL has no shares: the budget goes to segments of all documents at once")
        if int(must.sum()) > room:
            self._raise("what must be kept", int(must.sum()), room)
        most = np.maximum(np.minimum(size, self.config.max_per_document), must)
        least = np.maximum(np.minimum(most, self.config.min_per_document), must)
        if int(least[must > 0].sum()) > room:
            least = np.where(must > 0, must, least)
        wanted = (size > 0) | (must > 0)
        if self.config.allocation_strategy is AllocationStrategy.THRESHOLD:
            wanted &= (score >= self.relevance_threshold) | (must > 0)
        order = np.lexsort((np.arange(len(size)), -score, must == 0))
        order = order[wanted[order]]
        count = int(np.searchsorted(np.cumsum(least[order]), room, side="right"))
        if self.strict and count < len(order):
            self._raise("the least for each document", int(least[order].sum()), room)
        shares = np.zeros(len(size), dtype=np.int64)
        if count:
            chosen = np.sort(order[:count])
            shares[chosen] = self._shares(most[chosen], least[chosen], score[chosen], must[chosen], room)
        elif len(order):
            shares[order[0]] = min(room, int(most[order[0]]))
        return BudgetPlan(tuple(shares.tolist()), tuple(np.flatnonzero(shares == 0).tolist()), room)

    def usage(self, plan: BudgetPlan, used_by_document: Sequence[int], used: int | None = None) -> TokenUsage:
        """Account for a plan; `used`: tokens of the text as a whole, None: the sum.

        Raises BudgetExceededError where that is more than was available.
        """
        whole = sum(used_by_document) if used is None else used
        for needed in (whole, sum(used_by_document)):
            if needed > plan.available:
                self._raise("the text", needed, plan.available)
        return TokenUsage(plan.available, whole, plan.allocations, tuple(used_by_document))

    def _shares(self, most: Int64s, least: Int64s, score: Float64s, must: Int64s, room: int) -> Int64s:
        strategy = self.config.allocation_strategy
        if strategy is AllocationStrategy.GREEDY:
            return self._greedily(most, least, score, must, room)
        weight = np.ones_like(score)
        if strategy is not AllocationStrategy.UNIFORM:
            weight = np.maximum(score, _LEAST_WEIGHT)
        if strategy is AllocationStrategy.THRESHOLD:
            return least + fill(most - least, weight, room - int(least.sum()))
        shares, free = least.copy(), np.ones(len(most), dtype=bool)
        while free.any():
            shares[free] = fill(most[free], weight[free], room - int(least[~free].sum()))
            short = free & (shares < least)
            if not short.any():
                break
            shares[short] = least[short]
            free &= ~short
        return shares

    def _greedily(self, most: Int64s, least: Int64s, score: Float64s, must: Int64s, room: int) -> Int64s:
        shares = must.copy()
        left = room - int(must.sum())
        for index in np.lexsort((np.arange(len(most)), -score)).tolist():
            more = min(int(most[index] - must[index]), left)
            if must[index] + more >= least[index]:
                shares[index] += more
                left -= more
        return shares

    def _raise(self, what: str, required: int, room: int) -> None:
        raise BudgetExceededError(f"{what} does not fit", required=required, budget=room)


def _checked(sizes: Sequence[int], scores: Sequence[float]) -> tuple[Int64s, Float64s]:
    if len(sizes) != len(scores):
        raise ValueError(f"there must be one score a document: {len(scores)} for {len(sizes)}")
    size, score = np.asarray(sizes, dtype=np.int64), np.asarray(scores, dtype=np.float64)
    if not (np.isfinite(score) & (score >= 0)).all():
        raise ValueError("scores must be finite and 0 or more")
    if (size < 0).any():
        raise ValueError("sizes must be 0 or more tokens")
    return size, score
