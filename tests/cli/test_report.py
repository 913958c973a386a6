"""`tersely compress --report page.html`."""

from __future__ import annotations

from pathlib import Path

import pytest
import tersely
from tersely.cli import main
from tersely.core.types import Document
from tersely.report import to_html

TEXT = "# Tides\n\nHigh water is at six. The ferry waits. Ägir rules the sea. Low water is at noon.\n"


def test_the_page_is_written_beside_the_text(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source, page = tmp_path / "tides.md", tmp_path / "page.html"
    source.write_text(TEXT, encoding="utf-8")
    assert main(["compress", str(source), "-q", "low water", "-b", "12", "--report", str(page)]) == 0
    result = tersely.compress([Document(TEXT, id=str(source))], "low water", budget=12, strategy="auto")
    assert capfdbinary.readouterr().out.decode() == result.text
    assert page.read_bytes().decode() == to_html(result, "low water")


def test_a_page_that_cannot_be_written_is_one_line(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source = tmp_path / "tides.md"
    source.write_text(TEXT, encoding="utf-8")
    assert main(["compress", str(source), "--report", "/nowhere/page.html"]) == 2
    assert capfdbinary.readouterr().err.startswith(b"tersely: cannot write /nowhere/page.html")
