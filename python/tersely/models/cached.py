"""Cache the vectors of an embedder in memory, and in a file if one is given."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Mapping, Sequence
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

        Raises ValueError for a path without a name, and StoreError where the file is damaged or not ours.
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
        self._file = None if path is None else _VectorFile(Path(path))
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Float32s:
        """Return float32[n, d]: rows of length one, in the order of `texts`."""
        return self.embed_report(texts)[0]

    def embed_report(self, texts: Sequence[str]) -> tuple[Float32s, Int64s]:
        """Return `embed(texts)`, and the ascending indices of the texts that the embedder says it cut.

        Raises StoreError where the file is damaged, and what the embedder raises: then nothing is kept.
        """
        texts = checks.texts(texts, "texts")
        keys = [self._key(text) for text in texts]
        entries = self._known(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in entries}
        if missing:
            vectors, cut = self._embedder.embed_report(list(missing.values()))
            was_cut = np.zeros(len(missing), dtype=bool)
            was_cut[cut] = True
            new = {
                key: (vector.copy(), bool(flag))
                for key, vector, flag in zip(missing, vectors, was_cut, strict=True)
            }
            if self._file is not None:
                self._file.put(new)
            self._remember(new)
            entries |= new
        with self._lock:
            self.misses += len(missing)
            self.hits += len(texts) - len(missing)
        if not texts:
            return self._embedder.embed_report([])
        return self._rows([entries[key] for key in keys])

    def close(self) -> None:
        """Close the file, if there is one; the next call opens it again."""
        if self._file is not None:
            self._file.close()

    def _known(self, keys: list[bytes]) -> dict[bytes, Entry]:
        entries = {key: entry for key in keys if (entry := self._memory.get(key)) is not None}
        if self._file is not None and len(entries) < len(keys):
            found = self._file.get([key for key in keys if key not in entries])
            self._remember(found)
            entries |= found
        return entries

    def _remember(self, entries: dict[bytes, Entry]) -> None:
        for key, entry in entries.items():
            self._memory.put(key, entry, entry[0].nbytes)

    def _rows(self, entries: list[Entry]) -> tuple[Float32s, Int64s]:
        widths = {len(vector) for vector, _ in entries}
        if len(widths) > 1:
            raise StoreError(
                f"vectors of {self.name} have {sorted(widths)} dimensions: two models, one name?"
            )
        rows = np.stack([vector for vector, _ in entries])
        return rows, np.flatnonzero([cut for _, cut in entries]).astype(np.int64)

    def _key(self, text: str) -> bytes:
        """Return SHA-256 over the model's name and the text; lone surrogates count as they are."""
        return hashlib.sha256(self._prefix + text.encode("utf-8", "surrogatepass")).digest()


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


class _VectorFile:
    """Keep vectors by key in a file that several processes may use at once, each with a digest. Thread-safe.

    Every method raises StoreError where the file is damaged, is not ours, or stays locked for 30 seconds.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or make it."""
        self._database = Database(path, _FORMAT, flush=False)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Entry]:
        """Return the entries there are for these keys."""
        found: dict[bytes, Entry] = {}
        with self._database.reading() as connection:
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = connection.execute(
                    f"SELECT key, vector, cut, digest FROM vectors WHERE key IN ({marks})", some
                )
                for key, vector, cut, digest in rows:
                    found[key] = _checked_entry(key, vector, cut, digest)
        return found

    def put(self, entries: Mapping[bytes, Entry]) -> None:
        """Add entries in one transaction; a key that is there keeps its vector."""
        rows = []
        for key, (vector, cut) in entries.items():
            data = np.asarray(vector, dtype="<f4").tobytes()
            rows.append((key, data, int(cut), _digest(key, data, int(cut))))

        def insert(connection: Connection) -> None:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)", rows)

        self._database.write(insert)

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._database.release()


def _checked_entry(key: bytes, vector: bytes, cut: int, digest: bytes) -> Entry:
    try:
        sound = digest == _digest(key, vector, cut) and len(vector) % 4 == 0
    except TypeError:  # a text where bytes should be, and the like
        sound = False
    if not sound:
        raise DamageError("a vector does not match its digest")
    return np.frombuffer(vector, dtype="<f4").astype(np.float32), bool(cut)


def _digest(key: bytes, vector: bytes, cut: int) -> bytes:
    return hashlib.blake2b(b"%d%b" % (cut, vector), key=key, digest_size=_DIGEST).digest()
