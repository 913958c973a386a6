"""Embed texts by summing rows of a table of token vectors read from an .npz file; runs no model.

Arrays, none of them compressed:

=======  =======================  ============================================================
words    uint8 (bytes,)           the vocabulary as UTF-8, joined by line feeds; a word's row is its line
rows     uint8 (words, d / 2)     byte b of a row: column b in its low four bits, d / 2 + b in its high
                                  ones, each as value + 8 with values from -8 to 7
scales   float32 (words,)         column c of row r stands for scales[r] * value
meta     uint8 (bytes,)           a JSON object: name, teacher, teacher_sha256, licence, corpus, ...
=======  =======================  ============================================================
"""

from __future__ import annotations

import errno
import json
import os
import threading
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from tersely import checks
from tersely._native import StaticTable
from tersely.files import read_array
from tersely.types import Float32s, Int32s, Int64s, UInt8s

__all__ = ["SHIPPED", "StaticEmbedder"]

_BLOCK = 4096  # rows that are scaled at a time


def unit_rows(rows: Any) -> Float32s:
    """Scale rows to length one: float32[n, d]; a zero row stays zero. Lengths are computed in double."""
    given = np.asarray(rows)
    unit = np.empty(given.shape, dtype=np.float32)
    for first in range(0, len(given), _BLOCK):
        wide = np.asarray(given[first : first + _BLOCK], dtype=np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        with np.errstate(invalid="ignore"):  # infinite rows become NaN: the caller looks
            unit[first : first + _BLOCK] = wide / np.where(lengths > 0, lengths, 1.0)[:, None]
    return unit


MOST_BYTES = 256 << 20  # of a file
DTYPES = {"words": ("|u1", 1), "rows": ("|u1", 2), "scales": ("<f4", 1), "meta": ("|u1", 1)}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """Contents of a file. `checksum`: the CRC-32 of words, of rows and of scales, in hexadecimal."""

    words: bytes
    rows: UInt8s
    scales: Float32s
    meta: dict[str, Any]
    checksum: str


def load(path: str | os.PathLike[str]) -> StaticFile:
    """Read a table. The file is not trusted: nothing in it is executed, and sizes are limited.

    Raises OSError if it cannot be read and ValueError if it is not such a file.
    """
    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MOST_BYTES:
                raise ValueError(f"it has {size} bytes, and may have {MOST_BYTES} at most")
            arrays, checksum = _read(file)
        meta = json.loads(arrays["meta"].tobytes())
        if not isinstance(meta, dict) or not isinstance(meta.get("name"), str):
            raise ValueError("meta is not a JSON object with a name")
    except (ValueError, EOFError, OverflowError, RuntimeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is not a static table: {error}") from error
    return StaticFile(arrays["words"].tobytes(), arrays["rows"], arrays["scales"], meta, checksum)


def _read(file: IO[bytes]) -> tuple[dict[str, Any], str]:
    """Return the arrays, whose checksums are verified, and the checksums of all but meta as one text."""
    try:
        with zipfile.ZipFile(file) as archive:
            return _members(archive)
    except OSError as error:
        if error.errno != errno.EINVAL:  # the disk's fault, not the file's
            raise
        raise ValueError("an offset in it points before its first byte") from error


def _members(archive: zipfile.ZipFile) -> tuple[dict[str, Any], str]:
    members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
    if sorted(members) != sorted(DTYPES):
        raise ValueError(f"it must hold {', '.join(DTYPES)}, not {', '.join(members)}")
    for member in members.values():
        if member.compress_type != zipfile.ZIP_STORED or member.file_size > MOST_BYTES:
            raise ValueError(f"{member.filename} is compressed or too large")
    arrays = {name: read_array(archive.read(members[name]), name, *DTYPES[name]) for name in DTYPES}
    return arrays, "".join(f"{members[name].CRC:08x}" for name in ("words", "rows", "scales"))


SHIPPED = Path(__file__).parents[1] / "models" / "static.npz"

_Loaded = tuple[StaticTable, str, dict[str, Any]]
_lock = threading.Lock()
_shipped: _Loaded | None = None


class StaticEmbedder:
    """An embedder that sums a table's vectors of the tokens of a text; it needs no model.

    Knows neither word order nor negation. Safe to use from several threads at once; pickles as its path.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        """Load the table in `path`, or the one that comes with tersely (once a process).

        Raises OSError if the file cannot be read and ValueError if it is not a static table
        (models/static.py says what is).
        """
        self._path = None if path is None else os.fspath(path)
        self._table, self._name, self._meta = _load_shipped() if self._path is None else _load(self._path)

    @property
    def table(self) -> StaticTable:
        """The native table, for native calls that take one."""
        return self._table

    @property
    def name(self) -> str:
        """The table's name and checksums; different tables have different names."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Number of dimensions of the vectors."""
        return self._table.dimensions

    @property
    def meta(self) -> dict[str, Any]:
        """A copy of the table's description: name, teacher, licence, corpus, parameters."""
        return dict(self._meta)

    def embed(self, texts: Sequence[str]) -> Float32s:
        """Return float32 (len(texts), dimensions): vectors of length one, zeros for a text without words.

        Raises TypeError for a single str or an item that is not one. O(characters + tokens * dimensions) time
        on one thread without the GIL; the same bits on every CPU.
        """
        return self._table.embed(checks.texts(texts, "texts"))

    def similarity(self, query: str, texts: Sequence[str]) -> Float32s:
        """Return float32 (len(texts),) in [-1, 1]: the cosine of each text with the query.

        0 for a text without words. Cost and bits as for `embed`.
        """
        return self._table.similarity(query, checks.texts(texts, "texts"))

    def similarity_spans(
        self, query: str, texts: Sequence[str], document: Int32s, start: Int64s, end: Int64s
    ) -> Float32s:
        """Return the `similarity` of each `texts[document][start:end]`, without making strings."""
        return self._table.similarity_spans(query, texts, document, start, end)

    def __repr__(self) -> str:
        return f"StaticEmbedder({self.name!r}, dimensions={self.dimensions})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the path; the file is read again."""
        return type(self), (self._path,)


def _load(path: str) -> _Loaded:
    file = load(path)
    try:
        table = StaticTable(file.words, file.rows, file.scales)
    except ValueError as error:
        raise ValueError(f"{path} is not a static table: {error}") from error
    return table, f"{file.meta['name']}-{file.checksum}", file.meta


def _load_shipped() -> _Loaded:
    global _shipped  # noqa: PLW0603
    with _lock:
        if _shipped is None:
            _shipped = _load(str(SHIPPED))
        return _shipped
