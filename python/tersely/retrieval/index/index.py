"""Build, open and search the index of a folder."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from tersely import checks
from tersely.errors import StoreError
from tersely.models.embedders import CheckedEmbedder, resolve_embedder
from tersely.retrieval.chunks import ChunkResult, PlacedResult
from tersely.retrieval.index.building import LARGEST_FILE, MOST_SHARDS, BuildReport, build
from tersely.retrieval.index.ranking import (
    best_cosines,
    best_rows,
    fuse,
    hold_any,
    normalize_scores,
    score_words,
)
from tersely.retrieval.index.storage import (
    DEFAULT_FOLDER,
    HEADER,
    ChunkRow,
    Snapshot,
    find_damage,
    locate,
    read_header,
)
from tersely.text import well_formed
from tersely.types import Float32s

SearchMethod = Literal["hybrid", "lexical", "vector"]
Result = TypeVar("Result")

_FEWEST_CANDIDATES = 200  # of each ranking that are fused: up to 100 results begin with the same ones
_WEIGHTS = {"hybrid": (1.0, 0.7), "lexical": (1.0, 0.0), "vector": (0.0, 1.0)}  # of terms, of vectors
_TRIES = 20  # to open what the header names: a writer may have replaced it meanwhile


class Index:
    """A folder's files in chunks, found by their words and by their vectors. It is a `Retriever`.

    Thread-safe. It sees what writers commit from the next call on; a search sees one state of the index.

    Attributes:
        folder: where the index is.
        report: what `build` did; None for an index that was opened.
    """

    def __init__(self, folder: Path, embedder: CheckedEmbedder, report: BuildReport | None = None) -> None:
        """Make an index object; callers use `Index.open` or `Index.build`."""
        self.folder, self.report = folder, report
        self._embedder = embedder
        self._opened: tuple[tuple[int, ...], Snapshot] | None = None
        self._opening = os.getpid(), threading.Lock()

    @classmethod
    def build(
        cls,
        folder: str | os.PathLike[str],
        index_folder: str | os.PathLike[str] | None = None,
        *,
        embedder: Any = None,
        largest_file: int = LARGEST_FILE,
        shards: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Index:
        """Index a folder, or bring its index up to date.

        Markdown, text, HTML, reStructuredText and source code are read (by their suffixes: files.KINDS);
        hidden files, symbolic links, binary and too large files are not (`report.notes` says which). Files
        whose content is the same as before are left as they are. Killed at any moment, it leaves the old
        index or the new one.

        Args:
            folder: whose files are read.
            index_folder: where the index goes, made if missing; None: ".tersely" in the folder.
            embedder: what `resolve_embedder` takes; None: the one that comes with tersely. Another one than
                the index was made with makes it anew.
            largest_file: bytes; larger ones are left out.
            shards: the files are divided into so many parts, up to 32, by their paths: only parts in which
                a file changed are written again, and only one is in memory. Results are the same, and their
                scores have the same bits. None: as many as the index has, one for a new index.
            progress: called with the number of files done and of all.

        Raises:
            ValueError: `folder` is not a folder.
            StoreError: another process writes to the index, it has another format, or its folder holds
                other things.
        """
        source = Path(folder)
        if not source.is_dir():
            raise ValueError(f"{source} is not a folder")
        largest_file = checks.whole_number(largest_file, "largest_file", least=1)
        if shards is not None:
            shards = checks.whole_number(shards, "shards", least=1, most=MOST_SHARDS)
        place = source / DEFAULT_FOLDER if index_folder is None else Path(index_folder)
        checked = resolve_embedder(embedder)
        report = build(source, place, checked, largest_file, shards, progress)
        return cls(place, checked, report)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, embedder: Any = None) -> Index:
        """Open an index: its own folder, or the folder that was indexed.

        Raises:
            StoreError: there is none, it is damaged, or it has another format.
            ValueError: it was made with another embedder.
        """
        index = cls(locate(folder), resolve_embedder(embedder))
        made_with = index._snapshot().header.embedder
        if made_with != index._embedder.name:
            raise ValueError(
                f"{index.folder} was made with the embedder {made_with!r}, not {index._embedder.name!r}: "
                "pass embedder="
            )
        return index

    @staticmethod
    def check(folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Read all of an index and return its files that are damaged or gone; `Index.build` mends them.

        Opening compares files of up to 1 MiB and those written to after the header with their digests, this
        all of them, so it finds what a disk lost, too: O(bytes), 1 GB a second or more where they are in
        memory. Raises StoreError where there is no index or its header is damaged.
        """
        place = locate(folder)
        header = read_header(place)
        while found := tuple(find_damage(place, header)):
            before, header = header, read_header(place)
            if header == before:  # else a writer removed what it replaced
                break
        return found

    def search(self, query: str, top_n: int = 5, *, method: SearchMethod = "hybrid") -> list[ChunkResult]:
        """Find the best chunks for a query, best first.

        By BM25 over the terms of chunks and the cosine of their vectors, fused by rank ("hybrid"), or by one
        alone. Scores are relative: the best is 1.0; ties go by file and place. A chunk with no term of the
        query and no similarity is never given.

        Args:
            query: any text; nothing in it is syntax.
            top_n: at most so many, from 1.
            method: "hybrid", "lexical" or "vector".

        O(chunks * dimensions).
        """
        if not isinstance(query, str):
            raise TypeError(f"query must be str, not {type(query).__name__}")
        top_n = checks.whole_number(top_n, "top_n", least=1)
        checks.one_of(method, "method", _WEIGHTS)
        text = well_formed(query)
        vector = self._embedder.embed([text])[0] if method != "lexical" else None
        return self._using(lambda state: _search(state, text, vector, top_n, _WEIGHTS[method]))

    def has_words_of(self, query: str) -> bool:
        """Say whether any chunk holds a word of a query: where none does, vectors alone rank. O(words)."""
        return self._using(lambda state: hold_any([shard.postings for shard in state.shards], query))

    def chunk(self, chunk_id: str) -> ChunkResult:
        """Return the chunk of an id, its score 1.0. Raises KeyError where there is none."""
        return _result(self._using(lambda state: _looked_up(state.find, [chunk_id])[0]), 1.0)

    def span(self, chunk_id: str) -> tuple[str, int, int]:
        """Return (path, start, end) of a chunk, in characters of its file without byte order mark.

        Raises KeyError where there is none.
        """
        _, path, _, start, end, *_ = self._using(lambda state: _looked_up(state.find, [chunk_id])[0])
        return path, start, end

    def vectors(self, chunk_ids: Sequence[str]) -> Float32s:
        """Return the vectors of chunks, float32[n, d], of length one. Raises KeyError for an unknown id."""

        def read(state: Snapshot) -> Float32s:
            return state.vectors(np.array(_looked_up(state.rows_at, chunk_ids), dtype=np.int64))

        return self._using(read)

    def files(self) -> list[str]:
        """Return the paths of the indexed files, relative to the folder, sorted."""
        return self._using(lambda state: state.files())

    def __len__(self) -> int:
        return self._snapshot().header.chunks

    def __repr__(self) -> str:
        header = self._snapshot().header
        return f"Index({str(self.folder)!r}: {header.chunks} chunks of {header.files} files)"

    def close(self) -> None:
        """Close its files; the next call opens them again."""
        self._opened = None  # whoever still reads does so to the end

    def _using(self, work: Callable[[Snapshot], Result]) -> Result:
        for _ in range(_TRIES):
            state = self._snapshot()
            try:
                return work(state)
            except IndexError as error:
                raise StoreError(f"{self.folder} is damaged: {error}; index the folder again") from error
            except StoreError:
                if self._snapshot() is state:
                    raise
        raise StoreError(f"{self.folder} is written again and again; try again later")

    def _snapshot(self) -> Snapshot:
        """Open what the header names now: one thread does, the others wait, as shards are many open files."""
        for _ in range(_TRIES):
            mark = self._mark()
            opened = self._opened
            if opened is not None and opened[0] == mark:
                return opened[1]
            with self._lock():
                if self._opened is not opened:
                    continue
                try:
                    state = Snapshot(self.folder, read_header(self.folder))
                except StoreError:
                    if self._mark() == mark:  # else a writer removed what it replaced
                        raise
                else:
                    self._opened = mark, state
                    return state
        raise StoreError(f"{self.folder} is written again and again; try again later")

    def _mark(self) -> tuple[int, ...]:
        """Return a value that changes when a writer replaces the header."""
        try:
            status = (self.folder / HEADER).stat()
        except OSError as error:
            raise StoreError(f"{self.folder} holds no index any more: {error.strerror}") from error
        return status.st_mtime_ns, status.st_ino, status.st_size

    def _lock(self) -> threading.Lock:
        """The lock of this process: in a forked child, whoever held that of its parent is gone."""
        if self._opening[0] != os.getpid():
            self._opening = os.getpid(), threading.Lock()
        return self._opening[1]


def _search(
    state: Snapshot, query: str, vector: Float32s | None, top_n: int, weights: tuple[float, float]
) -> list[ChunkResult]:
    candidates = max(_FEWEST_CANDIDATES, 2 * top_n)
    rankings, used = [], []
    if weights[0]:
        scores = score_words([shard.postings for shard in state.shards], query)
        rankings.append(best_rows(scores, candidates, state.order))
        used.append(weights[0])
    if vector is not None and state.header.chunks:
        if len(vector) != state.header.dimensions:
            raise ValueError(
                f"the embedder gives {len(vector)} dimensions; the index has {state.header.dimensions}"
            )
        vectors = [shard.vectors for shard in state.shards]
        rankings.append(best_cosines(vectors, vector, candidates, state.order))
        used.append(weights[1])
    rows, fused = fuse(rankings, used, state.order)
    found, fused = state.chunks(rows[:top_n]), fused[:top_n]
    return [_result(row, score) for row, score in zip(found, normalize_scores(fused).tolist(), strict=True)]


def _looked_up(
    find: Callable[[list[tuple[str, int]]], Sequence[Result | None]], chunk_ids: Sequence[str]
) -> list[Result]:
    """Look up chunks by their ids. Raises KeyError for an unknown one."""
    places = []
    for chunk_id in chunk_ids:
        path, _, number = chunk_id.rpartition("#")
        digits = number.isascii() and number.isdigit() and len(number) < 10
        places.append((path, int(number) if digits else -1))
    found = []
    for chunk_id, item in zip(chunk_ids, find(places), strict=True):
        if item is None:
            raise KeyError(chunk_id)
        found.append(item)
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
