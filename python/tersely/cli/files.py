"""Read the files that are named on the command line."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tersely.cli.terminal import InputError, in_a_line, say, show_progress
from tersely.documents import read_document
from tersely.errors import MissingExtraError
from tersely.file_text import READ_AS, READABLE, file_text
from tersely.text import decode
from tersely.types import Document

_LARGEST = 16 << 20  # bytes of a file that is read for the sake of its folder
_MANY_FILES = 20  # from here on a terminal is shown progress


def read_files(files: Sequence[str], encoding: str | None = None) -> list[Document]:
    """Read files as documents with their names as ids; without any, standard input. Raises InputError.

    A folder stands for all text files below it, a pattern that is no file's name for what it matches.
    `encoding`: of the files; None: UTF-8, or what the bytes look like, which is told on stderr.
    """
    files = [one for name in files for one in _expanded(name)]
    if not files and sys.stdin.isatty():
        raise InputError("no input: name files, or pipe text in (see --help)")
    if len(files) < _MANY_FILES:
        return [_read_one(name, encoding) for name in files or ["-"]]
    documents = []
    with show_progress() as show:
        for name in files:
            documents.append(_read_one(name, encoding))
            show("reading", len(documents), len(files))
    return documents


def read_history_file(name: str) -> str:
    """Read the text of a history. Raises InputError, also for a folder or pattern of several files."""
    first, *more = read_files([name])
    if more:
        raise InputError(f"{name} holds {1 + len(more)} files, and a history is one")
    return first.text


def read_text(path: Path) -> str:
    """Read a file of settings, questions or the like, which is UTF-8. Raises InputError."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        wrong = f"byte 0x{error.object[error.start]:02x} at {error.start}"
        raise InputError(f"{path} is not UTF-8 text: {wrong}") from error


def _expanded(name: str) -> list[str]:
    """Expand a folder or a pattern to its files. Raises InputError for a folder without any."""
    if not os.path.isdir(name):  # noqa: PTH112  # a pattern is no path
        there = name == "-" or os.path.exists(name) or not glob.has_magic(name)  # noqa: PTH110
        matching = [] if there else sorted(glob.glob(name, recursive=True))  # noqa: PTH207
        return [one for one in matching if Path(one).is_file()] or [name]
    from tersely.retrieval.index.files import SourceFile, find_files, read_file

    folder = Path(name)
    found, left = [], 0
    for one in find_files(folder, every=True):
        if not isinstance(one, SourceFile):
            left += 1
        elif one.path.lower().endswith(tuple(READABLE)) or isinstance(
            read_file(folder, one.path, _LARGEST), bytes
        ):
            found.append(str(folder / one.path))
        else:
            left += 1
    out = f"{left:,} of {left + len(found):,} files below {_shown(name)} are left out: no text, links, or "
    out += "larger than 16 MB (name those by themselves)"
    if not found:
        raise InputError(out if left else f"there is no file below {_shown(name)}")
    if left:
        say(f"note: {out}")
    return found


def _read_one(name: str, encoding: str | None) -> Document:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        told = file_text(name, data) if encoding is None else None
        text, guessed = decode(data, encoding) if told is None else (told, None)
        about = {} if told is None else READ_AS
        document = read_document(Document(text, id=_shown(name), metadata=about), name)
        how = f"is read as {guessed}" if guessed else "has bytes that are no UTF-8 (U+FFFD stands for them)"
        if guessed or document.given is not None:
            say(f"note: {_shown(name)} {how}; --encoding says another")
        return document
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from error
    except MissingExtraError as error:
        raise InputError(f"{_shown(name)}: {error}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not {'UTF-8' if encoding is None else encoding} text: "
            f"byte 0x{error.object[error.start]:02x} at {error.start}"
        ) from error
    except ValueError as error:
        raise InputError(str(error)) from error


def _shown(name: str) -> str:
    r"""Return a file's name as it can be written: bytes that are no text as `\xff`, and on one line."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        name = os.fsencode(name).decode("utf-8", errors="backslashreplace")
    return in_a_line(name)
