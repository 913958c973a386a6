"""Documents that share a budget: of several content types, each its share, and the arithmetic of shares."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st
from tersely.engine.allocation import fill, in_steps, share_out, weights_of
from tersely.strategies import seed_allocate

WEIGHTS = st.sampled_from([1e-9, 0.1, 0.5, 1.0, 3.0, 1e9])
ITEMS = st.lists(st.tuples(st.integers(0, 80), WEIGHTS), min_size=1, max_size=10)


@pytest.mark.parametrize(
    ("remaining", "relevance", "total", "share"),
    [(1000, 0.8, 4, 200), (1000, 0, 4, 250), (1000, -1.0, 4, 250), (999, 0.9, 4, 224), (10, 0.0, 3, 3)],
)
def test_shares_follow_the_documented_formula(
    remaining: int, relevance: float, total: int, share: int
) -> None:
    assert seed_allocate(remaining, relevance, total) == share


def test_shares_of_a_budget() -> None:
    with pytest.raises(ValueError, match="total must be 1 or more"):
        seed_allocate(10, 0.5, 0)
    assert fill([800] * 4, [1.0] * 4, 1000).tolist() == [250] * 4
    assert fill([900] * 4, [0.9, 0.8, 0.5, 0.2], 1000).tolist() == [375, 334, 208, 83]
    assert fill([10, 900, 900], [1, 1, 2], 1000).tolist() == [10, 330, 660]
    assert share_out([100, 100, 100], [1, 1, 1], 120, 0, [0, 0, 0]) == {0: 40, 1: 40, 2: 40}
    assert share_out([100, 100, 100], [1, 1e-6, 1], 120, 0, [0, 60, 0]) == {0: 30, 1: 60, 2: 30}


@given(ITEMS, st.integers(0, 400))
def test_water_filling(items: list[tuple[int, float]], budget: int) -> None:
    sizes, weights = [size for size, _ in items], [weight for _, weight in items]
    shares = fill(sizes, weights, budget).tolist()
    assert all(0 <= share <= size for share, size in zip(shares, sizes, strict=True))
    assert sum(shares) == min(budget, sum(sizes))
    levels = [share / weight for share, weight in zip(shares, weights, strict=True)]
    for i, share in enumerate(shares):
        if share < sizes[i]:  # nobody who is not full stands more than a token's rounding under another
            assert all(levels[i] >= levels[j] - 1 / weights[i] - 1 / weights[j] for j in range(len(shares)))


@given(ITEMS, st.integers(1, 400), st.integers(0, 9))
def test_with_separators(items: list[tuple[int, float]], budget: int, gap: int) -> None:
    sizes, weights = [size for size, _ in items], [weight for _, weight in items]
    shares = share_out(sizes, weights, budget, gap, [0] * len(sizes))
    assert shares
    used = sum(shares.values()) + gap * (len(shares) - 1)
    assert used <= budget
    assert used == budget or all(shares[i] == sizes[i] for i in shares)
    out = [weights[i] for i in range(len(sizes)) if i not in shares]
    assert not out or max(out) <= min(weights[i] for i in shares)
    assert len(shares) == 1 or all(share >= min(8, sizes[i]) for i, share in shares.items())


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        ([0.5, None, 1.0, "x"], [2 / 3, 1, 4 / 3, 1]),  # what is not known counts as the mean
        ([0, 50, 100], [0.02, 1, 2]),  # as a hundredth of the largest at least
        *((equal, None) for equal in ([0.5, 0.5], [None, 1e999], [0.5, -3.0], [])),
    ],
)
def test_weights(scores: list[Any], weights: list[float] | None) -> None:
    found = weights_of(scores)
    assert found is None if weights is None else found.tolist() == pytest.approx(weights)


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000)), max_size=30))
def test_steps_are_few_and_of_no_larger_sum(given: list[tuple[int, int]]) -> None:
    sizes = [max(size, share) for size, share in given]
    shares = {index: share for index, (_, share) in enumerate(given)}
    steps = in_steps(shares, sizes)
    assert sum(steps.values()) <= sum(shares.values())
    for index, step in steps.items():
        assert step == sizes[index] or bin(step)[4:].count("1") == 0  # two leading bits
        assert shares[index] * 2 // 3 <= step <= max(sizes[index], 0)
        assert (step == 0) == (shares[index] == 0)
