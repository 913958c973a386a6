"""Stand in front of an MCP server: pass everything through, but shorten long results of its tools."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tersely.agents.tool_results import ToolResultCompressor
from tersely.errors import CompressionError, needs
from tersely.mcp.application import over_stdio
from tersely.mcp.tools import Tool, ToolError, ToolReply, argument, object_schema
from tersely.text import well_formed

if TYPE_CHECKING:
    from tersely.store import Store

_NAMES = ("expand", "tersely_expand")  # of our tool: the second where the server has the first
_MOST = 100_000  # characters of a reply of ours


class ResultFilter:
    """Changes messages between a client and a server: shortens results, and adds the tool `expand`.

    Answers of `tools/list` get one more tool. Results of `tools/call` that are over the budget are shortened;
    structured content that repeats their text is left out, and so are its schemas, because clients would
    check the content against them. Everything else passes unchanged, also if anything fails.
    """

    def __init__(self, compressor: ToolResultCompressor, store: Store) -> None:
        """`store` is where the compressor keeps whole results."""
        self._store = store
        self._waiting: dict[Any, tuple[str, dict[str, Any]]] = {}  # requests on their way, by id
        self._name = _NAMES[0]
        self._frame: dict[str, Any] = {}  # what every result of the spoken protocol version has
        self._compressor = compressor
        self._say_how()

    def _say_how(self) -> None:
        way = f'the tool {self._name} with id "{{id}}"'
        self._compressor = replace(self._compressor, expand_with=way)

    def request(self, id: Any, method: str, params: dict[str, Any] | None) -> dict[str, Any] | None:
        """See a request of the client; the result to answer it with, None where it is the server's."""
        given = params or {}
        if method == "tools/call" and given.get("name") == self._name:
            return self._expand(given.get("arguments"))
        if method in ("tools/call", "tools/list"):
            self._waiting[id] = (method, given)
        return None

    def result(self, id: Any, result: dict[str, Any]) -> dict[str, Any]:
        """Take the server's result for a request, and return the client's."""
        if result.get("resultType") == "complete":  # from version 2026-07-28 on
            self._frame = {"resultType": "complete"}
        method, given = self._waiting.pop(id, ("", {}))
        if method == "tools/list" and isinstance(result.get("tools"), list):
            return self._listed(result)
        if method == "tools/call" and isinstance(result.get("content"), list):
            return self._shorten(result, given)
        return result

    def failed(self, id: Any) -> None:
        """See that a request failed."""
        self._waiting.pop(id, None)

    def _listed(self, result: dict[str, Any]) -> dict[str, Any]:
        tools = [
            {key: value for key, value in tool.items() if key != "outputSchema"}
            if isinstance(tool, dict)
            else tool
            for tool in result["tools"]
        ]
        if any(isinstance(tool, dict) and tool.get("name") == self._name for tool in tools):
            self._name = _NAMES[1]
            self._say_how()
        if not result.get("nextCursor"):  # the last page
            ours = _expand_tool(self._name, self._store)
            tools.append(
                {
                    "name": ours.name,
                    "description": ours.description,
                    "inputSchema": dict(ours.input_schema),
                    "annotations": {"readOnlyHint": True, "openWorldHint": False},
                }
            )
        return {**result, "tools": tools}

    def _shorten(self, result: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
        plain = {key: value for key, value in result.items() if key != "structuredContent"}
        name = given.get("name")
        short = self._compressor.compress_or_leave(
            plain, None, name if isinstance(name, str) else None, given.get("arguments")
        )
        return result if short is plain else short

    def _expand(self, arguments: Any) -> dict[str, Any]:
        tool = _expand_tool(self._name, self._store)
        try:
            given = arguments if isinstance(arguments, dict) else {}
            text, failed = tool.run(tool.checked(given)).text, False
        except (ToolError, CompressionError) as error:
            text, failed = str(error), True
        return {**self._frame, "content": [{"type": "text", "text": text}], "isError": failed}


def _expand_tool(name: str, store: Store) -> Tool:
    """Describe the tool that gives back a whole result, in the words of the wrapped server."""

    def run(arguments: dict[str, Any]) -> ToolReply:
        text = well_formed(store.expand(arguments["id"]))
        store.note_expansion(arguments["id"])
        start, size = arguments["start"], arguments["characters"]
        part, left = text[start : start + size], max(len(text) - start - size, 0)
        if left:
            part += f"\n[{left} more characters: call again with start {start + size}]"
        return ToolReply(part, {})

    schema = object_schema(
        ["id"],
        id=argument("string", "the id in the last line of a result", maxLength=512),
        start=argument("integer", "first character", minimum=0, default=0),
        characters=argument("integer", "how many at most", minimum=1, maximum=_MOST, default=_MOST),
    )
    description = "Give the whole of what was shortened, by the id that stands in it."
    return Tool(name, description, schema, run)


def serve_wrapped(command: Sequence[str], compressor: ToolResultCompressor, store: Store) -> None:
    """Serve another server over standard input and output until either side ends.

    `command` starts it. Raises MissingExtraError without the extra `mcp`.
    """
    with needs("mcp 2", "mcp"):
        import anyio
        from mcp.client.stdio import StdioServerParameters, stdio_client
        from mcp.shared.message import SessionMessage
        from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

    seen = ResultFilter(compressor, store)
    process = StdioServerParameters(
        command=command[0],
        args=list(command[1:]),
        env=dict(os.environ),
        encoding_error_handler="replace",  # else one bad byte ends the session
    )

    async def to_server(client: Any, answers: Any, onward: Any, stop: Any) -> None:
        async for message in client:
            if isinstance(message, Exception):  # no message: the client is told nothing, as by any server
                continue
            held = message.message
            if isinstance(held, JSONRPCRequest):
                ours = await anyio.to_thread.run_sync(seen.request, held.id, held.method, held.params)
                if ours is not None:
                    reply = JSONRPCResponse(jsonrpc="2.0", id=held.id, result=ours)
                    await answers.send(SessionMessage(message=reply))
                    continue
            await onward.send(message)
        stop()

    async def to_client(replies: Any, onward: Any, stop: Any) -> None:
        async for message in replies:
            if isinstance(message, Exception):
                continue
            held = message.message
            if isinstance(held, JSONRPCResponse):
                result = await anyio.to_thread.run_sync(seen.result, held.id, held.result)
                held = held.model_copy(update={"result": result})
            elif isinstance(held, JSONRPCError):
                seen.failed(held.id)
            await onward.send(replace(message, message=held))
        stop()

    async def serve() -> None:
        async with (
            over_stdio() as (client, answers),
            stdio_client(process) as (replies, onward),
            answers,  # the transports end when what goes into them is closed
            onward,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(to_server, client, answers, onward, tasks.cancel_scope.cancel)
            tasks.start_soon(to_client, replies, answers, tasks.cancel_scope.cancel)

    anyio.run(serve)
