"""Pairs of rows with cosine >= threshold: the peers behind one shape, for float32 rows of any length.

A peer that is not installed is listed, not an error. Every peer divides by the lengths itself, in the time
that is measured, and gets what makes it fast: blocks over the upper triangle, of a size that was tried out,
where its API can be called so.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.kernels.vectors import Floats

__all__ = ["BLOCK", "Finder", "Ints", "Pairs", "installed", "peers", "unit"]

Ints = npt.NDArray[np.int64]
Pairs = tuple[Ints, Ints, Floats]  # i, j, similarity; i < j, each pair once, in any order
BLOCK = 512
Find = Callable[[Floats, float], Pairs]
_COUNT = 32  # neighbours asked for first, where an API wants a number


@dataclass(frozen=True, slots=True)
class Finder:
    """A way to find the pairs."""

    name: str  #: as it stands in the tables
    find: Find | None  #: (rows, threshold) -> pairs; None where the package is missing
    most_rows: int  #: more are not tried
    limit: str  #: why


def peers(threads: int = 1) -> list[Finder]:
    """Exact peers, on so many threads; `rounds.pin` tells the libraries that take no argument."""
    return [
        Finder(name, make(threads) if module is None or installed(module) else None, most_rows, limit)
        for name, module, make, most_rows, limit in _PEERS
    ]


def installed(module: str) -> bool:
    """Whether it can be imported."""
    return importlib.util.find_spec(module) is not None


def unit(rows: Floats) -> Floats:
    """Rows of length 1."""
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows / lengths[:, None]


def _numpy(rows: Floats, threshold: float) -> Pairs:
    rows = unit(rows)
    buffer = np.empty(BLOCK * BLOCK, np.float32)
    found = []
    for top in range(0, len(rows), BLOCK):
        for left in range(top, len(rows), BLOCK):
            upper, lower = rows[top : top + BLOCK], rows[left : left + BLOCK]
            block = buffer[: len(upper) * len(lower)].reshape(len(upper), len(lower))
            np.matmul(upper, lower.T, out=block)
            found.append(_above(block, threshold, top, left))
    return _joined(found)


def _numpy_rows(rows: Floats, threshold: float) -> Pairs:
    """The common recipe: some rows against all, both halves."""
    rows = unit(rows)
    found = []
    for top in range(0, len(rows), BLOCK):
        block = rows[top : top + BLOCK] @ rows.T
        i, j = np.nonzero(block >= threshold)
        found.append(_upper(i + top, j, block[i, j]))
    return _joined(found)


def _sklearn(_: int) -> Find:
    cosine_similarity = importlib.import_module("sklearn.metrics.pairwise").cosine_similarity
    return lambda rows, threshold: _above(cosine_similarity(rows), threshold, 0, 0)


def _torch(_: int) -> Find:
    torch = importlib.import_module("torch")

    def find(rows: Floats, threshold: float) -> Pairs:
        tensor = torch.nn.functional.normalize(torch.from_numpy(rows))
        buffer = torch.empty(BLOCK * BLOCK)
        found = []
        for top in range(0, len(rows), BLOCK):
            for left in range(top, len(rows), BLOCK):
                upper, lower = tensor[top : top + BLOCK], tensor[left : left + BLOCK]
                block = buffer[: len(upper) * len(lower)].view(len(upper), len(lower))
                torch.mm(upper, lower.T, out=block)
                i, j = (block >= threshold).nonzero(as_tuple=True)
                similarity = block[i, j]
                found.append(_upper(i.numpy() + top, j.numpy() + left, similarity.numpy()))
        return _joined(found)

    return find


def _faiss_index(_: int) -> Find:
    """The call its manual shows: every row against every row, both halves."""
    faiss = importlib.import_module("faiss")

    def find(rows: Floats, threshold: float) -> Pairs:
        rows = rows.copy()
        faiss.normalize_L2(rows)
        index = faiss.IndexFlatIP(rows.shape[1])
        index.add(rows)
        limits, similarity, j = index.range_search(rows, _just_below(threshold))
        return _upper(_rows_of(limits), j, similarity)

    return find


def _faiss_blocks(_: int) -> Find:
    """Its function below the index, from each block of rows to the rows from there on."""
    faiss = importlib.import_module("faiss")

    def find(rows: Floats, threshold: float) -> Pairs:
        rows = rows.copy()
        faiss.normalize_L2(rows)
        found = []
        for top in range(0, len(rows), BLOCK):
            upper, lower = rows[top : top + BLOCK], rows[top:]
            result = faiss.RangeSearchResult(len(upper))
            faiss.range_search_inner_product(
                faiss.swig_ptr(upper),
                faiss.swig_ptr(lower),
                rows.shape[1],
                len(upper),
                len(lower),
                _just_below(threshold),
                result,
            )
            limits = faiss.rev_swig_ptr(result.lims, len(upper) + 1).astype(np.int64)
            many = int(limits[-1])
            j = faiss.rev_swig_ptr(result.labels, many).copy()
            similarity = faiss.rev_swig_ptr(result.distances, many).copy()
            found.append(_upper(_rows_of(limits) + top, j + top, similarity))
        return _joined(found)

    return find


def _usearch(threads: int) -> Find:
    """The nearest of each row; again with more of them while the last one is near enough."""
    usearch = importlib.import_module("usearch.index")

    def find(rows: Floats, threshold: float) -> Pairs:
        rows = unit(rows)
        count = min(_COUNT, len(rows))
        while True:
            got = usearch.search(rows, rows, count, usearch.MetricKind.IP, exact=True, threads=threads)
            if count == len(rows) or (1 - got.distances[:, -1] < threshold - 1e-6).all():
                break
            count = min(count * 2, len(rows))
        i, k = np.nonzero(1 - got.distances >= threshold)
        return _upper(i, got.keys[i, k].astype(np.int64), 1 - got.distances[i, k])

    return find


def _numkong(threads: int) -> Find:
    """The successor of SimSIMD. It sums float32 in float64."""
    cdist = importlib.import_module("numkong").cdist

    def find(rows: Floats, threshold: float) -> Pairs:
        rows = unit(rows)
        found = []
        for top in range(0, len(rows), BLOCK):
            block = np.asarray(cdist(rows[top : top + BLOCK], rows[top:], "dot", threads=threads))
            found.append(_above(block, threshold, top, top))
        return _joined(found)

    return find


def _numba(_: int) -> Find:
    """Two loops and a dot product, compiled."""
    scan: Any = importlib.import_module("numba").njit(fastmath=True)(_scan)

    def find(rows: Floats, threshold: float) -> Pairs:
        i, j, similarity = scan(unit(rows), np.float32(threshold))
        return np.array(i, np.int64), np.array(j, np.int64), np.array(similarity, np.float32)

    return find


def _scan(rows: Any, threshold: Any) -> Any:
    first, second, similarity = [0], [0], [np.float32(0)]  # typed by a row that is taken off again
    for i in range(rows.shape[0]):
        for j in range(i + 1, rows.shape[0]):
            total = np.float32(0)
            for k in range(rows.shape[1]):
                total += rows[i, k] * rows[j, k]
            if total >= threshold:
                first.append(i)
                second.append(j)
                similarity.append(total)
    return first[1:], second[1:], similarity[1:]


def _above(block: npt.NDArray[Any], threshold: float, top: int, left: int) -> Pairs:
    flat = np.flatnonzero(block >= threshold)
    i, j = np.divmod(flat, block.shape[1])
    return _upper(i + top, j + left, block.ravel()[flat].astype(np.float32))


def _upper(i: Ints, j: Ints, similarity: Floats) -> Pairs:
    keep = i < j
    return i[keep], j[keep], similarity[keep]


def _joined(found: list[Pairs]) -> Pairs:
    i, j, similarity = zip(*found, strict=True)
    return np.concatenate(i), np.concatenate(j), np.concatenate(similarity)


def _rows_of(limits: npt.NDArray[Any]) -> Ints:
    whole = limits.astype(np.int64)
    return np.repeat(np.arange(len(whole) - 1), whole[1:] - whole[:-1])


def _just_below(threshold: float) -> float:
    """FAISS keeps what is above its radius, not at it."""
    return float(np.nextafter(np.float32(threshold), np.float32(-1)))


# Name, module it needs, how it is made from a number of threads, the most rows it is given, and why.
_PEERS: tuple[tuple[str, str | None, Callable[[int], Find], int, str], ...] = (
    ("numpy, blocks", None, lambda _: _numpy, 1_000_000, "hours"),
    ("numpy, whole rows", None, lambda _: _numpy_rows, 50_000, "minutes a round"),
    ("scikit-learn, N x N", "sklearn", _sklearn, 20_000, "N x N floats"),
    ("torch, blocks", "torch", _torch, 50_000, "minutes a round"),
    ("FAISS IndexFlatIP.range_search", "faiss", _faiss_index, 50_000, "minutes a round"),
    ("FAISS range_search_inner_product, blocks", "faiss", _faiss_blocks, 1_000_000, "hours"),
    ("usearch, exact search", "usearch", _usearch, 5_000, "minutes a round"),
    ("numkong cdist, blocks", "numkong", _numkong, 5_000, "minutes a round"),
    ("numba, loops", "numba", _numba, 5_000, "minutes a round"),
)
