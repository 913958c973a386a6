"""Write output whole, and safely for a terminal; say what goes on.

Nothing here loads numpy: `tersely run` and hooks answer at once where there is nothing to shorten.
"""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from tersely.text import json_bytes, to_bytes

# Control characters but tabs and line ends, which terminals take, and what follows, for commands; and those
# that make what follows run the other way.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
# In a line, what ends it and other marks of direction, too.
_NOT_IN_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class InputError(Exception):
    """A file that cannot be used; the message is for the user."""


def printable(text: str) -> str:
    r"""Show control characters as `\x1b`, so that text of documents and names cannot command a terminal."""
    return _CONTROLS.sub(_escaped, text)


def in_a_line(text: str) -> str:
    r"""Show a name, or a message with names, as `printable` does and on one line: a line end as `\x0a`."""
    return _NOT_IN_A_LINE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


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


def discard(stream: TextIO) -> None:
    """Discard a stream's buffered and future output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write(text: str | bytes, output: str | None = None) -> None:
    """Write the exact text to a file or standard output; a terminal gets its `printable` form."""
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


def write_json(data: Any, output: str | None = None) -> None:
    """Write data as JSON that people can read, as `write` does."""
    write(json_bytes(data, indent=2) + b"\n", output)


def say(text: str, by: str = "tersely") -> None:
    """Say something on standard error, in a line, if it can be written there."""
    try:
        print(f"{by}: {in_a_line(text)}", file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


#: Told of a stage, how much of it is done, of how much, and (`detail`) what else is known.
Progress: TypeAlias = Callable[..., object]

_PATIENCE = 2.0  # seconds after which a terminal is told that work goes on
_BETWEEN_LINES = 10.0  # seconds between two lines of progress in a file


@contextmanager
def show_progress() -> Iterator[Progress]:
    """Give a function (stage, done, of) that shows how far a stage is; in a file, every ten seconds."""
    told, watched, line = time.monotonic(), sys.stderr.isatty(), ""

    def show(stage: str, done: int, of: int, detail: str = "") -> None:
        nonlocal told, line
        line = f"{stage}, {100 * done // max(of, 1)}%{detail and ': ' + detail}"
        if watched:
            _print_waiting(line)
        elif time.monotonic() - told >= _BETWEEN_LINES:
            told = time.monotonic()
            say(line)

    try:
        yield show
    finally:
        if watched and line:  # nothing is left behind
            _print_waiting("")


@contextmanager
def show_waiting(what: str) -> Iterator[None]:
    """Show on a terminal the current step and its time, once it has taken two seconds."""
    if not sys.stderr.isatty():
        yield
        return
    done, started = threading.Event(), time.monotonic()

    def tell() -> None:
        wait = _PATIENCE
        while not done.wait(wait):
            _print_waiting(f"{what}, {time.monotonic() - started:.0f} s")
            wait = 1.0

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
        if time.monotonic() - started >= _PATIENCE:
            _print_waiting("")


def _print_waiting(shown: str) -> None:
    bare = getattr(sys.stderr, "bare", sys.stderr)  # the cursor moves
    print(f"\r\x1b[K{printable(shown)}", end="", file=bare, flush=True)


def note_warnings(codes: Iterable[str]) -> None:
    """Say each warning on stderr, in a sentence."""
    for code in codes:
        from tersely.report.pieces import in_words  # the page of reports comes with it

        say(f"note: {in_words(code)}")
