"""Whether compacting pays (E029, X66)."""

from __future__ import annotations

import pytest
from histories import openai_chat
from tersely.memory import Prices, apply, break_even, compact_messages, plan


@pytest.mark.parametrize(
    ("cost", "price", "requests"), [(0.01, 3.0, 25), (0.05, 3.0, 124), (0.01, 0.3, 247), (0.0, 3.0, 0)]
)
def test_e029_x66_break_even(cost: float, price: float, requests: int) -> None:
    assert break_even(cost, 135, price) == requests


def test_e029_what_saves_nothing_never_pays() -> None:
    assert break_even(0.01, 0, 3.0) is None
    assert break_even(0.01, 100, 0.0) is None
    with pytest.raises(ValueError):
        break_even(-1, 100, 3.0)


def test_e029_a_plan_declines_where_the_horizon_is_shorter() -> None:
    messages = openai_chat(3)
    whole = compact_messages(messages, budget=10**9).tokens
    prices = Prices(input=3.0, cached_input=0.3, cache_write=3.75, model_call=0.01)
    planned = plan(messages, budget=whole // 2, prices=prices, model_calls=1, horizon=3)
    assert not planned.worth_it and planned.reason == "too_dear"
    saved = planned.saved_tokens
    rewritten = planned.tokens_after - planned.unchanged_tokens
    assert planned.cost == pytest.approx(0.01 + rewritten * (3.75 - 0.3) / 1e6)
    assert planned.requests == break_even(planned.cost, saved, 0.3)
    assert planned.requests is not None
    later = plan(messages, budget=whole // 2, prices=prices, model_calls=1, horizon=planned.requests)
    assert later.worth_it and later.reason == "pays"
    assert apply(later).messages == compact_messages(messages, budget=whole // 2).messages
    assert len(later.decisions) == len(messages)


def test_e029_over_the_limit_it_is_worth_any_price() -> None:
    messages = openai_chat(3)
    prices = Prices(input=3.0, model_call=100.0)
    planned = plan(messages, budget=2000, prices=prices, model_calls=1, limit=3000)
    assert planned.worth_it and planned.reason == "over_limit"
    assert plan(messages, budget=10**9, prices=prices).reason == "saves_nothing"


@pytest.mark.parametrize("wrong", [{"input": -1.0}, {"input": 3.0, "model_call": float("inf")}])
def test_e029_wrong_prices_are_named(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=list(wrong)[-1]):
        Prices(**wrong)
