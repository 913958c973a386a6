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
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tersely.errors import StoreError
from tersely.files import file_digest, file_lock, make_folder, map_bytes, private, read_array
from tersely.retrieval.index.ranking import make_words
from tersely.sqlite import DamageError, Database, Format, check_file
from tersely.types import Float32s, Int32s, Int64s

if TYPE_CHECKING:
    from sqlite3 import Connection

FORMAT = 8  # of the whole folder
FILE, LOCK, DEFAULT_FOLDER = "index.sqlite", "tersely.lock", ".tersely"
_VECTORS = re.compile(r"vectors-[0-9]{6,}\.npy(?:\.part)?")
_AT_ONCE = 500  # ids in a statement

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
    """How an index was made, and what it must be.

    Attributes:
        version: counts the changes.
        reading: how files were cut and read; an index that was read otherwise is made anew.
        embedder: whose vectors these are.
        dimensions: of the vectors.
        files: how many there are.
        vectors: digest of their file.
    """

    version: int
    reading: str
    embedder: str
    dimensions: int
    files: int
    vectors: str

    @property
    def file(self) -> str:
        """Name of the file of the vectors."""
        return f"vectors-{self.version:06d}.npy"


@dataclass(frozen=True, eq=False)
class State:
    """One state of an index.

    Attributes:
        made: how it was made.
        ids: int64[n]: ids of the chunks, by file and number.
        sizes: int32[n]: terms of each.
        says: how it was made, as it is written: another text for each state.
        place: folder of the index.
    """

    made: Made
    ids: Int64s
    sizes: Int32s
    says: str
    place: Path

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


def write_state(connection: Connection, made: Made, ids: Int64s, sizes: Int32s) -> None:
    """Write the state."""
    connection.execute("DELETE FROM state")
    parts = json.dumps(asdict(made)), ids.astype("<i8").tobytes(), sizes.astype("<i4").tobytes()
    connection.execute("INSERT INTO state VALUES (?, ?, ?, ?)", (FORMAT, *parts))


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


def remove_all(connection: Connection) -> None:
    """Forget all files, their chunks and words."""
    for table in ("files", "chunks"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")


def add_chunks(connection: Connection, rows: Sequence[ChunkRow]) -> None:
    """Write chunks."""
    connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


def read_chunks(connection: Connection, ids: Sequence[int]) -> list[ChunkRow]:
    """Return the chunks of some ids, in their order. Raises DamageError where one is missing."""
    found: dict[int, ChunkRow] = {}
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        query = f"SELECT * FROM chunks WHERE id IN ({','.join('?' * len(some))})"
        found |= {row[0]: row for row in connection.execute(query, some)}
    if len(found) < len(set(ids)):
        raise DamageError("chunks are missing")
    return [found[number] for number in ids]


def chunks_of(connection: Connection, path: str) -> list[ChunkRow]:
    """Return the chunks of a file, in their order."""
    return connection.execute("SELECT * FROM chunks WHERE path = ? ORDER BY number", (path,)).fetchall()


def find_id(connection: Connection, path: str, number: int) -> int | None:
    """Return the id of a chunk of a file; None where there is none."""
    found = connection.execute(
        "SELECT id FROM chunks WHERE path = ? AND number = ?", (path, number)
    ).fetchone()
    return None if found is None else int(found[0])
