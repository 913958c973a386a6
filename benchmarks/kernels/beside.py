"""tersely's clusters beside the exact peers, and beside those that answer another question."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.kernels import approximate, oracle, ours, rounds, vectors
from benchmarks.kernels.linkage import LINKAGES
from benchmarks.kernels.sets import sets, usual_rounds
from benchmarks.kernels.systems import TERSELY, System, systems
from benchmarks.report import MISSING, TIMES, Column, Report, Target

__all__ = ["exact", "others"]

_CHECKS = {"single": oracle.check_single, "representative": oracle.check_representative}
_OTHERS_ROWS = 20_000
_COLUMNS = (
    *TIMES,
    Column("times", "CPU x tersely", ".2f"),
    Column("clusters", form=","),
    Column("best", "exact peer"),
)


def exact(result: Report, options: argparse.Namespace) -> None:
    for kind, size, rows in sets(result, options, options.sizes):
        truth = oracle.truth(rows, options.threshold)
        for linkage in options.linkages:
            _exact_table(result, options, linkage, f"{kind}, {size:,} x {rows.shape[1]}", rows, truth)


def _exact_table(
    result: Report,
    options: argparse.Namespace,
    linkage: str,
    title: str,
    rows: vectors.Floats,
    truth: oracle.Truth,
) -> None:
    listed = systems(linkage, options.threads)
    labels = {system.name: system.labels for system in listed}
    running = [system for system in listed if system.call and len(rows) <= system.most_rows]
    calls = {system.name: _bound(system, rows, options.threshold) for system in running}
    clusters: dict[str, int] = {}

    def check(name: str, answer: Any) -> None:
        found = labels[name](answer)
        _CHECKS[linkage](truth, found)
        clusters[name] = len(np.unique(found))

    how_many = usual_rounds(options, len(rows))
    times = rounds.interleaved(calls, how_many, check, threads=options.threads)
    best = min((name for name in times if name != TERSELY), key=lambda name: times[name].cpu)
    table: list[dict[str, Any]] = []
    for system in listed:
        found = times.get(system.name)
        if found is None:
            skipped = f"skipped over {system.most_rows:,} rows: {system.limit}"
            reason = MISSING if system.call is None else skipped
            table.append({"system": system.name, "best": reason})
            continue
        row = {"system": system.name, **found.row(), "times": found.cpu / times[TERSELY].cpu}
        row |= {"best": "best" if system.name == best else "", "clusters": clusters[system.name]}
        table.append(row)
    head = f"{title}, cosine >= {options.threshold}, {linkage} linkage, {len(truth.i):,} pairs"
    result.table(f"{head}; medians of {how_many} rounds, {options.threads} thread(s)", _COLUMNS, table)
    _targets(result, f"{title}, {linkage}", len(rows), times, best)


def _targets(result: Report, name: str, size: int, times: dict[str, rounds.Times], best: str) -> None:
    if size <= 500:
        fastest = min((peer for peer in times if peer != TERSELY), key=lambda peer: times[peer].wall)
        ratio = times[fastest].wall / times[TERSELY].wall
        result.targets.append(Target(f"{name}: wall, against {fastest}", 3, ratio, "x", at_most=False))
    elif size >= 5_000:
        ratio = times[best].cpu / times[TERSELY].cpu
        result.targets.append(Target(f"{name}: CPU, against {best}", 3, ratio, "x", at_most=False))


def _bound(system: System, rows: vectors.Floats, threshold: float) -> Callable[[], Any]:
    call = system.call
    if call is None:
        raise ImportError(f"{system.name} is not installed")
    return lambda: call(rows, threshold)


def others(result: Report, options: argparse.Namespace) -> None:
    sizes = [size for size in options.sizes if size <= _OTHERS_ROWS]
    columns = [Column("system"), Column("wall", "wall ms", ".1f"), Column("cpu", "CPU ms", ".1f")]
    columns += [Column("kept", "rows kept", ","), Column("rule")]
    for kind, size, rows in sets(result, options, sizes):
        listed = approximate.others(options.threads)
        kept: dict[str, int] = {}
        calls: dict[str, Callable[[], Any]] = {}
        for linkage in LINKAGES:
            name = f"{TERSELY}, {linkage}"
            calls[name] = lambda linkage=linkage, rows=rows: len(  # type: ignore[misc]
                ours.clusters(rows, options.threshold, linkage, options.threads).sizes
            )
        for other in listed:
            if other.kept is not None:
                calls[other.name] = lambda call=other.kept, rows=rows: call(rows, options.threshold)  # type: ignore[misc]
        how_many = 3 if size <= 5_000 else 1
        times = rounds.interleaved(
            calls, how_many, kept.__setitem__, threads=options.threads, warm=size <= 1_000
        )
        rules = {other.name: other.rule for other in listed}
        table = [
            {"system": name, **times[name].row(), "kept": kept[name], "rule": rules.get(name, "exact")}
            for name in calls
        ]
        table += [{"system": other.name, "wall": MISSING} for other in listed if other.name not in times]
        title = f"For the record, another rule or not exact: {kind}, {size:,} rows"
        result.table(f"{title}; medians of {how_many} round(s)", columns, table)
