"""The command: what goes to stdout, what to stderr, and the exit codes."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import tersely
from tersely.cli import main

TEXT = "# Tides\r\n\r\nHigh water is at six. The ferry waits. Ägir rules the sea. Low water is at noon.\r\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "tides.md"
    path.write_bytes(TEXT.encode())
    return path


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "tersely", *arguments], input=stdin, capture_output=True, check=False
    )


def test_compress_prints_the_exact_text_and_a_line_end(
    page: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["compress", str(page), "--query", "When is low water?", "--budget", "12"]) == 0
    out, _ = capfdbinary.readouterr()
    expected = tersely.compress(TEXT, "When is low water?", budget=12)
    assert out.decode() == expected.text + "\n"
    assert "Low water is at noon." in expected.text


def test_what_fits_comes_back_byte_for_byte(page: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["compress", str(page), "--ratio", "1"]) == 0
    assert capfdbinary.readouterr().out == TEXT.encode()


def test_a_file_is_taken_for_what_it_is_or_is_said_to_be(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hosts"
    path.write_text("id,host\n" + "".join(f"{n},web-{n % 9}\n" for n in range(200)))
    for arguments, kind, start in (
        ([], "table", "id,host\n0,web-0\n"),
        (["--as", "table"], "table", "id,host\n0,web-0\n"),
        (["--as", "prose"], "prose", ""),
    ):
        assert main(["compress", str(path), "--budget", "60", "--json", *arguments]) == 0
        result = json.loads(capfd.readouterr().out)
        assert result["receipt"]["content_types"] == [kind] and result["text"].startswith(start)
    assert main(["compress", str(path), "--as", "table", "--strategy", "lead"]) == 2
    assert "--as goes with --strategy auto, not with lead" in capfd.readouterr().err


def test_standard_input_is_a_dash_or_nothing() -> None:
    for arguments in (["count", "-"], ["count"]):
        done = run(*arguments, stdin=TEXT.encode())
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode().split("\t")[1] == "-\n"


def test_json_has_spans_and_receipt(page: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["compress", str(page), "--budget", "12", "--json"]) == 0
    result = json.loads(capfdbinary.readouterr().out)
    assert result["documents"] == [str(page)]
    assert result["tokens"] <= 12 == result["receipt"]["budget"]
    for span in result["kept"]:
        assert TEXT[span["start"] : span["end"]] in result["text"]


def test_output_goes_to_the_file(
    page: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    target = tmp_path / "out.txt"
    assert main(["compress", str(page), "--budget", "12", "--output", str(target)]) == 0
    assert capfdbinary.readouterr().out == b""
    assert target.read_bytes().decode() == tersely.compress(TEXT, budget=12).text


def test_options_reach_the_library(page: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    arguments = [
        "--pin",
        "ferry",
        "--headings",
        "--separator",
        r"\n--\n",
        "--counter",
        "chars/4",
        "--budget",
        "15",
    ]
    assert main(["compress", str(page), *arguments]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert "The ferry waits." in out
    assert "# Tides" in out


def test_segment_lines_and_json(page: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["segment", str(page)]) == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert lines[0] == f"{page}:0-7\theading\t# Tides"
    assert len(lines) == 5
    assert main(["segment", str(page), "--json", "--level", "paragraph"]) == 0
    rows = [json.loads(line) for line in capfdbinary.readouterr().out.decode().splitlines()]
    assert [TEXT[row["start"] : row["end"]] for row in rows] == [row["text"] for row in rows]
    assert len(rows) == 2


def test_count_sums_several_files(page: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["count", str(page), str(page), "--counter", "chars/4"]) == 0
    each = -(-len(TEXT) // 4)
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert lines == [f"{each}\t{page}", f"{each}\t{page}", f"{2 * each}\ttotal"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["compress", "no/such/file"], 2, "tersely: cannot read no/such/file: No such file or directory"),
        (
            ["compress", "{page}", "--budget", "0"],
            1,
            "tersely: nothing of the input fits into a budget of 0; ",
        ),
        (
            ["compress", "{page}", "--budget", "-4"],
            2,
            "tersely: --budget must be a whole number from 0, not -4",
        ),
        (["compress", "{page}", "--ratio", "nan"], 2, "tersely: --ratio must lie in (0, 1], not nan"),
        (["compress", "{page}", "--pin", "whale"], 2, "tersely: --pin: 'whale' occurs in no document"),
        (
            ["compress", "{page}", "--pin", "ferry", "--budget", "1"],
            1,
            "tersely: pinned content does not fit into a budget of 1; ",
        ),
        (["compress", "{page}", "--output", "/nowhere/x"], 2, "tersely: cannot write /nowhere/x"),
    ],
)
def test_errors_are_one_line_without_a_traceback(
    page: Path, arguments: list[str], code: int, message: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main([argument.format(page=page) for argument in arguments]) == code
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert err.decode().startswith(message)
    assert err.count(b"\n") == 1


def test_a_file_that_is_not_text(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "picture"
    path.write_bytes(b"ab\xff\xfe")
    assert main(["count", str(path)]) == 2
    assert capfdbinary.readouterr().err.decode() == f"tersely: {path} is not UTF-8 text: byte 0xff at 2\n"


def test_warnings_go_to_stderr(page: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["compress", str(page), "--query", "zebra", "--budget", "12", "--quiet"]) == 0
    assert capfdbinary.readouterr().err == (
        b"tersely: note: No word of the query stands in the text: it was compressed as without one.\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["shrink"],
        ["compress", "--level", "line"],
        ["count", "--counter", "x"],
        ["compress", "-b", "9", "-r", "0.5"],
        ["count", "--encoding", "morse"],
    ],
)
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


def test_help_has_examples_and_version(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for arguments in (["--help"], ["compress", "--help"]):
        with pytest.raises(SystemExit):
            main(arguments)
        assert b"tersely compress report.md --query" in capfdbinary.readouterr().out
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capfdbinary.readouterr().out.decode() == f"tersely {tersely.__version__}\n"


def test_a_reader_that_goes_away_is_no_error(page: Path) -> None:
    page.write_text("One. " * 200_000)
    done = subprocess.run(
        f"'{sys.executable}' -m tersely segment '{page}' | head -n 1",
        shell=True,
        capture_output=True,
        check=False,
    )
    assert done.stdout.startswith(str(page).encode())
    assert done.stderr == b""


def test_progress_for_many_files_is_on_the_terminal_only(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.txt" for number in range(25)]
    for path in files:
        path.write_text("One. Two.")
    names = [str(path) for path in files]
    quiet = run("count", *names)
    assert quiet.stderr == b""

    primary, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "tersely", "count", *names], stdout=subprocess.PIPE, stderr=terminal
    ) as process:
        os.close(terminal)
        shown = io.BytesIO()
        while chunk := _read(primary):
            shown.write(chunk)
        assert process.stdout is not None
        assert process.stdout.read() == quiet.stdout
    os.close(primary)
    assert b"reading" in shown.getvalue()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the other end was closed
        return b""
