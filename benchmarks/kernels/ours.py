"""Every call of tersely.kernels that is measured here, in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
from tersely import kernels

from benchmarks.checks import require
from benchmarks.kernels.pairs import Ints, Pairs
from benchmarks.kernels.vectors import Floats

__all__ = ["clusters", "facility_location", "isa", "labels", "mmr", "pairs", "similarity"]


def similarity(rows: Floats, threads: int = 1) -> Floats:
    """All cosines."""
    return kernels.cosine_similarity(rows, threads=threads)


def pairs(rows: Floats, threshold: float, threads: int = 1) -> Pairs:
    """Pairs with cosine >= threshold."""
    i, j, found = kernels.cosine_pairs(rows, threshold, threads=threads)
    return i.astype(np.int64), j.astype(np.int64), found


def clusters(rows: Floats, threshold: float, linkage: str, threads: int = 1) -> Any:
    """The labels of the rows, the representatives, the sizes; exact, whatever the size."""
    options: dict[str, Any] = {"linkage": linkage, "threads": threads}
    return kernels.threshold_clusters(rows, threshold, **options)


def labels(answer: Any) -> Ints:
    """The labels of an answer of `clusters`, after a look at the rest of it."""
    found = np.asarray(answer.labels, np.int64)
    heads = np.asarray(answer.representatives, np.int64)
    require(bool((found[heads] == np.arange(len(heads))).all()), "a representative is not of its cluster")
    require(bool((np.bincount(found) == answer.sizes).all()), "the sizes are wrong")
    _, first = np.unique(found, return_index=True)
    require(bool((first == heads).all()), "without scores, the first row of a cluster represents it")
    return found


def facility_location(rows: Floats, budget: int) -> tuple[list[int], float]:
    """The rows in the order they were picked, and the value."""
    answer = kernels.facility_location_select(rows, budget, threads=1)
    return answer.indices.tolist(), answer.value


def mmr(rows: Floats, query: Floats, k: int, weight: float) -> list[int]:
    """Maximal marginal relevance; `weight` is that of the relevance."""
    answer = kernels.mmr_select(rows, k, query=query, relevance_weight=weight, threads=1)
    rows_picked: list[int] = answer.indices.tolist()
    return rows_picked


def isa() -> str:
    """The instruction set that was chosen."""
    return kernels.isa()
