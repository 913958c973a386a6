"""Whoever measures a system of their own: the pages' steps, from a file with one function to its figures."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_blocks import ROOT, read_blocks

pytestmark = pytest.mark.slow  # each step has a test of its own that is quick

PAGE = ROOT / "benchmarks" / "MEASURE.md"


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the page: `python` is this one, and finds the benchmarks of the clone."""
    return subprocess.run(
        [sys.executable, *command[1:]],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the page's own files were written."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in read_blocks(PAGE):
        if block.language == "python":
            exec(block.code, names)
    return tmp_path


def test_a_system_and_a_set_of_ones_own_give_figures(folder: Path) -> None:
    shell = [line for block in read_blocks(PAGE) if block.is_shell for line in block.code.splitlines()]
    (command,) = (shlex.split(line) for line in shell if "my_sets" in line)
    done = run([*command, "--json", "figures.json"], folder)
    assert done.returncode == 0, done.stderr

    written = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    kept = {row["system"]: row for row in written["tables"][0]["rows"]}
    assert kept["shared words"]["0.1"] == kept["tersely"]["0.1"] == 1.0
    assert kept["lead"]["0.1"] == 0.0
    (answers,) = (table for table in written["tables"] if table["title"].startswith("Answers"))
    stated = {row["system"]: row for row in answers["rows"]}
    assert stated["shared words"]["stated 0.1"] == 1.0 and stated["lead"]["stated 0.1"] == 0.0
    assert stated["the whole documents"]["f1 0.1"] > 0
    assert written["details"]["evidence"] and "toktok-rs" in done.stdout


def test_every_step_of_the_page_is_a_command_that_exists(folder: Path) -> None:
    for block in read_blocks(PAGE):
        for line in block.code.splitlines() if block.is_shell else ():
            command = shlex.split(line)
            options = [word for word in command if word.startswith("--")]
            said = run([*command[:3], "--help"], folder)
            assert said.returncode == 0, said.stderr
            assert [option for option in options if option not in said.stdout] == []


def test_without_data_it_is_said_what_is_missing(folder: Path) -> None:
    done = run(["python", "-m", "benchmarks.quality", "--data", "nowhere"], folder)
    assert done.returncode == 2 and "nowhere is not a directory" in done.stderr
    done = run(["python", "-m", "benchmarks.fetch", "--data", "sets"], folder)
    assert done.returncode == 1 and "--yes fetches without" in done.stdout and not (folder / "sets").exists()
