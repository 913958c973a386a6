"""Every program in examples/ runs as its docstring says, and is in the list there."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
from markdown_blocks import ROOT

PROGRAMS = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_it_runs(
    program: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(program)])
    runpy.run_path(str(program), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) > 3


def test_the_list_has_them_all() -> None:
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert [program.name for program in PROGRAMS if f"]({program.name})" not in listed] == []
