"""`tersely compress --report page.html`."""

from __future__ import annotations

from pathlib import Path

import pytest
import tersely
from tersely.cli import main
from tersely.report import compare_html, to_html
from tersely.types import Document

TEXT = "# Tides\n\nHigh water is at six. The ferry waits. Ägir rules the sea. Low water is at noon.\n"


def test_the_page_is_written_beside_the_text(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source, page = tmp_path / "tides.md", tmp_path / "page.html"
    source.write_text(TEXT, encoding="utf-8")
    assert main(["compress", str(source), "-q", "low water", "-b", "12", "--report", str(page)]) == 0
    result = tersely.compress([Document(TEXT, id=str(source))], "low water", budget=12, strategy="auto")
    assert capfdbinary.readouterr().out.decode() == result.text + "\n"
    assert page.read_bytes().decode() == to_html(result, "low water")


def test_a_page_that_cannot_be_written_is_one_line(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source = tmp_path / "tides.md"
    source.write_text(TEXT, encoding="utf-8")
    assert main(["compress", str(source), "--report", "/nowhere/page.html"]) == 2
    assert capfdbinary.readouterr().err.startswith(b"tersely: cannot write /nowhere/page.html")


def test_another_budget_or_strategy_stands_beside_it(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source, page = tmp_path / "tides.md", tmp_path / "page.html"
    source.write_text(TEXT * 3, encoding="utf-8")
    asked = ["compress", str(source), "-q", "low water", "-b", "12", "--report", str(page)]
    document = Document(TEXT * 3, id=str(source))
    result = tersely.compress([document], "low water", budget=12, strategy="auto")
    for more, names, other in (
        (["--compare-budget", "30"], None, {"budget": 30, "strategy": "auto"}),
        (["--compare-strategy", "lead"], ("auto", "lead"), {"budget": 12, "strategy": "lead"}),
    ):
        assert main([*asked, *more]) == 0
        assert capfdbinary.readouterr().out.decode() == result.text + "\n"
        second = tersely.compress([document], "low water", **other)
        assert page.read_bytes().decode() == compare_html(result, second, "low water", names=names)


def test_a_comparison_needs_a_page(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    source = tmp_path / "tides.md"
    source.write_text(TEXT, encoding="utf-8")
    assert main(["compress", str(source), "--compare-budget", "9"]) == 2
    assert b"need --report FILE" in capfdbinary.readouterr().err
