"""Write and read the folder of an index: generations that never change, a header that names the one in use.

    index.json     which format, which generation, what made it; replaced as a whole
    tersely.lock   held by the one that writes
    000007/        chunks.sqlite (text), *.npy (vectors, postings)

A writer makes a new generation beside the old one, sees it to the disk, replaces the header and removes the
old one. Killed at any moment, it leaves a header that names a whole generation. Readers open files that never
change, so they need no lock and may be many; one that has a generation open when it is removed reads on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tersely.core.errors import StoreError
from tersely.core.files import file_lock, make_folder, private, sync_to_disk
from tersely.core.npy import map_array, map_bytes
from tersely.core.sqlite import DamageError, Database, Draft, Format
from tersely.core.tables import Float32s, Int32s, Int64s
from tersely.search.index.chunking import Chunk
from tersely.search.index.ranking import Postings

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = [
    "ChunkRow",
    "ChunkTable",
    "Generation",
    "Header",
    "locate",
    "read_header",
    "save_arrays",
    "write_header",
    "writing",
]

FORMAT = 2  # of the whole folder
HEADER, LOCK = "index.json", "tersely.lock"
CHUNKS, VECTORS = "chunks.sqlite", "vectors.f32"
DEFAULT_FOLDER = ".tersely"  # in the indexed folder
_APPLICATION = "tersely index"
_GENERATION = re.compile(r"[0-9]{6,12}")
_LARGEST_HEADER = 2**16  # bytes
_ARRAYS = {"terms": "<u8", "first": "<i8", "rows": "<i4", "counts": "<u2", "sizes": "<i4"}
_COLUMNS = "id, path, number, start, end, header_path, content"
_AT_ONCE = 500  # ids in a statement

# id, path, number in its file, start, end, header path, content
ChunkRow = tuple[int, str, int, int, int, str, str]


def _make_tables(connection: Connection) -> None:
    connection.execute(
        "CREATE TABLE files (path TEXT PRIMARY KEY, digest BLOB NOT NULL, note TEXT NOT NULL) WITHOUT ROWID"
    )
    connection.execute(
        "CREATE TABLE chunks (id INTEGER PRIMARY KEY, path TEXT NOT NULL, number INTEGER NOT NULL, "
        "start INTEGER NOT NULL, end INTEGER NOT NULL, header_path TEXT NOT NULL, content TEXT NOT NULL, "
        "digest BLOB NOT NULL)"
    )
    connection.execute("CREATE UNIQUE INDEX chunks_of_files ON chunks (path, number)")


_TABLES = Format("the text of an index", "index the folder again", (_make_tables,))


@dataclass(frozen=True, slots=True)
class Header:
    """What index.json says.

    Attributes:
        generation: name of the folder in use.
        reading: how files were cut and read; an index that was read otherwise is made anew.
        embedder: whose vectors these are.
        dimensions: of the vectors.
        files, chunks: how many.
    """

    generation: str
    reading: str
    embedder: str
    dimensions: int
    files: int
    chunks: int


def locate(folder: str | os.PathLike[str]) -> Path:
    """Find the index folder: `folder` itself, or the one in it. Raises StoreError where there is none."""
    given = Path(folder)
    for place in (given, given / DEFAULT_FOLDER):
        if (place / HEADER).is_file():
            return place
    raise StoreError(f"{given} holds no index ({HEADER}); make one with `tersely index {given}`")


def read_header(place: Path) -> Header:
    """Read the header. Raises StoreError where it is not there, damaged, or of another format."""
    path = place / HEADER
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_LARGEST_HEADER))
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict) or found.get("application") != _APPLICATION:
        raise StoreError(f"{path} is not the header of an index of tersely")
    if found.get("format") != FORMAT:
        raise StoreError(
            f"{place} has the index format {found.get('format')!r}; this version reads {FORMAT}. "
            "Remove the folder and index again"
        )
    types = {
        "generation": str,
        "reading": str,
        "embedder": str,
        "dimensions": int,
        "files": int,
        "chunks": int,
    }
    values: dict[str, Any] = {name: found.get(name) for name in types}
    if not all(type(values[name]) is kind for name, kind in types.items()):
        raise StoreError(f"{path} is damaged: it must have {', '.join(types)}")
    header = Header(**values)
    if (
        not _GENERATION.fullmatch(header.generation)
        or min(header.dimensions, header.files, header.chunks) < 0
    ):
        raise StoreError(f"{path} is damaged: it names the generation {header.generation!r}")
    return header


@contextmanager
def writing(place: Path) -> Iterator[tuple[Header | None, Path]]:
    """Hold the lock of an index folder; give its header, None for a new one, and a new generation's folder.

    What writers that were killed left behind is removed first; the new folder is removed at the end unless
    the header names it.

    Raises:
        StoreError: another process writes, the folder holds something else, or the disk takes no more.
    """
    _check_ours(place)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_naming_errors(place))
        make_folder(place)
        try:
            stack.enter_context(file_lock(place / LOCK, patience=0))
        except TimeoutError:
            raise StoreError(f"another process writes to {place}; try again when it is through") from None
        with open(place / ".gitignore", "wb", opener=private) as file:
            file.write(b"*\n")
        header = read_header(place) if (place / HEADER).exists() else None
        _remove_generations(place, header)
        number = 1 + (int(header.generation) if header else 0)
        fresh = place / f"{number:06d}"
        make_folder(fresh)
        try:
            yield header, fresh
        finally:
            _remove_generations(place, read_header(place) if (place / HEADER).exists() else None)


@contextmanager
def _naming_errors(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise StoreError(f"cannot write the index {place}: {reason}; what was there is as it was") from error


def write_header(place: Path, header: Header) -> None:
    """See the generation's files to the disk, then make the header name it, at once or not at all."""
    generation = place / header.generation
    for path in generation.iterdir():
        sync_to_disk(path)
    sync_to_disk(generation)
    sync_to_disk(place)
    text = json.dumps({"application": _APPLICATION, "format": FORMAT, **asdict(header)}, indent=1)
    fresh = place / (HEADER + ".new")
    with open(fresh, "wb", opener=private) as file:
        file.write(f"{text}\n".encode())
    sync_to_disk(fresh)
    fresh.replace(place / HEADER)
    sync_to_disk(place)


def _check_ours(place: Path) -> None:
    if place.exists() and not place.is_dir():
        raise StoreError(f"{place} is not a folder")
    if place.is_dir() and not (place / LOCK).exists() and any(place.iterdir()):
        raise StoreError(f"{place} holds something other than an index")


def _remove_generations(place: Path, header: Header | None) -> None:
    for path in place.iterdir():
        if _GENERATION.fullmatch(path.name) and (header is None or path.name != header.generation):
            shutil.rmtree(path, ignore_errors=True)


class ChunkTable:
    """Write the text of a new generation, at which no other process looks."""

    def __init__(self, folder: Path, before: Path | None) -> None:
        """Begin with a copy of what is in an earlier generation's folder, or empty."""
        self._file = Draft(folder / CHUNKS, _TABLES, copy_of=None if before is None else before / CHUNKS)
        with self._file.writing() as connection:
            (last,) = connection.execute("SELECT max(id) FROM chunks").fetchone()
        self._next = (last or 0) + 1

    def remove(self, paths: Iterable[str]) -> None:
        """Forget files and their chunks."""
        with self._file.writing() as connection:
            for path in paths:
                connection.execute("DELETE FROM files WHERE path = ?", (path,))
                connection.execute("DELETE FROM chunks WHERE path = ?", (path,))

    def add_file(self, path: str, digest: bytes, note: str) -> None:
        """Add a file that was read."""
        with self._file.writing() as connection:
            connection.execute("INSERT INTO files VALUES (?, ?, ?)", (path, digest, note))

    def add_chunks(self, path: str, chunks: Sequence[Chunk]) -> None:
        """Add the chunks of a file."""
        rows: list[ChunkRow] = [
            (self._next + number, path, number, chunk.start, chunk.end, chunk.header_path, chunk.content)
            for number, chunk in enumerate(chunks)
        ]
        self._next += len(rows)
        with self._file.writing() as connection:
            connection.executemany(
                "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [(*row, _digest(row)) for row in rows]
            )

    def finish(self) -> tuple[Int64s, Int32s, int]:
        """Write all; return the ids of chunks, ascending, their places by file and number, how many files."""
        with self._file.writing() as connection:
            found = connection.execute("SELECT id FROM chunks ORDER BY path, number").fetchall()
            (files,) = connection.execute("SELECT count(*) FROM files").fetchone()
        self._file.finish()
        sorted_by_file = np.array(found, dtype=np.int64).reshape(-1)
        by_id = np.argsort(sorted_by_file)
        return sorted_by_file[by_id], by_id.astype(np.int32), int(files)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def save_arrays(folder: Path, postings: Postings, ids: Int64s, order: Int32s) -> None:
    """Write the arrays beside the vectors."""
    arrays = {name: getattr(postings, name).astype(kind) for name, kind in _ARRAYS.items()}
    for name, array in (arrays | {"ids": ids.astype("<i8"), "order": order.astype("<i4")}).items():
        with open(folder / f"{name}.npy", "wb", opener=private) as file:
            np.save(file, array, allow_pickle=False)


class Generation:
    """Read a whole generation. Thread-safe.

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
        self.header = header
        try:
            self.vectors = _vectors(folder / VECTORS, header.chunks, header.dimensions)
            arrays = {name: map_array(folder / f"{name}.npy", kind) for name, kind in _ARRAYS.items()}
            self.ids: Int64s = map_array(folder / "ids.npy", "<i8")
            self.order: Int32s = map_array(folder / "order.npy", "<i4")
            self.postings = Postings(**arrays)
            _check(self.postings, self.ids, self.order, header.chunks)
            self._database = Database(folder / CHUNKS, _TABLES, immutable=True)
            with self._database.reading() as connection:
                connection.execute("SELECT path FROM files LIMIT 1").fetchone()
        except (OSError, ValueError, EOFError, StoreError) as error:
            raise StoreError(f"{folder} is damaged or was removed: {error}") from error

    def files(self) -> dict[str, tuple[bytes, str]]:
        """Return digest and note of each file."""
        with self._database.reading() as connection:
            return {path: (digest, note) for path, digest, note in connection.execute("SELECT * FROM files")}

    def ids_of(self, paths: Iterable[str]) -> Int64s:
        """Return the ids of the chunks of some files."""
        with self._database.reading() as connection:
            found = [
                row[0]
                for path in paths
                for row in connection.execute("SELECT id FROM chunks WHERE path = ?", (path,))
            ]
        return np.array(found, dtype=np.int64)

    def chunks(self, ids: Sequence[int]) -> list[ChunkRow]:
        """Return the chunks of some ids, in their order. Raises StoreError where one is missing."""
        found: dict[int, ChunkRow] = {}
        with self._database.reading() as connection:
            for start in range(0, len(ids), _AT_ONCE):
                some = ids[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT {_COLUMNS}, digest FROM chunks WHERE id IN ({marks})"
                for row in connection.execute(query, some):
                    found[row[0]] = _checked_row(row)
            if len(found) < len(set(ids)):
                raise DamageError("chunks are missing")
        return [found[number] for number in ids]

    def find(self, places: Iterable[tuple[str, int]]) -> list[ChunkRow | None]:
        """Return chunks by their files and their numbers there; None for each that there is not."""
        found = f"SELECT {_COLUMNS}, digest FROM chunks WHERE path = ? AND number = ?"
        with self._database.reading() as connection:
            rows = [connection.execute(found, place).fetchone() for place in places]
            return [None if row is None else _checked_row(row) for row in rows]

    def close(self) -> None:
        """Close its files."""
        self._database.close()


def _digest(row: ChunkRow) -> bytes:
    """What a chunk must still say when it is read: 16 bytes of its fields."""
    return hashlib.blake2b(json.dumps(row).encode(), digest_size=16).digest()


def _checked_row(row: tuple[Any, ...]) -> ChunkRow:
    try:
        sound = _digest(row[:-1]) == row[-1]
    except (TypeError, ValueError):  # damage may turn a text into bytes
        sound = False
    if not sound:
        raise DamageError(f"chunk {row[0]} is not what was written")
    return row[:-1]


def _vectors(path: Path, rows: int, columns: int) -> Float32s:
    values: Float32s = np.frombuffer(map_bytes(path), dtype="<f4")
    if values.size != rows * columns:
        raise ValueError(f"{path.name} has {values.size} numbers, not {rows} x {columns}")
    return values.reshape(rows, columns)


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
