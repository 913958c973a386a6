"""Serve tools over streamable HTTP; each request is checked first."""

from __future__ import annotations

import hmac
import logging
import math
import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tersely import checks
from tersely.mcp.application import make_server
from tersely.mcp.compress_door import RETRIEVE, compress_routes
from tersely.mcp.gateway import Gateway
from tersely.mcp.tools import Tool
from tersely.threads import at_sigterm

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["checked_token", "http_application", "serve_http"]

_SHORTEST_TOKEN = 16  # characters
_HEALTH, _READY = "/health", "/ready"
_HEAD = 16 * 2**10  # bytes of the head of a request
_READY_WAIT = 5.0  # seconds until what does not say whether it is ready is not
_LOG = logging.getLogger("tersely.mcp")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")  # as they stand in URLs


def checked_token(token: str, source: str = "the bearer token") -> str:
    """Return a bearer token if it is long enough; otherwise raise ValueError, which names `source`."""
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise ValueError(f"{source} must have {_SHORTEST_TOKEN} or more printable ASCII characters")
    return token


def http_application(
    tools: Sequence[Tool],
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    origins: Iterable[str] = (),
    body: int = 4 * 2**20,
    threads: int = 8,
    deadline: float = 60.0,
    ready: Iterable[Callable[[], object]] = (),
    gateway: Gateway | None = None,
) -> Any:
    """Make the ASGI application: MCP at /mcp, POST /compress for any language, requests of gateways, and
    health checks.

    Args:
        tools: of the server.
        host: where it will listen. On loopback the Host header must name this machine too; others need a
            `token`.
        token: what `Authorization: Bearer` must hold; None: nothing is asked for.
        origins: web origins, like "https://example.org", whose pages may call besides the server's own;
            others are refused, those of other ports of this machine too, so that a page in a browser cannot
            use what listens here. Callers that are no browsers send no origin.
        ready: called on a request for /ready; each raises an error if something that is served cannot be used
            (503).
        body, threads, deadline, gateway: as of `compress_routes`, and of tool calls.

    GET /health says that the process answers, GET /ready that it can take a call now. Both are for
    monitoring, need no token and say nothing else.

    Raises ValueError if a host that others can reach has no token, for a token that is too short, and for
    an origin without "://".
    """
    origins = list(origins)
    for origin in origins:
        if "://" not in origin:
            raise ValueError(f'an origin must be like "https://example.org", not {origin!r}')
    if token is None and not _is_loopback(host):
        raise ValueError(f"listening on {host} needs a bearer token: others can reach it")
    if token is not None:
        checked_token(token)
    server = make_server(tools, threads=threads, deadline=deadline)
    from mcp.server.transport_security import TransportSecuritySettings

    application = server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=body,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the gate's
        custom_starlette_routes=compress_routes(
            body=body, threads=threads, deadline=deadline, gateway=gateway
        ),
    )
    hosts = _LOOPBACK_NAMES if _is_loopback(host) else ()
    allowed = frozenset(origin.rstrip("/") for origin in origins)
    return _Gate(application, token, hosts, allowed, tuple(ready))


def serve_http(
    tools: Sequence[Tool],
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    connections: int = 256,
    deadline: float = 60.0,
    **options: Any,
) -> None:
    """Serve http://HOST:PORT/mcp until interrupted; `options` are those of `http_application`.

    SIGTERM and Ctrl-C end it gracefully: no connection is taken any more, and calls that have begun are
    answered, for as long as a call may run. After SIGTERM it returns.

    Args:
        tools: of the server.
        host, port: where it listens; port 0 is any that is free.
        connections: the most at a time; further callers get 503.
        deadline: seconds that a tool call may run.

    Logs go to standard error. Raises ValueError if it cannot listen at that address.
    """
    application = http_application(tools, host=host, deadline=deadline, **options)
    config = server_config(application, connections, timeout_graceful_shutdown=math.ceil(deadline))
    listener = _listen(host, port)
    port = listener.getsockname()[1]
    import uvicorn

    print(f"tersely: serving http://{f'[{host}]' if ':' in host else host}:{port}/mcp", file=sys.stderr)
    server = uvicorn.Server(config)

    def end() -> None:
        server.should_exit = True

    with at_sigterm(end):
        server.run(sockets=[listener])


def server_config(application: Any, connections: int = 256, **more: Any) -> Any:
    """Return the `uvicorn.Config` of an application; `connections`: as of `serve_http`.

    Raises ValueError if there are fewer than one connection.
    """
    connections = checks.whole_number(connections, "connections", least=1)
    import uvicorn

    defaults: dict[str, Any] = {"log_level": "warning", "timeout_graceful_shutdown": 5}
    return uvicorn.Config(
        application,
        http="h11",
        ws="none",
        server_header=False,
        limit_concurrency=connections + 1,
        h11_max_incomplete_event_size=_HEAD,
        **(defaults | more),
    )


def _listen(host: str, port: int) -> socket.socket:
    """Open a socket."""
    port = checks.whole_number(port, "port", most=2**16 - 1)
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise ValueError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from error


def _is_loopback(host: str) -> bool:
    """Whether a server on `host` is reached from this machine alone."""
    return host in _LOOPBACK


@dataclass(slots=True)
class _Gate:
    """An ASGI application that checks each request before another one sees it; see `http_application`."""

    application: Any
    token: str | None
    hosts: tuple[str, ...]  # that the Host header may name, with any port; empty: all
    origins: frozenset[str]
    ready: tuple[Callable[[], object], ...]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":  # the server starts, or ends
            await self.application(scope, receive, send)
            return
        from starlette.requests import Request

        answer = await self._answer(Request(scope))
        await (self.application if answer is None else answer)(scope, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        """Answer what is no call, and refuse: 403 Host or origin, 401 token, 405 GET."""
        import anyio
        from starlette.responses import PlainTextResponse as Text

        path, get = request.scope["path"], request.method in ("GET", "HEAD")
        host = request.headers.get("host", "").strip().lower()
        name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
        if self.hosts and name not in self.hosts:
            return Text("this Host may not be asked for", 403)
        if not self._welcomes(set(request.headers.getlist("origin")), request.scope.get("server")):
            return Text("this origin may not call", 403)
        if get and path == _HEALTH:
            return Text("alive")
        if get and path == _READY:
            with anyio.move_on_after(_READY_WAIT):
                if await anyio.to_thread.run_sync(self._is_ready, abandon_on_cancel=True):
                    return Text("ready")
            return Text("not ready", 503, {"retry-after": "1"})
        if not self._is_authorized(request.headers.get("authorization", "")):
            return Text("a bearer token is needed", 401, {"www-authenticate": "Bearer"})
        if request.method == "GET" and not path.startswith(RETRIEVE):
            # No stream of the server's own: calls are answered where they come in.
            return Text("there is nothing to get; POST calls here", 405, {"allow": "POST"})
        return None

    def _is_ready(self) -> bool:
        try:
            for check in self.ready:
                check()
        except Exception as error:
            _LOG.warning("not ready: %s", error)
            return False
        return True

    def _welcomes(self, given: set[str], server: Any) -> bool:
        """Whether every origin of a request is an allowed one or the server's own."""
        _, port = server or ("", None)
        own = {f"http://{name}{'' if port == 80 else f':{port}'}" for name in _LOOPBACK_NAMES}
        return given <= self.origins | own

    def _is_authorized(self, authorization: str) -> bool:
        if self.token is None:
            return True
        scheme, _, given = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self.token.encode())
