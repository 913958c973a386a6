"""Write to standard output and standard error: all of it or an error, and nothing that a terminal obeys."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from tersely.core.text import to_bytes

__all__ = ["InputError", "bare_stderr", "discard", "printable", "say", "standard_streams", "write"]

# Control characters but tabs and line ends: terminals take them, and what follows, for commands.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")


class InputError(Exception):
    """A file that cannot be used; the message is for the user."""


def printable(text: str) -> str:
    r"""Show control characters as `\x1b`, so that text of documents and names cannot command a terminal."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


class _Terminal:
    """A text stream that ends in a terminal; whatever is printed to it is made `printable`."""

    def __init__(self, stream: TextIO) -> None:
        self.bare = stream

    def write(self, text: str) -> int:
        self.bare.write(printable(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bare, name)


# How each stream is used, and how the null device is opened where the caller closed the stream: the wrong way
# round for the first two, so that using them is an error; what goes to the third is dropped.
_STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))


@contextmanager
def standard_streams() -> Iterator[None]:
    """Make the standard streams safe to use while a command runs.

    Terminals get what is `printable`. Standard output has a buffer, which writes all or raises: without one
    (PYTHONUNBUFFERED) what the file system does not take of a text is lost. A stream that the caller closed
    raises OSError where it is used, so nothing goes where nobody reads it.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    for name, mode, flags in _STREAMS:
        stream: Any = getattr(sys, name)
        if stream is None:  # opened first of all, so that no other file takes its number
            stream = open(os.open(os.devnull, flags), mode, encoding="utf-8")  # noqa: PTH123, SIM115
        elif name == "stdout" and isinstance(getattr(stream, "buffer", None), io.RawIOBase):
            stream = open(  # noqa: SIM115
                stream.fileno(), mode, encoding=stream.encoding, errors=stream.errors, closefd=False
            )
        setattr(sys, name, _Terminal(stream) if mode == "w" and stream.isatty() else stream)
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def bare_stderr() -> TextIO:
    """Standard error as it is, for what moves the cursor itself and shows no text of others."""
    return sys.stderr.bare if isinstance(sys.stderr, _Terminal) else sys.stderr


def discard(stream: TextIO) -> None:
    """Drop what would still go to a stream, and what is already buffered for it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write(text: str | bytes, output: str | None = None) -> None:
    """Write the exact text to a file, or to standard output; a terminal gets what is `printable` of it."""
    data = text if isinstance(text, bytes) else to_bytes(text)
    if output is not None:
        try:
            Path(output).write_bytes(data)
        except OSError as error:
            raise InputError(f"cannot write {output}: {error.strerror}") from error
        return
    if sys.stdout.isatty():
        shown = printable(data.decode("utf-8", errors="backslashreplace"))
        data = (shown if shown.endswith("\n") else shown + "\n").encode("utf-8")
    sys.stdout.buffer.write(data)
    sys.stdout.flush()  # before anybody says that it is done


def say(text: str, by: str = "tersely") -> None:
    """Say something on standard error, in a line, if it can be written there."""
    try:
        print(f"{by}: {text}", file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)
