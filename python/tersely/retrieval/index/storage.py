"""The folder of an index: what is in it, who writes it, and whether it is whole.

    index.sqlite          files, chunks, their words, and one row that says how they were made
    vectors-000007.npy    float32, a row a chunk; written once, then only read
    tersely.lock          held by the one that writes

Rows are in the order of files and of places in them. A writer changes all in one transaction. The new vectors
are on the disk before it ends, and the old ones are removed after it: killed at any moment, it leaves the old
index or the new one. Readers see one state of the file and take no lock; whoever has removed vectors mapped
reads on.

`find_damage` checks the whole, when a build begins: the file as SQLite does, the vectors by their digest.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tersely import _native
from tersely.errors import StoreError
from tersely.files import file_digest, file_lock, make_folder, map_bytes, private, read_array, sync_to_disk
from tersely.models.embedders import CheckedEmbedder
from tersely.retrieval.index.chunking import Chunk, cut_chunks
from tersely.retrieval.index.files import FileNote, find_files, read_file, text_of
from tersely.retrieval.index.ranking import forget_words, make_words, write_words
from tersely.sqlite import DamageError, Database, Format, check_file
from tersely.types import Float32s, Int32s, Int64s

if TYPE_CHECKING:
    from sqlite3 import Connection

FORMAT = 8  # of the whole folder
FILE, LOCK, DEFAULT_FOLDER = "index.sqlite", "tersely.lock", ".tersely"
_VECTORS = re.compile(r"vectors-[0-9]{6,}\.npy(?:\.part)?")

# id, path, number in its file, start, end, header path, content, white space before it
ChunkRow = tuple[int, str, int, int, int, str, str, str]


def _make_tables(connection: Connection) -> None:
    for statement in (
        "CREATE TABLE state (format INTEGER NOT NULL, says TEXT NOT NULL, ids BLOB NOT NULL, "
        "sizes BLOB NOT NULL)",
        "CREATE TABLE files (path TEXT PRIMARY KEY, digest BLOB NOT NULL, note TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE chunks (id INTEGER PRIMARY KEY, path TEXT NOT NULL, number INTEGER NOT NULL, "
        "start INTEGER NOT NULL, end INTEGER NOT NULL, header_path TEXT NOT NULL, content TEXT NOT NULL, "
        "gap TEXT NOT NULL)",
        "CREATE UNIQUE INDEX chunks_of_files ON chunks (path, number)",
    ):
        connection.execute(statement)
    make_words(connection)


TABLES = Format("an index", "index the folder again", (_make_tables,), application=0x54525349)  # "TRSI"


class OtherFormatError(StoreError):
    """The index was written by another version of tersely; the next build makes it anew."""


@dataclass(frozen=True, slots=True)
class Made:
    """How an index was made, and what it must be."""

    version: int  #: counts the changes
    reading: str  #: how files were cut and read; an index that was read otherwise is made anew
    embedder: str  #: whose vectors these are
    dimensions: int  #: of the vectors
    files: int  #: how many there are
    vectors: str  #: digest of their file

    @property
    def file(self) -> str:
        """Name of the file of the vectors."""
        return f"vectors-{self.version:06d}.npy"


@dataclass(frozen=True, eq=False)
class State:
    """One state of an index."""

    made: Made  #: how it was made
    ids: Int64s  #: int64[n]: ids of the chunks, by file and number
    sizes: Int32s  #: int32[n]: terms of each
    says: str  #: how it was made, as it is written: another text for each state
    place: Path  #: folder of the index

    @cached_property
    def rows(self) -> Int32s:
        """int32[largest id + 1], of each id its row, -1 where there is none. O(largest id)."""
        rows = np.full(int(self.ids.max(initial=0)) + 1, -1, dtype=np.int32)
        rows[self.ids] = np.arange(len(self.ids), dtype=np.int32)
        return rows

    @cached_property
    def vectors(self) -> Float32s:
        """The vectors, float32[n, d], mapped: nothing is read before it is used.

        Raises StoreError if they are gone, or not as many as were written.
        """
        path = self.place / self.made.file
        try:
            vectors: Float32s = read_array(map_bytes(path), path.name, "<f4", 2)
            if vectors.shape != (len(self.ids), self.made.dimensions):
                raise ValueError(f"it has {vectors.shape} values")
        except (OSError, ValueError) as error:
            raise StoreError(f"{path} is damaged or was removed: {error}; index the folder again") from error
        return vectors


def locate(folder: str | os.PathLike[str]) -> Path:
    """Find the index folder: `folder` itself, or the one in it.

    Raises StoreError where there is none.
    """
    given = Path(folder)
    for place in (given, given / DEFAULT_FOLDER):
        if (place / FILE).is_file():
            return place
    raise StoreError(f"{given} holds no index ({FILE}); make one with `tersely index {given}`")


def state_says(connection: Connection) -> str:
    """Return what tells one state from another, "" before the first build."""
    row = connection.execute("SELECT says FROM state").fetchone()
    return "" if row is None else str(row[0])


def read_state(connection: Connection, place: Path) -> State | None:
    """Read the state, None before the first build. Raises StoreError: damage, another format. O(chunks)."""
    found = connection.execute("SELECT format, says, ids, sizes FROM state").fetchone()
    if found is None:
        return None
    form, says, ids, sizes = found
    if form != FORMAT:
        raise OtherFormatError(
            f"{place} has the index format {form}; this version reads {FORMAT}. "
            "Index the folder again: that makes it anew"
        )
    try:
        made = Made(**json.loads(says))
        return State(made, np.frombuffer(ids, dtype="<i8"), np.frombuffer(sizes, dtype="<i4"), says, place)
    except (TypeError, ValueError) as error:
        raise DamageError(f"its state is not what was written: {error}") from error


def find_damage(place: Path, database: Database) -> list[Path]:
    """Return the files of an index that are gone or not what was written. O(bytes).

    Raises StoreError for another format.
    """
    try:
        with database.reading() as connection:
            state = read_state(connection, place)
            if check_file(connection):
                return [database.path]
    except StoreError as error:
        if not is_damage(error):
            raise
        return [database.path]
    if state is None:
        return []
    path = place / state.made.file
    with contextlib.suppress(OSError, StoreError):
        if len(state.vectors) == len(state.sizes) and file_digest(path) == state.made.vectors:
            return []
    return [path]


def is_damage(error: StoreError) -> bool:
    """Whether a file cannot be used as it is, rather than not be read or written just now."""
    import sqlite3

    cause = error.__cause__
    passing = (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
    )
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF not in passing
    return not isinstance(cause, OSError) and not isinstance(error, OtherFormatError)


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Hold the lock of an index folder, which is made where it is missing.

    Raises:
        StoreError: another process writes, the folder holds something else, or the disk takes no more.
    """
    if place.exists() and not place.is_dir():
        raise StoreError(f"{place} is not a folder")
    if place.is_dir() and not (place / LOCK).exists() and any(place.iterdir()):
        raise StoreError(f"{place} holds something other than an index")
    with contextlib.ExitStack() as stack:
        try:
            make_folder(place)
            stack.enter_context(file_lock(place / LOCK, patience=0))
            with open(place / ".gitignore", "wb", opener=private) as file:
                file.write(b"*\n")
        except TimeoutError:
            raise StoreError(f"another process writes to {place}; try again when it is through") from None
        except OSError as error:
            raise _cannot_write(place, error) from error
        try:
            yield
        except OSError as error:
            raise _cannot_write(place, error) from error


def _cannot_write(place: Path, error: OSError) -> StoreError:
    reason = error.strerror or error
    return StoreError(f"cannot write the index {place}: {reason}; what was there is as it was")


def open_to_write(place: Path) -> tuple[Database, str | None]:
    """Open an index, or begin one; the lock is held.

    Returns the file, and why an index that was there gives way to an empty one: "other_format", "damaged", or
    None. It is removed: no version could have gone on with it.
    """
    anew = None
    if (place / FILE).exists():
        database: Database | None = None
        try:
            database = Database(place / FILE, TABLES)
            if not find_damage(place, database):
                return database, None
            anew = "damaged"
        except OtherFormatError:
            anew = "other_format"
        except StoreError as error:
            if not is_damage(error):
                raise
            anew = "damaged"
        if database is not None:
            database.close()
        for end in ("-wal", "-shm", ""):
            (place / f"{FILE}{end}").unlink(missing_ok=True)
    return Database(place / FILE, TABLES), anew


def remove_others(place: Path, kept: str | None) -> None:
    """Remove vectors but the file `kept`, and what killed writers left."""
    for path in place.iterdir():
        if path.name != kept and _VECTORS.fullmatch(path.name):
            with contextlib.suppress(OSError):
                path.unlink()


def read_chunks(connection: Connection, ids: Sequence[int]) -> list[ChunkRow]:
    """Return the chunks of some ids, in their order. Raises DamageError where one is missing."""
    found = [connection.execute("SELECT * FROM chunks WHERE id = ?", (one,)).fetchone() for one in ids]
    if None in found:
        raise DamageError("chunks are missing")
    return found


def find_id(connection: Connection, path: str, number: int) -> int | None:
    """Return the id of a chunk of a file; None where there is none."""
    found = connection.execute(
        "SELECT id FROM chunks WHERE path = ? AND number = ?", (path, number)
    ).fetchone()
    return None if found is None else int(found[0])


LARGEST_FILE = 16 * 2**20  # bytes
_READING = 3  # of this and the modules it imports: counts up when they cut or read differently
_EMBEDDED = 512  # texts that are embedded together
_COPIED = 8192  # rows

Progress = Callable[[int, int], object] | None


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The numbers of a build: files read, kept, removed, and notes."""

    added: int  #: with `changed`, `removed` and `unchanged`: numbers of files
    changed: int
    removed: int
    unchanged: int
    files: int  #: with `chunks`: what the index has now
    chunks: int
    #: why an index that was there could not be used: "other_embedder", "other_reading" and "other_format" (by
    #: another version of tersely), "damaged"; None: it could be, or there was none
    anew: str | None
    notes: tuple[FileNote, ...]  #: of files that are left out, or not quite as they are, by path
    seconds: float  #: it took


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
    """One build: writes new chunks and their words some hundred at a time, their vectors to a file apart."""

    def __init__(self, place: Path, embedder: CheckedEmbedder, old: State | None, version: int) -> None:
        """Go on from `old`; None: all is read anew."""
        self.counts = Counter[str]()  # of files: "added", "changed", "removed", "unchanged"
        self.chunks, self.notes = 0, dict[str, str]()  # that the index has now; reasons by path
        self._place, self._embedder, self._old, self._version = place, embedder, old, version
        self._width = 0 if old is None else old.made.dimensions
        self._sizes = [] if old is None else [old.sizes]  # terms of each chunk
        self._waiting = list[ChunkRow]()

    def run(self, folder: Path, largest_file: int, progress: Progress, connection: Connection) -> Made:
        """Compare the folder with the index, change the index, and return how it is now."""
        self._connection, old = connection, self._old
        if old is None:
            for forget in ("DELETE FROM files", "DELETE FROM chunks"):
                connection.execute(forget)
            connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
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
        connection.execute("DELETE FROM state")
        parts = json.dumps(asdict(made)), ids.astype("<i8").tobytes(), sizes.astype("<i4").tobytes()
        connection.execute("INSERT INTO state VALUES (?, ?, ?, ?)", (FORMAT, *parts))
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
            if len(self._waiting) == _EMBEDDED:
                self._write_waiting()

    def _write_waiting(self) -> None:
        rows, self._waiting = self._waiting, []
        if not rows:
            return
        self._connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        texts = [_searched(row) for row in rows]
        self._sizes.append(write_words(self._connection, [row[0] for row in rows], texts))
        vectors = self._embedder.embed(texts)
        self._width = vectors.shape[1]
        self._file.write(vectors.astype("<f4").tobytes())

    def _remove(self, path: str) -> None:
        """Remove a file and its chunks."""
        rows = self._connection.execute("SELECT * FROM chunks WHERE path = ?", (path,)).fetchall()
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
