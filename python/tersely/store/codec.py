"""Texts to bytes on disk and back: zstd with a trained dictionary where it is installed, else zlib."""

from __future__ import annotations

import hashlib
import importlib
import sys
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from tersely.errors import MissingExtraError, StoreError

__all__ = ["MAX_TEXT_BYTES", "PLAIN", "ZLIB", "ZSTD", "Codec", "dictionary_key", "train", "zstd_module"]

MAX_TEXT_BYTES = 256 * 2**20  # of one text, in UTF-8
PLAIN, ZLIB, ZSTD = 0, 1, 2  # forms of a row's bytes
Load = Callable[[int], bytes]  # the bytes of the dictionary with this key

_ZSTD_LEVEL = 3
_ZLIB_LEVEL = 6
_DICTIONARY_BYTES = 32 * 1024


def zstd_module() -> Any:
    """The zstd module: Python's own from 3.14, else `backports.zstd`; None where there is none."""
    try:
        return importlib.import_module(
            "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        )
    except ImportError:
        return None


def train(samples: Sequence[bytes]) -> bytes | None:
    """A dictionary of 32 KiB from samples of the texts; None without zstd, or where zstd finds too little."""
    zstd = zstd_module()
    if zstd is None:
        return None
    try:
        return bytes(zstd.train_dict(samples, _DICTIONARY_BYTES).dict_content)
    except (zstd.ZstdError, ValueError):
        return None


class Codec:
    """Compresses texts. Reading is thread-safe; writing is for one thread at a time.

    A dictionary is known by `dictionary_key(its bytes)`, and loaded once.
    """

    def __init__(self) -> None:
        """A codec that has no dictionary loaded."""
        self._zstd = zstd_module()
        self._loaded: dict[int, Any] = {}
        self._compressors: dict[int | None, Any] = {}

    def encode(self, data: bytes, key: int | None, load: Load) -> tuple[int, int | None, bytes]:
        """(form, key of the dictionary that was used, bytes); the bytes as they are if none are fewer."""
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
        """The `size` bytes again. Raises StoreError for damaged bytes, MissingExtraError without zstd.

        Never makes more than `size` + 1 bytes, whatever the packed ones say.
        """
        if not 0 <= size <= MAX_TEXT_BYTES:
            raise StoreError(f"damaged: a text of {size} bytes")
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
            raise StoreError(f"damaged: a text is written in form {form!r}")
        if len(data) != size:
            raise StoreError(f"damaged: a text has {len(data)} bytes, not {size}")
        return data

    def _dictionary(self, key: int | None, load: Load) -> Any:
        if key is None:
            return None
        if key not in self._loaded:
            data = load(key)
            if dictionary_key(data) != key:
                raise StoreError(f"damaged: dictionary {key} does not match its digest")
            self._loaded[key] = self._zstd.ZstdDict(data)
        return self._loaded[key]


def dictionary_key(data: bytes) -> int:
    """The first 48 bits of the dictionary's SHA-256."""
    return int.from_bytes(hashlib.sha256(data).digest()[:6], "big")


def _bounded(decompressor: Any, packed: bytes, size: int, failure: type[Exception]) -> bytes:
    try:
        return bytes(decompressor.decompress(packed, size + 1))
    except (failure, EOFError) as error:
        raise StoreError(f"damaged: a text cannot be unpacked: {error}") from error
