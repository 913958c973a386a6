"""Make files for their owner alone, lock them against other processes, read arrays from them unharmed."""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import re
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_MODE, _FOLDER_MODE = 0o600, 0o700  # of new ones: what people keep is nobody else's business
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)  # the second on Windows only
_PATIENCE = 5.0  # seconds, for readers of a file that is replaced


def again(work: Callable[[], object], passes: Callable[[Exception], bool], patience: float) -> None:
    """Do some work, again while its errors are of those that pass, for at most `patience` seconds."""
    until = time.monotonic() + patience
    while True:
        try:
            work()
            return
        except Exception as error:
            if not passes(error) or time.monotonic() >= until:
                raise
        time.sleep(0.001)


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
    """Make a folder and its missing parents, which only their owner may enter."""
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
    # on Windows, there is none as long as somebody reads the other one
    patience = _PATIENCE if sys.platform == "win32" else 0.0
    again(lambda: fresh.replace(target), lambda error: isinstance(error, PermissionError), patience)


@contextmanager
def renamed(target: Path) -> Iterator[Path]:
    """Yield a path to write to, which then replaces `target` in one step; where that fails it is removed.

    Raises OSError, which names `target`.
    """
    path = target.with_name(f".{target.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")  # nobody else's
    try:
        yield path
        replace_file(path, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            path.unlink()
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(path)):
            error.filename = str(target)  # a full disk does not say which file it had no room for
        raise


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


if sys.platform == "win32":
    import msvcrt

    _FAR = 2**31 - 2  # the locked byte: nobody may read one that is locked, and files here are shorter

    def _locking(handle: int, how: int) -> None:
        at = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, how, 1)
        finally:
            os.lseek(handle, at, os.SEEK_SET)

    def _try_lock(handle: int) -> None:
        try:
            _locking(handle, msvcrt.LK_NBLCK)
        except OSError as error:  # EACCES or EDEADLOCK, whoever holds it
            raise BlockingIOError(*error.args) from None

    def unlock_handle(handle: int) -> None:
        """Let go of the lock of an open file."""
        _locking(handle, msvcrt.LK_UNLCK)

else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def unlock_handle(handle: int) -> None:
        """Let go of the lock of an open file: a forked child may have the handle, too."""
        fcntl.flock(handle, fcntl.LOCK_UN)


def lock_handle(handle: int, patience: float) -> None:
    """Lock an open file against other processes. Waits for at most `patience` seconds: TimeoutError."""
    try:
        again(lambda: _try_lock(handle), lambda error: isinstance(error, BlockingIOError), patience)
    except BlockingIOError:
        raise TimeoutError(f"locked by another writer for {patience:g} seconds") from None


# The header of version 1.0, read by this pattern alone: its claims are compared with what is there.
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([|<]\w+)', 'fortran_order': False, 'shape': \(([\d, ]+)\), \} *\n",
    re.DOTALL,
)


def read_array(content: bytes | mmap.mmap, name: str, dtype: str, dimensions: int) -> Any:
    """The array of a file's content, which it shares; `dtype` as NumPy writes it: "<f4".

    Raises ValueError where it is another array, or has more or fewer values than it claims.
    """
    import numpy as np  # not for files alone

    found = _HEADER.match(content)
    shape = [int(size) for size in found[2].split(b",") if size.strip()] if found else []
    if not found or found[1] != dtype.encode():
        raise ValueError(f"{name} is not an array of {np.dtype(dtype)}")
    values: Any = np.frombuffer(content, dtype, offset=found.end())
    if len(shape) != dimensions or values.size != math.prod(shape):
        raise ValueError(f"{name} has {values.size} values, not those of a shape of {dimensions}: {shape}")
    return values.reshape(shape)


def map_bytes(path: Path) -> bytes | mmap.mmap:
    """A file's bytes, mapped. Raises OSError."""
    with path.open("rb", buffering=0) as file:
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:  # an empty file
            return b""


def file_digest(path: Path) -> str:
    """The CRC-32 of a file, in hexadecimal: it shows damage, not forgery. O(bytes), 1 to 7 GB a second.

    Raises OSError.
    """
    return f"{zlib.crc32(map_bytes(path)):08x}"
