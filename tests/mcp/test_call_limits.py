"""A call has a size and a time, and one long call does not stall another."""

from __future__ import annotations

import pytest
from server_calls import make_server
from tersely.mcp.text_tools import text_tools
from tersely.mcp.tools import LONGEST_TEXT, Tool, ToolReply

import anyio  # isort: skip
import mcp  # isort: skip

EMPTY = {"type": "object", "properties": {}}
LONG = "The crew of the copper ship paid a storm fee. " * (1_900_000 // 46)


def call(tools: list[Tool], name: str, deadline: float = 60.0, **arguments: object) -> object:
    async def run() -> object:
        async with mcp.Client(make_server(tools, deadline=deadline)) as client:
            return await client.call_tool(name, arguments)

    return anyio.run(run)


def test_a_text_over_the_limit_is_an_error_that_names_the_limit() -> None:
    reply = call(text_tools(), "compress_text", text="a" * (LONGEST_TEXT + 1))
    assert reply.is_error and reply.content[0].text == (
        "text must have at most 2,000,000 characters, not 2,000,001"
    )


def test_a_call_over_its_deadline_is_an_error_that_names_the_deadline() -> None:
    reply = call(text_tools(), "compress_text", deadline=0.01, text=LONG)
    assert reply.is_error and "0.01 seconds, the deadline of a call" in reply.content[0].text


@pytest.mark.slow
def test_another_call_is_answered_while_one_works() -> None:
    ping = Tool("ping", "answers", EMPTY, lambda _: ToolReply("pong", {"pong": True}))
    order: list[str] = []

    async def run() -> None:
        async with (
            mcp.Client(make_server([*text_tools(), ping])) as client,
            anyio.create_task_group() as group,
        ):

            async def long_call() -> None:
                await client.call_tool("compress_text", {"text": LONG})
                order.append("long")

            group.start_soon(long_call)
            await anyio.sleep(0.05)
            await client.call_tool("ping", {})
            order.append("ping")

    anyio.run(run)
    assert order == ["ping", "long"]
