"""The plug for Squeez in examples/harnesses/ with the real package, where it is: ci/adapters.sh has it."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest
from markdown_blocks import ROOT

FOLDER = ROOT / "examples" / "harnesses"
# It warns of much that is not ours.
pytestmark = pytest.mark.filterwarnings("default")


def test_squeez(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("squeez")
    lines = [f"tests/test_{n}.py::test_{n} PASSED" for n in range(200)]
    lines[120] = "tests/test_ferry.py::test_permit FAILED - AssertionError: no permit from the harbour office"
    row = {
        "query": "Which test failed?",
        "tool_output": "\n".join(lines),
        "gold_spans": [{"start_line": 121, "end_line": 121}],
    }
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["squeez_rows.py", str(path), "--ratio", "0.05"])
    runpy.run_path(str(FOLDER / "squeez_rows.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "1 rows at 5%" in said and "recall       1.000" in said
