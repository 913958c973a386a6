"""Whoever changes tersely: a clone, the set-up that CONTRIBUTING names, a change that a check finds."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from markdown_blocks import ROOT, read_blocks

pytestmark = pytest.mark.slow  # each step has a test of its own that is quick

yaml = pytest.importorskip("yaml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the repository holds."""
    folder = tmp_path_factory.mktemp("clone") / "tersely"
    done = subprocess.run(
        ["git", "clone", "-q", "--shared", str(ROOT), str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("not in a clone")
    return folder


def run(clone: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=clone, capture_output=True, text=True, check=False, timeout=120
    )


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


def test_a_change_is_checked_before_it_is_sent(clone: Path) -> None:
    if run(clone, "ruff", "--version").returncode:
        pytest.skip("ruff is not installed")
    changed = clone / "python" / "tersely" / "files.py"
    before = changed.read_text(encoding="utf-8")
    changed.write_text(f"{before}\n\ndef helpful(x):\n    return eval(x)   \n", encoding="utf-8")
    found = run(clone, "ruff", "check", "python/tersely/files.py")
    assert found.returncode == 1 and "D103" in found.stdout  # a docstring is missing
    assert run(clone, "ruff", "format", "--check", "python/tersely/files.py").returncode == 1
    changed.write_text(before, encoding="utf-8")
    assert run(clone, "ruff", "check", "python/tersely/files.py").returncode == 0


def test_a_layer_that_is_crossed_is_found(clone: Path) -> None:
    crossed = clone / "python" / "tersely" / "text.py"
    before = crossed.read_text(encoding="utf-8")
    try:
        crossed.write_text(
            f"{before}\n\ndef up() -> None:\n    import tersely.cli  # noqa\n", encoding="utf-8"
        )
        found = run(
            clone, "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/codebase/test_layers.py"
        )
        assert found.returncode == 1 and "text imports cli" in found.stdout, found.stdout
    finally:
        crossed.write_text(before, encoding="utf-8")
    done = run(clone, "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/codebase/test_layers.py")
    assert done.returncode == 0, done.stdout


def test_each_new_thing_has_a_place() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Where do I put it?")[2]
    named = set(
        re.findall(
            r"`((?:engine|content|models|memory|retrieval|agents|store|scale|mcp|cli)/[\w/]+\.\w+)`", text
        )
    )
    missing = {name for name in named if not (ROOT / "python" / "tersely" / name).exists()}
    assert len(named) > 20 and not missing
