"""A backend in one process: requests that its threads answer a second, and latencies where more come.

A request is twenty chunks, source code and docstrings of Python's library, and a question about one of them.
Requests come at even times, however many wait, as they do from outside.

Examples:
    python -m benchmarks.retrieval.backend
    python -m benchmarks.retrieval.backend --seconds 20 --timeout 0.5 --json backend.json
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import functools
import inspect
import json
import statistics
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

from tersely.retrieval.parts import Parts, acompress_parts, compress_parts
from tersely.threads import default_threads

from benchmarks import report
from benchmarks.arguments import make_parser
from benchmarks.checks import require

_CHUNKS, _BUDGET = 20, 500
_MODULES = (argparse, ast, asyncio, functools, inspect, json, statistics, textwrap)


def main() -> None:
    """The command."""
    parser = make_parser(__doc__, needs_data=False)
    parser.add_argument("--seconds", type=float, default=5, metavar="S", help="of each row")
    parser.add_argument("--timeout", type=float, default=0.5, metavar="S", help="a request has so long")
    options = parser.parse_args()
    requests = _requests()
    _answers(requests, options.seconds / 5, 1)  # maps the tables
    result = report.Report("retrieval/backend", {"chunks": _CHUNKS, "budget": _BUDGET}, ("tersely",))
    most = default_threads()
    rates = {threads: _answers(requests, options.seconds, threads) for threads in sorted({1, 2, most})}
    found = {f"threads: {threads}": rate for threads, rate in rates.items()}
    found["processes: 2"] = _of_processes(options.seconds, 2)
    rows = [{"by": by, "rate": rate, "share": rate / rates[1]} for by, rate in found.items()]
    columns = [
        report.Column("by"),
        report.Column("rate", "requests/s", ".0f"),
        report.Column("share", "times one", ".2f"),
    ]
    result.table("compress_parts on threads, and what the machine gives to processes", columns, rows)
    loads = [_load(requests, options, share, share * rates[most]) for share in (0.5, 1, 2, 4)]
    columns = [
        report.Column("load", "times what it answers", ".1f"),
        report.Column("rate", "requests/s", ".0f"),
        *(report.Column(name, form=".0%") for name in ("answered", "overloaded", "timeout")),
        *(report.Column(name, f"{name} ms", ".0f") for name in ("p50", "p99", "most")),
    ]
    result.table(f"acompress_parts, {options.timeout:g} s a request", columns, loads)
    worst = max(row["p99"] for row in loads) / 1e3
    result.targets += [
        report.Target("two threads to one", 1.8, rates[2] / rates[1], "", at_most=False),
        report.Target("p99 beyond what it answers", 1.1 * options.timeout, worst, "s", at_most=True),
    ]
    result.finish(options.json)


def _requests() -> list[tuple[list[str], str]]:
    """(chunks, question) of each."""
    functions = [
        (name, function)
        for module in _MODULES
        for name, function in sorted(vars(module).items())
        if inspect.isfunction(function) and inspect.getdoc(function)
    ]
    code = [textwrap.dedent(inspect.getsource(function)) for _, function in functions]
    said = [str(inspect.getdoc(function)) for _, function in functions]
    made = []
    for first in range(0, len(functions) - _CHUNKS, 3):
        rows = range(first, first + _CHUNKS)
        chunks = [code[row] if row % 2 else said[row] for row in rows]
        made.append((chunks, f"What does {functions[first + 7][0]} return, and which errors does it raise?"))
    return made


def _checked(parts: Parts, chunks: list[str]) -> Parts:
    require(len(parts.texts) == len(chunks), "a text for each chunk")
    if parts.result is None:
        require(parts.texts == tuple(chunks), "the originals where there is no result")
    else:
        require(parts.result.receipt.tokens <= _BUDGET, "within the budget")
    return parts


def _answers(requests: list[tuple[list[str], str]], seconds: float, threads: int) -> float:
    """Requests a second that so many threads answer, each one after another."""
    end = time.perf_counter() + seconds

    def work(number: int) -> int:
        done = 0
        while time.perf_counter() < end:
            chunks, question = requests[(number + done * threads) % len(requests)]
            parts = _checked(compress_parts(chunks, question, budget=_BUDGET), chunks)
            require(parts.result is not None, f"an answer, not {parts.reason}")
            done += 1
        return done

    begun = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        done = sum(pool.map(work, range(threads)))
    return done / (time.perf_counter() - begun)


def _of_processes(seconds: float, processes: int) -> float:
    """Requests a second that so many processes answer with one thread each, which share nothing."""
    begin = time.time() + 2 + seconds / 5
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        return sum(pool.map(partial(_of_process, begin), [seconds] * processes))


def _of_process(begin: float, seconds: float) -> float:
    """Requests a second of this process from a time on, until which it warms up."""
    requests = _requests()
    _answers(requests, begin - time.time(), 1)
    return _answers(requests, seconds, 1)


def _load(
    requests: list[tuple[list[str], str]], options: argparse.Namespace, share: float, rate: float
) -> dict[str, Any]:
    """What becomes of requests that come at `rate` a second."""
    times: list[float] = []
    ends: list[str] = []

    async def one(number: int) -> None:
        chunks, question = requests[number % len(requests)]
        begun = time.perf_counter()
        parts = await acompress_parts(chunks, question, budget=_BUDGET, timeout=options.timeout)
        times.append(1e3 * (time.perf_counter() - begun))
        ends.append(_checked(parts, chunks).reason or "answered")

    async def come() -> None:
        begun, calls = time.perf_counter(), []
        for number in range(int(options.seconds * rate)):
            await asyncio.sleep(max(begun + number / rate - time.perf_counter(), 0))
            calls.append(asyncio.ensure_future(one(number)))
        await asyncio.gather(*calls)

    asyncio.run(come())
    times.sort()
    shares = {name: ends.count(name) / len(ends) for name in ("answered", "overloaded", "timeout")}
    require(sum(shares.values()) > 1 - 1e-9, f"no other end than these: {sorted(set(ends))}")
    percentiles = {"p50": times[len(times) // 2], "p99": times[int(0.99 * len(times))], "most": times[-1]}
    return {"load": share, "rate": rate, **shares, **percentiles}


if __name__ == "__main__":
    main()
