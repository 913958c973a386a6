"""POST /compress: compress a text or a tool's result for callers in any language, without MCP.

Beside it listen the two addresses that gateways ask (gateway.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tersely import checks
from tersely.agents.tool_results import BUDGET, ToolResultCompressor, ToolResultReport
from tersely.mcp.application import FAULT, SLOW, Application, Receive, Scope, Send, run_tool, send_response
from tersely.mcp.gateway import Gateway
from tersely.mcp.text_tools import text_tools
from tersely.mcp.tools import Tool, ToolReply, object_schema
from tersely.text import CHARACTERS_REPLACED, decode, json_bytes, parse_json, well_formed

__all__ = ["PATH", "RETRIEVE", "CompressDoor"]

#: Where it listens.
PATH = "/compress"
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


@dataclass(slots=True)
class CompressDoor:
    """An ASGI application that answers POST /compress, and a gateway's requests; all else is passed on.

    The body is a JSON object: either the arguments of the tool `compress_text` ("text", "query", "budget",
    "ratio"), or "result", what a tool gave in any shape, with "budget", "query", "name" and "arguments" as
    in `tersely.agents.compress_tool_result`. So is the answer: what `compress_text` gives as data, or
    "result", "status", "tokens", "original_tokens" and "warnings"; and {"error": words} where something is
    wrong: 400 what came, 403 the Host, 405 another method, 413 too large, 415 no JSON, 500 a fault here, 504
    the deadline.

    Attributes:
        application: gets all other requests.
        hosts: names that the Host header may have, with any port; empty: all.
        body: bytes of a request at most (413).
        threads: compressions that run at a time.
        deadline: seconds that one may run.
        gateway: answers POST /v1/compress and GET /v1/retrieve/HASH; None: these are passed on, too.
    """

    application: Application
    hosts: tuple[str, ...] = ()
    body: int = 4 * 2**20
    threads: int = 8
    deadline: float = 60.0
    gateway: Gateway | None = None
    _limiter: list[Any] = field(default_factory=list, init=False)  # made within the event loop

    def __post_init__(self) -> None:
        checks.whole_number(self.body, "body", least=1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to one of our addresses; pass others on."""
        path = scope.get("path", "")
        whole = path.startswith(RETRIEVE)
        ours = path == PATH or (self.gateway is not None and (whole or path == _GATEWAY))
        if scope["type"] != "http" or not ours:
            await self.application(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if refused := self._refused(scope["method"], headers, path, "GET" if whole else "POST"):
            await _answer(send, *refused)
        elif whole:
            await _answer(send, *await self._in_thread(self._retrieve, path.removeprefix(RETRIEVE)))
        elif (body := await self._read(receive)) is None:
            await _answer(send, 413, {"error": f"a request has at most {self.body:,} bytes"})
        else:
            await _answer(send, *await self._in_thread(self._run, path, body))

    def _refused(
        self, method: str, headers: Mapping[bytes, str], path: str, right: str
    ) -> tuple[int, dict[str, Any]] | None:
        host = headers.get(b"host", "").strip()
        name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
        kind = headers.get(b"content-type", "").partition(";")[0].strip().lower()
        length = headers.get(b"content-length", "")
        if self.hosts and name.lower() not in self.hosts:
            return 403, {"error": "this Host may not be asked for"}
        if method != right:
            return 405, {"error": f"{right} {'to ' if right == 'POST' else ''}{path:.100}"}
        if right == "GET":
            return None
        if kind != "application/json":
            return 415, {"error": f"the body must be application/json, not {kind[:60] or 'of no type'}"}
        if length.isdecimal() and (len(length) > 15 or int(length) > self.body):
            return 413, {"error": f"a request has at most {self.body:,} bytes"}
        return None

    async def _read(self, receive: Receive) -> bytes | None:
        """Read the body; None where it is too large."""
        parts, size = [], 0
        while True:
            message = await receive()
            part = message.get("body", b"")
            size += len(part)
            if size > self.body:
                return None
            parts.append(part)
            if message["type"] == "http.disconnect" or not message.get("more_body", False):
                return b"".join(parts)

    async def _in_thread(self, run: Callable[..., Answer], *given: Any) -> Answer:
        import anyio

        if not self._limiter:
            self._limiter.append(anyio.CapacityLimiter(self.threads))
        answer: Answer = await anyio.to_thread.run_sync(run, *given, limiter=self._limiter[0])
        return answer

    def _run(self, path: str, body: bytes) -> Answer:
        try:
            came = decode(body)[0]
            text = well_formed(came)
            given = parse_json(text, "its text")
        except ValueError as error:
            return 400, {"error": f"the body cannot be read: {error}"}
        notes = [] if text is came else [CHARACTERS_REPLACED]
        if path == _GATEWAY and isinstance(given, dict) and self.gateway is not None:
            tool = self.gateway.tool()
            notes += [f"{name:.60} is not looked at" for name in given if name not in tool.properties]
            given = {name: value for name, value in given.items() if name in tool.properties}
        elif path == _GATEWAY or not isinstance(given, dict) or ("text" in given) == ("result" in given):
            wanted = "" if path == _GATEWAY else ' with either "text" or "result"'
            return 400, {"error": f"the body must be an object{wanted}"}
        else:
            tool = _RESULT if "result" in given else _TEXT
        said, data, wrong = run_tool(tool, given, self.deadline)
        if data is None:
            return _STATUS.get(wrong, 400), {"error": said}
        return 200, {**data, "warnings": list(dict.fromkeys([*data["warnings"], *notes]))}

    def _retrieve(self, hash: str) -> Answer:
        found = self.gateway.retrieve(hash) if self.gateway is not None else None
        return (404, {"error": "there is no result of this hash"}) if found is None else (200, found)


async def _answer(send: Send, status: int, data: Mapping[str, Any]) -> None:
    await send_response(send, status, json_bytes(data), "application/json")
