"""Source code: signatures kept, whether the result still parses, and speed.

A signature is the first line of a definition of `code_files`. A file's signatures "fit" where an outline of
nothing else does: their lines down to where the body begins, a marker for each body, what closes it, and what
opens and closes around them. Speed is CPU time, the least of three.
"""

from __future__ import annotations

import ast
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import tersely
from tersely.content import code as code_units
from tersely.content.code import Code, read_code
from tersely.models.counters import resolve_counter
from tersely.models.tree_sitter import has_syntax_errors, read_spans

from benchmarks import data as development, peers
from benchmarks.report import Column, Report, Target

__all__ = ["report"]

_RATIOS = (0.2, 0.3, 0.5)
_COUNTER = "cl100k_base"
_LONGEST_SIGNATURE = 20  # lines


def report(report: Report, data: Path) -> None:
    """Tables and targets."""
    files = list(development.rows(data, "code_files"))
    count = resolve_counter(_COUNTER).count
    table = []
    for ratio in _RATIOS:
        for system, compress in _systems():
            kept: dict[str, list[float]] = defaultdict(list)
            fitting: list[float] = []
            parsed = total = over = 0
            used = 0.0
            for row in files:
                small = compress(row["text"], row["language"], ratio)
                parsed += _parses_still(row["language"], row["text"], small)
                total += 1
                needs, whole = count(small), count(row["text"])
                used, over = used + needs / whole, over + (needs > int(ratio * whole))
                lines = row["text"].split("\n")
                signatures = [" ".join(lines[d["line"] - 1].split()) for d in row["definitions"]]
                if signatures:
                    found = {" ".join(line.split()) for line in small.split("\n")}
                    share = sum(line in found for line in signatures) / len(signatures)
                    kept[row["language"]].append(share)
                    if count(_outline(row)) <= int(ratio * count(row["text"])):
                        fitting.append(share)
            means = {language: sum(shares) / len(shares) for language, shares in kept.items()}
            fits = sum(fitting) / len(fitting)
            shares = {"fits": fits, "parses": parsed / total, "used": used / total, "over": over / total}
            table.append({"kept": ratio, "system": system, **shares, **means})
            if system == "tersely" and ratio == 0.3:
                report.targets.append(Target("code, signatures at 30% where they fit", 1.0, fits, "", False))
                report.targets.append(Target("code, parses as before", 1.0, parsed / total, "", False))
    languages = sorted({row["language"] for row in files})
    columns = [
        Column("kept", form=".0%"),
        Column("system"),
        *(Column(language, form=".3f") for language in languages),
        Column("fits", "where they fit", ".3f"),
        Column("parses", "parses as before", ".1%"),
        Column("used", "tokens used", ".3f"),
        Column("over", "over budget", ".0%"),
    ]
    report.table("Signatures kept", columns, table)
    _speed(report, files)


def _outline(row: dict[str, Any]) -> str:
    """The least text that shows all signatures, in the file's own lines, and says where bodies were."""
    python = row["language"] == "python"
    lines = row["text"].split("\n")
    shown: dict[int, str] = {}
    for first in sorted({definition["line"] - 1 for definition in row["definitions"]}):
        level = _indent(lines[first])
        for number in range(first - 1, -1, -1):  # what it stands in
            line = lines[number].rstrip()
            if line and _indent(line) < level and line.endswith((":", "{")):
                shown.setdefault(number, line)
                level = _indent(line)
            if level == 0:
                break
        last = first
        while last < len(lines) - 1 and not lines[last].rstrip().endswith((":", "{", "}", ";")):
            last += 1
        last = last if last - first < _LONGEST_SIGNATURE else first
        for number in range(first, last + 1):
            shown[number] = lines[number]
    body = "    ...\n" if python else "    // …\n}\n"
    text = ""
    for _, line in sorted(shown.items()):
        text += f"{line}\n{body if line.rstrip().endswith((':', '{')) else ''}"
    return text


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _systems() -> Iterator[tuple[str, Callable[[str, str, float], str]]]:
    def own(text: str, language: str, ratio: float) -> str:
        return tersely.compress(text, ratio=ratio, counter=_COUNTER, strategy=Code(language)).text

    yield "tersely", own
    for index, peer in enumerate(peers.code_peers("python")):
        if peer.call is not None:
            yield peer.name, partial(_by_peer, index)


def _by_peer(index: int, text: str, language: str, ratio: float) -> str:
    peer = peers.code_peers(language)[index]
    budget = int(resolve_counter(_COUNTER).count(text) * ratio)
    return peer.text(peer([text], None, budget, ratio))


def _parses_still(language: str, text: str, small: str) -> bool:
    if language == "python":
        try:
            ast.parse(small)
        except SyntaxError:
            return False
        return True
    return has_syntax_errors(language, text) or not has_syntax_errors(language, small)


def _speed(report: Report, files: list[dict[str, Any]]) -> None:
    size = sum(len(row["text"]) for row in files) / 1e6

    def calls(row: dict[str, Any]) -> object:
        return tersely.compress(row["text"], ratio=0.3, strategy=Code(row["language"]))

    def parsed_calls(row: dict[str, Any]) -> object:
        with mock.patch.object(code_units, "read_marks", return_value=None):
            return calls(row)

    runs: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
        ("parsed by tree-sitter", lambda row: has_syntax_errors(row["language"], row["text"])),
        ("its bodies and statements", lambda row: read_spans(row["language"], row["text"])),
        ("units by their own marks", lambda row: read_code(row["language"], row["text"])),
        ("whole call at 30%", calls),
        ("whole call at 30%, by tree-sitter", parsed_calls),
    ]
    table = []
    for name, run in runs:
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            for row in files:
                run(row)
            best = min(best, time.process_time() - start)
        table.append({"what": name, "speed": size / best})
    report.table(f"Speed, {size:.1f} MB", [Column("what"), Column("speed", "MB/s", ".1f")], table)
    speeds = {str(row["what"]): float(row["speed"]) for row in table}  # type: ignore[arg-type]
    report.targets.append(Target("code, whole call", 10, speeds["whole call at 30%"], "MB/s", False))
