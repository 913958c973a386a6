"""What is done inside a transaction: adding versions, and finding what they show."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from tersely.errors import StoreError, VersionConflictError
from tersely.store.intake import Intake, checked_ratio
from tersely.store.records import Version
from tersely.store.texts import Texts
from tersely.store.versions import Row, find, insert, newest
from tersely.store.words import write_words

__all__ = ["Replacement", "keep_both", "put_original", "replace_newest", "root_of", "to_version"]


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a compression says of itself, checked: see `Store.replace`."""

    ratio: float | None
    preserved: str
    created: int
    compressed_id: str | None
    expected_version: int | None = None


def put_original(
    connection: sqlite3.Connection,
    texts: Texts,
    item: Intake,
    created: int,
    expected_version: int | None = None,
) -> Row:
    """Add an original; where it is the newest version already, that one."""
    before = newest(connection, texts, item.id)
    _check_version(item.id, before, expected_version)
    if before is not None and before.root == before.version:
        if (before.digest, before.metadata, before.masked) == (item.digest, item.metadata, item.masked):
            return before
    elif before is None and _is_compressed_id(connection, item.id):
        raise ValueError(f"the id {item.id!r} is taken: it names a compressed version")
    text = texts.write(connection, item.data, item.digest)
    version = 1 if before is None else before.version + 1
    row = Row(
        item.id, version, version, created, item.metadata, item.masked, digest=item.digest, text=item.text
    )
    write_words(connection, insert(connection, row, text), item.text)
    return row


def replace_newest(connection: sqlite3.Connection, texts: Texts, item: Intake, said: Replacement) -> Row:
    """Add a compressed version, the newest of its id from now on.

    The original is read first: what could not be given back is not replaced.
    """
    before = find(connection, texts, item.id)
    _check_version(item.id, before, said.expected_version)
    root = root_of(connection, texts, before)
    version = before.version + 1 if before.id == item.id else _last_version(connection, before.id) + 1
    text = texts.write(connection, item.data, item.digest)
    row = Row(
        root.id,
        version,
        root.version,
        said.created,
        item.metadata or before.metadata,
        item.masked,
        compressed_id=_free_id(connection, root.id, version, said.compressed_id),
        ratio=checked_ratio(said.ratio, len(root.text.encode()), len(item.data)),
        preserved=said.preserved,
        digest=item.digest,
        text=item.text,
    )
    insert(connection, row, text)
    return row


def keep_both(
    connection: sqlite3.Connection, texts: Texts, original: Intake, short: Intake, said: Replacement
) -> Row:
    """Add an original and a compressed form of it; what is there already, as the newest, stays as it is."""
    before = newest(connection, texts, original.id)
    root = None if before is None else root_of(connection, texts, before)
    if root is None or (root.digest, root.metadata) != (original.digest, original.metadata):
        put_original(connection, texts, original, said.created)
    elif before is not None and before.digest == short.digest and before.compressed_id is not None:
        return before
    return replace_newest(connection, texts, short, said)


def root_of(connection: sqlite3.Connection, texts: Texts, row: Row) -> Row:
    """The original that a version was made from; itself, where it is one."""
    return row if row.root == row.version else find(connection, texts, row.id, row.root)


def to_version(row: Row) -> Version:
    """What the caller is told."""
    return Version(row.id, row.version, row.digest.hex(), row.masked)


def _check_version(id: str, newest: Row | None, expected: int | None) -> None:
    found = 0 if newest is None else newest.version
    if expected is not None and found != expected:
        raise VersionConflictError(f"the newest version of {id!r} is {found}, not {expected}")


def _last_version(connection: sqlite3.Connection, id: str) -> int:
    (version,) = connection.execute("SELECT max(version) FROM versions WHERE id = ?", (id,)).fetchone()
    if version is None:
        raise StoreError(f"damaged: the versions of {id!r} are missing")
    return int(version)


def _free_id(connection: sqlite3.Connection, id: str, version: int, wanted: str | None) -> str:
    """The compressed version's id: the caller's, or ID@VERSION. Raises ValueError where it is taken."""
    name, tries = wanted or f"{id}@{version}", 0
    while _is_compressed_id(connection, name) or _is_id(connection, name):
        if wanted is not None:
            raise ValueError(f"the compressed id {wanted!r} is taken")
        tries += 1
        name = f"{id}@{version}.{tries}"
    return name


def _is_compressed_id(connection: sqlite3.Connection, id: str) -> bool:
    return connection.execute("SELECT 1 FROM versions WHERE compressed_id = ?", (id,)).fetchone() is not None


def _is_id(connection: sqlite3.Connection, id: str) -> bool:
    return connection.execute("SELECT 1 FROM versions WHERE id = ? LIMIT 1", (id,)).fetchone() is not None
