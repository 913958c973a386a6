"""TokenBudgetManager: exact shares, limits, usage."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given, strategies as st
from tersely.errors import BudgetExceededError, CompressionError
from tersely.retrieval import AllocationStrategy, TokenBudgetConfig, TokenBudgetManager
from tersely.retrieval.contextual.settings import limits_for, total_for

BIG = 10_000


def manager(name: str = "proportional", **limits: int) -> TokenBudgetManager:
    return TokenBudgetManager(
        TokenBudgetConfig(allocation_strategy=AllocationStrategy[name.upper()], **limits)
    )


def test_d010_uniform_is_the_same_for_all() -> None:
    assert manager("uniform").allocate([BIG] * 3, [0.9, 0.1, 0.5]).allocations == (1000, 1000, 1000)


def test_d011_proportional_is_exact_and_what_one_cannot_use_goes_to_the_others() -> None:
    scores = [0.8, 0.4, 0.2]
    assert manager().allocate([BIG] * 3, scores).allocations == (1714, 857, 429)
    assert manager().allocate([300, BIG, BIG], scores).allocations == (300, 1800, 900)
    assert manager().allocate([BIG] * 2, [0.9, 0.001]).allocations == (2000, 1000)
    assert manager().allocate([BIG] * 3, [0.9, 0.8, 0.001]).allocations == (1535, 1365, 100)


def test_d012_threshold_gives_nothing_below_and_the_least_above() -> None:
    plan = manager("threshold").allocate([BIG] * 3, [0.8, 0.6, 0.2])
    assert plan.allocations[2] == 0
    assert plan.dropped == (2,)
    assert min(plan.allocations[:2]) >= 100
    assert sum(plan.allocations) == 3000


def test_x53_the_surplus_is_shared_in_proportion_among_those_above() -> None:
    plan = manager("threshold", total_budget=1500).allocate([BIG] * 3, [0.9, 0.6, 0.3])
    assert plan.allocations == (100 + 180, 100 + 120, 0)


def test_d013_greedy_fills_the_best_first() -> None:
    assert manager("greedy").allocate([1500] * 3, [0.9, 0.5, 0.7]).allocations == (1500, 0, 1500)
    assert manager("greedy").allocate([1450] * 3, [0.9, 0.5, 0.7]).allocations == (1450, 100, 1450)
    assert manager("greedy").allocate([1451] * 3, [0.9, 0.5, 0.7]).allocations == (1451, 0, 1451)


def test_d014_the_defaults_of_the_limits() -> None:
    config = TokenBudgetConfig()
    assert {field.name: getattr(config, field.name) for field in fields(config)} == {
        "total_budget": 4000,
        "reserve_for_response": 1000,
        "min_per_document": 100,
        "max_per_document": 2000,
        "allocation_strategy": AllocationStrategy.PROPORTIONAL,
    }


def test_x48_the_reserve_is_inside_the_total() -> None:
    assert TokenBudgetConfig().available() == TokenBudgetManager(4000).available() == 3000


@given(st.integers(1, 20_000))
def test_x48_a_number_alone_reserves_what_it_has_above_the_default(total: int) -> None:
    """No larger budget leaves less for documents, and from the default on it is what the limits say."""
    available = TokenBudgetManager(total).available()
    assert available <= TokenBudgetManager(total + 1).available() <= available + 1
    if total <= TokenBudgetConfig().available():
        assert available == total
    if total >= TokenBudgetConfig().total_budget:
        assert TokenBudgetManager(total).config == TokenBudgetConfig(total_budget=total)


@given(st.integers(1, 9000), st.none() | st.tuples(st.integers(1, 5000), st.floats(0, 1, exclude_max=True)))
def test_x48_the_total_that_leaves_so_much_for_documents_is_the_least(
    tokens: int, limits: tuple[int, float] | None
) -> None:
    given = None
    if limits is not None:
        given = TokenBudgetConfig(total_budget=limits[0], reserve_for_response=int(limits[0] * limits[1]))
    total = total_for(tokens, given)

    def enough(total: int) -> bool:
        return limits_for(total, AllocationStrategy.PROPORTIONAL, given)[0].available() >= tokens

    assert enough(total)
    assert not any(map(enough, range(1, total)))


def test_d015_too_many_documents_drop_the_least_relevant() -> None:
    scores = [0.5 + i / 100 for i in range(40)]
    plan = manager().allocate([500] * 40, scores)
    assert plan.dropped == tuple(range(10))
    assert set(plan.allocations[10:]) == {100}
    strict = TokenBudgetManager(strict=True)
    with pytest.raises(BudgetExceededError) as caught:
        strict.allocate([500] * 40, scores)
    assert (caught.value.required, caught.value.budget) == (4000, 3000)


def test_x51_what_is_required_always_raises_where_it_does_not_fit() -> None:
    plan = manager().allocate([500] * 40, [0.9] * 39 + [0.0], required=[0] * 39 + [2500])
    assert plan.allocations[39] == 2500
    assert sum(map(bool, plan.allocations)) == 6
    with pytest.raises(BudgetExceededError) as caught:
        manager().allocate([500] * 2, [0.9, 0.9], required=[3000, 1])
    assert isinstance(caught.value, CompressionError)
    assert caught.value.required == 3001


def test_a_budget_under_the_least_goes_to_the_best_document() -> None:
    assert manager(total_budget=1040).allocate([500, 500], [0.2, 0.4]).allocations == (0, 40)


def test_marginal_has_no_shares() -> None:
    with pytest.raises(ValueError, match="MARGINAL has no shares"):
        manager("marginal").allocate([1], [1])


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"total_budget": 0}, "total_budget must be a whole number from 1, not 0"),
        ({"total_budget": 1000}, "must be less than the total budget"),
        (
            {"min_per_document": 300, "max_per_document": 200},
            "must be a whole number from 300, not 200",
        ),
        ({"min_per_document": 0}, "min_per_document must be a whole number from 1"),
    ],
)
def test_limits_that_make_no_sense(limits: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TokenBudgetConfig(**limits)
    with pytest.raises(TypeError, match="total_budget must be a whole number"):
        TokenBudgetConfig(total_budget=True)
    with pytest.raises(ValueError, match="allocation_strategy must be one of UNIFORM"):
        TokenBudgetConfig(allocation_strategy="fair")  # type: ignore[arg-type]


documents = st.lists(
    st.tuples(st.integers(0, 5000), st.floats(0, 1, allow_nan=False), st.sampled_from([0, 0, 0, 40, 300])),
    max_size=60,
)
shares = st.sampled_from(["uniform", "proportional", "threshold", "greedy"])


@given(documents, shares, st.integers(1, 6000), st.integers(1, 200), st.integers(200, 3000))
def test_d009_shares_obey_every_limit(
    given_documents: list[tuple[int, float, int]], name: str, available: int, least: int, most: int
) -> None:
    sizes = [size for size, _, _ in given_documents]
    scores = [score for _, score, _ in given_documents]
    required = [must for _, _, must in given_documents]
    limited = manager(
        name,
        total_budget=available + 1,
        reserve_for_response=1,
        min_per_document=least,
        max_per_document=most,
    )
    if sum(required) > available:
        with pytest.raises(BudgetExceededError):
            limited.allocate(sizes, scores, required=required)
        return
    plan = limited.allocate(sizes, scores, required=required)
    assert sum(plan.allocations) <= available
    assert plan.dropped == tuple(i for i, share in enumerate(plan.allocations) if not share)
    for share, size, must in zip(plan.allocations, sizes, required, strict=True):
        assert must <= share <= max(min(size, most), must)
        alone = sum(map(bool, plan.allocations)) == 1
        assert share == 0 or share >= min(size, least, most) or alone or must
    wanted = [i for i in range(len(sizes)) if sizes[i] or required[i]]
    if name == "threshold":
        wanted = [i for i in wanted if scores[i] >= 0.5 or required[i]]
    if wanted:
        assert any(plan.allocations), "something of what could be kept is kept"
    if name in ("uniform", "proportional") and wanted and all(plan.allocations[i] for i in wanted):
        full = sum(max(min(sizes[i], most), required[i]) for i in wanted)
        assert sum(plan.allocations) == min(available, full), "nothing is left unused"


def test_d009_usage_is_told_by_document_and_over_the_budget_is_an_error() -> None:
    plan = manager().allocate([BIG] * 2, [0.5, 0.5])
    usage = manager().usage(plan, [1500, 20], 1521)
    assert (usage.available, usage.used, usage.unused) == (3000, 1521, 1479)
    assert (usage.used_by_document, usage.unused_by_document) == ((1500, 20), (0, 1480))
    with pytest.raises(BudgetExceededError):
        manager().usage(plan, [1500, 1501])


@pytest.mark.parametrize(
    ("sizes", "scores"), [([1], []), ([1], [float("nan")]), ([1], [-0.1]), ([-1], [0.5])]
)
def test_wrong_arguments(sizes: list[int], scores: list[float]) -> None:
    with pytest.raises(ValueError, match=r"scores?|sizes"):
        manager().allocate(sizes, scores)
