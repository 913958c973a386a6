"""Pairs are passed over by 8-bit codes on some CPUs: none that reaches the threshold may be lost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tersely.kernels import cosine_pairs, threshold_clusters
from vector_oracles import TOLERANCE, cosines, gaussian, pairs_of, single_clusters

PANEL = 48
Shape = tuple[int, int]


def found(x: np.ndarray, threshold: float) -> list[tuple[int, int]]:
    got = cosine_pairs(x, threshold)
    return list(zip(got.i.tolist(), got.j.tolist(), strict=True))


def lost_to_codes(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """One large value and many just below half a step of the code: all that rows share is rounded away."""
    x = np.full(shape, 0.499 / 127)
    x[np.arange(shape[0]), rng.integers(0, shape[1], shape[0])] = rng.choice([-1, 1], shape[0])
    x[::2] *= rng.uniform(0.98, 1.02, shape[1])
    return x


KINDS: dict[str, Callable[[np.random.Generator, Shape], np.ndarray]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "heavy tails": lambda rng, shape: rng.standard_cauchy(shape),
    "many sizes": lambda rng, shape: rng.standard_normal(shape) * 10.0 ** rng.integers(-2, 3, shape),
    "sparse": lambda rng, shape: rng.standard_normal(shape) * (rng.random(shape) < 0.1),
    "one sign": lambda rng, shape: rng.random(shape) + 0.5,
    "negative": lambda rng, shape: -rng.random(shape),
    "one hot": lambda rng, shape: np.eye(shape[1])[rng.integers(0, shape[1], shape[0])],
    "signs": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
    "halves of a step": lambda rng, shape: (rng.integers(-127, 127, shape) + 0.5) / 127.5,
    "lost to codes": lost_to_codes,
}


@pytest.mark.parametrize("depth", [3, 4, 5, 16, 17, 63, 65, 768, 1003])
@pytest.mark.parametrize("kind", KINDS)
def test_X26_no_pair_is_lost(kind: str, depth: int) -> None:
    x = KINDS[kind](np.random.default_rng(depth), (2 * PANEL, depth)).astype(np.float32)
    cosine = cosines(x)
    ordered = np.sort(cosine[:PANEL, PANEL:], axis=None)
    for place in (-1, -2, -5, -40, len(ordered) // 2):  # few pairs reach the first ones
        threshold = float(np.clip(ordered[place] + 0.9 * TOLERANCE, -1, 1))
        expected = pairs_of(cosine, threshold)
        assert found(x, threshold) == expected
        labels = threshold_clusters(x, threshold, linkage="single").labels
        assert labels.tolist() == single_clusters(x, threshold)[0]
        representatives = set(threshold_clusters(x, threshold).representatives.tolist())
        members = {j for i, j in expected if i in representatives}
        assert sorted(members | representatives) == list(range(2 * PANEL))


def two_rows(first: np.ndarray, second: np.ndarray, others: float, depth: int) -> np.ndarray:
    """Rows 5 and 60; the others are like both, but less, or zero."""
    x = others * np.outer(np.r_[np.ones(PANEL), -np.ones(PANEL)], np.ones(depth))
    x[5], x[60] = first, second
    return x


@pytest.mark.parametrize("depth", [2, 17, 129, 1000])
@pytest.mark.parametrize("below", [0.1, 0.3, 0.49, 0.4999, 0.5, 0.51])
def test_X26_what_two_rows_share_is_what_the_codes_leave_out(below: float, depth: int) -> None:
    """The bound is tight where one row points along what the code of the other one lost."""
    spike, flat = np.full(depth, below / 127), np.ones(depth)
    spike[0], flat[0] = 1, 0
    other = spike[::-1].copy()
    for first, second in ((spike, flat), (flat, spike), (spike, other), (-flat, -spike)):
        x = two_rows(first, second, 0, depth)
        reached = float(cosines(x)[5, 60])
        assert found(x, reached) == [(5, 60)]
        assert found(x, reached + 0.9 * TOLERANCE) == [(5, 60)]
        assert found(x, reached + 2 * TOLERANCE) == []


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("depth", [33, 64, 200, 768])
def test_X26_what_two_rows_share_stands_in_the_last_columns(depth: int, share: float) -> None:
    """The first columns, where the screen may stop, are zero, or as far apart as they can be."""
    rng = np.random.default_rng(depth)
    x = rng.standard_normal((2 * PANEL, depth))
    first = round(share * depth)
    for i, j in ((5, 60), (3, 40), (47, 48)):  # in two panels, in one, side by side
        x[j] = x[i]
        x[j, :first] *= rng.choice([0, -0.3])
    for i, j in ((5, 60), (3, 40), (47, 48)):
        reached = float(cosines(x)[i, j])
        for threshold in (reached, reached + 0.9 * TOLERANCE, reached - 1e-6):
            assert found(x, threshold) == pairs_of(cosines(x), threshold)
            assert (i, j) in found(x, threshold)


@pytest.mark.parametrize("alike", range(10))
def test_X26_as_many_rows_of_a_tile_as_there_may_be(alike: int) -> None:
    """Few rows of a tile of eight are multiplied one by one, more of them together."""
    x = np.random.default_rng(alike).standard_normal((3 * PANEL, 70)).astype(np.float32)
    x[8 : 8 + alike] = x[100]
    x[41 : 41 + alike : 2] = x[17]
    for rows in (x, x[:PANEL], x[: 2 * PANEL + 5]):
        assert found(rows, 0.9) == pairs_of(cosines(rows), 0.9)
        assert (
            threshold_clusters(rows, 0.9, linkage="single").labels.tolist() == single_clusters(rows, 0.9)[0]
        )


@pytest.mark.parametrize("depth", [8, 64, 768])
def test_X26_later_rows_find_representatives_of_earlier_steps(depth: int) -> None:
    """Rows 800 and on against representatives that were copied together with their codes."""
    spike, flat = np.full(depth, 0.49 / 127), np.ones(depth)
    spike[0], flat[0] = 1, 0
    x = np.zeros((900, depth))
    x[[300, 310]] = spike, -spike
    x[[850, 851, 899]] = flat, spike, -flat
    limit = float(cosines(x[[300, 850]])[0, 1])
    labels, representatives = threshold_clusters(x, limit)[:2]
    assert representatives[labels[[850, 851, 899]]].tolist() == [300, 300, 310]


@pytest.mark.slow
@pytest.mark.parametrize("depth", [2**16 + 1, 2**17, 2**17 + 1, 2**20])
def test_X26_as_many_columns_as_there_may_be(depth: int) -> None:
    """All codes at their largest: sums of products of codes come near to 2^31."""
    x = np.zeros((60, depth), np.float32)
    x[:3] = np.sign(gaussian(3, depth)) + np.float32(1e-3)
    x[3], x[4], x[50:52] = 1, -1, 1
    assert found(x, 0.9) == [(3, 50), (3, 51), (50, 51)]
    assert found(x, 1.0) == [(3, 50), (3, 51), (50, 51)]
    assert threshold_clusters(x, 0.9).sizes.max() == 3
    assert len(found(x, -1.0)) == 60 * 59 // 2
