"""Every result is checked for its promises; Hypothesis profiles; the --slow and --growth options.

HYPOTHESIS_PROFILE=thorough looks longer.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from tersely.engine import finish

settings.register_profile(
    "default",
    deadline=None,
    max_examples=50,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", parent=settings.get_profile("default"))
settings.register_profile("thorough", parent=settings.get_profile("default"), max_examples=1500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests marked slow")
    parser.addoption("--growth", action="store_true", help="run only the tests marked growth (ci/growth.sh)")


def pytest_configure(config: pytest.Config) -> None:
    # Every result of every call of the suite is checked for all that users are promised; instructions are
    # counted of the product alone.
    finish.check_all = not config.getoption("--growth")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    growth = config.getoption("--growth")
    config.hook.pytest_deselected(items=[item for item in items if ("growth" in item.keywords) != growth])
    items[:] = [item for item in items if ("growth" in item.keywords) == growth]
    if config.getoption("--slow"):
        return
    skip = pytest.mark.skip(reason="slow: run with --slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
