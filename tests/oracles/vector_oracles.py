"""Slow and obvious oracles of similarity and clustering, written from the headers in csrc/kernels/.

Cosines are sums in long double of rows that were scaled by a power of two, so that no square overflows.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from tersely import kernels

Matrix = npt.NDArray[np.floating]
WIDTHS = (
    1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 47, 48, 49, 95, 96, 97, 145,
)  # rows around lanes, tiles and panels  # fmt: skip
DEPTHS = (1, 2, 15, 16, 17, 31, 33, 64, 100)
TOLERANCE = 1e-9


def gaussian(rows: int, depth: int, seed: int = 0, dtype: npt.DTypeLike = np.float32) -> Matrix:
    return np.random.default_rng([seed, rows, depth]).standard_normal((rows, depth)).astype(dtype)


def unit_rows(values: npt.ArrayLike) -> npt.NDArray[np.longdouble]:
    rows = np.asarray(values, dtype=np.longdouble)
    largest = np.max(np.abs(rows), axis=1, initial=0)
    exponent = np.frexp(np.where(largest == 0, 1, largest))[1]
    rows = np.ldexp(rows, -exponent[:, None])
    norm = np.sqrt(np.sum(rows * rows, axis=1))
    return rows / np.where(norm == 0, 1, norm)[:, None]


def cosines(x: npt.ArrayLike, y: npt.ArrayLike | None = None) -> npt.NDArray[np.float64]:
    left = unit_rows(x)
    right = left if y is None else unit_rows(y)
    return (left @ right.T).astype(np.float64)


def margin(depth: int) -> float:
    """similarity.hpp: how far a float similarity may be from the cosine."""
    return (depth + 4) * 2.0**-24


def reaching(cosine: npt.NDArray[np.float64], threshold: float) -> npt.NDArray[np.bool_]:
    """similarity.hpp: inclusive, with a tolerance. No cosine may be too close to call in double."""
    distance = np.abs(cosine - (threshold - TOLERANCE))
    assert np.min(distance, initial=1) > 1e-12, "the case is too close to call: choose another one"
    return cosine >= threshold - TOLERANCE


def pairs_of(cosine: npt.NDArray[np.float64], threshold: float) -> list[tuple[int, int]]:
    i, j = np.nonzero(np.triu(reaching(cosine, threshold), 1))
    return list(zip(i.tolist(), j.tolist(), strict=True))


def pairs(x: npt.ArrayLike, threshold: float) -> list[tuple[int, int]]:
    return pairs_of(cosines(x), threshold)


def by_score(count: int, scores: npt.ArrayLike | None) -> list[int]:
    if scores is None:
        return list(range(count))
    given = np.asarray(scores, dtype=np.float64)
    return sorted(range(count), key=lambda row: (-given[row], row))


def numbered(order: Iterable[int], first_of: dict[int, int]) -> tuple[list[int], list[int], list[int]]:
    """Labels, representatives and sizes from the first row of each row's cluster."""
    representatives = [row for row in order if first_of[row] == row]
    labels = [representatives.index(first_of[row]) for row in sorted(first_of)]
    return labels, representatives, [labels.count(k) for k in range(len(representatives))]


def representative_clusters(
    x: npt.ArrayLike, similarity: Matrix, threshold: float, scores: npt.ArrayLike | None = None
) -> tuple[list[int], list[int], list[int]]:
    """clusters.hpp: the cosine decides who reaches whom, `similarity` (float) who is most similar."""
    reached = reaching(cosines(x), threshold)
    order = by_score(len(reached), scores)
    joins: dict[int, int] = {}
    representatives: list[int] = []
    for row in order:
        open_to = [other for other in representatives if reached[row, other]]
        joins[row] = max(open_to, key=lambda other: similarity[row, other]) if open_to else row
        if not open_to:
            representatives.append(row)
    return numbered(order, joins)


def single_clusters(
    x: npt.ArrayLike, threshold: float, scores: npt.ArrayLike | None = None
) -> tuple[list[int], list[int], list[int]]:
    return components(cosines(x), threshold, scores)


def components(
    cosine: npt.NDArray[np.float64], threshold: float, scores: npt.ArrayLike | None = None
) -> tuple[list[int], list[int], list[int]]:
    """clusters.hpp: connected components, by union-find."""
    reached = reaching(cosine, threshold)
    parent = list(range(len(reached)))

    def root(row: int) -> int:
        while parent[row] != row:
            row = parent[row]
        return row

    for i, j in zip(*np.nonzero(np.triu(reached, 1)), strict=True):
        parent[root(int(j))] = root(int(i))
    order = by_score(len(parent), scores)
    first: dict[int, int] = {}
    for row in order:
        first.setdefault(root(row), row)
    return numbered(order, {row: first[root(row)] for row in range(len(parent))})


def nearest_float(exact: Fraction) -> Fraction:
    """Rounded to 24 bits, ties to even: float32 without its limits on the exponent."""
    if exact == 0:
        return exact
    exponent = math.floor(math.log2(abs(exact))) - 23
    exponent += abs(exact) >= Fraction(2) ** (exponent + 24)
    exponent -= abs(exact) < Fraction(2) ** (exponent + 23)
    return round(exact / Fraction(2) ** exponent) * Fraction(2) ** exponent


def packed(row: Iterable[float]) -> list[Fraction]:
    """similarity.hpp: scaled to length one in double (sixteen sums, then halves) and rounded to float."""
    values = [float(value) for value in row]
    sums = [0.0] * 16
    for k, value in enumerate(values):
        sums[k % 16] += value * value
    while len(sums) > 1:
        half = len(sums) // 2
        sums = [sums[i] + sums[i + half] for i in range(half)]
    factor = 1 / math.sqrt(sums[0]) if sums[0] > 0 else 0.0
    return [nearest_float(Fraction(value * factor)) for value in values]


def chain(left: Iterable[Fraction], right: Iterable[Fraction]) -> float:
    """dot.hpp: one chain of fused multiply-adds in float."""
    total = Fraction(0)
    for a, b in zip(left, right, strict=True):
        total = nearest_float(a * b + total)
    return float(total)


def digest(*arrays: npt.ArrayLike) -> str:
    """The bytes of arrays, with their types and shapes."""
    total = hashlib.sha256()
    for array in map(np.asarray, arrays):
        total.update(f"{array.dtype.str}{array.shape}".encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


def all_answers(x: Matrix, y: Matrix, threshold: float, threads: int | None = None) -> str:
    """Digest of what every kernel says of x: to be compared with itself, elsewhere and otherwise run."""
    scores = np.arange(len(x)) % 7
    return digest(
        kernels.cosine_similarity(x, threads=threads),
        kernels.cosine_similarity(x, y, threads=threads),
        *kernels.cosine_pairs(x, threshold, threads=threads),
        *kernels.threshold_clusters(x, threshold, scores, threads=threads)[:3],
        *kernels.threshold_clusters(x, threshold, scores, linkage="single", threads=threads)[:3],
    )


def fixed_answers(threads: int | None = None) -> str:
    """The same of fixed rows of every type, some of them copies, and thresholds that pairs just reach."""
    found = []
    for dtype in (np.float16, np.float32, np.float64):
        for rows, depth in ((49, 1), (97, 17), (200, 33), (145, 100)):
            x, y = gaussian(rows, depth, 5, dtype), gaussian(60, depth, 6, dtype)
            x[-5:] = 2 * x[:5]
            x[7] = 0
            for threshold in (1.0, float(cosines(x[8:9], x[9:10])[0, 0]), 0.25):
                found.append(all_answers(x, y, max(-1.0, min(1.0, threshold)), threads))
    return digest(found)
