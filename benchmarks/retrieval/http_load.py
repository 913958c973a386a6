"""Many callers at a time over HTTP on this machine: errors, latencies, and the server's memory.

Examples:
    python -m benchmarks.retrieval.http_load --data DIR
    python -m benchmarks.retrieval.http_load --data DIR --callers 64 --seconds 60 --json load.json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tersely.server.query_tools import QueryTools
from tersely.server.tools import Tool

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
    if options.serve:
        from tersely.server.http import serve_http

        serve_http(tools, port=options.serve)
        return
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.retrieval.http_load", "--data", str(options.data)]
    server = subprocess.Popen([*command, "--serve", str(port)], stderr=subprocess.DEVNULL)
    try:
        asyncio.run(_measure(options, f"http://127.0.0.1:{port}/mcp", server.pid, _expected(options, tools)))
    finally:
        server.terminate()
        server.wait()


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--callers", type=int, default=64, metavar="N")
    parser.add_argument("--seconds", type=float, default=60, metavar="S")
    parser.add_argument("--serve", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def _expected(options: argparse.Namespace, tools: list[Tool]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Calls, and what each must give: the tool's own reply in this process."""
    compressed = next(tool for tool in tools if tool.name == "query_documents_compressed")
    defaults = {"top_n": 5, "min_score": 0.3, "similarity_threshold": 0.85}
    headings = list(dict.fromkeys(chunk.header_path for chunk in manual_chunks(options.data)))
    queries = [heading for heading in headings if heading.strip()][:: len(headings) // _QUERIES + 1]
    return [({"query": query}, dict(compressed.run({"query": query} | defaults).data)) for query in queries]


async def _measure(
    options: argparse.Namespace,
    url: str,
    process: int,
    calls: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    import httpx2

    result = report.Report("retrieval/http_load", {"callers": options.callers}, ("mcp", "uvicorn"))
    latencies: list[float] = []
    errors: list[str] = []
    memory: list[float] = []
    limits = httpx2.Limits(max_connections=options.callers)
    async with httpx2.AsyncClient(headers=_HEADERS, limits=limits, timeout=60) as client:
        await _until_up(client, url)
        end = time.perf_counter() + options.seconds
        used = _cpu(process)

        async def caller(number: int) -> None:
            turn = number
            while time.perf_counter() < end:
                arguments, expected = calls[turn % len(calls)]
                turn += 1
                started = time.perf_counter()
                try:
                    got = await _call(client, url, arguments)
                except Exception as error:
                    errors.append(repr(error))
                    continue
                latencies.append(time.perf_counter() - started)
                if got != expected:
                    errors.append(f"another answer to {arguments}")

        async def watch() -> None:
            while time.perf_counter() < end:
                memory.append(_resident(process))
                await asyncio.sleep(options.seconds / 30)

        await asyncio.gather(watch(), *(caller(number) for number in range(options.callers)))
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
    result.table(f"{options.callers} callers for {options.seconds:g} s", columns, [row])
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


async def _call(client: Any, url: str, arguments: dict[str, Any]) -> dict[str, Any]:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "query_documents_compressed", "arguments": arguments},
    }
    reply = await client.post(url, content=json.dumps(body))
    if reply.status_code != 200:
        raise RuntimeError(f"status {reply.status_code}")
    found: dict[str, Any] = reply.json()["result"]["structuredContent"]
    return found


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
