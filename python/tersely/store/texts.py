"""The table of texts: each once, compressed, under its SHA-256."""

from __future__ import annotations

import hashlib
import sqlite3
from functools import partial

from tersely.errors import StoreError
from tersely.store.codec import Codec, dictionary_key, train

__all__ = ["Texts"]

_TRAIN_AT = (1_000, 100_000)  # so many texts are enough for a dictionary: the newest one is used
_SAMPLES = 1_000
_SAMPLE_CHARACTERS = 2_048


class Texts:
    """Reads and writes rows of the table `texts` of one file, through any connection to it."""

    def __init__(self) -> None:
        """Dictionaries are loaded when they are needed."""
        self._codec = Codec()

    def write(self, connection: sqlite3.Connection, data: bytes, digest: bytes) -> int:
        """The number of the row that holds `data`; one that is there is read again, and mended if it must.

        For one thread at a time, inside a transaction.
        """
        row = connection.execute("SELECT number FROM texts WHERE digest = ?", (digest,)).fetchone()
        if row is not None and self._is_sound(connection, row[0], digest):
            return int(row[0])
        newest = connection.execute("SELECT key FROM dictionaries ORDER BY number DESC LIMIT 1").fetchone()
        form, key, packed = self._codec.encode(data, newest and newest[0], partial(_dictionary, connection))
        if row is not None:
            values = (len(data), form, key, packed, row[0])
            connection.execute(
                "UPDATE texts SET size = ?, form = ?, dictionary = ?, data = ? WHERE number = ?", values
            )
            return int(row[0])
        number = connection.execute(
            "INSERT INTO texts (digest, size, form, dictionary, data) VALUES (?, ?, ?, ?, ?)",
            (digest, len(data), form, key, packed),
        ).lastrowid
        assert number is not None
        if number in _TRAIN_AT:
            self._train(connection)
        return number

    def read(self, connection: sqlite3.Connection, number: int) -> tuple[bytes, str]:
        """(SHA-256, text) of a row. Raises StoreError where it is missing or its bytes do not match."""
        row = connection.execute(
            "SELECT digest, size, form, dictionary, data FROM texts WHERE number = ?", (number,)
        ).fetchone()
        if row is None:
            raise StoreError(f"damaged: text {number} is missing")
        digest, size, form, key, packed = row
        try:
            data = self._codec.decode(form, key, packed, size, partial(_dictionary, connection))
            if hashlib.sha256(data).digest() == digest:
                return digest, data.decode("utf-8")
        except (TypeError, ValueError) as error:  # a number where bytes should be, and the like
            raise StoreError(f"damaged: text {number}: {error}") from error
        raise StoreError(f"damaged: text {number} does not match its SHA-256")

    def _is_sound(self, connection: sqlite3.Connection, number: int, digest: bytes) -> bool:
        try:
            return self.read(connection, number)[0] == digest
        except StoreError:
            return False

    def _train(self, connection: sqlite3.Connection) -> None:
        """Make a dictionary of the newest texts; what is there stays as it is written."""
        rows = connection.execute(
            "SELECT number FROM texts ORDER BY number DESC LIMIT ?", (_SAMPLES,)
        ).fetchall()
        texts = [self.read(connection, number)[1] for (number,) in rows]
        data = train([text[:_SAMPLE_CHARACTERS].encode() for text in texts if text])
        if data is not None:
            connection.execute(
                "INSERT OR IGNORE INTO dictionaries (key, data) VALUES (?, ?)", (dictionary_key(data), data)
            )


def _dictionary(connection: sqlite3.Connection, key: int) -> bytes:
    row = connection.execute("SELECT data FROM dictionaries WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise StoreError(f"damaged: dictionary {key} is missing")
    return bytes(row[0])
