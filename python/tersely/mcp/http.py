"""Serve tools over streamable HTTP, behind a gate that checks each request."""

from __future__ import annotations

import errno
import hmac
import logging
import math
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from tersely import checks
from tersely.mcp.application import Application, Receive, Scope, Send, make_server, send_response
from tersely.mcp.compress_door import RETRIEVE, CompressDoor
from tersely.mcp.gateway import Gateway
from tersely.mcp.tools import Tool

__all__ = ["Gate", "checked_token", "http_application", "serve_http", "server_config"]

_BODY = 4 * 2**20  # bytes of a request
_SHORTEST_TOKEN = 16  # characters
_HEALTH, _READY = "/health", "/ready"
_READY_WAIT = 5.0  # seconds until what does not say whether it is ready is not
_LOG = logging.getLogger("tersely.mcp")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")  # as they stand in URLs


def checked_token(token: str, source: str = "the bearer token") -> str:
    """Return a bearer token that is long enough; raises ValueError, which names `source`, for another."""
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise ValueError(f"{source} must have {_SHORTEST_TOKEN} or more printable ASCII characters")
    return token


def http_application(
    tools: Sequence[Tool],
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    origins: Iterable[str] = (),
    most: int = 256,
    body: int = _BODY,
    threads: int = 8,
    deadline: float = 60.0,
    ready: Iterable[Callable[[], object]] = (),
    gateway: Gateway | None = None,
) -> Gate:
    """Make the ASGI application: MCP at /mcp, and POST /compress (compress_door.py) for callers in any
    language; /v1/compress and /v1/retrieve for gateways; GET /health and /ready. There are no sessions, so
    memory does not grow.

    Args:
        tools: of the server.
        host: where it will listen. On loopback the Host header must name this machine too; others need a
            `token`.
        token, origins, most, ready: as of `Gate`; an origin is like "https://example.org".
        body, threads, deadline, gateway: as of `CompressDoor`, and of tool calls.

    Raises ValueError where a host that others can reach has no token, for a token that is too short, and for
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

    names = _LOOPBACK_NAMES
    security = TransportSecuritySettings(  # origins are the gate's affair
        enable_dns_rebinding_protection=_is_loopback(host),
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],
        allowed_origins=[*origins, *map("".join, product(("http://", "https://"), names, ("", ":*")))],
    )
    application: Any = server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=body,
        transport_security=security,
        host=host,
    )
    hosts = names if _is_loopback(host) else ()
    application = CompressDoor(application, hosts, body, threads, deadline, gateway)
    allowed = frozenset(origin.rstrip("/") for origin in origins)
    return Gate(application, token, allowed, most, tuple(ready))


def serve_http(
    tools: Sequence[Tool],
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    connections: int = 512,
    idle: float = 10.0,
    deadline: float = 60.0,
    **options: Any,
) -> None:
    """Serve http://HOST:PORT/mcp until interrupted; `options` are those of `http_application`.

    SIGTERM and Ctrl-C end it gracefully: no connection is taken any more, and calls that have begun are
    answered, for as long as a call may run. After SIGTERM it returns.

    Args:
        tools: of the server.
        host, port: where it listens; port 0 is any that is free.
        connections: at a time; callers on more are told to come again (503).
        idle: seconds that a connection may take to send the head of a request.
        deadline: seconds that a tool call may run.

    Logs go to standard error. Raises ValueError where it cannot listen there.
    """
    application = http_application(tools, host=host, deadline=deadline, **options)
    grace = math.ceil(deadline)
    config = server_config(application, connections=connections, idle=idle, timeout_graceful_shutdown=grace)
    sockets = _listen(host, port)
    port = sockets[0].getsockname()[1]
    import uvicorn

    print(f"tersely: serving http://{f'[{host}]' if ':' in host else host}:{port}/mcp", file=sys.stderr)
    server = uvicorn.Server(config)

    def end() -> None:
        server.should_exit = True

    with _at_sigterm(end):
        server.run(sockets=sockets)


@contextmanager
def _at_sigterm(end: Callable[[], None]) -> Iterator[None]:
    """Call `end` at SIGTERM, so that the program ends by itself and closes its files."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: end())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def server_config(
    application: Application, *, connections: int = 512, idle: float = 10.0, **more: Any
) -> Any:
    """Return the `uvicorn.Config` of an application; `connections`, `idle`: as of `serve_http`.

    Raises ValueError where there are fewer than one connection, or no time.
    """
    connections = checks.whole_number(connections, "connections", least=1)
    idle = checks.number(idle, "idle", above=0)
    import uvicorn

    from tersely.mcp.connections import HEAD, HeadInTime

    defaults: dict[str, Any] = {
        "log_level": "warning",
        "timeout_graceful_shutdown": 5,
        "server_header": False,
        "timeout_keep_alive": idle,
    }
    return uvicorn.Config(
        application,
        http=HeadInTime,
        ws="none",
        limit_concurrency=connections + 1,
        h11_max_incomplete_event_size=HEAD,
        **(defaults | more),
    )


def _listen(host: str, port: int) -> list[socket.socket]:
    """Open a socket for each address of the host that this machine has."""
    port = checks.whole_number(port, "port", most=2**16 - 1)
    sockets: list[socket.socket] = []
    reason = OSError("the host has no address here")
    try:
        for family, _, _, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            try:
                sockets.append(socket.create_server(address[:2], family=family))
            except OSError as error:  # of "localhost", perhaps only the IPv6 address is missing
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                    raise
                reason = error
        if not sockets:
            raise reason
    except OSError as error:
        for opened in sockets:
            opened.close()
        raise ValueError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from error
    return sockets


def _is_loopback(host: str) -> bool:
    """Whether a server on `host` is reached from this machine alone."""
    return host in _LOOPBACK


@dataclass(slots=True)
class Gate:
    """An ASGI application that checks each request before another one sees it.

    Attributes:
        application: what is guarded.
        token: what `Authorization: Bearer` must hold; None: nothing is asked for.
        origins: web origins whose pages may call besides the server's own; others are refused, those of
            other ports of this machine too, so that a page in a browser cannot use what listens here. Callers
            that are no browsers send no origin.
        most: requests at a time; more are told to come again (503).
        ready: called when somebody asks for /ready; each raises where something served cannot be used (503).

    GET /health says that the process answers, GET /ready that it can take a call now: both are for whoever
    watches the server, ask for no token and tell nothing else.
    """

    application: Application
    token: str | None = None
    origins: frozenset[str] = frozenset()
    most: int = 256
    ready: tuple[Callable[[], object], ...] = ()
    _inside: int = field(default=0, init=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it: 403 origin, 401 token, 405 GET, 503 too many."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        if not self._welcomes_all(scope):
            await _refuse(send, 403, "this origin may not call")
        elif scope["method"] in ("GET", "HEAD") and scope["path"] == _HEALTH:
            await send_response(send, 200, b"alive", "text/plain")
        elif scope["method"] in ("GET", "HEAD") and scope["path"] == _READY:
            await self._tell_whether_ready(send)
        elif not self._is_authorized(headers.get(b"authorization", b"")):
            await _refuse(send, 401, "a bearer token is needed", (b"www-authenticate", b"Bearer"))
        elif scope["method"] == "GET" and not scope["path"].startswith(RETRIEVE):
            # No stream of the server's own: calls are answered where they come in.
            await _refuse(send, 405, "there is nothing to get; POST calls here", (b"allow", b"POST"))
        elif self._inside >= self.most:
            await _refuse(send, 503, "too many requests at a time", (b"retry-after", b"1"))
        else:
            self._inside += 1
            try:
                await self.application(scope, receive, send)
            finally:
                self._inside -= 1

    async def _tell_whether_ready(self, send: Send) -> None:
        import anyio

        busy = self._inside >= self.most
        with anyio.move_on_after(_READY_WAIT):
            if not busy and await anyio.to_thread.run_sync(self._is_ready, abandon_on_cancel=True):
                await send_response(send, 200, b"ready", "text/plain")
                return
        await _refuse(send, 503, "busy" if busy else "not ready", (b"retry-after", b"1"))

    def _is_ready(self) -> bool:
        try:
            for check in self.ready:
                check()
        except Exception as error:
            _LOG.warning("not ready: %s", error)
            return False
        return True

    def _welcomes_all(self, scope: Scope) -> bool:
        """Whether every origin of a request is an allowed one or the server's own."""
        given = {value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"origin"}
        _, port = scope.get("server") or ("", None)
        own = {f"http://{name}{'' if port == 80 else f':{port}'}" for name in _LOOPBACK_NAMES}
        return given <= self.origins | own

    def _is_authorized(self, authorization: bytes) -> bool:
        if self.token is None:
            return True
        scheme, _, given = authorization.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self.token.encode())


async def _refuse(send: Send, status: int, reason: str, *headers: tuple[bytes, bytes]) -> None:
    await send_response(send, status, reason.encode(), "text/plain", *headers)
