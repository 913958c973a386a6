"""Search rows of length one by similarity with an inverted file index (IVF) of FAISS."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tersely.errors import needs
from tersely.files import at_forks
from tersely.types import Float32s, Int32s, Int64s

_SEED = 1234
_TRAINING_ROWS = 50  # for each cell; FAISS asks for 39 or more
_ITERATIONS = 8  # of k-means
_forked = False


def _note_fork() -> None:
    global _forked  # noqa: PLW0603
    _forked = True


at_forks(after_in_child=_note_fork)


class InvertedFile:
    """An index that keeps rows in cells of similar ones; a search looks into the cells nearest to its query.

    Deterministic for a number of threads: FAISS trains from a fixed seed.
    """

    def __init__(self, rows: int, depth: int, threads: int) -> None:
        """Make an empty index of 2 sqrt(rows) cells. Raises MissingExtraError without faiss."""
        self._faiss = _import()
        self.threads = threads
        cells = max(1, min(int(2 * math.sqrt(rows)), rows // _TRAINING_ROWS))
        flat = self._faiss.IndexFlatIP(depth)
        self._index = self._faiss.IndexIVFFlat(flat, depth, cells, self._faiss.METRIC_INNER_PRODUCT)
        self._index.cp.seed = _SEED
        self._index.cp.niter = _ITERATIONS
        self._index.cp.max_points_per_centroid = _TRAINING_ROWS
        self._index.cp.spherical = True

    @property
    def cells(self) -> int:
        """Number of cells."""
        return int(self._index.nlist)

    @property
    def training_rows(self) -> int:
        """Number of rows that `fill` should be given to train with."""
        return self.cells * _TRAINING_ROWS

    def fill(self, training: Float32s, blocks: Iterable[Float32s]) -> None:
        """Train the cells, then add the rows, float32 (n, depth) of length one, block by block."""
        with self._single_pool():
            self._index.train(training)
            for block in blocks:
                self._index.add(block)

    def search(self, queries: Float32s, threshold: float, probes: int) -> tuple[Int64s, Int32s, Float32s]:
        """Return limits, rows and similarities of pairs above `threshold` in the nearest `probes` cells.

        int64[n + 1], int32[p], float32[p]: those of query q stand at [limits[q], limits[q + 1]).
        """
        self._index.nprobe = probes
        with self._single_pool():
            limits, similarity, rows = self._index.range_search(queries, threshold)
        return limits.astype(np.int64), rows.astype(np.int32), similarity

    @contextmanager
    def _single_pool(self) -> Iterator[None]:
        """Give FAISS as many OpenMP threads as ours, which rest meanwhile, and put its number back.

        After a fork the child has none of the threads that its OpenMP still counts on: more than one hangs.
        """
        before = self._faiss.omp_get_max_threads()
        self._faiss.omp_set_num_threads(1 if _forked else self.threads)
        try:
            yield
        finally:
            self._faiss.omp_set_num_threads(1 if _forked else before)


def _import() -> Any:
    with needs("faiss-cpu", "faiss"):
        import faiss
    return faiss
