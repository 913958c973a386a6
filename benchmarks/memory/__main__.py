"""Histories of agents and chats within a budget: what stays stated, beside peers; speed; stable starts.

examples:
  python -m benchmarks.memory --data DIR
  python -m benchmarks.memory --data DIR --parts traces,questions --json memory.json
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.arguments import make_parser, parse_parts
from benchmarks.memory import conformance, growing, questions, said, traces
from benchmarks.peers import TEXT
from benchmarks.report import Report

_PARTS: dict[str, Callable[[Report, Path], None]] = {
    "traces": traces.report,
    "questions": questions.report,
    "said": said.report,
    "conformance": conformance.report,
    "long": growing.report_long,
    "starts": growing.report_starts,
}


def main() -> None:
    """Run the parts."""
    arguments, parts = parse_parts(make_parser(__doc__), _PARTS)
    report = Report("memory", {"data": str(arguments.data), "parts": parts}, ("langchain-core", *TEXT))
    for part in parts:
        _PARTS[part](report, arguments.data)
    report.finish(arguments.json)


main()
