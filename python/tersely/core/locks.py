"""Lock open files against other processes, and watch forks, on every operating system."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

__all__ = ["at_forks", "lock_handle", "unlock_handle"]

if sys.platform == "win32":
    import msvcrt

    _FAR = 2**31 - 2  # the locked byte: nobody may read one that is locked, and files here are shorter

    def _try_lock(handle: int) -> None:
        at = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:  # EACCES or EDEADLOCK, whoever holds it
            raise BlockingIOError(*error.args) from None
        finally:
            os.lseek(handle, at, os.SEEK_SET)

    def unlock_handle(handle: int) -> None:
        """Let go of the lock of an open file."""
        at = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
        finally:
            os.lseek(handle, at, os.SEEK_SET)

else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def unlock_handle(handle: int) -> None:
        """Let go of the lock of an open file: a forked child may have the handle, too."""
        fcntl.flock(handle, fcntl.LOCK_UN)


def lock_handle(handle: int, patience: float) -> None:
    """Lock an open file against other processes. Waits for at most `patience` seconds: TimeoutError."""
    until = time.monotonic() + patience
    while True:
        try:
            return _try_lock(handle)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise TimeoutError(f"locked by another writer for {patience:g} seconds") from None
            time.sleep(0.001)


def at_forks(
    *,
    before: Callable[[], object] = lambda: None,
    after_in_parent: Callable[[], object] = lambda: None,
    after_in_child: Callable[[], object] = lambda: None,
) -> None:
    """Call functions around each fork of this process; never where there are no forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=before, after_in_parent=after_in_parent, after_in_child=after_in_child)
