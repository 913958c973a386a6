"""The table of versions: which text an id has, and which original a compressed one was made from."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tersely.errors import StoreError, UnknownIdError
from tersely.store.records import CompressionRecord, Stored
from tersely.store.texts import Texts

__all__ = [
    "COLUMNS",
    "Row",
    "by_number",
    "find",
    "insert",
    "microseconds",
    "newest",
    "of_id",
    "read_row",
    "to_datetime",
    "to_mapping",
    "to_record",
    "to_stored",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
COLUMNS = "number, id, version, text, root, created, metadata, masked, compressed_id, ratio, preserved, seal"


@dataclass(frozen=True, slots=True)
class Row:
    """A version as the table has it: times in microseconds since 1970, mappings as JSON."""

    id: str
    version: int
    root: int
    created: int
    metadata: str
    masked: int = 0
    compressed_id: str | None = None
    ratio: float | None = None
    preserved: str | None = None
    number: int = 0
    digest: bytes = b""
    text: str = ""

    def sealed(self) -> bytes:
        """A digest over everything but the text, which has its own; a damaged row does not match it."""
        fields = [
            self.id,
            self.version,
            self.digest.hex(),
            self.root,
            self.created,
            self.metadata,
            self.masked,
        ]
        fields += [self.compressed_id, self.ratio, self.preserved]
        return hashlib.blake2b(json.dumps(fields).encode(), digest_size=8).digest()


def insert(connection: sqlite3.Connection, row: Row, text: int) -> int:
    """Add a version that shows text number `text`; returns its own number."""
    values = (row.id, row.version, text, row.root, row.created, row.metadata, row.masked)
    values += (row.compressed_id, row.ratio, row.preserved, row.sealed())  # type: ignore[assignment]
    columns = COLUMNS.removeprefix("number, ")
    number = connection.execute(
        f"INSERT INTO versions ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values
    ).lastrowid
    assert number is not None
    return number


def newest(connection: sqlite3.Connection, texts: Texts, id: str) -> Row | None:
    """The newest version of an id, or None."""
    return _one(connection, texts, "id = ? ORDER BY version DESC LIMIT 1", (id,))


def find(connection: sqlite3.Connection, texts: Texts, id: str, version: int | None = None) -> Row:
    """A version of an id, the newest by default; or the one whose compressed id this is.

    Raises UnknownIdError, and StoreError for a damaged row or text.
    """
    if version is not None:
        if isinstance(version, bool) or not isinstance(version, int):
            raise TypeError(f"version must be a whole number from 1, or None, not {version!r}")
        row = _one(connection, texts, "id = ? AND version = ?", (id, version))
    else:
        row = newest(connection, texts, id) or _one(connection, texts, "compressed_id = ?", (id,))
    if row is None:
        what = "" if version is None else f" of version {version}"
        raise UnknownIdError(f"nothing is stored under the id {id!r}{what}")
    if (version is not None and row.version != version) or id not in (row.id, row.compressed_id):
        raise StoreError(f"damaged: the index of versions led from {id!r} to {row.id!r}")
    return row


def of_id(connection: sqlite3.Connection, texts: Texts, id: str) -> list[Row]:
    """All versions of an id, the oldest first."""
    found = connection.execute(f"SELECT {COLUMNS} FROM versions WHERE id = ? ORDER BY version", (id,))
    return [read_row(connection, texts, values) for values in found.fetchall()]


def by_number(connection: sqlite3.Connection, texts: Texts, number: int) -> Row | None:
    """The version with this number, or None."""
    return _one(connection, texts, "number = ?", (number,))


def _one(connection: sqlite3.Connection, texts: Texts, where: str, values: tuple[Any, ...]) -> Row | None:
    found = connection.execute(f"SELECT {COLUMNS} FROM versions WHERE {where}", values).fetchone()
    return None if found is None else read_row(connection, texts, found)


def read_row(connection: sqlite3.Connection, texts: Texts, values: tuple[Any, ...]) -> Row:
    """A row of the table with its text. Raises StoreError where either does not match its digest."""
    number, id, version, text, root, created, metadata, masked, compressed_id, ratio, preserved, seal = values
    digest, content = texts.read(connection, text)
    row = Row(
        id, version, root, created, metadata, masked, compressed_id, ratio, preserved, number, digest, content
    )
    try:
        sound = row.sealed() == seal
    except TypeError:  # bytes where a number or a text should be
        sound = False
    if not sound:
        raise StoreError(f"damaged: version {version} of {id!r} does not match its digest")
    return row


def microseconds(time: datetime) -> int:
    """Since 1970. Raises TypeError for anything but a datetime, ValueError for one without a time zone."""
    if not isinstance(time, datetime):
        raise TypeError(f"a time must be a datetime, not {type(time).__name__}")
    if time.tzinfo is None:
        raise ValueError(f"a time needs its time zone, as in datetime.now(UTC); {time.isoformat()} has none")
    return (time - _EPOCH) // timedelta(microseconds=1)


def to_datetime(created: int) -> datetime:
    """UTC."""
    return _EPOCH + timedelta(microseconds=created)


def to_stored(row: Row) -> Stored:
    """The version as callers see it."""
    return Stored(
        row.id,
        row.version,
        row.digest.hex(),
        row.text,
        to_mapping(row.metadata),
        to_datetime(row.created),
        row.root,
        row.compressed_id,
        row.masked,
    )


def to_record(row: Row, original: str) -> CompressionRecord:
    """The record of a compressed version, with the text of its root original."""
    return CompressionRecord(
        row.compressed_id or "",
        row.id,
        original,
        to_datetime(row.created),
        1.0 if row.ratio is None else row.ratio,
        to_mapping(row.preserved),
        row.version,
        row.root,
    )


def to_mapping(text: str | None) -> Mapping[str, Any]:
    """The mapping that was written as JSON."""
    mapping: dict[str, Any] = json.loads(text) if text else {}
    return mapping
