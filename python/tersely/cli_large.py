"""Logs too large to be held in memory, for the command line."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tersely.cli_files import progress_bar
from tersely.content.log_file import compress_file
from tersely.stages.detect import detect

__all__ = ["LARGE", "compress_large", "is_large_log"]

LARGE = 64 << 20  # bytes from which a log is read in chunks
_HEAD = 1 << 16  # bytes that say whether it is one


def is_large_log(arguments: argparse.Namespace) -> bool:
    """Whether what is asked for is one large log within a budget, and nothing that needs its whole text."""
    whole = arguments.pin or arguments.report or arguments.store
    if whole or arguments.strategy != "auto" or arguments.budget is None:
        return False
    if len(arguments.files) != 1 or arguments.as_type not in (None, "log"):
        return False
    path = Path(arguments.files[0])
    if not path.is_file() or path.stat().st_size < LARGE:
        return False
    if arguments.as_type == "log":
        return True
    with path.open("rb") as file:
        return detect(file.read(_HEAD).decode("utf-8", errors="replace")).kind == "log"


def compress_large(arguments: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """The text that fits, and everything that is known of it."""
    path = Path(arguments.files[0])
    size = path.stat().st_size
    with progress_bar("reading") as show:
        digest = compress_file(
            path,
            arguments.query,
            budget=arguments.budget,
            counter=arguments.counter,
            progress=None if show is None else lambda read: show(read, size),
        )
    for warning in digest.warnings:
        print(f"tersely: note: {warning.replace('_', ' ')}", file=sys.stderr)
    if sys.stderr.isatty():
        read = f"{digest.lines:,} lines, {digest.templates:,} kinds of lines"
        print(f"tersely: kept {digest.tokens} tokens of {read}", file=sys.stderr)
    return digest.text, {"documents": [str(path)], **asdict(digest)}
