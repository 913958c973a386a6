"""Clusters through FAISS: candidates are approximate, decisions exact, the recall is measured."""

from __future__ import annotations

import multiprocessing
import sys
from typing import Any

import numpy as np
import pytest
from other_threads import forks
from tersely import kernels
from tersely.errors import MissingExtraError

pytest.importorskip("faiss", reason="faiss-cpu is not installed")


def near_copies(count: int, depth: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """Rows, every third of them close to an earlier one, and scores."""
    rng = np.random.default_rng(count)
    x = rng.standard_normal((count, depth)).astype(np.float32)
    copies = np.arange(2, count, 3)
    x[copies] = x[copies - 1] * rng.uniform(0.5, 2, (len(copies), 1))
    x[copies] += rng.standard_normal((len(copies), depth)) * 0.15
    return x, rng.permutation(count).astype(float)


@pytest.mark.parametrize("linkage", ["representative", "single"])
@pytest.mark.parametrize("with_scores", [False, True])
def test_clusters_are_those_of_the_exact_kernel(linkage: Any, with_scores: bool) -> None:
    x, scores = near_copies(3000)
    by = scores if with_scores else None
    exact = kernels.threshold_clusters(x, 0.9, by, linkage=linkage, backend="exact")
    found = kernels.threshold_clusters(x, 0.9, by, linkage=linkage, backend="faiss")
    assert exact.recall is None and found.recall is not None
    assert found.recall.low <= found.recall.estimate <= found.recall.high <= 1
    assert found.recall.estimate >= 0.99 and found.recall.rows == 2000 and found.recall.pairs > 500
    same = exact.representatives[exact.labels] == found.representatives[found.labels]
    assert same.mean() >= 0.99


def test_what_was_found_keeps_the_promises_of_representatives() -> None:
    x, scores = near_copies(2000)
    found = kernels.threshold_clusters(x, 0.9, scores, backend="faiss", threads=1)
    assert found.sizes.sum() == len(x) and np.array_equal(np.bincount(found.labels), found.sizes)
    assert np.array_equal(found.labels[found.representatives], np.arange(len(found.sizes)))
    wide = x / np.linalg.norm(x.astype(float), axis=1, keepdims=True)
    mine = found.representatives[found.labels]
    assert ((wide * wide[mine]).sum(axis=1) >= 0.9 - 2e-9).all()
    assert (scores[mine] >= scores).all()  # the best of each cluster came first


def test_rows_of_any_kind() -> None:
    x, _ = near_copies(1200)
    plain = kernels.threshold_clusters(x.astype(np.float64), 0.9, backend="faiss")
    strided = np.zeros((1200, 48))
    strided[:, ::2] = x
    again = kernels.threshold_clusters(strided[:, ::2], 0.9, backend="faiss")
    assert np.array_equal(plain.labels, again.labels)
    huge = kernels.threshold_clusters(x.astype(np.float64) * 1e300, 0.9, backend="faiss")
    assert np.array_equal(plain.labels, huge.labels)
    x[100:110] = 0  # similar to nothing
    zero = kernels.threshold_clusters(x, 0.9, backend="faiss")
    assert (zero.sizes[zero.labels[100:110]] == 1).all()


def test_few_rows_and_no_true_pairs() -> None:
    assert len(kernels.threshold_clusters(np.empty((0, 3)), 0.5, backend="faiss").labels) == 0
    for count in (1, 2, 70):
        x = np.eye(count, 70)
        found = kernels.threshold_clusters(x, 0.5, backend="faiss")
        assert found.labels.tolist() == list(range(count))
        assert found.recall is not None and np.isnan(found.recall.estimate)
        assert (found.recall.low, found.recall.high, found.recall.pairs) == (0, 1, 0)


def test_a_row_that_is_not_finite_is_named() -> None:
    x, _ = near_copies(3000)
    x[77, 3], x[2000] = np.nan, np.inf
    with pytest.raises(ValueError, match="X: row 77 holds a NaN or an infinity"):
        kernels.threshold_clusters(x, 0.9, backend="faiss")


def test_progress_is_told_and_may_stop() -> None:
    x, _ = near_copies(4200)
    shares: list[float] = []
    kernels.threshold_clusters(x, 0.9, backend="faiss", progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1 and len(shares) > 1

    def stop(share: float) -> None:
        raise KeyError(share)

    with pytest.raises(KeyError):
        kernels.threshold_clusters(x, 0.9, backend="faiss", progress=stop)


def test_there_is_no_other_backend() -> None:
    with pytest.raises(ValueError, match="backend must be one of exact, faiss, not 'gpu'"):
        kernels.threshold_clusters(np.eye(3), 0.9, backend="gpu")  # type: ignore[arg-type]


def test_without_faiss_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tersely\[faiss\]'"):
        kernels.threshold_clusters(np.eye(3), 0.9, backend="faiss")


def _labels(x: np.ndarray, answers: Any) -> None:
    answers.put(kernels.threshold_clusters(x, 0.9, backend="faiss", threads=2).labels)


@forks
@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python 3.12 on forks with threads
@pytest.mark.slow
def test_nothing_hangs_after_a_fork(method: str) -> None:
    x, _ = near_copies(1200)
    before = kernels.threshold_clusters(
        x, 0.9, backend="faiss", threads=2
    ).labels  # FAISS has started threads
    context = multiprocessing.get_context(method)
    answers = context.Queue()
    child = context.Process(target=_labels, args=(x, answers))
    child.start()
    labels = answers.get(timeout=60)
    child.join(timeout=10)
    assert child.exitcode == 0
    assert np.mean(labels == before) >= 0.99
