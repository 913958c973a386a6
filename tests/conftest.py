"""Every result is checked for its promises; Hypothesis profiles; options --slow and --growth; two processes.

Hypothesis tries 20 examples, with --slow 50: the same ones in each run, so that what fails is what changed.
With HYPOTHESIS_PROFILE=thorough it looks for new ones, 1,500 a test.
"""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tersely.engine import finish

settings.register_profile(
    "default",
    deadline=None,
    max_examples=20,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", parent=settings.get_profile("default"))
settings.register_profile("slow", parent=settings.get_profile("default"), max_examples=50)
settings.register_profile(
    "thorough", parent=settings.get_profile("default"), max_examples=1500, derandomize=False
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests marked slow or seconds")
    parser.addoption(
        "--growth", choices=["kernel", "python"], help="run only such tests of growth (ci/growth.sh)"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run the whole suite on two processes, where nobody says how many; a file stays on one of them, so that
    what its tests share is made once."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not hasattr(config, "workerinput")
    if whole and getattr(config.option, "numprocesses", 0) is None and not config.option.usepdb:
        config.option.numprocesses, config.option.dist = 2, "loadfile"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if collection_path.name == "test_growth.py" and not config.getoption("--growth") else None


def pytest_configure(config: pytest.Config) -> None:
    # What starts in a shell's background or under nohup ignores signals: tests have them as in a terminal.
    for name, usual in (
        ("SIGINT", signal.default_int_handler),
        ("SIGQUIT", signal.SIG_DFL),
        ("SIGHUP", signal.SIG_DFL),
    ):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    # Every result of every call of the suite is checked for all that users are promised; growth is
    # measured of the product alone.
    finish.check_all = not config.getoption("--growth")
    usual = "slow" if config.getoption("--slow") else "default"
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", usual))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Spare the garbage collector what stays to the end: thousands of tests, and all that they imported."""
    gc.collect()
    gc.freeze()


def growth_of(item: pytest.Item) -> str | None:
    """What a test of growth measures: growth("kernel") a native program, growth calls from Python."""
    mark = item.get_closest_marker("growth")
    return None if mark is None else "kernel" if mark.args else "python"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    growth = config.getoption("--growth")
    config.hook.pytest_deselected(items=[item for item in items if growth_of(item) != growth])
    items[:] = [item for item in items if growth_of(item) == growth]
    if config.getoption("--slow"):
        return
    skip = pytest.mark.skip(reason="slow, or bounds a time: run with --slow")
    for item in items:
        if {"slow", "seconds"} & item.keywords.keys():
            item.add_marker(skip)
