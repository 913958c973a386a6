"""Write texts to disk, each once, and read them back: zstd, or zlib without it."""

from __future__ import annotations

import hashlib
import importlib
import sys
import zlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tersely.errors import MissingExtraError
from tersely.sqlite import DamageError

if TYPE_CHECKING:
    from sqlite3 import Connection

MAX_TEXT_BYTES = 256 * 2**20  # of one text, in UTF-8
PLAIN, ZLIB, ZSTD = 0, 1, 2  # forms of a row's bytes
Load = Callable[[int], bytes]  # the bytes of the dictionary with this key

_ZSTD_LEVEL = 3
_ZLIB_LEVEL = 6


def zstd_module() -> Any:
    """Return the zstd module: Python's own from 3.14, else `backports.zstd`; None where there is none."""
    try:
        return importlib.import_module(
            "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        )
    except ImportError:
        return None


class Codec:
    """Compress and decompress texts. Reading is thread-safe; writing is for one thread at a time.

    Texts of files that were made before have dictionaries: one is known by `dictionary_key(its bytes)`, and
    loaded once.
    """

    def __init__(self) -> None:
        """Begin without a dictionary: they are loaded when they are needed."""
        self._zstd = zstd_module()
        self._loaded: dict[int, Any] = {}

    def encode(self, data: bytes) -> tuple[int, bytes]:
        """Return (form, bytes): compressed where that is shorter, else plain."""
        if self._zstd is None:
            form, packed = ZLIB, zlib.compress(data, _ZLIB_LEVEL)
        else:
            form, packed = ZSTD, self._zstd.compress(data, _ZSTD_LEVEL)
        return (form, packed) if len(packed) < len(data) else (PLAIN, data)

    def decode(self, form: int, key: int | None, packed: bytes, size: int, load: Load) -> bytes:
        """Return the `size` bytes again. Raises DamageError, and MissingExtraError where zstd is needed.

        Never makes more than `size` + 1 bytes, whatever the packed ones say.
        """
        if not 0 <= size <= MAX_TEXT_BYTES:
            raise DamageError(f"a text of {size} bytes")
        if form == PLAIN:
            data = packed
        elif form == ZLIB:
            data = _bounded(zlib.decompressobj(), packed, size, zlib.error)
        elif form == ZSTD:
            if self._zstd is None:
                raise MissingExtraError("backports.zstd", "store")
            decompressor = self._zstd.ZstdDecompressor(zstd_dict=self._dictionary(key, load))
            data = _bounded(decompressor, packed, size, self._zstd.ZstdError)
        else:
            raise DamageError(f"a text is written in form {form!r}")
        if len(data) != size:
            raise DamageError(f"a text has {len(data)} bytes, not {size}")
        return data

    def _dictionary(self, key: int | None, load: Load) -> Any:
        if key is None:
            return None
        if key not in self._loaded:
            data = load(key)
            if dictionary_key(data) != key:
                raise DamageError(f"dictionary {key} does not match its digest")
            self._loaded[key] = self._zstd.ZstdDict(data)
        return self._loaded[key]


def dictionary_key(data: bytes) -> int:
    """Return the first 48 bits of the dictionary's SHA-256."""
    return int.from_bytes(hashlib.sha256(data).digest()[:6], "big")


def _bounded(decompressor: Any, packed: bytes, size: int, failure: type[Exception]) -> bytes:
    try:
        return bytes(decompressor.decompress(packed, size + 1))
    except (failure, EOFError) as error:
        raise DamageError(f"a text cannot be unpacked: {error}") from error


class Texts:
    """Read and write the table `texts` of one file, in which each text is once, under its SHA-256.

    Reading is thread-safe; writing is for one thread at a time.
    """

    def __init__(self) -> None:
        """Begin without a dictionary: they are loaded when they are needed."""
        self._codec = Codec()

    def write(self, connection: Connection, data: bytes, digest: bytes) -> int:
        """Return the number of the row that holds `data`, a new one or one that is sound, or was mended.

        Inside a transaction.
        """
        row = connection.execute("SELECT number FROM texts WHERE digest = ?", (digest,)).fetchone()
        if row is not None and self._is_sound(connection, row[0], digest):
            return int(row[0])
        form, packed = self._codec.encode(data)
        if row is not None:
            values = (len(data), form, packed, row[0])
            connection.execute(
                "UPDATE texts SET size = ?, form = ?, dictionary = NULL, data = ? WHERE number = ?", values
            )
            return int(row[0])
        number = connection.execute(
            "INSERT INTO texts (digest, size, form, data) VALUES (?, ?, ?, ?)",
            (digest, len(data), form, packed),
        ).lastrowid
        assert number is not None
        return number

    def read(self, connection: Connection, number: int) -> tuple[bytes, str]:
        """Return (SHA-256, text) of a row. Raises DamageError where it is missing or does not match."""
        row = connection.execute(
            "SELECT digest, size, form, dictionary, data FROM texts WHERE number = ?", (number,)
        ).fetchone()
        if row is None:
            raise DamageError(f"text {number} is missing")
        digest, size, form, key, packed = row
        try:
            data = self._codec.decode(form, key, packed, size, partial(_dictionary, connection))
            if hashlib.sha256(data).digest() == digest:
                return digest, data.decode("utf-8", "surrogatepass")
        except (TypeError, ValueError) as error:  # a number where bytes should be, and the like
            raise DamageError(f"text {number}: {error}") from error
        raise DamageError(f"text {number} does not match its SHA-256")

    def _is_sound(self, connection: Connection, number: int, digest: bytes) -> bool:
        try:
            return self.read(connection, number)[0] == digest
        except DamageError:
            return False


def _dictionary(connection: Connection, key: int) -> bytes:
    row = connection.execute("SELECT data FROM dictionaries WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise DamageError(f"dictionary {key} is missing")
    return bytes(row[0])
