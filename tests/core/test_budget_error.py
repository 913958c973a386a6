"""The error of a budget that is too small says one number that would do, and it does."""

from __future__ import annotations

import pickle
import re

import odd_counters
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import BudgetExceededError
from tersely.engine.strategies import smallest_fit
from text_strategies import texts

MESSAGE = re.compile(
    r"^(?P<reason>.+) into a budget of (?P<budget>\d+); (?P<required>\d+) would do$", re.DOTALL
)


def check_message(error: BudgetExceededError) -> None:
    said = MESSAGE.match(str(error))
    assert said is not None, str(error)
    assert (int(said["budget"]), int(said["required"])) == (error.budget, error.required)
    assert said["reason"] == error.reason and error.required > error.budget
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.reason, again.required) == (str(error), error.reason, error.required)


@given(
    text=texts,
    budget=st.integers(0, 30),
    strategy=st.sampled_from(["extractive", "hierarchical", "hybrid", "json", "table", "log"]),
    pin=st.booleans(),
    counter=st.sampled_from([None, len, odd_counters.words, odd_counters.quarters]),
)
def test_what_the_message_says_is_what_the_error_says_and_a_retry_succeeds(
    text: str, budget: int, strategy: str, pin: bool, counter: object
) -> None:
    def attempt(allowed: int) -> tersely.Compressed:
        pinned = [(0, min(10, len(text)))] if pin and text else ()
        return tersely.compress(text, budget=allowed, strategy=strategy, pinned=pinned, counter=counter)  # type: ignore[call-overload]

    try:
        attempt(budget)
    except BudgetExceededError as error:
        check_message(error)
        assert error.budget == budget
        assert attempt(int(error.required)).tokens <= error.required
        assert smallest_fit(attempt, budget).tokens == attempt(int(error.required)).tokens


@pytest.mark.parametrize("budget", [0, 999_999, 10_000_000])
def test_large_numbers_are_written_out(budget: int) -> None:
    check_message(BudgetExceededError("nothing fits", required=budget + 1, budget=budget))


def test_costs_need_not_be_whole() -> None:
    error = BudgetExceededError("the pinned items do not fit", required=2.5, budget=1.0)
    assert str(error) == "the pinned items do not fit into a budget of 1; 2.5 would do"
