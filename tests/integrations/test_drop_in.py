"""Functions of other libraries: against the real ones where they are installed, and an oracle of our own."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tersely.integrations.drop_in import community_detection, cosine_similarity, maximal_marginal_relevance


def vectors(seed: int, rows: int, columns: int = 8, groups: int = 4, spread: float = 0.3) -> np.ndarray:
    random = np.random.default_rng(seed)
    centres = random.normal(size=(groups, columns))
    return centres[random.integers(groups, size=rows)] + spread * random.normal(size=(rows, columns))


def same_parameters(ours: Any, theirs: Any) -> None:
    for name, parameter in inspect.signature(theirs).parameters.items():
        assert inspect.signature(ours).parameters[name].default == parameter.default
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)


def test_cosine_similarity_is_that_of_scikit_learn() -> None:
    pairwise = pytest.importorskip("sklearn.metrics.pairwise", reason="pip install scikit-learn")
    x, y = vectors(1, 30), vectors(2, 20)
    x[3] = 0
    for arguments in [(x,), (x, y), (x.astype(np.float32), y), (x, y, False), ([[1, 0], [1, 1]],)]:
        theirs = pairwise.cosine_similarity(*arguments)
        np.testing.assert_allclose(cosine_similarity(*arguments), theirs, rtol=0, atol=1e-6)
    same_parameters(cosine_similarity, inspect.unwrap(pairwise.cosine_similarity))
    for wrong in [([[np.nan, 1]],), ([[1, 2]], [[1, 2, 3]]), ([1, 2],)]:
        with pytest.raises(ValueError):
            pairwise.cosine_similarity(*wrong)
        with pytest.raises(ValueError):
            cosine_similarity(*wrong)


def test_cosine_similarity_refuses_sparse_matrices() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="dense"):
        cosine_similarity(sparse.eye(3).tocsr())


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.5, 1.0])
def test_maximal_marginal_relevance_is_that_of_langchain(weight: float) -> None:
    theirs = pytest.importorskip("langchain_core.vectorstores.utils").maximal_marginal_relevance
    same_parameters(maximal_marginal_relevance, theirs)
    for seed in range(5):
        x = vectors(seed, 40)
        query = vectors(seed + 100, 1)
        for k in (0, 1, 4, 60):
            expected = theirs(query[0], x.tolist(), weight, k)
            assert maximal_marginal_relevance(query[0], x.tolist(), weight, k) == expected
            assert maximal_marginal_relevance(query, x, lambda_mult=weight, k=k) == expected
    assert maximal_marginal_relevance([1.0], []) == theirs(np.array([1.0]), []) == []


def communities(x: np.ndarray, threshold: float, least: int) -> list[list[int]]:
    """What the documentation of sentence-transformers says, slowly."""
    if len(x) < max(least, 1):
        return []
    lengths = np.linalg.norm(x, axis=1, keepdims=True)
    unit = x / np.where(lengths == 0, 1, lengths)
    similarity = unit @ unit.T
    near = [
        [row, *(o for o in np.argsort(-line, kind="stable").tolist() if o != row and line[o] >= threshold)]
        for row, line in enumerate(similarity)
    ]
    taken: set[int] = set()
    found = []
    for group in sorted((group for group in near if len(group) >= least), key=len, reverse=True):
        free = [row for row in group if row not in taken]
        if group[0] not in taken and len(free) >= least:
            found.append(free)
            taken.update(free)
    return sorted(found, key=len, reverse=True)


@given(
    st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 12), st.sampled_from([0.5, 0.75, 0.9, 0.99])
)
def test_community_detection_is_what_is_documented(
    seed: int, rows: int, least: int, threshold: float
) -> None:
    x = vectors(seed, rows)
    assert community_detection(x, threshold, least) == communities(x, threshold, least)


def test_community_detection_is_that_of_sentence_transformers() -> None:
    theirs = pytest.importorskip(
        "sentence_transformers.util", reason="pip install 'tersely[sentence-transformers]'"
    ).community_detection
    same_parameters(community_detection, theirs)
    for seed in range(5):
        x = vectors(seed, 200).astype(np.float32)
        for threshold, least in [(0.75, 10), (0.9, 3), (0.6, 40)]:
            assert community_detection(x, threshold, least) == theirs(x, threshold, least)


def test_community_detection_says_what_has_no_meaning() -> None:
    assert community_detection([]) == []
    assert community_detection([[1.0, 0.0]] * 9) == []
    assert community_detection([[1.0, 0.0]] * 10) == [list(range(10))]
    assert community_detection([1.0, 2.0], min_community_size=1) == [[0]]
    with pytest.warns(UserWarning, match="batch_size"):
        community_detection([[1.0, 0.0]] * 10, batch_size=5)
    with pytest.raises(ValueError, match=r"NaN|finite"):
        community_detection([[np.nan, 0.0]] * 10)
