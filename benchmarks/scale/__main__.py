"""A corpus: CPU beside a plain loop, wall time of two workers beside one, and what kills of a runner change.

examples:
  python -m benchmarks.scale --data DIR
  python -m benchmarks.scale --data DIR --megabytes 100 --kills 50 --json scale.json
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import tersely
from tersely.scale import compress_dataset, dataset_status

from benchmarks.arguments import make_parser
from benchmarks.data import endless, english_documents
from benchmarks.report import Column, Report, Target
from benchmarks.scale.cost import cost

_CPU = 1.1  # times a plain loop, asked for past 100 MB
_WALL = 1.8  # times as fast with two workers as with one
_GROUP = 64  # rows of a row group
_RUNNER = """
import sys
from tersely.scale import compress_dataset
compress_dataset(sys.argv[1], sys.argv[2], workers=2)
"""


def _write_corpus(path: Path, data: Path, size: int) -> list[str]:
    """Documents of about so many bytes together, each another."""
    total = 0

    def fits(text: str) -> bool:
        nonlocal total
        total += len(text.encode())
        return total <= size

    texts = list(takewhile(fits, endless(english_documents(data))))
    random.Random(1).shuffle(texts)  # long and short ones in every part
    pq.write_table(pa.table({"text": texts}), path, row_group_size=_GROUP)
    return texts


def _costs(report: Report, source: Path, texts: list[str]) -> None:
    """A plain loop, then one and two workers."""

    def loop() -> None:
        for text in texts:
            tersely.compress(text)

    tersely.compress(texts[0])
    runs: dict[str, Callable[[], object]] = {"plain loop": loop}
    for workers in (1, 2):
        out = source.parent / f"workers-{workers}"
        runs[f"{workers} workers"] = lambda w=workers, out=out: compress_dataset(source, out, workers=w)  # type: ignore[misc]
    rows: list[dict[str, Any]] = [{"system": name, **cost(run)} for name, run in runs.items()]
    size = sum(len(text.encode()) for text in texts) / 1e6
    for row in rows:
        row["rate"] = size / row["cpu"]
        row["times"] = row["cpu"] / rows[0]["cpu"]
    report.table(
        f"{len(texts):,} documents, {size:.0f} MB",
        (
            Column("system"),
            Column("cpu", "CPU s", ".1f"),
            Column("times", "times", ".2f"),
            Column("rate", "MB per CPU s", ".2f"),
            Column("wall", "wall s", ".1f"),
        ),
        rows,
    )
    worst = max(row["times"] for row in rows)
    report.targets.append(Target(f"CPU beside a plain loop, {size:.0f} MB", _CPU, worst, "times", True))
    faster = rows[1]["wall"] / rows[2]["wall"]
    report.targets.append(Target("two workers beside one, wall", _WALL, faster, "times", False))
    tokens = dataset_status(source.parent / "workers-1").original_tokens
    report.details["tokens"] = tokens


def _kills(report: Report, source: Path, kills: int) -> None:
    """Kill the runner at random moments of its life, until the job is done; compare the bytes."""
    wanted = dataset_status(source.parent / "workers-1").digest
    seconds = report.tables[0]["rows"][2]["wall"]
    chance = random.Random(2)
    done = wrong = jobs = 0
    while done < kills:
        out = source.parent / f"killed-{jobs}"
        jobs += 1
        while True:
            process = subprocess.Popen([sys.executable, "-c", _RUNNER, str(source), str(out)])
            try:
                process.wait(timeout=chance.random() * seconds * 1.2 if done < kills else None)
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                done += 1
        wrong += dataset_status(out).digest != wanted
    rows = [{"kills": done, "jobs": jobs, "with other bytes": wrong}]
    report.table("Runners killed", (Column("kills"), Column("jobs"), Column("with other bytes")), rows)
    report.targets.append(Target("jobs whose bytes a kill changed", 0, wrong, "", True))


def main() -> None:
    """Measure."""
    parser = make_parser(__doc__)
    parser.add_argument("--megabytes", type=float, default=20, metavar="N", help="of text (20)")
    parser.add_argument("--kills", type=int, default=10, metavar="N", help="of the runner (10)")
    arguments = parser.parse_args()
    settings = {"data": str(arguments.data), "megabytes": arguments.megabytes, "kills": arguments.kills}
    report = Report("scale", settings, ("pyarrow",))
    with TemporaryDirectory() as folder:
        source = Path(folder) / "in.parquet"
        texts = _write_corpus(source, arguments.data, int(arguments.megabytes * 1e6))
        _costs(report, source, texts)
        if arguments.kills:
            _kills(report, source, arguments.kills)
    report.note("CPU counts the start of each worker; wall time needs a machine with nothing else to do.")
    report.finish(arguments.json)


main()
