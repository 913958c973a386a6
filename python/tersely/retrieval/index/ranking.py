"""Scores of two kinds -> one ranking (reciprocal rank fusion), and scores between 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tersely.kernels.similarity import cosine_similarity
from tersely.tables import Float32s, Float64s, Int32s, Int64s

__all__ = ["best_cosines", "best_rows", "fuse", "normalize_scores"]

# Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion" (2009) have 60, for many systems of equal merit.
# With two, what is in the middle of both would push out what one has first: recall@10 is .67; with 10, and
# less for vectors, .71 (benchmarks/retrieval/index.py).
RRF_K = 10
_SLACK = 1e-4  # more than two ways to sum 10,000 float32 products of unit vectors differ


def best_rows(scores: Float32s, many: int, order: Int32s) -> Int64s:
    """int64: rows of the `many` highest scores above 0, best first; ties: the lowest `order[row]`.

    O(n + many log many).
    """
    rows = np.flatnonzero(scores > 0)
    if len(rows) > many:
        least = np.partition(scores[rows], len(rows) - many)[len(rows) - many]
        rows = rows[scores[rows] >= least]
    return rows[np.lexsort((order[rows], -scores[rows]))][:many]


def best_cosines(vectors: Float32s, query: Float32s, many: int, order: Int32s) -> Int64s:
    """int64: rows of the `many` vectors most similar to the query's, cosine above 0, best first.

    Args:
        vectors: float32[n, d], rows of length one or zero.
        query: float32[d].
        many: at most so many.
        order: int32[n]; of equal cosines the one of the lowest comes first.

    The order is by `tersely.kernels.cosine_similarity`, so it is the same on every CPU; which rows can be
    among the best is decided by a faster product, with room for how it rounds. O(n d).
    """
    if len(vectors) == 0 or not query.any():
        return np.empty(0, dtype=np.int64)
    rough = np.einsum("nd,d->n", vectors, query)  # one thread, and faster than BLAS, which starts several
    many = min(many, len(rough))
    least = np.partition(rough, len(rough) - many)[len(rough) - many] - _SLACK
    rows = np.flatnonzero(rough >= max(float(least), -_SLACK))
    exact = np.zeros(len(vectors), dtype=np.float32)
    exact[rows] = cosine_similarity(query[None, :], vectors[rows], threads=1)[0]
    return best_rows(exact, many, order)


def fuse(rankings: Sequence[Int64s], weights: Sequence[float], order: Int32s) -> tuple[Int64s, Float64s]:
    """Rows of several rankings (best first), best first, and their scores: the sum of weight / (10 + rank).

    Ranks count from 1; ties: the lowest `order[row]`.
    """
    total: dict[int, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, row in enumerate(ranking.tolist(), 1):
            total[row] = total.get(row, 0.0) + weight / (RRF_K + rank)
    rows = np.array(list(total), dtype=np.int64)
    scores = np.array(list(total.values()), dtype=np.float64)
    best = np.lexsort((order[rows], -scores))
    return rows[best], scores[best]


def normalize_scores(scores: npt.ArrayLike) -> Float64s:
    """float64[n] in [0, 1]: the best 1.0; scores that are all equal, 1.0 each.

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
