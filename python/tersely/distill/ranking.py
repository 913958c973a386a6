"""Moves a fitted table towards the teacher's order of texts: which of them are nearest to which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tersely.distill.bags import sparse
from tersely.tables import Float32s, Int64s

__all__ = ["refine_ranking"]

_BATCH = 512  # texts that are ranked against each other
_TEMPERATURE = 0.1
_RATE = 0.02


def refine_ranking(
    table: Float32s, bags: Any, teacher: Float32s, steps: int, progress: Callable[[int, int], None]
) -> Float32s:
    """Follow the gradient of the cross-entropy between the teacher's and the table's neighbours.

    For each text of a batch, softmax(cosine / 0.1) over the batch's other texts says which are near; the
    table's should be the teacher's (`teacher`: float32 (texts, width), rows of length one). Least squares
    makes each vector alike; this makes their order alike, which is what retrieval uses. Steps are scaled by
    each row's gradients so far (Adagrad, one scale a row: Duchi, Hazan and Singer 2011). The batches are
    random, and always the same ones. O(steps * 512 * (tokens of a text + 512) * d).
    """
    random = np.random.default_rng(0)
    table = table.copy()
    squares = np.full(len(table), 1e-8, np.float32)
    for step in range(steps):
        texts = np.sort(random.choice(len(teacher), min(_BATCH, len(teacher)), replace=False))
        columns, gradient = _gradient(table, bags[texts], teacher[texts])
        squares[columns] += (gradient * gradient).mean(axis=1)
        table[columns] -= np.float32(_RATE) * gradient / np.sqrt(squares[columns])[:, None]
        progress(step + 1, steps)
    return table


def _gradient(table: Float32s, bags: Any, teacher: Float32s) -> tuple[Int64s, Float32s]:
    """Words of the batch, and the gradient of the mean cross-entropy by their rows."""
    columns, places = np.unique(bags.indices, return_inverse=True)
    part = sparse().csr_matrix((bags.data, places, bags.indptr), shape=(bags.shape[0], len(columns)))
    sums = part @ table[columns]
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    vectors = sums / lengths
    wrong = (_neighbours(vectors) - _neighbours(teacher)) / (len(teacher) * _TEMPERATURE)
    by_vector = (wrong + wrong.T) @ vectors
    by_sum = (by_vector - (by_vector * vectors).sum(axis=1, keepdims=True) * vectors) / lengths
    return columns, np.asarray(part.T @ by_sum, np.float32)


def _neighbours(vectors: Float32s) -> Float32s:
    """Softmax of each row's cosines to the other rows, divided by the temperature."""
    scores = vectors @ vectors.T / np.float32(_TEMPERATURE)
    np.fill_diagonal(scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)
