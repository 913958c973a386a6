"""Vectors by key in an SQLite file that several processes may use at once."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tersely.errors import StoreError
from tersely.tables import Float32s

if TYPE_CHECKING:
    import sqlite3

__all__ = ["VectorFile"]

Entry = tuple[Float32s, bool]  # the vector, and whether the text was cut
Result = TypeVar("Result")

_APPLICATION = 0x54525645  # "TRVE": marks the file as ours
_VERSION = 1
_PATIENCE = 30.0  # seconds to wait for another process's write
_AT_ONCE = 500  # keys in a statement
_DIGEST = 8  # bytes
_TABLE = (
    "CREATE TABLE vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, cut INTEGER NOT NULL, "
    "digest BLOB NOT NULL)"
)
_left_to_the_parent: list[sqlite3.Connection] = []  # SQLite's connections must not be closed after a fork


class VectorFile:
    """A file of vectors, each with a digest. Thread-safe; a forked child opens the file itself.

    Every method raises StoreError where the file is damaged, is not ours, or stays locked for 30 seconds.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the file, or make it."""
        self._lock = threading.Lock()
        self._opened: tuple[int, sqlite3.Connection] | None = None
        self.path = Path(path)
        self._using(lambda connection: None)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Entry]:
        """The entries there are for these keys."""

        def read(connection: sqlite3.Connection) -> dict[bytes, Entry]:
            found: dict[bytes, Entry] = {}
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = connection.execute(
                    f"SELECT key, vector, cut, digest FROM vectors WHERE key IN ({marks})", some
                )
                for key, vector, cut, digest in rows:
                    if digest != _digest(key, vector, cut) or len(vector) % 4:
                        raise StoreError(f"{self.path} is damaged: a vector does not match its digest")
                    found[key] = (np.frombuffer(vector, dtype="<f4").astype(np.float32), bool(cut))
            return found

        return self._using(read)

    def put(self, entries: Mapping[bytes, Entry]) -> None:
        """Add entries in one transaction; a key that is there keeps its vector."""
        rows = []
        for key, (vector, cut) in entries.items():
            data = np.asarray(vector, dtype="<f4").tobytes()
            rows.append((key, data, int(cut), _digest(key, data, int(cut))))

        def write(connection: sqlite3.Connection) -> None:
            with connection:  # commits, or rolls back
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)", rows)

        self._using(write)

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        with self._lock:
            if self._opened is not None and self._opened[0] == os.getpid():
                self._opened[1].close()
            self._opened = None

    def __del__(self) -> None:
        """Close the connection."""
        self.close()

    def _using(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        import sqlite3

        try:
            with self._lock:
                return work(self._connection())
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise StoreError(f"{self.path}: {error}") from error

    def _connection(self) -> sqlite3.Connection:
        import sqlite3

        if self._opened is not None and self._opened[0] == os.getpid():
            return self._opened[1]
        if self._opened is not None:
            _left_to_the_parent.append(self._opened[1])
        connection = sqlite3.connect(
            self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._opened = (os.getpid(), connection)
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the table in an empty file; refuse one that is not ours before anything is written."""
        with connection:  # one snapshot: another process may make the table between two statements
            connection.execute("BEGIN")
            ours = self._is_ours(connection)
        if not ours:
            _write_ahead(connection)
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                if not self._is_ours(connection):  # another process may have been quicker
                    connection.execute(_TABLE)
                    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                    connection.execute(f"PRAGMA user_version = {_VERSION}")
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        """Whether the table is there: False for an empty file."""
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        tables = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table'").fetchall()
        if (application, version, tables) == (0, 0, []):
            return False
        if application != _APPLICATION:
            raise StoreError(f"{self.path} is an SQLite file of another program, not a file of vectors")
        if version != _VERSION or tables != [(_TABLE,)]:
            raise StoreError(
                f"{self.path} was written by another version of tersely ({version}, not {_VERSION})"
            )
        return True


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging. SQLite does not wait for other processes here, so this does."""
    import sqlite3

    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


def _digest(key: bytes, vector: bytes, cut: int) -> bytes:
    return hashlib.blake2b(b"%d%b" % (cut, vector), key=key, digest_size=_DIGEST).digest()
