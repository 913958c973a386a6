"""Choose the best rows by scores and by vectors (cosine), and fuse rankings. Ties go to the first row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tersely.kernels.similarity import cosine_similarity
from tersely.types import Float32s, Float64s, Int64s

# Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion" (2009) have 60, for many systems of equal merit.
# With two, what is in the middle of both would push out what one has first: recall@10 is .67; with 10, and
# less for vectors, .71 (benchmarks/retrieval/index.py).
RRF_K = 10
_SLACK = 1e-4  # more than a sum of 10,000 float32 products of unit vectors is off

_NO_ROWS, _NO_PARTS = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)


def best_rows(scores: Float32s, many: int) -> Int64s:
    """Return the rows of the `many` highest scores above 0, int64, best first. O(n + many log many)."""
    rows = np.flatnonzero(scores > 0)
    if len(rows) > many:
        least = np.partition(scores[rows], len(rows) - many)[len(rows) - many]
        rows = rows[scores[rows] >= least]
    return rows[np.argsort(-scores[rows], kind="stable")][:many]


def best_cosines(vectors: Float32s, query: Float32s, many: int) -> Int64s:
    """Return the rows of the `many` vectors most similar to the query's, int64, cosine above 0, best first.

    Args:
        vectors: float32[n, d], of length one or zero.
        query: float32[d].
        many: at most so many.

    The order is by `tersely.kernels.cosine_similarity`, so it is the same on every CPU; which rows can be
    among the best is decided by plain products, with room for how they round. O(n d).
    """
    count = len(vectors)
    if count == 0 or not query.any():
        return np.empty(0, dtype=np.int64)
    products, many = np.einsum("nd,d->n", vectors, query), min(many, count)
    least = np.partition(products, count - many)[count - many]
    rows = np.flatnonzero(products >= max(float(least), 0.0) - 2 * _SLACK)
    exact = cosine_similarity(query[None, :], vectors[rows], threads=1)[0]
    return rows[best_rows(exact, many)]


def fuse(rankings: Sequence[Int64s], weights: Sequence[float]) -> tuple[Int64s, Float64s]:
    """Fuse rankings by reciprocal rank: rows, best first, and their scores, the sum of weight / (10 + rank).

    Ranks count from 1.
    """
    parts = [
        weight / (RRF_K + np.arange(1, len(ranking) + 1))
        for ranking, weight in zip(rankings, weights, strict=True)
    ]
    every: Int64s = np.concatenate([_NO_ROWS, *rankings])
    rows, places = np.unique(every, return_inverse=True)
    scores = np.zeros(len(rows))
    np.add.at(scores, places, np.concatenate([_NO_PARTS, *parts]))
    best = np.argsort(-scores, kind="stable")
    return rows[best], scores[best]


def normalize_scores(scores: npt.ArrayLike) -> Float64s:
    """Scale scores to [0, 1], float64[n]: the best is 1.0; all equal ones are 1.0.

    Scores are divided by the best; where one is negative, the lowest is taken from all first.
    Raises ValueError for one that is not finite.
    """
    values: Float64s = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("scores must be a list of finite numbers")
    if len(values) == 0 or values.max() == values.min():
        return np.ones(len(values))
    values = values - min(float(values.min()), 0.0)
    return np.asarray(values / values.max())
