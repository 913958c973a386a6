"""What subcommands share: their parser, files in, text out, a progress bar."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from tersely.types import Document

__all__ = [
    "Commands",
    "InputError",
    "add_command",
    "discard_output",
    "open_closed_streams",
    "progress_bar",
    "read_files",
    "utf8_text",
    "write",
]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_MANY_FILES = 20  # from here on a terminal is shown progress


class InputError(Exception):
    """A file that cannot be used; the message is for the user."""


def add_command(commands: Commands, name: str, text: str, examples: str) -> argparse.ArgumentParser:
    """The parser of a subcommand; its help ends with examples, as they are written."""
    form = argparse.RawDescriptionHelpFormatter
    return commands.add_parser(name, help=text, description=text, epilog=examples, formatter_class=form)


def open_closed_streams() -> None:
    """Standard streams that the caller closed: nothing comes in, what goes out is dropped."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def discard_output() -> None:
    """Nothing more goes to standard output, what is still held back for it neither."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def utf8_text(argument: str) -> str:
    """An argument's text: its bytes are UTF-8 whatever the locale says they are."""
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:  # bytes that the locale could not read
        try:
            return os.fsencode(argument).decode("utf-8")
        except UnicodeDecodeError as error:
            raise argparse.ArgumentTypeError(
                f"not UTF-8 text: byte 0x{error.object[error.start]:02x} at {error.start}"
            ) from error
    return argument


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], object] | None]:
    """A function (done, of all) that shows both, where there is a terminal and rich; else None."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def write(text: str, output: str | None) -> None:
    """Exact bytes; a terminal gets a line end after them."""
    data = text.encode("utf-8")
    if output is not None:
        try:
            Path(output).write_bytes(data)
        except OSError as error:
            raise InputError(f"cannot write {output}: {error.strerror}") from error
        return
    sys.stdout.buffer.write(data)
    if sys.stdout.isatty() and not text.endswith("\n"):
        sys.stdout.buffer.write(b"\n")


def read_files(files: Sequence[str]) -> list[Document]:
    """The files as documents, each with its name as its id; none: standard input. Raises InputError."""
    if not files and sys.stdin.isatty():
        raise InputError("no input: name files, or pipe text in (see --help)")
    return [_read_one(name) for name in _with_progress(files or ["-"])]


def _read_one(name: str) -> Document:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return Document(data.decode("utf-8"), id=_shown(name))
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not UTF-8 text: byte 0x{error.object[error.start]:02x} at {error.start}"
        ) from error


def _shown(name: str) -> str:
    """A file's name as it can be written; of bytes that are no text, `\\xff`."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(name).decode("utf-8", errors="backslashreplace")
    return name


def _with_progress(files: Sequence[str]) -> Iterable[str]:
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
