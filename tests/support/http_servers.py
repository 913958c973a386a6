"""A real HTTP server of tools on a free port of this machine. Skips where uvicorn is not installed."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

uvicorn = pytest.importorskip("uvicorn")

from tersely.mcp.http import http_application, server_config  # noqa: E402
from tersely.mcp.tools import Tool  # noqa: E402


@contextmanager
def served(tools: list[Tool], **options: Any) -> Iterator[str]:
    """The URL of a server on a free port of this machine."""
    connections = options.pop("connections", 256)
    application = http_application(tools, **options)
    server = uvicorn.Server(server_config(application, connections, port=0, log_level="critical"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join()


def ask(address: str, path: str, body: Any, method: str = "POST", **headers: str) -> tuple[int, Any]:
    """The status and the answer of a request; what is no JSON as a text."""
    place = urlsplit(address)
    given = {"content-type": "application/json"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
    with closing(connection):
        connection.request(
            method, path, body if isinstance(body, bytes) else json.dumps(body).encode(), given
        )
        reply = connection.getresponse()
        text = reply.read().decode()
        return reply.status, json.loads(text) if reply.headers["content-type"] == "application/json" else text
