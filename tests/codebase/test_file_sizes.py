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
