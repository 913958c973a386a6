"""Files are small and their names say what is in them."""

from __future__ import annotations

from pathlib import Path

LONGEST = 300
LONGEST_TEST = 400
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
        limit = LONGEST_TEST if path.parts[0] in ("tests", "benchmarks") else LONGEST
        assert lines <= limit, f"{path} has {lines} lines: is there a second thing in it?"


def test_names_say_something(sources: list[Path]) -> None:
    assert not [str(path) for path in sources if MEANINGLESS & {path.stem, *path.parts[:-1]}]
