"""A file holds one concept, and its name says which."""

from __future__ import annotations

from pathlib import Path

MEANINGLESS = {"util", "utils", "helper", "helpers", "common", "base", "misc", "handler", "handlers"}


def test_names_say_something(sources: list[Path]) -> None:
    assert not [str(path) for path in sources if MEANINGLESS & {path.stem, *path.parts[:-1]}]


def test_no_two_modules_of_tests_have_one_name(sources: list[Path]) -> None:
    """Pytest would collect neither."""
    names = [path.name for path in sources if path.parts[0] == "tests" and path.name.startswith("test_")]
    assert not {name for name in names if names.count(name) > 1}
