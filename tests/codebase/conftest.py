"""Where the sources are."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDERS = ("csrc", "python", "tests", "benchmarks", "tools", "ci", ".ci", "docs", "examples")
GENERATED = ("__pycache__", "results")


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parents[2]


@pytest.fixture(scope="session")
def sources(root: Path) -> list[Path]:
    """Every file of the project but what is built, as a path relative to the root."""
    files = [path for path in root.iterdir() if path.is_file() and path.name != ".git"]  # of a worktree
    for folder in FOLDERS:
        files += [path for path in (root / folder).rglob("*") if path.is_file()]
    relative = sorted(path.relative_to(root) for path in files)
    return [path for path in relative if not set(GENERATED) & set(path.parts)]
