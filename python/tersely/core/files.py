"""Make files for their owner alone, lock them against other processes, and see them to the disk."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tersely.core.locks import lock_handle, unlock_handle

__all__ = [
    "file_lock",
    "make_file",
    "make_folder",
    "open_found",
    "private",
    "replace_file",
    "sync_to_disk",
    "warn_if_shared",
]

_MODE, _FOLDER_MODE = 0o600, 0o700  # of new ones: what people keep is nobody else's business
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)  # the second on Windows only
_PATIENCE = 5.0  # seconds, for readers of a file that is replaced


def make_file(path: Path) -> None:
    """Make an empty file that its owner alone may read. Raises FileExistsError, and other OSErrors."""
    os.close(private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))


def private(path: str | os.PathLike[str], flags: int) -> int:
    """Open a file, as `opener` of `open`: a new one is its owner's alone, whatever the umask.

    One that is written anew becomes so; one that is added to keeps its permissions.
    """
    handle = os.open(path, flags | _FLAGS, _MODE)
    if flags & (os.O_EXCL | os.O_TRUNC):
        _set_mode(handle, _MODE)
    return handle


def open_found(path: Path) -> int:
    """Open a file to read, without following a link at its end and without waiting for a pipe or a device.

    Raises OSError.
    """
    if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():
        raise OSError(f"{path} is a link")
    return os.open(path, os.O_RDONLY | _FLAGS | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, that their owner alone may enter; those that are there stay."""
    missing = [one for one in (path, *path.parents) if not one.exists()]
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=_FOLDER_MODE)
            folder.chmod(_FOLDER_MODE)
    path.mkdir(exist_ok=True)  # raises for what is no folder


def warn_if_shared(path: Path) -> None:
    """Warn (UserWarning) where others than its owner may read or write a file, as in older versions."""
    if sys.platform == "win32":  # access is not in the mode there
        return
    try:
        mode = path.stat().st_mode & 0o777
    except OSError:
        return
    if mode & 0o066:
        message = f"others may read or write {path} (its mode is {mode:o}); if they should not: chmod 600"
        warnings.warn(message, stacklevel=2)


@contextmanager
def file_lock(path: Path, patience: float, *, like: Path | None = None) -> Iterator[None]:
    """Hold the lock of a file, made where it is missing, against other threads and processes.

    Waits for at most `patience` seconds: TimeoutError. A new file may be opened by whoever may open `like`,
    else by its owner alone. Raises OSError where it cannot be opened.
    """
    handle = _open_lock(path, like)
    try:
        lock_handle(handle, patience)
        try:
            yield
        finally:
            unlock_handle(handle)
    finally:
        os.close(handle)


def sync_to_disk(path: Path) -> None:
    """Wait until a file's bytes, or a folder's names, are on the disk."""
    if sys.platform == "win32" and path.is_dir():  # folders cannot be opened there, nor files without writing
        return
    handle = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace_file(fresh: Path, target: Path) -> None:
    """Give a file the name of another, which goes away, at once or not at all. Raises OSError."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            fresh.replace(target)
            return
        except PermissionError:  # on Windows, as long as somebody reads the other one
            if sys.platform != "win32" or time.monotonic() >= until:
                raise
            time.sleep(0.001)


def _open_lock(path: Path, like: Path | None) -> int:
    with contextlib.suppress(FileNotFoundError):
        return os.open(path, os.O_RDWR | _FLAGS)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | _FLAGS, _MODE)
    with contextlib.suppress(OSError):  # gone
        _set_mode(handle, _MODE if like is None or not like.exists() else like.stat().st_mode & 0o666)
    return handle


def _set_mode(handle: int, mode: int) -> None:
    if hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):  # another user's, or a file system without permissions
            os.fchmod(handle, mode)
