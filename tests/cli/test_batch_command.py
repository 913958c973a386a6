"""`tersely batch` and `tersely dedup`."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tersely.cli import main
from tersely.scale.plan import PLAN, load_plan

pytest.importorskip("pyarrow")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    rows = [
        {"question": "When do gates open?", "body": f"Gate {n} opens at six. Gate {n} is blue. It is old."}
        for n in range(5)
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "no JSON\n", encoding="utf-8")
    return path


def batch(source: Path, *more: str) -> list[str]:
    columns = ["--text-column", "body", "--query-column", "question"]
    return [
        "batch",
        str(source),
        str(source.parent / "out"),
        *columns,
        "--budget",
        "9",
        "--workers",
        "0",
        *more,
    ]


def test_batch_says_what_was_done_and_does_nothing_twice(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(batch(source)) == 0
    out, err = capsys.readouterr()
    assert out == "" and "tersely: 1 of 1 parts, 6 rows" in err and "rows with an error: 1" in err
    assert main([*batch(source), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["errors"], told["skipped"]) == (6, 1, 1) and told["digest"]  # nothing twice
    assert main([*batch(source), "--ratio", "0.5"]) == 2
    assert "holds another job: ratio is 0.3 there and 0.5 here" in capsys.readouterr().err


def test_status_needs_the_output_alone(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(batch(source)) == 0
    out = source.parent / "out"
    load_plan(out).write(fresh := source.parent / "plan")  # as if the job had been stopped before its end
    fresh.replace(out / PLAN)
    source.unlink()
    capsys.readouterr()
    assert main(batch(source, "--status")) == 0
    assert "1 of 1 parts, 6 rows" in (err := capsys.readouterr().err) and "not finished" in err
    assert main(["batch", str(source.parent / "nothing"), "--status"]) == 2
    assert "no job was begun there" in capsys.readouterr().err


@pytest.mark.parametrize("asked", ["batch", "dedup"])
def test_status_of_duplicates_counts_rows_whichever_command_asks(
    source: Path, capsys: pytest.CaptureFixture[str], asked: str
) -> None:
    out = str(source.parent / "out")
    assert main(["dedup", str(source), out, "--text-column", "body", "--workers", "0"]) == 0
    capsys.readouterr()
    assert main([asked, "x", out, "--status"]) == 0
    assert "stay" in (err := capsys.readouterr().err) and "token" not in err


def test_what_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", str(tmp_path / "none.parquet"), str(tmp_path / "out")]) == 2
    assert "none.parquet" in capsys.readouterr().err
    assert main(["batch", str(tmp_path / "out")]) == 2
    assert "name the source and the folder of the output" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ["--text-column", "body", "--query-column", "asked"],
            "--query-column must be a column of in.jsonl, one of question,",
        ),
        (["--text-column", "text"], "--text-column must be a column of in.jsonl"),
        (["--text-column", "body", "--budget-column", "no"], "--budget-column must be a column of"),
        (["--text-column", "body", "--budget", "-1"], "--budget must be a whole number from 1, not -1"),
        (["--text-column", "body", "--ratio", "2"], "--ratio must lie in (0, 1], not 2"),
        (["--text-column", "body", "--keep", "tokens"], "--keep cannot be 'tokens'"),
        (["--text-column", "body", "--part-mb", "0"], "--part-mb must be a whole number from 1"),
    ],
)
def test_errors_name_the_flag(
    source: Path, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    assert main(["batch", str(source), *given, str(source.parent / "out")]) == 2  # names after flags, too
    assert f"tersely: {said}" in capsys.readouterr().err


def test_a_terminal_is_shown_rows_and_tokens(source: Path) -> None:
    leader, terminal = pty.openpty()
    command = [sys.executable, "-m", "tersely", *batch(source)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # the other side is closed
        while read := os.read(leader, 4096):
            shown += read
    os.close(leader)
    assert process.wait(timeout=60) == 0
    text = shown.decode()
    assert "compressing" in text and "6 rows" in text


def test_a_file_gets_a_line_of_progress_at_a_time(
    source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tersely.cli.terminal._BETWEEN_LINES", 0.0)
    assert main(batch(source)) == 0
    assert "tersely: compressing, 100%: 6 rows" in capsys.readouterr().err


def test_dedup_says_how_many_rows_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow.parquet as pq

    texts = [
        "Tokens rotate every 24 hours.",
        "The tokens rotate every 24 hours.",
        "Tokens rotate every 12 hours.",
    ]
    source = tmp_path / "in.jsonl"
    lines = [json.dumps({"body": text, "quality": n}) for n, text in enumerate(texts)]
    source.write_text("\n".join(lines), encoding="utf-8")
    command = ["dedup", str(source), str(tmp_path / "out"), "--text-column", "body", "--workers", "0"]
    assert main([*command, "--score-column", "quality", "--kept"]) == 0
    assert "tersely: 1 of 1 parts, 3 rows, 2 stay in" in capsys.readouterr().err
    assert pq.read_table(tmp_path / "out" / "part-000000.parquet")["body"].to_pylist() == texts[1:]
    assert main(["batch", *command[1:]]) == 2
    assert "holds another job: dedup there and compress here" in capsys.readouterr().err
    assert main([*command, "--status"]) == 0
    assert "2 stay" in capsys.readouterr().err


def test_a_job_whose_rows_all_fail_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "Keys rotate daily."}\n' * 3, encoding="utf-8")
    assert main(["batch", str(source), str(tmp_path / "out"), "--pin", "nowhere", "--workers", "0"]) == 1
    assert "rows with an error: 3" in capsys.readouterr().err


def test_a_compressed_file_without_an_end_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.jsonl.gz"
    source.write_bytes(gzip.compress(b'{"text": "Keys rotate daily."}\n' * 3000)[:-20])
    assert main(["batch", str(source), str(tmp_path / "out"), "--workers", "0"]) == 2
    assert "in.jsonl.gz" in capsys.readouterr().err
