"""The server over standard input as a subprocess, and over HTTP: who may call, and how much."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from fences import unfenced
from http_servers import ask, served
from list_retriever import ListRetriever, ten
from server_calls import call, call_all, listed
from tersely.errors import MissingExtraError
from tersely.mcp.application import make_server
from tersely.mcp.gateway import Gateway
from tersely.mcp.http import http_application, server_config
from tersely.mcp.query_tools import QueryTools
from tersely.mcp.text_tools import text_tools
from tersely.mcp.tools import Tool, ToolReply
from tersely.models.counters import resolve_counter

pytest.importorskip("uvicorn")
import anyio
import httpx2
import mcp
from mcp.client.streamable_http import streamable_http_client

HERE = Path(__file__).parents[1] / "support"
TOKEN = "correct-horse-battery"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
STDIO = """
import sys
sys.path.insert(0, sys.argv[1])
from fences import unfenced
from list_retriever import ListRetriever, ten
from tersely.mcp.query_tools import QueryTools
from tersely.mcp.application import serve_stdio
from tersely.mcp.tools import Tool, ToolReply
import os
def noisy(_):
    print("stray")
    os.write(1, b"stray too")
    return ToolReply("done", {"done": True})
schema = {"type": "object", "properties": {}}
serve_stdio([*QueryTools(ListRetriever(ten())).tools(), Tool("noisy", "prints", schema, noisy)])
"""


def message(method: str, number: int | None = None, **parameters: Any) -> bytes:
    head = {"jsonrpc": "2.0", "method": method, "params": parameters}
    return json.dumps(head if number is None else head | {"id": number}).encode()


def all_tools() -> list[Tool]:
    return [*QueryTools(ListRetriever(ten())).tools(), *text_tools()]


def post(url: str, content: Any = PING, **headers: str) -> httpx2.Response:
    with httpx2.Client(verify=False) as client:  # no certificates are loaded
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return client.post(
            url, content=body, headers=HEADERS | {k.replace("_", "-"): v for k, v in headers.items()}
        )


def over_stdio() -> subprocess.Popen[bytes]:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([sys.executable, "-c", STDIO, str(HERE)], **pipes)


def test_stdio_speaks_nothing_but_the_protocol_and_ends_with_its_input_not_with_broken_lines() -> None:
    lines = [
        b"not json",
        b"\xff\xfe",
        b"[]",
        message("initialize", 1, **HELLO),
        message("notifications/initialized"),
        message("tools/call", 2, name="noisy", arguments={}),
        message("tools/call", 3, name="query_documents_compressed", arguments={"query": "tokens"}),
    ]
    with over_stdio() as server:
        assert server.stdin and server.stdout and server.stderr
        server.stdin.write(b"".join(line + b"\n" for line in lines))
        server.stdin.flush()
        answers: dict[Any, Any] = {}
        while not {1, 2, 3} <= answers.keys():
            answer = json.loads(server.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answers[answer.get("id")] = answer.get("result")
        server.stdin.close()
        assert server.stdout.read() == b"" and server.wait(30) == 0
        logged = server.stderr.read()
    assert answers[2]["content"][0]["text"] == "done"
    assert answers[3]["structuredContent"]["compression_stats"]["after_dedup"] == 6
    assert b"stray" in logged and b"stray too" in logged


@pytest.mark.slow
def test_stdio_ends_with_ctrl_c_while_it_waits_for_input() -> None:
    with over_stdio() as server:
        assert server.stdin and server.stdout and server.stderr
        server.stdin.write(message("initialize", 1, **HELLO) + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.send_signal(signal.SIGINT)
        assert server.wait(20) != 0 and b"KeyboardInterrupt" in server.stderr.read()


def test_http_gives_what_a_client_in_this_process_gets() -> None:
    async def run(url: str, mode: str) -> Any:
        async with mcp.Client(url, mode=mode) as client:
            return await client.call_tool("query_documents_compressed", {"query": "tokens", "top_n": 3})

    expected = call(all_tools(), "query_documents_compressed", query="tokens", top_n=3)
    with served(all_tools()) as url:
        for mode in ("auto", "legacy"):
            result = anyio.run(run, url, mode)
            assert result.structured_content == expected.structured_content
            assert result.content[0].text == expected.content[0].text


DOORS = {"/mcp": "POST", "/compress": "POST", "/v1/compress": "POST", "/v1/retrieve/" + "0" * 16: "GET"}


def test_http_only_lets_in_who_has_the_token_and_the_right_name_at_every_door() -> None:
    async def run(url: str, token: str) -> list[str]:
        headers = {"authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            mcp.Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return [tool.name for tool in (await client.list_tools()).tools]

    with served(all_tools(), token=TOKEN, gateway=Gateway()) as url:
        for path, method in DOORS.items():
            for given in ("", "Bearer wrong", TOKEN, "Basic x"):
                assert ask(url, path, PING, method, authorization=given)[0] == 401
            for given in ({"host": "evil.example"}, {"origin": "https://evil.example"}):
                assert ask(url, path, PING, method, authorization=f"Bearer {TOKEN}", **given)[0] == 403
        assert ask(url, "/compress", {"text": "a"}, authorization=f"Bearer {TOKEN}")[1]["text"] == "a"
        assert "compress_text" in anyio.run(run, url, TOKEN)


def test_http_refuses_other_pages_and_other_names() -> None:
    with served(all_tools(), origins=["https://app.example"]) as url:
        for origin, status in (
            ("https://evil.example", 403),
            ("http://127.0.0.1.evil.example", 403),
            ("null", 403),
            ("https://app.example", 200),
            ("HTTPS://App.Example", 403),  # browsers write it as it is compared
            ("https://app.example:8443", 403),
            ("https://app.example, https://evil.example", 403),
            ("", 403),
            ("http://localhost:3000", 403),  # another port is another origin
            ("http://[::1]:3000", 403),
            ("http://localhost", 403),
            (f"http://localhost:{urlsplit(url).port}", 200),
            (f"http://127.0.0.1:{urlsplit(url).port}", 200),
            (f"http://[::1]:{urlsplit(url).port}", 200),
            (f"https://localhost:{urlsplit(url).port}", 403),
            (f"http://localhost:{urlsplit(url).port}.evil.example", 403),
            (f"http://localhost.evil.example:{urlsplit(url).port}", 403),
        ):
            assert post(url, origin=origin).status_code == status, origin
        assert post(url, host="evil.example").status_code == 403


def test_http_limits_bodies_and_methods() -> None:
    with served(all_tools(), body=2000) as url:
        assert post(url).status_code == 200
        assert post(url, b"x" * 3000).status_code == 413
        assert post(url, b"{not json").status_code == 400
        assert httpx2.get(url, headers=HEADERS).status_code == 405
        assert httpx2.get(url.removesuffix("mcp") + "etc/passwd").status_code in (404, 405)


def connect(url: str) -> socket.socket:
    place = urlsplit(url)
    return socket.create_connection((place.hostname, place.port), timeout=30)


@pytest.mark.parametrize(("size", "status"), [(16_000, b"200"), (400_000, b"400")])
def test_http_limits_the_head_of_a_request(size: int, status: bytes) -> None:
    with served(text_tools()) as url, connect(url) as line:
        with contextlib.suppress(OSError):  # refused before all was sent
            line.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * size + b"\r\n\r\n")
        assert status in line.recv(100)


HEAD = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n"


def test_http_sends_away_callers_on_too_many_connections() -> None:
    with served(all_tools(), connections=2) as url, contextlib.ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(connect(url)).sendall(HEAD)
        assert post(url).status_code == 503


def test_http_limits_are_checked() -> None:
    with pytest.raises(ValueError, match="connections"):
        server_config(http_application(all_tools()), connections=0)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_http_listens_elsewhere_only_with_a_token(host: str) -> None:
    with pytest.raises(ValueError, match="needs a bearer token"):
        http_application(all_tools(), host=host)
    assert callable(http_application(all_tools(), host=host, token=TOKEN))
    with pytest.raises(ValueError, match="16 or more printable ASCII"):
        http_application(all_tools(), host=host, token="short")


def test_every_tool_says_whether_it_changes_anything() -> None:
    tools = listed(all_tools())
    assert all(tool.annotations.read_only_hint for tool in tools.values())
    with pytest.raises(ValueError, match="two tools have one name"):
        call([*text_tools(), *text_tools()], "compress_text", text="x")
    with pytest.raises(ValueError, match="threads must be a whole number from 1, not 0"):
        make_server(text_tools(), threads=0)


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tersely\[mcp\]'"):
        make_server(text_tools())


def test_a_fault_inside_is_a_tool_error_without_its_details() -> None:
    def fail(_: dict[str, Any]) -> ToolReply:
        raise OSError("/secret/place")

    tools = [Tool("fail", "fails", {"type": "object", "properties": {}}, fail)]
    result = call(tools, "fail")
    assert result.is_error and result.content[0].text == "fail failed: OSError"
    with pytest.RaisesGroup(
        pytest.RaisesExc(mcp.MCPError, match="unknown tool 'other'; known: fail"), flatten_subgroups=True
    ):
        call(tools, "other")


def test_compress_text_keeps_the_budget_and_stays_verbatim() -> None:
    text = "The ferry leaves at six. Gulls cry. The harbour is closed on Sunday. Ropes are wet. " * 5
    asked = {"text": text, "query": "When does the ferry leave?", "budget": 60}
    result, whole, wrong = call_all(
        all_tools(),
        [
            ("compress_text", asked),
            ("compress_text", {"text": text, "ratio": 1}),
            ("compress_text", {"text": text, "budget": 0}),
        ],
    )
    data = result.structured_content
    (shown,), _ = unfenced(result.content[0].text)
    assert resolve_counter(None).count(result.content[0].text) <= 60
    assert "The ferry leaves at six." in data["text"] == shown
    assert all(text[start:end] in data["text"] for start, end in data["kept"])
    assert unfenced(whole.content[0].text)[0] == [text]
    assert wrong.is_error and "budget must be a whole number from 1, not 0" in wrong.content[0].text
