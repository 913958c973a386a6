"""The folder of an index: what is in it, who writes it, and whether it is whole.

    index.sqlite          files, chunks, their words, and one row that says how they were made
    vectors-000007.npy    float32, a row a chunk; written once, then only read
    tersely.lock          held by the one that writes

Rows are in the order of files and of places in them. A writer changes all in one transaction. The new vectors
are on the disk before it ends, and the old ones are removed after it: killed at any moment, it leaves the old
index or the new one. Readers see one state of the file and take no lock; whoever has removed vectors mapped
reads on.

A chunk has a digest, which is checked when it is read. The one row has a digest of itself, checked when it is
read, and those of files, words and vectors, which `find_damage` checks: when a build begins, and when a small
index is opened. Vectors that were written to are checked when they are opened.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tersely.errors import StoreError
from tersely.files import file_digest, file_lock, make_folder, map_bytes, private, read_array
from tersely.retrieval.index.ranking import forget_all_words, make_words
from tersely.sqlite import DamageError, Database, Format, check_file
from tersely.types import Float32s, Int32s, Int64s

if TYPE_CHECKING:
    from sqlite3 import Connection

FORMAT = 7  # of the whole folder
FILE, LOCK, DEFAULT_FOLDER = "index.sqlite", "tersely.lock", ".tersely"
_OLD_HEADER = "index.json"  # of formats up to 6, whose other files are in folders with numbers
_OURS = re.compile(r"vectors-[0-9]{6,}\.npy(?:\.part)?|[0-9]{6,12}|index\.json(?:\.new)?")
_SMALL = 2**20  # bytes: an index that is always checked when it is opened
_COLUMNS = "id, path, number, start, end, header_path, content, gap"
_AT_ONCE = 500  # ids in a statement

# id, path, number in its file, start, end, header path, content, white space before it
ChunkRow = tuple[int, str, int, int, int, str, str, str]


def _make_tables(connection: Connection) -> None:
    for statement in (
        "CREATE TABLE state (format INTEGER NOT NULL, says TEXT NOT NULL, ids BLOB NOT NULL, "
        "sizes BLOB NOT NULL, digest TEXT NOT NULL)",
        "CREATE TABLE files (path TEXT PRIMARY KEY, digest BLOB NOT NULL, note TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE chunks (id INTEGER PRIMARY KEY, path TEXT NOT NULL, number INTEGER NOT NULL, "
        "start INTEGER NOT NULL, end INTEGER NOT NULL, header_path TEXT NOT NULL, content TEXT NOT NULL, "
        "gap TEXT NOT NULL, digest INTEGER NOT NULL)",
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
        contents: digest of the table of files and of the words.
        vectors: digest of their file.
        written: when that was, in nanoseconds.
    """

    version: int
    reading: str
    embedder: str
    dimensions: int
    files: int
    contents: str
    vectors: str
    written: int

    @property
    def file(self) -> str:
        """Name of the file of the vectors."""
        return f"vectors-{self.version:06d}.npy"


@dataclass(frozen=True, eq=False, slots=True)
class State:
    """One state of an index.

    Attributes:
        made: how it was made.
        ids: int64[n]: ids of the chunks, by file and number.
        sizes: int32[n]: terms of each.
        digest: of all this.
    """

    made: Made
    ids: Int64s
    sizes: Int32s
    digest: str

    def rows(self) -> Int32s:
        """Return int32[largest id + 1], of each id its row, -1 where there is none. O(largest id)."""
        rows = np.full(int(self.ids.max(initial=0)) + 1, -1, dtype=np.int32)
        rows[self.ids] = np.arange(len(self.ids), dtype=np.int32)
        return rows


def locate(folder: str | os.PathLike[str]) -> Path:
    """Find the index folder: `folder` itself, or the one in it.

    Raises StoreError where there is none, or one of an older format.
    """
    given = Path(folder)
    for place in (given, given / DEFAULT_FOLDER):
        if (place / FILE).is_file():
            return place
        if (place / _OLD_HEADER).is_file():
            raise OtherFormatError(_other_format(place, "6 or less"))
    raise StoreError(f"{given} holds no index ({FILE}); make one with `tersely index {given}`")


def _other_format(place: Path, found: object) -> str:
    return (
        f"{place} has the index format {found}; this version reads {FORMAT}. "
        "Index the folder again: that makes it anew"
    )


def state_digest(connection: Connection) -> str:
    """Return the digest of the state, "" before the first build: another one where anything changed."""
    row = connection.execute("SELECT digest FROM state").fetchone()
    return "" if row is None else str(row[0])


def read_state(connection: Connection, place: Path) -> State | None:
    """Read the state, None before the first build. Raises StoreError: damage, another format. O(chunks)."""
    found = connection.execute("SELECT format, says, ids, sizes, digest FROM state").fetchone()
    if found is None:
        return None
    form, says, ids, sizes, digest = found
    if form != FORMAT:
        raise OtherFormatError(_other_format(place, form))
    if _digest_of((says, ids, sizes)) != digest:
        raise DamageError("its state is not what was written")
    made = Made(**json.loads(says))
    return State(made, np.frombuffer(ids, dtype="<i8"), np.frombuffer(sizes, dtype="<i4"), digest)


def write_state(connection: Connection, made: Made, ids: Int64s, sizes: Int32s) -> None:
    """Write the state, after everything else; `made.contents` is filled in. O(files + words)."""
    says = json.dumps(asdict(replace(made, contents=_contents_digest(connection))))
    parts = (says, ids.astype("<i8").tobytes(), sizes.astype("<i4").tobytes())
    connection.execute("DELETE FROM state")
    connection.execute("INSERT INTO state VALUES (?, ?, ?, ?, ?)", (FORMAT, *parts, _digest_of(parts)))


def _contents_digest(connection: Connection) -> str:
    """Digest the files and the words as they are in the transaction."""
    if connection.in_transaction:  # FTS5 holds back what was written until it ends, or another begins
        connection.execute("SAVEPOINT words")
        connection.execute("RELEASE words")
    values = (
        value
        for query in (
            "SELECT path, digest, note FROM files ORDER BY path",
            "SELECT id, block FROM words_data ORDER BY id",
            "SELECT segid, term, pgno FROM words_idx ORDER BY segid, term",
        )
        for row in connection.execute(query)
        for value in row
    )
    return _digest_of(values)


def _digest_of(values: Any) -> str:
    """The CRC-32 of values of SQLite, in hexadecimal: it shows damage, not forgery."""
    crc = 0
    for value in values:
        crc = zlib.crc32(value if isinstance(value, bytes) else f"{value!r},".encode(), crc)
    return f"{crc:08x}"


def map_vectors(place: Path, state: State, checked: bool = True) -> Float32s:
    """Map the vectors of a state; nothing is read before it is used.

    Raises StoreError where they are gone, or not what was written; that is seen where they were written to,
    and in small files.
    """
    made, path = state.made, place / state.made.file
    try:
        there = path.stat()
        checked = checked and (there.st_size <= _SMALL or there.st_mtime_ns != made.written)
        if checked and file_digest(path) != made.vectors:
            raise ValueError("it is not what was written")
        vectors: Float32s = read_array(map_bytes(path), path.name, "<f4", 2)
        if vectors.shape != (len(state.ids), made.dimensions):
            raise ValueError(f"it has {vectors.shape} values")
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} is damaged or was removed: {error}; index the folder again") from error
    return vectors


def open_index(place: Path) -> Database:
    """Open an index to read; one of up to 1 MiB is checked. Raises StoreError."""
    path = place / FILE
    database = Database(path, TABLES, read_only=True)
    if path.stat().st_size <= _SMALL:
        for damaged in find_damage(place, database):
            raise StoreError(f"{damaged} is damaged or was removed; {TABLES.remedy}")
    return database


def find_damage(place: Path, database: Database) -> list[Path]:
    """Return the files of an index that are gone or not what was written. O(bytes).

    Raises StoreError for another format.
    """
    try:
        with database.reading() as connection:
            state = read_state(connection, place)
            if check_file(connection) or (state is not None and not _is_whole(connection, state)):
                return [database.path]
    except StoreError as error:
        if not is_damage(error):
            raise
        return [database.path]
    if state is None:
        return []
    path = place / state.made.file
    with contextlib.suppress(OSError):
        return [] if file_digest(path) == state.made.vectors else [path]
    return [path]


def _is_whole(connection: Connection, state: State) -> bool:
    if _contents_digest(connection) != state.made.contents:
        return False
    ids = []
    for row in connection.execute(f"SELECT {_COLUMNS}, digest FROM chunks ORDER BY path, number"):
        ids.append(_checked_row(row)[0])
    return bool(np.array_equal(np.array(ids, dtype=np.int64), state.ids))


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
    elif (place / _OLD_HEADER).exists():
        anew = "other_format"
    return Database(place / FILE, TABLES), anew


def remove_others(place: Path, kept: str | None) -> None:
    """Remove vectors but the file `kept`, what killed writers left, and files of formats up to 6."""
    for path in place.iterdir():
        if path.name != kept and _OURS.fullmatch(path.name):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    path.unlink()


def remove_all(connection: Connection) -> None:
    """Forget all files, their chunks and words."""
    for table in ("files", "chunks"):
        connection.execute(f"DELETE FROM {table}")
    forget_all_words(connection)


def add_chunks(connection: Connection, rows: Sequence[ChunkRow]) -> None:
    """Write chunks, each with a digest of its fields."""
    connection.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [(*row, _row_digest(row)) for row in rows]
    )


def read_chunks(connection: Connection, ids: Sequence[int]) -> list[ChunkRow]:
    """Return the chunks of some ids, in their order. Raises DamageError where one is missing or damaged."""
    found: dict[int, ChunkRow] = {}
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        query = f"SELECT {_COLUMNS}, digest FROM chunks WHERE id IN ({','.join('?' * len(some))})"
        for row in connection.execute(query, some):
            found[row[0]] = _checked_row(row)
    if len(found) < len(set(ids)):
        raise DamageError("chunks are missing")
    return [found[number] for number in ids]


def chunks_of(connection: Connection, path: str) -> list[ChunkRow]:
    """Return the chunks of a file, in their order."""
    query = f"SELECT {_COLUMNS}, digest FROM chunks WHERE path = ? ORDER BY number"
    return [_checked_row(row) for row in connection.execute(query, (path,))]


def find_id(connection: Connection, path: str, number: int) -> int | None:
    """Return the id of a chunk of a file; None where there is none."""
    found = connection.execute(
        "SELECT id FROM chunks WHERE path = ? AND number = ?", (path, number)
    ).fetchone()
    return None if found is None else int(found[0])


def _row_digest(row: ChunkRow) -> int:
    """Return the CRC-32 of a chunk's fields."""
    return zlib.crc32("\0".join(map(str, row)).encode())


def _checked_row(row: tuple[Any, ...]) -> ChunkRow:
    if _row_digest(row[:-1]) != row[-1]:
        raise DamageError(f"chunk {row[0]} is not what was written")
    return row[:-1]
