"""Vectors of originals, made when a search first needs them and kept in the file."""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import Any

import numpy as np

from tersely.errors import StoreError
from tersely.providers.embedders import resolve_embedder
from tersely.store.commits import GroupCommit
from tersely.store.connections import Connections
from tersely.store.texts import Texts
from tersely.tables import Float32s

__all__ = ["Vectors"]

_EMBED_AT_ONCE = 256
_READ_AT_ONCE = 4096


class Vectors:
    """What one embedder says of the originals. They are kept under its name: another model, other vectors."""

    def __init__(self, embedder: Any, commits: GroupCommit) -> None:
        """`embedder`: what `resolve_embedder` takes."""
        self._embedder = resolve_embedder(embedder)
        self._commits = commits

    def fill(self, files: Connections, texts: Texts) -> None:
        """Embed the originals that came since the last time, unless the file is only read.

        Raises what the embedder raises.
        """
        if files.read_only:
            return
        while rows := self._without(files):
            with files.reading() as connection:
                contents = [texts.read(connection, text)[1] for _, text in rows]
            vectors = self._embedder.embed(contents)
            numbers = [number for number, _ in rows]
            self._commits.run(partial(self._write, numbers, vectors))

    def nearest(self, files: Connections, query: str, count: int) -> list[int]:
        """The versions whose cosine with the query is highest, at most `count`, the highest first."""
        wanted = self._embedder.embed([query])[0]
        numbers: list[int] = []
        cosines: list[Float32s] = []
        with files.reading() as connection:
            rows = connection.execute(
                "SELECT number, vector FROM vectors WHERE model = ? ORDER BY number", (self._embedder.name,)
            )
            while some := rows.fetchmany(_READ_AT_ONCE):
                if any(len(vector) != wanted.nbytes for _, vector in some):
                    raise StoreError(f"{files.path}: two models have the name {self._embedder.name!r}")
                matrix = np.frombuffer(b"".join(vector for _, vector in some), dtype=np.float32)
                numbers += [number for number, _ in some]
                cosines.append(np.einsum("nd,d->n", matrix.reshape(len(some), -1), wanted))
        if not numbers:
            return []
        order = np.argsort(-np.nan_to_num(np.concatenate(cosines)), kind="stable")[:count]
        return [numbers[row] for row in order]

    def _write(self, numbers: list[int], vectors: Float32s, connection: sqlite3.Connection) -> None:
        name = self._embedder.name
        connection.executemany(
            "INSERT OR REPLACE INTO vectors (model, number, vector) VALUES (?, ?, ?)",
            [(name, number, vector.tobytes()) for number, vector in zip(numbers, vectors, strict=True)],
        )

    def _without(self, files: Connections) -> list[tuple[int, int]]:
        """(number, text) of the next originals: they are embedded in the order of their numbers."""
        with files.reading() as connection:
            return connection.execute(
                "SELECT number, text FROM versions WHERE root = version AND number > "
                "(SELECT coalesce(max(number), 0) FROM vectors WHERE model = ?) ORDER BY number LIMIT ?",
                (self._embedder.name, _EMBED_AT_ONCE),
            ).fetchall()
