"""Make files for their owner alone, lock them against other processes, and see them to the disk."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["file_lock", "make_file", "make_folder", "private", "sync_to_disk", "warn_if_shared"]

_MODE, _FOLDER_MODE = 0o600, 0o700  # of new ones: what people keep is nobody else's business


def make_file(path: Path) -> None:
    """Make an empty file that its owner alone may read. Raises FileExistsError, and other OSErrors."""
    os.close(private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))


def private(path: str | os.PathLike[str], flags: int) -> int:
    """Open a file, as `opener` of `open`: a new one is its owner's alone, whatever the umask.

    One that is written anew becomes so; one that is added to keeps its permissions.
    """
    handle = os.open(path, flags | os.O_CLOEXEC, _MODE)
    if flags & (os.O_EXCL | os.O_TRUNC):
        with contextlib.suppress(OSError):  # another user's, or a file system without permissions
            os.fchmod(handle, _MODE)
    return handle


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
        until = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise TimeoutError(f"locked by another writer for {patience:g} seconds") from None
                time.sleep(0.001)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)  # a forked child may have the handle, too
    finally:
        os.close(handle)


def sync_to_disk(path: Path) -> None:
    """Wait until a file's bytes, or a folder's names, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _open_lock(path: Path, like: Path | None) -> int:
    with contextlib.suppress(FileNotFoundError):
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE)
    with contextlib.suppress(OSError):  # another user's, or gone
        os.fchmod(handle, _MODE if like is None or not like.exists() else like.stat().st_mode & 0o666)
    return handle
