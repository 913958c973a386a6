"""Every public name that the reference lists is used in an example that runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from markdown_blocks import ROOT, read_blocks

MODULE = re.compile(r"^\.\. automodule:: (\S+)$", re.MULTILINE)
REFERENCE = sorted((ROOT / "docs" / "reference").glob("*.md"))


def public_names(module: str) -> list[str]:
    """What `__all__` of a module lists, read from its source: some modules need what is not installed."""
    path = (ROOT / "python").joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if (stub := path.with_suffix(".pyi")).exists():
        return re.findall(r" as (\w+)", stub.read_text(encoding="utf-8"))
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "__all__":
            return [str(name) for name in ast.literal_eval(statement.value)]
    return []


def words_of_blocks() -> set[str]:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    code = [block.code for page in pages for block in read_blocks(page) if block.language == "python"]
    return set(re.findall(r"\w+", "\n".join(code)))


@pytest.mark.parametrize("page", REFERENCE, ids=lambda page: Path(page).name)
def test_every_public_name_has_an_example(page: Path) -> None:
    shown = words_of_blocks()
    modules = MODULE.findall(page.read_text(encoding="utf-8"))
    missing = [f"{module}.{name}" for module in modules for name in public_names(module) if name not in shown]
    assert not missing, missing
