"""Limits of a call over a real stdio server and a real HTTP one: size, deadline, a second call."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import anyio
import mcp
from http_servers import served
from server_calls import call  # noqa: F401  skips where the SDK is not installed
from tersely.mcp.text_tools import text_tools
from tersely.mcp.tools import LONGEST_TEXT

LONG = "The crew of the copper ship paid a storm fee. " * (LONGEST_TEXT // 46)
STDIO = """
import sys
from tersely.mcp.application import serve_stdio
from tersely.mcp.text_tools import text_tools
serve_stdio(text_tools(), deadline=float(sys.argv[1]))
"""


@asynccontextmanager
async def over_stdio(deadline: float) -> AsyncIterator[mcp.Client]:
    server = mcp.StdioServerParameters(command=sys.executable, args=["-c", STDIO, str(deadline)])
    with Path(os.devnull).open("w") as quiet:
        async with mcp.Client(mcp.stdio_client(server, errlog=quiet)) as client:
            yield client


@asynccontextmanager
async def over_http(deadline: float) -> AsyncIterator[mcp.Client]:
    with served(text_tools(), deadline=deadline, body=4 * LONGEST_TEXT) as url:
        async with mcp.Client(url) as client:
            yield client


@pytest.fixture(params=[over_stdio, over_http])
def server(request: pytest.FixtureRequest) -> Iterator[Any]:
    return request.param


def test_a_call_over_its_deadline_is_an_error_and_the_next_one_is_answered(server: Any) -> None:
    async def run() -> Any:
        async with server(0.01) as client:
            late = await client.call_tool("compress_text", {"text": LONG, "query": "Who paid?"})
            return late, await client.call_tool("compress_text", {"text": "a" * (LONGEST_TEXT + 1)})

    late, next_one = anyio.run(run)
    assert late.is_error and "0.01 seconds, the deadline of a call; send less" in late.content[0].text
    assert next_one.is_error
    assert next_one.content[0].text == "text must have at most 2,000,000 characters, not 2,000,001"


@pytest.mark.slow
def test_a_call_is_answered_while_long_ones_run(server: Any) -> None:
    order: list[str] = []

    async def run() -> None:
        async with server(60.0) as client, anyio.create_task_group() as group:
            await client.call_tool("compress_text", {"text": "Warm. " * 50})

            async def call(name: str, **arguments: Any) -> None:
                reply = await client.call_tool("compress_text", arguments)
                assert not reply.is_error
                order.append(name)

            for query in ("Who paid?", "What was paid?", "Which ship?"):
                group.start_soon(lambda query=query: call("long", text=LONG, query=query))
            await anyio.sleep(0.02)
            await call("short", text="The ferry leaves at six. " * 20)

    anyio.run(run)
    assert sorted(order) == ["long"] * 3 + ["short"] and order[-1] == "long"
