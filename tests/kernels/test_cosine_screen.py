"""Pairs are passed over by 8-bit codes on some CPUs: none that reaches the threshold may be lost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tersely.kernels import cosine_pairs, threshold_clusters
from vector_oracles import TOLERANCE, cosines, gaussian, pairs_of, single_clusters

Shape = tuple[int, int]


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
    x = KINDS[kind](np.random.default_rng(depth), (59, depth)).astype(np.float32)
    x[-1] = x[0] * 3
    cosine = cosines(x)
    ordered = np.sort(cosine[np.triu_indices(59, 1)])
    for place in (-1, -2, -5, -40, len(ordered) // 2):  # few pairs reach the first ones
        threshold = float(np.clip(ordered[place] + 0.9 * TOLERANCE, -1, 1))
        expected = pairs_of(cosine, threshold)
        got = cosine_pairs(x, threshold)
        assert list(zip(got.i.tolist(), got.j.tolist(), strict=True)) == expected
        labels = threshold_clusters(x, threshold, linkage="single").labels
        assert labels.tolist() == single_clusters(x, threshold)[0]
        representatives = threshold_clusters(x, threshold).representatives
        first = {j for i, j in expected if i in representatives}
        assert sorted(first | set(representatives.tolist())) == list(range(59))


@pytest.mark.parametrize("depth", [2, 17, 129, 1000])
def test_X26_what_two_rows_share_is_what_the_codes_of_one_leave_out(depth: int) -> None:
    for below in (0.1, 0.3, 0.49, 0.4999, 0.5, 0.51):
        spike, flat = np.full(depth, below / 127), np.ones(depth)
        spike[0], flat[0] = 1, 0
        for x in (np.array([spike, flat]), np.array([flat, spike]), np.array([spike, -spike, flat, -flat])):
            cosine = cosines(x)
            reached = float(cosine[np.triu_indices(len(x), 1)].max())
            got = cosine_pairs(x, reached)
            assert list(zip(got.i.tolist(), got.j.tolist(), strict=True)) == pairs_of(cosine, reached)
            assert len(got.i) == len(x) // 2
            assert len(cosine_pairs(x, reached + 2 * TOLERANCE).i) == 0


@pytest.mark.slow
@pytest.mark.parametrize("depth", [2**16 + 1, 2**17, 2**17 + 1, 2**20])
def test_X26_as_many_columns_as_there_may_be(depth: int) -> None:
    """All codes at their largest: sums of products of codes come near to 2^31."""
    x = np.sign(gaussian(10, depth)) + np.float32(1e-3)
    x[3:6] = np.ones(depth)
    x[6] = -1
    got = cosine_pairs(x, 0.9)
    assert list(zip(got.i.tolist(), got.j.tolist(), strict=True)) == [(3, 4), (3, 5), (4, 5)]
    assert threshold_clusters(x, 0.9).sizes.tolist() == [1, 1, 1, 3, 1, 1, 1, 1]
    assert len(cosine_pairs(x, -1.0).i) == 45
