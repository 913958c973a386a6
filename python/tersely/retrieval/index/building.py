"""Bring the index of a folder up to date: what did not change stays as it is."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tersely import _native
from tersely.files import file_digest, map_bytes, private, sync_to_disk
from tersely.models.embedders import CheckedEmbedder
from tersely.retrieval.index.chunking import Chunk, cut_chunks
from tersely.retrieval.index.files import FileNote, SourceFile, find_files, read_file, text_of
from tersely.retrieval.index.ranking import forget_words, write_words
from tersely.retrieval.index.storage import (
    ChunkRow,
    Made,
    State,
    add_chunks,
    chunks_of,
    open_to_write,
    read_state,
    remove_all,
    remove_others,
    write_state,
    writing,
)
from tersely.types import Float32s, Int32s, Int64s

if TYPE_CHECKING:
    from sqlite3 import Connection

LARGEST_FILE = 16 * 2**20  # bytes
_READING = 3  # of this and the modules it imports: counts up when they cut or read differently
_AT_ONCE = 512  # texts that are embedded together
_COPIED = 8192  # rows

Progress = Callable[[int, int], object] | None


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The numbers of a build: files read, kept, removed, and notes.

    Attributes:
        added, changed, removed, unchanged: numbers of files.
        files, chunks: what the index has now.
        anew: why an index that was there could not be used: "other_embedder", "other_reading" and
            "other_format" (by another version of tersely), "damaged"; None: it could be, or there was none.
        notes: of files that are left out, or not quite as they are, by path.
        seconds: it took.
    """

    added: int
    changed: int
    removed: int
    unchanged: int
    files: int
    chunks: int
    anew: str | None
    notes: tuple[FileNote, ...]
    seconds: float


def build(
    folder: Path, place: Path, embedder: CheckedEmbedder, largest_file: int, progress: Progress
) -> BuildReport:
    """Bring the index in `place` up to date with a folder, in one transaction.

    Every file is read and compared by its content's hash; only what differs is cut and embedded again, and
    the vectors are copied. O(bytes of the folder and of the index). A few hundred chunks are held at a time.
    """
    started = time.perf_counter()
    with writing(place):
        database, anew = open_to_write(place)
        kept: str | None = None
        try:
            update = _Update(folder, place, embedder, largest_file, progress, anew)
            with database.reading() as connection:
                before = read_state(connection, place)
            kept = None if before is None else before.made.file
            remove_others(place, kept)
            made = database.write(lambda connection: update.run(connection, before))
            kept = made.file
        finally:
            remove_others(place, kept)
            database.close()
    return update.report(made, time.perf_counter() - started)


def _reading() -> str:
    """Identify how files are read: a number, and the terms of a few words."""
    words = _native.terms(["Running 3.14 snake_case camelCase Überprüfung 日本語 the"])[2]
    return f"{_READING}-{hashlib.blake2b(chr(0).join(words).encode(), digest_size=6).hexdigest()}"


@dataclass(slots=True)
class _Update:
    """One build: what it found, and what it writes.

    Attributes:
        folder, place: whose files are read, and where the index is.
        embedder, largest_file, progress: as of `Index.build`.
        anew: as of a report.
        counts: of files: "added", "changed", "removed", "unchanged".
        chunks: that the index has now.
        notes: reasons by path.
    """

    folder: Path
    place: Path
    embedder: CheckedEmbedder
    largest_file: int
    progress: Progress
    anew: str | None
    counts: Counter[str] = field(default_factory=Counter)
    chunks: int = 0
    notes: dict[str, str] = field(default_factory=dict)

    def report(self, made: Made, seconds: float) -> BuildReport:
        return BuildReport(
            added=self.counts["added"],
            changed=self.counts["changed"],
            removed=self.counts["removed"],
            unchanged=self.counts["unchanged"],
            files=made.files,
            chunks=self.chunks,
            anew=self.anew,
            notes=tuple(FileNote(path, reason) for path, reason in sorted(self.notes.items())),
            seconds=seconds,
        )

    def run(self, connection: Connection, before: State | None) -> Made:
        """Compare the folder with the index, change the index, and return how it is now."""
        old, version, reading = before, 1, _reading()
        if before is not None:
            version += before.made.version
            if before.made.reading != reading:
                self.anew, old = "other_reading", None
            elif before.made.embedder != self.embedder.name:
                self.anew, old = "other_embedder", None
        if old is None:
            remove_all(connection)
        (last,) = connection.execute("SELECT max(id) FROM chunks").fetchone()
        path = self.place / f"vectors-{version:06d}.npy"
        new = _NewChunks(connection, self.embedder, path.with_name(f"{path.name}.part"), (last or 0) + 1)
        with contextlib.closing(new):
            self._compare(connection, new)
        if old is not None and not self.counts.keys() - {"unchanged"}:
            self.chunks = len(old.ids)
            return old.made
        if old is None:
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")  # a query reads one part then
        found = connection.execute("SELECT id FROM chunks ORDER BY path, number").fetchall()
        ids = np.array(found, dtype=np.int64).reshape(-1)
        dimensions, sizes = self._write_vectors(path, old, new, ids)
        (files,) = connection.execute("SELECT count(*) FROM files").fetchone()
        made = Made(
            version=version,
            reading=reading,
            embedder=self.embedder.name,
            dimensions=dimensions,
            files=files,
            vectors=file_digest(path),
        )
        write_state(connection, made, ids, sizes)
        self.chunks = len(ids)
        return made

    def _compare(self, connection: Connection, new: _NewChunks) -> None:
        """Read every file; add, change and remove what differs."""
        known = {path: (digest, note) for path, digest, note in connection.execute("SELECT * FROM files")}
        found = list(find_files(self.folder, without=self.place))
        for number, item in enumerate(found):
            if isinstance(item, FileNote):
                self.notes[item.path] = item.reason
                continue
            if self.progress is not None:
                self.progress(number, len(found))
            data = read_file(self.folder, item.path, self.largest_file)
            if isinstance(data, FileNote):
                self.notes[item.path] = data.reason
                continue
            digest = hashlib.blake2b(data, key=item.kind.encode(), digest_size=16).digest()
            before, note = known.pop(item.path, (None, ""))
            if before == digest:
                self.counts["unchanged"] += 1
            else:
                self.counts["added" if before is None else "changed"] += 1
                if before is not None:
                    _remove(connection, item.path)
                note = self._add(connection, new, item, data, digest)
            if note:
                self.notes[item.path] = note
        for path in known:
            self.counts["removed"] += 1
            _remove(connection, path)
        if self.progress is not None:
            self.progress(len(found), len(found))

    @staticmethod
    def _add(connection: Connection, new: _NewChunks, item: SourceFile, data: bytes, digest: bytes) -> str:
        """Add a file; return the reason of a note, or ""."""
        text, note = text_of(item.path, data)
        connection.execute("INSERT INTO files VALUES (?, ?, ?)", (item.path, digest, note))
        new.add(item.path, cut_chunks(text, item.kind))
        return note

    def _write_vectors(
        self, path: Path, old: State | None, new: _NewChunks, ids: Int64s
    ) -> tuple[int, Int32s]:
        """Write the vectors of all chunks, a row an id; return how wide they are, and the terms of each.

        O(vectors).
        """
        count, sizes, width = 0, new.sizes, new.dimensions
        if old is not None:
            count, sizes, width = len(old.ids), [old.sizes, *sizes], width or old.made.dimensions
        fresh: Float32s = np.frombuffer(map_bytes(new.path), dtype="<f4").reshape(-1, max(width, 1))
        there = old.vectors if old is not None and count else fresh[:0]
        is_new = ids >= new.first
        places = np.where(is_new, count + ids - new.first, 0)  # in what there was, and then came
        if old is not None:
            places[~is_new] = old.rows[ids[~is_new]]
        with open(path, "wb", opener=private) as file:
            header = {"descr": "<f4", "fortran_order": False, "shape": (len(ids), width)}
            np.lib.format.write_array_header_1_0(file, header)
            for start in range(0, len(ids), _COPIED):
                some = places[start : start + _COPIED]
                rows = np.empty((len(some), width), dtype="<f4")
                lies = some < count
                rows[lies], rows[~lies] = there[some[lies]], fresh[some[~lies] - count]
                file.write(rows.tobytes())
        sync_to_disk(path)
        sync_to_disk(self.place)
        return width, np.concatenate([np.empty(0, dtype=np.int32), *sizes])[places]


class _NewChunks:
    """Writes new chunks, their words and their vectors, some hundred at a time.

    Attributes:
        first: id of the first one; the others follow.
        path: file of the vectors, in this order, without a header.
        dimensions: of the vectors; 0 as long as there are none.
        sizes: terms of each, in parts.
    """

    def __init__(self, connection: Connection, embedder: CheckedEmbedder, path: Path, first: int) -> None:
        self.first, self.path, self.dimensions = first, path, 0
        self.sizes: list[Int32s] = []
        self._connection, self._embedder = connection, embedder
        self._next, self._waiting = first, list[ChunkRow]()
        self._file = open(path, "wb", opener=private)  # noqa: SIM115  closed by `close`

    def add(self, path: str, chunks: Sequence[Chunk]) -> None:
        """Add the chunks of a file."""
        for number, one in enumerate(chunks):
            row = (self._next, path, number, one.start, one.end, one.header_path, one.content, one.gap)
            self._waiting.append(row)
            self._next += 1
            if len(self._waiting) == _AT_ONCE:
                self._write()

    def close(self) -> None:
        """Write the last ones, and let go of the file."""
        with self._file:
            self._write()

    def _write(self) -> None:
        rows, self._waiting = self._waiting, []
        if not rows:
            return
        add_chunks(self._connection, rows)
        texts = [_searched(row) for row in rows]
        self.sizes.append(write_words(self._connection, [row[0] for row in rows], texts))
        vectors = self._embedder.embed(texts)
        self.dimensions = vectors.shape[1]
        self._file.write(vectors.astype("<f4").tobytes())


def _searched(row: ChunkRow) -> str:
    """The text of a chunk in which is searched: its headings, too."""
    *_, header_path, content, _ = row
    return f"{header_path}\n{content}"


def _remove(connection: Connection, path: str) -> None:
    """Remove a file and its chunks."""
    rows = chunks_of(connection, path)
    forget_words(connection, [row[0] for row in rows], [_searched(row) for row in rows])
    for table in ("files", "chunks"):
        connection.execute(f"DELETE FROM {table} WHERE path = ?", (path,))
