"""Cluster many vectors: FAISS finds candidate pairs, each is decided exactly, and the recall is measured."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.kernels.checks import Float64s, Progress, roots
from tersely.kernels.similarity import cosine_similarity
from tersely.models.faiss import InvertedFile
from tersely.types import Float32s, Int32s

_BLOCK = 4096  # rows searched at once
_CHUNK = 16_384  # rows that a sample is compared with at once
_CALIBRATION = 512  # rows on which the number of cells to look into is chosen
_SAMPLE = 2000  # other rows, on which the recall is measured
_AIM = 0.998  # recall on the calibration rows
_SLACK = 1e-4  # beside 2^-23 a column, for the roundings of float32

Matrix = npt.NDArray[np.floating[Any]]


class Recall(NamedTuple):
    """Share of the true pairs that were found, measured on sampled rows.

    Attributes:
        estimate: found / true pairs of the sampled rows; NaN where they have none.
        low, high: 95 % Wilson interval, the rows with pairs taken as the independent observations.
        rows: sampled rows.
        pairs: their true pairs.
    """

    estimate: float
    low: float
    high: float
    rows: int
    pairs: int


class _Search:
    """An index filled with X, and how many cells to look into."""

    def __init__(self, x: Matrix, threshold: float, threads: int) -> None:
        self.x, self.threshold, self.threads = x, threshold, threads
        self.index = InvertedFile(len(x), x.shape[1], threads)
        picks = np.linspace(0, len(x) - 1, min(len(x), self.index.training_rows)).astype(np.int64)
        blocks = (_unit(x[at : at + _CHUNK]) for at in range(0, len(x), _CHUNK))
        self.index.fill(_unit(x[picks]), blocks)
        self.calibration, self.sample = _samples(len(x))
        self.probes = self._calibrated()

    def pairs(self, rows: Int32s, probes: int | None = None) -> tuple[Int32s, Int32s, Float32s]:
        """Found pairs (row, other, similarity) of these rows that reach the threshold in double."""
        limits, other, _ = self.index.search(
            _unit(self.x[rows]), _candidates_from(self.x, self.threshold), probes or self.probes
        )
        row = np.repeat(rows, np.diff(limits))
        return _reaching(self.x, row, other, self.threshold, self.threads)

    def _calibrated(self) -> int:
        true = len(_true_pairs(self.x, self.calibration, self.threshold, self.threads))
        probes = 1
        while probes < self.index.cells:
            if true and len(self.pairs(self.calibration, probes)[0]) >= _AIM * true:
                break
            if not true and probes >= 16:
                break  # nothing to choose by
            probes *= 2
        return min(2 * probes, self.index.cells)  # few pairs are little evidence: once more

    def recall(self) -> Recall:
        """Measured on rows that had no part in choosing the number of cells."""
        true = _true_pairs(self.x, self.sample, self.threshold, self.threads)
        row, other, _ = self.pairs(self.sample)
        keys = row.astype(np.int64) * len(self.x) + other
        found = np.isin(true[:, 0].astype(np.int64) * len(self.x) + true[:, 1], keys)
        share = float(found.mean()) if len(found) else math.nan
        return Recall(share, *_wilson(share, len(np.unique(true[:, 0]))), len(self.sample), len(true))


def faiss_clusters(
    x: Matrix,
    threshold: float,
    scores: Float64s,
    single: bool,
    threads: int,
    progress: Progress | None,
) -> tuple[Int32s, Int32s, Int32s, Recall]:
    """Return labels, representatives, sizes and recall; arguments as for `_native.threshold_clusters`."""
    _check_finite(x)
    search = _Search(x, threshold, threads)
    by_score = np.argsort(-scores, kind="stable") if len(scores) else np.arange(len(x))
    order: Int32s = by_score.astype(np.int32)
    rank = np.empty(len(x), dtype=np.int32)
    rank[order] = np.arange(len(x), dtype=np.int32)
    labels = np.full(len(x), -1, dtype=np.int32)
    representatives = np.full(len(x), -1, dtype=np.int32)
    parent = np.arange(len(x), dtype=np.int32)
    clusters = 0
    for at in range(0, len(x), _BLOCK):
        rows = order[at : at + _BLOCK]
        row, other, similarity = search.pairs(rows)
        if single:
            _native.unite(parent, rank[row], rank[other])
        else:
            earlier = rank[other] < rank[row]
            limits = np.zeros(len(rows) + 1, dtype=np.int64)
            limits[1:] = np.cumsum(np.bincount(rank[row[earlier]] - at, minlength=len(rows)))
            clusters = _native.join_found(
                rows, limits, other[earlier], similarity[earlier], labels, representatives, clusters
            )
        if progress is not None:
            progress(min(at + _BLOCK, len(x)) / len(x))
    if single:
        first, labels_by_rank = np.unique(roots(parent), return_inverse=True)
        labels[order] = labels_by_rank
        representatives, clusters = order[first], len(first)
    sizes = np.bincount(labels, minlength=clusters).astype(np.int32)
    return labels, representatives[:clusters].copy(), sizes, search.recall()


def _check_finite(x: Matrix) -> None:
    """Raise ValueError for the first row with a NaN or an infinity."""
    for at in range(0, len(x), _CHUNK):
        bad = ~np.isfinite(x[at : at + _CHUNK]).all(axis=1)
        if bad.any():
            raise ValueError(f"X: row {at + int(bad.argmax())} holds a NaN or an infinity")


def _unit(rows: Matrix) -> Float32s:
    """Rows of length one, float32; zero rows stay zero."""
    wide = rows.astype(np.float64)
    largest = np.abs(wide).max(axis=1, initial=0)
    wide /= np.where(largest > 0, largest, 1)[:, None]  # squares that double holds
    norm = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    return np.ascontiguousarray(wide / np.where(norm > 0, norm, 1)[:, None], dtype=np.float32)


def _samples(count: int) -> tuple[Int32s, Int32s]:
    """Calibration rows and sample rows, without a common one, at random from a fixed seed."""
    picks = np.random.default_rng(0).permutation(count)[: _CALIBRATION + _SAMPLE].astype(np.int32)
    return np.sort(picks[:_CALIBRATION]), np.sort(picks[_CALIBRATION:])


def _true_pairs(x: Matrix, rows: Int32s, threshold: float, threads: int) -> Int32s:
    """int32 (p, 2): the sampled rows and all that reach the threshold with them."""
    pairs = []
    for at in range(0, len(x), _CHUNK):
        similarity = cosine_similarity(x[rows], x[at : at + _CHUNK], threads=threads)
        i, j = np.nonzero(similarity >= _candidates_from(x, threshold))
        row, other, _ = _reaching(x, rows[i], (j + at).astype(np.int32), threshold, threads)
        pairs.append(np.stack([row, other], axis=1))
    return np.concatenate(pairs)


def _candidates_from(x: Matrix, threshold: float) -> float:
    """Return a float32 similarity below which no pair can reach the threshold in double."""
    depth: int = x.shape[1]
    return threshold - _SLACK - depth * 2.0**-23


def _reaching(
    x: Matrix, row: Int32s, other: Int32s, threshold: float, threads: int
) -> tuple[Int32s, Int32s, Float32s]:
    """Filter pairs of different rows to those that reach the threshold in double; add their similarity."""
    apart = row != other
    row, other = row[apart], other[apart]
    similarity = _native.check_pairs(x, row, other, threshold, threads)
    reached = similarity > -2
    return row[reached], other[reached], similarity[reached]


def _wilson(share: float, count: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    if count == 0:
        return 0.0, 1.0
    z = 1.959964
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, middle - half), min(1.0, middle + half)
