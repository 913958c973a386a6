"""Bring the index of a folder up to date: what did not change is taken over from the old generation."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tersely import _native
from tersely.core.errors import StoreError
from tersely.core.files import private
from tersely.providers.embedders import CheckedEmbedder
from tersely.search.index.chunking import cut_chunks
from tersely.search.index.files import FileNote, SourceFile, decode, find_files, read_file
from tersely.search.index.ranking import PostingsBuilder
from tersely.search.index.storage import (
    VECTORS,
    ChunkTable,
    Generation,
    Header,
    save_arrays,
    write_header,
    writing,
)

__all__ = ["LARGEST_FILE", "BuildReport", "build"]

LARGEST_FILE = 16 * 2**20  # bytes
_READING = 1  # of this and the modules it imports: counts up when they cut or read differently
_AT_ONCE = 512  # texts that are embedded together
_COPIED = 8192  # rows


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did.

    Attributes:
        added, changed, removed, unchanged: numbers of files.
        files, chunks: what the index has now.
        anew: why nothing of an index that was there could be used: "damaged", "other_embedder",
            "other_reading" (by another version of tersely); None: it could be, or there was none.
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
    folder: Path,
    place: Path,
    embedder: CheckedEmbedder,
    largest_file: int,
    progress: Callable[[int, int], object] | None,
) -> BuildReport:
    """Bring the index in `place` up to date with a folder.

    Every file is read and compared by its content's hash; only what differs is cut, read and embedded again.
    O(bytes of the folder + size of the index). A few hundred chunks and their vectors are held at a time, and
    12 bytes a distinct term of a chunk.
    """
    started = time.perf_counter()
    with writing(place) as (header, fresh):
        reading = _reading()
        before, anew = _before(place, header, reading, embedder.name)
        try:
            plan = _compare(folder, place, before, largest_file, progress)
            plan.anew = anew
            if header is not None and before is not None and not plan.todo and not plan.removed:
                return plan.report(header, time.perf_counter() - started)
            made = _write(folder, fresh, embedder, before, plan, largest_file, progress)
        finally:
            if before is not None:
                before.close()
        new = Header(fresh.name, reading, embedder.name, *made)
        write_header(place, new)
    return plan.report(new, time.perf_counter() - started)


def _reading() -> str:
    """Identify how files are read: a number, and the terms of a few words."""
    words = _native.terms(["Running 3.14 snake_case camelCase Überprüfung 日本語 the"])[2]
    return f"{_READING}-{hashlib.blake2b(chr(0).join(words).encode(), digest_size=6).hexdigest()}"


def _before(
    place: Path, header: Header | None, reading: str, embedder: str
) -> tuple[Generation | None, str | None]:
    """Return the generation to go on from, or why there is none."""
    if header is None:
        return None, None
    if header.reading != reading:
        return None, "other_reading"
    if header.embedder != embedder:
        return None, "other_embedder"
    try:
        return Generation(place, header), None
    except StoreError:
        return None, "damaged"


class _Plan:
    """Which files to add, change and remove."""

    def __init__(self) -> None:
        self.todo: list[SourceFile] = []  # added and changed
        self.removed: list[str] = []  # gone, and changed
        self.unchanged = self.gone = self.changed = 0
        self.notes: dict[str, str] = {}
        self.anew: str | None = None

    def report(self, header: Header, seconds: float) -> BuildReport:
        return BuildReport(
            added=len(self.todo) - self.changed,
            changed=self.changed,
            removed=self.gone,
            unchanged=self.unchanged,
            files=header.files,
            chunks=header.chunks,
            anew=self.anew,
            notes=tuple(FileNote(path, reason) for path, reason in sorted(self.notes.items())),
            seconds=seconds,
        )


def _compare(
    folder: Path,
    place: Path,
    before: Generation | None,
    largest_file: int,
    progress: Callable[[int, int], object] | None,
) -> _Plan:
    plan, known = _Plan(), before.files() if before is not None else {}
    found = list(find_files(folder, without=place))
    here = set()
    for number, item in enumerate(found):
        if isinstance(item, FileNote):
            plan.notes[item.path] = item.reason
            continue
        if progress is not None:
            progress(number, len(found))
        data = read_file(folder, item.path, largest_file)
        if isinstance(data, FileNote):
            plan.notes[item.path] = data.reason
            continue
        if item.path not in known:
            plan.todo.append(item)
            continue
        here.add(item.path)
        digest, note = known[item.path]
        if digest == _digest(item, data):
            plan.unchanged += 1
            if note:
                plan.notes[item.path] = note
        else:
            plan.todo.append(item)
            plan.removed.append(item.path)
            plan.changed += 1
    gone = known.keys() - here
    plan.gone = len(gone)
    plan.removed.extend(sorted(gone))
    return plan


def _digest(item: SourceFile, data: bytes) -> bytes:
    return hashlib.blake2b(data, key=item.kind.encode(), digest_size=16).digest()


def _write(
    folder: Path,
    fresh: Path,
    embedder: CheckedEmbedder,
    before: Generation | None,
    plan: _Plan,
    largest_file: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[int, int, int]:
    """Write a generation; returns its dimensions, files and chunks."""
    table = ChunkTable(fresh, None if before is None else fresh.parent / before.header.generation)
    try:
        with open(fresh / VECTORS, "wb", opener=private) as vectors:
            postings, dimensions = PostingsBuilder(), 0
            if before is not None:
                kept = np.flatnonzero(~np.isin(before.ids, before.ids_of(plan.removed)))
                for start in range(0, len(kept), _COPIED):
                    vectors.write(before.vectors[kept[start : start + _COPIED]].tobytes())
                postings, dimensions = PostingsBuilder(before.postings, kept), before.header.dimensions
            table.remove(plan.removed)
            for texts in _batches(_new_texts(folder, table, plan, largest_file, progress)):
                postings.add(texts)
                rows = embedder.embed(texts)
                vectors.write(rows.astype("<f4").tobytes())
                dimensions = rows.shape[1]
        ids, order, files = table.finish()
    finally:
        table.close()
    save_arrays(fresh, postings.finish(), ids, order)
    return dimensions, files, len(ids)


def _new_texts(
    folder: Path,
    table: ChunkTable,
    plan: _Plan,
    largest_file: int,
    progress: Callable[[int, int], object] | None,
) -> Iterator[str]:
    """Put each new chunk into the table, and yield its text with its headings, in which is searched."""
    for number, item in enumerate(plan.todo):
        if progress is not None:
            progress(number, len(plan.todo))
        data = read_file(folder, item.path, largest_file)
        if isinstance(data, FileNote):
            plan.notes[item.path] = data.reason
            continue
        text, whole = decode(data)
        note = "" if whole else "not_utf8"
        if note:
            plan.notes[item.path] = note
        chunks = cut_chunks(text, item.kind)
        table.add_file(item.path, _digest(item, data), note)
        table.add_chunks(item.path, chunks)
        for chunk in chunks:
            yield f"{chunk.header_path}\n{chunk.content}"
    if progress is not None:
        progress(len(plan.todo), len(plan.todo))


def _batches(texts: Iterator[str]) -> Iterator[Sequence[str]]:
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
