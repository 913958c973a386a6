"""Measurements that need a fresh process each: the first call, and time and memory by size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import peers, tokens
from benchmarks.end_to_end.warm import QUERY, RATIO

__all__ = ["first_calls", "growth"]

_ROOT = Path(__file__).resolve().parents[2]
_FIRST = {
    "tersely": "import tersely; text = tersely.compress(source, query, ratio=ratio).text",
    "TextCrusher": (
        "from headroom.transforms.text_crusher import TextCrusher, TextCrusherConfig;"
        "text = TextCrusher(TextCrusherConfig(target_ratio=ratio)).compress(source, query, ratio).compressed"
    ),
    "llmslim": (
        "import llmslim; text = llmslim.compress(source, target_ratio=ratio, query=query).compressed_text"
    ),
}
_FRAME = """
import sys, time
source, query, ratio = open(sys.argv[1], encoding="utf-8", newline="").read(), sys.argv[2], float(sys.argv[3])
{call}
cpu = time.process_time()
sys.stdout.write(str(cpu) + "\\n" + text)
"""


def first_calls(path: Path, systems: list[peers.Compressor], repeats: int) -> list[dict[str, Any]]:
    """CPU seconds of a process that starts, imports a system and compresses one text; in turn."""
    budget = int(tokens.count(path.read_bytes().decode()) * RATIO)
    present = [system.name for system in systems if system.call is not None]
    times: dict[str, list[float]] = {name: [] for name in present}
    used: dict[str, int] = {}
    for _ in range(repeats):
        for name in present:
            program = _FRAME.format(call=_FIRST[name])
            cpu, _, text = _run(["-c", program, str(path), QUERY, str(RATIO)], path.parent).partition("\n")
            times[name].append(float(cpu))
            used[name] = tokens.count(text)
    if used["tersely"] > budget:
        raise AssertionError(f"tersely is over the budget: {used['tersely']} of {budget}")
    return [
        {"system": name, "cpu": median(mine), "cpu_min": min(mine), "tokens": used[name], "budget": budget}
        for name, mine in times.items()
    ]


def growth(paths: dict[int, list[Path]], repeats: dict[int, int], rounds: int) -> list[dict[str, Any]]:
    """Time for 10,000 tokens and memory for a byte of text, by size of the text.

    A process for each size in each round, so that a slow minute of the machine meets every size; medians.
    """
    found: dict[int, list[dict[str, Any]]] = {size: [] for size in paths}
    for _ in range(rounds):
        for size, files in paths.items():
            arguments = ["-m", "benchmarks.end_to_end.grow", str(repeats[size]), *map(str, files)]
            found[size].append(json.loads(_run(arguments, _ROOT)))
    rows = []
    for size, runs in found.items():
        row = {"tokens": size, "texts": len(paths[size]), "calls": len(paths[size]) * repeats[size] * rounds}
        row |= {"mb": runs[0]["bytes"] / 1e6, "wide": runs[0]["character_bytes"]}
        row |= {"memory": median(run["memory"] for run in runs)}
        rows.append(row | {"ms": median(run["seconds"] for run in runs) * 1e3 / (size / 10_000)})
    fastest = min(row["ms"] for row in rows)
    return [row | {"ratio": row["ms"] / fastest} for row in rows]


def _run(arguments: list[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=os.environ, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{arguments[:2]} failed:\n{done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout.decode()
