"""Serve tools over standard input and output, as desktop clients start a server."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence

from tersely.server.application import make_server
from tersely.server.tools import Tool

__all__ = ["serve_stdio"]


def serve_stdio(tools: Sequence[Tool], *, threads: int = 8, deadline: float = 60.0) -> None:
    """Serve until standard input ends.

    Nothing but the protocol reaches standard output: while it serves, the SDK points file descriptor 1 at
    standard error for everything else, and so does this with what Python prints, which may wait in a buffer.
    """
    server = make_server(tools, threads=threads, deadline=deadline)
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server() as (read, write):
            with contextlib.redirect_stdout(sys.stderr):
                await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)
