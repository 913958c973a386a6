"""Functions of other libraries under their own names and parameters, computed by `tersely.kernels`.

What each does differently stands in its docstring and in docs/reference/kernels.md. Needs no other package.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import kernels
from tersely.types import Float32s

__all__ = ["community_detection", "cosine_similarity", "maximal_marginal_relevance"]


def cosine_similarity(
    X: npt.ArrayLike,  # noqa: N803  scikit-learn's name
    Y: npt.ArrayLike | None = None,  # noqa: N803
    dense_output: bool = True,
) -> Float32s:
    """Compute scikit-learn's `sklearn.metrics.pairwise.cosine_similarity` of dense arrays.

    Always float32, off by at most (d + 4) 2^-24. A sparse matrix raises TypeError. `dense_output` is
    about sparse ones.

    Args:
        X: (n, d).
        Y: (m, d); None: X.
        dense_output: no matter which: the result is dense, as scikit-learn's is for dense arrays.

    Returns:
        float32 (n, m).

    Raises ValueError as scikit-learn for NaN, infinities and shapes that do not fit. O(n m d).
    """
    for name, matrix in (("X", X), ("Y", Y)):
        if hasattr(matrix, "tocsr"):
            raise TypeError(f"{name} must be a dense array, not {type(matrix).__name__}")
    return kernels.cosine_similarity(X, Y)


def maximal_marginal_relevance(
    query_embedding: npt.ArrayLike,
    embedding_list: npt.ArrayLike,
    lambda_mult: float = 0.5,
    k: int = 4,
) -> list[int]:
    """Choose rows as LangChain's `langchain_core.vectorstores.utils.maximal_marginal_relevance` does.

    Cosines are float32, so that rows whose scores are closer than 1e-6 may change places. Ties go to the
    lowest row. NaN raises ValueError, and so does a `lambda_mult` outside [0, 1].

    Args:
        query_embedding: (d,) or (1, d).
        embedding_list: (n, d).
        lambda_mult: 1 is relevance alone, 0 diversity alone.
        k: rows to choose.

    Returns:
        min(k, n) indices, in the order of choice. O(k n d).
    """
    if min(k, len(np.asarray(embedding_list))) <= 0:
        return []
    found = kernels.mmr_select(embedding_list, k, query=query_embedding, relevance_weight=lambda_mult)
    chosen: list[int] = found.indices.tolist()
    return chosen


def community_detection(
    embeddings: Any,
    threshold: float = 0.75,
    min_community_size: int = 10,
    batch_size: int = 1024,
    show_progress_bar: bool = False,
) -> list[list[int]]:
    """Find communities around rows with many neighbours: `util.community_detection` of sentence-transformers.

    A community is a row and its neighbours, the most similar first, without rows of earlier, larger
    communities; what is left with less than `min_community_size` is none. (As of sentence-transformers 6;
    where communities are equally large, the one with the lowest central row goes first; rows that are
    equally similar stand in ascending order.)

    Args:
        embeddings: (n, d), an array or a tensor in main memory.
        threshold: cosine, inclusive; decided as in double.
        min_community_size: rows, the central one among them.
        batch_size, show_progress_bar: without meaning here (UserWarning): there is no matrix of similarities
            to cut into batches.

    Returns:
        Row numbers of each community, the central row first, the largest community first.

    O(n^2 d) time; O(n d) memory, and 24 bytes for each pair that reaches the threshold.
    """
    if batch_size != 1024 or show_progress_bar:
        warnings.warn("batch_size and show_progress_bar have no meaning here", UserWarning, stacklevel=2)
    rows = np.atleast_2d(np.asarray(embeddings)) if len(embeddings) else np.zeros((0, 1))
    n = len(rows)
    if n < max(min_community_size, 1):
        return []
    pairs = kernels.cosine_pairs(rows, threshold, max_pairs=n * (n - 1) // 2)
    of = np.concatenate((pairs.i, pairs.j))
    other = np.concatenate((pairs.j, pairs.i))
    order = np.lexsort((other, -np.concatenate((pairs.similarity, pairs.similarity)), of))
    neighbours = other[order]
    sizes = np.bincount(of, minlength=n)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    taken = np.zeros(n, dtype=bool)
    communities: list[list[int]] = []
    for centre in np.argsort(-sizes, kind="stable").tolist():
        if sizes[centre] + 1 < min_community_size:
            break
        if taken[centre]:
            continue
        mine = neighbours[starts[centre] : starts[centre + 1]]
        mine = mine[~taken[mine]]
        if len(mine) + 1 >= min_community_size:
            communities.append([centre, *mine.tolist()])
            taken[centre] = True
            taken[mine] = True
    return sorted(communities, key=len, reverse=True)
