"""Write, open and check the shards of an index, and read them as one.

    index.json     which format, which generation of each shard with the digests of its files, what made them;
                   replaced as a whole
    tersely.lock   held by the one that writes
    000007/        a shard: chunks.sqlite (text), vectors.f32, codes.i8 (the same in a byte a value), *.npy
                   (postings, scales of codes); the newest has the order of all

A writer makes new generations of the shards that change, sees them to the disk, replaces the header and
removes the old ones. Killed at any moment, it leaves a header that names whole generations. Readers open
files that never change, so they need no lock and may be many; one that has a generation open when it is
removed reads on.

The header has a digest of each file and of itself, so that damage and exchanged files are noticed: when they
are opened, in small files and in those that somebody wrote to after the header; in all by `find_damage` and
before a writer takes them over.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from tersely.errors import StoreError
from tersely.files import (
    file_digest,
    file_lock,
    make_folder,
    map_array,
    map_bytes,
    private,
    renamed,
    sync_to_disk,
)
from tersely.retrieval.index.chunking import Chunk
from tersely.retrieval.index.ranking import CodedVectors, Postings
from tersely.sqlite import DamageError, Database, Draft, Format
from tersely.types import Float32s, Int32s, Int64s

if TYPE_CHECKING:
    from sqlite3 import Connection

FORMAT = 6  # of the whole folder
HEADER, LOCK = "index.json", "tersely.lock"
CHUNKS, VECTORS, CODES, ORDER = "chunks.sqlite", "vectors.f32", "codes.i8", "order.npy"
DEFAULT_FOLDER = ".tersely"  # in the indexed folder
_APPLICATION = "tersely index"
_GENERATION = re.compile(r"[0-9]{6,12}")
_LARGEST_HEADER = 2**16  # bytes
_SMALL = 2**20  # bytes of a file that is always checked when it is opened: 0.2 ms for 10,000 chunks
_ARRAYS = {"terms": "<u8", "first": "<i8", "rows": "<i4", "counts": "<u2", "sizes": "<i4"}
_TYPES = {"reading": str, "embedder": str, "dimensions": int}
_FILES = {
    CHUNKS,
    VECTORS,
    CODES,
    *(f"{name}.npy" for name in ("scale", "rest", "ids", *_ARRAYS)),
}  # of a shard
_SHARD_TYPES = {"generation": str, "files": int, "chunks": int, "digests": dict}
_COLUMNS = "id, path, number, start, end, header_path, content, gap"
_AT_ONCE = 500  # ids in a statement
_NO_FLOATS = np.empty(0, dtype=np.float32)

# id, path, number in its file, start, end, header path, content, white space before it
ChunkRow = tuple[int, str, int, int, int, str, str, str]


def _make_tables(connection: Connection) -> None:
    connection.execute(
        "CREATE TABLE files (path TEXT PRIMARY KEY, digest BLOB NOT NULL, note TEXT NOT NULL) WITHOUT ROWID"
    )
    connection.execute(
        "CREATE TABLE chunks (id INTEGER PRIMARY KEY, path TEXT NOT NULL, number INTEGER NOT NULL, "
        "start INTEGER NOT NULL, end INTEGER NOT NULL, header_path TEXT NOT NULL, content TEXT NOT NULL, "
        "gap TEXT NOT NULL, digest BLOB NOT NULL)"
    )
    connection.execute("CREATE UNIQUE INDEX chunks_of_files ON chunks (path, number)")


_TABLES = Format("the text of an index", "index the folder again", (_make_tables,))


@dataclass(frozen=True, slots=True)
class Shard:
    """The entry of a shard in index.json.

    Attributes:
        generation: the folder in use.
        files, chunks: how many are in it.
        digests: by name, of all that lies in the folder; none before the shard is committed.
    """

    generation: str
    files: int
    chunks: int
    digests: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Header:
    """The contents of index.json.

    Attributes:
        reading: how files were cut and read; an index that was read otherwise is made anew.
        embedder: whose vectors these are.
        dimensions: of the vectors.
        shards: one or more; which one a file is in, its path says (`snapshot.shard_of`).
    """

    reading: str
    embedder: str
    dimensions: int
    shards: tuple[Shard, ...]

    @property
    def files(self) -> int:
        """Number of files."""
        return sum(shard.files for shard in self.shards)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return sum(shard.chunks for shard in self.shards)

    @property
    def newest(self) -> str:
        """The generation that was written last."""
        return max((shard.generation for shard in self.shards), key=int)


class OtherFormatError(StoreError):
    """The index was written by another version of tersely; the next build makes it anew."""


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
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise _unusable(path, error) from error
    if not isinstance(found, dict) or found.get("application") != _APPLICATION:
        raise StoreError(f"{path} is not the header of an index of tersely")
    if found.get("format") != FORMAT:
        raise OtherFormatError(
            f"{place} has the index format {found.get('format')!r}; this version reads {FORMAT}. "
            "Index the folder again: that makes it anew"
        )
    if found.pop("digest", None) != _header_digest(found):
        raise _unusable(path, "it is not what was written")
    shards = found.get("shards")
    own: dict[str, Any] = {name: found.get(name) for name in ("reading", "embedder", "dimensions")}
    if (
        not _has(own, _TYPES)
        or not isinstance(shards, list)
        or not shards
        or not all(isinstance(one, dict) and _has(one, _SHARD_TYPES) for one in shards)
    ):
        raise _unusable(path, f"it must have {', '.join(_TYPES)}, and shards")
    header = Header(shards=tuple(Shard(**one) for one in shards), **own)
    for shard in header.shards:
        if (
            not _GENERATION.fullmatch(shard.generation)
            or min(header.dimensions, shard.files, shard.chunks) < 0
            or not shard.digests.keys() >= _FILES
        ):
            raise _unusable(path, f"it names the generation {shard.generation!r}")
    return header


def _header_digest(found: dict[str, Any]) -> str:
    """Return the digest of a header's contents, whatever their order and layout."""
    return f"{zlib.crc32(json.dumps(found, sort_keys=True).encode()):08x}"


def find_damage(place: Path, header: Header, largest: float = math.inf) -> Iterator[Path]:
    """Yield each file that is gone or not what was written.

    Files of more than `largest` bytes are read where somebody wrote to them after the header: a writer of an
    index writes that last.
    """
    try:
        written = (place / HEADER).stat().st_mtime_ns
    except OSError:
        written = 0
    for shard in header.shards:
        for name, digest in shard.digests.items():
            path = place / shard.generation / Path(name).name
            try:
                there = path.stat()
                to_read = there.st_size <= largest or there.st_mtime_ns > written
                if to_read and file_digest(path) != digest:
                    yield path
            except OSError:
                yield path


def _has(values: dict[str, Any], types: dict[str, type]) -> bool:
    """Whether these are the values of these names, each of its type."""
    return values.keys() == types.keys() and all(type(values[name]) is kind for name, kind in types.items())


@contextmanager
def writing(place: Path) -> Iterator[Writer]:
    """Hold the lock of an index folder, and return its writer.

    What writers that were killed left behind is removed first; new folders are removed at the end unless
    the header names them.

    Raises:
        StoreError: another process writes, the folder holds something else, or the disk takes no more.
    """
    if place.exists() and not place.is_dir():
        raise StoreError(f"{place} is not a folder")
    if place.is_dir() and not (place / LOCK).exists() and any(place.iterdir()):
        raise StoreError(f"{place} holds something other than an index")
    with contextlib.ExitStack() as stack:
        stack.enter_context(_naming_errors(place))
        make_folder(place)
        try:
            stack.enter_context(file_lock(place / LOCK, patience=0))
        except TimeoutError:
            raise StoreError(f"another process writes to {place}; try again when it is through") from None
        with open(place / ".gitignore", "wb", opener=private) as file:
            file.write(b"*\n")
        header, anew = _own_header(place)
        _remove_generations(place, header)
        try:
            yield Writer(place, header, anew)
        finally:
            _remove_generations(place, _own_header(place)[0])


def _own_header(place: Path) -> tuple[Header | None, str | None]:
    """Read the index's header, None without a usable one; and say why there is none: `BuildReport.anew`."""
    try:
        return read_header(place) if (place / HEADER).exists() else None, None
    except OtherFormatError:
        return None, "other_format"
    except StoreError as error:
        if isinstance(error.__cause__, OSError):
            raise
        return None, "damaged"


@contextmanager
def _naming_errors(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise StoreError(f"cannot write the index {place}: {reason}; what was there is as it was") from error


class Writer:
    """Makes generations beside those in use, and then makes the header name them.

    Attributes:
        header: what there is; None for a new index.
        anew: why there is an index that gives way: "other_format", "damaged"; else None.
    """

    def __init__(self, place: Path, header: Header | None, anew: str | None) -> None:
        """Begin; the lock is held."""
        self.header, self.anew, self._place = header, anew, place
        self._next = 1 + (int(header.newest) if header else 0)

    def new_generation(self) -> Path:
        """Make the folder of a new generation."""
        folder = self._place / f"{self._next:06d}"
        self._next += 1
        make_folder(folder)
        return folder

    def commit(self, header: Header) -> None:
        """See new generations to the disk, then make the header name them, at once or not at all."""
        place = self._place
        header = replace(header, shards=tuple(map(self._synced, header.shards)))
        sync_to_disk(place)
        says = {"application": _APPLICATION, "format": FORMAT, **asdict(header)}
        text = json.dumps({**says, "digest": _header_digest(says)}, indent=1)
        with renamed(place / HEADER, place / (HEADER + ".new")) as fresh:
            with open(fresh, "wb", opener=private) as file:
                file.write(f"{text}\n".encode())
            sync_to_disk(fresh)
        sync_to_disk(place)

    def _synced(self, shard: Shard) -> Shard:
        """See the files of a new shard to the disk, and note their digests."""
        if shard.digests:
            return shard
        generation, digests = self._place / shard.generation, dict[str, str]()
        for path in sorted(generation.iterdir()):
            sync_to_disk(path)
            digests[path.name] = file_digest(path)
        sync_to_disk(generation)
        return replace(shard, digests=digests)


def _remove_generations(place: Path, header: Header | None) -> None:
    used = set() if header is None else {shard.generation for shard in header.shards}
    for path in place.iterdir():
        if _GENERATION.fullmatch(path.name) and path.name not in used:
            shutil.rmtree(path, ignore_errors=True)


class ChunkTable:
    """Write the text of a new generation, at which no other process looks."""

    def __init__(self, folder: Path, before: Path | None) -> None:
        """Begin with a copy of an earlier generation's folder, or empty."""
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
            (self._next + number, path, number, one.start, one.end, one.header_path, one.content, one.gap)
            for number, one in enumerate(chunks)
        ]
        self._next += len(rows)
        with self._file.writing() as connection:
            connection.executemany(
                "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(*row, _digest(row)) for row in rows],
            )

    def finish(self) -> tuple[Int64s, int]:
        """Write all; return the ids of chunks, ascending, and how many files there are."""
        with self._file.writing() as connection:
            found = connection.execute("SELECT id FROM chunks ORDER BY id").fetchall()
            (files,) = connection.execute("SELECT count(*) FROM files").fetchone()
        self._file.finish()
        return np.array(found, dtype=np.int64).reshape(-1), int(files)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class VectorFiles:
    """Write the vectors of a new generation, in float32 and quantized to int8."""

    def __init__(self, folder: Path) -> None:
        """Create the files of vectors and codes in `folder`."""
        self._folder = folder
        self._scales: list[Float32s] = []
        self._rests: list[Float32s] = []
        with contextlib.ExitStack() as files:
            self._vectors = files.enter_context(open(folder / VECTORS, "wb", opener=private))
            self._codes = files.enter_context(open(folder / CODES, "wb", opener=private))
            self._files = files.pop_all()

    def add(self, vectors: CodedVectors) -> None:
        """Append vectors to the files."""
        self._vectors.write(vectors.rows.astype("<f4").tobytes())
        self._codes.write(vectors.codes.tobytes())
        self._scales.append(vectors.scale)
        self._rests.append(vectors.rest)

    def finish(self) -> None:
        """Close the files, and write the scales and rests of all vectors."""
        self.close()
        for name, parts in (("scale", self._scales), ("rest", self._rests)):
            _save(self._folder / f"{name}.npy", np.concatenate([_NO_FLOATS, *parts]).astype("<f4"))

    def close(self) -> None:
        """Close the files."""
        self._files.close()


def save_arrays(folder: Path, postings: Postings, ids: Int64s) -> None:
    """Write the arrays of a shard beside its vectors."""
    arrays = {name: getattr(postings, name).astype(kind) for name, kind in _ARRAYS.items()}
    for name, array in (arrays | {"ids": ids.astype("<i8")}).items():
        _save(folder / f"{name}.npy", array)


def save_order(folder: Path, order: Int32s) -> None:
    """Write the order of all chunks into the newest generation."""
    _save(folder / ORDER, order.astype("<i4"))


def _save(path: Path, array: npt.NDArray[Any]) -> None:
    with open(path, "wb", opener=private) as file:
        np.save(file, array, allow_pickle=False)


def open_order(place: Path, header: Header) -> Int32s:
    """Map the order of all chunks. Raises StoreError where it is missing or damaged."""
    path = place / header.newest / ORDER
    try:
        order: Int32s = map_array(path, "<i4")
        if len(order) != header.chunks:
            raise ValueError(f"it has {len(order)} chunks, not {header.chunks}")
    except (OSError, ValueError) as error:
        raise _unusable(path, error) from error
    return order


def _unusable(path: Path, error: object) -> StoreError:
    return StoreError(f"{path} is damaged or was removed: {error}; index the folder again")


class Generation:
    """Read a whole generation of a shard. Thread-safe.

    Attributes:
        folder: where it is.
        vectors: mapped.
        postings: mapped.
        ids: int64[n], ascending: ids of the chunks of the rows.
    """

    def __init__(self, place: Path, shard: Shard, dimensions: int) -> None:
        """Open it. Raises StoreError where a file is missing or damaged."""
        self.folder = folder = place / shard.generation
        try:
            self.vectors = _vectors(folder, shard.chunks, dimensions)
            arrays = {name: map_array(folder / f"{name}.npy", kind) for name, kind in _ARRAYS.items()}
            self.ids: Int64s = map_array(folder / "ids.npy", "<i8")
            self.postings = Postings(**arrays)
            _check(self.postings, self.ids, shard.chunks)
            self._database = Database(folder / CHUNKS, _TABLES, immutable=True)
            with self._database.reading() as connection:
                connection.execute("SELECT path FROM files LIMIT 1").fetchone()
        except (OSError, ValueError, EOFError, StoreError) as error:
            raise _unusable(folder, error) from error

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

    def by_file(self) -> tuple[list[tuple[str, int]], Int64s]:
        """Return the files that have chunks, sorted by path, how many each has; and the rows in that order.

        Raises StoreError where these are not the chunks of the arrays.
        """
        with self._database.reading() as connection:
            files = connection.execute(
                "SELECT path, count(*) FROM chunks GROUP BY path ORDER BY path"
            ).fetchall()
            found = connection.execute("SELECT id FROM chunks ORDER BY path, number").fetchall()
            ids = np.array(found, dtype=np.int64).reshape(-1)
            if (
                not np.array_equal(np.sort(ids), self.ids)
                or sum(count for _, count in files) != len(ids)
                or not all(isinstance(path, str) for path, _ in files)
            ):
                raise DamageError("chunks are missing")
        return files, np.searchsorted(self.ids, ids)

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

    def ids_at(self, places: Sequence[tuple[str, int]]) -> list[int | None]:
        """Look up the ids of chunks by file and number, None where there is none; nothing else is read."""
        found: dict[tuple[str, int], int] = {}
        with self._database.reading() as connection:
            for start in range(0, len(places), _AT_ONCE // 2):  # two values each
                some = places[start : start + _AT_ONCE // 2]
                marks = ",".join(["(?, ?)"] * len(some))
                query = (  # "CROSS": each place is looked up; the planner would read all chunks
                    f"WITH asked(file, place) AS (VALUES {marks}) SELECT path, number, id "
                    "FROM asked CROSS JOIN chunks ON path = file AND number = place"
                )
                for path, number, one in connection.execute(
                    query, [part for place in some for part in place]
                ):
                    found[path, number] = one
        return [found.get(place) for place in places]

    def close(self) -> None:
        """Close its files."""
        self._database.close()


def _digest(row: ChunkRow) -> bytes:
    """Return 16 bytes of a digest of a chunk's fields, which are checked when it is read."""
    return hashlib.blake2b(json.dumps(row).encode(), digest_size=16).digest()


def _checked_row(row: tuple[Any, ...]) -> ChunkRow:
    try:
        sound = _digest(row[:-1]) == row[-1]
    except (TypeError, ValueError):  # damage may turn a text into bytes
        sound = False
    if not sound:
        raise DamageError(f"chunk {row[0]} is not what was written")
    return row[:-1]


def _vectors(folder: Path, rows: int, columns: int) -> CodedVectors:
    values = _table(folder / VECTORS, "<f4", rows, columns)
    codes = _table(folder / CODES, "i1", rows, columns)
    scale, rest = (map_array(folder / f"{name}.npy", "<f4") for name in ("scale", "rest"))
    if len(scale) != rows or len(rest) != rows:
        raise ValueError("its codes do not belong together")
    return CodedVectors(values, codes, scale, rest)


def _table(path: Path, kind: str, rows: int, columns: int) -> npt.NDArray[Any]:
    values: npt.NDArray[Any] = np.frombuffer(map_bytes(path), dtype=kind)
    if values.size != rows * columns:
        raise ValueError(f"{path.name} has {values.size} numbers, not {rows} x {columns}")
    return values.reshape(rows, columns)


def _check(postings: Postings, ids: Int64s, chunks: int) -> None:
    many = len(postings.rows)
    if (
        len(ids) != chunks
        or len(postings.sizes) != chunks
        or len(postings.counts) != many
        or len(postings.first) != len(postings.terms) + 1
        or int(postings.first[-1]) != many
    ):
        raise ValueError("its arrays do not belong together")


Item = TypeVar("Item")


def shard_of(path: str, shards: int) -> int:
    """Which of so many shards a file is in: its path decides, so a change of it changes one shard."""
    digest = hashlib.blake2b(path.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % shards


def order_of(shards: Sequence[Generation]) -> Int32s:
    """The place of each row by file and number, int32[n], over all shards. O(chunks + files log files)."""
    read = [shard.by_file() for shard in shards]
    files = sorted((path, number, count) for number, (found, _) in enumerate(read) for path, count in found)
    owners = np.array([number for _, number, _ in files], dtype=np.int64)
    counts = np.array([count for _, _, count in files], dtype=np.int64)
    firsts = np.cumsum(counts) - counts
    order = np.empty(int(counts.sum()), dtype=np.int32)
    start = 0
    for number, (_, rows) in enumerate(read):
        mine = counts[owners == number]
        moved = firsts[owners == number] - (np.cumsum(mine) - mine)  # from the place within the shard
        order[start + rows] = np.arange(len(rows)) + np.repeat(moved, mine)
        start += len(rows)
    return order


class Snapshot:
    """One state of an index. Thread-safe.

    Attributes:
        header: what the header says of it.
        shards: in the order of the header.
        order: int32[n], the place of each row by file and number: ties go to the first.
    """

    def __init__(self, place: Path, header: Header) -> None:
        """Open it. Raises StoreError where a file is missing or damaged."""
        for path in find_damage(place, header, _SMALL):
            raise _unusable(path, "it is not what was written")
        self.header = header
        self.shards = [Generation(place, shard, header.dimensions) for shard in header.shards]
        self.order = open_order(place, header)
        sizes = [shard.chunks for shard in header.shards]
        self._starts: Int64s = np.cumsum(sizes, dtype=np.int64) - sizes

    def files(self) -> list[str]:
        """Return the paths of all files, sorted."""
        return sorted(path for shard in self.shards for path in shard.files())

    def chunks(self, rows: Int64s) -> list[ChunkRow]:
        """Return the chunks of some rows, in their order. Raises StoreError where one is missing."""
        owners = self._owners(rows)
        local = rows - self._starts[owners]

        def read(number: int, some: list[int]) -> Sequence[ChunkRow]:
            shard = self.shards[number]
            return shard.chunks(shard.ids[local[some]].tolist())

        return _gather(owners.tolist(), read)

    def vectors(self, rows: Int64s) -> Float32s:
        """Return the vectors of some rows, float32[len(rows), d]."""
        owners = self._owners(rows)
        found = np.empty((len(rows), self.header.dimensions), dtype=np.float32)
        for number in np.unique(owners).tolist():
            mine = owners == number
            found[mine] = self.shards[number].vectors.rows[rows[mine] - self._starts[number]]
        return found

    def find(self, places: Sequence[tuple[str, int]]) -> list[ChunkRow | None]:
        """Return chunks by their files and their numbers there; None for each that there is not."""

        def read(number: int, some: list[int]) -> Sequence[ChunkRow | None]:
            return self.shards[number].find([places[one] for one in some])

        return _gather(self._owners_of(places), read)

    def rows_at(self, places: Sequence[tuple[str, int]]) -> list[int | None]:
        """As `find`, the rows alone: nothing else of the chunks is read."""

        def read(number: int, some: list[int]) -> Sequence[int | None]:
            shard, start = self.shards[number], int(self._starts[number])
            ids = shard.ids_at([places[one] for one in some])
            return [None if one is None else start + int(np.searchsorted(shard.ids, one)) for one in ids]

        return _gather(self._owners_of(places), read)

    def _owners(self, rows: Int64s) -> Int64s:
        # "right": where shards are empty, several start at one row, and the last of them has it
        return np.searchsorted(self._starts, rows, side="right") - 1

    def _owners_of(self, places: Sequence[tuple[str, int]]) -> list[int]:
        return [shard_of(path, len(self.shards)) for path, _ in places]


def _gather(owners: Sequence[int], read: Callable[[int, list[int]], Sequence[Item]]) -> list[Item]:
    """Read items from the shards that own them, each asked once with their positions; return all in order."""
    found: dict[int, Item] = {}
    for number in sorted(set(owners)):
        some = [position for position, owner in enumerate(owners) if owner == number]
        found.update(zip(some, read(number, some), strict=True))
    return [found[position] for position in range(len(owners))]
