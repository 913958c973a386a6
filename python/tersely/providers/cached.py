"""An embedder that remembers: in memory, and in a file when one is given."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from tersely.cache import BoundedCache
from tersely.errors import StoreError
from tersely.providers.checks import checked_texts
from tersely.providers.embedders import resolve_embedder
from tersely.providers.vector_file import Entry, VectorFile
from tersely.tables import Float32s, Int64s

__all__ = ["CachedEmbedder"]


class CachedEmbedder:
    """Asks its embedder for each text once. Thread-safe.

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
        self._file = None if path is None else VectorFile(path)
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Float32s:
        """float32[n, d]: rows of length one, in the order of `texts`."""
        return self.embed_report(texts)[0]

    def embed_report(self, texts: Sequence[str]) -> tuple[Float32s, Int64s]:
        """`embed(texts)`, and the ascending indices of the texts that the embedder says it cut.

        Raises StoreError where the file is damaged, and what the embedder raises: then nothing is kept.
        """
        texts = checked_texts(texts)
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
        """SHA-256 over the model's name and the text; a lone surrogate stands for itself."""
        return hashlib.sha256(self._prefix + text.encode("utf-8", "surrogatepass")).digest()
