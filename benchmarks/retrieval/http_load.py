"""Many callers at a time on this machine, slow clients among them: errors, latencies, the server's memory.

Slow clients hold a connection each: they send half of a head, or nothing. Over standard input there is one
client, with as many calls under way.

Examples:
    python -m benchmarks.retrieval.http_load --data DIR
    python -m benchmarks.retrieval.http_load --data DIR --callers 64 --slow 32 --seconds 60 --json load.json
    python -m benchmarks.retrieval.http_load --data DIR --stdio
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from tersely.mcp.query_tools import QueryTools
from tersely.mcp.tools import Tool

from benchmarks import report
from benchmarks.arguments import make_parser
from benchmarks.retrieval.in_memory import InMemory, manual_chunks

_HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
_QUERIES = 100
_PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """The command."""
    options = _arguments()
    tools = QueryTools(InMemory(manual_chunks(options.data))).tools()
    if options.serve is not None:
        if options.stdio:
            from tersely.mcp.application import serve_stdio

            serve_stdio(tools)
        else:
            from tersely.mcp.http import serve_http

            serve_http(tools, port=options.serve)
        return
    asyncio.run(_measure(options, _expected(options, tools)))


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--callers", type=int, default=64, metavar="N")
    parser.add_argument("--slow", type=int, default=32, metavar="N", help="slow clients beside them (HTTP)")
    parser.add_argument("--seconds", type=float, default=60, metavar="S")
    parser.add_argument("--stdio", action="store_true", help="over standard input instead of HTTP")
    parser.add_argument("--serve", type=int, default=None, help=argparse.SUPPRESS)
    return parser.parse_args()


def _expected(options: argparse.Namespace, tools: list[Tool]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Calls, and what each must give: the tool's own reply in this process."""
    compressed = next(tool for tool in tools if tool.name == "query_documents_compressed")
    defaults = {"top_n": 5, "min_score": 0.3, "similarity_threshold": 0.85}
    headings = list(dict.fromkeys(chunk.header_path for chunk in manual_chunks(options.data)))
    queries = [heading for heading in headings if heading.strip()][:: len(headings) // _QUERIES + 1]
    return [({"query": query}, dict(compressed.run({"query": query} | defaults).data)) for query in queries]


async def _measure(options: argparse.Namespace, calls: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    result = report.Report("retrieval/http_load", {"callers": options.callers}, ("mcp", "uvicorn"))
    latencies: list[float] = []
    errors: list[str] = []
    memory: list[float] = []
    async with (_over_stdio if options.stdio else _over_http)(options) as (ask, process, port):
        end = time.perf_counter() + options.seconds
        used = _cpu(process)

        async def caller(number: int) -> None:
            turn = number
            while time.perf_counter() < end:
                arguments, expected = calls[turn % len(calls)]
                turn += 1
                started = time.perf_counter()
                try:
                    got = await ask(arguments)
                except Exception as error:
                    errors.append(repr(error))
                    continue
                latencies.append(time.perf_counter() - started)
                if got != expected:
                    errors.append(f"another answer to {arguments}")

        async def slow_client(number: int) -> None:
            while time.perf_counter() < end:
                with contextlib.suppress(OSError, asyncio.TimeoutError):
                    await asyncio.wait_for(_slowly(number, port), end - time.perf_counter())

        async def watch() -> None:
            while time.perf_counter() < end:
                memory.append(_resident(process))
                await asyncio.sleep(options.seconds / 30)

        slow = [] if options.stdio else [slow_client(number) for number in range(options.slow)]
        await asyncio.gather(watch(), *slow, *(caller(number) for number in range(options.callers)))
        used = _cpu(process) - used
    milliseconds = sorted(1e3 * one for one in latencies)
    half = memory[len(memory) // 3 :]  # what comes after the first third is no warm-up
    growth = statistics.mean(half[-5:]) / statistics.mean(half[:5]) - 1
    row = {
        "calls": len(latencies),
        "errors": len(errors),
        "rate": len(latencies) / options.seconds,
        "cpu": 1e3 * used / len(latencies),
        "p50": milliseconds[len(milliseconds) // 2],
        "p99": milliseconds[int(0.99 * len(milliseconds))],
        "most": milliseconds[-1],
        "memory": memory[-1],
        "growth": growth,
    }
    columns = [
        report.Column("calls", form=","),
        report.Column("errors"),
        report.Column("rate", "calls/s", ".0f"),
        report.Column("cpu", "server's CPU ms a call", ".1f"),
        report.Column("p50", "p50 ms", ".0f"),
        report.Column("p99", "p99 ms", ".0f"),
        report.Column("most", "most ms", ".0f"),
        report.Column("memory", "server MB", ".0f"),
        report.Column("growth", "growth after a third", "+.1%"),
    ]
    way = "standard input" if options.stdio else f"HTTP, {options.slow} slow clients beside them"
    result.table(f"{options.callers} callers for {options.seconds:g} s over {way}", columns, [row])
    result.note(
        "Each answer is compared with the tool's own in this process. Callers and server share the CPUs."
    )
    result.targets += [
        report.Target("errors", 0, len(errors), "", at_most=True),
        report.Target("growth of memory after the first third", 0.05, growth, "", at_most=True),
    ]
    result.details["errors"] = errors[:20]
    result.details["memory"] = memory
    result.finish(options.json)


Ask = Callable[[dict[str, Any]], Awaitable[Any]]
Served = tuple[Ask, int, int]  # asks, process id and port of the server


@contextlib.asynccontextmanager
async def _over_http(options: argparse.Namespace) -> AsyncIterator[Served]:
    import httpx2

    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = subprocess.Popen(_command(options, port), stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/mcp"
    try:
        limits = httpx2.Limits(max_connections=options.callers)
        async with httpx2.AsyncClient(headers=_HEADERS, limits=limits, timeout=60) as client:

            async def ask(arguments: dict[str, Any]) -> Any:
                reply = await client.post(url, content=json.dumps(_body(1, arguments)))
                if reply.status_code != 200:
                    raise RuntimeError(f"status {reply.status_code}")
                return reply.json()["result"]["structuredContent"]

            await _until_up(client, url)
            yield ask, server.pid, port
    finally:
        server.terminate()
        server.wait()


@contextlib.asynccontextmanager
async def _over_stdio(options: argparse.Namespace) -> AsyncIterator[Served]:
    pipe, quiet = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    server = await asyncio.create_subprocess_exec(
        *_command(options, 0), "--stdio", stdin=pipe, stdout=pipe, stderr=quiet, limit=2**26
    )
    assert server.stdin is not None and server.stdout is not None
    waiting: dict[int, asyncio.Future[Any]] = {}
    numbers = itertools.count(1)

    async def request(body: dict[str, Any]) -> Any:
        assert server.stdin is not None
        waiting[body["id"]] = asyncio.get_running_loop().create_future()
        server.stdin.write(json.dumps(body).encode() + b"\n")
        await server.stdin.drain()
        try:
            return await asyncio.wait_for(waiting[body["id"]], 60)
        finally:
            del waiting[body["id"]]

    async def read() -> None:
        assert server.stdout is not None
        while line := await server.stdout.readline():
            said = json.loads(line)
            if (found := waiting.get(said.get("id"))) is not None and not found.done():
                found.set_result(said)

    async def ask(arguments: dict[str, Any]) -> Any:
        return (await request(_body(next(numbers), arguments)))["result"]["structuredContent"]

    reader = asyncio.create_task(read())
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "load", "version": "1"},
    }
    await request({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    server.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    try:
        yield ask, server.pid, 0
    finally:
        server.stdin.close()
        await server.wait()
        await reader


def _command(options: argparse.Namespace, port: int) -> list[str]:
    command = [sys.executable, "-m", "benchmarks.retrieval.http_load", "--data", str(options.data)]
    return [*command, "--serve", str(port)]


def _body(number: int, arguments: dict[str, Any]) -> dict[str, Any]:
    parameters = {"name": "query_documents_compressed", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": parameters}


async def _slowly(number: int, port: int) -> None:
    """Be a slow client until the server ends the connection: one that sends half a head, or nothing."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        if number % 2:
            writer.write(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n")
        while await reader.read(2**16):
            pass
    finally:
        writer.transport.abort()


async def _until_up(client: Any, url: str) -> None:
    for _ in range(600):
        try:
            await client.post(url, content=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
            return
        except Exception:
            await asyncio.sleep(0.1)
    raise SystemExit("the server did not start")


def _cpu(process: int) -> float:
    """Seconds that the server has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(process: int) -> float:
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * _PAGE / 2**20


if __name__ == "__main__":
    main()
