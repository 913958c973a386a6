"""Contextual compression: evidence kept of retrieved documents beside the peers, and time.

Examples:
    python -m benchmarks.retrieval --data DIR --model DIR2
    python -m benchmarks.retrieval --data DIR --parts speed --json speed.json
    python -m benchmarks.retrieval --data DIR --model DIR2 --parts evidence --rows 20
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from benchmarks.arguments import make_parser, parse_parts
from benchmarks.report import Report
from benchmarks.retrieval import contextual_speed, evidence

_PARTS: dict[str, Callable[[Report, argparse.Namespace], None]] = {
    "evidence": evidence.report,
    "speed": contextual_speed.report,
}
_PACKAGES = ("langchain-classic", "langchain-community", "llama-index-core", "onnxruntime")


def main() -> None:
    """Run the parts."""
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=40, help="questions a set (default: 40)")
    parser.add_argument("--model", type=Path, metavar="DIR", help="MiniLM in ONNX, for the peers")
    options, parts = parse_parts(parser, _PARTS)
    result = Report("retrieval", {"parts": parts, "rows": options.rows}, _PACKAGES)
    for part in parts:
        _PARTS[part](result, options)
    result.finish(options.json)


if __name__ == "__main__":
    main()
