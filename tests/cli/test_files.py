"""Files in, streams and terminals out."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import cli
from tersely.cli import main
from tersely.cli.arguments import utf8_text
from tersely.cli.terminal import printable
from tersely.file_text import file_text, read_path
from tersely.retrieval.index import Index

SAID = "The board approved 4,200 euros."


def notebook() -> bytes:
    picture = {"image/png": "iVBORw0KGgo" * 50, "text/plain": ["<Figure size 640x480>"]}
    cells = [
        {"cell_type": "markdown", "id": "a1b2c3", "metadata": {}, "source": ["# Costs\n", SAID]},
        {
            "cell_type": "code",
            "id": "d4e5f6",
            "execution_count": 7,
            "metadata": {"tags": ["hidden"]},
            "source": "print(total)\nfence = '''\n```\n'''",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["4200\n"]},
                {"output_type": "display_data", "data": picture, "metadata": {}},
                {
                    "output_type": "error",
                    "ename": "KeyError",
                    "evalue": "'euro'",
                    "traceback": ["\x1b[0;31mTraceback\x1b[0m", "KeyError: 'euro'"],
                },
            ],
        },
    ]
    about = {"kernelspec": {"language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}).encode()


def word() -> bytes:
    document = pytest.importorskip("docx").Document()
    document.add_heading("Report", 0)
    document.add_heading("Costs", 2)
    document.add_paragraph(SAID)
    document.add_paragraph("in May", style="List Bullet")
    table = document.add_table(2, 2)
    for at, text in enumerate(["item", "euros", "roof", "4,200"]):
        table.cell(at // 2, at % 2).text = text
    document.save(packed := io.BytesIO())
    return packed.getvalue()


def pdf(text: str = SAID) -> bytes:
    """A page with one line of text, as the format's own specification shows it."""
    pytest.importorskip("pypdf")
    shown = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    data, starts = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        starts.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    entries = b"".join(b"%010d 00000 n \n" % start for start in starts)
    table = b"xref\n0 6\n0000000000 65535 f \n" + entries
    return data + table + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(data)


FORMS = {"costs.ipynb": notebook, "costs.docx": word, "costs.pdf": pdf}


def test_a_notebook_is_its_cells_and_what_they_wrote() -> None:
    text = file_text("costs.ipynb", notebook())
    assert text == (
        f"# Costs\n{SAID}\n\n````python\nprint(total)\nfence = '''\n```\n'''\n````\n\n```\n4200\n```\n\n"
        "```\n<Figure size 640x480>\n```\n\n```\nTraceback\nKeyError: 'euro'\n```"
    )
    assert file_text("costs.ipynb", b"no notebook") is None and file_text("costs.md", notebook()) is None


def test_word_is_markdown() -> None:
    text = file_text("COSTS.DOCX", word())
    table = "| item | euros |\n| --- | --- |\n| roof | 4,200 |"
    assert text == f"# Report\n\n## Costs\n\n{SAID}\n\n- in May\n\n{table}"


def test_word_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tersely.file_text._MOST_BYTES", 1000)
    with pytest.raises(ValueError, match=r"costs\.docx cannot be read: .*unpacks to more than 1,000 bytes"):
        file_text("costs.docx", word())


@pytest.mark.parametrize("target", ["SYSTEM 'other.txt'", "SYSTEM 'file:///etc/hostname'", "'in the open'"])
@pytest.mark.parametrize("part", ["word/document.xml", "word/styles.xml"])
def test_word_with_entities_of_its_own_is_refused_not_read_in_part(target: str, part: str) -> None:
    head = f"<!DOCTYPE any [<!ENTITY other {target}>]>".encode()
    start = b"<w:" + part[5:-4].encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(word())) as before, zipfile.ZipFile(packed, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == part:
                data = data.replace(start, head + start, 1).replace(b"The board", b"&other;The board")
            after.writestr(name, data)
    with pytest.raises(ValueError, match=r"costs\.docx cannot be read: .*a document type of its own"):
        file_text("costs.docx", packed.getvalue())


@pytest.mark.parametrize("name", FORMS)
def test_every_door_for_files_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / name).write_bytes(FORMS[name]())
    assert SAID in read_path(folder / name).text
    command = ["compress", "--quiet", "--budget", "30", "-q", "What did the board approve?"]
    for asked in (str(folder / name), str(folder), f"{folder}/*{name[-4:]}"):
        assert main([*command, asked]) == 0
        out, err = capsys.readouterr()
        assert SAID in out and err == ""
    assert Index.build(folder, tmp_path / "index").search("board approved")[0].content.count(SAID) == 1


@pytest.mark.parametrize(
    ("name", "data", "whole"),
    [
        ("costs.pdf", pdf, True),
        ("costs.pdf", lambda: pdf(""), False),
        ("costs.docx", word, True),
        ("costs.docx", lambda: b"PK", False),
    ],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    data: Callable[[], bytes],
    whole: bool,
) -> None:
    """Damaged, of pictures alone, or without the package that reads it: at the command and in an index."""
    (tmp_path / name).write_bytes(data())
    if whole:
        for module in ("docx", "pypdf"):
            monkeypatch.setitem(sys.modules, module, None)
    assert main(["count", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert name in said and ("pip install 'tersely[documents]'" in said) == whole
    report = Index.build(tmp_path, tmp_path / "index").report
    assert report is not None
    assert [note.reason for note in report.notes] == ["needs_extra" if whole else "no_text"]


@pytest.mark.parametrize("command", ["compress -b 400", "segment", "count"])
def test_folders_and_patterns_stand_for_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    for name in ("a.md", "b/c.log", "b/d.csv", ".hidden.md", "e[1].md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name} says that gates open.\n", encoding="utf-8")
    (tmp_path / "b" / "picture.png").write_bytes(b"\x89PNG\0\0")
    for asked, found in (
        (str(tmp_path), ["a.md", "e[1].md", "b/c.log", "b/d.csv"]),
        (f"{tmp_path}/**/*.md", ["a.md", "e[1].md"]),
        (f"{tmp_path}/e[1].md", ["e[1].md"]),  # a name first of all
    ):
        assert main([*command.split(), asked]) == 0
        out, err = capsys.readouterr()
        told = [name for name in ("a.md", "b/c.log", "b/d.csv", ".hidden.md", "e[1].md") if f"/{name}" in out]
        assert sorted(told or found) == sorted(found)
        assert ("1 of 5 files below" in err) == (asked == str(tmp_path))
    assert main([*command.split(), f"{tmp_path}/*.nothing"]) == 2
    (tmp_path / "empty").mkdir()
    assert main([*command.split(), str(tmp_path / "empty")]) == 2
    assert "there is no file below" in capsys.readouterr().err
    (tmp_path / "empty" / "only.png").write_bytes(b"\x89PNG\0\0")
    assert main([*command.split(), str(tmp_path / "empty")]) == 2
    assert "1 of 1 files below" in capsys.readouterr().err


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
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False, env={**os.environ, **environment}
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
    "compact {history} --budget 500",
    "run -- echo hello",
    "--version",
    "",
)
CLOSED, FULL = (">&-", "Bad file descriptor"), ("> /dev/full", "No space left on device")
LOST = [
    *((command, *to) for command in COMMANDS[:2] for to in ((*CLOSED, ""), (*FULL, "1"), (*FULL, ""))),
    *((command, *(CLOSED if at % 2 else FULL), "1" * (at % 3)) for at, command in enumerate(COMMANDS[2:])),
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
        [sys.executable, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=its, stderr=its, env=plain
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


NAME = "a\nb\x1b[31m\u202ec\x9bd.md"  # of a file: on one line, and shown, wherever it is told


@pytest.mark.parametrize(
    "line",
    [
        "count {name}",
        "segment {name}",
        "compress {name} tides.md -r .9",
        "compress gone{name}",
        "compress tides.md --strategy {name}",
        "compress tides.md {name} -b 1",
        "compact {name} -b 100",
        "audit {name}",
        "expand x --store {name}",
        "search {name} water",
        "index {name}",
        "run -- {name}",
        "hook install codex --project --yes",
        "hook doctor",
    ],
)
def test_names_of_files_are_told_on_one_line(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / NAME
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in (NAME, "tides.md"):
        Path(name).write_text("High water is at six. The ferry waits.\n", encoding="utf-8")
    with contextlib.suppress(SystemExit):
        main([word.format(name=NAME) for word in line.split(" ")])
    said = "".join(capfd.readouterr())
    assert r"\u202ec\x9bd" in said or line == "hook doctor"
    assert not set("\x1b\u202e\x9b") & set(said) and "a\nb" not in said


@pytest.mark.parametrize("command", ["segment", "compress"])
def test_files_and_pipes_get_the_exact_bytes(
    folder: Path, command: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main([command, str(folder / "tides.md"), *(["-r", "1"] if command == "compress" else [])]) == 0
    assert b"\x1b[31m" in capfdbinary.readouterr().out


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("\r\n\t\x1b\x07\x9b\u202e\u2066")))
def test_printable_text_has_no_control_characters_and_loses_nothing(text: str) -> None:
    shown = printable(text)
    assert all((ord(one) >= 32 and not 127 <= ord(one) < 160) or one in "\n\t\r" for one in shown)
    assert "\r" not in shown.replace("\r\n", "") and not set("\u202e\u2066") & set(shown)
    if "\\" not in text:
        assert re.sub(r"\\x(..)|\\u(....)", lambda found: chr(int(found[1] or found[2], 16)), shown) == text


def test_the_commands_write_through_one_module() -> None:
    """So that no text can be printed past `printable` and past the check that it was written."""
    past = re.compile(r"\bprint\(|std(out|err)\.(buffer\.)?write|os\.write")
    for path in Path(cli.__file__).parent.glob("*.py"):
        if path.name != "terminal.py":
            found = [line for line in path.read_text(encoding="utf-8").splitlines() if past.search(line)]
            # what a command that is run writes goes to the terminal as it comes
            allowed = ("(file or sys.stderr).write(message)", 'print("Write this? ', "os.write(show, data)")
            assert [line for line in found if not any(one in line for one in allowed)] == [], path
