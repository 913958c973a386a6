"""Cluster many vectors: FAISS finds candidate pairs, each is decided exactly, and the recall is measured."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.errors import needs
from tersely.kernels.checks import Float64s, Progress, roots
from tersely.kernels.similarity import cosine_similarity
from tersely.models.static import unit_rows
from tersely.types import Float32s, Int32s

_BLOCK = 4096  # rows searched at once
_CHUNK = 16_384  # rows that are added, or that a sample is compared with, at once
_CALIBRATION, _SAMPLE = 512, 2000  # rows on which the number of cells is chosen; others: measure the recall
_AIM = 0.998  # recall on the calibration rows
_SLACK = 1e-4  # beside 2^-23 a column, for the roundings of float32
_TRAINING_ROWS = 50  # for each cell; FAISS asks for 39 or more
_PROCESS = os.getpid()

Matrix = npt.NDArray[np.floating[Any]]


class Recall(NamedTuple):
    """Share of the true pairs that were found, measured on sampled rows."""

    estimate: float  #: found / true pairs of the sampled rows; NaN where they have none
    #: with `high`: 95 % Wilson interval, the rows with pairs taken as the independent observations
    low: float
    high: float
    rows: int  #: sampled rows
    pairs: int  #: their true pairs


class _Search:
    """An inverted file of X: rows in 2 sqrt(n) cells of similar ones, of which a search reads the nearest.

    Deterministic for a number of threads: FAISS trains from a fixed seed.
    """

    def __init__(self, x: Matrix, threshold: float, threads: int) -> None:
        with needs("faiss-cpu", "faiss"):
            import faiss
        self.faiss, self.x, self.threshold, self.threads = faiss, x, threshold, threads
        count, depth = x.shape
        cells = max(1, min(int(2 * math.sqrt(count)), count // _TRAINING_ROWS))
        self.least = threshold - _SLACK - depth * 2.0**-23  # no pair below it reaches the threshold in double
        self.index = faiss.IndexIVFFlat(faiss.IndexFlatIP(depth), depth, cells, faiss.METRIC_INNER_PRODUCT)
        training = self.index.cp
        training.seed, training.niter, training.spherical = 1234, 8, True
        training.max_points_per_centroid = _TRAINING_ROWS
        with self._omp_threads():
            picks = np.linspace(0, count - 1, min(count, cells * _TRAINING_ROWS)).astype(np.int64)
            self.index.train(_unit(x[picks]))
            for at in range(0, count, _CHUNK):
                self.index.add(_unit(x[at : at + _CHUNK]))
        picks = np.random.default_rng(0).permutation(count)[: _CALIBRATION + _SAMPLE]
        calibration, self.sample = np.sort(picks[:_CALIBRATION]), np.sort(picks[_CALIBRATION:])
        true = len(self.true_pairs(calibration))
        self.index.nprobe = 1
        while self.index.nprobe < cells:
            if true and len(self.pairs(calibration)[0]) >= _AIM * true:
                break
            if not true and self.index.nprobe >= 16:
                break  # nothing to choose by
            self.index.nprobe *= 2
        self.index.nprobe = min(2 * self.index.nprobe, cells)  # few pairs are little evidence: once more

    def pairs(self, rows: npt.NDArray[Any]) -> tuple[Int32s, Int32s, Float32s]:
        """Found pairs (row, other, similarity) of these rows that reach the threshold in double."""
        with self._omp_threads():
            limits, _, other = self.index.range_search(_unit(self.x[rows]), self.least)
        return self._reaching(np.repeat(rows, np.diff(limits.astype(np.int64))), other)

    def true_pairs(self, rows: npt.NDArray[Any]) -> Int32s:
        """int32 (p, 2): these rows and all that reach the threshold with them."""
        found = []
        for at in range(0, len(self.x), _CHUNK):
            near = cosine_similarity(self.x[rows], self.x[at : at + _CHUNK], threads=self.threads)
            i, j = np.nonzero(near >= self.least)
            found.append(np.stack(self._reaching(rows[i], j + at)[:2], axis=1))
        return np.concatenate(found)

    def recall(self) -> Recall:
        """Measured on rows that had no part in choosing the number of cells."""
        true, (row, other, _) = self.true_pairs(self.sample), self.pairs(self.sample)
        keys = row.astype(np.int64) * len(self.x) + other
        found = np.isin(true[:, 0].astype(np.int64) * len(self.x) + true[:, 1], keys)
        share = float(found.mean()) if len(found) else math.nan
        return Recall(share, *_wilson(share, len(np.unique(true[:, 0]))), len(self.sample), len(true))

    def _reaching(self, row: npt.NDArray[Any], other: npt.NDArray[Any]) -> tuple[Int32s, Int32s, Float32s]:
        """Filter pairs of different rows to those that reach the threshold; add their similarity."""
        apart = row != other
        row, other = row[apart].astype(np.int32), other[apart].astype(np.int32)
        similarity = _native.check_pairs(self.x, row, other, self.threshold, self.threads)
        reached = similarity > -2
        return row[reached], other[reached], similarity[reached]

    @contextmanager
    def _omp_threads(self) -> Iterator[None]:
        """Give FAISS as many OpenMP threads as ours, which rest meanwhile, and put its number back.

        A forked child has none of the threads that its OpenMP still counts on: more than one hangs.
        """
        before = self.faiss.omp_get_max_threads()
        self.faiss.omp_set_num_threads(self.threads if os.getpid() == _PROCESS else 1)
        try:
            yield
        finally:
            self.faiss.omp_set_num_threads(before if os.getpid() == _PROCESS else 1)


def faiss_clusters(
    x: Matrix, threshold: float, scores: Float64s, single: bool, threads: int, progress: Progress | None
) -> tuple[Int32s, Int32s, Int32s, Recall]:
    """Return labels, representatives, sizes and recall; arguments as for `_native.threshold_clusters`."""
    finite = np.isfinite(x).all(axis=1)
    if not finite.all():
        raise ValueError(f"X: row {int(finite.argmin())} holds a NaN or an infinity")
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


def _unit(rows: Matrix) -> Float32s:
    """Rows of length one; zero rows stay zero, and squares stay numbers that double holds."""
    wide = rows.astype(np.float64)
    largest = np.abs(wide).max(axis=1, initial=0, keepdims=True)
    return unit_rows(wide / np.where(largest > 0, largest, 1))


def _wilson(share: float, count: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    if count == 0:
        return 0.0, 1.0
    z = 1.959964
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, middle - half), min(1.0, middle + half)
