"""Token vectors whose mean is the teacher's vector: a linear start, then least squares in closed form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tersely.tables import Float32s

__all__ = ["centred", "fit_ridge", "mean_vectors", "principal_basis", "start_table", "unit"]

_SMOOTHING = (1e-3, 1e-4)  # a of a / (a + p), p a token's share of the text
_START_RIDGE = 10.0


def unit(vectors: Float32s) -> Float32s:
    """Rows scaled to length one; zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def mean_vectors(bags: Any, table: Float32s) -> Float32s:
    """Rows of length one, as a static embedder gives: float32 (texts, d) for bags (texts, words)."""
    return unit(bags @ table)


def principal_basis(vectors: Float32s, dimensions: int) -> Float32s:
    """float32 (width, dimensions): the directions with most of the vectors' energy, mean included, by falling
    energy. Each points to where its largest component is positive. O(n width^2)."""
    _, directions = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    chosen = directions[:, ::-1][:, :dimensions]
    largest = np.take_along_axis(chosen, np.abs(chosen).argmax(axis=0)[None, :], axis=0)
    return np.asarray(chosen * np.where(largest < 0, -1, 1), np.float32)


def start_table(bags: Any, single: Float32s, targets: Float32s) -> Float32s:
    """A table for all words, those too that no text has: a linear function of what the teacher makes of each.

    `single` (words, width) are the teacher's vectors of the words, `targets` (texts, d) what the mean of a
    text's tokens should be. Each word's vector counts by how rare it is: a / (a + p) for two values of a
    (smooth inverse frequency: Arora, Liang and Ma 2017). The map is the least squares one, with a ridge.
    """
    shares = np.asarray(bags.sum(axis=0), np.float64).ravel()
    shares /= max(shares.sum(), 1e-12)
    weighted = [single * (a / (a + shares)).astype(np.float32)[:, None] for a in _SMOOTHING]
    features = np.concatenate(weighted, axis=1)
    rows = bags @ features
    gram = (rows.T @ rows).astype(np.float64) + _START_RIDGE * np.eye(features.shape[1])
    return np.asarray(features @ np.linalg.solve(gram, (rows.T @ targets).astype(np.float64)), np.float32)


def fit_ridge(
    bags: Any,
    targets: Float32s,
    start: Float32s,
    ridge: float,
    iterations: int,
    progress: Callable[[int, int], None],
) -> Float32s:
    """The table E with the least |bags E - targets|^2 + ridge |E - start|^2.

    Conjugate gradients with the diagonal as preconditioner, all columns at once, each with its own steps.
    O(iterations * tokens * d).
    """
    transposed = bags.T.tocsr()
    diagonal = np.asarray(bags.multiply(bags).sum(axis=0), np.float32).ravel()[:, None] + np.float32(ridge)
    table = start.copy()
    residual = transposed @ (targets - bags @ table)
    scaled = residual / diagonal
    direction = scaled.copy()
    size = (residual * scaled).sum(axis=0)
    for iteration in range(iterations):
        image = transposed @ (bags @ direction) + np.float32(ridge) * direction
        step = size / np.maximum((direction * image).sum(axis=0), 1e-30)
        table += step * direction
        residual -= step * image
        scaled = residual / diagonal
        before, size = size, (residual * scaled).sum(axis=0)
        direction = scaled + (size / np.maximum(before, 1e-30)) * direction
        progress(iteration + 1, iterations)
    return np.asarray(table, np.float32)


def centred(bags: Any, table: Float32s) -> Float32s:
    """The table without the mean direction of the texts' vectors, which all texts share and none is told by
    (Mu and Viswanath 2018: all but the top)."""
    mean = mean_vectors(bags, table).mean(axis=0, dtype=np.float64)
    mean /= max(float(np.linalg.norm(mean)), 1e-12)
    return np.asarray(table - np.outer(table @ mean, mean), np.float32)
