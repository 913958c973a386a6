"""`tersely mcp --http --workers N` over one index: equal replies, calls a second, CPU and memory of all.

python -m benchmarks.scale.serving --data DIR
python -m benchmarks.scale.serving --data DIR --workers 1 2 4 8 --calls 1000 --callers 32
"""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from tersely.retrieval.index import Index

from benchmarks.arguments import make_parser
from benchmarks.data import english_documents
from benchmarks.report import Column, Report, Target
from benchmarks.scale.corpus import questions, write_files

_HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
_TICKS = os.sysconf("SC_CLK_TCK")
_COLUMNS = (
    Column("workers"),
    Column("rate", "calls/s", ".0f"),
    Column("cpu", "CPU ms a call", ".1f"),
    Column("memory", "MB of all", ".0f"),
)


@contextmanager
def _server(index: Path, workers: int) -> Iterator[tuple[str, int]]:
    """The address and process id of a server."""
    command = [sys.executable, "-m", "tersely", "mcp", "--index", str(index)]
    command += ["--http", "--port", "0", "--workers", str(workers)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            yield process.stderr.readline().rpartition(" ")[2].strip(), process.pid
        finally:
            process.terminate()


def _ask(url: str, query: str) -> Any:
    """What `query_documents_compressed` replies, over a connection of its own."""
    place = urlsplit(url)
    call = {"name": "query_documents_compressed", "arguments": {"query": query}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    with closing(http.client.HTTPConnection(place.hostname or "", place.port, timeout=120)) as connection:
        connection.request("POST", place.path, body, _HEADERS)
        return json.loads(connection.getresponse().read())["result"]


def _family(process: int) -> list[int]:
    """A process and those that it started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *map(int, children)]


def _cpu(process: int) -> float:
    """Seconds that a process and those that it started have used."""
    stats = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in _family(process)]
    return sum(int(fields[11]) + int(fields[12]) for fields in stats) / _TICKS


def _megabytes(process: int) -> float:
    """What they hold in memory, where what several share counts once."""
    texts = [Path(f"/proc/{one}/smaps_rollup").read_text() for one in _family(process)]
    return sum(int(re.findall(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)[0]) for text in texts) / 1024


def main() -> None:
    """Measure."""
    parser = make_parser(__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], metavar="N", help="(1 2 4)")
    parser.add_argument("--calls", type=int, default=300, metavar="N", help="of each server (300)")
    parser.add_argument("--callers", type=int, default=16, metavar="N", help="at a time (16)")
    arguments = parser.parse_args()
    settings = {name: getattr(arguments, name) for name in ("workers", "calls", "callers")}
    report = Report("scale.serving", settings, ())
    queries = list(islice(questions(arguments.data), arguments.calls))
    rows, replies = [], []
    with TemporaryDirectory() as place, ThreadPoolExecutor(arguments.callers) as pool:
        folder = Path(place) / "files"
        folder.mkdir()
        write_files(folder, english_documents(arguments.data))
        index = Index.build(folder)
        for workers in arguments.workers:
            with _server(folder, workers) as (url, process):
                list(pool.map(lambda query, url=url: _ask(url, query), queries[:50]))
                used, begun = _cpu(process), time.perf_counter()
                replies.append(list(pool.map(lambda query, url=url: _ask(url, query), queries)))
                rate = len(queries) / (time.perf_counter() - begun)
                cpu = (_cpu(process) - used) / len(queries) * 1e3
                rows.append({"workers": workers, "rate": rate, "cpu": cpu, "memory": _megabytes(process)})
        report.table(f"{len(index):,} chunks, {arguments.callers} callers", _COLUMNS, rows)
    differ = sum(reply != first for other in replies for reply, first in zip(other, replies[0], strict=True))
    report.targets.append(Target("replies that differ from the first server's", 0, differ, "", True))
    report.note("Calls a second need a machine with nothing else to do, and a core a worker.")
    report.finish(arguments.json)


main()
