"""Bounds of products from rows in a byte a value (csrc/kernels/similarity/similarity.hpp)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from tersely import _native


def rows_of(seed: int, count: int, width: int, spread: float) -> np.ndarray:
    """Rows of length one, in which a few values may be far larger than the others; some are zero."""
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((count, width)) * np.exp(
        spread * generator.standard_normal((count, width))
    )
    rows[generator.random(count) < 0.1] = 0
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(length == 0, 1, length)).astype(np.float32)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 9),
    st.integers(1, 300),
    st.floats(0, 4),
    st.sampled_from([1e-30, 1.0, 1e6]),
)
@example(1, 3, 70_000, 0.0, 1.0)  # so wide that the codes of the query have fewer bits
def test_products_lie_within_their_bounds(
    seed: int, count: int, width: int, spread: float, length: float
) -> None:
    rows = rows_of(seed, count, width, spread)
    query = (rows_of(seed + 1, 1, width, spread)[0] * length).astype(np.float32)
    codes, scale, rest = _native.code_rows(rows)
    lower, upper = _native.bound_products(codes, scale, rest, query)
    exact = rows.astype(np.float64) @ query.astype(np.float64)
    assert (lower <= exact).all()
    assert (exact <= upper).all()
    left = np.linalg.norm(rows - scale[:, None].astype(np.float64) * codes, axis=1)
    assert (left <= rest).all()
    assert (rest <= left * (1 + 1e-5)).all()


def test_bounds_of_common_vectors_are_near() -> None:
    rows = rows_of(1, 500, 256, 0.0)
    lower, upper = _native.bound_products(*_native.code_rows(rows), rows[7])
    assert (upper - lower).max() < 0.03


def test_a_row_of_equal_values_has_the_largest_codes() -> None:
    rows = np.full((1, 64), -0.125, dtype=np.float32)
    codes, scale, rest = _native.code_rows(rows)
    assert codes.tolist() == [[-127] * 64]
    assert scale[0] == pytest.approx(0.125 / 127)
    assert rest[0] < 1e-7


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"codes": np.zeros((2, 3), np.int8)}, "as wide as the query"),
        ({"codes": np.zeros(4, np.int8)}, "2D"),
        ({"scale": np.zeros(1, np.float32)}, "entry a row"),
        ({"rest": np.zeros(3, np.float32)}, "entry a row"),
        ({"query": np.array([0, 1, np.nan, 0], np.float32)}, "finite"),
    ],
)
def test_wrong_arrays_are_refused(change: dict[str, np.ndarray], words: str) -> None:
    given_arrays = {
        "codes": np.zeros((2, 4), np.int8),
        "scale": np.zeros(2, np.float32),
        "rest": np.zeros(2, np.float32),
        "query": np.zeros(4, np.float32),
    }
    with pytest.raises(ValueError, match=words):
        _native.bound_products(**(given_arrays | change))


@pytest.mark.parametrize("rows", [np.zeros(4, np.float32), np.zeros((4, 0), np.float32)])
def test_rows_without_columns_are_refused(rows: np.ndarray) -> None:
    with pytest.raises(ValueError, match="2D, with a column"):
        _native.code_rows(rows)
