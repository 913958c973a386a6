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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from tersely import checks
from tersely._native import StaticTable
from tersely.files import read_array, renamed
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
MOST_META = 1 << 20  # bytes
_DTYPES = {"words": ("|u1", 1), "rows": ("|u1", 2), "scales": ("<f4", 1), "meta": ("|u1", 1)}
_STEPS = np.linspace(0.55, 1.05, 26, dtype=np.float32) / np.float32(7.5)  # shares of a row's largest value
_TINY = 2.0**-50  # rows of smaller values are coded as zeros: a table takes scales from 2^-64 on
_ROWS_AT_ONCE = 1024


@dataclass(frozen=True, slots=True)
class StaticFile:
    """Contents of a file. `checksum`: the CRC-32 of words, of rows and of scales, in hexadecimal."""

    words: bytes
    rows: UInt8s
    scales: Float32s
    meta: dict[str, Any]
    checksum: str


def save(
    path: str | os.PathLike[str],
    words: Sequence[str],
    rows: UInt8s,
    scales: Float32s,
    meta: Mapping[str, Any],
) -> None:
    """Write a table; the same arguments give the same bytes. `meta` must be JSON and have a `name`.

    The file appears whole or not at all. Raises ValueError for arrays that do not fit together.
    """
    if not isinstance(meta.get("name"), str):
        raise ValueError("meta must have a 'name', a str")
    if any("\n" in word for word in words):
        raise ValueError("words must not contain line feeds")
    arrays: dict[str, npt.NDArray[Any]] = {
        "words": np.frombuffer("\n".join(words).encode(), np.uint8),
        "rows": np.ascontiguousarray(rows),
        "scales": np.ascontiguousarray(scales),
        "meta": np.frombuffer(json.dumps(dict(meta), ensure_ascii=False, sort_keys=True).encode(), np.uint8),
    }
    _check(arrays)
    if not len(words) == len(arrays["rows"]) == len(arrays["scales"]):
        counts = f"{len(words)} words, {len(rows)} rows and {len(scales)} scales"
        raise ValueError(f"each word must have a row and a scale; there are {counts}")
    with renamed(Path(path)) as fresh, fresh.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # its own options are not among them


def load(path: str | os.PathLike[str]) -> StaticFile:
    """Read a table. The file is not trusted: nothing in it is executed, and sizes are limited.

    Raises OSError where it cannot be read and ValueError where it is not such a file.
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


def quantize(vectors: npt.NDArray[np.floating[Any]]) -> tuple[UInt8s, Float32s]:
    """Code the rows of a matrix (n, d), d even, in 4 bits: rows uint8 (n, d / 2), scales float32 (n,).

    The scale of a row is, of a grid, the one with the least squared error, then fitted to its codes by least
    squares; it may be negative, as one sign has a code more. O(n d) time for each of the grid's 52 scales.
    Rows of values below 2^-50 become zeros. Raises ValueError for odd d and for values that are not finite.
    """
    values = np.asarray(vectors)
    if values.ndim != 2 or values.shape[1] % 2 or not values.shape[1]:
        raise ValueError(f"vectors must be 2D with an even number of columns, not {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("vectors must be finite")
    codes = np.empty(values.shape, np.int8)
    scales = np.empty(len(values), np.float32)
    for first in range(0, len(values), _ROWS_AT_ONCE):
        part = slice(first, first + _ROWS_AT_ONCE)
        codes[part], scales[part] = _code(values[part].astype(np.float32))
    unsigned = (codes + 8).astype(np.uint8)
    half = values.shape[1] // 2
    packed: UInt8s = unsigned[:, :half] | unsigned[:, half:] << np.uint8(4)
    return packed, scales


def _code(values: Float32s) -> tuple[npt.NDArray[np.int8], Float32s]:
    largest = np.abs(values).max(axis=1)
    largest[largest < _TINY] = 0
    shares = values / np.where(largest > 0, largest, 1)[:, None]
    best = np.full(len(values), np.inf, np.float32)
    codes = np.zeros(values.shape, np.int8)
    for step in (*_STEPS, *-_STEPS):
        tried = np.clip(np.rint(shares / step), -8, 7)
        error = ((shares - tried * step) ** 2).sum(axis=1)
        better = error < best
        best[better] = error[better]
        codes[better] = tried[better].astype(np.int8)
    squares = (codes.astype(np.float32) ** 2).sum(axis=1)
    fitted = (shares * codes).sum(axis=1) / np.maximum(squares, 1)
    return codes, (fitted * largest).astype(np.float32)


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
    if sorted(members) != sorted(_DTYPES):
        raise ValueError(f"it must hold {', '.join(_DTYPES)}, not {', '.join(members)}")
    for member in members.values():
        if member.compress_type != zipfile.ZIP_STORED or member.file_size > MOST_BYTES:
            raise ValueError(f"{member.filename} is compressed or too large")
    arrays = {name: read_array(archive.read(members[name]), name, *_DTYPES[name]) for name in _DTYPES}
    return arrays, "".join(f"{members[name].CRC:08x}" for name in ("words", "rows", "scales"))


def _check(arrays: Mapping[str, Any]) -> None:
    for name, (dtype, dimensions) in _DTYPES.items():
        array = arrays[name]
        if array.dtype != dtype or array.ndim != dimensions:
            wanted = f"{np.dtype(dtype)} with {dimensions} dimension(s)"
            raise ValueError(f"{name} must be {wanted}, not {array.dtype} with {array.ndim}")
    if arrays["meta"].size > MOST_META:
        raise ValueError(f"meta has {arrays['meta'].size} bytes; at most {MOST_META} are allowed")


SHIPPED = Path(__file__).parents[1] / "models" / "static.npz"

_Loaded = tuple[StaticTable, str, dict[str, Any]]
_lock = threading.Lock()
_shipped: _Loaded | None = None


class StaticEmbedder:
    """An embedder that sums the rows of a text's tokens, in a fraction of a millisecond, without a model.

    Knows neither word order nor negation. Safe to use from several threads at once; pickles as its path.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        """Load the table in `path`, or the one that comes with tersely (once a process).

        Raises OSError where the file cannot be read and ValueError where it is not a static table
        (models/py says what is).
        """
        self._path = None if path is None else os.fspath(path)
        self._table, self._name, self._meta = _load_shipped() if self._path is None else _load(self._path)

    @property
    def name(self) -> str:
        """The table's name and the checksums of its content: tables that differ have other names."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Columns of the vectors."""
        return self._table.dimensions

    @property
    def meta(self) -> dict[str, Any]:
        """Where the table comes from: name, teacher, licence, corpus, parameters. A copy."""
        return dict(self._meta)

    def embed(self, texts: Sequence[str]) -> Float32s:
        """Return float32 (len(texts), dimensions): rows of length one, zeros for a text without words.

        Raises TypeError for a single str or an item that is not one. O(characters + tokens * dimensions) time
        on one thread without the GIL; the same bits on every CPU.
        """
        return self._table.embed(checks.texts(texts, "texts"))

    def similarity(self, query: str, texts: Sequence[str]) -> Float32s:
        """float32 (len(texts),) in [-1, 1]: cosine of each text with the query; keeps no vectors.

        0 for a text without words. Cost and bits as for `embed`.
        """
        return self._table.similarity(query, checks.texts(texts, "texts"))

    def similarity_spans(
        self, query: str, texts: Sequence[str], document: Int32s, start: Int64s, end: Int64s
    ) -> Float32s:
        """`similarity` of each `texts[document][start:end]`; makes no strings."""
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
