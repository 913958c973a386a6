"""POST /compress: compress a text or a tool's result for callers in any language, without MCP.

The application also answers the two requests of gateways (gateway.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tersely import checks
from tersely.agents.tool_results import BUDGET, ToolResultCompressor, ToolResultReport
from tersely.errors import needs
from tersely.mcp.application import FAULT, SLOW, run_tool
from tersely.mcp.gateway import Gateway
from tersely.mcp.text_tools import text_tools
from tersely.mcp.tools import Tool, ToolReply, object_schema
from tersely.text import CHARACTERS_REPLACED, decode, json_bytes, parse_json, well_formed

__all__ = ["RETRIEVE", "compress_routes"]

#: Where whole results of a gateway's histories are, each under its hash.
RETRIEVE = "/v1/retrieve/"
_GATEWAY = "/v1/compress"
_STATUS = {FAULT: 500, SLOW: 504}
Answer = tuple[int, Mapping[str, Any]]  # status and JSON


def _compress_result(arguments: dict[str, Any]) -> ToolReply:
    reports: list[ToolResultReport] = []
    compressor = ToolResultCompressor(arguments["budget"], report=reports.append)
    name, query = arguments.get("name"), arguments.get("query")
    result = compressor.compress(arguments["result"], query or None, name or None, arguments.get("arguments"))
    data = {
        "result": result,
        "status": reports[-1].status,
        "tokens": reports[-1].tokens,
        "original_tokens": reports[-1].original_tokens,
        "warnings": list(reports[-1].warnings),
    }
    return ToolReply("", data)


_RESULT = Tool(
    "compress",
    "Shorten what a tool gave; the same shape comes back.",
    object_schema(
        ["result"],
        result={},
        budget={"type": "integer", "minimum": 1, "default": BUDGET},
        query={"type": "string"},
        name={"type": "string"},
        arguments={},
    ),
    _compress_result,
)

_TEXT = text_tools(fenced=False)[0]  # no model sees this reply as it is


def compress_routes(
    *, body: int = 4 * 2**20, threads: int = 8, deadline: float = 60.0, gateway: Gateway | None = None
) -> list[Any]:
    """Make the routes of a Starlette application that answer POST /compress, and a gateway's requests.

    The body is a JSON object: either the arguments of the tool `compress_text` ("text", "query", "budget",
    "ratio"), or "result", what a tool gave in any shape, with "budget", "query", "name" and "arguments" as in
    `tersely.agents.compress_tool_result`. The answer is a JSON object, too: the data of `compress_text`, or
    "result", "status", "tokens", "original_tokens" and "warnings". An error is {"error": message} with status
    400 (wrong request), 413 (too large), 415 (not JSON), 500 (a fault of the server) or 504 (the deadline
    passed).

    Args:
        body: bytes of a request at most (413).
        threads: compressions that run at a time.
        deadline: seconds that one may run.
        gateway: answers POST /v1/compress and GET /v1/retrieve/HASH; None: there are no such routes.

    Raises MissingExtraError without the extra `mcp`.
    """
    with needs("mcp 2", "mcp"):
        import anyio
        from starlette.requests import ClientDisconnect, Request
        from starlette.responses import Response
        from starlette.routing import Route

    checks.whole_number(body, "body", least=1)
    limiter = anyio.CapacityLimiter(threads)

    def answer(status: int, data: Mapping[str, Any]) -> Response:
        return Response(json_bytes(data), status, media_type="application/json")

    async def compress(request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return answer(
                415, {"error": f"the body must be application/json, not {kind[:60] or 'of no type'}"}
            )
        came = bytearray()
        try:
            async for part in request.stream():
                came += part
                if len(came) > body:
                    return answer(413, {"error": f"a request has at most {body:,} bytes"})
        except ClientDisconnect:  # nobody waits for the answer
            return answer(400, {"error": "the body was cut off"})
        asks = gateway if request.url.path == _GATEWAY else None
        return answer(*await anyio.to_thread.run_sync(_run, bytes(came), asks, deadline, limiter=limiter))

    routes = [Route("/compress", compress, methods=["POST"])]
    if gateway is not None:

        async def retrieve(request: Request) -> Response:
            found = await anyio.to_thread.run_sync(
                gateway.retrieve, request.path_params["hash"], limiter=limiter
            )
            if found is None:
                return answer(404, {"error": "there is no result of this hash"})
            return answer(200, found)

        routes.append(Route(_GATEWAY, compress, methods=["POST"]))
        routes.append(Route(f"{RETRIEVE}{{hash:path}}", retrieve, methods=["GET"]))
    return routes


def _run(body: bytes, gateway: Gateway | None, deadline: float) -> Answer:
    """Answer a request, a gateway's where it is one."""
    try:
        came = decode(body)[0]
        text = well_formed(came)
        given = parse_json(text, "its text")
    except ValueError as error:
        return 400, {"error": f"the body cannot be read: {error}"}
    notes = [] if text is came else [CHARACTERS_REPLACED]
    if not isinstance(given, dict) or (gateway is None and ("text" in given) == ("result" in given)):
        wanted = ' with either "text" or "result"' if gateway is None else ""
        return 400, {"error": f"the body must be an object{wanted}"}
    if gateway is not None:
        tool = gateway.tool()
        notes += [f"{name:.60} is not looked at" for name in given if name not in tool.properties]
        given = {name: value for name, value in given.items() if name in tool.properties}
    else:
        tool = _RESULT if "result" in given else _TEXT
    said, data, wrong = run_tool(tool, given, deadline)
    if data is None:
        return _STATUS.get(wrong, 400), {"error": said}
    return 200, {**data, "warnings": list(dict.fromkeys([*data["warnings"], *notes]))}
