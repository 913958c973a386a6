"""Find a budget that is enough where one is too small: the promise of `BudgetExceededError.required`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tersely.core.errors import BudgetExceededError

__all__ = ["smallest_fit", "with_required"]

T = TypeVar("T")

_TRIES = 60  # of budgets that grow twofold: more than there are tokens


def with_required(attempt: Callable[[int], T], budget: int, enough: int | None = None) -> T:
    """Make an attempt under a budget; the error for one that is too small says a budget that was tried.

    Whether a budget does is no matter of arithmetic: counters are not additive, what is chosen depends on the
    budget, and documents may be read in another way. So what `attempt` says that it requires is tried, then
    more, twice as much more each time, until it succeeds. This is what keeps the promise of
    `BudgetExceededError.required`; every door that raises one goes through here.

    Args:
        attempt: budget -> result; the same every time.
        budget: that the caller gave.
        enough: a budget that does as far as is known, as that of all documents as they are.
    """
    try:
        return attempt(budget)
    except BudgetExceededError as error:
        told, required = error, max(int(error.required), budget + 1)
    more, tried = 1, budget
    for _ in range(_TRIES):
        if enough is not None and tried < enough < required:
            required = enough
        tried = required
        try:
            attempt(required)
            break
        except BudgetExceededError as error:
            required, more = max(int(error.required), tried + more), 2 * more
    raise BudgetExceededError(told.reason, required=required, budget=budget) from None


def smallest_fit(attempt: Callable[[int], T], budget: int, enough: int | None = None) -> T:
    """Make an attempt under a budget that no caller gave: where it is too small, under one that is enough."""
    try:
        return with_required(attempt, budget, enough)
    except BudgetExceededError as error:
        return attempt(int(error.required))
