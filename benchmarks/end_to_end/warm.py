"""Measurements inside this process: calls in turn, batches and segmentation alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import tersely

from benchmarks import checks, peers, tokens

__all__ = ["QUERY", "RATIO", "batches", "calls", "segmentation", "small_calls"]

RATIO = 0.3
QUERY = "What are the main findings, the risks and the obligations of the parties?"


def calls(text: str, systems: list[peers.Compressor], repeats: int) -> list[dict[str, Any]]:
    """One text, the systems in turn, again and again; a row a system."""
    total = tokens.count(text)
    budget = int(total * RATIO)
    present = [system for system in systems if system.call is not None]
    times: dict[str, list[tuple[float, float]]] = {system.name: [] for system in present}
    used: dict[str, int] = {}
    for turn in range(repeats + 1):
        for system in present:
            answer, wall, cpu = _timed(lambda system=system: system([text], QUERY, budget, RATIO))  # type: ignore[misc]
            system.check(answer, budget)
            used[system.name] = tokens.count(system.text(answer))
            checks.require(used[system.name] > 0, f"{system.name} returned nothing")
            if turn > 0:  # the first round warms up
                times[system.name].append((wall, cpu))
    return [
        _row(system.name, times.get(system.name, []), used.get(system.name, 0), budget, times)
        for system in systems
    ]


def _row(
    name: str,
    mine: list[tuple[float, float]],
    used: int,
    budget: int,
    times: dict[str, list[tuple[float, float]]],
) -> dict[str, Any]:
    if not mine:
        return {"system": name, "wall": "not installed"}
    walls, cpus = zip(*mine, strict=True)
    ours = median(wall for wall, _ in times["tersely"])
    return {
        "system": name,
        "wall": median(walls) * 1e3,
        "wall_min": min(walls) * 1e3,
        "cpu": median(cpus) * 1e3,
        "cpu_min": min(cpus) * 1e3,
        "times": median(walls) / ours,
        "tokens": used,
        "budget": budget,
        "over": f"+{used - budget}" if used > budget else "no",
    }


def batches(texts: list[str], repeats: int) -> list[dict[str, Any]]:
    """compress_batch on one thread and on two, in turn; every item is checked in both."""
    budgets = [int(tokens.count(text) * RATIO) for text in texts]
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    answers: dict[int, list[Any]] = {}
    for turn in range(repeats + 1):
        for threads, mine in times.items():
            run = lambda threads=threads: tersely.compress_batch(  # noqa: E731
                texts, QUERY, threads=threads, ratio=RATIO, errors="raise"
            )
            answers[threads], wall, cpu = _timed(run)
            if turn > 0:
                mine.append((wall, cpu))
    for answer, twin, budget in zip(answers[1], answers[2], budgets, strict=True):
        checks.check_compressed(answer, budget)
        checks.require(answer.text == twin.text, "one thread and two disagree")
    alone = median(wall for wall, _ in times[1])
    return [_batch_row(threads, mine, alone) for threads, mine in times.items()]


def _batch_row(threads: int, times: list[tuple[float, float]], alone: float) -> dict[str, Any]:
    walls, cpus = zip(*times, strict=True)
    return {
        "threads": threads,
        "ms": median(walls) * 1e3,
        "ms_min": min(walls) * 1e3,
        "cpu": median(cpus) * 1e3,
        "speedup": alone / median(walls),
    }


def small_calls(texts: list[str], repeats: int) -> list[dict[str, Any]]:
    """Small texts, each in a call of its own, and all in one call; CPU time a text."""
    rows = []
    for name, query in (("with", QUERY), ("without", None)):
        each: list[float] = []
        together: list[float] = []
        for turn in range(repeats + 1):
            answers, _, cpu = _timed(lambda q=query: [tersely.compress(t, q, ratio=RATIO) for t in texts])  # type: ignore[misc]
            joined, _, at_once = _timed(lambda q=query: tersely.compress(texts, q, ratio=RATIO))  # type: ignore[misc]
            if turn > 0:
                each.append(cpu / len(texts))
                together.append(at_once / len(texts))
            for text, answer in zip(texts, answers, strict=True):
                checks.check_compressed(answer, int(tokens.count(text) * RATIO))
            checks.check_compressed(joined, joined.receipt.budget)
        times = median(each) / median(together)
        row = {"query": name, "each": median(each) * 1e6, "each_min": min(each) * 1e6}
        rows.append(row | {"together": median(together) * 1e6, "times": times})
    return rows


def segmentation(texts: dict[str, str], repeats: int) -> list[dict[str, Any]]:
    """MB of UTF-8 a second of CPU time of `tersely.segment`, by text."""
    rows = []
    for name, text in texts.items():
        times = []
        for _ in range(repeats):
            table, _, cpu = _timed(lambda text=text: tersely.segment(text))  # type: ignore[misc]
            times.append(cpu)
        checks.check_segments(text, table)
        size = len(text.encode()) / 1e6
        row = {"text": name, "mb": size, "segments": len(table)}
        rows.append(row | {"mb_per_s": size / median(times), "best": size / min(times)})
    return rows


def _timed(function: Callable[[], Any]) -> tuple[Any, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    answer = function()
    return answer, time.perf_counter() - wall, time.process_time() - cpu
