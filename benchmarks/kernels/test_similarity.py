"""All cosines, and the pairs above a threshold: tersely and its peers in one group each."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks.kernels import oracle, ours, pairs
from benchmarks.kernels.pairs import Finder, unit
from benchmarks.kernels.vectors import Floats

_THRESHOLD = 0.85


def _numpy(rows: Floats) -> Floats:
    rows = unit(rows)
    return rows @ rows.T


def _sklearn(rows: Floats) -> Any:
    return importlib.import_module("sklearn.metrics.pairwise").cosine_similarity(rows)


def _torch(rows: Floats) -> Any:
    torch = importlib.import_module("torch")
    tensor = torch.nn.functional.normalize(torch.from_numpy(rows))
    return (tensor @ tensor.T).numpy()


def _numkong(rows: Floats) -> Any:
    return 1 - np.asarray(importlib.import_module("numkong").cdist(rows, rows, "angular"))


_ALL: dict[str, tuple[str, Callable[[Floats], Any]]] = {
    "tersely": ("tersely", ours.similarity),
    "numpy": ("numpy", _numpy),
    "scikit-learn": ("sklearn", _sklearn),
    "torch": ("torch", _torch),
    "numkong": ("numkong", _numkong),
}


@pytest.mark.benchmark(group="all cosines")
@pytest.mark.parametrize("name", _ALL)
def test_all_cosines(name: str, rows: Floats, benchmark: Any) -> None:
    module, call = _ALL[name]
    pytest.importorskip(module)
    found = benchmark(call, rows)
    exact = rows.astype(np.float64) / np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    np.testing.assert_allclose(found, exact @ exact.T, atol=1e-5)


_FINDERS = [Finder("tersely", ours.pairs, 1_000_000, ""), *pairs.peers()]


@pytest.mark.benchmark(group="pairs above a threshold")
@pytest.mark.parametrize("finder", _FINDERS, ids=lambda finder: finder.name)
def test_pairs(finder: Finder, rows: Floats, benchmark: Any) -> None:
    if finder.find is None:
        pytest.skip("not installed")
    if len(rows) > finder.most_rows:
        pytest.skip(f"only up to {finder.most_rows} rows: {finder.limit}")
    found = benchmark(finder.find, rows, _THRESHOLD)
    oracle.check_pairs(oracle.truth(rows, _THRESHOLD), found)
