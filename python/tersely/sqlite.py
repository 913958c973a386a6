"""Open SQLite files: shared by threads, processes and forks, migrated.

Any number read a file, one at a time among all processes writes. All of the package that uses SQLite does so
through `Database`; sqlite3 is loaded when a file is opened.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from tersely.errors import StoreError
from tersely.files import again, file_lock, private, sync_to_disk, warn_if_shared
from tersely.threads import Gate

if TYPE_CHECKING:
    from sqlite3 import Connection

Result = TypeVar("Result")

_PATIENCE = 30.0  # seconds to wait for another process's write
_LOG_PAGES = 2000  # of the write-ahead log, before they move to the file
_LOG_BYTES = 64 * 2**20  # that the log keeps when it is empty
_CACHE_KIB = 32 * 1024  # of the writing connection
_IDLE = 32  # reading connections that wait for use
_COPY_PAGES = 1000  # of a backup at once; writers come in between


@dataclass(frozen=True, slots=True)
class Format:
    """Describe a kind of file, and its migrations from older versions."""

    name: str  #: as messages say it: "a store"
    remedy: str  #: what to do about a damaged one, as messages say it
    #: the n-th, from 0, makes a file of format n one of format n + 1. Files of all formats are about, so none
    #: is ever changed.
    migrations: tuple[Callable[[Connection], None], ...]
    application: int  #: marks the file as ours (SQLite's application_id)

    @property
    def version(self) -> int:
        """Return the newest format, which is written."""
        return len(self.migrations)

    def version_of(self, connection: Connection, path: Path) -> int:
        """Read the format of a file, 0 for an empty one.

        Raises StoreError for a file of another program, and for one of a newer format.
        """
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if (application, version, tables) == (0, 0, 0):
            return 0
        if application != self.application:
            raise StoreError(f"{path} is an SQLite file of another program, not {self.name} of tersely")
        if version < 1:
            raise DamageError(f"its format is {version}")
        if version > self.version:
            raise StoreError(
                f"{path} was written by a newer tersely: its format is {version}, this one reads up to "
                f"{self.version}"
            )
        return int(version)

    def migrate(self, connection: Connection, version: int) -> None:
        """Bring a file of format `version` up to the newest; inside the caller's transaction."""
        for migration in self.migrations[version:]:
            migration(connection)
        connection.execute(f"PRAGMA application_id = {self.application}")
        connection.execute(f"PRAGMA user_version = {self.version}")


class DamageError(StoreError):
    """Data that was read is not what was written; `Database` adds the file, and what to do."""


class Database:
    """An SQLite file that any number of threads and processes read and write, across forks.

    What `write` did is durable when it returns. Writers of all processes queue at a lock on the file
    `PATH-lock`, checkpoints included: SQLite before 3.51.3 can lose pages where two connections write and
    checkpoint at the same moment (the WAL-reset bug, https://sqlite.org/wal.html#walresetbug). No connection
    is open while this process forks.

    Whatever SQLite raises is raised as StoreError, which names the file and says what to do about it.
    """

    def __init__(self, path: Path, format: Format, *, read_only: bool = False, flush: bool = True) -> None:
        """Open the file, or make it; migrate it where it is older.

        Args:
            path: of the file.
            format: what is in it.
            read_only: nothing is written; the file must be there.
            flush: wait for the disk at every write; without, the last writes before a power cut may be gone.

        Warns (UserWarning) of a file that others may read. Raises StoreError.
        """
        #: PATH-wal, PATH-shm and PATH-lock stand beside it; new ones are their owner's alone
        self.path, self._format = path, format
        self.read_only = read_only  #: whether nothing is written
        self._flush = flush
        self.gate = Gate()
        self._turn = threading.Lock()  # of one writer in this process
        self._writer: Connection | None = None
        self._idle: list[Connection] = []
        self._closed = False
        _close_at_forks(self)
        try:
            if self.read_only:
                with self.reading() as connection:
                    found, newest = format.version_of(connection, path), format.version
                    if found != newest:
                        raise StoreError(f"{path} has format {found}, not {newest}: open it once to write")
            else:
                with self._alone():
                    pass
            warn_if_shared(path)
        except BaseException:
            self.close()
            raise

    def __del__(self) -> None:
        """Close what is open."""
        if getattr(self, "_idle", None) or getattr(self, "_writer", None) is not None:
            with contextlib.suppress(Exception):
                self.close()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that reads one snapshot while the block lasts; no use of a Database inside."""
        with self._naming_errors(), self.gate.inside():
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
                if len(self._idle) < _IDLE:
                    self._idle.append(connection)
                else:
                    connection.close()

    def write(self, job: Callable[[Connection], Result]) -> Result:
        """Run a job in a transaction, and return its result once it is durable.

        A job that raises has no effect. It must not use a Database.
        """
        with self._alone() as connection, _committing(connection):
            return job(connection)

    def vacuum(self) -> None:
        """Rewrite the file so that nothing deleted is left in it. O(file)."""
        with self._alone() as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def back_up(self, target: Path) -> None:
        """Copy the whole to one new file, while others read and write.

        It stands under its name once it is whole and on the disk. Raises StoreError where that name is taken.
        """
        import sqlite3

        part = target.with_name(target.name + ".part")
        if target.exists():
            raise StoreError(f"{target} exists already")
        try:
            part.unlink(missing_ok=True)
            open(part, "xb", opener=private).close()
            with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as copy:
                with self.reading() as connection:
                    connection.backup(copy, pages=_COPY_PAGES)
                copy.execute("PRAGMA journal_mode = DELETE")  # one file; whoever opens it turns the log on
            sync_to_disk(part)
            part.rename(target)
            sync_to_disk(target.absolute().parent)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"cannot back up to {target}: {error}") from error

    def release(self) -> None:
        """Close the connections once nobody uses one; the next use opens them again."""
        with self.gate.alone():
            self.close_connections()

    def close(self) -> None:
        """Close the file for good. What was written is durable without this."""
        with self.gate.alone():
            self._closed = True
            self.close_connections()

    def close_connections(self) -> None:
        """Close the connections there are; for whoever has shut the gate."""
        while self._idle:
            self._idle.pop().close()
        if self._writer is not None:
            with self._naming_errors(), self._file_lock():  # the last to close writes the log into the file
                self._writer.close()
                self._writer = None

    def begin_in_child(self) -> None:
        """Release locks of the parent's other threads, which this forked child does not have."""
        self.gate.reset()
        self._turn = threading.Lock()

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        """Give the writing connection outside a transaction, alone among all writers."""
        with self._naming_errors(), self._turn:
            if self.read_only:
                raise StoreError(f"{self.path} was opened to read only")
            with self.gate.inside():
                self._check_open()
                with self._file_lock():
                    if self._writer is None:
                        self._writer = self._open_writer()
                    yield self._writer

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self.path} was closed")

    def _open_writer(self) -> Connection:
        with contextlib.suppress(FileExistsError):  # closed before SQLite opens it: else its locks would go
            open(self.path, "xb", opener=private).close()
        connection = self._connect("mode=rwc")
        try:
            connection.execute("BEGIN")  # one snapshot; refuses before anything is written
            version = self._format.version_of(connection, self.path)
            connection.rollback()
            _write_ahead(connection)
            connection.execute(f"PRAGMA synchronous = {'FULL' if self._flush else 'NORMAL'}")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
            connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            if version < self._format.version:
                with _committing(connection):
                    self._format.migrate(connection, self._format.version_of(connection, self.path))
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_reader(self) -> Connection:
        import sqlite3

        connection = self._connect("mode=ro" if self.read_only else "mode=rw")
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()
            # A log-less file in a folder where SQLite may not make its index of the log: nobody writes it.
            if not self.read_only or not self.path.exists() or self._side_file("-wal").exists():
                raise
            connection = self._connect("mode=ro&immutable=1")
        return connection

    def _connect(self, how: str) -> Connection:
        import sqlite3

        connection = sqlite3.connect(
            f"file:{quote(str(self.path.absolute()))}?{how}",
            uri=True,
            timeout=_PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection

    def _file_lock(self) -> AbstractContextManager[None]:
        return file_lock(self._side_file("-lock"), _PATIENCE, like=self.path)

    def _naming_errors(self) -> AbstractContextManager[None]:
        return _naming_errors(self.path, self._format)

    def _side_file(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)


# SQLite's connections must not exist on both sides of a fork. A child takes over SQLite's notes of which
# locks the process holds, but not the locks, so that even a connection of its own would not be safe
# (https://sqlite.org/howtocorrupt.html, "Carrying an open database connection across a fork()").

_databases: weakref.WeakSet[Database] = weakref.WeakSet()
_registering = threading.Lock()
_forking: list[Database] = []


def _close_at_forks(database: Database) -> None:
    with _registering:
        _databases.add(database)
        _watch_forks()


@functools.cache
def _watch_forks() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child
        )


def _before_fork() -> None:
    _registering.acquire()
    _forking[:] = list(_databases)
    for database in _forking:
        database.gate.shut()
        database.close_connections()


def _after_in_parent() -> None:
    while _forking:
        _forking.pop().gate.open()
    _registering.release()


def _after_in_child() -> None:
    while _forking:
        _forking.pop().begin_in_child()
    _registering.release()


def _write_ahead(connection: Connection) -> None:
    """Switch to write-ahead logging. SQLite does not wait here for whoever reads a new file, so this does."""
    import sqlite3

    again(
        lambda: connection.execute("PRAGMA journal_mode = WAL"),
        lambda error: isinstance(error, sqlite3.OperationalError) and "locked" in str(error),
        _PATIENCE,
    )


@contextmanager
def _committing(connection: Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.rollback()
        raise


def check_file(connection: Connection) -> list[str]:
    """List the damage that SQLite finds in a file, a line each. O(file)."""
    import sqlite3

    try:
        lines = [str(line) for (line,) in connection.execute("PRAGMA integrity_check")]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [] if lines == ["ok"] else lines


@contextmanager
def _naming_errors(path: Path, format: Format) -> Iterator[None]:
    """Raise SQLite's errors, and damage, as a StoreError that says what to do."""
    try:
        yield
    except (DamageError, UnicodeDecodeError) as error:  # the latter: names in damaged pages
        raise StoreError(f"{path} is damaged: {error}; {format.remedy}") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    except Exception as error:
        import sqlite3

        if not isinstance(error, (sqlite3.Error, sqlite3.Warning)):
            raise
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says where in SQLite
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise StoreError(
                f"{path} is damaged, or is not {format.name}: {error}; {format.remedy}"
            ) from error
        advice = {
            sqlite3.SQLITE_BUSY: f"another program held it for {_PATIENCE:g} seconds: try again",
            sqlite3.SQLITE_CANTOPEN: "is it there, and may you read it and write to its folder?",
            sqlite3.SQLITE_FULL: "make room on the disk",
            sqlite3.SQLITE_IOERR: "the disk fails, or allows no larger file",
            sqlite3.SQLITE_READONLY: "you may not write to it, or to its folder",
        }.get(code)
        raise StoreError(f"{path}: {error}" + (f" ({advice})" if advice else "")) from error
