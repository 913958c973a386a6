"""From pairs to clusters, as a user of the peers would write it; what the peers are timed with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from benchmarks.kernels.pairs import Ints, Pairs

__all__ = ["LINKAGES", "representative", "single"]


def single(rows: int, pairs: Pairs) -> Ints:
    """Connected components: a label a row."""
    i, j, _ = pairs
    graph = coo_matrix((np.ones(len(i), np.int8), (i, j)), (rows, rows))
    found: Ints = connected_components(graph, directed=False)[1].astype(np.int64)
    return found


def representative(rows: int, pairs: Pairs) -> Ints:
    """In row order, each row joins the most similar earlier representative, else becomes one.

    The label is the representative's row; of equally similar ones, the lowest.
    """
    i, j, similarity = pairs
    labels = np.arange(rows)
    order = np.lexsort((i, -similarity, j))
    for first, second in zip(i[order].tolist(), j[order].tolist(), strict=True):
        if labels[second] == second and labels[first] == first:
            labels[second] = first
    return labels


LINKAGES: dict[str, Callable[[int, Pairs], Ints]] = {"single": single, "representative": representative}
