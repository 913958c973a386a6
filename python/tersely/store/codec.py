"""Write texts to disk, each once, and read them back: zstd with a trained dictionary, or zlib without it."""

from __future__ import annotations

import hashlib
import importlib
import sys
import zlib
from collections.abc import Callable, Sequence
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
_DICTIONARY_BYTES = 32 * 1024
_TRAIN_AT = (1_000, 100_000)  # so many texts are enough for a dictionary: the newest one is used
_SAMPLES = 1_000
_SAMPLE_CHARACTERS = 2_048


def zstd_module() -> Any:
    """Return the zstd module: Python's own from 3.14, else `backports.zstd`; None where there is none."""
    try:
        return importlib.import_module(
            "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        )
    except ImportError:
        return None


def train(samples: Sequence[bytes]) -> bytes | None:
    """Make a dictionary of 32 KiB from samples; None without zstd, or where zstd finds too little."""
    zstd = zstd_module()
    if zstd is None:
        return None
    try:
        return bytes(zstd.train_dict(samples, _DICTIONARY_BYTES).dict_content)
    except (zstd.ZstdError, ValueError):
        return None


class Codec:
    """Compress and decompress texts. Reading is thread-safe; writing is for one thread at a time.

    A dictionary is known by `dictionary_key(its bytes)`, and loaded once.
    """

    def __init__(self) -> None:
        """Begin without a dictionary: they are loaded when they are needed."""
        self._zstd = zstd_module()
        self._loaded: dict[int, Any] = {}
        self._compressors: dict[int | None, Any] = {}

    def encode(self, data: bytes, key: int | None, load: Load) -> tuple[int, int | None, bytes]:
        """Return (form, key of the dictionary used, bytes): compressed where that is shorter, else plain."""
        if self._zstd is None:
            form, used, packed = ZLIB, None, zlib.compress(data, _ZLIB_LEVEL)
        else:
            if key not in self._compressors:
                self._compressors[key] = self._zstd.ZstdCompressor(
                    _ZSTD_LEVEL, zstd_dict=self._dictionary(key, load)
                )
            compressor = self._compressors[key]
            form, used, packed = ZSTD, key, compressor.compress(data, compressor.FLUSH_FRAME)
        return (form, used, packed) if len(packed) < len(data) else (PLAIN, None, data)

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

    def _train(self, connection: Connection) -> None:
        """Make a dictionary of the newest texts; what is there stays as it is written."""
        rows = connection.execute(
            "SELECT number FROM texts ORDER BY number DESC LIMIT ?", (_SAMPLES,)
        ).fetchall()
        texts = [self.read(connection, number)[1] for (number,) in rows]
        data = train([text[:_SAMPLE_CHARACTERS].encode("utf-8", "surrogatepass") for text in texts if text])
        if data is not None:
            connection.execute(
                "INSERT OR IGNORE INTO dictionaries (key, data) VALUES (?, ?)", (dictionary_key(data), data)
            )


def _dictionary(connection: Connection, key: int) -> bytes:
    row = connection.execute("SELECT data FROM dictionaries WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise DamageError(f"dictionary {key} is missing")
    return bytes(row[0])
