"""The compressors of tersely.strategies: what a query gains, time, the cache, ratios by content type.

examples:
  python -m benchmarks.strategies --data DIR
  python -m benchmarks.strategies --data DIR --parts latency,replay --json strategies.json
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.arguments import make_parser, parse_parts
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
    arguments, parts = parse_parts(make_parser(__doc__), _PARTS)
    report = Report("strategies", {"data": str(arguments.data), "parts": parts}, ())
    for part in parts:
        _PARTS[part](report, arguments.data)
    report.finish(arguments.json)


if __name__ == "__main__":
    main()
