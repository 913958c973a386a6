"""kernels/selection.py against every possible choice, and its arguments."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tersely import BudgetExceededError, kernels

E = 1 - 1 / np.e


def coverage(similarity: np.ndarray, weights: np.ndarray, rows: Sequence[int]) -> float:
    """The value that facility location is about, written as its definition."""
    if len(rows) == 0:
        return 0.0
    return float(weights @ np.maximum(0, similarity[:, list(rows)].max(axis=1)))


def choices(count: int, costs: np.ndarray, budget: float, pinned: Sequence[int] = ()) -> list[list[int]]:
    """Every set of items with the pinned ones whose costs fit."""
    every = itertools.chain.from_iterable(itertools.combinations(range(count), k) for k in range(count + 1))
    return [list(c) for c in every if set(pinned) <= set(c) and costs[list(c)].sum() <= budget]


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    """Small rows with costs, weights, pins and a budget that has room for the pins."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(0, 9))
    costs = rng.integers(0, 5, count) / 4
    pinned = [int(i) for i in rng.permutation(count)[: draw(st.integers(0, 2))]]
    return {
        "x": rng.integers(-2, 3, (count, draw(st.integers(1, 4)))).astype(float),  # ties and zero rows too
        "costs": costs,
        "weights": rng.integers(0, 4, count) / 2,
        "pinned": pinned,
        "budget": float(costs[pinned].sum() + draw(st.integers(0, 8)) / 4),
        "values": rng.integers(-2, 8, count) / 2,
    }


@given(problems(), st.sampled_from([None, 1, 3]), st.integers(1, 3))
def test_facility_location_is_near_the_best(
    problem: dict[str, Any], neighbors: int | None, threads: int
) -> None:
    x, costs, weights = problem["x"], problem["costs"], problem["weights"]
    pinned, budget = problem["pinned"], problem["budget"]
    found = kernels.facility_location_select(
        x, budget, costs=costs, weights=weights, pinned=pinned, neighbors=neighbors, threads=threads
    )
    assert found.indices[: len(pinned)].tolist() == pinned
    assert len(set(found.indices.tolist())) == len(found.indices)
    assert found.cost == pytest.approx(costs[found.indices].sum()) and found.cost <= budget
    assert found.gains.sum() == pytest.approx(found.value)
    assert (found.gains[len(pinned) :] > 0).all()
    similarity = kept(kernels.cosine_similarity(x).astype(float), neighbors)
    assert found.value == pytest.approx(coverage(similarity, weights, found.indices), abs=1e-9)
    best = max(coverage(similarity, weights, choice) for choice in choices(len(x), costs, budget, pinned))
    start = coverage(similarity, weights, pinned)
    assert found.value - start >= E / 2 * (best - start) - 1e-9
    assert best <= found.upper_bound + 1e-9


@given(problems(), st.integers(0, 5))
def test_facility_location_without_costs_is_at_least_63_percent(problem: dict[str, Any], k: int) -> None:
    x = problem["x"]
    found = kernels.facility_location_select(x, k)
    similarity, ones = kernels.cosine_similarity(x).astype(float), np.ones(len(x))
    best = max(coverage(similarity, ones, choice) for choice in choices(len(x), ones, k))
    assert E * best - 1e-9 <= found.value <= best + 1e-9 <= found.upper_bound + 2e-9


def kept(similarity: np.ndarray, neighbors: int | None) -> np.ndarray:
    """Only the largest similarities of each row, ties to the lowest; negative ones are 0."""
    if neighbors is None:
        return similarity
    only = np.zeros_like(similarity)
    for i, line in enumerate(similarity):
        best = sorted(range(len(line)), key=lambda j: (-line[j], j))[:neighbors]
        only[i, best] = line[best]
    return np.maximum(only, 0)


@given(problems())
def test_budgeted_select_is_at_least_half_of_the_best(problem: dict[str, Any]) -> None:
    values, costs = problem["values"], problem["costs"]
    pinned, budget = problem["pinned"], problem["budget"]
    found = kernels.budgeted_select(values, costs, budget, pinned=pinned)
    assert found.indices[: len(pinned)].tolist() == pinned
    assert found.cost == pytest.approx(costs[found.indices].sum()) and found.cost <= budget
    assert found.value == pytest.approx(values[found.indices].sum())
    best = max(values[choice].sum() for choice in choices(len(values), costs, budget, pinned))
    start = values[pinned].sum()
    assert (best - start) / 2 - 1e-12 <= found.value - start
    assert found.value <= best + 1e-12 <= found.upper_bound + 2e-12


def test_a_single_item_worth_more_replaces_the_greedy_answer() -> None:
    found = kernels.budgeted_select([2.0, 100.0], [1.0, 100.0], 100.0)
    assert found.indices.tolist() == [1] and found.value == 100
    x = np.eye(12)
    x[1:, 1:] = np.eye(11) * 0.05 + 1  # row 1 stands for eleven rows, but costs all of the budget
    costs = np.r_[1.0, np.full(11, 10.0)]
    found = kernels.facility_location_select(x, 10.0, costs=costs, weights=np.r_[3.0, np.ones(11)])
    assert found.indices.tolist() == [1] and found.value > 10


def marginal(x: np.ndarray, relevance: np.ndarray, k: int, weight: float, pinned: Sequence[int]) -> list[int]:
    """Maximal marginal relevance, written as its definition over the kernel's own similarities."""
    similarity = kernels.cosine_similarity(x).astype(float)
    chosen = list(pinned)
    while len(chosen) < min(k, len(x)):
        rest = [i for i in range(len(x)) if i not in chosen]
        if chosen:
            scores = [
                weight * relevance[i] - (1 - weight) * max(similarity[i, j] for j in chosen) for i in rest
            ]
        else:
            scores = [relevance[i] for i in rest]
        chosen.append(rest[int(np.argmax(scores))])
    return chosen


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(0, 12), st.sampled_from([0.0, 0.3, 0.5, 1.0])
)
def test_mmr_is_its_definition(seed: int, count: int, k: int, weight: float) -> None:
    rng = np.random.default_rng(seed)
    x, relevance = rng.normal(size=(count, 5)), rng.integers(0, 4, count) / 4
    pinned = [int(i) for i in rng.permutation(count)[: min(2, k, count)]] if seed % 2 else []
    found = kernels.mmr_select(x, k, relevance=relevance, relevance_weight=weight, pinned=pinned, threads=2)
    assert found.indices.tolist() == marginal(x, relevance, k, weight, pinned)
    query = x[0] + 0.1
    by = kernels.cosine_similarity(x, [query])[:, 0].astype(float)
    found = kernels.mmr_select(x, k, query=query, relevance_weight=weight)
    assert found.indices.tolist() == marginal(x, by, k, weight, [])


@pytest.mark.parametrize("neighbors", [None, 7])
def test_selections_are_the_same_on_any_number_of_threads(neighbors: int | None) -> None:
    x = np.random.default_rng(5).normal(size=(700, 24)).astype(np.float32)
    x[300:] = x[:400] * 2 + 1e-3  # many close calls
    first = kernels.facility_location_select(x, 40, neighbors=neighbors, threads=1)
    ranking = kernels.mmr_select(x, 40, query=x[3], threads=1)
    for threads in (2, 3, 4):
        again = kernels.facility_location_select(x, 40, neighbors=neighbors, threads=threads)
        assert np.array_equal(first.indices, again.indices) and np.array_equal(first.gains, again.gains)
        assert np.array_equal(ranking.indices, kernels.mmr_select(x, 40, query=x[3], threads=threads).indices)


def test_more_rows_than_all_similarities_are_kept_for() -> None:
    rng = np.random.default_rng(2)
    x = np.repeat(np.eye(20), 501, axis=0) + rng.normal(scale=0.01, size=(10_020, 20))
    found = kernels.facility_location_select(x, 20)
    assert sorted(i // 501 for i in found.indices[:20]) == list(range(20))  # one of each direction


def test_progress_is_told_and_may_stop() -> None:
    x = np.random.default_rng(0).normal(size=(6000, 64)).astype(np.float32)
    here, shares = threading.get_ident(), []

    def stop(share: float) -> None:
        assert threading.get_ident() == here
        shares.append(share)
        raise KeyError("enough")

    for work in (
        lambda: kernels.facility_location_select(x, 50, threads=1, progress=stop),
        lambda: kernels.mmr_select(x, 2000, query=x[0], threads=1, progress=stop),
    ):
        with pytest.raises(KeyError, match="enough"):
            work()
    assert len(shares) == 2 and all(0 <= share <= 1 for share in shares)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": -1}, "budget must be a finite number from 0, not -1"),
        ({"budget": float("nan")}, "budget must be a finite number from 0, not nan"),
        ({"costs": [1, 2]}, r"costs must have shape \(3,\), not \(2,\)"),
        ({"costs": [1, -2, 0]}, "costs must be at least 0, not -2"),
        ({"weights": [1, np.inf, 0]}, "weights must be finite: number 1 is not"),
        ({"pinned": [3]}, r"pinned must lie in \[0, 3\), not 3 to 3"),
        ({"pinned": [1, 1]}, "pinned must be distinct"),
        ({"neighbors": 0}, "neighbors must be a whole number from 1, not 0"),
        ({"threads": 0}, "threads must be a whole number from 1, not 0"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kernels.facility_location_select(np.eye(3), **({"budget": 2} | arguments))


def test_wrong_arguments_of_the_others() -> None:
    with pytest.raises(ValueError, match="either query or relevance"):
        kernels.mmr_select(np.eye(3), 2)
    with pytest.raises(ValueError, match="as many columns: 3 and 2"):
        kernels.mmr_select(np.eye(3), 2, query=[1, 2])
    with pytest.raises(ValueError, match="k must be at least the number of pinned rows: 1 for 2"):
        kernels.mmr_select(np.eye(3), 1, query=[1, 2, 3], pinned=[0, 1])
    with pytest.raises(ValueError, match=r"relevance_weight must lie in \[0, 1\], not 2"):
        kernels.mmr_select(np.eye(3), 1, query=[1, 2, 3], relevance_weight=2)
    with pytest.raises(ValueError, match="X: row 1 holds a NaN or an infinity"):
        kernels.facility_location_select([[1.0, 2], [np.nan, 1]], 1)
    with pytest.raises(TypeError, match="pinned must be a list of whole numbers"):
        kernels.budgeted_select([1.0], [1.0], 1, pinned=[0.5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="budget must be a number, not '3'"):
        kernels.budgeted_select([1.0], [1.0], "3")  # type: ignore[arg-type]


def test_pinned_items_over_the_budget_say_what_they_need() -> None:
    with pytest.raises(
        BudgetExceededError, match=r"^the pinned items do not fit into a budget of 4; 5 would do$"
    ) as caught:
        kernels.budgeted_select([1.0, 1.0], [2.0, 3.0], 4, pinned=[0, 1])
    assert (caught.value.required, caught.value.budget) == (5, 4)
    with pytest.raises(BudgetExceededError, match=r"into a budget of 1; 2 would do$"):
        kernels.facility_location_select(np.eye(3), 1, pinned=[0, 1])
