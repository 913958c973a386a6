"""Cluster vectors: rows whose cosine similarity reaches a threshold belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tersely import _native, checks
from tersely.kernels.checks import Progress, to_matrix, to_numbers, to_threads
from tersely.types import Int32s

if TYPE_CHECKING:
    from tersely.kernels.large import Recall

_LINKAGES = ("representative", "single")
_BACKENDS = ("exact", "faiss")


class Clusters(NamedTuple):
    """Clusters of n rows."""

    labels: Int32s  #: int32[n], the cluster of each row
    representatives: Int32s  #: int32[k], the best row of each cluster; clusters are numbered in their order
    sizes: Int32s  #: int32[k], rows in each
    #: what share of the true pairs was found where an approximate index was used; None: all
    recall: Recall | None = None


def threshold_clusters(
    X: npt.ArrayLike,  # noqa: N803
    threshold: float,
    scores: npt.ArrayLike | None = None,
    *,
    linkage: Literal["representative", "single"] = "representative",
    backend: Literal["exact", "faiss"] = "exact",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Clusters:
    """Cluster the rows of X whose cosine similarity is at least `threshold`.

    Rows are taken in descending order of score (ties, and without scores: of index).

    "representative": a row joins the earlier representative it is most similar to (in float32; ties: the
    earliest) among those that reach the threshold, or becomes one. Every row is similar to its
    representative, none through others.
    "single": connected components of the pairs that reach the threshold.


    Args:
        X: (n, d).
        threshold: cosine, inclusive; decided as in double with a tolerance of 1e-9.
        scores: finite numbers, one per row; higher is taken first.
        linkage: how rows join.
        backend: "exact" compares all rows; "faiss" (extra `faiss`) only those that an inverted file index
            finds near each other, decides each pair as exactly, and measures the recall on 2,000 rows: for
            more than some 300,000 rows, up to which "exact" was always faster.
        threads: None: OMP_NUM_THREADS, or the CPUs that this process may use.
        progress: called with the share done, 0 to 1, up to fifty times a second; what it raises ends the
            work and is raised here.

    Returns:
        `Clusters`.

    Raises:
        ValueError: a row with a NaN or an infinity, or another wrong argument.

    O(n k d) time for k clusters ("single": O(n^2 d)), O(n d) memory: never an n x n matrix. With "faiss"
    about O(n^1.5 d) time.
    """
    x = to_matrix(X, "X")
    single = checks.one_of(linkage, "linkage", _LINKAGES) == "single"
    checks.one_of(backend, "backend", _BACKENDS)
    by = np.empty(0, dtype=np.float64)
    if scores is not None:
        by = to_numbers(scores, "scores", len(x))
    limit = checks.number(threshold, "threshold", least=-1, most=1)
    workers, report = to_threads(threads), checks.callable_or_none(progress, "progress")
    if backend == "faiss" and len(x):
        from tersely.kernels.large import faiss_clusters

        return Clusters(*faiss_clusters(x, limit, by, single, workers, report))
    found = _native.threshold_clusters(x, limit, by, single, workers, report)
    return Clusters(*found)
