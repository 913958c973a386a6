"""Connections to a store's file: one writes at a time among all processes, any number read."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from tersely.errors import StoreError
from tersely.store.forks import Gate, close_at_forks
from tersely.store.schema import VERSION, is_ours, migrate

__all__ = ["Connections"]

_PATIENCE = 30.0  # seconds to wait for another process's write
_LOG_PAGES = 2000  # of the write-ahead log, before they move to the file
_LOG_BYTES = 64 * 2**20  # that the log keeps when it is empty
_CACHE_KIB = 32 * 1024  # of the writing connection


class Connections:
    """Opens, hands out and closes connections. Thread-safe; none is open while this process forks.

    Writers of all processes queue at a lock on the file `PATH-lock`, checkpoints included: SQLite before
    3.51.3 can lose pages where two connections write and checkpoint at the same moment (the WAL-reset bug,
    https://sqlite.org/wal.html#walresetbug).
    """

    def __init__(self, path: Path, *, read_only: bool, max_bytes: int | None) -> None:
        """Open the file, or make it; migrate it where it is older. Raises StoreError."""
        self.path, self.read_only, self._max_bytes = path, read_only, max_bytes
        self.gate = Gate()
        self._writer: sqlite3.Connection | None = None
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        close_at_forks(self)
        try:
            self._first_look()
        except BaseException:
            self.close()
            raise

    def _first_look(self) -> None:
        if not self.read_only:
            with self.maintaining():
                return
        with self.reading() as connection:
            version = is_ours(connection, self.path)
        if version != VERSION:
            raise StoreError(f"{self.path} has format {version}, not {VERSION}: open it once to write")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The writing connection inside a transaction that commits when the block ends without an error.

        For one thread at a time; nothing of this class may be called inside.
        """
        with self.maintaining() as connection, _transaction(connection):
            yield connection

    @contextmanager
    def maintaining(self) -> Iterator[sqlite3.Connection]:
        """The writing connection outside a transaction, alone among writers; otherwise as `writing`."""
        if self.read_only:
            raise StoreError(f"{self.path} was opened to read only")
        with self._errors(), self.gate.inside():
            self._check_open()
            with self._file_lock():
                if self._writer is None:
                    self._writer = self._open_writer()
                yield self._writer

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that reads one snapshot while the block lasts; nothing of this class inside."""
        with self._errors(), self.gate.inside():
            self._check_open()
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._open_reader()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                if connection.in_transaction:
                    connection.rollback()
                self._idle.append(connection)

    def close(self) -> None:
        """Close all connections; no use after this."""
        self.gate.shut()
        try:
            self._closed = True
            self.close_all()
        finally:
            self.gate.open()

    def close_all(self) -> None:
        """Close the connections there are, with nobody inside the gate; they are opened again when needed."""
        while self._idle:
            self._idle.pop().close()
        if self._writer is not None:
            with self._errors(), self._file_lock():  # the last one to close writes the log into the file
                self._writer.close()
                self._writer = None

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self.path} was closed")

    def _open_writer(self) -> sqlite3.Connection:
        connection = self._connect("rwc")
        try:
            connection.execute("BEGIN")  # one snapshot; refuses before anything is written
            version = is_ours(connection, self.path)
            connection.rollback()
            _write_ahead(connection)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
            connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            if self._max_bytes is not None:
                (page,) = connection.execute("PRAGMA page_size").fetchone()
                connection.execute(f"PRAGMA max_page_count = {max(self._max_bytes // page, 1)}")
            if version < VERSION:
                with _transaction(connection):
                    migrate(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_reader(self) -> sqlite3.Connection:
        connection = self._connect("ro" if self.read_only else "rw")
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()
            # A log-less file in a folder where SQLite may not make its index of the log: nobody writes it.
            if not self.read_only or not self.path.exists() or self._beside("-wal").exists():
                raise
            connection = self._connect("ro&immutable=1")
        return connection

    def _connect(self, mode: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"file:{quote(str(self.path.absolute()))}?mode={mode}",
            uri=True,
            timeout=_PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )

    @contextmanager
    def _file_lock(self) -> Iterator[None]:
        handle = os.open(self._beside("-lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            until = time.monotonic() + _PATIENCE
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > until:
                        raise StoreError(f"{self.path}: locked by another writer for 30 seconds") from None
                    time.sleep(0.001)
            try:
                yield
            finally:
                fcntl.flock(handle, fcntl.LOCK_UN)
        finally:
            os.close(handle)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (
            sqlite3.Error,
            sqlite3.Warning,
            UnicodeDecodeError,
        ) as error:  # the last: names in damaged pages
            raise StoreError(f"{self.path}: {error}") from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror or error}") from error

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging. SQLite does not wait here for whoever reads a new file, so this does."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.rollback()
        raise
