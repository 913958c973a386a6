"""Select rows that are relevant and different (MMR), worth most under a budget, or representative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tersely import _native, checks
from tersely.errors import BudgetExceededError
from tersely.kernels.checks import Float64s, Progress, to_matrix, to_numbers, to_threads
from tersely.kernels.similarity import cosine_similarity
from tersely.types import Int32s

_ALL_UP_TO = 10_000  # rows whose similarities are all kept: 400 MB
_NEIGHBORS = 64  # kept of each row above that


class Ranking(NamedTuple):
    """Rows in the order of choice, pinned ones first: int32[k], and the gain of each: float64[k]."""

    indices: Int32s
    scores: Float64s


class Selection(NamedTuple):
    """Items in the order of choice, pinned ones first."""

    indices: Int32s  #: int32[k]
    gains: Float64s  #: float64[k], what each added to the value when it was chosen
    value: float  #: of all of them together
    cost: float  #: of all of them together; never over the budget
    #: no selection with the pinned items and within the budget is worth more, so this one has at least value
    #: / upper_bound of the best value
    upper_bound: float


def mmr_select(
    X: npt.ArrayLike,  # noqa: N803  the field's name
    k: int,
    *,
    query: npt.ArrayLike | None = None,
    relevance: npt.ArrayLike | None = None,
    relevance_weight: float = 0.5,
    pinned: Sequence[int] = (),
    threads: int | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """Choose relevant rows that differ: maximal marginal relevance (Carbonell and Goldstein 1998).

    The next row is the one with the largest relevance_weight * relevance - (1 - relevance_weight) * (largest
    cosine to a chosen row); the first one is the most relevant. With `query`, the rows that LangChain's
    `maximal_marginal_relevance(query, X, lambda_mult=relevance_weight, k=k)` chooses.

    Args:
        X: (n, d).
        k: how many rows to choose, pinned ones included; all rows if there are fewer.
        query: (d,); the relevance of a row is its cosine with it. Either this or `relevance`.
        relevance: finite numbers, one per row.
        relevance_weight: in [0, 1]; lambda in the paper.
        pinned: distinct rows that are chosen first, in this order.
        threads: None: OMP_NUM_THREADS, or the CPUs that this process may use.
        progress: called with the share done, 0 to 1; what it raises ends the work and is raised here.

    Raises:
        ValueError: a wrong argument, or a row with a NaN or an infinity.

    Ties go to the lowest row. O(k n d) time, O(n d) memory.
    """
    x = to_matrix(X, "X")
    if (query is None) == (relevance is None):
        raise ValueError("give either query or relevance")
    if query is not None:
        one = to_matrix(np.asarray(query).reshape(1, -1), "query")
        by = cosine_similarity(x, one, threads=threads)[:, 0].astype(np.float64)
    else:
        by = to_numbers(relevance, "relevance", len(x))
    weight = checks.number(relevance_weight, "relevance_weight", least=0, most=1)
    first = _pinned(pinned, len(x))
    size = checks.whole_number(k, "k")
    if len(first) > size:
        raise ValueError(f"k must be at least the number of pinned rows: {k} for {len(first)}")
    size = min(size, len(x))
    report = checks.callable_or_none(progress, "progress")
    found = _native.marginal_relevance(x, by, size, weight, first, to_threads(threads), report)
    return Ranking(*found[:2])


def budgeted_select(
    values: npt.ArrayLike, costs: npt.ArrayLike, budget: float, *, pinned: Sequence[int] = ()
) -> Selection:
    """Choose items of nearly the largest total value whose costs fit a budget (0/1 knapsack).

    Greedy by value per cost, then every further item that fits; or the best single item if that is worth
    more. The value is at least half of the best possible one (Dantzig 1957). `upper_bound` is the value with
    the last item taken in part.

    Args:
        values: finite numbers; items of value 0 or less are left out.
        costs: finite numbers, at least 0, one per value.
        budget: the most that the items may cost, pinned ones included.
        pinned: distinct items that must be chosen.

    Raises:
        BudgetExceededError: the pinned items alone cost more than the budget.
        ValueError: a wrong argument.

    Ties go to the lowest item. O(n log n).
    """
    worth = to_numbers(values, "values")
    price = to_numbers(costs, "costs", len(worth), least=0)
    first = _pinned(pinned, len(worth))
    return Selection(*_native.knapsack(worth, price, _budget(budget, price, first), first))


def facility_location_select(
    X: npt.ArrayLike,  # noqa: N803
    budget: float,
    *,
    costs: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    pinned: Sequence[int] = (),
    neighbors: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Selection:
    """Choose rows that represent all the others: facility location by lazy greedy.

    The value of a selection S is the sum over all rows i of weights[i] * max(0, largest cosine of i to a row
    of S), a monotone submodular function. Without costs the result is worth at least 1 - 1/e of the best one
    (Nemhauser, Wolsey and Fisher 1978); with costs at least (1 - 1/e) / 2, because the best single row
    replaces the greedy choice if it is worth more (Leskovec et al. 2007). `upper_bound` (the value plus what
    could be added if gains did not shrink) says how close this result is; mostly it is far closer.

    Args:
        X: (n, d).
        budget: the number of rows to choose; with costs, the most that they may cost together.
        costs: finite numbers, at least 0, one per row.
        weights: finite numbers, at least 0, one per row: how much it is worth to represent the row, for
            example its relevance.
        pinned: distinct rows that must be chosen; their costs count.
        neighbors: similarities kept of each row, the largest ones; the others count as 0, in the value and in
            the bound too. None: all up to 10,000 rows, 64 above.
        threads: None: OMP_NUM_THREADS, or the CPUs that this process may use.
        progress: called with the share of the similarities done, 0 to 1; what it raises ends the work.

    Returns:
        `Selection`; rows that add nothing are left out, so there may be fewer than the budget allows.

    Raises:
        BudgetExceededError: the pinned rows alone cost more than the budget.
        ValueError: a wrong argument, or a row with a NaN or an infinity.

    Ties go to the lowest row. O(n^2 d) time; 4 n^2 bytes, or 24 n neighbors.
    """
    x = to_matrix(X, "X")
    price = np.empty(0) if costs is None else to_numbers(costs, "costs", len(x), least=0)
    weight = np.empty(0) if weights is None else to_numbers(weights, "weights", len(x), least=0)
    first = _pinned(pinned, len(x))
    kept = 0 if len(x) <= _ALL_UP_TO else _NEIGHBORS
    if neighbors is not None:
        kept = min(checks.whole_number(neighbors, "neighbors", least=1), max(len(x), 1))
    limit = _budget(budget, np.ones(len(x)) if costs is None else price, first)
    report = checks.callable_or_none(progress, "progress")
    return Selection(
        *_native.facility_location(x, weight, price, limit, first, kept, to_threads(threads), report)
    )


def _pinned(pinned: Sequence[int], count: int) -> Int32s:
    items = np.asarray(pinned)
    if items.size == 0:
        return np.empty(0, dtype=np.int32)
    if items.ndim != 1 or items.dtype.kind not in "iu":
        raise TypeError(f"pinned must be a list of whole numbers, not {pinned!r}")
    if items.min() < 0 or items.max() >= count:
        raise ValueError(f"pinned must lie in [0, {count}), not {items.min()} to {items.max()}")
    if len(np.unique(items)) != len(items):
        raise ValueError("pinned must be distinct")
    return items.astype(np.int32)


def _budget(budget: float, costs: Float64s, pinned: Int32s) -> float:
    budget = checks.number(budget, "budget", least=0)
    needed = float(costs[pinned].sum())
    if needed > budget:
        raise BudgetExceededError("the pinned items do not fit", required=needed, budget=budget)
    return budget
