"""What a table gained, measured on sentences that it was not fitted on."""

from __future__ import annotations

import numpy as np

from tersely.distill.fitting import unit
from tersely.tables import Float32s

__all__ = ["mean_cosine", "ranking_agreement"]

NEAREST = 10


def mean_cosine(vectors: Float32s, teacher: Float32s, basis: Float32s) -> float:
    """Mean cosine of a table's vectors (n, d) to the teacher's (n, width) in the table's basis (width, d)."""
    return float((unit(vectors) * unit(teacher @ basis)).sum(axis=1).mean())


def ranking_agreement(vectors: Float32s, teacher: Float32s) -> float:
    """Of the ten texts nearest to a text by the teacher, the share that is among the table's ten: the mean
    over all texts, in [0, 1]. Vectors of other widths and bases can be compared. O(n^2 d)."""
    count = min(NEAREST, len(teacher) - 1)
    if count < 1:
        return 1.0
    ours, theirs = _nearest(unit(vectors), count), _nearest(unit(teacher), count)
    shared = [len(np.intersect1d(a, b)) for a, b in zip(ours, theirs, strict=True)]
    return float(np.mean(shared) / count)


def _nearest(vectors: Float32s, count: int) -> list[np.ndarray[tuple[int], np.dtype[np.intp]]]:
    nearest = []
    for row, vector in enumerate(vectors):
        cosines = vectors @ vector
        cosines[row] = -np.inf
        nearest.append(np.argsort(-cosines, kind="stable")[:count])
    return nearest
