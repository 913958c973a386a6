"""pytest-benchmark: `python -m pytest benchmarks/kernels --rows 500`. Every group is one job."""

from __future__ import annotations

import pytest

pytest.importorskip("pytest_benchmark")

from benchmarks.kernels import rounds, vectors


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rows", type=int, default=500, help="rows of each benchmark (default: 500)")
    parser.addoption("--dimensions", type=int, default=256, help="columns (default: 256)")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("filterwarnings", "ignore")  # the peers' warnings are theirs


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """All libraries that are loaded so far, on one thread: again before each test, since more are loaded."""
    rounds.pin(1)


@pytest.fixture(scope="session")
def rows(pytestconfig: pytest.Config) -> vectors.Floats:
    return vectors.clustered(pytestconfig.getoption("--rows"), pytestconfig.getoption("--dimensions"))
