"""Sharing a budget out: the seed's formula, water filling, and parts under one budget."""

from __future__ import annotations

from collections.abc import Mapping

import odd_counters
import pytest
from hypothesis import given, strategies as st
from tersely import BudgetExceededError
from tersely.engine.allocation import fill, in_steps, share_out, weights_of
from tersely.models.counters import resolve_counter
from tersely.strategies import seed_allocate
from tersely.strategies.manager import Assembler, Assembly, Part

WEIGHTS = st.sampled_from([1e-9, 0.1, 0.5, 1.0, 3.0, 1e9])
ITEMS = st.lists(st.tuples(st.integers(0, 80), WEIGHTS), min_size=1, max_size=10)


@pytest.mark.parametrize(
    ("remaining", "relevance", "total", "share"),
    [(1000, 0.8, 4, 200), (1000, 0, 4, 250), (1000, -1.0, 4, 250), (999, 0.9, 4, 224), (10, 0.0, 3, 3)],
)
def test_A054_the_seeds_formula(remaining: int, relevance: float, total: int, share: int) -> None:
    assert seed_allocate(remaining, relevance, total) == share


def test_A054_no_chunks() -> None:
    with pytest.raises(ValueError, match="total must be 1 or more"):
        seed_allocate(10, 0.5, 0)


def test_X16_equal_chunks_get_equal_shares() -> None:
    assert fill([800] * 4, [1.0] * 4, 1000).tolist() == [250] * 4


def test_X16_in_proportion_to_relevance() -> None:
    assert fill([900] * 4, [0.9, 0.8, 0.5, 0.2], 1000).tolist() == [375, 334, 208, 83]


def test_X16_what_a_small_one_leaves_goes_to_the_others() -> None:
    assert fill([10, 900, 900], [1, 1, 2], 1000).tolist() == [10, 330, 660]


@given(ITEMS, st.integers(0, 400))
def test_X16_water_filling(items: list[tuple[int, float]], budget: int) -> None:
    sizes, weights = [size for size, _ in items], [weight for _, weight in items]
    shares = fill(sizes, weights, budget).tolist()
    assert all(0 <= share <= size for share, size in zip(shares, sizes, strict=True))
    assert sum(shares) == min(budget, sum(sizes))
    levels = [share / weight for share, weight in zip(shares, weights, strict=True)]
    for i, share in enumerate(shares):
        if share < sizes[i]:  # nobody who is not full stands more than a token's rounding under another
            assert all(levels[i] >= levels[j] - 1 / weights[i] - 1 / weights[j] for j in range(len(shares)))


@given(ITEMS, st.integers(1, 400), st.integers(0, 9))
def test_X16_with_separators(items: list[tuple[int, float]], budget: int, gap: int) -> None:
    sizes, weights = [size for size, _ in items], [weight for _, weight in items]
    shares = share_out(sizes, weights, budget, gap, [0] * len(sizes))
    assert shares
    used = sum(shares.values()) + gap * (len(shares) - 1)
    assert used <= budget
    assert used == budget or all(shares[i] == sizes[i] for i in shares)
    out = [weights[i] for i in range(len(sizes)) if i not in shares]
    assert not out or max(out) <= min(weights[i] for i in shares)
    assert len(shares) == 1 or all(share >= min(8, sizes[i]) for i, share in shares.items())


def test_floors_are_kept() -> None:
    assert share_out([100, 100, 100], [1, 1, 1], 120, 0, [0, 0, 0]) == {0: 40, 1: 40, 2: 40}
    assert share_out([100, 100, 100], [1, 1e-6, 1], 120, 0, [0, 60, 0]) == {0: 30, 1: 60, 2: 30}


def test_weights() -> None:
    assert weights_of([0.5, 0, None, 1.0, -3.0]) == [0.5, 0.75, 0.75, 1.0, 0.75]
    assert weights_of([0, None]) == [1.0, 1.0]
    with pytest.raises(ValueError, match="finite"):
        weights_of([1.0, float("inf")])


def words(tokens: int) -> str:
    return " ".join(["word"] * tokens)


def put_together(sizes: list[int], budget: int, counter: object, **parts: Part) -> Assembly:
    """Parts of exactly the tokens they are allowed; `parts` says which are otherwise."""

    def make(shares: Mapping[int, int]) -> dict[int, Part]:
        return {i: parts.get(f"i{i}", Part(words(share))) for i, share in shares.items()}

    weights = [1.0] * len(sizes)
    return Assembler(sizes, weights, budget, resolve_counter(counter), "\n--- ---\n", make).run()


def test_the_whole_budget_is_used() -> None:
    found = put_together([100, 100], 50, odd_counters.words)
    assert found.tokens == 50
    assert found.shares == {0: 24, 1: 24}


def test_X18_what_failed_leaves_its_share_to_the_others() -> None:
    found = put_together([100, 100, 100], 50, odd_counters.words, i1=Part(None))
    assert (found.tokens, found.shares, found.refused) == (50, {0: 24, 2: 24}, ())


def test_one_that_does_not_fit_into_its_share_is_refused() -> None:
    found = put_together([100, 100], 50, odd_counters.words, i0=Part(None, 90))
    assert (found.tokens, found.refused) == (50, (0,))


def test_nothing_fits() -> None:
    with pytest.raises(BudgetExceededError) as raised:
        put_together([100, 100], 50, odd_counters.words, i0=Part(None, 90), i1=Part(None, 70))
    assert (raised.value.required, raised.value.budget) == (70, 50)


def test_everything_failed() -> None:
    found = put_together([100, 100], 50, odd_counters.words, i0=Part(None), i1=Part(None))
    assert (found.text, found.tokens, found.refused) == ("", 0, ())


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=8),
    st.integers(1, 150),
    st.sampled_from(odd_counters.ALL),
)
def test_A052_never_over_under_any_counter(sizes: list[int], budget: int, counter: object) -> None:
    try:
        found = put_together(sizes, budget, counter)
    except BudgetExceededError as error:
        assert error.required > error.budget
        return
    assert resolve_counter(counter).count(found.text) == found.tokens <= budget
    assert found.text
    assert {*found.shares, *found.refused} == set(range(len(sizes)))


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000)), max_size=30))
def test_A067_steps_are_few_and_of_no_larger_sum(given: list[tuple[int, int]]) -> None:
    sizes = [max(size, share) for size, share in given]
    shares = {index: share for index, (_, share) in enumerate(given)}
    steps = in_steps(shares, sizes)
    assert sum(steps.values()) <= sum(shares.values())
    for index, step in steps.items():
        assert step == sizes[index] or bin(step)[4:].count("1") == 0  # two leading bits
        assert shares[index] * 2 // 3 <= step <= max(sizes[index], 0)
        assert (step == 0) == (shares[index] == 0)
