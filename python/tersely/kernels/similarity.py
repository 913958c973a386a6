"""Compute cosine similarity of rows: of all, or the pairs that reach a threshold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tersely import _native, checks
from tersely.kernels.checks import Progress, to_matrix, to_threads
from tersely.types import Float32s, Int32s


class Pairs(NamedTuple):
    """Pairs of rows i < j, sorted by i, then j: int32[p], int32[p], float32[p]."""

    i: Int32s
    j: Int32s
    similarity: Float32s


def cosine_similarity(
    X: npt.ArrayLike,  # noqa: N803  the field's name, and scikit-learn's
    Y: npt.ArrayLike | None = None,  # noqa: N803
    *,
    out: Float32s | None = None,
    threads: int | None = None,
) -> Float32s:
    """Compute the cosine similarity of every row of X with every row of Y, or of X if Y is None.

    The values of `sklearn.metrics.pairwise.cosine_similarity` to within (d + 4) 2^-24, always as float32.

    Args:
        X: (n, d).
        Y: (m, d).
        out: float32 (n, m) with contiguous rows, to write to.
        threads: None: OMP_NUM_THREADS, or the CPUs that this process may use.

    Returns:
        float32 (n, m).

    Raises:
        ValueError: shapes that do not fit, or a row with a NaN or an infinity, which is named.

    O(n m d) time, O((n + m) d) memory in addition to the result.
    """
    x = to_matrix(X, "X")
    y = None if Y is None else to_matrix(Y, "Y")
    if y is not None and y.shape[1] != x.shape[1]:
        raise ValueError(f"X and Y must have as many columns: {x.shape[1]} and {y.shape[1]}")
    shape = (len(x), len(x) if y is None else len(y))
    if out is None:
        out = np.empty(shape, dtype=np.float32)
    elif not isinstance(out, np.ndarray) or out.dtype != np.float32 or out.shape != shape:
        found = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ValueError(f"out must be a float32 array of shape {shape}, not {found}")
    elif not out.flags.writeable:
        raise ValueError("out must be writeable")
    _native.cosine_similarity(x, y, out, to_threads(threads), None)
    return out


def cosine_pairs(
    X: npt.ArrayLike,  # noqa: N803
    threshold: float,
    *,
    max_pairs: int = 10_000_000,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Pairs:
    """Find the pairs of rows whose cosine similarity is at least `threshold`.

    Whether a pair is in is decided as in double, with a tolerance of 1e-9, so that identical rows reach 1.0.

    Args:
        X: (n, d).
        threshold: cosine, inclusive.
        max_pairs: more than these raise instead of filling the memory.
        threads: None: OMP_NUM_THREADS, or the CPUs that this process may use.
        progress: called with the share done, 0 to 1, up to fifty times a second; what it raises ends the
            work and is raised here.

    Returns:
        `Pairs`, i < j, sorted.

    Raises:
        ValueError: more than `max_pairs` pairs, or a row with a NaN or an infinity.

    O(n^2 d) time, O(n d + pairs) memory: never an n x n matrix.
    """
    found = _native.cosine_pairs(
        to_matrix(X, "X"),
        checks.number(threshold, "threshold", least=-1, most=1),
        min(checks.whole_number(max_pairs, "max_pairs"), 2**62),
        to_threads(threads),
        checks.callable_or_none(progress, "progress"),
    )
    return Pairs(*found)
