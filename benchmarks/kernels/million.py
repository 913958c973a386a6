"""Near-duplicates among a million rows, as many threads as there are: time, memory, and what was found.

Examples:
    python -m benchmarks.kernels.million
    python -m benchmarks.kernels.million --rows 200000 --backend faiss --linkage single
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from tersely import kernels

from benchmarks.kernels import ours
from benchmarks.kernels.pairs import Ints
from benchmarks.kernels.vectors import Floats
from benchmarks.peak import peak, start_of_peak
from benchmarks.report import Column, Report, Target

_TOPICS, _SPREAD = 200, 0.7  # rows of a topic have a cosine of about 0.33
_COPIES, _NOISE = 20, 0.2  # one row in so many is a copy, at a cosine of about 0.98
_BLOCK = 65_536
_COLUMNS = (
    Column("backend"),
    Column("wall", "wall s", ".1f"),
    Column("cpu", "CPU s", ".1f"),
    Column("clusters", form=","),
    Column("peak", "peak bytes per byte of input", ".2f"),
    Column("recall"),
    Column("planted", "% of planted pairs joined", ".2f"),
)


def main() -> None:
    """The command."""
    options = _arguments()
    settings = {name: value for name, value in vars(options).items() if name != "json"}
    result = Report("kernels/million", settings | {"isa": ours.isa()}, ("faiss-cpu",))
    rows, source = planted(options.rows, options.dimensions)
    kernels.threshold_clusters(rows[:200], options.threshold)  # loads what is loaded once
    before = start_of_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    found = kernels.threshold_clusters(
        rows, options.threshold, linkage=options.linkage, backend=options.backend
    )
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    most = (peak() - before) / rows.nbytes
    joined = float((found.labels[len(rows) - len(source) :] == found.labels[source]).mean())
    row: dict[str, Any] = {"wall": wall, "cpu": cpu, "clusters": len(found.sizes), "peak": most}
    row |= {"backend": "exact", "recall": "all", "planted": 100 * joined}
    recall = 1.0
    if found.recall is not None:
        recall = found.recall.estimate
        interval = f"{recall:.4f} ({found.recall.low:.4f} to {found.recall.high:.4f})"
        row |= {"backend": "faiss", "recall": f"{interval}, {found.recall.pairs:,} pairs"}
    size = f"{options.rows:,} x {options.dimensions}"
    result.table(f"{size}, cosine >= {options.threshold}, {options.linkage} linkage", _COLUMNS, [row])
    result.targets += [
        Target(f"{size}: peak memory beside the input", 4, most, "bytes per byte", at_most=True),
        Target(f"{size}: recall", 0.99, recall, "", at_most=False),
        Target(f"{size}: planted pairs joined", 0.99, joined, "", at_most=False),
    ]
    result.finish(options.json)


def planted(count: int, dimensions: int) -> tuple[Floats, Ints]:
    """Rows around topics, the last of them copies with noise, and which rows those are copies of."""
    generator = np.random.default_rng(0)
    topics = generator.standard_normal((_TOPICS, dimensions), dtype=np.float32) * np.float32(_SPREAD)
    rows = np.empty((count, dimensions), np.float32)
    for at in range(0, count, _BLOCK):
        block = rows[at : at + _BLOCK]
        block[:] = topics[generator.integers(0, _TOPICS, len(block))]
        block += generator.standard_normal(block.shape, dtype=np.float32)
    copies = count // _COPIES
    source = generator.integers(0, count - copies, copies)
    noise = generator.standard_normal((copies, dimensions), dtype=np.float32) * np.float32(_NOISE)
    rows[count - copies :] = rows[source] + noise
    return rows, source


def _arguments() -> argparse.Namespace:
    summary, _, examples = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000, help="(default: 1000000)")
    parser.add_argument("--dimensions", type=int, default=128, help="columns (default: 128)")
    parser.add_argument("--threshold", type=float, default=0.9, help="cosine (default: 0.9)")
    parser.add_argument("--linkage", choices=("representative", "single"), default="representative")
    parser.add_argument("--backend", choices=("exact", "faiss"), default="faiss")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
