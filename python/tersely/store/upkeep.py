"""Care for a store's file: is it sound, a copy of it, and forgetting what somebody asked to forget."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from tersely.errors import StoreError
from tersely.store.connections import Connections
from tersely.store.texts import Texts
from tersely.store.versions import COLUMNS, of_id, read_row
from tersely.store.words import forget_words

__all__ = ["back_up", "forget", "ids_before", "problems", "shrink"]

_COPY_PAGES = 1000  # at once; writers come in between


def problems(files: Connections, texts: Texts) -> list[str]:
    """What is wrong with the file: SQLite's own check, then every version, text and record. O(file)."""
    with files.reading() as connection:
        found = _sqlite_says(connection)
        roots = set()
        rows = []
        for values in connection.execute(f"SELECT {COLUMNS} FROM versions"):
            try:
                row = read_row(connection, texts, values)
            except StoreError as error:
                found.append(str(error))
                continue
            if row.root == row.version:
                roots.add((row.id, row.version))
            else:
                rows.append((row.id, row.version, row.root))
        found += [
            f"the original of version {version} of {id!r} is missing"
            for id, version, root in rows
            if (id, root) not in roots
        ]
        return found


def back_up(files: Connections, target: Path) -> None:
    """A copy of the whole store in one file, while others read and write.

    It stands under its name once it is whole and on the disk. Raises StoreError where that name is taken.
    """
    part = target.with_name(target.name + ".part")
    if target.exists():
        raise StoreError(f"{target} exists already")
    try:
        part.unlink(missing_ok=True)
        copy = sqlite3.connect(part, isolation_level=None)
        try:
            with files.reading() as connection:
                connection.backup(copy, pages=_COPY_PAGES)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file; a store that opens it turns the log on
        finally:
            copy.close()
        with part.open("rb") as handle:
            os.fsync(handle.fileno())
        part.rename(target)
        folder = os.open(target.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"cannot back up to {target}: {error}") from error
    finally:
        part.unlink(missing_ok=True)


def ids_before(connection: sqlite3.Connection, created: int) -> list[str]:
    """The ids all of whose versions are older than this."""
    rows = connection.execute("SELECT id FROM versions GROUP BY id HAVING max(created) < ?", (created,))
    return [id for (id,) in rows]


def forget(connection: sqlite3.Connection, texts: Texts, ids: list[str]) -> int:
    """Delete every version of these ids, with words, vectors and texts; how many ids there were."""
    count = 0
    for id in ids:
        _forget_words(connection, texts, id)
        numbers = connection.execute("SELECT number FROM versions WHERE id = ?", (id,)).fetchall()
        connection.executemany("DELETE FROM vectors WHERE number = ?", numbers)
        connection.execute("DELETE FROM versions WHERE id = ?", (id,))
        count += bool(numbers)
    if count:  # O(versions)
        connection.execute("DELETE FROM texts WHERE number NOT IN (SELECT text FROM versions)")
    return count


def _forget_words(connection: sqlite3.Connection, texts: Texts, id: str) -> None:
    try:
        rows = of_id(connection, texts, id)
    except StoreError:  # damaged: what the words would be is not known; they lead nowhere from now on
        return
    for row in rows:
        if row.root == row.version:
            forget_words(connection, row.number, row.text)


def shrink(files: Connections) -> None:
    """Write the file anew without what was deleted, so that it is nowhere in it. O(file)."""
    with files.maintaining() as connection:
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _sqlite_says(connection: sqlite3.Connection) -> list[str]:
    try:
        said = [str(line) for (line,) in connection.execute("PRAGMA integrity_check")]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [] if said == ["ok"] else said
