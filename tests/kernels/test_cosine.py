"""cosine_similarity: every row with every row, in float32, within the margin that similarity.hpp proves."""

from __future__ import annotations

import numpy as np
import pytest
from tersely.kernels import cosine_similarity
from vector_oracles import DEPTHS, WIDTHS, chain, cosines, gaussian, margin, packed


@pytest.mark.parametrize("rows", WIDTHS)
def test_within_the_margin_of_the_cosine(rows: int) -> None:
    for depth in DEPTHS:
        x, y = gaussian(rows, depth), gaussian(146 - rows, depth, seed=1)
        for other in (None, y):
            got = cosine_similarity(x, other)
            assert got.dtype == np.float32
            assert np.max(np.abs(got - cosines(x, other))) <= margin(depth), f"{depth} columns"


@pytest.mark.parametrize("depth", [1, 2, 15, 16, 17, 33])
def test_the_bits_are_one_chain_of_fused_multiply_adds(depth: int) -> None:
    x, y = gaussian(11, depth), gaussian(5, depth, seed=1)
    left, right = [packed(row) for row in x], [packed(row) for row in y]
    expected = [[chain(a, b) for b in right] for a in left]
    assert cosine_similarity(x, y).tolist() == expected


@pytest.mark.parametrize("rows", WIDTHS)
def test_one_matrix_is_symmetric_and_the_same_as_given_twice(rows: int) -> None:
    for depth in DEPTHS:
        x = gaussian(rows, depth)
        got = cosine_similarity(x)
        np.testing.assert_array_equal(got, got.T)
        np.testing.assert_array_equal(got, cosine_similarity(x, x))
        np.testing.assert_array_equal(got, cosine_similarity(x, x.copy()))
        np.testing.assert_allclose(np.diag(got), 1, rtol=0, atol=margin(depth))


def test_larger_than_a_block() -> None:
    x, y = gaussian(901, 150), gaussian(1303, 150, seed=1)
    for other in (None, y):
        got = cosine_similarity(x, other, threads=3)
        expected = cosines(x[::7], x if other is None else other)
        assert np.max(np.abs(got[::7] - expected)) <= margin(150)


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_zero_row_has_similarity_zero_to_everything(depth: int) -> None:
    x = gaussian(60, depth)
    x[[0, 31, 59]] = 0
    x[32] = -0.0
    got = cosine_similarity(x)
    for row in (0, 31, 32, 59):
        assert not got[row].any()
        assert not np.signbit(got[row]).any()
    assert not cosine_similarity(x[:2] * 0, x).any()


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(
    ("rows", "others", "depth"), [(0, 5, 3), (5, 0, 3), (0, 0, 0), (1, 7, 0), (50, 1, 0)]
)
def test_empty_sides(rows: int, others: int, depth: int, threads: int) -> None:
    x, y = np.ones((rows, depth)), np.ones((others, depth))
    np.testing.assert_array_equal(cosine_similarity(x, y, threads=threads), np.zeros((rows, others)))
    expected = cosines(x)
    np.testing.assert_allclose(cosine_similarity(x, threads=threads), expected, rtol=0, atol=margin(depth))


def test_out_is_written_and_returned() -> None:
    x, y = gaussian(50, 9), gaussian(70, 9, seed=1)
    for other, columns in ((None, 50), (y, 70)):
        expected = cosine_similarity(x, other)
        out = np.full((50, columns), 7, np.float32)
        assert cosine_similarity(x, other, out=out) is out
        np.testing.assert_array_equal(out, expected)


def read_only() -> np.ndarray:
    out = np.empty((4, 4), np.float32)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    ("out", "found"),
    [
        (np.empty((4, 5), np.float32), r"float32 array of shape \(4, 4\), not float32 \(4, 5\)"),
        (np.empty(16, np.float32), r"\(4, 4\), not float32 \(16,\)"),
        (np.empty((4, 4)), r"\(4, 4\), not float64 \(4, 4\)"),
        (np.empty((4, 4), np.dtype(np.float32).newbyteorder()), r"\(4, 4\), not >f4 \(4, 4\)"),
        ([[0.0] * 4] * 4, r"\(4, 4\), not list"),
        (read_only(), "out must be writeable"),
        (np.empty((4, 4), np.float32).T, "rows of out must be contiguous"),
        (np.empty((4, 8), np.float32)[:, ::2], "rows of out must be contiguous"),
        (np.empty((4, 4), np.float32)[:, ::-1], "rows of out must be contiguous"),
        (np.empty((4, 4), np.float32)[::-1], "not reversed"),
        (np.empty(65, np.uint8)[1:].view(np.float32).reshape(4, 4), "aligned"),
    ],
)
def test_an_out_that_does_not_fit(out: object, found: str) -> None:
    with pytest.raises(ValueError, match=found):
        cosine_similarity(gaussian(4, 3), out=out)  # type: ignore[arg-type]


def test_x_and_y_of_other_widths() -> None:
    with pytest.raises(ValueError, match="X and Y must have as many columns: 3 and 4"):
        cosine_similarity(np.ones((2, 3)), np.ones((2, 4)))
