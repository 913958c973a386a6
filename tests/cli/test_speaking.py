"""The command says what it did, names files, suggests what was meant, and reads other encodings."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import pytest
from tersely.cli import main, terminal
from tersely.cli.main import _COMMANDS, _parser
from tersely.text import decode

TEXT = "The ferry leaves at six. Low water is at noon. Gulls steal chips. The café waits for rain. " * 6
DONE = re.compile(
    r"^tersely: [\d,]+ tokens to [\d,]+ \(\d+%; budget [\d,]+\) in [\d.]+ m?s, loading included: "
    r"\d+ of \d+ segments kept, read as prose; gaps are not marked\n$"
)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "tides.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_one_line_says_what_was_done_unless_quiet(
    page: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["compress", str(page), "-q", "low water", "-b", "20"]) == 0
    said = capfd.readouterr()
    assert DONE.match(said.err), said.err
    assert said.out.endswith("\n")
    for watched in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda watched=watched: watched, raising=False)
        assert main(["compress", str(page), "-b", "20", "--quiet"]) == 0
        assert capfd.readouterr().err == ""
    monkeypatch.undo()
    assert main(["compress", str(page), "-b", "20", "--json"]) == 0
    assert capfd.readouterr().err == ""  # the receipt says it


def test_the_time_is_that_of_the_process(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["compress", str(page), "-b", "20"], started=time.perf_counter() - 7) == 0
    assert float(capfd.readouterr().err.partition(" in ")[2].partition(" s, loading")[0]) >= 7


def test_it_says_where_nothing_says_that_something_is_left_out(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, text in (
        ("a.txt", TEXT),
        ("b.txt", "Milk is in the fridge.\n" * 3),
        ("c.csv", "n,m\n" + "1,2\n" * 400),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    names = [str(tmp_path / name) for name in ("a.txt", "b.txt", "c.csv")]
    assert main(["compress", *names, "-q", "low water", "-b", "70"]) == 0
    said = capfd.readouterr().err.partition("\n")[0]
    assert f"; nothing left of {names[1]}" in said and said.endswith(f"; gaps not marked in {names[0]}")
    assert main(["compress", names[2], "-b", "60"]) == 0
    assert "not marked" not in capfd.readouterr().err


def test_it_says_where_tokens_are_an_estimate(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for model, said in (
        ("claude-sonnet-4-5", "an estimate for claude-sonnet-4-5\n"),
        ("gpt-4o", "as prose; gaps are not marked\n"),
    ):
        assert main(["compress", str(page), "-b", "20", "-c", model, "--preserve", "numbers, names"]) == 0
        assert capfd.readouterr().err.endswith(said)


def test_each_file_stands_under_its_name_and_the_budget_holds(
    page: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "harbour.txt"
    other.write_text("The harbour opens at seven. Permits cost nine crowns. " * 9, encoding="utf-8")
    given = ["compress", str(page), str(other), "-q", "low water and permits"]
    for budget in (80, 200, 5000):
        assert main([*given, "-b", str(budget), "--counter", "chars/4"]) == 0
        out = capfd.readouterr().out.removesuffix("\n")
        assert out.startswith(f"==> {page} <==\n") and f"\n\n==> {other} <==\n" in out
        assert -(-len(out) // 4) <= budget
    assert main([*given, "-b", "60", "--counter", "chars/4", "--no-labels", "--strategy", "extractive"]) == 0
    assert "==>" not in capfd.readouterr().out


def test_names_are_left_out_where_there_is_no_room(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["compress", str(page), str(page), "-b", "12"]) == 0
    out = capfd.readouterr().out
    assert "==>" not in out and out.strip() in TEXT


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["--versoin"], "'--version'"),
        (["compres", "x"], "'compress'"),
        (["version"], "'--version'"),
        (["serve"], "'tersely mcp --http'"),
        (["doctor"], "'tersely hook doctor'"),
        (["--budget", "100"], "'tersely compress --budget 100'"),
        (["--budgt=9", "a b"], "'tersely compress --budget=9 'a b''"),
        (["--wrap", "--", "x"], "'tersely mcp --wrap -- x'"),
        (["/", "-b", "9"], "'tersely compress / -b 9'"),
        (["-", "-b", "9"], "'tersely compress - -b 9'"),
        (["compress", "x", "--strategy", "extractiv"], "'extractive'"),
        (["compress", "x", "--as", "jason"], "'json'"),
    ],
)
def test_what_was_meant_is_suggested(
    arguments: list[str], meant: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert f"did you mean {meant}?" in capfd.readouterr().err


@pytest.mark.parametrize("command", _COMMANDS)
def test_any_option_before_its_command_is_shown_behind_one_that_has_it(
    command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    own = _parser("").options
    for option in set(_parser(command).commands[command].options) - set(own):
        with pytest.raises(SystemExit):
            main([option, "1"])
        found = re.search(rf"did you mean 'tersely (\w+) {option} 1'", capfd.readouterr().err)
        assert found and option in _parser(found[1]).commands[found[1]].options


def test_alone_it_shows_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "examples:" in capfd.readouterr().out


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "windows-1252"])
def test_other_encodings_are_noticed_and_told(
    page: Path, encoding: str, capfd: pytest.CaptureFixture[str]
) -> None:
    page.write_bytes(TEXT.encode(encoding))
    assert main(["compress", str(page), "--ratio", "1", "--json"]) == 0
    said = capfd.readouterr()
    assert json.loads(said.out)["text"].strip() == TEXT.strip()
    assert said.err == f"tersely: note: {page} is read as {encoding}; --encoding says another\n"


def test_an_encoding_that_is_named_is_taken(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page.write_bytes("Привет, мир. Как дела?".encode("koi8-r"))
    assert main(["segment", str(page), "--encoding", "koi8-r"]) == 0
    said = capfd.readouterr()
    assert "Привет, мир." in said.out and said.err == ""
    page.write_bytes(b"\xff\xff")
    assert main(["count", str(page), "--encoding", "utf-8"]) == 2
    assert "is not utf-8 text: byte 0xff at 0" in capfd.readouterr().err


@pytest.mark.parametrize("text", ["", "a", "é", "a\0b", "\ufeffmarked", "文档" * 40, "x" * 9000])
def test_utf8_is_never_taken_for_something_else(text: str) -> None:
    assert decode(text.encode()) == (text, None)


def test_a_terminal_is_told_that_work_goes_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(terminal, "_PATIENCE", 0.01)
    with terminal.show_waiting("compressing 9 characters"):
        time.sleep(0.1)
    assert "compressing 9 characters, 0 s" in capfd.readouterr().err
    monkeypatch.setattr(terminal, "_PATIENCE", 60.0)
    with terminal.show_waiting("nothing to say"):
        pass
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compress", "x", "--qery", "y"], "unknown arguments: --qery y; did you mean '--query'?"),
        (["compress", "x", "--budgt=5"], "unknown arguments: --budgt=5; did you mean '--budget'?"),
        (["compress", "x", "-b", "many"], "argument -b/--budget: must be a whole number, not 'many'"),
        (["compress", "x", "-r", "half"], "argument -r/--ratio: must be a number, not 'half'"),
        (["expand"], "the following arguments are required: ID"),
        (["compress", "-b", "9", "-r", "0.5"], "argument -r/--ratio: not allowed with argument -b/--budget"),
        (["count", "--encoding", "morse"], "argument --encoding: "),
        (["count", "-c", "x"], "argument -c/--counter: "),
    ],
)
def test_a_mistake_is_one_line_in_plain_words(
    arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    prog = f"tersely {arguments[0]}"
    said = capfd.readouterr().err
    assert said.startswith(f"usage: see {prog} --help\n{prog}: error: {message}") and said.count("\n") == 2


@pytest.mark.parametrize("command", _COMMANDS)
def test_the_help_of_each_command_has_examples(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "examples:\n" in capfd.readouterr().out


def test_a_history_says_what_was_done_unless_quiet(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    history = tmp_path / "history.json"
    history.write_text(
        json.dumps([{"role": "user", "content": f"Fix E{n} in part{n}.py."} for n in range(60)])
    )
    assert main(["compact", str(history), "-b", "300"]) == 0
    assert re.fullmatch(
        r"tersely: [\d,]+ tokens to \d+ \(\d+%; budget 300\): \d+ of 60 messages, \d+ facts left out\n",
        capfd.readouterr().err,
    )
    assert main(["compact", str(history), "-b", "300", "--quiet"]) == 0
    assert capfd.readouterr().err == ""


def test_help_is_a_command_too(capfd: pytest.CaptureFixture[str]) -> None:
    for arguments, first in ((["help"], "usage: tersely "), (["help", "count"], "usage: tersely count ")):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code in (0, None)
        assert capfd.readouterr().out.startswith(first)


def test_warnings_are_sentences(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["compress", str(page), "-b", "20", "--as", "json"]) == 0
    assert "tersely: note: It is not valid JSON, so it was compressed as text.\n" in capfd.readouterr().err


def test_an_empty_input_is_told(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page.write_bytes(b"")
    assert main(["compress", str(page), "-b", "20"]) == 0
    assert capfd.readouterr().err.startswith("tersely: note: the input is empty\n")


@pytest.mark.parametrize("command", ["compact {} -b 9", "audit {}"])
def test_a_history_is_one_file(command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("[]")
    assert main(command.format(tmp_path).split()) == 2
    assert "holds 2 files, and a history is one" in capfd.readouterr().err


def test_a_question_among_the_files_is_told_where_it_goes(
    page: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["compress", str(page), "When is low water?", "-b", "20"]) == 2
    assert capfd.readouterr().err == (
        "tersely: there is no file 'When is low water?'; a question goes after --query\n"
    )


def test_a_bad_byte_in_a_file_of_utf_8_is_replaced_and_told_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(TEXT.encode() + b"\nERROR caf\xe9\n" + TEXT.encode())
    for command in (["compress", str(log), "-b", "60"], ["count", str(log)], ["segment", str(log)]):
        assert main(command) == 0
        said = capfd.readouterr()
        assert said.err.count("has bytes that are no UTF-8 (U+FFFD stands for them)") == 1
        assert "another encoding" not in said.err
    assert main(["compress", str(log), "-b", "60", "--json", "-q", "ERROR"]) == 0
    result = json.loads(capfd.readouterr().out)
    assert result["receipt"]["warnings"] == ["segments_cut", "characters_replaced"]
    assert "ERROR caf\ufffd" in result["text"]
