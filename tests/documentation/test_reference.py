"""What the pages import is in the reference; `ci/docs.sh` checks that each of its names has an entry."""

from __future__ import annotations

import ast
import dataclasses
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import tersely
from markdown_blocks import ROOT, read_blocks

_MODULE = re.compile(r"^\.\. auto(?:module:: (\S+)|(?:class|function|exception):: (\S+)\.\w+)$", re.MULTILINE)
_PACKAGES = ("kernels", "memory", "metrics", "report", "retrieval", "store", "strategies")


def described() -> set[str]:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    found = [names for page in pages for names in _MODULE.findall(page.read_text(encoding="utf-8"))]
    return {whole or part for whole, part in found}


def imports(code: str) -> set[str]:
    """The modules of tersely that a program imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {module for module in found if module.partition(".")[0] == "tersely"}


def test_every_module_that_a_page_or_an_example_imports_is_in_the_reference() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    programs: list[tuple[Path, str]] = [(path, path.read_text()) for path in (ROOT / "examples").glob("*.py")]
    programs += [
        (page, block.code) for page in pages for block in read_blocks(page) if block.language == "python"
    ]
    known = described()
    missing = {f"{path.name}: {module}" for path, code in programs for module in imports(code) - known}
    assert not missing


def test_every_public_package_is_in_the_reference() -> None:
    assert {"tersely", *(f"tersely.{name}" for name in _PACKAGES)} <= described()
    names = {path.stem for path in (ROOT / "python/tersely/integrations").glob("*.py")} - {"__init__"}
    assert {f"tersely.integrations.{name}" for name in names} <= described()


def test_the_page_on_installing_lists_every_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "guide" / "install.md").read_text(encoding="utf-8")
    rows = page.partition("| extra | brings |\n")[2].partition("\n\n")[0].splitlines()
    told = {extra for row in rows for extra in re.findall(r"`([\w-]+)`", row.split("|")[1])}
    assert told == set(project["optional-dependencies"]) - {"test", "lint", "docs"}


def test_the_page_on_choosing_lists_every_option_with_its_default() -> None:
    page = (ROOT / "docs" / "guide" / "choosing.md").read_text(encoding="utf-8")
    table = page.partition("| option | default |")[2].partition("\n\n")[0]
    listed: dict[str, str] = {}
    for names, defaults in re.findall(r"^\| (`[^|]+) \| ([^|]+) \|", table, re.MULTILINE):
        listed |= zip(re.findall(r"`(\w+)`", names), defaults.split(", "), strict=True)
    written = {"a half": "0.5", "a sixth": str(1 / 6)}
    told = {name: written.get(default, default.strip("`")) for name, default in listed.items()}
    defaults = {one.name: one.default for one in dataclasses.fields(tersely.Extractive)}
    shown = {name: repr(value) if name != "level" else '"sentence"' for name, value in defaults.items()}
    assert told == {name: text.replace("'", '"') for name, text in shown.items()}


def test_the_pages_list_every_name_for_who_does_not_build_them() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "reference_tables.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}python docs/reference_tables.py writes them anew"


def _find(path: str) -> object:
    """What a dotted path names: a module, or a name in one."""
    found: object = import_module("tersely")
    parts = path.split(".")
    for end, name in enumerate(parts[1:], 2):
        found = getattr(found, name, None) or import_module(".".join(parts[:end]))
    return found


def test_names_of_designs_are_where_the_page_says() -> None:
    page = (ROOT / "docs" / "migration" / "designs.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"`(tersely(?:\.\w+)+)`", page))
    for names, room in re.findall(
        r"^\| ([^|]+) \| (?:the same|methods),? of `(tersely[\w.]*)`", page, re.MULTILINE
    ):
        paths |= {f"{room}.{name}" for name in re.findall(r"`(\w+)`", names)}
    assert len(paths) > 80
    for path in sorted(paths):
        assert _find(path) is not None, path
    for name in ("allocateBudget", "PrepareContext"):
        assert name in page
