"""Serve the Model Context Protocol over standard input and output, as desktop clients start a server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, cast

from tersely.server.application import make_server
from tersely.server.tools import Tool

__all__ = ["serve_stdio"]


def serve_stdio(tools: Sequence[Tool], *, threads: int = 8, deadline: float = 60.0) -> None:
    """Serve tools until standard input ends or Ctrl-C is pressed.

    Nothing but the protocol reaches standard output: while it serves, the SDK points file descriptor 1 at
    standard error for everything else, and so does this with what Python prints, which may wait in a buffer.
    """
    server = make_server(tools, threads=threads, deadline=deadline)
    import anyio

    async def serve() -> None:
        async with over_stdio() as (read, write):
            with contextlib.redirect_stdout(sys.stderr):
                await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


@contextlib.asynccontextmanager
async def over_stdio() -> AsyncIterator[tuple[Any, Any]]:
    """Open the streams of incoming and outgoing messages over standard input and output.

    Input is read by a thread that nobody waits for: it may still be blocked when the server ends, by Ctrl-C
    or because what it stands in front of has ended. Meanwhile file descriptor 0 is empty, so that no tool
    reads what is the protocol's.
    """
    import anyio
    from mcp.server.stdio import stdio_server

    given, lines = anyio.create_memory_object_stream[str](0)
    source = os.dup(0)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    try:
        _read_lines(os.dup(source), given)
        async with lines, stdio_server(stdin=cast("Any", lines)) as streams, given:
            yield streams
    finally:
        os.dup2(source, 0)
        os.close(source)


def _read_lines(source: int, given: Any) -> None:
    """Start a thread that sends the lines of a file descriptor into a stream, and closes both at the end."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        with (
            contextlib.suppress(Exception),
            os.fdopen(source, encoding="utf-8", errors="replace") as file,
        ):
            for line in file:
                asyncio.run_coroutine_threadsafe(given.send(line), loop).result()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(given.close)

    threading.Thread(target=read, name="standard input", daemon=True).start()
