"""threshold_clusters: who joins whom, and in what order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra.numpy import arrays
from tersely.kernels import cosine_pairs, cosine_similarity, threshold_clusters
from tersely.kernels.clusters import Clusters
from vector_oracles import (
    DEPTHS,
    TOLERANCE,
    WIDTHS,
    cosines,
    gaussian,
    pairs,
    representative_clusters,
    single_clusters,
)


def lists(got: Clusters) -> tuple[list[int], list[int], list[int]]:
    assert [array.dtype for array in got[:3]] == [np.int32] * 3
    return got.labels.tolist(), got.representatives.tolist(), got.sizes.tolist()


@pytest.mark.parametrize("rows", WIDTHS)
def test_any_number_of_rows_and_columns(rows: int) -> None:
    for depth in DEPTHS:
        x = gaussian(rows, depth)
        scores = np.random.default_rng(rows).integers(0, 5, rows)  # many ties
        similarity = cosine_similarity(x)
        for threshold in [0.15, 0.6] if depth > 2 else [0.9, 0.999]:
            for by in (None, scores):
                expected = representative_clusters(x, similarity, threshold, by)
                assert lists(threshold_clusters(x, threshold, by)) == expected, f"{depth} columns"


@pytest.mark.parametrize("rows", WIDTHS)
def test_single_linkage_of_any_number_of_rows_and_columns(rows: int) -> None:
    for depth in DEPTHS:
        x = gaussian(rows, depth)
        scores = np.random.default_rng(rows).integers(0, 5, rows)
        largest = np.sort(cosines(x)[np.triu_indices(rows, 1)])[::-1][rows // 2 : rows // 2 + 1]
        for threshold in [float(min(largest[0], 1))] if len(largest) else [0.5]:
            for by in (None, scores):
                got = threshold_clusters(x, threshold, by, linkage="single")
                assert lists(got) == single_clusters(x, threshold, by), f"{depth} columns"


# Few values, so that copies, zero rows and exact multiples are common.
VALUES = st.sampled_from([st.integers(-3, 3).map(lambda value: value / 2), st.floats(-1e6, 1e6, width=32)])
MATRICES = st.tuples(
    VALUES, st.sampled_from([np.float32, np.float64]), st.integers(0, 60), st.integers(1, 6)
).flatmap(lambda made: arrays(made[1], made[2:], elements=made[0]))
THRESHOLDS = st.sampled_from([1.0, 0.9, 0.75, 0.5, 0.3, 0.0, -0.5]) | st.floats(-1, 1)


@given(MATRICES, THRESHOLDS, st.integers(1, 4), st.data())
def test_clusters_and_pairs_of_any_rows(x: Any, threshold: float, threads: int, data: st.DataObject) -> None:
    """With scores without ties, and a threshold that no cosine is too near to decide in double."""
    assume(np.min(np.abs(cosines(x) - (threshold - TOLERANCE)), initial=1) > 1e-12)
    scores = np.array(data.draw(st.permutations(range(len(x)))), dtype=np.float64)
    got = threshold_clusters(x, threshold, scores, threads=threads)
    assert lists(got) == representative_clusters(x, cosine_similarity(x), threshold, scores)
    got = threshold_clusters(x, threshold, scores, linkage="single", threads=threads)
    assert lists(got) == single_clusters(x, threshold, scores)
    i, j, _ = cosine_pairs(x, threshold, threads=threads)
    assert list(zip(i, j, strict=True)) == pairs(x, threshold)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 4])
def test_more_rows_than_one_step(threads: int) -> None:
    """Rows join representatives of their own step of 768 rows and of earlier ones."""
    rng = np.random.default_rng(3)
    centers = rng.standard_normal((150, 24))
    x = centers[rng.integers(0, 150, 1700)] + 0.45 * rng.standard_normal((1700, 24))
    scores = rng.permutation(1700).astype(np.float64)
    expected = representative_clusters(x, cosine_similarity(x), 0.8, scores)
    assert lists(threshold_clusters(x, 0.8, scores, threads=threads)) == expected
    assert len(expected[1]) > 150


def test_single_linkage_of_more_pairs_than_a_worker_holds() -> None:
    rng = np.random.default_rng(3)
    x = np.repeat(rng.standard_normal((9, 24)), 150, axis=0) + 0.2 * rng.standard_normal((1350, 24))
    expected = single_clusters(x, 0.9)
    for threads in (1, 4):
        assert lists(threshold_clusters(x, 0.9, linkage="single", threads=threads)) == expected
    assert len(expected[2]) < 1350


def test_the_earliest_also_where_it_stands_in_another_step() -> None:
    axes = np.eye(1000)
    x = np.concatenate([axes, axes[[3, 990]].sum(axis=0, keepdims=True), axes[[900, 901]].sum(0)[None]])
    for threads in (1, 4):
        labels = threshold_clusters(x, 0.7, threads=threads).labels
        assert labels[1000:].tolist() == [3, 900]


@pytest.mark.parametrize("linkage", ["representative", "single"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_threshold_is_inclusive_to_the_billionth(linkage: str, dtype: type) -> None:
    for seed in range(20):
        x = gaussian(2, 50, seed, dtype)
        cosine = float(cosines(x)[0, 1])
        for step, clusters in (
            (0, 1),
            (1e-9 - 2e-12, 1),
            (1e-9 + 2e-12, 2),
            (1e-7, 2),
            (-1e-7, 1),
            (1e-6, 2),
        ):
            got = threshold_clusters(x, cosine + step, linkage=linkage)  # type: ignore[arg-type]
            assert len(got.sizes) == clusters, f"threshold {step} above the cosine"
    assert TOLERANCE == 1e-9


@pytest.mark.parametrize("linkage", ["representative", "single"])
@pytest.mark.parametrize("threads", [1, 4])
def test_edges(linkage: str, threads: int) -> None:
    def clusters(x: np.ndarray, threshold: float) -> tuple[list[int], list[int], list[int]]:
        return lists(threshold_clusters(x, threshold, linkage=linkage, threads=threads))  # type: ignore[arg-type]

    assert clusters(np.empty((0, 3)), 0.5) == ([], [], [])
    assert clusters(np.empty((0, 0)), 0.5) == ([], [], [])
    assert clusters(np.empty((3, 0)), 0.5) == ([0, 1, 2], [0, 1, 2], [1, 1, 1])
    assert clusters(np.empty((3, 0)), 0.0) == ([0, 0, 0], [0], [3])
    assert clusters(np.ones((1, 3)), 1.0) == ([0], [0], [1])
    assert clusters(np.zeros((2, 3)), 0.1) == ([0, 1], [0, 1], [1, 1])
    assert clusters(np.array([[1.0, 0], [-1, 0]]), -1.0) == ([0, 0], [0], [2])
    assert clusters(np.array([[5e-324, 0], [1e308, 0], [0, 1e-30]]), 1.0) == ([0, 0, 1], [0, 2], [2, 1])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([1.0, 2.0], r"scores must have shape \(3,\), not \(2,\)"),
        ([[1.0, 2.0, 3.0]], r"\(3,\), not \(1, 3\)"),
        ([1.0, np.nan, 3.0], "scores must be finite"),
        ([1.0, np.inf, 3.0], "scores must be finite"),
    ],
)
def test_scores_that_do_not_fit(scores: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        threshold_clusters(np.ones((3, 2)), 0.5, scores)


@pytest.mark.parametrize("linkage", ["complete", "", None, 1])
def test_an_unknown_linkage(linkage: object) -> None:
    with pytest.raises(ValueError, match=f"linkage must be one of representative, single, not {linkage!r}"):
        threshold_clusters(np.ones((2, 2)), 0.5, linkage=linkage)  # type: ignore[arg-type]
