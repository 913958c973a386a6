"""BudgetExceededError.required: a retry with it succeeds (tests/promises makes one at every door)."""

from __future__ import annotations

import pytest
from tersely import BudgetExceededError
from tersely.engine.strategies import with_required


def test_with_required_tries_what_it_says_and_says_hardly_more_than_is_needed() -> None:
    tried: list[int] = []

    def attempt(budget: int) -> int:
        tried.append(budget)
        if budget < 40:
            raise BudgetExceededError("too small", required=budget + 1, budget=budget)
        return budget

    assert with_required(attempt, 40) == 40
    tried.clear()
    with pytest.raises(BudgetExceededError, match=r"^too small into a budget of 3; \d+ would do$") as caught:
        with_required(attempt, 3)
    assert caught.value.budget == 3
    assert caught.value.required in tried and 40 <= caught.value.required <= 41
    assert len(tried) < 16

    def attempt(budget: int) -> int:
        if budget not in (50, 2):
            raise BudgetExceededError("too small", required=budget + 7, budget=budget)
        return budget

    with pytest.raises(BudgetExceededError) as caught:
        with_required(attempt, 0, enough=50)
    assert caught.value.required == 50

    def attempt(budget: int) -> int:
        if budget < 7:
            raise BudgetExceededError("six do not fit", required=7, budget=budget)
        return budget

    with pytest.raises(BudgetExceededError, match=r"^six do not fit into a budget of 3; 7 would do$"):
        with_required(attempt, 3)
