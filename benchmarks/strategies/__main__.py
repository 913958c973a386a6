"""The compressors of tersely.strategies: what a query gains, time, the cache, ratios by content type.

examples:
  python -m benchmarks.strategies --data DIR
  python -m benchmarks.strategies --data DIR --parts latency,replay --json strategies.json
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.arguments import make_parser
from benchmarks.report import Report
from benchmarks.strategies import latency, planted, queries, ratios, replay

_PARTS: dict[str, Callable[[Report, Path], None]] = {
    "queries": queries.report,
    "planted": planted.report,
    "latency": latency.report,
    "replay": replay.report,
    "ratios": ratios.report,
}


def main() -> None:
    """Run the parts."""
    parser = make_parser(__doc__)
    parser.add_argument("--parts", default=",".join(_PARTS), help=f"of {', '.join(_PARTS)} (all)")
    arguments = parser.parse_args()
    parts = arguments.parts.split(",")
    unknown = [part for part in parts if part not in _PARTS]
    if unknown:
        parser.error(f"unknown parts: {', '.join(unknown)}")
    report = Report("strategies", {"data": str(arguments.data), "parts": parts}, ())
    for part in parts:
        _PARTS[part](report, arguments.data)
    report.finish(arguments.json)


if __name__ == "__main__":
    main()
