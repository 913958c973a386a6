"""Logs that are too large to be held in memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tersely.cli import compress as cli_compress, main
from tersely.models.counters import resolve_counter


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cli_compress, "LARGE", 100_000)
    path = tmp_path / "app.log"
    lines = [
        f"2024-05-01 10:{n // 60 % 60:02}:{n % 60:02} INFO served /items/{n} in {n % 90} ms"
        for n in range(5000)
    ]
    lines[3210] = "2024-05-01 10:53:30 ERROR payment timeout after 30 s for order 99431"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_large_log_is_read_in_chunks(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = ["compress", str(log), "--query", "payment timeout", "--budget", "200"]
    assert main(command) == 0
    text = capfd.readouterr().out
    assert "ERROR payment timeout after 30 s for order 99431" in text
    assert resolve_counter(None).count(text) <= 200
    assert main([*command, "--json"]) == 0
    digest = json.loads(capfd.readouterr().out)
    assert digest["text"] == text and digest["lines"] == 5000 and digest["bytes"] == log.stat().st_size
    source = log.read_bytes()
    assert all(source[start:end].decode() in text for start, end in digest["kept"])


@pytest.mark.parametrize(
    "more", [["--as", "prose"], ["--strategy", "lead"], ["--pin", "order 99431"], ["--ratio", "0.1"]]
)
def test_what_needs_the_whole_text_gets_it(
    log: Path, more: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    budget = [] if "--ratio" in more else ["--budget", "300"]
    assert main(["compress", str(log), "--json", *budget, *more]) == 0
    assert "receipt" in json.loads(capfd.readouterr().out)


def test_the_original_of_a_large_log_is_kept_where_asked(
    log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "notes.sqlite"
    assert main(["compress", str(log), "--budget", "300", "--store", str(store)]) == 0
    identity = capfd.readouterr().err.split("tersely expand ")[1].split()[0]
    assert main(["expand", identity, "--store", str(store)]) == 0
    assert capfd.readouterr().out.encode() == log.read_bytes()


def test_other_large_files_are_no_logs(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    notes = log.with_suffix(".txt")  # a file that is called .log is one
    notes.write_text("The harbour is closed in winter, and opens in spring. " * 4000, encoding="utf-8")
    assert main(["compress", str(notes), "--json", "--budget", "100"]) == 0
    assert json.loads(capfd.readouterr().out)["receipt"]["content_types"] == ["prose"]
