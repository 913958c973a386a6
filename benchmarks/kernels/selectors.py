"""Facility location and maximal marginal relevance: the peers behind one shape, and what must hold."""

from __future__ import annotations

import heapq
import importlib
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.checks import require
from benchmarks.kernels import ours
from benchmarks.kernels.pairs import installed, unit
from benchmarks.kernels.vectors import Floats

__all__ = [
    "FACILITY",
    "MMR",
    "Facility",
    "Relevance",
    "check_facility",
    "check_mmr",
    "greedy_value",
    "nonnegative",
]

Facility = Callable[[Floats, int], tuple[list[int], float]]  # rows, how many -> picks in order, their value
Relevance = Callable[[Floats, Floats, int, float], list[int]]  # rows, query, how many, weight -> picks
_Doubles = npt.NDArray[np.float64]


def nonnegative(rows: Floats) -> Floats:
    """Similarity as all of them are given it: the cosine, 0 where it is negative."""
    rows = unit(rows)
    found: Floats = rows @ rows.T
    np.maximum(found, 0, out=found)
    return found


def _tersely_facility() -> Facility | None:
    return ours.facility_location


def _submodlib() -> Facility | None:
    if not installed("submodlib"):
        return None
    function = importlib.import_module("submodlib").FacilityLocationFunction

    def select(rows: Floats, budget: int) -> tuple[list[int], float]:
        made = function(
            n=len(rows), mode="dense", separate_rep=False, sijs=nonnegative(rows), pybind_mode="array32"
        )
        picked = made.maximize(budget=budget, optimizer="LazyGreedy", show_progress=False)
        return [row for row, _ in picked], sum(gain for _, gain in picked)

    return select


def _apricot() -> Facility | None:
    """It compiles its kernel in every call, with numba: about a second."""
    if not installed("apricot"):
        return None
    selection = importlib.import_module("apricot").FacilityLocationSelection

    def select(rows: Floats, budget: int) -> tuple[list[int], float]:
        made = selection(budget, metric="precomputed", optimizer="lazy")
        made.fit(nonnegative(rows).astype(np.float64))
        return [int(row) for row in made.ranking], float(sum(made.gains))

    return select


def _numpy_facility(rows: Floats, budget: int) -> tuple[list[int], float]:
    return _lazy(nonnegative(rows), budget)


def _lazy(similarity: npt.NDArray[Any], budget: int) -> tuple[list[int], float]:
    """Lazy greedy: an old gain is an upper bound, so only the rows at the top are looked at again."""
    covered = np.zeros(len(similarity), similarity.dtype)
    waiting = [(-float(gain), row) for row, gain in enumerate(similarity.sum(axis=1, dtype=np.float64))]
    heapq.heapify(waiting)
    picks: list[int] = []
    while len(picks) < budget:
        row = waiting[0][1]
        gain = float(np.maximum(similarity[row] - covered, 0).sum(dtype=np.float64))
        heapq.heapreplace(waiting, (-gain, row))
        if waiting[0][1] == row:
            heapq.heappop(waiting)
            picks.append(row)
            np.maximum(covered, similarity[row], out=covered)
    return picks, float(covered.sum(dtype=np.float64))


def greedy_value(rows: Floats, budget: int) -> float:
    """The value of the greedy choice, in float64."""
    exact = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))[:, None]
    return _lazy(np.maximum(exact @ exact.T, 0), budget)[1]


def check_facility(rows: Floats, budget: int, best: float, answer: tuple[list[int], float]) -> None:
    """So many different rows, worth what is said, and as good as the greedy choice."""
    picks, value = answer
    require(len(picks) == len(set(picks)) == budget, f"{len(set(picks))} rows instead of {budget}")
    exact = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))[:, None]
    true = float(np.maximum(exact[picks] @ exact.T, 0).max(axis=0).sum())
    require(abs(value - true) <= 1e-4 * true, f"worth {true}, said to be {value}")
    require(true >= best * (1 - 1e-5), f"worth {true}, the greedy choice {best}")


def _tersely_mmr() -> Relevance | None:
    return ours.mmr


def _langchain() -> Relevance | None:
    if not installed("langchain_core"):
        return None
    select = importlib.import_module("langchain_core.vectorstores.utils").maximal_marginal_relevance
    return lambda rows, query, k, weight: [
        int(row) for row in select(query, list(rows), lambda_mult=weight, k=k)
    ]


def _numpy_mmr(rows: Floats, query: Floats, k: int, weight: float) -> list[int]:
    """The nearest pick of each row is kept up to date, not found again."""
    rows = unit(rows)
    relevance = weight * (rows @ (query / np.linalg.norm(query)))
    nearest = np.full(len(rows), -1, np.float32)
    picks = [int(relevance.argmax())]
    while len(picks) < min(k, len(rows)):
        np.maximum(nearest, rows @ rows[picks[-1]], out=nearest)
        score = relevance - (1 - weight) * nearest
        score[picks] = -np.inf
        picks.append(int(score.argmax()))
    return picks


def check_mmr(rows: Floats, query: Floats, k: int, weight: float, picks: list[int]) -> None:
    """Each pick is, in float64, the best after the ones before it, but for rounding."""
    exact = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))[:, None]
    relevance: _Doubles = exact @ (query / np.linalg.norm(query.astype(np.float64)))
    require(len(picks) == len(set(picks)) == min(k, len(rows)), f"{len(set(picks))} rows instead of {k}")
    require(bool(relevance[picks[0]] >= relevance.max() - 1e-6), "the first is not the most relevant")
    nearest = np.full(len(rows), -np.inf)
    for before, pick in pairwise(picks):
        nearest = np.maximum(nearest, exact @ exact[before])
        score = weight * relevance - (1 - weight) * nearest
        score[picks[: picks.index(pick)]] = -np.inf
        require(bool(score[pick] >= score.max() - 1e-6), f"row {pick} is not the best next one")


FACILITY: dict[str, Callable[[], Facility | None]] = {
    "tersely": _tersely_facility,
    "submodlib, LazyGreedy": _submodlib,
    "apricot, lazy": _apricot,
    "numpy, lazy greedy": lambda: _numpy_facility,
}
MMR: dict[str, Callable[[], Relevance | None]] = {
    "tersely": _tersely_mmr,
    "LangChain": _langchain,
    "numpy, updated": lambda: _numpy_mmr,
}
