"""Stand in front of an MCP server: pass everything through, but shorten long results of its tools."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import tersely
from tersely.agents.tool_results import ToolResultCompressor
from tersely.cache import digest_of
from tersely.errors import CompressionError, needs
from tersely.mcp.answers import count_tokens
from tersely.mcp.application import over_stdio
from tersely.mcp.tools import Tool, ToolError, ToolReply, object_schema
from tersely.memory.messages import to_json
from tersely.text import well_formed

if TYPE_CHECKING:
    from tersely.store import Store

_LOG = logging.getLogger("tersely.mcp")
_NAMES = ("expand", "tersely_expand")  # of our tool: the second where the server has the first
_MOST = 100_000  # characters of a reply of ours


class ResultFilter:
    """Changes messages between a client and a server: shortens results, and adds the tool `expand`.

    Answers of `tools/list` get one more tool. Results of `tools/call` that are over the budget are shortened;
    structured content that repeats their text is left out, and so are its schemas, because clients would
    check the content against them. With a budget for the list, the longest tool definitions are shortened.
    Everything else passes unchanged, also if anything fails.
    """

    def __init__(
        self, compressor: ToolResultCompressor, store: Store, tools_budget: int | None = None
    ) -> None:
        """`store` is where the compressor keeps whole results; `tools_budget`: tokens of a list of tools."""
        self._store, self._room = store, tools_budget
        self._left = 0  # of the room, on the pages of the list that follow
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
            return self._listed(result, is_first=not given.get("cursor"))
        if method == "tools/call" and isinstance(result.get("content"), list):
            return self._shorten(result, given)
        return result

    def failed(self, id: Any) -> None:
        """See that a request failed."""
        self._waiting.pop(id, None)

    def _listed(self, result: dict[str, Any], is_first: bool) -> dict[str, Any]:
        tools = [
            {key: value for key, value in tool.items() if key != "outputSchema"}
            if isinstance(tool, dict)
            else tool
            for tool in result["tools"]
        ]
        if any(isinstance(tool, dict) and tool.get("name") == self._name for tool in tools):
            self._name = _NAMES[1]
            self._say_how()
        if self._room is not None:
            self._left = self._room if is_first else self._left
            tools = fit_tools(tools, max(self._left, 0), self._keep_tool)
            self._left -= count_tokens(to_json(tools))
            if self._left < 0:
                _LOG.warning("the shortest list of tools takes %d tokens more than its budget", -self._left)
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

    def _keep_tool(self, whole: str) -> str:
        id = digest_of(["tool", whole]).hex()[:16]
        self._store.put(whole, id=id)
        return f'whole: {self._name} with id "{id}"'

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
        id={
            "type": "string",
            "maxLength": 512,
            "description": "the id in the last line of a result, or in a description",
        },
        start={"type": "integer", "minimum": 0, "default": 0, "description": "first character"},
        characters={
            "type": "integer",
            "minimum": 1,
            "maximum": _MOST,
            "default": _MOST,
            "description": "how many at most",
        },
    )
    description = "Give the whole of what was shortened, by the id that stands in it."
    return Tool(name, description, schema, run)


def serve_wrapped(
    server: Sequence[str] | str,
    compressor: ToolResultCompressor,
    store: Store,
    *,
    token: str | None = None,
    tools_budget: int | None = None,
) -> None:
    """Serve another server over standard input and output until either side ends.

    `server`: the command that starts it, or the URL of one that is reached over streamable HTTP; `token` is
    the bearer token that this one is shown; `tools_budget`: tokens of its list of tools. Raises
    MissingExtraError without the extra `mcp`, ValueError for an invalid URL, and ConnectionError if the
    server at a URL cannot, or can no longer, be reached.
    """
    if isinstance(server, str):
        checked_url(server)
    with needs("mcp 2", "mcp"):
        import anyio
        from mcp.shared.message import SessionMessage
        from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

    seen = ResultFilter(compressor, store, tools_budget)
    lost: list[str] = []

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
            _transport(server, token, lost) as (replies, onward),
            answers,  # the transports end when what goes into them is closed
            onward,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(to_server, client, answers, onward, tasks.cancel_scope.cancel)
            tasks.start_soon(to_client, replies, answers, tasks.cancel_scope.cancel)

    anyio.run(serve)
    if lost:
        raise ConnectionError(f"no answer from {server}: {lost[0]}")


def checked_url(url: str) -> str:
    """Return the URL of a server that listens for HTTP. Raises ValueError for anything else."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"the URL of a server must begin with http:// or https://, not {url!r}")
    return url


@asynccontextmanager
async def _transport(
    server: Sequence[str] | str, token: str | None, lost: list[str]
) -> AsyncIterator[tuple[Any, Any]]:
    """Open the two streams of a server: a process of its own, or one that listens.

    Where one that listens is not to be reached, the streams end, and `lost` gets the reason.
    """
    if not isinstance(server, str):
        from mcp.client.stdio import StdioServerParameters, stdio_client

        process = StdioServerParameters(
            command=server[0],
            args=list(server[1:]),
            env=dict(os.environ),
            encoding_error_handler="replace",  # else one bad byte ends the session
        )
        async with stdio_client(process) as streams:
            yield streams
        return
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    headers = {"Authorization": f"Bearer {token}"} if token else None
    ours = False
    try:
        async with (
            create_mcp_http_client(headers=headers) as client,
            streamable_http_client(server, http_client=client) as streams,
        ):
            try:
                yield streams[0], streams[1]
            except Exception:
                ours = True
                raise
    except BaseExceptionGroup as group:
        if ours:
            raise
        lost.extend(_reasons(group))


def _reasons(group: BaseExceptionGroup[BaseException]) -> Iterator[str]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _reasons(error)
        else:
            yield str(error) or type(error).__name__


# How much of a definition may stay, step by step: tokens of the tool's description, and of each argument's.
_STEPS = ((80, 20), (40, 0), (15, 0))
_NOTES = frozenset({"title", "description", "examples", "$comment", "markdownDescription"})  # bind nobody
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")  # names to schemas
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


def fit_tools(tools: Sequence[Any], budget: int, keep: Callable[[str], str]) -> list[Any]:
    """Shorten definitions of tools until their JSON has at most `budget` tokens, the longest first.

    Names, types, required arguments, enums and defaults stay. If even the shortest definitions are over the
    budget, these are returned.

    Args:
        tools: as a server lists them; anything that is not a definition stays unchanged.
        budget: tokens (o200k_base) of all of them.
        keep: takes the JSON of a whole definition, and gives words that say how to get it.
    """
    made = list(tools)
    costs = [count_tokens(to_json(tool)) for tool in tools]
    named = [
        row for row, tool in enumerate(tools) if isinstance(tool, dict) and isinstance(tool.get("name"), str)
    ]
    order = sorted(named, key=lambda row: (-costs[row], row))
    for step in _STEPS:
        for row in order:
            if sum(costs) <= budget and count_tokens(to_json(made)) <= budget:
                return made
            short = _shorter(tools[row], *step)
            if short != tools[row]:
                way = keep(to_json(tools[row]))
                short["description"] = f"{short.get('description', '')} [{way}]".strip()
            if (cost := count_tokens(to_json(short))) < costs[row]:
                made[row], costs[row] = short, cost
    return made


def _shorter(tool: Mapping[str, Any], described: int, arguments: int) -> dict[str, Any]:
    made = dict(tool)
    made.pop("title", None)
    if isinstance(tool.get("description"), str):
        made["description"] = _cut(tool["description"], described)
    if isinstance(tool.get("inputSchema"), Mapping):
        made["inputSchema"] = _schema(tool["inputSchema"], arguments)
    return made


def _schema(schema: Any, described: int) -> Any:
    """A schema that allows the same, without titles and examples, of descriptions the beginnings."""
    if not isinstance(schema, Mapping):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, Mapping):
            made[key] = {name: _schema(inner, described) for name, inner in value.items()}
        elif key in _LISTS and isinstance(value, list):
            made[key] = [_schema(inner, described) for inner in value]
        elif key in _ONE:
            made[key] = _schema(value, described)
        elif key == "description" and described and isinstance(value, str):
            made[key] = _cut(value, described)
        elif key not in _NOTES:
            made[key] = value
    return made


def _cut(text: str, budget: int) -> str:
    """The beginning of a text, in whole sentences where they fit."""
    return tersely.compress(text, budget=budget, strategy="lead").text if text.strip() else text
