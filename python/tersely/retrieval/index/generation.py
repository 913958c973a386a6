"""A generation of an index: its files, written once and read by many."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from tersely.errors import StoreError
from tersely.retrieval.index.chunking import Chunk
from tersely.retrieval.index.lexical import Postings
from tersely.retrieval.index.storage import Header
from tersely.tables import Float32s, Int32s, Int64s

__all__ = ["ChunkRow", "ChunkTable", "Generation", "save_arrays"]

SQLITE, VECTORS = "chunks.sqlite", "vectors.f32"
_ARRAYS = {"terms": "<u8", "first": "<i8", "rows": "<i4", "counts": "<u2", "sizes": "<i4"}
_SCHEMA = """
CREATE TABLE files (path TEXT PRIMARY KEY, digest BLOB NOT NULL, note TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE chunks (id INTEGER PRIMARY KEY, path TEXT NOT NULL, number INTEGER NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL, header_path TEXT NOT NULL, content TEXT NOT NULL);
CREATE UNIQUE INDEX chunks_of_files ON chunks (path, number);
"""
_COLUMNS = "id, path, number, start, end, header_path, content"
_AT_ONCE = 500  # ids in a statement
_IDLE = 8  # connections that wait for use

# id, path, number in its file, start, end, header path, content
ChunkRow = tuple[int, str, int, int, int, str, str]


class ChunkTable:
    """The SQLite file of a generation that is being written: no other process looks at it."""

    def __init__(self, path: Path, before: Path | None) -> None:
        """Begin with a copy of an earlier generation's, or empty."""
        if before is not None:
            path.write_bytes(b"")
            with before.open("rb") as source, path.open("wb") as target:
                while part := source.read(2**22):
                    target.write(part)
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = OFF")  # a file that is not finished is thrown away
        self._connection.execute("PRAGMA synchronous = OFF")
        if before is None:
            self._connection.executescript(_SCHEMA)
        self._connection.execute("BEGIN")
        (last,) = self._connection.execute("SELECT max(id) FROM chunks").fetchone()
        self._next = (last or 0) + 1

    def remove(self, paths: Iterable[str]) -> None:
        """Forget files and their chunks."""
        for path in paths:
            self._connection.execute("DELETE FROM files WHERE path = ?", (path,))
            self._connection.execute("DELETE FROM chunks WHERE path = ?", (path,))

    def add_file(self, path: str, digest: bytes, note: str) -> None:
        """A file that was read."""
        self._connection.execute("INSERT INTO files VALUES (?, ?, ?)", (path, digest, note))

    def add_chunks(self, path: str, chunks: Sequence[Chunk]) -> None:
        """The chunks of a file."""
        rows = [
            (self._next + number, path, number, chunk.start, chunk.end, chunk.header_path, chunk.content)
            for number, chunk in enumerate(chunks)
        ]
        self._next += len(rows)
        self._connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def finish(self) -> tuple[Int64s, Int32s, int]:
        """Write all; the ids of the chunks, ascending, their places by file and number, how many files."""
        self._connection.execute("COMMIT")
        sorted_by_file = np.array(
            self._connection.execute("SELECT id FROM chunks ORDER BY path, number").fetchall(), dtype=np.int64
        ).reshape(-1)
        by_id = np.argsort(sorted_by_file)
        (files,) = self._connection.execute("SELECT count(*) FROM files").fetchone()
        self.close()
        return sorted_by_file[by_id], by_id.astype(np.int32), int(files)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def save_arrays(folder: Path, postings: Postings, ids: Int64s, order: Int32s) -> None:
    """Write the arrays beside the vectors."""
    for name, kind in _ARRAYS.items():
        np.save(folder / f"{name}.npy", getattr(postings, name).astype(kind), allow_pickle=False)
    np.save(folder / "ids.npy", ids.astype("<i8"), allow_pickle=False)
    np.save(folder / "order.npy", order.astype("<i4"), allow_pickle=False)


class Generation:
    """A whole generation, open for reading. Thread-safe.

    Attributes:
        header: what the header says of it.
        vectors: float32[n, d], mapped.
        postings: mapped.
        ids: int64[n], ascending: ids of the chunks of the rows.
        order: int32[n], the place of each row by file and number: ties go to the first.
    """

    def __init__(self, place: Path, header: Header) -> None:
        """Open it. Raises StoreError where a file is missing or damaged."""
        folder = place / header.generation
        self.header, self.process = header, os.getpid()
        self._path = folder / SQLITE
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._closed = False
        try:
            self.vectors = _mapped(folder / VECTORS, header.chunks, header.dimensions)
            arrays = {name: _loaded(folder / f"{name}.npy", kind) for name, kind in _ARRAYS.items()}
            self.ids: Int64s = _loaded(folder / "ids.npy", "<i8")
            self.order: Int32s = _loaded(folder / "order.npy", "<i4")
            self.postings = Postings(**arrays)
            _check(self.postings, self.ids, self.order, header.chunks)
            with self.connection() as connection:
                connection.execute("SELECT count(*) FROM files").fetchone()
        except (OSError, ValueError, EOFError, sqlite3.Error) as error:
            raise StoreError(f"{folder} is damaged or was removed: {error}") from error

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own for a thread, for a while."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            where = f"file:{quote(str(self._path.absolute()))}?mode=ro&immutable=1"
            connection = sqlite3.connect(where, uri=True, check_same_thread=False)
            connection.execute("PRAGMA trusted_schema = OFF")
        try:
            yield connection
        finally:
            with self._lock:
                keep = len(self._idle) < _IDLE and not self._closed
                if keep:
                    self._idle.append(connection)
            if not keep:
                connection.close()

    def files(self) -> dict[str, tuple[bytes, str]]:
        """Digest and note of each file."""
        with self.connection() as connection:
            return {path: (digest, note) for path, digest, note in connection.execute("SELECT * FROM files")}

    def ids_of(self, paths: Iterable[str]) -> Int64s:
        """The ids of the chunks of some files."""
        with self.connection() as connection:
            found = [
                row[0]
                for path in paths
                for row in connection.execute("SELECT id FROM chunks WHERE path = ?", (path,))
            ]
        return np.array(found, dtype=np.int64)

    def chunks(self, ids: Sequence[int]) -> list[ChunkRow]:
        """The chunks of some ids, in their order."""
        found: dict[int, ChunkRow] = {}
        with self.connection() as connection:
            for start in range(0, len(ids), _AT_ONCE):
                some = ids[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                for row in connection.execute(f"SELECT {_COLUMNS} FROM chunks WHERE id IN ({marks})", some):
                    found[row[0]] = row
        if len(found) < len(set(ids)):
            raise StoreError(f"{self._path} is damaged: chunks are missing")
        return [found[number] for number in ids]

    def chunk(self, path: str, number: int) -> ChunkRow | None:
        """A chunk by its file and its number there."""
        with self.connection() as connection:
            row: ChunkRow | None = connection.execute(
                f"SELECT {_COLUMNS} FROM chunks WHERE path = ? AND number = ?", (path, number)
            ).fetchone()
        return row

    def close(self) -> None:
        """Close its connections: those that wait now, those in use when they come back."""
        with self._lock:
            idle, self._idle, self._closed = self._idle, [], True
        for connection in idle:
            connection.close()

    def __del__(self) -> None:
        """Close the connections that wait."""
        if hasattr(self, "_closed"):
            self.close()


def _mapped(path: Path, rows: int, columns: int) -> Float32s:
    size = path.stat().st_size
    if size != rows * columns * 4:
        raise ValueError(f"{path.name} has {size} bytes, not {rows} x {columns} x 4")
    if size == 0:
        return np.zeros((rows, columns), dtype=np.float32)
    return np.memmap(path, dtype="<f4", mode="r", shape=(rows, columns))


def _loaded(path: Path, kind: str) -> Any:
    array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    if array.dtype != np.dtype(kind) or array.ndim != 1:
        raise ValueError(f"{path.name} holds {array.dtype} of shape {array.shape}, not a row of {kind}")
    return array


def _check(postings: Postings, ids: Int64s, order: Int32s, chunks: int) -> None:
    many = len(postings.rows)
    if (
        len(ids) != chunks
        or len(order) != chunks
        or len(postings.sizes) != chunks
        or len(postings.counts) != many
        or len(postings.first) != len(postings.terms) + 1
        or int(postings.first[-1]) != many
    ):
        raise ValueError("its arrays do not belong together")
