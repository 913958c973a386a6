"""A file holds one concept, and its name says which."""

from __future__ import annotations

from pathlib import Path

LONGEST = 900
CODE = {".py", ".pyi", ".cpp", ".hpp", ".inl"}  # not the generated .inc
MEANINGLESS = {"util", "utils", "helper", "helpers", "common", "base", "misc", "handler", "handlers"}


def test_files_are_short(root: Path, sources: list[Path]) -> None:
    sizes = {
        path: len((root / path).read_text(encoding="utf-8").splitlines())
        for path in sources
        if path.suffix in CODE
    }
    assert sizes
    for path, lines in sizes.items():
        assert lines <= LONGEST, f"{path} has {lines} lines: is there a second thing in it?"


def test_names_say_something(sources: list[Path]) -> None:
    assert not [str(path) for path in sources if MEANINGLESS & {path.stem, *path.parts[:-1]}]


def test_no_two_modules_of_tests_have_one_name(sources: list[Path]) -> None:
    """Pytest would collect neither."""
    names = [path.name for path in sources if path.parts[0] == "tests" and path.name.startswith("test_")]
    assert not {name for name in names if names.count(name) > 1}
