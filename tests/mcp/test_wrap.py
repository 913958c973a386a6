"""`tersely mcp --wrap`: a real server in another process, a real client, and the proxy between them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
import mcp
from tersely.agents.tool_results import ToolResultCompressor
from tersely.mcp.wrap import ResultFilter
from tersely.models.counters import resolve_counter
from tersely.store import Store

COUNT = resolve_counter(None).count
LOG = "The worker started and wrote a row.\n" * 900 + "ERROR payment 4711 timed out\n"
SERVER = f"""
from mcp.server.mcpserver import MCPServer, Context

server = MCPServer("jobs", instructions="Ask about jobs.")
LOG = {LOG!r}

@server.tool()
def read_log(path: str) -> str:
    "Read a log."
    return LOG

@server.tool()
def rows(count: int) -> list[dict[str, int]]:
    "Rows of a table."
    return [{{"row": row, "twice": 2 * row}} for row in range(count)]

@server.tool()
def broken() -> str:
    "Never works."
    raise ValueError("no such job")

@server.tool()
def read_file(path: str) -> str:
    "Read a file."
    return LOG

@server.resource("jobs://all")
def jobs() -> str:
    return LOG

@server.prompt()
def ask(job: str) -> str:
    return "What became of " + job + "?"

server.run()
"""


@pytest.fixture
def server(tmp_path: Path) -> Path:
    path = tmp_path / "jobs_server.py"
    path.write_text(SERVER)
    return path


def through(server: Path, use: Callable[[Any], Awaitable[None]], *options: str, wrapped: bool = True) -> None:
    """Let a client use a server through the proxy, or without it."""
    command = [sys.executable, str(server)]
    if wrapped:
        store = str(server.with_name("results.sqlite"))
        command = [
            sys.executable,
            "-m",
            "tersely",
            "mcp",
            "--wrap",
            "--store",
            store,
            *options,
            "--",
            *command,
        ]
    parameters = mcp.StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))

    async def run() -> None:
        with anyio.fail_after(60), Path(os.devnull).open("w") as quiet:
            async with mcp.Client(mcp.stdio_client(parameters, errlog=quiet)) as client:
                await use(client)

    anyio.run(run)


def test_results_are_shortened_and_given_back_and_all_else_passes(server: Path) -> None:
    seen: dict[str, Any] = {}

    async def direct(client: Any) -> None:
        seen["tools"] = (await client.list_tools()).tools
        seen["resources"] = await client.list_resources()
        seen["resource"] = await client.read_resource("jobs://all")
        seen["prompt"] = await client.get_prompt("ask", {"job": "a"})
        seen["few"] = await client.call_tool("rows", {"count": 2})
        seen["broken"] = await client.call_tool("broken", {})
        seen["file"] = await client.call_tool("read_file", {"path": "a.py"})

    async def wrapped(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [*(tool.name for tool in seen["tools"]), "expand"]
        for ours, theirs in zip(tools[:-1], seen["tools"], strict=True):
            assert ours == theirs.model_copy(update={"output_schema": None})
        assert await client.list_resources() == seen["resources"]
        assert await client.read_resource("jobs://all") == seen["resource"]
        assert await client.get_prompt("ask", {"job": "a"}) == seen["prompt"]
        assert await client.call_tool("rows", {"count": 2}) == seen["few"]
        assert await client.call_tool("broken", {}) == seen["broken"]
        assert await client.call_tool("read_file", {"path": "a.py"}) == seen["file"]

        short = await client.call_tool("read_log", {"path": "a.log"})
        text = short.content[0].text
        assert not short.is_error and short.structured_content is None
        assert COUNT(text) <= 300 and "ERROR payment 4711 timed out" in text
        assert text.splitlines()[-1].endswith('"]') and 'the tool expand with id "' in text
        id = text.rpartition('id "')[2].removesuffix('"]')
        whole = await client.call_tool("expand", {"id": id})
        assert whole.content[0].text == LOG
        part = await client.call_tool("expand", {"id": id, "start": 4, "characters": 6})
        assert part.content[0].text.startswith("worker\n[") and "start 10]" in part.content[0].text
        many = await client.call_tool("rows", {"count": 900})
        assert sum(COUNT(block.text) for block in many.content) <= 300

        for wrong, words in (
            ({"id": "nobody"}, "nothing is stored under the id 'nobody'"),
            ({}, "id is required"),
            ({"id": id, "start": -1}, "start"),
        ):
            failed = await client.call_tool("expand", wrong)
            assert failed.is_error and words in failed.content[0].text

    through(server, direct, wrapped=False)
    through(server, wrapped, "--budget", "300")
    with Store.open(server.with_name("results.sqlite"), read_only=True) as store:
        assert [(use.tool, use.expanded) for use in store.uses()] == [
            ("read_log", False),
            ("read_log", True),
            ("read_log", True),
            ("rows", False),
        ]


@pytest.mark.slow
def test_the_proxy_ends_with_its_client_and_with_its_server(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tersely", "mcp", "--wrap", "--store", str(tmp_path / "s.sqlite"), "--"]
    for program in ("import sys; sys.stdin.read()", "pass"):
        done = subprocess.run(
            [*command, sys.executable, "-c", program], input=b"", capture_output=True, timeout=60, check=False
        )
        assert done.returncode == 0 and not done.stdout


@pytest.mark.slow
def test_a_server_that_dies_in_a_call_ends_the_connection(tmp_path: Path) -> None:
    server = tmp_path / "dying_server.py"
    server.write_text(SERVER.replace('raise ValueError("no such job")', "import os; os._exit(3)"))

    async def use(client: Any) -> None:
        with anyio.fail_after(20), pytest.raises(mcp.MCPError, match="Connection closed"):
            await client.call_tool("broken", {})

    through(server, use)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--wrap"], "which server?"),
        (["--wrap", "--"], "which server?"),
        (["--", "server"], "a command goes with --wrap"),
        (["--wrap", "--http", "--", "server"], "not with --index or --http"),
        (["--wrap", "--budget", "0", "--", "sh"], "budget"),
        (["--wrap", "--", "no-such-server"], "cannot start no-such-server"),
    ],
)
def test_wrong_usage_is_said(
    words: list[str],
    said: str,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tersely.cli import main

    monkeypatch.setenv("TERSELY_STORE", str(tmp_path / "s.sqlite"))
    assert main(["mcp", *words]) == 2
    assert said in capfd.readouterr().err


def test_a_server_with_a_tool_of_our_name_keeps_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        seen = ResultFilter(ToolResultCompressor(300, store), store)
        assert seen.request(1, "tools/list", None) is None
        listed = seen.result(1, {"tools": [{"name": "expand", "inputSchema": {}}]})
        assert [tool["name"] for tool in listed["tools"]] == ["expand", "tersely_expand"]
        assert seen.request(2, "tools/call", {"name": "expand", "arguments": {"id": "x"}}) is None
        made = seen.result(2, {"content": [{"type": "text", "text": LOG}], "structuredContent": {"a": LOG}})
        assert "the tool tersely_expand with id" in made["content"][0]["text"]
        assert "structuredContent" not in made
        ours = seen.request(3, "tools/call", {"name": "tersely_expand", "arguments": {"id": "x"}})
        assert ours is not None and ours["isError"]


def test_pages_of_tools_get_ours_once_and_other_answers_pass(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        seen = ResultFilter(ToolResultCompressor(300, store), store)
        for id, cursor in ((1, "more"), (2, None)):
            seen.request(id, "tools/list", {})
            page = {"tools": [{"name": f"t{id}"}], **({"nextCursor": cursor} if cursor else {})}
            names = [tool["name"] for tool in seen.result(id, page)["tools"]]
            assert names == (["t1"] if cursor else ["t2", "expand"])
        seen.request(3, "tools/call", {"name": "t1"})
        seen.failed(3)
        for id, method, result in (
            (3, "", {"content": [{"type": "text", "text": LOG}]}),  # its request failed
            (4, "resources/read", {"contents": [{"uri": "a", "text": LOG}]}),
            (5, "tools/call", {"task": {"taskId": "a"}}),
            (6, "tools/call", {"content": LOG}),
            (7, "tools/list", {"tools": None}),
        ):
            if method:
                seen.request(id, method, {"name": "t1"})
            assert seen.result(id, result) is result


BAD_BYTES = """
import json, sys
LOG = "The worker started and wrote a row.\\n" * 900 + "ERROR caf@ 4711 timed out\\n"
for line in sys.stdin:
    given = json.loads(line)
    if "id" not in given:
        continue
    if given["method"] == "initialize":
        result = {"protocolVersion": given["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "bytes", "version": "1"}}
    elif given["method"] == "tools/list":
        result = {"tools": [{"name": "read_log", "inputSchema": {"type": "object"}}]}
    else:
        result = {"content": [{"type": "text", "text": LOG}], "isError": False}
    reply = json.dumps({"jsonrpc": "2.0", "id": given["id"], "result": result})
    sys.stdout.buffer.write(reply.encode().replace(b"@", b"\\xe9 \\xe2\\x9c\\x85") + b"\\n")
    sys.stdout.buffer.flush()
"""


@pytest.mark.slow
def test_a_bad_byte_of_the_wrapped_server_does_not_end_the_session(server: Path) -> None:
    server.write_text(BAD_BYTES)

    async def ask(client: Any) -> None:
        for _ in range(2):
            reply = await client.call_tool("read_log", {})
            text = reply.content[0].text
            assert "caf\ufffd ✅ 4711 timed out" in text and COUNT(text) <= 300

    through(server, ask, "--budget", "300")
