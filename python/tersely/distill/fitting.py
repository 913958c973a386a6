"""Fit a table of token vectors to the vectors that a teacher gives whole texts, and measure the fit.

A text is a bag of tokens (`bags`), and its vector by the table the mean of theirs. The table starts as a
linear function of the teacher's vectors of single words (`start_table`), is fitted by least squares
(`fit_ridge`), and moved towards the teacher's order of neighbours (`refine_ranking`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tersely._native import StaticTable
from tersely.core.errors import MissingExtraError
from tersely.core.tables import Float32s, Int64s

__all__ = [
    "bags",
    "centred",
    "fit_ridge",
    "mean_cosine",
    "mean_vectors",
    "principal_basis",
    "ranking_agreement",
    "read_words",
    "refine_ranking",
    "sparse",
    "start_table",
    "unit",
]

MOST_TOKENS = 256  # of a text, as sentence models read
NEAREST = 10  # texts that count as neighbours in the measure
_SMOOTHING = (1e-3, 1e-4)  # a of a / (a + p), p a token's share of the text
_START_RIDGE = 10.0
_BATCH = 512  # texts that are ranked against each other
_TEMPERATURE = 0.1
_RATE = 0.02


def read_words(tokenizer: Path) -> list[str]:
    """Read the vocabulary of a tokenizer.json, by id.

    Raises ValueError where it is not an uncased WordPiece tokenizer (BERT's), which reads static tables.
    """
    try:
        stated = json.loads(tokenizer.read_text(encoding="utf-8"))
        model, normalizer = stated["model"], stated["normalizer"] or {}
        words = sorted(model["vocab"], key=model["vocab"].__getitem__)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{tokenizer} is not the file of a WordPiece tokenizer: {error!r}") from error
    uncased = normalizer.get("type") == "BertNormalizer" and normalizer.get("lowercase") is True
    kind = model.get("type", "WordPiece")
    if kind != "WordPiece" or not uncased or model.get("continuing_subword_prefix", "##") != "##":
        found = f"{kind}, {normalizer.get('type')}"
        raise ValueError(f"{tokenizer} must be an uncased WordPiece tokenizer (BERT's), not {found}")
    if [model["vocab"][word] for word in words] != list(range(len(words))):
        raise ValueError(f"{tokenizer}: token ids must be 0, 1, 2, ... without gaps")
    return words


def bags(texts: Sequence[str], words: Sequence[str]) -> Any:
    """Count tokens: scipy.sparse.csr_matrix (texts, words) of float32, each token's share of its text.

    At most the first 256 tokens of a text count; a text without any has a row of zeros.
    Raises MissingExtraError without scipy.
    """
    blank = np.full((len(words), 1), 0x88, np.uint8)
    tokenizer = StaticTable("\n".join(words).encode(), blank, np.ones(len(words), np.float32))
    ids = [tokenizer.ids(text)[:MOST_TOKENS] for text in texts]
    lengths = np.array([len(row) for row in ids], np.int64)
    columns = np.concatenate(ids) if ids else np.zeros(0, np.int32)
    shares = np.repeat(1 / np.maximum(lengths, 1), lengths).astype(np.float32)
    rows = sparse().csr_matrix((shares, columns, _starts(lengths)), shape=(len(texts), len(words)))
    rows.sum_duplicates()
    return rows


def _starts(lengths: Int64s) -> Int64s:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def sparse() -> Any:
    """Return the module scipy.sparse. Raises MissingExtraError without it."""
    try:
        import scipy.sparse
    except ImportError as error:
        raise MissingExtraError("scipy", "distill") from error
    return scipy.sparse


def unit(vectors: Float32s) -> Float32s:
    """Scale rows to length one; zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def mean_vectors(bags: Any, table: Float32s) -> Float32s:
    """Embed bags (texts, words) as a static embedder does: float32 (texts, d), rows of length one."""
    return unit(bags @ table)


def principal_basis(vectors: Float32s, dimensions: int) -> Float32s:
    """Find the directions with most of the vectors' energy, mean included: float32 (width, dimensions).

    By falling energy. Each points to where its largest component is positive. O(n width^2).
    """
    _, directions = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    chosen = directions[:, ::-1][:, :dimensions]
    largest = np.take_along_axis(chosen, np.abs(chosen).argmax(axis=0)[None, :], axis=0)
    return np.asarray(chosen * np.where(largest < 0, -1, 1), np.float32)


def start_table(bags: Any, single: Float32s, targets: Float32s) -> Float32s:
    """Make a first table for all words, those too that no text has, of the teacher's vectors of each.

    `single` (words, width) are the teacher's vectors of the words, `targets` (texts, d) what the mean of a
    text's tokens should be. Each word's vector counts by how rare it is: a / (a + p) for two values of a
    (smooth inverse frequency: Arora, Liang and Ma 2017). The table is linear in them: least squares, with a
    ridge.
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
    progress: Callable[[int, int], object],
) -> Float32s:
    """Fit the table E with the least |bags E - targets|^2 + ridge |E - start|^2.

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
    """Take the mean direction of the texts' vectors out of a table: it tells no text from another.

    All but the top: Mu and Viswanath 2018.
    """
    mean = mean_vectors(bags, table).mean(axis=0, dtype=np.float64)
    mean /= max(float(np.linalg.norm(mean)), 1e-12)
    return np.asarray(table - np.outer(table @ mean, mean), np.float32)


def refine_ranking(
    table: Float32s, bags: Any, teacher: Float32s, steps: int, progress: Callable[[int, int], object]
) -> Float32s:
    """Move a table towards the teacher's order of texts: which of them are nearest to which.

    Follows the gradient of the cross-entropy between both. For each text of a batch, softmax(cosine / 0.1)
    over the batch's other texts says which are near; the table's should be the teacher's (`teacher`: float32
    (texts, width), rows of length one). Least squares makes each vector alike; this makes their order alike,
    which is what retrieval uses. Steps are scaled by each row's gradients so far (Adagrad, one scale a row:
    Duchi, Hazan and Singer 2011). The batches are random, and always the same ones.
    O(steps * 512 * (tokens of a text + 512) * d).
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
    """Return the words of the batch, and the gradient of the mean cross-entropy by their rows."""
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
    """Compute the softmax of each row's cosines to the other rows, divided by the temperature."""
    scores = vectors @ vectors.T / np.float32(_TEMPERATURE)
    np.fill_diagonal(scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def mean_cosine(vectors: Float32s, teacher: Float32s, basis: Float32s) -> float:
    """Measure the mean cosine of vectors (n, d) to the teacher's (n, width) in the basis (width, d)."""
    return float((unit(vectors) * unit(teacher @ basis)).sum(axis=1).mean())


def ranking_agreement(vectors: Float32s, teacher: Float32s) -> float:
    """Measure how many of the teacher's ten nearest texts are among the table's ten: a share in [0, 1].

    The mean over all texts. Vectors of other widths and bases can be compared. O(n^2 d).
    """
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
