"""What the shell does to a command: closed and full streams, names and arguments in other encodings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tersely
from tersely.cli import main
from tersely.cli.arguments import utf8_text

TEXT = "# Tides\n\nHigh water is at six. The café waits. Low water is at noon.\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "tides.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def shell(line: str, *arguments: str | bytes, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line in which "$0" is Python and "$@" the arguments."""
    command = [b"bash", b"-c", line.encode(), sys.executable, *map(os.fsencode, arguments)]
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_nobody_uses_may_be_closed(page: Path, closed: str) -> None:
    target = page.with_name("out.txt")
    done = shell(
        f'"$0" -m tersely "$@" {closed}', "compress", str(page), "-b", "12", "-o", str(target), "--quiet"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert target.read_text(encoding="utf-8") == tersely.compress(TEXT, budget=12).text


COMMANDS = (
    "count {page}",
    "--help",
    "compress {page}",
    "compress {page} --json",
    "segment {page}",
    "compact {history} --budget 500",
    "run -- echo hello",
    "--version",
    "",
)
CLOSED, FULL = (">&-", "Bad file descriptor"), ("> /dev/full", "No space left on device")
LOST = [
    *((command, *to) for command in COMMANDS for to in ((*CLOSED, ""), (*FULL, "1"))),
    *((command, *to) for command in COMMANDS[:2] for to in ((*CLOSED, "1"), (*FULL, ""))),
]


@pytest.mark.parametrize(("command", "to", "reason", "unbuffered"), LOST)
def test_output_that_is_lost_is_an_error(
    page: Path, command: str, to: str, reason: str, unbuffered: str
) -> None:
    history = page.with_name("history.json")
    history.write_text(json.dumps([{"role": "user", "content": "hello"}]))
    given = command.format(page=page, history=history).split()
    done = shell(f'"$0" -m tersely "$@" {to}', *given, PYTHONUNBUFFERED=unbuffered)
    said = f"tersely: cannot write to standard output: {reason}\n"
    assert (done.returncode, done.stderr.decode()) == (2, said)


def test_input_that_is_closed_is_an_error(page: Path) -> None:
    done = shell('"$0" -m tersely "$@" <&-', "count", "-")
    assert (done.returncode, done.stdout) == (2, b"") and b"Bad file descriptor" in done.stderr


@pytest.mark.parametrize(
    ("command", "unbuffered"),
    [
        ("> {out}", ""),
        ("> {out}", "1"),
        ("-o {out}", ""),
        ("--store {out}", "1"),
        ("--report {out} > /dev/null", ""),
    ],
)
def test_a_limit_of_the_size_of_files_is_exit_code_2(
    tmp_path: Path, page: Path, command: str, unbuffered: str
) -> None:
    """What a file system takes of an output is no output, also where Python has no buffer."""
    page.write_text("".join(f"Ship {n} waits for tide {7 * n}.\n" for n in range(400)), encoding="utf-8")
    line = f'ulimit -f 1; "$0" -m tersely compress "$@" -r .9 {command.format(out=tmp_path / "out")}'
    done = shell(line, str(page), PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 2 and b"large" in done.stderr


def test_errors_that_nobody_can_be_told_leave_the_exit_code(page: Path) -> None:
    done = shell('"$0" -m tersely "$@" 2> /dev/full', "count", str(page.with_name("missing")))
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"")


# A locale that says ASCII: what comes in is bytes that Python could not read.
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_arguments_are_utf8_whatever_the_locale_says(page: Path) -> None:
    given = ["compress", str(page), "--budget", "12", "--json", "--query", "café", "--pin", "café"]
    done = shell('"$0" -m tersely "$@"', *given, **ASCII)
    assert done.stderr == b""
    assert "The café waits." in json.loads(done.stdout)["text"]


def test_arguments_that_are_no_text_are_named(page: Path) -> None:
    for option in ("--query", "--pin", "--separator"):
        done = shell('"$0" -m tersely "$@"', "compress", str(page), option, b"a\xffb")
        assert done.returncode == 2
        assert done.stderr.endswith(b"not UTF-8 text: byte 0xff at 1\n"), option
    assert utf8_text("né") == "né"


def test_files_whose_names_are_no_text(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/n\xff.txt"
    Path(os.fsdecode(name)).write_text("One. Two.")
    for command in (["count"], ["segment"], ["compress", "--ratio", "1", "--json"]):
        done = shell('"$0" -m tersely "$@"', *command, name)
        assert (done.returncode, done.stderr) == (0, b"")
        assert rb"n\xff.txt" in done.stdout.replace(rb"\\", b"\\")


def test_a_folder_is_indexed_with_a_sensible_limit(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for limit in ("0", "-1", "nan", "inf"):
        assert main(["index", str(tmp_path), "--largest-file", limit]) == 2
        assert capfd.readouterr().err == (
            f"tersely: --largest-file must be more than 0 MB, not {float(limit)}\n"
        )
