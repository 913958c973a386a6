"""The SDK's own client, calling tools in this process. Skips where the SDK is not installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
import mcp
from tersely.mcp.application import make_server
from tersely.mcp.tools import Tool


def call_all(
    tools: Sequence[Tool], calls: Sequence[tuple[str, Mapping[str, Any]]], **options: Any
) -> list[Any]:
    """The results of calls, one after the other, through a client in this process."""

    async def run() -> list[Any]:
        async with mcp.Client(make_server(tools), **options) as client:
            return [await client.call_tool(name, dict(arguments)) for name, arguments in calls]

    return anyio.run(run)


def call(tools: Sequence[Tool], name: str, **arguments: Any) -> Any:
    return call_all(tools, [(name, arguments)])[0]


def listed(tools: Sequence[Tool]) -> dict[str, Any]:
    """Each tool as a client sees it."""

    async def run() -> dict[str, Any]:
        async with mcp.Client(make_server(tools)) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    return anyio.run(run)
