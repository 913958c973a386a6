"""`tersely ab` and `tersely mcp` on the command line, over an index."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
import httpx2
import mcp
from list_retriever import SUBJECTS, ListRetriever, chunk
from tersely.cli import main
from tersely.cli.mcp import TOKEN
from tersely.mcp.ab import Question, compare, read_questions
from tersely.mcp.query_tools import QueryTools
from tersely.retrieval.index import Index

QUESTIONS = [
    {"query": "How often do tokens rotate?", "answers": ["EVERY 24  hours", "daily"]},
    {"query": "Where are keys kept?", "answer": "the vault of the operations team"},
    {"query": "Who sings?", "answers": ["nobody knows"]},
]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """The folder of an index: a page a subject, three times, but for white space."""
    docs = tmp_path / "docs"
    for copy in range(3):
        (docs / str(copy)).mkdir(parents=True)
        for row, text in enumerate(SUBJECTS):
            page = f"# Subject {'abcdef'[row]}\n\n{text}\n{'Nothing else is known of it. ' * 8}{' ' * copy}\n"
            (docs / str(copy) / f"{row}.md").write_text(page)
    Index.build(docs)
    return docs / ".tersely"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, QUESTIONS)) + "\n\n")
    return path


def test_b022_both_tools_answer_the_same_questions(
    index: Path, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["ab", "--index", str(index), str(questions), "--top-n", "10"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["questions"], found["full"], found["compressed"]) == (3, 2, 2)
    assert found["compressed_tokens"] < found["full_tokens"]
    assert main(arguments) == 0
    table = capsys.readouterr().out
    assert "query_documents_compressed" in table and table.count("2 (66.7%)") == 2


def test_b022_duplicates_make_room_for_an_answer() -> None:
    copies = [chunk(f"c{row}", 0.9, "Tokens rotate every 24 hours.") for row in range(5)]
    tools = QueryTools(ListRetriever([*copies, chunk("last", 0.5, "Keys live in the vault.")]))
    found = compare(tools, [Question("where?", ("the vault",))])
    assert (found.full, found.compressed, found.only_compressed) == (0, 1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no questions"),
        ("{", "line 1 is not JSON"),
        ('{"query": "x", "answers": ["y"]}\n[]', 'line 2 must have a "query"'),
        ('{"query": "x"}', 'line 1 must have "answers"'),
        ('{"query": "x", "answers": []}', 'line 1 must have "answers"'),
        ('{"query": "x", "answers": [""]}', 'line 1 must have "answers"'),
    ],
)
def test_b022_what_is_no_question_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_questions(text.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--index", "nowhere"], "make one with `tersely index nowhere`"),
        (["--http", "--host", "0.0.0.0"], "needs a bearer token"),
        (["--http", "--token-file", "missing"], "cannot read missing"),
        (["--http", "--port", "70000"], "port must be a whole number from 0 to 65535, not 70000"),
        (["--http", "--port", "{taken}"], "cannot listen on 127.0.0.1, port {taken}: Address already in use"),
        (["--http", "--origin", "example.org"], "an origin must be like"),
        (["--base-url", "http://localhost:1"], "--base-url needs --model"),
        (["--model", "some-model"], "needs a key in OPENAI_API_KEY"),
    ],
)
def test_mcp_says_what_is_wrong(
    index: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", TOKEN):
        monkeypatch.delenv(name, raising=False)
    folder = [] if arguments[0] == "--index" else ["--index", str(index)]
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        given = [argument.format(taken=taken) for argument in arguments]
        assert main(["mcp", *folder, *given]) == 2
    out, err = capsys.readouterr()
    assert message.format(taken=taken) in err and out == ""
    assert "serving" not in err


def test_mcp_serves_a_real_index_over_standard_input(index: Path) -> None:
    command = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "tersely", "mcp", "--index", str(index)]
    )

    async def run() -> list[Any]:
        with Path(os.devnull).open("w") as quiet:
            async with mcp.Client(mcp.stdio_client(command, errlog=quiet)) as client:
                arguments = {"query": "how are tokens rotated?", "top_n": 3}
                full = await client.call_tool("query_documents", arguments)
                small = await client.call_tool("query_documents_compressed", arguments)
                first = small.structured_content["results"][0]
                whole = await client.call_tool("expand_chunk", {"chunk_id": first["chunk_id"]})
                outside = await client.call_tool("expand_chunk", {"chunk_id": "../../../etc/passwd#0"})
                return [full.structured_content, small.structured_content, whole, outside]

    full, small, whole, outside = anyio.run(run)
    assert len({one["content"].split("\n")[0] for one in full["results"]}) == 1  # the same page three times
    assert len({one["content"].split("\n")[0] for one in small["results"]}) == len(small["results"])
    assert small["results"][0]["score"] == 1.0 and small["compression_stats"]["clusters_merged"] > 0
    assert whole.structured_content["content"] == small["results"][0]["content"]
    assert outside.is_error and "there is no chunk" in outside.content[0].text


def test_mcp_serves_over_http_with_a_token_from_a_file(index: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("correct-horse-battery\n")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    command = [sys.executable, "-m", "tersely", "mcp", "--index", str(index), "--http", "--port", port]
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"accept": "application/json, text/event-stream"}
    with (
        subprocess.Popen(
            [*command, "--token-file", str(tmp_path / "token")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as server,
        httpx2.Client() as client,
    ):
        try:
            assert server.stderr and server.stdout
            assert server.stderr.readline() == f"tersely: serving http://127.0.0.1:{port}/mcp\n".encode()
            for _ in range(300):
                with contextlib.suppress(httpx2.ConnectError):
                    refused = client.post(f"http://127.0.0.1:{port}/mcp", json=ping, headers=headers)
                    break
                time.sleep(0.05)
            headers["authorization"] = "Bearer correct-horse-battery"
            welcome = client.post(f"http://127.0.0.1:{port}/mcp", json=ping, headers=headers)
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(30) in (0, 130) and server.stdout.read() == b""
    assert (refused.status_code, welcome.status_code) == (401, 200)
