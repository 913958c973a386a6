"""How far the reading of many files is, for who looks on."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["with_progress"]

_MANY_FILES = 20  # from here on a terminal is shown progress


def with_progress(files: Sequence[str]) -> Iterable[str]:
    """The names of the files; a terminal is shown where it is."""
    if len(files) < _MANY_FILES or not sys.stderr.isatty():
        return files
    try:
        from rich.console import Console
        from rich.progress import track
    except ImportError:
        return _plain_progress(files)
    tracked: Iterable[str] = track(files, "reading", console=Console(stderr=True), transient=True)
    return tracked


def _plain_progress(files: Sequence[str]) -> Iterator[str]:
    for number, name in enumerate(files, 1):
        print(f"\rreading {number}/{len(files)}", end="", file=sys.stderr)
        yield name
    print("\r\x1b[K", end="", file=sys.stderr)
