"""Build, open and search the index of a folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from tersely import checks
from tersely.errors import StoreError
from tersely.models.embedders import CheckedEmbedder, resolve_embedder
from tersely.retrieval.chunks import ChunkResult, PlacedResult
from tersely.retrieval.index.ranking import (
    best_cosines,
    best_rows,
    fuse,
    normalize_scores,
    score_words,
)
from tersely.retrieval.index.storage import (
    DEFAULT_FOLDER,
    FILE,
    LARGEST_FILE,
    TABLES,
    BuildReport,
    ChunkRow,
    State,
    build,
    find_damage,
    find_id,
    is_damage,
    locate,
    read_chunks,
    read_state,
    state_says,
)
from tersely.sqlite import DamageError, Database
from tersely.text import well_formed
from tersely.types import Float32s

if TYPE_CHECKING:
    from sqlite3 import Connection

SearchMethod = Literal["hybrid", "lexical", "vector"]
Result = TypeVar("Result")

_FEWEST_CANDIDATES = 200  # of each ranking that are fused: up to 100 results begin with the same ones
_WEIGHTS = {"hybrid": (1.0, 0.7), "lexical": (1.0, 0.0), "vector": (0.0, 1.0)}  # of terms, of vectors
_TRIES = 20  # to map the vectors of a state: a writer may have replaced them meanwhile


class Index:
    """An index of a folder: its files in chunks, searched by words and by vectors. It is a `Retriever`.

    Thread-safe. It sees what writers commit from the next call on; a search sees one state of the index.

    Attributes:
        folder: where the index is.
        report: what `build` did; None for an index that was opened.
    """

    def __init__(self, folder: Path, embedder: CheckedEmbedder, report: BuildReport | None = None) -> None:
        """Make an index object; callers use `Index.open` or `Index.build`."""
        self.folder, self.report = folder, report
        self._embedder = embedder
        self._opened: tuple[int, Database] | None = None
        self._state: State | None = None

    @classmethod
    def build(
        cls,
        folder: str | os.PathLike[str],
        index_folder: str | os.PathLike[str] | None = None,
        *,
        embedder: Any = None,
        largest_file: int = LARGEST_FILE,
        progress: Callable[[int, int], object] | None = None,
    ) -> Index:
        """Index a folder, or update its index.

        Markdown, text, HTML, reStructuredText and source code are read, by their suffixes (files.py); hidden
        files, symbolic links, binary and too large files are not (`report.notes` lists them). Files
        whose content did not change are not read again. If the process is killed, either the old index or the
        new one is there.

        Args:
            folder: the folder of the files.
            index_folder: the folder of the index, created if missing; None: ".tersely" in `folder`.
            embedder: what `resolve_embedder` takes; None: the built-in one. If the index was built with
                another one, it is built anew.
            largest_file: bytes; larger ones are left out.
            progress: called with the number of files done and of all.

        Raises:
            ValueError: `folder` is not a folder.
            StoreError: another process writes to the index, its folder holds other things, or Python's SQLite
                has no FTS5.
        """
        source = Path(folder)
        if not source.is_dir():
            raise ValueError(f"{source} is not a folder")
        largest_file = checks.whole_number(largest_file, "largest_file", least=1)
        place = source / DEFAULT_FOLDER if index_folder is None else Path(index_folder)
        checked = resolve_embedder(embedder)
        report = build(source, place, checked, largest_file, progress)
        return cls(place, checked, report)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, embedder: Any = None) -> Index:
        """Open an index, given its folder or the folder that was indexed.

        Raises:
            StoreError: there is none, it is damaged, or it has another format.
            ValueError: it was made with another embedder.
        """
        index = cls(locate(folder), resolve_embedder(embedder))
        made_with = index._using(lambda _, now: (now.vectors, now.made.embedder)[1])  # both are there
        if made_with != index._embedder.name:
            raise ValueError(
                f"{index.folder} was made with the embedder {made_with!r}, not {index._embedder.name!r}: "
                "pass embedder="
            )
        return index

    @staticmethod
    def check(folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Read the whole index and return its damaged or missing files; `Index.build` repairs them.

        O(bytes). Raises StoreError if there is no index.
        """
        place = locate(folder)
        for _ in range(_TRIES):
            try:
                with contextlib.closing(Database(place / FILE, TABLES, read_only=True)) as database:
                    before = _says(database)
                    found = find_damage(place, database)
                    if not found or before == _says(database):  # else a writer removed what it replaced
                        break
            except StoreError as error:
                if not is_damage(error):
                    raise
                return (place / FILE,)
        return tuple(found)

    def search(self, query: str, top_n: int = 5, *, method: SearchMethod = "hybrid") -> list[ChunkResult]:
        """Find the best chunks for a query, best first.

        By BM25 over the terms of chunks and the cosine of their vectors, fused by rank ("hybrid"), or by one
        alone. Scores are relative: the best is 1.0; ties go by file and place. A chunk with no term of the
        query and no similarity is never given.

        Args:
            query: any text; nothing in it is syntax.
            top_n: at most so many, from 1.
            method: "hybrid", "lexical" or "vector".

        O(chunks * dimensions + chunks that hold a word of the query).
        """
        if not isinstance(query, str):
            raise TypeError(f"query must be str, not {type(query).__name__}")
        top_n = checks.whole_number(top_n, "top_n", least=1)
        checks.one_of(method, "method", _WEIGHTS)
        text = well_formed(query)
        vector = self._embedder.embed([text])[0] if method != "lexical" else None
        weights = _WEIGHTS[method]
        return self._using(lambda connection, now: _search(connection, now, text, vector, top_n, weights))

    def chunk(self, chunk_id: str) -> ChunkResult:
        """Return the chunk with an id, with score 1.0. Raises KeyError if there is none."""
        return _result(self._chunk(chunk_id), 1.0)

    def span(self, chunk_id: str) -> tuple[str, int, int]:
        """Return (path, start, end) of a chunk, in characters of its file without the byte order mark.

        Raises KeyError if there is none.
        """
        _, path, _, start, end, *_ = self._chunk(chunk_id)
        return path, start, end

    def vectors(self, chunk_ids: Sequence[str]) -> Float32s:
        """Return the vectors of chunks, float32[n, d], of length one. Raises KeyError for an unknown id."""

        def read(connection: Connection, now: State) -> Float32s:
            return np.array(now.vectors[now.rows[_ids(connection, chunk_ids)]])

        return self._using(read)

    def files(self) -> list[str]:
        """Return the paths of the indexed files, relative to the folder, sorted."""
        query = "SELECT path FROM files ORDER BY path"
        return self._using(lambda connection, _: [str(path) for (path,) in connection.execute(query)])

    def __len__(self) -> int:
        return self._using(lambda _, now: len(now.ids))

    def __repr__(self) -> str:
        made = self._using(lambda _, now: now.made)
        return f"Index({str(self.folder)!r}: {len(self)} chunks of {made.files} files)"

    def close(self) -> None:
        """Close the files; the next call opens them again."""
        self._opened = self._state = None  # whoever still reads does so to the end

    def _chunk(self, chunk_id: str) -> ChunkRow:
        return self._using(lambda connection, _: read_chunks(connection, _ids(connection, [chunk_id]))[0])

    def _using(self, work: Callable[[Connection, State], Result]) -> Result:
        """Do something with one state of the index: the newest one."""
        for _ in range(_TRIES):
            database = self._database()
            before = None
            try:
                with database.reading() as connection:
                    before = state_says(connection)
                    return work(connection, self._read(connection, before))
            except StoreError:
                if before is None or before == _says(database):  # else a writer removed what it replaced
                    raise
        raise StoreError(f"{self.folder} is written again and again; try again later")

    def _database(self) -> Database:
        """The open file; one that a writer replaced, since it was damaged, is opened anew."""
        try:
            mark = (self.folder / FILE).stat().st_ino
        except OSError as error:
            raise StoreError(f"{self.folder} holds no index any more: {error.strerror}") from error
        opened = self._opened
        if opened is None or opened[0] != mark:
            opened = self._opened = mark, Database(self.folder / FILE, TABLES, read_only=True)
        return opened[1]

    def _read(self, connection: Connection, says: str) -> State:
        state = self._state
        if state is None or state.says != says:
            state = self._state = read_state(connection, self.folder)
            if state is None:
                raise DamageError("its first build did not end")
        return state


def _says(database: Database) -> str:
    with database.reading() as connection:
        return state_says(connection)


def _search(
    connection: Connection,
    now: State,
    query: str,
    vector: Float32s | None,
    top_n: int,
    weights: tuple[float, float],
) -> list[ChunkResult]:
    candidates = max(_FEWEST_CANDIDATES, 2 * top_n)
    rankings, used = [], []
    if weights[0]:
        try:
            scores = score_words(connection, query, now.rows, now.sizes)
        except IndexError as error:
            raise DamageError("its words are not those of its chunks") from error
        rankings.append(best_rows(scores, candidates))
        used.append(weights[0])
    if vector is not None and len(now.vectors):
        if len(vector) != now.vectors.shape[1]:
            raise ValueError(
                f"the embedder gives {len(vector)} dimensions; the index has {now.vectors.shape[1]}"
            )
        rankings.append(best_cosines(now.vectors, vector, candidates))
        used.append(weights[1])
    rows, fused = fuse(rankings, used)
    found = read_chunks(connection, now.ids[rows[:top_n]].tolist())
    scores = normalize_scores(fused[:top_n]).tolist()
    return [_result(row, score) for row, score in zip(found, scores, strict=True)]


def _ids(connection: Connection, chunk_ids: Sequence[str]) -> list[int]:
    """Look up chunks by the ids that results have. Raises KeyError for an unknown one."""
    found = []
    for chunk_id in chunk_ids:
        path, _, number = chunk_id.rpartition("#")
        digits = number.isascii() and number.isdigit() and len(number) < 10
        one = find_id(connection, path, int(number)) if digits else None
        if one is None:
            raise KeyError(chunk_id)
        found.append(one)
    return found


def _result(row: ChunkRow, score: float) -> PlacedResult:
    _, path, number, _, _, header_path, content, gap = row
    return PlacedResult(
        chunk_id=f"{path}#{number}",
        doc_id=path,
        score=score,
        header_path=header_path,
        file_path=path,
        content=content,
        gap=gap,
    )
