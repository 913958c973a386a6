"""Make files for their owner alone, lock them against other processes, and see them to the disk."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["file_lock", "make_file", "sync_to_disk"]

_MODE = 0o600  # of new files: what people keep is nobody else's business


def make_file(path: Path) -> None:
    """Make an empty file that its owner alone may read. Raises FileExistsError, and other OSErrors."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE))


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
    if like is not None and like.exists():
        with contextlib.suppress(OSError):  # another user's
            os.fchmod(handle, like.stat().st_mode & 0o666)
    return handle
