"""The table of texts: each once, packed by zlib where that is shorter, checked whenever it is read."""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING

from tersely.sqlite import DamageError

if TYPE_CHECKING:
    from sqlite3 import Connection

MAX_TEXT_BYTES = 256 * 2**20  # of one text, in UTF-8
_LEVEL = 3  # of zlib: half of the time of the usual 6, and a tenth more bytes


def write_text(connection: Connection, data: bytes, digest: bytes) -> int:
    """Return the number of the row that holds `data`, a new one or one that is sound, or was mended.

    Inside a transaction.
    """
    row = connection.execute("SELECT number FROM texts WHERE digest = ?", (digest,)).fetchone()
    if row is not None and _is_sound(connection, row[0], digest):
        return int(row[0])
    values = (digest, len(data), pack(data))
    if row is not None:
        connection.execute(
            "UPDATE texts SET digest = ?, size = ?, data = ? WHERE number = ?", (*values, row[0])
        )
        return int(row[0])
    number = connection.execute("INSERT INTO texts (digest, size, data) VALUES (?, ?, ?)", values).lastrowid
    assert number is not None
    return number


def read_text(connection: Connection, number: int) -> tuple[bytes, str]:
    """Return (SHA-256, text) of a row. Raises DamageError where it is missing or does not match."""
    row = connection.execute("SELECT digest, size, data FROM texts WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise DamageError(f"text {number} is missing")
    digest, size, packed = row
    try:
        data = unpack(packed, size)
        if hashlib.sha256(data).digest() == digest:
            return digest, data.decode("utf-8", "surrogatepass")
    except (TypeError, ValueError) as error:  # a number where bytes should be, and the like
        raise DamageError(f"text {number}: {error}") from error
    raise DamageError(f"text {number} does not match its SHA-256")


def pack(data: bytes) -> bytes:
    """Return the bytes in fewer ones, or themselves."""
    packed = zlib.compress(data, _LEVEL)
    return packed if len(packed) < len(data) else data


def unpack(packed: bytes, size: int) -> bytes:
    """Return the `size` bytes that were packed. Raises DamageError.

    Never makes more than `size` + 1 bytes, whatever the packed ones say.
    """
    if not 0 <= size <= MAX_TEXT_BYTES:
        raise DamageError(f"a text of {size} bytes")
    if len(packed) == size:
        return packed
    try:
        data = zlib.decompressobj().decompress(packed, size + 1)
    except zlib.error as error:
        raise DamageError(f"a text cannot be unpacked: {error}") from error
    if len(data) != size:
        raise DamageError(f"a text has {len(data)} bytes, not {size}")
    return data


def _is_sound(connection: Connection, number: int, digest: bytes) -> bool:
    try:
        return read_text(connection, number)[0] == digest
    except DamageError:
        return False
