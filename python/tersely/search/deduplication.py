"""Find search results that say the same: semantic duplicates, and groups by k-means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.core import checks
from tersely.core.tables import Int32s
from tersely.engine.dedup import dedup_texts
from tersely.kernels import cosine_similarity, threshold_clusters
from tersely.providers.embedders import resolve_embedder

__all__ = ["LINKAGES", "duplicates", "kmeans_groups"]

LINKAGES = ("representative", "single")
_ROUNDS = 50
_USUAL = 0.85  # threshold from which on duplicates share most of their words


@dataclass(frozen=True, slots=True)
class _KnownVectors:
    """An embedder of texts whose vectors are known already."""

    rows: dict[str, int]
    vectors: npt.NDArray[Any]

    def embed(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        return self.vectors[[self.rows[text] for text in texts]]


def duplicates(
    texts: Sequence[str],
    scores: Sequence[float],
    threshold: float = 0.85,
    *,
    vectors: npt.NDArray[Any] | None = None,
    embedder: Any = None,
    linkage: str = "representative",
    keep_facts: bool = True,
) -> Int32s:
    """Find the row that stands for each text, int32[n]: itself where it is no duplicate.

    The best score of a group stands for it (ties: the first).

    Args:
        texts, scores: of the results.
        threshold: cosine in [-1, 1], inclusive, with a tolerance of 1e-9. A zero row is similar to none.
        vectors: (n, d), as the index has them; None: `embedder` makes them.
        linkage: "representative": each is similar to what stands for it; "single": perhaps through others.
        keep_facts: duplicates also agree in numbers, negations, names and most of their words, as for
            `tersely.dedup`; in fewer of their words where the threshold is under 0.85, with its square.
            False: the cosine alone decides, and texts that differ in a number may merge.

    O(characters + n k d) for k groups ("single": n^2 d).
    """
    checks.one_of(linkage, "linkage", LINKAGES)
    x = _matrix(texts, vectors, embedder)
    by = np.asarray(scores, dtype=np.float64)
    if not keep_facts:
        found = threshold_clusters(x, threshold, by, linkage=linkage, threads=1)  # type: ignore[arg-type]
        return found.representatives[found.labels]
    if linkage == "representative":
        return _agreeing(texts, x, by, threshold, threshold)
    labels = threshold_clusters(x, threshold, by, linkage="single", threads=1).labels
    stands = np.arange(len(texts), dtype=np.int32)
    for label in range(int(labels.max(initial=-1)) + 1):
        rows = np.flatnonzero(labels == label).astype(np.int32)
        if len(rows) > 1:  # of what is linked, what agrees in what it says
            stands[rows] = rows[
                _agreeing([texts[row] for row in rows.tolist()], x[rows], by[rows], -1.0, threshold)
            ]
    return stands


def kmeans_groups(vectors: npt.NDArray[Any], scores: Sequence[float], k: int) -> Int32s:
    """Group rows by k-means into `k` groups of similar direction: int32[n], the best row of each row's group.

    Spherical k-means from the best-scored row and, k - 1 times, the one least similar to those chosen:
    nothing is random. Groups hold what differs in numbers and names too: this chooses, and removes no copies.
    O(n k d) a round, at most 50 rounds.
    """
    by = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-by, kind="stable")
    if k >= len(by) or k < 1:
        return np.arange(len(by), dtype=np.int32)
    x = vectors.astype(np.float64)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)
    chosen = [int(order[0])]
    nearest = x @ x[chosen[0]]
    while len(chosen) < k:
        nearest[chosen] = np.inf
        chosen.append(int(np.argmin(nearest)))
        nearest = np.maximum(nearest, x @ x[chosen[-1]])
    centers = x[chosen]
    labels = np.full(len(x), -1)
    for _ in range(_ROUNDS):
        now = np.argmax(cosine_similarity(x, centers), axis=1)
        now[chosen] = np.arange(k)  # no group is empty
        if (now == labels).all():
            break
        labels = now
        centers = np.stack([x[labels == group].sum(axis=0) for group in range(k)])
    stands = np.zeros(len(x), dtype=np.int32)
    for group in range(k):
        stands[labels == group] = next(row for row in order if labels[row] == group)
    return stands


def _agreeing(
    texts: Sequence[str], x: npt.NDArray[Any], by: npt.NDArray[np.float64], cosine: float, threshold: float
) -> Int32s:
    rows: dict[str, int] = {}
    for row, text in enumerate(texts):
        rows.setdefault(text, row)
    words = min(max(threshold, 0.0) / _USUAL, 1.0) ** 2
    found = dedup_texts(texts, _KnownVectors(rows, x), cosine, by, threads=1, words=words)
    return found.representatives[found.labels]


def _matrix(texts: Sequence[str], vectors: npt.NDArray[Any] | None, embedder: Any) -> npt.NDArray[Any]:
    if vectors is None:
        return resolve_embedder(embedder).embed(texts)
    x = np.ascontiguousarray(vectors)
    if x.ndim != 2 or len(x) != len(texts):
        raise ValueError(f"vectors must be of shape ({len(texts)}, dimensions), not {x.shape}")
    if x.dtype.kind != "f":
        x = checks.numbers(x, "vectors")
    if not np.isfinite(x).all():
        raise ValueError("vectors must be finite numbers")
    return x
