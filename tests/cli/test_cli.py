"""What the commands write: results, tables, pages, histories, what a store has."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tersely
from tersely.cli import compress as cli_compress, main
from tersely.memory import compact_messages
from tersely.models.counters import resolve_counter
from tersely.report import to_html
from tersely.store import Store
from tersely.types import Document

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
        (["compress", "{page}", "--report", "/nowhere/x", "--quiet"], 2, "tersely: cannot write /nowhere/x"),
        (["count", "{picture}"], 2, "tersely: {picture} is not UTF-8 text: byte 0xff at 2"),
    ],
)
def test_errors_are_one_line_without_a_traceback(
    page: Path, arguments: list[str], code: int, message: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    picture = page.with_name("picture")
    picture.write_bytes(b"ab\xff\xfe")
    assert main([argument.format(page=page, picture=picture) for argument in arguments]) == code
    out, err = capfdbinary.readouterr()
    assert out == b"" or "--report" in arguments
    assert err.decode().startswith(message.format(picture=picture))
    assert err.count(b"\n") == 1


def test_warnings_go_to_stderr(page: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["compress", str(page), "--query", "zebra", "--budget", "12", "--quiet"]) == 0
    assert capfdbinary.readouterr().err == (
        b"tersely: note: No word of the query is in the text, which was compressed as without a query.\n"
    )


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


TIDES = "# Tides\n\nHigh water is at six. The ferry waits. Ägir rules the sea. Low water is at noon.\n"


def test_the_page_is_written_beside_the_text(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source, page = tmp_path / "tides.md", tmp_path / "page.html"
    source.write_text(TIDES, encoding="utf-8")
    assert main(["compress", str(source), "-q", "low water", "-b", "12", "--report", str(page)]) == 0
    result = tersely.compress([Document(TIDES, id=str(source))], "low water", budget=12, strategy="auto")
    assert capfdbinary.readouterr().out.decode() == result.text + "\n"
    assert page.read_bytes().decode() == to_html(result, "low water")


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


def kept(page: Path, store: Path, capfd: pytest.CaptureFixture[str]) -> str:
    assert main(["compress", str(page), str(page), "--budget", "12", "--store", str(store)]) == 0
    out, err = capfd.readouterr()
    assert out and out.strip() not in err
    found = re.search(r"tersely expand ([0-9a-f]{32}) --store (\S+)", err)
    assert found and found.group(2) == str(store)
    return found.group(1)


def test_what_was_kept_is_expanded(
    page: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "texts.sqlite"
    id = kept(page, store, capfd)
    target = tmp_path / "out.md"
    assert main(["expand", id, "--store", str(store), "--document", "1", "-o", str(target)]) == 0
    assert target.read_bytes() == TEXT.encode()
    monkeypatch.setenv("TERSELY_STORE", str(store))
    capfd.readouterr()
    assert main(["expand", id]) == 0
    assert main(["expand", f"{id}@2", "--version", "1"]) == 1  # a version is one of an id
    assert "nothing is stored" in capfd.readouterr().err


def test_expand_says_what_is_wrong(
    page: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TERSELY_STORE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = tmp_path / "texts.sqlite"
    id = kept(page, store, capfd)
    for arguments, code, words in (
        (["x"], 2, "Pass --store FILE, or set TERSELY_STORE"),
        (["x", "--store", str(tmp_path / "none")], 2, "there is no store"),
        (["x", "--store", str(page)], 2, "not a database"),
        (["x", "--store", str(store)], 1, "nothing is stored under the id 'x'"),
        ([id, "--store", str(store), "--document", "2"], 2, "document 2 of 2"),
    ):
        assert main(["expand", *arguments]) == code
        out, err = capfd.readouterr()
        assert out == "" and words in err
    assert not (tmp_path / "none").exists()


def test_masked_originals_are_printed_only_when_asked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "texts.sqlite"
    with Store.open(path, mask_secrets=True) as store:
        store.put("password=hunter22", id="a")
    assert main(["expand", "a", "--store", str(path)]) == 1
    assert "secrets were masked" in capfd.readouterr().err
    assert main(["expand", "a", "--store", str(path), "--masked"]) == 0
    assert capfd.readouterr().out == "password=[masked: password]"


def test_json_says_under_which_id_the_original_is_kept(
    page: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "texts.sqlite"
    assert main(["compress", str(page), "-b", "20", "--json", "--store", str(store)]) == 0
    told = json.loads(capfd.readouterr().out)
    assert main(["expand", told["id"], "--store", str(store)]) == 0
    assert capfd.readouterr().out == page.read_bytes().decode("utf-8")


def history(count: int = 30) -> list[dict[str, Any]]:
    roles = ("user", "assistant")
    return [
        {"role": roles[n % 2], "content": f"Message {n} about src/part_{n}.py, and much more besides. " * 8}
        for n in range(count)
    ]


def compact(folder: Path, content: str, *more: str, budget: int = 600) -> tuple[int, str]:
    (folder / "history.json").write_text(content, encoding="utf-8")
    arguments = [
        "compact",
        str(folder / "history.json"),
        "--budget",
        str(budget),
        "-o",
        str(folder / "out"),
        *more,
    ]
    code = main(arguments)
    out = folder / "out"
    return code, out.read_text(encoding="utf-8") if out.exists() else ""


def test_a_list_of_messages(tmp_path: Path) -> None:
    code, text = compact(tmp_path, json.dumps(history()), "--counter", "cl100k_base")
    assert code == 0
    assert json.loads(text) == compact_messages(history(), budget=600, counter="cl100k_base").messages


def test_a_request_keeps_its_other_keys_and_its_tools_count(tmp_path: Path) -> None:
    request = {"model": "m", "messages": history(), "tools": [{"name": "grep", "description": "search"}]}
    code, text = compact(tmp_path, json.dumps(request), "--report", str(tmp_path / "report.json"))
    made = json.loads(text)
    assert code == 0 and (made["model"], made["tools"]) == ("m", request["tools"])
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    expected = compact_messages(history(), budget=600, tools=request["tools"])
    assert report == expected.to_dict() and made["messages"] == expected.messages


def test_json_lines_stay_json_lines(tmp_path: Path) -> None:
    code, text = compact(tmp_path, "\n".join(map(json.dumps, history())))
    assert code == 0
    assert [json.loads(line) for line in text.splitlines()] == compact_messages(
        history(), budget=600
    ).messages


@pytest.mark.parametrize("between", [",", "\n"])
def test_half_a_character_comes_back_as_the_escape_that_came(tmp_path: Path, between: str) -> None:
    messages = [{"role": "user", "content": "half \ud83d of é", "\udc80": 1}, *history()]
    written = between.join(map(json.dumps, messages))
    code, text = compact(tmp_path, f"[{written}]" if between == "," else written, budget=100_000)
    read = json.loads(text) if between == "," else [json.loads(line) for line in text.splitlines()]
    assert code == 0 and read == messages and "of é" in text


def test_pins_and_the_newest_stay(tmp_path: Path) -> None:
    code, text = compact(tmp_path, json.dumps(history()), "--pin", "part_7.py", "--keep-last", "2")
    messages = json.loads(text)
    assert code == 0 and history()[7] in messages and messages[-2:] == history()[-2:]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("nonsense", "is not JSON"),
        ("", "is empty, and must be JSON: a list of messages"),
        ('{"a": 1}', "message 1, {'a': 1}, has no role"),
        ("[3]", "messages[0] must be a mapping with a role"),
        ('{"role": "x"}\n{}', "message 2, {}, has no role"),
    ],
)
def test_what_is_no_history_is_refused(
    tmp_path: Path, content: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compact(tmp_path, content, budget=5)[0] == 2
    assert (err := capsys.readouterr().err).startswith("tersely: ") and said in err


def test_what_does_not_fit_is_exit_code_1(tmp_path: Path) -> None:
    assert compact(tmp_path, json.dumps(history()), "--keep-last", "20")[0] == 1


def test_a_pin_that_no_message_has_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compact(tmp_path, json.dumps(history()), "--pin", "Message 3 ", "--pin", "never restart")[0] == 2
    assert capsys.readouterr().err == "tersely: --pin: 'never restart' occurs in no message\n"
