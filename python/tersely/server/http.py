"""A server over streamable HTTP."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from tersely.server.application import make_server
from tersely.server.gate import Gate, is_loopback
from tersely.server.tools import Tool

__all__ = ["http_application", "serve_http"]

_BODY = 4 * 2**20  # bytes of a request
_SHORTEST_TOKEN = 16  # characters


def http_application(
    tools: Sequence[Tool],
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    origins: Iterable[str] = (),
    most: int = 256,
    body: int = _BODY,
    patience: float = 30.0,
    threads: int = 8,
) -> Gate:
    """The ASGI application, at /mcp. Every request stands for itself: no sessions, so memory does not grow.

    Args:
        tools: of the server.
        host: where it will listen. On loopback the Host header must name this machine too.
        token: the bearer token that every request must show; needed where others can reach `host`.
        origins: web origins that may call besides this machine's own, such as "https://example.org".
        most: requests at a time, beyond which callers get 503.
        body: bytes of a request at most (413).
        patience: seconds for a body to arrive (408).
        threads: tool calls that run at a time.

    Raises ValueError where a host that others can reach has no token, for a token that is too short, and for
    an origin without "://".
    """
    origins = list(origins)
    for origin in origins:
        if "://" not in origin:
            raise ValueError(f'an origin must be like "https://example.org", not {origin!r}')
    if token is None and not is_loopback(host):
        raise ValueError(f"listening on {host} needs a bearer token: others can reach it")
    if token is not None and (len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
        raise ValueError(f"the bearer token must have {_SHORTEST_TOKEN} or more printable ASCII characters")
    server = make_server(tools, threads=threads)
    from mcp.server.transport_security import TransportSecuritySettings

    names = ["127.0.0.1", "localhost", "[::1]"]
    security = TransportSecuritySettings(  # origins are the gate's affair
        enable_dns_rebinding_protection=is_loopback(host),
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],
        allowed_origins=[
            *origins,
            *(
                f"{scheme}://{name}{port}"
                for scheme in ("http", "https")
                for name in names
                for port in ("", ":*")
            ),
        ],
    )
    application: Any = server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=body,
        transport_security=security,
        host=host,
    )
    return Gate(application, token, frozenset(origin.rstrip("/") for origin in origins), most, patience)


def serve_http(tools: Sequence[Tool], *, host: str = "127.0.0.1", port: int = 8765, **options: Any) -> None:
    """Serve http://HOST:PORT/mcp until interrupted; `options` are those of `http_application`.

    Port 0 is any that is free; logs go to standard error. Raises ValueError where it cannot listen there.
    """
    application = http_application(tools, host=host, **options)
    import uvicorn

    config = uvicorn.Config(
        application,
        host=host,
        port=port,
        log_level="warning",
        timeout_graceful_shutdown=5,
        server_header=False,
    )
    sockets = _listen(host, port)
    port = sockets[0].getsockname()[1]
    print(f"tersely: serving http://{f'[{host}]' if ':' in host else host}:{port}/mcp", file=sys.stderr)
    uvicorn.Server(config).run(sockets=sockets)


def _listen(host: str, port: int) -> list[socket.socket]:
    """A socket for each address of the host that this machine has."""
    if not 0 <= port < 2**16:
        raise ValueError(f"port must lie in [0, {2**16 - 1}], not {port}")
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
