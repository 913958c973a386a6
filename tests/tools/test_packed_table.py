"""A table of token vectors is written whole or not at all; rows of floats in 4 bits and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wordpieces
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays
from packed_table import quantize, save


def test_normal_rows_lose_a_hundredth_of_their_square() -> None:
    vectors = np.random.default_rng(2).normal(size=(3000, 256)).astype(np.float32)
    rows, scales = quantize(vectors)
    assert rows.dtype == np.uint8
    assert rows.shape == (3000, 128)
    assert scales.dtype == np.float32
    error = wordpieces.decoded(rows, scales) - vectors
    share = (error**2).sum(axis=1) / (vectors**2).sum(axis=1)
    assert share.mean() < 0.0115  # the best uniform code of 16 levels for a normal distribution: 0.01154
    assert share.max() < 0.03


@given(
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(0, 5), st.sampled_from([2, 4, 10])),
        elements=st.floats(-(2.0**40), 2.0**40, width=32),
    )
)
def test_no_value_is_farther_off_than_a_step(vectors: np.ndarray) -> None:
    rows, scales = quantize(vectors)
    back = wordpieces.decoded(rows, scales)
    largest = np.abs(vectors).max(axis=1, initial=0)
    tiny = largest < 2.0**-50
    assert not scales[tiny].any()
    error = np.sqrt(((back - vectors) ** 2).sum(axis=1))
    assert (error[~tiny] <= 0.5 * np.sqrt(vectors.shape[1]) * largest[~tiny] / 7).all()


@pytest.mark.parametrize("row", [[0.0, 0.0], [1.0, -1.0], [-8.0, 7.0], [8.0, -7.0], [5.0, 0.0]])
def test_what_sixteen_levels_can_hold_comes_back(row: list[float]) -> None:
    back = wordpieces.decoded(*quantize(np.array([row])))
    np.testing.assert_allclose(back, [row], rtol=1e-6)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.zeros((3, 5)), "even number of columns"),
        (np.zeros((3, 0)), "even number of columns"),
        (np.zeros(4), "must be 2D"),
        (np.array([[1, np.nan]]), "finite"),
        (np.array([[1, np.inf]]), "finite"),
    ],
)
def test_bad_vectors_are_refused(vectors: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quantize(vectors)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": ["a\nb", "[UNK]"]}, "line feeds"),
        ({"words": ["[UNK]"]}, "1 words, 2 rows and 2 scales"),
        ({"rows": np.zeros((2, 4), np.int8)}, "rows must be uint8"),
        ({"rows": np.zeros(2, np.uint8)}, "rows must be uint8 with 2"),
        ({"scales": np.zeros(2)}, "scales must be float32"),
        ({"meta": {}}, "name"),
        ({"meta": {"name": "x", "long": "x" * (1 << 20)}}, "meta has"),
    ],
)
def test_what_does_not_fit_is_not_saved(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    good = {
        "words": ["[UNK]", "a"],
        "rows": np.zeros((2, 4), np.uint8),
        "scales": np.zeros(2, np.float32),
        "meta": {"name": "made-up"},
    }
    with pytest.raises(ValueError, match=message):
        save(tmp_path / "x.npz", **{**good, **change})
    assert not list(tmp_path.iterdir())
