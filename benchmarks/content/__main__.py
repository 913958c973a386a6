"""Content types: telling them apart, and what each keeps.

examples:
  python -m benchmarks.content --data DIR
  python -m benchmarks.content --data DIR --parts detection --formats DIR2
  python -m benchmarks.content --data DIR --parts detection --files /usr/share --json content.json
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.arguments import make_parser, parse_parts
from benchmarks.content import code, detection, formats, json, lines
from benchmarks.peers import CODE, TEXT
from benchmarks.report import Report

_PARTS: dict[str, Callable[[Report, Path], None]] = {
    "detection": detection.report,
    "code": code.report,
    "json": json.report,
    "templates": lines.report_templates,
    "logs": lines.report_logs,
    "tool_output": lines.report_tool_output,
}


def main() -> None:
    """Run the parts."""
    parser = make_parser(__doc__)
    parser.add_argument(
        "--files",
        type=Path,
        metavar="DIR",
        help="a folder whose files are told apart by their extensions too",
    )
    parser.add_argument(
        "--formats", type=Path, metavar="DIR", help="a folder of texts whose strings must be kept, by format"
    )
    arguments, parts = parse_parts(parser, _PARTS)
    packages = dict.fromkeys(("drain3", *TEXT, *CODE, "terse-mcp", "toons"))
    report = Report("content", {"data": str(arguments.data), "parts": parts}, tuple(packages))
    for part in parts:
        _PARTS[part](report, arguments.data)
    if arguments.files is not None:
        detection.report_files(report, arguments.files)
    if arguments.formats is not None:
        formats.report_formats(report, arguments.formats)
    report.finish(arguments.json)


main()
