"""Clusters of either linkage: tersely and its exact peers in one group each."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.kernels import oracle
from benchmarks.kernels.systems import System, systems
from benchmarks.kernels.vectors import Floats

_THRESHOLD = 0.85


def _run(system: System, rows: Floats, benchmark: Any) -> Any:
    if system.call is None:
        pytest.skip("not installed")
    if len(rows) > system.most_rows:
        pytest.skip(f"only up to {system.most_rows} rows")
    return system.labels(benchmark(system.call, rows, _THRESHOLD))


@pytest.mark.benchmark(group="clusters, single linkage")
@pytest.mark.parametrize("system", systems("single"), ids=lambda system: system.name)
def test_single(system: System, rows: Floats, benchmark: Any) -> None:
    oracle.check_single(oracle.truth(rows, _THRESHOLD), _run(system, rows, benchmark))


@pytest.mark.benchmark(group="clusters, representatives")
@pytest.mark.parametrize("system", systems("representative"), ids=lambda system: system.name)
def test_representative(system: System, rows: Floats, benchmark: Any) -> None:
    oracle.check_representative(oracle.truth(rows, _THRESHOLD), _run(system, rows, benchmark))
