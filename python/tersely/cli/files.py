"""Read the files that are named on the command line, write the output, show progress on a terminal."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from tersely.cli.streams import InputError, bare_stderr, say
from tersely.core.documents import read_document
from tersely.core.text import decode
from tersely.core.types import Document

__all__ = [
    "Progress",
    "note_warnings",
    "read_files",
    "read_text",
    "show_progress",
    "show_waiting",
]

#: Told of a stage, how much of it is done, of how much, and (`detail`) what else is known.
Progress: TypeAlias = Callable[..., object]

_MANY_FILES = 20  # from here on a terminal is shown progress
_PATIENCE = 2.0  # seconds after which a terminal is told that work goes on


@contextmanager
def show_progress() -> Iterator[Progress | None]:
    """Give a function (stage, done, of) that draws a bar for each stage; None where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress as Bars
    except ImportError:
        yield _print_progress
        return
    with Bars(console=Console(file=bare_stderr()), transient=True) as bars:
        tasks = {}

        def show(stage: str, done: int, of: int, detail: str = "") -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=of)
            bars.update(tasks[stage], completed=done, total=of, description=f"{stage} {detail}".rstrip())

        yield show


def _print_progress(stage: str, done: int, of: int, detail: str = "") -> None:
    shown = f"{stage} {detail or f'{done}/{of}'}"
    _print_waiting(shown if done < of else "")  # a stage that is done leaves nothing behind


@contextmanager
def show_waiting(what: str) -> Iterator[None]:
    """Show on a terminal what is being done, and for how long already, once it has taken two seconds."""
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
    print(f"\r\x1b[K{shown}", end="", file=bare_stderr(), flush=True)


def note_warnings(codes: Iterable[str]) -> None:
    """Say each warning on stderr, in a sentence."""
    for code in codes:
        from tersely.report.words import in_words  # the page of reports comes with it

        say(f"note: {in_words(code)}")


def read_files(files: Sequence[str], encoding: str | None = None) -> list[Document]:
    """Read files as documents with their names as ids; without any, standard input. Raises InputError.

    `encoding`: of the files; None: UTF-8, or what the bytes look like, which is told on stderr.
    """
    if not files and sys.stdin.isatty():
        raise InputError("no input: name files, or pipe text in (see --help)")
    if len(files) < _MANY_FILES:
        return [_read_one(name, encoding) for name in files or ["-"]]
    documents = []
    with show_progress() as show:
        for name in files:
            documents.append(_read_one(name, encoding))
            if show is not None:
                show("reading", len(documents), len(files))
    return documents


def read_text(path: Path) -> str:
    """Read a file of settings, questions or the like, which is UTF-8. Raises InputError."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        wrong = f"byte 0x{error.object[error.start]:02x} at {error.start}"
        raise InputError(f"{path} is not UTF-8 text: {wrong}") from error


def _read_one(name: str, encoding: str | None) -> Document:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        text, guessed = decode(data, encoding)
        document = read_document(Document(text, id=_shown(name)), name)
        how = f"is read as {guessed}" if guessed else "has bytes that are no UTF-8 (U+FFFD stands for them)"
        if guessed or document.given is not None:
            say(f"note: {_shown(name)} {how}; --encoding says another")
        return document
    except IsADirectoryError as error:
        shown = _shown(name).rstrip("/") or "/"
        raise InputError(
            f"{shown} is a folder: name its files (tersely compress {shown}/*), or make an index of it "
            f"(tersely index {shown})"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not {'UTF-8' if encoding is None else encoding} text: "
            f"byte 0x{error.object[error.start]:02x} at {error.start}"
        ) from error


def _shown(name: str) -> str:
    """Return a file's name as it can be written: bytes that are no text as `\\xff`."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(name).decode("utf-8", errors="backslashreplace")
    return name
