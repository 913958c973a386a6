"""What a reader needs of texts in many formats, and what of it stands in the result, by format.

A folder holds `tool_output`, `structured_logs` and `records`, JSON lines with a format, a text, the name of
its file and the spans that must be kept. Each text is compressed to 10, 20 and 30% of its tokens: as what it
is taken for, without and with its name, and as what it is known to be; beside them lines with bad words, then
the ends, and the ends alone. Rows whose strings take more than 60% of a budget are left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tersely
from tersely.types import AnyStrategyName

from benchmarks import data as development, tokens
from benchmarks.report import Column, Report

__all__ = ["MOST", "PERCENTS", "report_formats"]

_ENCODING = "o200k_base"
PERCENTS = (10, 20, 30)
MOST = 0.6  # of a budget, for what must be kept
_KNOWN: dict[str, AnyStrategyName] = {
    "tool_output": "tool_output",
    "structured_logs": "log",
    "records": "table",
}
_BAD = re.compile(
    r"(?i)error|fail|fatal|critical|denied|panic|warn|not ok|exception|assert|severe|✕|✖|\b5\d\d\b"
)


def report_formats(report: Report, folder: Path) -> None:
    """A table a part: shares of the strings kept, by format and over all."""
    for part, kind in _KNOWN.items():
        if not (folder / f"{part}.jsonl.gz").exists():
            continue
        systems: dict[str, Callable[[Any, int], str]] = {
            "detected": lambda row, budget: _ours(row["text"], budget),
            "named": lambda row, budget: _ours(row["text"], budget, row.get("file")),
            "forced": _forced(kind),
            "grep": lambda row, budget: _by_lines(row["text"], budget, bad_first=True),
            "ends": lambda row, budget: _by_lines(row["text"], budget, bad_first=False),
        }
        columns = [Column("format"), Column("rows"), Column("taken", "taken for")]
        columns += [Column(f"{name} {p}", f"{name} {p}%", ".2f") for name in systems for p in PERCENTS]
        report.table(f"Formats: {part}, what must be kept", columns, _rows(folder, part, systems))


def _forced(kind: AnyStrategyName) -> Callable[[Any, int], str]:
    return lambda row, budget: _ours(row["text"], budget, strategy=kind)


def _rows(folder: Path, part: str, systems: dict[str, Callable[[Any, int], str]]) -> list[dict[str, Any]]:
    asked: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    texts: dict[str, int] = defaultdict(int)
    taken: dict[str, set[str]] = defaultdict(set)
    for row in development.rows(folder, part):
        wanted = sorted({row["text"][span["start"] : span["end"]] for span in row["must_keep"]})
        total, need = tokens.count(row["text"], _ENCODING), sum(tokens.counts(wanted, _ENCODING))
        for name in (row["format"], "all"):
            texts[name] += 1
            taken[name].add(tersely.detect(row["text"]).kind)
        for percent in PERCENTS:
            budget = max(1, total * percent // 100)
            if need > MOST * budget:
                continue
            for system, call in systems.items():
                short = call(row, budget)
                assert tokens.count(short, _ENCODING) <= budget, (row["format"], system)
                kept = sum(string in short for string in wanted)
                for name in (row["format"], "all"):
                    share = asked[name][f"{system} {percent}"]
                    share[0] += kept
                    share[1] += len(wanted)
    return [
        {
            "format": name,
            "rows": texts[name],
            "taken": " ".join(sorted(taken[name])) if name != "all" else "",
            **{key: kept / most for key, (kept, most) in shares.items() if most},
        }
        for name, shares in sorted(asked.items())
    ]


def _ours(text: str, budget: int, name: str | None = None, strategy: AnyStrategyName = "auto") -> str:
    return tersely.compress(tersely.Document(text, name=name), budget=budget, strategy=strategy).text


def _by_lines(text: str, budget: int, bad_first: bool) -> str:
    """Lines with bad words first, where asked for, then the first and the last in turn."""
    lines = text.splitlines()
    costs = [cost + 1 for cost in tokens.counts(lines, _ENCODING)]
    ends = [at for pair in zip(range(len(lines)), reversed(range(len(lines))), strict=True) for at in pair]
    bad = [at for at, line in enumerate(lines) if _BAD.search(line)] if bad_first else []
    chosen: set[int] = set()
    for at in (*bad, *ends):
        if at not in chosen and costs[at] <= budget:
            chosen.add(at)
            budget -= costs[at]
    return "\n".join(lines[at] for at in sorted(chosen))
