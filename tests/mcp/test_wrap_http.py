"""`tersely mcp --wrap URL`: a real server that listens in another process, with a token, and the proxy."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
pytest.importorskip("uvicorn")

import anyio
import mcp
from tersely.mcp.wrap import checked_url
from tersely.models.counters import resolve_counter

COUNT = resolve_counter(None).count
LOG = "The worker started and wrote a row.\n" * 900 + "ERROR payment 4711 timed out\n"
TOKEN = "a-token-of-enough-characters"
SERVER = f"""
import socket, sys, uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("jobs")

@server.tool()
def read_log(path: str) -> str:
    "Read a log."
    return {LOG!r}

inner = server.streamable_http_app(json_response=sys.argv[1] == "json")

async def application(scope, receive, send):
    shown = dict(scope.get("headers", ())).get(b"authorization")
    if scope["type"] == "http" and shown != b"Bearer {TOKEN}":
        await send({{"type": "http.response.start", "status": 401, "headers": []}})
        await send({{"type": "http.response.body", "body": b""}})
        return
    await inner(scope, receive, send)

listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(application, log_level="error")).run(sockets=[listening])
"""


@pytest.fixture(params=["json", "events"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where a server listens that answers so."""
    command = [sys.executable, "-c", SERVER, request.param]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.terminate()


def through(url: str, store: Path, token: str, use: Callable[[Any], Awaitable[None]]) -> None:
    """Let a client use a server that listens there through the proxy."""
    words = ["-m", "tersely", "mcp", "--wrap", "--budget", "300", "--store", str(store), "--", url]
    environment = {**os.environ, "TERSELY_WRAPPED_TOKEN": token}
    parameters = mcp.StdioServerParameters(command=sys.executable, args=words, env=environment)

    async def run() -> None:
        with anyio.fail_after(60), Path(os.devnull).open("w") as quiet:
            async with mcp.Client(mcp.stdio_client(parameters, errlog=quiet)) as client:
                await use(client)

    anyio.run(run)


def test_results_of_a_server_that_listens_are_shortened_and_given_back(url: str, tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["read_log", "expand"]
        short = await client.call_tool("read_log", {"path": "a.log"})
        text = short.content[0].text
        assert COUNT(text) <= 300 and "ERROR payment 4711 timed out" in text
        id = text.rpartition('id "')[2].removesuffix('"]')
        assert (await client.call_tool("expand", {"id": id})).content[0].text == LOG

    through(url, tmp_path / "s.sqlite", TOKEN, use)


@pytest.mark.slow
def test_a_server_that_refuses_the_token_is_an_error_and_no_hang(url: str, tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        await client.list_tools()

    with pytest.raises(BaseException) as raised:  # a group of what ended the connection
        through(url, tmp_path / "s.sqlite", "a-wrong-token-it-is", use)
    assert not isinstance(raised.value, TimeoutError)


def test_a_server_that_is_not_reached_is_one_line_of_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/mcp"
    ask = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    command = [sys.executable, "-m", "tersely", "mcp", "--wrap", "--store", str(tmp_path / "s.sqlite"), url]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as proxy:
        assert proxy.stdin is not None and proxy.stdout is not None and proxy.stderr is not None
        proxy.stdin.write(ask)
        proxy.stdin.flush()
        assert proxy.wait(60) == 2 and not proxy.stdout.read()  # though its input is still open
        said = proxy.stderr.read().decode().splitlines()
    assert len(said) == 1 and said[0].startswith(f"tersely: no answer from {url}: ")


@pytest.mark.parametrize("wrong", ["ftp://a/b", "http://", "file:///etc/passwd", "http:/a"])
def test_what_is_no_url_of_a_server_is_refused(wrong: str, tmp_path: Path) -> None:
    from tersely.cli import main

    with pytest.raises(ValueError, match="must begin with http:// or https://"):
        checked_url(wrong)
    if "://" in wrong:
        assert main(["mcp", "--wrap", "--store", str(tmp_path / "s.sqlite"), "--", wrong]) == 2
