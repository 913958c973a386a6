"""Build, open and search the index of a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from tersely.core import checks
from tersely.core.errors import StoreError
from tersely.core.tables import Float32s
from tersely.providers.embedders import CheckedEmbedder, resolve_embedder
from tersely.search.chunks import ChunkResult
from tersely.search.index.building import LARGEST_FILE, BuildReport, build
from tersely.search.index.ranking import best_cosines, best_rows, fuse, normalize_scores
from tersely.search.index.storage import DEFAULT_FOLDER, HEADER, ChunkRow, Generation, locate, read_header

__all__ = ["Index", "SearchMethod"]

SearchMethod = Literal["hybrid", "lexical", "vector"]
Result = TypeVar("Result")

_FEWEST_CANDIDATES = 200  # of each ranking that are fused: up to 100 results begin with the same ones
_WEIGHTS = {"hybrid": (1.0, 0.7), "lexical": (1.0, 0.0), "vector": (0.0, 1.0)}  # of terms, of vectors
_TRIES = 20  # to open a generation: a writer may have replaced the one that the header named


class Index:
    """A folder's files in chunks, found by their words and by their vectors. A `tersely.retrieval.Retriever`.

    Thread-safe. It sees what writers commit from the next call on; a search sees one state of the index.

    Attributes:
        folder: where the index is.
        report: what `build` did; None for an index that was opened.
    """

    def __init__(self, folder: Path, embedder: CheckedEmbedder, report: BuildReport | None = None) -> None:
        """Make an index object; callers use `Index.open` or `Index.build`."""
        self.folder, self.report = folder, report
        self._embedder = embedder
        self._opened: tuple[tuple[int, ...], Generation] | None = None

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
        place = source / DEFAULT_FOLDER if index_folder is None else Path(index_folder)
        checked = resolve_embedder(embedder)
        report = build(source, place, checked, largest_file, progress)
        return cls(place, checked, report)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, embedder: Any = None) -> Index:
        """Open an index: its own folder, or the folder that was indexed.

        Raises:
            StoreError: there is none, it is damaged, or it has another format.
            ValueError: it was made with another embedder.
        """
        index = cls(locate(folder), resolve_embedder(embedder))
        made_with = index._generation().header.embedder
        if made_with != index._embedder.name:
            raise ValueError(
                f"{index.folder} was made with the embedder {made_with!r}, not {index._embedder.name!r}: "
                "pass embedder="
            )
        return index

    def search(self, query: str, top_n: int = 5, *, method: SearchMethod = "hybrid") -> list[ChunkResult]:
        """Find the best chunks for a query, best first.

        By BM25 over the terms of chunks and the cosine of their vectors, fused by rank ("hybrid"), or by one
        alone. Scores are relative: the best is 1.0; ties go by file and place. A chunk with no term of the
        query and no similarity is never given.

        Args:
            query: any text; nothing in it is syntax.
            top_n: at most so many, from 1.
            method: "hybrid", "lexical" or "vector".

        O(chunks * dimensions); about 5 ms for 100,000 chunks.
        """
        if not isinstance(query, str):
            raise TypeError(f"query must be str, not {type(query).__name__}")
        top_n = checks.whole_number(top_n, "top_n", least=1)
        checks.one_of(method, "method", _WEIGHTS)
        text = query.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate is no text
        vector = self._embedder.embed([text])[0] if method != "lexical" else None
        return self._using(lambda generation: _search(generation, text, vector, top_n, _WEIGHTS[method]))

    def chunk(self, chunk_id: str) -> ChunkResult:
        """Return the chunk of an id, its score 1.0. Raises KeyError where there is none."""
        return _result(self._using(lambda generation: _find(generation, [chunk_id])[0]), 1.0)

    def span(self, chunk_id: str) -> tuple[str, int, int]:
        """Return (path, start, end): where a chunk stands, in characters of its file without byte order mark.

        Raises KeyError where there is none.
        """
        _, path, _, start, end, _, _ = self._using(lambda generation: _find(generation, [chunk_id])[0])
        return path, start, end

    def vectors(self, chunk_ids: Sequence[str]) -> Float32s:
        """Return the vectors of chunks, float32[n, d], of length one. Raises KeyError for an unknown id."""

        def read(generation: Generation) -> Float32s:
            ids = np.array([row[0] for row in _find(generation, chunk_ids)], dtype=np.int64)
            return np.array(generation.vectors[np.searchsorted(generation.ids, ids)])

        return self._using(read)

    def files(self) -> list[str]:
        """Return the paths of the indexed files, relative to the folder, sorted."""
        return sorted(self._using(lambda generation: generation.files()))

    def __len__(self) -> int:
        """Number of chunks."""
        return self._generation().header.chunks

    def __repr__(self) -> str:
        """Where it is, and how much is in it."""
        header = self._generation().header
        return f"Index({str(self.folder)!r}: {header.chunks} chunks of {header.files} files)"

    def close(self) -> None:
        """Close its files; the next call opens them again."""
        self._opened = None  # whoever still reads does so to the end

    def _using(self, work: Callable[[Generation], Result]) -> Result:
        for _ in range(_TRIES):
            generation = self._generation()
            try:
                return work(generation)
            except IndexError as error:
                raise StoreError(f"{self.folder} is damaged: {error}; index the folder again") from error
            except StoreError:
                if self._generation() is generation:
                    raise
        raise StoreError(f"{self.folder} is written again and again; try again later")

    def _generation(self) -> Generation:
        """Open the generation that the header names now, without a lock: two threads may open it twice."""
        for attempt in range(_TRIES):
            try:
                state = (self.folder / HEADER).stat()
            except OSError as error:
                raise StoreError(f"{self.folder} holds no index any more: {error.strerror}") from error
            mark = (state.st_mtime_ns, state.st_ino, state.st_size)
            opened = self._opened
            if opened is not None and opened[0] == mark:
                return opened[1]
            try:
                generation = Generation(self.folder, read_header(self.folder))
            except StoreError:
                if attempt + 1 == _TRIES:
                    raise
            else:
                self._opened = mark, generation
                return generation
        raise AssertionError("unreachable")


def _search(
    generation: Generation, query: str, vector: Float32s | None, top_n: int, weights: tuple[float, float]
) -> list[ChunkResult]:
    candidates = max(_FEWEST_CANDIDATES, 2 * top_n)
    rankings, used = [], []
    if weights[0]:
        rankings.append(best_rows(generation.postings.score(query), candidates, generation.order))
        used.append(weights[0])
    if vector is not None and generation.header.chunks:
        if len(vector) != generation.header.dimensions:
            raise ValueError(
                f"the embedder gives {len(vector)} dimensions; the index has {generation.header.dimensions}"
            )
        rankings.append(best_cosines(generation.vectors, vector, candidates, generation.order))
        used.append(weights[1])
    rows, scores = fuse(rankings, used, generation.order)
    rows, scores = rows[:top_n], scores[:top_n]
    found = generation.chunks(generation.ids[rows].tolist())
    return [_result(row, score) for row, score in zip(found, normalize_scores(scores).tolist(), strict=True)]


def _find(generation: Generation, chunk_ids: Sequence[str]) -> list[ChunkRow]:
    """The chunks of ids. Raises KeyError for an unknown one."""
    places = []
    for chunk_id in chunk_ids:
        path, _, number = chunk_id.rpartition("#")
        digits = number.isascii() and number.isdigit() and len(number) < 10
        places.append((path, int(number) if digits else -1))
    rows = [row for row in generation.find(places) if row is not None]
    if len(rows) < len(places):
        known = {f"{row[1]}#{row[2]}" for row in rows}
        raise KeyError(next((given for given in chunk_ids if given not in known), chunk_ids[0]))
    return rows


def _result(row: ChunkRow, score: float) -> ChunkResult:
    _, path, number, _, _, header_path, content = row
    return ChunkResult(
        chunk_id=f"{path}#{number}",
        doc_id=path,
        score=score,
        header_path=header_path,
        file_path=path,
        content=content,
    )
