"""Texts, vectors -> which text stands for which: near-duplicates are one, what differs stays apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.kernels import threshold_clusters
from tersely.kernels.checks import Progress, to_matrix, to_numbers, to_progress, to_threads, to_threshold
from tersely.protocols import Embedder
from tersely.tables import Float32s, Int32s
from tersely.types import Deduplicated

__all__ = ["ORDER", "SHARE", "dedup_texts", "dedup_vectors"]

#: Of the terms of two texts, more than this share must be common; of the common ones, this share in one order
#: (csrc/kernels/lexical/agreement.hpp). Chosen on development pairs (benchmarks/quality/dedup.py).
SHARE = 0.5
ORDER = 0.75


def dedup_texts(
    texts: Sequence[str],
    embedder: Embedder,
    threshold: float = 0.85,
    scores: npt.ArrayLike | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Deduplicated:
    """Merge texts that are the same but for white space, and near-duplicates.

    A near-duplicate of a representative (kernels.threshold_clusters, "representative") has a cosine of at
    least `threshold` with it and agrees with it (csrc/kernels/lexical/agreement.hpp).
    """
    limit, workers, report = to_threshold(threshold), to_threads(threads), to_progress(progress)
    by = np.zeros(len(texts)) if scores is None else to_numbers(scores, "scores", len(texts))
    copy_of = _copies(texts, by)
    rows = np.unique(copy_of)
    different = [texts[row] for row in rows.tolist()]
    vectors = embedder.embed(different) if different else np.zeros((0, 1), dtype=np.float32)
    guard, _, terms, term_offsets, names, name_offsets = _native.guards(different)
    labels, representatives, _ = _native.deduplicate(
        vectors,
        limit,
        by[rows],
        guard,
        terms,
        term_offsets,
        names,
        name_offsets,
        SHARE,
        ORDER,
        workers,
        report,
    )
    similarity = _similarity(vectors, labels, representatives, workers)
    place = np.searchsorted(rows, copy_of)
    return _result(labels[place], rows[representatives].astype(np.int32), similarity[place])


def dedup_vectors(
    vectors: npt.ArrayLike,
    threshold: float = 0.85,
    scores: npt.ArrayLike | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Deduplicated:
    """Merge rows by their cosine alone: `kernels.threshold_clusters`."""
    x = to_matrix(vectors, "vectors")
    found = threshold_clusters(x, threshold, scores, threads=threads, progress=progress)
    similarity = _similarity(x, found.labels, found.representatives, to_threads(threads))
    return _result(found.labels, found.representatives, similarity)


def _copies(texts: Sequence[str], scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """int64[n]: the best of the texts that are equal but for white space (ties: the first)."""
    best: dict[str, int] = {}
    keys = [" ".join(text.split()) for text in texts]
    for row, key in enumerate(keys):
        if key not in best or scores[row] > scores[best[key]]:
            best[key] = row
    return np.array([best[key] for key in keys], dtype=np.int64)


def _similarity(x: npt.NDArray, labels: Int32s, representatives: Int32s, threads: int) -> Float32s:  # type: ignore[type-arg]
    """float32[n]: of each row with its representative; 1 for the representative itself."""
    rows = np.arange(len(labels), dtype=np.int32)
    with_ = representatives[labels]
    similarity = np.ones(len(labels), dtype=np.float32)
    merged = np.flatnonzero(rows != with_)
    similarity[merged] = _native.check_pairs(x, rows[merged], with_[merged], -1.0, threads)
    return similarity


def _result(labels: Int32s, representatives: Int32s, similarity: Float32s) -> Deduplicated:
    sizes = np.bincount(labels, minlength=len(representatives)).astype(np.int32)
    return Deduplicated(representatives, labels, sizes, similarity)
