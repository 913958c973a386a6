"""`tersely ab` and `tersely mcp` on the command line, over an index."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
import httpx2
import mcp
from list_retriever import SUBJECTS, ListRetriever, chunk
from sample_texts import NOTE
from tersely.cli import main
from tersely.cli.mcp import TOKEN
from tersely.mcp.ab import compare
from tersely.mcp.query_tools import QueryTools
from tersely.retrieval.index import Index
from tersely.store import Store

QUESTIONS = [
    {"query": "How often do tokens rotate?", "answers": ["EVERY 24  hours", "daily"]},
    {"query": "Where are keys kept?", "answers": ["the vault of the operations team"]},
    {"query": "Who sings?", "answers": ["nobody knows"]},
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an index: a page a subject, three times, but for white space."""
    docs = tmp_path_factory.mktemp("docs")
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


def test_both_tools_answer_the_same_questions(
    index: Path, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ab", "--index", str(index), str(questions), "--top-n", "10"]) == 0
    head, full, compressed = capsys.readouterr().out.splitlines()
    assert head.startswith("3 questions") and full.startswith("query_documents ")
    assert full.split()[1:3] == compressed.split()[1:3] == ["2", "(66.7%)"]
    tokens = [int(line.split()[-1].replace(",", "")) for line in (full, compressed)]
    assert tokens[1] < tokens[0]


def test_duplicates_make_room_for_an_answer() -> None:
    copies = [chunk(f"c{row}", 0.9, "Tokens rotate every 24 hours.") for row in range(5)]
    tools = QueryTools(ListRetriever([*copies, chunk("last", 0.5, "Keys live in the vault.")]))
    found = compare(tools, [{"query": "where?", "answers": ["the vault"]}])
    assert (found["full"], found["compressed"], found["only_compressed"]) == (0, 1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no questions"),
        ("{", "line 1 is not JSON"),
        ("[]", "each line must be an object"),
        ('{"answers": ["y"]}', "the query of question 1 must be str"),
        ('{"query": "x"}', 'question 1 must have a "query" and "answers"'),
        ('{"query": "x", "answers": [""]}', 'question 1 must have a "query" and "answers"'),
        ('{"query": "x", "answers": "y"}', "the answers of question 1 must be a list of str, not one str"),
    ],
)
def test_what_is_no_question_is_named(
    index: Path, questions: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    questions.write_text(text)
    assert main(["ab", "--index", str(index), str(questions)]) == 2
    assert f"{questions}: {message}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--index", "nowhere"], "make one with `tersely index nowhere`"),
        (["--http", "--host", "0.0.0.0"], "needs a bearer token"),
        (["--http", "--token-file", "missing"], "cannot read missing"),
        (["--http", "--port", "70000"], "port must be a whole number from 0 to 65535, not 70000"),
        (["--http", "--port", "{taken}"], "cannot listen on 127.0.0.1, port {taken}: Address already in use"),
        (["--http", "--origin", "example.org"], "an origin must be like"),
        (["--base-url", "http://localhost:1"], "--model and --base-url go with --store"),
        (["--store", "{taken}", "--model", "some-model"], "needs a key in OPENAI_API_KEY"),
    ],
)
def test_mcp_says_what_is_wrong(
    index: Path,
    tmp_path: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", TOKEN):
        monkeypatch.delenv(name, raising=False)
    folder = [] if arguments[0] == "--index" else ["--index", str(index)]
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        given = [argument.format(taken=taken) for argument in arguments]
        assert main(["mcp", *folder, *given]) == 2
    out, err = capsys.readouterr()
    assert message.format(taken=taken) in err and out == ""
    assert "serving" not in err


def test_mcp_serves_a_real_index_and_a_memory_over_standard_input(index: Path, tmp_path: Path) -> None:
    options = ["--index", str(index), "--store", str(tmp_path / "context.sqlite")]
    command = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "tersely", "mcp", *options], env=dict(os.environ)
    )
    memory = [
        ("store_context_segment", {"text": NOTE, "segment_id": "note"}),
        ("compress_context_segment", {"segment_ids": ["note"]}),
        ("compress_and_stash", {"segment_id": "note"}),
        ("search_stash", {"query": "credentials that are no longer valid"}),  # none of its words
    ]

    async def run() -> list[Any]:
        with Path(os.devnull).open("w") as quiet:
            async with mcp.Client(mcp.stdio_client(command, errlog=quiet)) as client:
                arguments = {"query": "how are tokens rotated?", "top_n": 3}
                full = await client.call_tool("query_documents", arguments)
                small = await client.call_tool("query_documents_compressed", arguments)
                first = small.structured_content["results"][0]
                whole = await client.call_tool("expand_chunk", {"chunk_id": first["chunk_id"]})
                outside = await client.call_tool("expand_chunk", {"chunk_id": "../../../etc/passwd#0"})
                replies = [await client.call_tool(name, given) for name, given in memory]
                return [full.structured_content, small.structured_content, whole, outside, replies]

    full, small, whole, outside, replies = anyio.run(run)
    assert len({one["content"].split("\n")[0] for one in full["results"]}) == 1  # the same page three times
    assert len({one["content"].split("\n")[0] for one in small["results"]}) == len(small["results"])
    assert small["results"][0]["score"] == 1.0 and small["compression_stats"]["clusters_merged"] > 0
    assert whole.structured_content["content"] == small["results"][0]["content"]
    assert outside.is_error and "there is no chunk" in outside.content[0].text
    assert replies[1].structured_content["total_tokens_saved"] > 0
    assert replies[3].structured_content["results"][0]["segment_id"] == "note"  # by meaning
    with Store.open(tmp_path / "context.sqlite") as store:
        assert store.get("note").text != NOTE == store.expand("note")


@pytest.mark.slow
def test_mcp_serves_over_http_with_a_token_from_a_file(index: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("correct-horse-battery\n")
    command = [sys.executable, "-m", "tersely", "mcp", "--index", str(index), "--http", "--port", "0"]
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"accept": "application/json, text/event-stream"}
    with (
        subprocess.Popen(
            [*command, "--token-file", str(tmp_path / "token")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as server,
        httpx2.Client() as client,
    ):
        try:
            assert server.stderr and server.stdout
            said = re.fullmatch(r"tersely: serving (http://127\.0\.0\.1:\d+)/mcp\n", server.stderr.readline())
            assert said
            refused = client.post(f"{said[1]}/mcp", json=ping, headers=headers)
            headers["authorization"] = "Bearer correct-horse-battery"
            welcome = client.post(f"{said[1]}/mcp", json=ping, headers=headers)
            text = {"text": "Keys rotate. " * 90 + "ERROR payment 4711", "budget": 30}
            short = client.post(f"{said[1]}/compress", json=text, headers=headers)
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(30) in (0, 130) and server.stdout.read() == ""
    assert (refused.status_code, welcome.status_code, short.status_code) == (401, 200, 200)
    assert "4711" in short.json()["text"]
