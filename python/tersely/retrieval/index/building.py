"""Bring the index of a folder up to date: what did not change stays as it is."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tersely import _native
from tersely.files import file_digest, map_bytes, private, sync_to_disk
from tersely.models.embedders import CheckedEmbedder
from tersely.retrieval.index.chunking import Chunk, cut_chunks
from tersely.retrieval.index.files import FileNote, find_files, read_file, text_of
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
            with database.reading() as connection:
                before = old = read_state(connection, place)
            kept = None if before is None else before.made.file
            remove_others(place, kept)
            if before is not None and before.made.reading != _reading():
                anew, old = "other_reading", None
            elif before is not None and before.made.embedder != embedder.name:
                anew, old = "other_embedder", None
            update = _Update(place, embedder, old, 1 if before is None else before.made.version + 1)
            made = database.write(partial(update.run, folder, largest_file, progress))
            kept = made.file
        finally:
            remove_others(place, kept)
            database.close()
    return BuildReport(
        **{name: update.counts[name] for name in ("added", "changed", "removed", "unchanged")},
        files=made.files,
        chunks=update.chunks,
        anew=anew,
        notes=tuple(FileNote(path, reason) for path, reason in sorted(update.notes.items())),
        seconds=time.perf_counter() - started,
    )


def _reading() -> str:
    """Identify how files are read: a number, and the terms of a few words."""
    words = _native.terms(["Running 3.14 snake_case camelCase Überprüfung 日本語 the"])[2]
    return f"{_READING}-{hashlib.blake2b(chr(0).join(words).encode(), digest_size=6).hexdigest()}"


class _Update:
    """One build: writes new chunks and their words some hundred at a time, their vectors to a file apart.

    Attributes:
        counts: of files: "added", "changed", "removed", "unchanged".
        chunks: that the index has now.
        notes: reasons by path.
    """

    def __init__(self, place: Path, embedder: CheckedEmbedder, old: State | None, version: int) -> None:
        """Go on from `old`; None: all is read anew."""
        self.counts, self.chunks, self.notes = Counter[str](), 0, dict[str, str]()
        self._place, self._embedder, self._old, self._version = place, embedder, old, version
        self._width = 0 if old is None else old.made.dimensions
        self._sizes = [] if old is None else [old.sizes]  # terms of each chunk
        self._waiting = list[ChunkRow]()

    def run(self, folder: Path, largest_file: int, progress: Progress, connection: Connection) -> Made:
        """Compare the folder with the index, change the index, and return how it is now."""
        self._connection, old = connection, self._old
        if old is None:
            remove_all(connection)
        (last,) = connection.execute("SELECT max(id) FROM chunks").fetchone()
        self._first = self._next = (last or 0) + 1  # ids of new chunks
        path = self._place / f"vectors-{self._version:06d}.npy"
        fresh = path.with_name(f"{path.name}.part")  # their vectors, without a header
        with open(fresh, "wb", opener=private) as self._file:
            self._compare(folder, largest_file, progress)
            self._write_waiting()
        if old is not None and not self.counts.keys() - {"unchanged"}:
            self.chunks = len(old.ids)
            return old.made
        if old is None:
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")  # a query reads one part then
        found = connection.execute("SELECT id FROM chunks ORDER BY path, number").fetchall()
        ids = np.array(found, dtype=np.int64).reshape(-1)
        sizes = self._write_vectors(path, fresh, ids)
        (files,) = connection.execute("SELECT count(*) FROM files").fetchone()
        digest, name = file_digest(path), self._embedder.name
        made = Made(self._version, _reading(), name, self._width, files, digest)
        write_state(connection, made, ids, sizes)
        self.chunks = len(ids)
        return made

    def _compare(self, folder: Path, largest_file: int, progress: Progress) -> None:
        """Read every file; add, change and remove what differs."""
        files = self._connection.execute("SELECT * FROM files")
        known = {path: (digest, note) for path, digest, note in files}
        found = list(find_files(folder, without=self._place))
        for number, item in enumerate(found):
            if isinstance(item, FileNote):
                self.notes[item.path] = item.reason
                continue
            if progress is not None:
                progress(number, len(found))
            data = read_file(folder, item.path, largest_file)
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
                    self._remove(item.path)
                text, note = text_of(item.path, data)
                self._connection.execute("INSERT INTO files VALUES (?, ?, ?)", (item.path, digest, note))
                self._add(item.path, cut_chunks(text, item.kind))
            if note:
                self.notes[item.path] = note
        for path in known:
            self.counts["removed"] += 1
            self._remove(path)
        if progress is not None:
            progress(len(found), len(found))

    def _add(self, path: str, chunks: Sequence[Chunk]) -> None:
        """Add the chunks of a file."""
        for number, one in enumerate(chunks):
            row = (self._next, path, number, one.start, one.end, one.header_path, one.content, one.gap)
            self._waiting.append(row)
            self._next += 1
            if len(self._waiting) == _AT_ONCE:
                self._write_waiting()

    def _write_waiting(self) -> None:
        rows, self._waiting = self._waiting, []
        if not rows:
            return
        add_chunks(self._connection, rows)
        texts = [_searched(row) for row in rows]
        self._sizes.append(write_words(self._connection, [row[0] for row in rows], texts))
        vectors = self._embedder.embed(texts)
        self._width = vectors.shape[1]
        self._file.write(vectors.astype("<f4").tobytes())

    def _remove(self, path: str) -> None:
        """Remove a file and its chunks."""
        rows = chunks_of(self._connection, path)
        forget_words(self._connection, [row[0] for row in rows], [_searched(row) for row in rows])
        for table in ("files", "chunks"):
            self._connection.execute(f"DELETE FROM {table} WHERE path = ?", (path,))

    def _write_vectors(self, path: Path, fresh: Path, ids: Int64s) -> Int32s:
        """Write the vectors of all chunks, a row an id; return the terms of each. O(vectors)."""
        new: Float32s = np.frombuffer(map_bytes(fresh), dtype="<f4").reshape(-1, max(self._width, 1))
        there, old = new[:0], self._old
        places = ids - self._first  # in what there was, and then came
        if old is not None and len(old.ids):
            there = old.vectors
            places = np.where(
                ids < self._first, old.rows[np.minimum(ids, len(old.rows) - 1)], places + len(there)
            )
        with open(path, "wb", opener=private) as file:
            header = {"descr": "<f4", "fortran_order": False, "shape": (len(ids), self._width)}
            np.lib.format.write_array_header_1_0(file, header)
            for start in range(0, len(ids), _COPIED):
                some = places[start : start + _COPIED]
                rows = np.empty((len(some), self._width), dtype="<f4")
                lies = some < len(there)
                rows[lies], rows[~lies] = there[some[lies]], new[some[~lies] - len(there)]
                file.write(rows.tobytes())
        sync_to_disk(path)
        sync_to_disk(self._place)
        return np.concatenate([np.empty(0, dtype=np.int32), *self._sizes])[places]


def _searched(row: ChunkRow) -> str:
    """The text of a chunk in which is searched: its headings, too."""
    *_, header_path, content, _ = row
    return f"{header_path}\n{content}"
