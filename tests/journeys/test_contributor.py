"""Whoever changes tersely: a clone, the set-up that CONTRIBUTING names, a change that a check finds."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest
from markdown_blocks import ROOT, read_blocks

pytestmark = pytest.mark.slow  # each step has a test of its own that is quick

yaml = pytest.importorskip("yaml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_set_up_names_extras_and_programs_that_exist() -> None:
    blocks = [block.code for block in read_blocks(ROOT / "CONTRIBUTING.md") if block.is_shell]
    named = {
        extra for extras in re.findall(r"\[([\w,-]+)\]", "\n".join(blocks)) for extra in extras.split(",")
    }
    assert named and named <= set(PROJECT["optional-dependencies"])
    command = (ROOT / "ci" / "test.sh").read_text(encoding="utf-8").splitlines()[-1]
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")


def test_tasks_checks_and_hooks_are_the_same_everywhere() -> None:
    tasks = {
        node.name for node in ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }  # fmt: skip
    assert {"lint", "test", "ci"} <= tasks
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    pins = dict(pin.split("==") for pin in PROJECT["optional-dependencies"]["lint"])
    for hook in hooks:
        name = hook["repo"].rpartition("/")[2].removesuffix("-pre-commit").removeprefix("mirrors-")
        assert hook["rev"] == f"v{pins[name]}"
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    scripts = {path.name for path in (ROOT / "ci").glob("*.sh")}
    assert set(re.findall(r"`ci/([\w]+\.sh)`", told)) <= scripts


def test_each_new_thing_has_a_place() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Where do I put it?")[2]
    named = set(
        re.findall(
            r"`((?:engine|content|models|memory|retrieval|agents|store|scale|mcp|cli)/[\w/]+\.\w+)`", text
        )
    )
    missing = {name for name in named if not (ROOT / "python" / "tersely" / name).exists()}
    assert len(named) > 20 and not missing
