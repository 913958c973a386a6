"""tersely's clusters: peak memory beside the exact peers, and what a second thread brings."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kernels import memory as fresh, ours, rounds
from benchmarks.kernels.sets import sets, usual_rounds
from benchmarks.kernels.systems import TERSELY, systems
from benchmarks.report import Column, Report, Target

__all__ = ["memory", "threads"]

_MEMORY_ROWS = 20_000
_THREADS_ROWS = 5_000  # from here on, a second thread must help


def memory(result: Report, options: argparse.Namespace) -> None:
    if sys.platform != "linux":
        result.note(f"Memory is measured on Linux, not on {platform.system()}.")
        return
    columns = [
        Column("system"),
        Column("peak", "peak bytes per byte of input", ".2f"),
        Column("mb", "MB", ".0f"),
    ]
    for kind, size, rows in sets(result, options, [min(_MEMORY_ROWS, max(options.sizes))]):
        table: list[dict[str, Any]] = []
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows.npy"
            np.save(file, rows)
            for linkage in options.linkages:
                for system in systems(linkage):
                    if (linkage == "single" or system.name == TERSELY) and system.call:
                        if size > system.most_rows:
                            continue
                        found = fresh.measured(system.name, linkage, options.threshold, file)
                        mb = found["peak"] * found["bytes"] / 1e6
                        table.append({"system": f"{system.name}, {linkage}", "peak": found["peak"], "mb": mb})
        title = f"Memory: {kind}, {size:,} x {rows.shape[1]} float32, one call in a fresh process"
        result.table(title, columns, table)
        worst = max(row["peak"] for row in table if row["system"].startswith(TERSELY))
        name = f"{kind}, {size:,} rows: peak memory"
        result.targets.append(Target(name, 5, worst, "bytes per byte", at_most=True))


def threads(result: Report, options: argparse.Namespace) -> None:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if usable < 2:
        result.note("Threads were not measured: one core.")
        return
    columns = [Column("threads"), Column("wall", "wall ms", ".2f"), Column("wall_min", "min", ".2f")]
    columns += [Column("cpu", "CPU ms", ".2f"), Column("speedup", "speed-up", ".2f")]
    sizes = [size for size in options.sizes if size >= _THREADS_ROWS]
    for kind, size, rows in sets(result, options, sizes):
        for linkage in options.linkages:
            answers: dict[str, Any] = {}
            calls: dict[str, Callable[[], Any]] = {
                str(threads): lambda threads=threads, linkage=linkage, rows=rows: ours.clusters(  # type: ignore[misc]
                    rows, options.threshold, linkage, threads
                )
                for threads in (1, 2)
            }
            how_many = usual_rounds(options, size)
            times = rounds.interleaved(calls, how_many, answers.__setitem__)
            for one, two in zip(answers["1"], answers["2"], strict=True):
                np.testing.assert_array_equal(one, two)
            ratio = times["1"].wall / times["2"].wall
            table = [
                {"threads": int(name), **found.row(), "speedup": times["1"].wall / found.wall}
                for name, found in times.items()
            ]
            title = f"tersely on threads: {kind}, {size:,} rows, {linkage}; medians of {how_many} rounds"
            result.table(title, columns, table)
            result.targets.append(
                Target(f"{kind}, {size:,} rows, {linkage}: 2 threads", 1.8, ratio, "x", at_most=False)
            )
