"""Facility location and MMR: tersely and its peers in one group each."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.kernels import selectors, vectors
from benchmarks.kernels.vectors import Floats

_PICKS, _WEIGHT = 20, 0.5


@pytest.mark.benchmark(group="facility location")
@pytest.mark.parametrize("name", selectors.FACILITY)
def test_facility_location(name: str, rows: Floats, benchmark: Any) -> None:
    select = selectors.FACILITY[name]()
    if select is None:
        pytest.skip("not installed")
    found = benchmark(select, rows, _PICKS)
    selectors.check_facility(rows, _PICKS, selectors.greedy_value(rows, _PICKS), found)


@pytest.mark.benchmark(group="maximal marginal relevance")
@pytest.mark.parametrize("name", selectors.MMR)
def test_mmr(name: str, rows: Floats, benchmark: Any) -> None:
    select = selectors.MMR[name]()
    if select is None:
        pytest.skip("not installed")
    query = vectors.clustered(1, rows.shape[1], seed=8)[0]
    found = benchmark(select, rows, query, _PICKS, _WEIGHT)
    selectors.check_mmr(rows, query, _PICKS, _WEIGHT, found)
