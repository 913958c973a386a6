"""What a terminal is shown: no control character of a document, a name or an error reaches it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tersely import cli
from tersely.cli import main
from tersely.cli.files import printable
from tersely.retrieval.index import Index

EVIL = "\x1b]0;title\x07 and \x1b[31mred\x1b[0m, \x9b2J, back\x08\x08, \rover, \x7f."
SHOWN = r"\x1b]0;title\x07"
# Tabs, and line ends as a terminal has them; an answer of our own may stand at the start of a line.
ALLOWED = re.compile(r"\r+\n|\t")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = tmp_path / "texts"
    texts.mkdir()
    text = f"# Head {EVIL}\n\nHigh water is at six {EVIL}\n\n" * 3
    (texts / "a\x1b[31mb\x07.md").write_text(text, encoding="utf-8", newline="")
    (texts / "tides.md").write_text(text, encoding="utf-8", newline="")
    Index.build(texts)
    return texts


def on_a_terminal(*arguments: str | Path) -> tuple[str, int]:
    """What Python shows on a terminal, and its exit code."""
    ours, its = pty.openpty()
    plain = {**os.environ, "TERM": "dumb"}  # no bars of progress, which move the cursor themselves
    process = subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=its,
        stderr=its,
        env=plain,
    )
    os.close(its)
    data = b""
    while True:
        try:
            some = os.read(ours, 1 << 16)
        except OSError:
            break
        if not some:
            break
        data += some
    os.close(ours)
    return data.decode("utf-8"), process.wait()


LINES = {  # and their exit codes
    "count {evil}": 0,
    "segment {evil}": 0,
    "segment {evil} --json": 0,
    "compress {evil} {plain} -r .9": 0,
    "compress {plain} -r .9 --json": 0,
    "compress {evil} --pin no\x1b[31m": 2,
    "compress gone\x1b[31m.md": 2,
    "compress {plain} --strategy x\x1b[31my": 2,
    "compress {plain} --wrong\x1b[31m": 2,
    "search {folder} water --budget 500": 0,
    "search {folder} water --json": 0,
    "search gone\x1b[31m query": 2,
    "index gone\x1b[31m": 2,
    "expand x --store gone\x1b[31m": 2,
    "compact {evil} -b 100": 2,
    "run -- gone\x1b[31m": 127,
    "no\x1b[31msuch": 2,
}
EACH = """
import json, sys
from tersely.cli import main
for words in json.loads(sys.argv[1]):
    try:
        code = main(words)
    except SystemExit as stop:
        code = stop.code
    print("<", code, ">", sep="", flush=True)
"""


def test_control_characters_are_shown_not_obeyed(folder: Path) -> None:
    places = {"folder": folder, "plain": folder / "tides.md", "evil": folder / "a\x1b[31mb\x07.md"}
    commands = [[word.format(**places) for word in line.split(" ")] for line in LINES]
    shown, _ = on_a_terminal("-c", EACH, json.dumps(commands))
    found = re.findall(r"(.*?)<(\d+)>\r?\n", shown, re.DOTALL)
    assert [int(code) for _, code in found] == list(LINES.values())
    for (said, _), line in zip(found, LINES, strict=True):
        rest = ALLOWED.sub("", said)
        assert printable(rest) == rest, line
        assert r"\x1b" in rest or r"\u001b" in rest, line


def test_what_a_command_wrote_is_shown_as_it_came_and_its_short_form_escaped(
    folder: Path, tmp_path: Path
) -> None:
    script = f"print({'x ' + EVIL!r} * 3); print('word ' * 400)"
    shown, code = on_a_terminal(
        "-m",
        "tersely",
        "run",
        "-b",
        "120",
        "--store",
        tmp_path / "s.sqlite",
        "--",
        sys.executable,
        "-c",
        script,
    )
    live, _, short = shown.partition("word \r\r\n")
    assert code == 0 and "\x1b[31mred" in live
    assert "\x1b" not in short


@pytest.mark.parametrize("command", ["count", "segment", "compress"])
def test_files_and_pipes_get_the_exact_bytes(
    folder: Path, command: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert (
        main([command, str(folder / "a\x1b[31mb\x07.md"), *(["-r", "1"] if command == "compress" else [])])
        == 0
    )
    assert b"\x1b[31m" in capfdbinary.readouterr().out


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("\r\n\t\x1b\x07\x9b")))
def test_printable_text_has_no_control_characters_and_loses_nothing(text: str) -> None:
    shown = printable(text)
    assert all((ord(one) >= 32 and not 127 <= ord(one) < 160) or one in "\n\t\r" for one in shown)
    assert "\r" not in shown.replace("\r\n", "")
    if "\\" not in text:
        assert re.sub(r"\\x(..)", lambda found: chr(int(found[1], 16)), shown) == text


def test_the_commands_write_through_one_module() -> None:
    """So that no text can be printed past `printable` and past the check that it was written."""
    past = re.compile(r"\bprint\(|std(out|err)\.(buffer\.)?write|os\.write")
    for path in Path(cli.__file__).parent.glob("*.py"):
        if path.name != "files.py":
            found = [line for line in path.read_text(encoding="utf-8").splitlines() if past.search(line)]
            allowed = ("bare_stderr()", "(file or sys.stderr).write(message)", 'print("Write this? ')
            assert [line for line in found if not any(one in line for one in allowed)] == [], path
