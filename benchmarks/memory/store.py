"""The store: originals a second, reads, searches, the size of the file.

examples:
  python -m benchmarks.memory.store --data DIR
  python -m benchmarks.memory.store --data DIR --records 1000000 --json store.json
"""

from __future__ import annotations

import itertools
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from tersely.store import Store

from benchmarks import data as development
from benchmarks.arguments import make_parser
from benchmarks.progress import Progress
from benchmarks.report import Column, Report, Target

_GROUP = 1000  # originals in a call of put_many
_THREADS = 32
_PUTS = 4000  # by the threads together
_READS = 5000
_SEARCHES = 50
_LONGEST = 4000  # characters of an original


def main() -> None:
    """Run it."""
    parser = make_parser(__doc__)
    parser.add_argument("--records", type=int, default=100_000, metavar="N", help="originals (100000)")
    parser.add_argument("--folder", type=Path, help="where the file is made (a temporary folder)")
    arguments = parser.parse_args()
    report = Report("store", {"records": arguments.records}, ())
    folder = Path(tempfile.mkdtemp(dir=arguments.folder))
    try:
        _run(report, arguments.data, arguments.records, folder / "texts.sqlite")
    finally:
        shutil.rmtree(folder)
    report.finish(arguments.json)


def _run(report: Report, data: Path, records: int, path: Path) -> None:
    pieces = [text[:_LONGEST] for text in _messages(data)]
    report.note(
        f"Originals: {len(pieces):,} messages and tool outputs of agents, cut to {_LONGEST:,} characters, "
        f"mean {sum(map(len, pieces)) / len(pieces):,.0f}; each again with another number in front until "
        "there are enough."
    )
    random_ = random.Random(4)
    with Store.open(path) as store:
        grouped, size = _put_groups(store, pieces, records)
    share = path.stat().st_size / size
    rows = [grouped]
    with Store.open(path) as store:
        with Progress("storing", 2) as progress:
            progress.step("from threads")
            rows.append(_put_from_threads(store, pieces))
            progress.step("one by one")
            rows.append(_put_singly(store, pieces))
        columns = [Column("how"), Column("count", "originals", ",d"), Column("rate", "a second", ",.0f")]
        columns += [Column("cpu", "a second of CPU", ",.0f")]
        columns += [Column("ms", "wait for a call, median ms", ".2f"), Column("p99", "p99", ".2f")]
        report.table("Storing, durable", columns, rows)
        ids = [f"r{random_.randrange(records)}" for _ in range(_READS)]
        short = ids[: _READS // 5]
        for id in short:
            store.replace(id, "short")
        queries = [" ".join(_words(random_, random_.choice(pieces))) for _ in range(_SEARCHES)]
        reads = [_timed("expand an original", store.expand, ids[_READS // 5 :])]
        reads.append(_timed("expand a compressed one", store.expand, short))
        reads.append(_timed("get", store.get, ids))
        reads.append(_timed("search, 3 words", store.search, queries))
        columns = [Column("call"), Column("median", "median ms", ".3f"), Column("p99", "p99", ".3f")]
        columns += [Column("cpu", "CPU, mean ms", ".3f")]
        report.table(f"Reading, {records:,} records", columns, reads)
    with Store.open(path) as store:
        start = time.perf_counter()
        problems = store.check()
        checked = time.perf_counter() - start
    assert problems == []
    report.note(
        f"The file takes {share:.2f} bytes for a byte of the texts, the index of their words included; all "
        f"of it is checked in {checked:.1f} s."
    )
    report.targets += [
        Target("originals stored, grouped", 5000, grouped["rate"], "a second", at_most=False),
        Target("read, median", 1, reads[0]["median"], "ms", at_most=True),
        Target("read, p99", 1, reads[0]["p99"], "ms", at_most=True),
        Target("records", 1_000_000, records, "", at_most=False),
    ]


def _messages(data: Path) -> Iterator[str]:
    for name in ("agent_traces", "agent_long_chat"):
        for row in development.rows(data, name):
            yield from (entry["text"] for entry in row["entries"] if entry["text"])


class _Clock:
    """Wall and CPU seconds between two moments."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def __call__(self) -> tuple[float, float]:
        return time.perf_counter() - self._wall, time.process_time() - self._cpu


def _put_groups(store: Store, pieces: list[str], records: int) -> tuple[dict[str, Any], int]:
    endless = itertools.cycle(pieces)
    times, size, done = [], 0, 0
    with Progress("storing", records // _GROUP) as progress:
        while done < records:
            count = min(_GROUP, records - done)
            group = [{"id": f"r{n}", "text": f"{n} {next(endless)}"} for n in range(done, done + count)]
            size += sum(len(item["text"].encode()) for item in group)
            progress.step(f"{done:,}")
            clock = _Clock()
            store.put_many(group)
            times.append(clock())
            done += count
    wall, cpu = (sum(each) for each in zip(*times, strict=True))
    return _rate(f"{_GROUP:,} a call", [each for each, _ in times], records, wall, cpu), size


def _put_from_threads(store: Store, pieces: list[str]) -> dict[str, Any]:
    waits: list[float] = []

    def work(name: int) -> None:
        for number in range(_PUTS // _THREADS):
            text = f"{name} {number} {pieces[(name * 997 + number) % len(pieces)]}"
            start = time.perf_counter()
            store.put(text)
            waits.append(time.perf_counter() - start)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(_THREADS)]
    clock = _Clock()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return _rate(f"one a call, {_THREADS} threads", waits, len(waits), *clock())


def _put_singly(store: Store, pieces: list[str]) -> dict[str, Any]:
    waits = []
    clock = _Clock()
    for number, piece in enumerate(pieces[: _PUTS // 8]):
        start = time.perf_counter()
        store.put(f"one by one {number} {piece}")
        waits.append(time.perf_counter() - start)
    return _rate("one a call", waits, len(waits), *clock())


def _rate(how: str, waits: list[float], count: int, wall: float, cpu: float) -> dict[str, Any]:
    row = {"how": how, "count": count, "rate": count / wall, "cpu": count / cpu}
    return row | {"ms": median(waits) * 1e3, "p99": _p99(waits) * 1e3}


def _timed(name: str, call: Callable[[str], object], arguments: list[str]) -> dict[str, Any]:
    times = []
    clock = _Clock()
    for argument in arguments:
        start = time.perf_counter()
        call(argument)
        times.append((time.perf_counter() - start) * 1e3)
    cpu = clock()[1] / len(times) * 1e3
    return {"call": name, "median": median(times), "p99": _p99(times), "cpu": cpu}


def _p99(times: list[float]) -> float:
    return quantiles(times, n=100)[98] if len(times) > 1 else times[0]


def _words(random_: random.Random, text: str) -> list[str]:
    words = text.split()
    return random_.sample(words, min(3, len(words)))


if __name__ == "__main__":
    main()
