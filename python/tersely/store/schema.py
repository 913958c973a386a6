"""The tables of a store, and how a file of an older version becomes one of this version."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from tersely.errors import StoreError
from tersely.store.texts import Texts
from tersely.store.words import write_words

__all__ = ["APPLICATION", "MIGRATIONS", "VERSION", "is_ours", "migrate"]

APPLICATION = 0x54525354  # "TRST": marks the file as ours


def _texts_and_versions(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE dictionaries "
        "(number INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, data BLOB NOT NULL)"
    )
    connection.execute(  # each text once; SHA-256 of its UTF-8 is checked whenever it is read
        "CREATE TABLE texts (number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, "
        "form INTEGER NOT NULL, dictionary INTEGER, data BLOB NOT NULL)"
    )
    connection.execute(  # an original has root = version
        "CREATE TABLE versions "
        "(number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, version INTEGER NOT NULL, "
        "text INTEGER NOT NULL, root INTEGER NOT NULL, created INTEGER NOT NULL, metadata TEXT NOT NULL, "
        "masked INTEGER NOT NULL, compressed_id TEXT UNIQUE, ratio REAL, preserved TEXT, seal BLOB NOT NULL, "
        "UNIQUE (id, version))"
    )


def _search(connection: sqlite3.Connection) -> None:
    """The words of originals, those that are there included, and a place for their vectors."""
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61')")
    connection.execute(
        "CREATE TABLE vectors (model TEXT NOT NULL, number INTEGER NOT NULL, vector BLOB NOT NULL, "
        "PRIMARY KEY (model, number)) WITHOUT ROWID"
    )
    texts = Texts()
    for number, text in connection.execute("SELECT number, text FROM versions WHERE root = version"):
        write_words(connection, number, texts.read(connection, text)[1])


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_texts_and_versions, _search)
VERSION = len(MIGRATIONS)


def is_ours(connection: sqlite3.Connection, path: Path) -> int:
    """The schema version of the file, 0 for an empty one.

    Raises StoreError for a file of another program, and for one of a newer version.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if (application, version, tables) == (0, 0, 0):
        return 0
    if application != APPLICATION:
        raise StoreError(f"{path} is an SQLite file of another program, not a store of tersely")
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer tersely: its format is {version}, this one reads up to {VERSION}"
        )
    return int(version)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Make the file's tables those of this version; inside the caller's transaction, so all or nothing."""
    for number in range(is_ours(connection, path), VERSION):
        MIGRATIONS[number](connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
