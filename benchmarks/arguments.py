"""The command line that all benchmarks share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection
from pathlib import Path

__all__ = ["make_parser", "parse_parts", "the_data"]


def make_parser(documentation: str | None, *, needs_data: bool = True) -> argparse.ArgumentParser:
    """A parser with --data and --json; the module's documentation is the help: a summary, then examples.

    `needs_data`: whether nothing can be measured without a folder; else `the_data` asks for it.
    """
    summary, _, examples = (documentation or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    given = os.environ.get("TERSELY_DATA")
    parser.add_argument(
        "--data",
        type=_directory,
        default=given,
        required=needs_data and given is None,
        metavar="DIR",
        help="directory of the *.jsonl.gz files (default: the environment variable TERSELY_DATA)",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the numbers, machine and versions there too"
    )
    return parser


def the_data(options: argparse.Namespace, what: str) -> Path:
    """The folder of --data; exits where `what` is asked for without one."""
    if options.data is None:
        raise SystemExit(f"{what} need --data DIR, the directory of the *.jsonl.gz files")
    folder: Path = options.data
    return folder


def parse_parts(
    parser: argparse.ArgumentParser, names: Collection[str]
) -> tuple[argparse.Namespace, list[str]]:
    """The arguments, and the parts of a benchmark that --parts asks for; all where it does not."""
    parser.add_argument("--parts", default=",".join(names), help=f"of {', '.join(names)} (all)")
    arguments = parser.parse_args()
    parts = arguments.parts.split(",")
    unknown = [part for part in parts if part not in names]
    if unknown:
        parser.error(f"unknown parts: {', '.join(unknown)}")
    return arguments, parts


def _directory(given: str) -> Path:
    path = Path(given)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{given} is not a directory")
    return path
