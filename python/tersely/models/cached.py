"""Cache the vectors of an embedder in memory, and in a file if one is given."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tersely import checks
from tersely.cache import BoundedCache
from tersely.errors import StoreError
from tersely.models.embedders import resolve_embedder
from tersely.sqlite import DamageError, Database, Format
from tersely.types import Float32s, Int64s

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = ["CachedEmbedder"]

Entry = tuple[Float32s, bool]  # the vector, and whether the text was cut

_AT_ONCE = 500  # keys in a statement
_DIGEST = 8  # bytes


def _make_table(connection: Connection) -> None:
    connection.execute(
        "CREATE TABLE vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, cut INTEGER NOT NULL, "
        "digest BLOB NOT NULL)"
    )


_FORMAT = Format(
    name="a file of vectors",
    remedy="remove it, and the vectors are made again",
    migrations=(_make_table,),
    application=0x54525645,  # "TRVE"
)


class CachedEmbedder:
    """An embedder that asks another one for each text only once. Thread-safe.

    Attributes:
        hits: texts whose vector was there, repeats within a call included.
        misses: texts that the embedder was asked for.
    """

    def __init__(
        self,
        embedder: Any = None,
        *,
        size: int = 64 * 2**20,
        path: str | os.PathLike[str] | None = None,
        name: str | None = None,
    ) -> None:
        """Wrap an embedder.

        Args:
            embedder: what `resolve_embedder` takes.
            size: bytes of memory for vectors; the least recently used make room.
            path: an SQLite file that keeps every vector; several processes may share it.
            name: says which model's vectors these are; None: the embedder's own `name`.

        Raises ValueError for a path without a name, and StoreError if the file is damaged or not ours.
        """
        checked = resolve_embedder(embedder)
        own = getattr(checked.embedder, "name", None)
        if path is not None and not (name or own):
            raise ValueError(
                f"{type(checked.embedder).__name__} has no name: pass name= to say whose vectors {path} keeps"
            )
        self.name = str(name or own or checked.name)
        self.hits = self.misses = 0
        self._prefix = hashlib.sha256(self.name.encode("utf-8", "surrogatepass")).digest()
        self._embedder = checked
        self._memory: BoundedCache[Entry] = BoundedCache(size)
        self._file = None if path is None else Database(Path(path), _FORMAT, flush=False)
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Float32s:
        """Return float32[n, d]: rows of length one, in the order of `texts`."""
        return self.embed_report(texts)[0]

    def embed_report(self, texts: Sequence[str]) -> tuple[Float32s, Int64s]:
        """Return `embed(texts)`, and the ascending indices of the texts that the embedder says it cut.

        Raises StoreError if the file is damaged, and what the embedder raises: then nothing is kept.
        """
        texts = checks.texts(texts, "texts")
        if not texts:
            return self._embedder.embed_report([])
        keys = [self._key(text) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        entries = {key: known for key in wanted if (known := self._memory.get(key)) is not None}
        found = self._in_file([key for key in wanted if key not in entries])
        missing = {key: text for key, text in wanted.items() if key not in entries and key not in found}
        if missing:
            vectors, cut = self._embedder.embed_report(list(missing.values()))
            was_cut = set(cut.tolist())
            new = {key: (vectors[row].copy(), row in was_cut) for row, key in enumerate(missing)}
            self._to_file(new)
            found |= new
        for key, entry in found.items():
            self._memory.put(key, entry, entry[0].nbytes)
        entries |= found
        with self._lock:
            self.misses += len(missing)
            self.hits += len(texts) - len(missing)
        widths = sorted({len(vector) for vector, _ in entries.values()})
        if len(widths) > 1:
            raise StoreError(f"vectors of {self.name} have {widths} dimensions: two models, one name?")
        return (
            np.stack([entries[key][0] for key in keys]),
            np.flatnonzero([entries[key][1] for key in keys]).astype(np.int64),
        )

    def close(self) -> None:
        """Close the file, if there is one; the next call opens it again."""
        if self._file is not None:
            self._file.release()

    def _key(self, text: str) -> bytes:
        """Return SHA-256 over the model's name and the text; lone surrogates count as they are."""
        return hashlib.sha256(self._prefix + text.encode("utf-8", "surrogatepass")).digest()

    def _to_file(self, entries: dict[bytes, Entry]) -> None:
        """Add entries in one transaction; a key that is there keeps its vector."""
        if self._file is not None:
            data = {key: np.asarray(vector, dtype="<f4").tobytes() for key, (vector, _) in entries.items()}
            rows = [(key, data[key], cut, _digest(key, data[key], cut)) for key, (_, cut) in entries.items()]
            insert = "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)"
            self._file.write(lambda connection: connection.executemany(insert, rows))

    def _in_file(self, keys: list[bytes]) -> dict[bytes, Entry]:
        """Return the entries of the file for these keys."""
        found: dict[bytes, Entry] = {}
        if self._file is None or not keys:
            return found
        with self._file.reading() as connection:
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = connection.execute(f"SELECT * FROM vectors WHERE key IN ({marks})", some)
                for key, vector, cut, digest in rows:
                    try:
                        sound = digest == _digest(key, vector, cut) and len(vector) % 4 == 0
                    except TypeError:  # a text where bytes should be, and the like
                        sound = False
                    if not sound:
                        raise DamageError("a vector does not match its digest")
                    found[key] = np.frombuffer(vector, dtype="<f4").astype(np.float32), bool(cut)
        return found


def _digest(key: bytes, vector: bytes, cut: int) -> bytes:
    return hashlib.blake2b(b"%d%b" % (cut, vector), key=key, digest_size=_DIGEST).digest()
