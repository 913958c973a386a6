"""cosine_pairs: which pairs reach the threshold, against every pair computed in long double."""

from __future__ import annotations

import numpy as np
import pytest
from tersely import _native
from tersely.kernels import cosine_pairs, cosine_similarity
from vector_oracles import DEPTHS, TOLERANCE, WIDTHS, cosines, gaussian, pairs


def thresholds(x: np.ndarray) -> list[float]:
    """A pair's own cosine, just above it (out of the tolerance), and just within the tolerance."""
    above = np.sort(cosines(x)[np.triu_indices(len(x), 1)])
    own = float(above[len(above) * 9 // 10]) if len(above) else 0.5
    return [float(np.clip(own + step, -1, 1)) for step in (0, 2e-9, 0.9e-9)]


def found(x: np.ndarray, threshold: float, **options: int) -> list[tuple[int, int]]:
    got = cosine_pairs(x, threshold, **options)
    assert (got.i.dtype, got.j.dtype, got.similarity.dtype) == (np.int32, np.int32, np.float32)
    np.testing.assert_array_equal(got.similarity, cosine_similarity(x)[got.i, got.j])
    paired = np.isin(np.arange(len(x)), [got.i, got.j])
    np.testing.assert_array_equal(_native.has_pair(x, threshold, options.get("threads", 1)), paired)
    return list(zip(got.i.tolist(), got.j.tolist(), strict=True))


@pytest.mark.parametrize("rows", WIDTHS)
def test_all_pairs_of_any_number_of_rows_and_columns(rows: int) -> None:
    for depth in DEPTHS:
        x = gaussian(rows, depth)
        for threshold in thresholds(x):
            assert found(x, threshold) == pairs(x, threshold), f"{depth} columns, {threshold}"


@pytest.mark.parametrize(("threshold", "reached"), [(0, True), (1e-9, True), (2e-9, False), (-1e-3, True)])
def test_zero_rows_have_cosine_zero(threshold: float, reached: bool) -> None:
    x = np.zeros((3, 4))
    x[1, 0] = 1
    assert found(x, threshold) == ([(0, 1), (0, 2), (1, 2)] if reached else [])


@pytest.mark.parametrize("threads", [1, 4])
def test_no_rows_and_no_columns(threads: int) -> None:
    assert found(np.empty((0, 3)), 0.5, threads=threads) == []
    assert found(np.empty((0, 0)), 0.5, threads=threads) == []
    assert found(np.empty((3, 0)), 0.5, threads=threads) == []
    assert found(np.empty((3, 0)), 0.0, threads=threads) == [(0, 1), (0, 2), (1, 2)]


def close_pair(dtype: type, depth: int, cosine: float, seed: int) -> np.ndarray:
    """Two rows of about this cosine, of lengths far from one."""
    basis, _ = np.linalg.qr(gaussian(depth, 2, seed, np.float64))
    second = cosine * basis[:, 0] + np.sqrt(1 - cosine**2) * basis[:, 1]
    return np.array([37.5 * basis[:, 0], 0.013 * second]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("gap", [1e-6, 1e-7, 1e-8, 1e-10, 2e-12])
def test_pairs_this_near_the_limit_fall_on_their_side(dtype: type, gap: float) -> None:
    for seed, cosine in enumerate([0.1, 0.5, 0.8, 0.9, 0.97, 0.999, 0.9999, -0.7, 0.0]):
        for depth in (2, 17, 33, 256):
            x = close_pair(dtype, depth, cosine, seed)
            limit = float(cosines(x)[0, 1]) + TOLERANCE  # the last threshold that the pair reaches
            assert pairs(x, limit - gap) == found(x, limit - gap) == [(0, 1)]
            assert pairs(x, limit + gap) == found(x, limit + gap) == []


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("depth", [1, 2, 33, 100, 768])
def test_identical_rows_and_scaled_copies_reach_one(dtype: type, depth: int) -> None:
    x = np.clip(gaussian(20, depth, dtype=np.float64), -3, 3)
    x = (np.round(x * 64) / 64).astype(dtype)  # few bits, so that 3x is exact
    x[np.all(x == 0, axis=1)] = 1
    copies = np.concatenate([x, x, 3 * x, x / 4])
    got = set(found(copies, 1.0))
    assert got >= {(i + a * 20, i + b * 20) for i in range(20) for a in range(4) for b in range(a + 1, 4)}
    assert got == set(pairs(copies, 1.0))


SIZES = {
    "float64 largest": (np.float64, 1.7e308),
    "float64 large": (np.float64, 1e200),
    "float64 small": (np.float64, 1e-200),
    "float64 denormal": (np.float64, 1e-310),
    "float32 largest": (np.float32, 3.4e38),
    "float32 small": (np.float32, 1e-30),
    "float32 denormal": (np.float32, 1e-41),
    "float16 largest": (np.float16, 65504),
    "float16 denormal": (np.float16, 6e-5),
}


@pytest.mark.parametrize("size", SIZES)
def test_norms_that_their_type_cannot_hold(size: str) -> None:
    dtype, factor = SIZES[size]
    shape = np.clip(gaussian(60, 40, dtype=np.float64) / 4, -1, 1)
    x = (shape * factor).astype(dtype)
    mixed = np.concatenate([x.astype(np.float64), shape])
    for rows in (x, mixed):
        assert np.max(np.abs(cosine_similarity(rows) - cosines(rows))) <= 44 * 2**-24
        for threshold in thresholds(rows):
            assert found(rows, threshold) == pairs(rows, threshold)


def test_the_tolerance_is_not_lost_in_float() -> None:
    """Cosines a hundred times nearer to each other than floats are."""
    angles = np.sqrt(2 * np.array([0, 0.4e-9, 1.6e-9]))
    x = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert found(x, 1.0) == pairs(x, 1.0) == [(0, 1), (1, 2)]


def test_max_pairs_may_be_reached_and_not_exceeded() -> None:
    x = np.ones((400, 3))
    for threads in (1, 4):
        assert len(found(x, 0.9, max_pairs=400 * 399 // 2, threads=threads)) == 400 * 399 // 2
        with pytest.raises(ValueError, match="more than max_pairs = 79799 pairs"):
            cosine_pairs(x, 0.9, max_pairs=79799, threads=threads)
        with pytest.raises(ValueError, match="more than max_pairs = 0 pairs"):
            cosine_pairs(x, 0.9, max_pairs=0, threads=threads)
    assert found(gaussian(40, 64), 0.99, max_pairs=0) == []
    assert found(x[:2], 0.9, max_pairs=1) == [(0, 1)]


@pytest.mark.parametrize("most", [-1, True, 1.5, "10", None])
def test_max_pairs_must_be_a_whole_number(most: object) -> None:
    with pytest.raises((TypeError, ValueError), match=r"max_pairs must be a whole number.*, not "):
        cosine_pairs(np.ones((2, 2)), 0.9, max_pairs=most)  # type: ignore[arg-type]
