"""What holds of clusters whatever the rows are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra.numpy import arrays
from tersely.kernels import cosine_pairs, threshold_clusters
from vector_oracles import TOLERANCE, cosines, margin, single_clusters

# Few values, so that copies, zero rows and exact multiples are common.
GRID = st.integers(-3, 3).map(lambda value: value / 2)
FREE = st.floats(-1e6, 1e6, width=32)
DTYPES = [np.float32, np.float64]


@st.composite
def matrices(draw: st.DrawFn) -> np.ndarray:
    rows, depth = draw(st.integers(0, 60)), draw(st.integers(1, 6))
    values = draw(st.sampled_from([GRID, FREE]))
    return draw(arrays(draw(st.sampled_from(DTYPES)), (rows, depth), elements=values))


@st.composite
def cases(draw: st.DrawFn) -> tuple[np.ndarray, float, np.ndarray]:
    """Rows, a threshold that no cosine is too near to decide in double, and scores without ties."""
    x = draw(matrices())
    threshold = draw(st.sampled_from([1.0, 0.9, 0.75, 0.5, 0.3, 0.0, -0.5]) | st.floats(-1, 1))
    assume(np.min(np.abs(cosines(x) - (threshold - TOLERANCE)), initial=1) > 1e-12)
    scores = np.array(draw(st.permutations(range(len(x)))), dtype=np.float64)
    return x, threshold, scores


THREADS = st.integers(1, 4)


@given(cases(), THREADS)
def test_representatives_and_their_members(case: tuple[np.ndarray, float, np.ndarray], threads: int) -> None:
    x, threshold, scores = case
    labels, representatives, sizes = threshold_clusters(x, threshold, scores, threads=threads)[:3]
    count = len(representatives)
    cosine, limit = cosines(x), threshold - TOLERANCE
    assert labels.shape == (len(x),)
    assert np.bincount(labels, minlength=count).tolist() == sizes.tolist()
    assert sizes.sum() == len(x)
    assert (sizes > 0).all()
    assert labels[representatives].tolist() == list(range(count))
    assert (np.diff(scores[representatives]) < 0).all()
    assert (scores <= scores[representatives[labels]]).all()
    own = cosine[np.arange(len(x)), representatives[labels]]
    member = np.ones(len(x), bool)
    member[representatives] = False
    assert (own[member] >= limit).all()
    between = cosine[np.ix_(representatives, representatives)]
    assert (between[np.triu_indices(count, 1)] < limit).all()
    for row in np.flatnonzero(member):
        earlier = representatives[scores[representatives] > scores[row]]
        assert own[row] >= cosine[row, earlier].max() - 2 * margin(x.shape[1])


@given(cases(), THREADS)
def test_single_linkage_is_connected_components(
    case: tuple[np.ndarray, float, np.ndarray], threads: int
) -> None:
    x, threshold, scores = case
    got = threshold_clusters(x, threshold, scores, linkage="single", threads=threads)
    assert tuple(array.tolist() for array in got[:3]) == single_clusters(x, threshold, scores)


@pytest.mark.parametrize("linkage", ["representative", "single"])
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(
    linkage: str, case: tuple[np.ndarray, float, np.ndarray], random: object
) -> None:
    x, threshold, scores = case
    order = list(range(len(x)))
    random.shuffle(order)  # type: ignore[attr-defined]
    straight = threshold_clusters(x, threshold, scores, linkage=linkage)  # type: ignore[arg-type]
    shuffled = threshold_clusters(x[order], threshold, scores[order], linkage=linkage)  # type: ignore[arg-type]
    assert shuffled.labels.tolist() == straight.labels[order].tolist()
    assert [order[row] for row in shuffled.representatives] == straight.representatives.tolist()
    assert shuffled.sizes.tolist() == straight.sizes.tolist()


@given(cases(), THREADS)
def test_pairs_are_sorted_and_agree_with_clusters(
    case: tuple[np.ndarray, float, np.ndarray], threads: int
) -> None:
    x, threshold, _ = case
    i, j, _ = cosine_pairs(x, threshold, threads=threads)
    assert (i < j).all()
    assert list(zip(i, j, strict=True)) == sorted(set(zip(i, j, strict=True)))
    labels = threshold_clusters(x, threshold, linkage="single", threads=threads).labels
    assert (labels[i] == labels[j]).all()
    alone = np.setdiff1d(np.arange(len(x)), np.concatenate([i, j]))
    assert (np.bincount(labels, minlength=1)[labels[alone]] == 1).all()
