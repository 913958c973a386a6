"""The page on warnings and reasons has every code that the package gives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_blocks import ROOT

_PAGE = ROOT / "docs" / "guide" / "warnings.md"
_FIELDS = ("warnings", "reason", "fallback_reason", "status", "reasons")
_CODE = re.compile(r"[a-z]+(?:_[a-z]+)*")
_FIELD = re.compile(
    r"^    (?:\w+, )*(?:warnings|reason|fallback_reason|status):(.*(?:\n {8}.*)*)", re.MULTILINE
)
#: Modules whose codes stand beside what gives them: a corpus, an index, a report, requests over HTTP.
_ELSEWHERE = (
    "cli/",
    "engine/incremental",
    "mcp/",
    "memory/segments/",
    "report/",
    "retrieval/index/",
    "scale/",
)
MODULES = [
    path
    for path in sorted((ROOT / "python" / "tersely").rglob("*.py"))
    if not str(path.relative_to(ROOT / "python" / "tersely")).startswith(_ELSEWHERE)
]


def given(tree: ast.AST) -> Iterator[str]:
    """The codes that a module puts into a field for codes, or describes in the docstring of a class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for told in _FIELD.findall(ast.get_docstring(node) or ""):
                yield from re.findall(r'"([a-z_]+)"', told)
        elif isinstance(node, ast.keyword) and node.arg in _FIELDS:
            yield from literals(node.value)
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(name_of(target) in _FIELDS for target in targets):
                yield from literals(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            adds = node.func.attr == "append" and name_of(node.func.value) in _FIELDS
            if adds or node.func.attr == "without_model":
                for argument in node.args:
                    yield from literals(argument)


def name_of(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def literals(node: ast.AST) -> Iterator[str]:
    """The codes that an expression may give: not those that it compares with, and no arguments of calls."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value):
        yield node.value
    if not isinstance(node, (ast.Compare, ast.Call)):
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


@pytest.mark.parametrize(
    "module", MODULES, ids=lambda path: str(path.relative_to(ROOT / "python" / "tersely"))
)
def test_every_code_is_on_the_page(module: Path) -> None:
    page = set(re.findall(r"`([a-z_]+)`", _PAGE.read_text(encoding="utf-8")))
    codes = set(given(ast.parse(module.read_text(encoding="utf-8"))))
    assert codes <= page, f"not on the page: {sorted(codes - page)}"
