"""Every subcommand with every kind of bad input: no traceback, a documented exit code, what came is named."""

from __future__ import annotations

import contextlib
import io
import json
import os
import socket
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from tersely import compress
from tersely.cli import main
from tersely.cli.main import _COMMANDS
from tersely.retrieval.index import Index
from tersely.store import Store
from tersely.text import parse_json

DEEP = 100_000
CONTENTS: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b"\n \n",
    "brackets": b"[" * DEEP,
    "braces": b'{"a":' * DEEP,
    "deep": b"[" * DEEP + b"]" * DEEP,
    "deep-message": b'[{"role": "user", "content": ' + b"[" * 800 + b"]" * 800 + b"}]",
    "deep-line": b'{"query": "q", "role": "user", "text": "t", "answers": '
    + b"[" * 5000
    + b"]" * 5000
    + b"}\n",
    "long-number": b'[{"role": "user", "content": ' + b"9" * 5000 + b"}]",
    "large-number": b'{"role": "user", "query": "q", "answer": "a", "text": 1e999}',
    "nan": b'{"role": "user", "content": "a", "query": "q", "answer": "a", "model": NaN}',
    "twice": b'{"role": "user", "content": "a", "content": "b"}',
    "no-object": b'"text"',
    "numbers": b"[1, 2]",
    "surrogate": b'[{"role": "user", "content": "\\ud800"}]',
    "no-utf8": b"\x80\x81\xfe\xff" * 40,
    "zeros": b"\0" * 100,
    "half-gzip": b"\x1f\x8b\x08\0",
    "sqlite": b"SQLite format 3\0" + b"\xff" * 200,
}
PLACES = ("folder", "pipe", "missing")
COMMANDS = {
    "compress": "compress {bad} -b 100",
    "compress-json": "compress {bad} -b 100 --as json --json",
    "segment": "segment {bad}",
    "count": "count {bad}",
    "compact": "compact {bad} -b 100",
    "compact-tools": "compact {history} -b 100 --tools {bad}",
    "audit": "audit {bad} {history}",
    "audit-after": "audit {history} {bad}",
    "audit-alone": "audit {bad}",
    "ab": "ab --index {index} {bad}",
    "ab-index": "ab --index {bad} {questions}",
    "doctor": "hook doctor --store {bad}",
    "expand": "expand 5891b5 --store {bad}",
    "index": "index {bad}",
    "index-check": "index --check {bad}",
    "search": "search {bad} query",
    "mcp-index": "mcp --index {bad}",
    "mcp-store": "mcp --store {bad} --http --port {port}",  # of another server, so that it does not go on
    "mcp-token": "mcp --token-file {bad} --http --port {port}",
    "batch-status": "batch {texts} {bad} --status",
    "dedup-status": "dedup {texts} {bad} --status",
    "run-store": "run --store {bad} -b 5 -- echo one two three four five six seven",
}
WORKING = {  # those that start workers, so a few inputs for each
    "batch": "batch {bad} {out} --workers 1",
    "dedup": "dedup {bad} {out} --workers 1",
}


@pytest.fixture
def given(tmp_path: Path) -> Iterator[dict[str, object]]:
    """Files that are right, and a port that is taken."""
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "tide.md").write_text("# Tide\n\nHigh water is at six. Low water is at noon.\n")
    (tmp_path / "history.json").write_text('[{"role": "user", "content": "hello"}]')
    (tmp_path / "questions.jsonl").write_text('{"query": "tide", "answers": ["six"]}\n')
    with Store.open(tmp_path / "store.sqlite") as store:
        store.keep(compress("One. Two.", budget=2))
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield {
            "port": server.getsockname()[1],
            "texts": texts,
            "index": Index.build(texts, tmp_path / "index").folder,
            "history": tmp_path / "history.json",
            "questions": tmp_path / "questions.jsonl",
            "store": tmp_path / "store.sqlite",
        }


@contextlib.contextmanager
def bad_file(tmp_path: Path, kind: str) -> Iterator[Path]:
    """A file of a kind of bad input; a pipe has a writer that writes nothing."""
    path = tmp_path / f"bad-{kind}.jsonl"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
        writer = threading.Thread(target=lambda: path.open("wb").close(), daemon=True)
        writer.start()
    elif kind != "missing":
        path.touch(0o600)
        path.write_bytes(CONTENTS[kind])
    yield path


def check(
    line: str,
    kinds: Iterable[str],
    given: dict[str, object],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Run a command with each kind of bad file; each has an output of its own."""
    for kind in kinds:
        with bad_file(tmp_path, kind) as path:
            words = given | {"bad": path, "out": tmp_path / f"out-{kind}"}
            code = main([word.format(**words) for word in line.split()])  # raises nothing
        said = capfd.readouterr().err
        assert code in (0, 1, 2), (kind, said)
        assert "Traceback" not in said, (kind, said)
        if code:  # the file, or what in it
            named = (path.name[:10], "messages[0]", "the tools", "5891b5", f"port {given['port']}")
            assert any(name in said for name in named), (kind, said)
            assert len(said) < 1000, (kind, said)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names")
@pytest.mark.parametrize("command", COMMANDS)
def test_bad_files(
    command: str, given: dict[str, object], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    check(COMMANDS[command], [*CONTENTS, *PLACES], given, tmp_path, capfd)


@pytest.mark.parametrize("command", WORKING)
def test_bad_rows_of_a_corpus(
    command: str, given: dict[str, object], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kinds = ["brackets", "twice", "no-utf8", "zeros", "half-gzip", "nothing", "folder", "missing"]
    check(WORKING[command], kinds, given, tmp_path, capfd)


@pytest.mark.parametrize("kind", CONTENTS)
def test_a_hook_answers_whatever_comes(
    kind: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = CONTENTS[kind] + b" " * 3000
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert main(["hook"]) == 0
    assert json.loads(capfd.readouterr().out) == {}


def test_every_subcommand_is_here() -> None:
    started = {line.split()[0] for line in [*COMMANDS.values(), *WORKING.values()]}
    assert started | {"hook"} == set(_COMMANDS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "x: lists and objects are nested too deeply; 500 levels are allowed"),
        ('{"a": {"b": 1, "c": 2, "b": 3}}', "x is not JSON: an object has the key 'b' twice"),
        ("[NaN]", "x is not JSON: NaN is no number of JSON"),
        ("[-Infinity]", "x is not JSON: -Infinity is no number"),
        ("[1e400]", "x is not JSON: 1e400 is no number"),
        ("[" + "9" * 5000 + "]", "x is not JSON: .*4300 digits"),
        ("", "x is not JSON: Expecting value"),
        (b"\xff\xff", "x is not JSON: .*codec"),
    ],
)
def test_what_is_no_json_is_named(text: str | bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_json(text, "x")


def test_json_that_is_nested_as_deep_as_is_allowed_is_read() -> None:
    assert parse_json("[" * 500 + "]" * 500, "x") is not None
    assert parse_json('{"a": [1.5, -0, 1e308, null, "\\u00e9"]}', "x") == {"a": [1.5, 0, 1e308, None, "é"]}
