"""Logs and output of tools: templates beside drain3, what stays of rare events, error lines and places.

Templates are compared by grouping accuracy: the share of lines whose group holds exactly the lines of its
event. drain3 gets masks for time stamps, addresses and numbers, without which it does worse. Rare events have
at most three lines. Error lines and places of tools' output were found by regular expressions, so they are
derived; a text counts where they take at most 70% of the budget.
"""

from __future__ import annotations

import bisect
import importlib
import importlib.util
import logging
import re
import resource
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import tersely
from tersely import _native
from tersely.content.logs import Logs
from tersely.content.tool_output import ToolOutput

from benchmarks import data as development, peers, tokens
from benchmarks.report import Column, Report, Target

__all__ = ["report_logs", "report_templates", "report_tool_output"]

_ENCODING = "cl100k_base"
_RARE = 3  # lines of an event
_LEAST = 1000  # tokens of a tool's output
_MOST = 0.7  # of the budget that what must stay may take
_LARGE = 10_000_000  # characters, for speed
_MASKS = (
    (
        r"^\[?(?:[A-Z][a-z]{2} )?(?:[A-Z][a-z]{2} +\d+ )?[\d/-]*[ T]?\d\d:\d\d:\d\d(?:[.,]\d+)?(?: \d{4})?",
        "TIME",
    ),
    (r"\d+\.\d+\.\d+\.\d+", "IP"),
    (r"0x[0-9a-fA-F]+", "HEX"),
    (r"(?<![A-Za-z])-?\d+", "NUM"),
)


def report_templates(report: Report, data: Path) -> None:
    """Grouping accuracy and speed on each system's log."""
    drain = _drain3()
    rows = []
    for row in development.rows(data, "logs_loghub"):
        ours, mine = _timed(_our_groups, row["lines"])
        entry = {"log": row["id"], "events": len(row["templates"]), "ours": _accuracy(row["event_ids"], ours)}
        entry["speed"] = _speed(row["lines"])
        if drain is not None:
            theirs, seconds = _timed(drain, row["lines"])
            entry["drain3"] = _accuracy(row["event_ids"], theirs)
            entry["times"] = seconds / max(mine, 1e-9)
        rows.append(entry)
    columns = [
        Column("log"),
        Column("events"),
        Column("ours", "tersely", ".3f"),
        Column("drain3", "drain3", ".3f"),
        Column("speed", "tersely MB/s CPU", ".0f"),
        Column("times", "x drain3's speed", ".0f"),
    ]
    report.table("Templates: grouping accuracy", columns, rows)
    report.targets.append(
        Target("logs read, slowest", 100, min(float(row["speed"]) for row in rows), "MB/s", at_most=False)
    )


def report_logs(report: Report, data: Path) -> None:
    """What stays at 10%: lines of rare events, events with at least one line."""
    rows = []
    for row in development.rows(data, "logs_loghub"):
        lines, events = row["lines"], row["event_ids"]
        text = "\n".join(lines)
        budget = tokens.count(text, _ENCODING) // 10
        often = Counter(events)
        rare = [i for i, event in enumerate(events) if often[event] <= _RARE]
        entry: dict[str, Any] = {"log": row["id"], "rare": len(rare), "events": len(often)}
        for system in _systems(Logs()):
            answer = system([text], None, budget, 0.1)
            kept = _kept_lines(lines, system.text(answer), answer)
            found = {events[i] for i in kept}
            entry[system.name] = mean(i in kept for i in rare) if rare else ""
            entry[system.name + " events"] = len(found) / len(often)
        rows.append(entry)
    names = [system.name for system in _systems(Logs())]
    columns = [Column("log"), Column("rare"), Column("events")]
    for name in names:
        columns += [Column(name, f"{name}: rare", ".3f"), Column(f"{name} events", "events", ".3f")]
    report.table("Logs at 10%: lines of rare events kept, events kept", columns, rows)
    kept_rare = mean(float(row["tersely"]) for row in rows if row["tersely"] != "")
    kept_events = mean(float(row["tersely events"]) for row in rows)
    report.targets.append(Target("rare lines at 10%", 0.95, kept_rare, "", at_most=False))
    report.targets.append(Target("templates at 10%", 0.95, kept_events, "", at_most=False))


def report_tool_output(report: Report, data: Path) -> None:
    """What stays of tools' output: error lines, path:line places; and how much of that is whole lines."""
    shares: dict[tuple[str, float], list[list[float]]] = defaultdict(lambda: [[], [], [], []])
    for row in development.rows(data, "tool_output"):
        text = row["text"]
        total = tokens.count(text, _ENCODING)
        if total < _LEAST:
            continue
        whole = set(text.splitlines())
        errors = _strings(text, row["error_lines"])
        places = _strings(text, row["anchors"])
        for ratio in (0.1, 0.2, 0.3):
            budget = int(total * ratio)
            wanted = [_fitting(found, budget) for found in (errors, places)]
            if not any(wanted):
                continue
            for system in _systems(ToolOutput()):
                short = system.text(system([text], None, budget, ratio))
                found = shares[system.name, ratio]
                plain = _one_line(short)
                for strings, kept in zip(wanted, found, strict=False):
                    if strings:
                        kept.append(mean(string in plain for string in strings))
                found[2].append(float(tokens.count(short, _ENCODING) > budget))
                lines = [line for line in short.splitlines() if not line.startswith("…")]
                found[3].append(mean(line in whole for line in lines) if lines else 1.0)
    rows = [
        {
            "system": name,
            "kept": ratio,
            "errors": mean(found[0]),
            "places": mean(found[1]),
            "whole": mean(found[3]),
            "over": mean(found[2]),
        }
        for (name, ratio), found in sorted(shares.items(), key=lambda item: (item[0][1], item[0][0]))
    ]
    columns = [
        Column("system"),
        Column("kept", "budget", ".0%"),
        Column("errors", "error lines", ".3f"),
        Column("places", "path:line", ".3f"),
        Column("whole", "whole lines", ".3f"),
        Column("over", "over budget", ".0%"),
    ]
    report.table("Tool output: what stays", columns, rows)
    kept_errors = mean(shares["tersely", 0.2][0])
    report.targets.append(Target("error lines at 20%", 0.98, kept_errors, "", at_most=False))


def _systems(strategy: Any) -> list[peers.Compressor]:
    ours = peers.tersely_compressor(encoding=_ENCODING, strategy=strategy)
    return [ours, *peers.installed(peers.text_peers())]


def _our_groups(lines: Sequence[str]) -> list[int]:
    reader = _native.LineReader("", 1 << 30)
    reader.read("\n".join(lines))
    rows = reader.rows()
    first: dict[int, int] = {}
    for line, template in zip(rows[3].tolist(), rows[4].tolist(), strict=True):
        first.setdefault(line, template)  # a long line's first piece
    return [first.get(number, -1) for number in range(len(lines))]


def _drain3() -> Callable[[Sequence[str]], list[int]] | None:
    if importlib.util.find_spec("drain3") is None:
        return None
    logging.getLogger("drain3").setLevel(logging.ERROR)
    miner = importlib.import_module("drain3").TemplateMiner
    config = importlib.import_module("drain3.template_miner_config").TemplateMinerConfig
    mask = importlib.import_module("drain3.masking").MaskingInstruction

    def groups(lines: Sequence[str]) -> list[int]:
        settings = config()
        settings.masking_instructions = [mask(pattern, name) for pattern, name in _MASKS]
        made = miner(config=settings)
        return [made.add_log_message(line)["cluster_id"] for line in lines]

    return groups


def _cpu() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def _timed(run: Callable[[Sequence[str]], list[int]], lines: Sequence[str]) -> tuple[list[int], float]:
    best = float("inf")
    for _ in range(3):
        start = _cpu()
        found = run(lines)
        best = min(best, _cpu() - start)
    return found, best


def _speed(lines: Sequence[str]) -> float:
    text = "\n".join(lines) + "\n"
    text *= max(_LARGE // len(text), 1)
    best = float("inf")
    for _ in range(3):
        reader = _native.LineReader("", 1 << 16)
        start = _cpu()
        reader.read(text)
        best = min(best, _cpu() - start)
    return len(text.encode()) / 1e6 / max(best, 1e-9)


def _accuracy(truth: Sequence[str], found: Sequence[int]) -> float:
    groups: dict[int, set[int]] = defaultdict(set)
    events: dict[str, set[int]] = defaultdict(set)
    for i, (event, group) in enumerate(zip(truth, found, strict=True)):
        groups[group].add(i)
        events[event].add(i)
    right = sum(len(group) for group in groups.values() if events[truth[min(group)]] == group)
    return right / len(truth)


def _kept_lines(lines: Sequence[str], short: str, answer: Any) -> set[int]:
    """Which lines stayed: by the spans where there are some, else by the words of whole lines."""
    if isinstance(answer, tersely.Compressed):
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        return {bisect.bisect_right(starts, span.start) - 1 for span in answer.kept}
    plain = _one_line(short)
    return {i for i, line in enumerate(lines) if _one_line(line) in plain}


def _strings(text: str, spans: list[dict[str, int]]) -> list[str]:
    return sorted({_one_line(text[span["start"] : span["end"]]) for span in spans} - {""})


def _fitting(strings: list[str], budget: int) -> list[str]:
    return strings if sum(tokens.counts(strings, _ENCODING)) < _MOST * budget else []


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
