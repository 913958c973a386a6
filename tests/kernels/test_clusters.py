"""threshold_clusters: who joins whom, and in what order."""

from __future__ import annotations

import numpy as np
import pytest
from tersely.kernels import cosine_similarity, threshold_clusters
from tersely.kernels.clusters import Clusters
from vector_oracles import (
    DEPTHS,
    TOLERANCE,
    WIDTHS,
    cosines,
    gaussian,
    representative_clusters,
    single_clusters,
)


def lists(got: Clusters) -> tuple[list[int], list[int], list[int]]:
    assert [array.dtype for array in got[:3]] == [np.int32] * 3
    return got.labels.tolist(), got.representatives.tolist(), got.sizes.tolist()


def at_angles(*degrees: float) -> np.ndarray:
    turns = np.radians(degrees)
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def cosine_of(degrees: float) -> float:
    return float(np.cos(np.radians(degrees)))


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


@pytest.mark.parametrize("threads", [1, 4])
def test_single_linkage_of_more_pairs_than_a_worker_holds(threads: int) -> None:
    rng = np.random.default_rng(3)
    x = np.repeat(rng.standard_normal((9, 24)), 150, axis=0) + 0.2 * rng.standard_normal((1350, 24))
    got = threshold_clusters(x, 0.9, linkage="single", threads=threads)
    assert lists(got) == single_clusters(x, 0.9)
    assert len(got.sizes) < 1350


def test_a_chain_is_two_clusters_and_with_single_linkage_one() -> None:
    chain = at_angles(0, 20, 40)  # a ~ b, b ~ c, but not a ~ c
    assert lists(threshold_clusters(chain, cosine_of(25))) == ([0, 0, 1], [0, 2], [2, 1])
    assert lists(threshold_clusters(chain, cosine_of(25), linkage="single")) == ([0, 0, 0], [0], [3])
    best_first = threshold_clusters(chain, cosine_of(25), [0, 1, 0])
    assert lists(best_first) == ([0, 0, 0], [1], [3])


def test_a_long_chain() -> None:
    chain = at_angles(*range(0, 170, 10))
    got = threshold_clusters(chain, cosine_of(10.5))
    assert got.representatives.tolist() == list(range(0, 17, 2))
    assert threshold_clusters(chain, cosine_of(10.5), linkage="single").sizes.tolist() == [17]


def test_a_row_joins_the_most_similar_representative_not_the_first() -> None:
    rows = at_angles(0, 30, 18)  # the third reaches both
    assert threshold_clusters(rows, cosine_of(20)).labels.tolist() == [0, 1, 1]
    assert threshold_clusters(rows[[1, 0, 2]], cosine_of(20)).labels.tolist() == [0, 1, 0]
    assert threshold_clusters(rows, cosine_of(20), [1, 2, 0]).labels.tolist() == [1, 0, 0]


def test_among_equally_similar_representatives_the_earliest() -> None:
    axes = np.eye(60)
    middle = axes[[7, 50]].sum(axis=0, keepdims=True)
    x = np.concatenate([axes, middle])
    assert threshold_clusters(x, 0.7).labels[60] == 7
    scores = np.r_[np.arange(60), -1]  # now row 50 is taken before row 7
    got = threshold_clusters(x, 0.7, scores)
    assert got.representatives[got.labels[60]] == 50


def test_the_earliest_also_where_it_stands_in_another_step() -> None:
    axes = np.eye(1000)
    x = np.concatenate([axes, axes[[3, 990]].sum(axis=0, keepdims=True), axes[[900, 901]].sum(0)[None]])
    for threads in (1, 4):
        labels = threshold_clusters(x, 0.7, threads=threads).labels
        assert labels[1000:].tolist() == [3, 900]


def test_clusters_are_numbered_in_the_order_of_scores() -> None:
    x = np.repeat(np.eye(4), 3, axis=0)
    scores = [1, 9, 2, 7, 1, 7, 0, 0, 0, 8, -1, 99]
    for linkage in ("representative", "single"):
        got = threshold_clusters(x, 0.5, scores, linkage=linkage)  # type: ignore[arg-type]
        assert lists(got) == ([1] * 3 + [2] * 3 + [3] * 3 + [0] * 3, [11, 1, 3, 6], [3] * 4)


@pytest.mark.parametrize("linkage", ["representative", "single"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_identical_rows_and_scaled_copies_merge_at_one(linkage: str, dtype: type) -> None:
    for depth in (1, 2, 33, 100, 768):
        x = np.round(np.clip(gaussian(20, depth, dtype=np.float64), -3, 3) * 64) / 64
        x = x[np.any(x != 0, axis=1)]
        count = len(x)
        copies = np.concatenate([x, 3 * x, x, x / 8]).astype(dtype)
        got = threshold_clusters(copies, 1.0, linkage=linkage)  # type: ignore[arg-type]
        for copy in range(1, 4):
            assert got.labels[copy * count :][:count].tolist() == got.labels[:count].tolist()
        assert lists(got) == single_clusters(copies, 1.0)


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


def test_scores_of_any_number_type() -> None:
    x = np.eye(3)
    for scores in (
        [3, 1, 2],
        np.array([3, 1, 2], np.float16),
        np.array([6, 0, 2, 0, 4, 0])[::2],
        (3, True, 2),
    ):
        assert threshold_clusters(x, 0.5, scores).representatives.tolist() == [0, 2, 1]
    frozen = np.array([-0.0, 0.0, 5e-324])
    frozen.flags.writeable = False
    assert threshold_clusters(x, 0.5, frozen).representatives.tolist() == [2, 0, 1]


@pytest.mark.parametrize("linkage", ["complete", "", None, 1])
def test_an_unknown_linkage(linkage: object) -> None:
    with pytest.raises(ValueError, match=f"linkage must be one of representative, single, not {linkage!r}"):
        threshold_clusters(np.ones((2, 2)), 0.5, linkage=linkage)  # type: ignore[arg-type]
