"""Update the index of a folder; unchanged files are taken over from the old generation."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path

import numpy as np

from tersely import _native
from tersely.errors import StoreError
from tersely.models.embedders import CheckedEmbedder
from tersely.retrieval.index.chunking import cut_chunks
from tersely.retrieval.index.files import FileNote, SourceFile, decode, find_files, read_file
from tersely.retrieval.index.ranking import CodedVectors, PostingsBuilder
from tersely.retrieval.index.storage import (
    ChunkTable,
    Generation,
    Header,
    Shard,
    VectorFiles,
    Writer,
    find_damage,
    order_of,
    save_arrays,
    save_order,
    shard_of,
    writing,
)

LARGEST_FILE = 16 * 2**20  # bytes
MOST_SHARDS = 32  # each has 10 mapped arrays, which are open files, twice while a new state is opened
_READING = 1  # of this and the modules it imports: counts up when they cut or read differently
_AT_ONCE = 512  # texts that are embedded together
_COPIED = 8192  # rows


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The numbers of a build: files read, kept, removed, and notes.

    Attributes:
        added, changed, removed, unchanged: numbers of files.
        files, chunks: what the index has now.
        anew: why an index that was there could not be used: "other_embedder", "other_reading" and
            "other_format" (by another version of tersely), "other_shards" (another number of them), "damaged"
            (of several shards, those that are not could be); None: it could be, or there was none.
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
    shards: int | None,
    progress: Callable[[int, int], object] | None,
) -> BuildReport:
    """Bring the index in `place` up to date with a folder.

    Every file is read and compared by its content's hash; only what differs is cut, read and embedded again,
    and only its shards are written. O(bytes of the folder + size of these shards). A few hundred chunks and
    their vectors are held at a time, and 12 bytes a distinct term of a chunk of one shard.
    """
    started = time.perf_counter()
    with contextlib.ExitStack() as stack:
        writer = stack.enter_context(writing(place))
        header, reading = writer.header, _reading()
        before, anew = _previous_generations(place, header, reading, embedder.name, shards)
        for generation in before:
            if generation is not None:
                stack.callback(generation.close)
        plan = _compare(folder, place, before, largest_file, progress)
        plan.anew = writer.anew or anew
        stale = [one is None or change.any for one, change in zip(before, plan.changes, strict=True)]
        if header is not None and not any(stale):
            return plan.report(header, time.perf_counter() - started)
        many, done = sum(len(change.todo) for change in plan.changes), count()

        def step() -> None:
            """Say that another file is begun, or that all are done."""
            if progress is not None:
                progress(next(done), many)

        made, dimensions = [], 0
        if header is not None and any(generation is not None for generation in before):
            dimensions = header.dimensions
        for number, (generation, change) in enumerate(zip(before, plan.changes, strict=True)):
            if stale[number] or header is None:
                shard, width = _write(folder, writer, embedder, generation, change, plan, largest_file, step)
                dimensions = max(dimensions, width)
            else:
                shard = header.shards[number]
            made.append(shard)
        step()
        new = Header(reading, embedder.name, dimensions, tuple(made))
        opened: list[Generation] = []
        for old, is_stale, shard in zip(before, stale, made, strict=True):
            if old is not None and not is_stale:
                opened.append(old)
                continue
            opened.append(Generation(place, shard, dimensions))
            stack.callback(opened[-1].close)
        save_order(place / new.newest, order_of(opened))
        writer.commit(new)
    return plan.report(new, time.perf_counter() - started)


def _reading() -> str:
    """Identify how files are read: a number, and the terms of a few words."""
    words = _native.terms(["Running 3.14 snake_case camelCase Überprüfung 日本語 the"])[2]
    return f"{_READING}-{hashlib.blake2b(chr(0).join(words).encode(), digest_size=6).hexdigest()}"


def _previous_generations(
    place: Path, header: Header | None, reading: str, embedder: str, shards: int | None
) -> tuple[list[Generation | None], str | None]:
    """Open the previous generation of each shard (None: start anew); and say why there is none."""
    nothing: list[Generation | None] = [None] * (shards or (1 if header is None else len(header.shards)))
    if header is None:
        return nothing, None
    if header.reading != reading:
        return nothing, "other_reading"
    if header.embedder != embedder:
        return nothing, "other_embedder"
    if len(header.shards) != len(nothing):
        return nothing, "other_shards"
    damaged = {path.parent.name for path in find_damage(place, header)}  # what is taken over is whole
    found = list(nothing)
    for number, shard in enumerate(header.shards):
        if shard.generation not in damaged:
            with contextlib.suppress(StoreError):
                found[number] = Generation(place, shard, header.dimensions)
    return found, "damaged" if None in found else None


@dataclass(slots=True)
class _Changes:
    """Which files of a shard to add, change and remove."""

    todo: list[SourceFile] = field(default_factory=list)  # added and changed
    removed: list[str] = field(default_factory=list)  # gone, and changed

    @property
    def any(self) -> bool:
        return bool(self.todo or self.removed)


class _Plan:
    """The work of a build: shards to read, write and remove, and its report."""

    def __init__(self, shards: int) -> None:
        self.changes = [_Changes() for _ in range(shards)]
        self.unchanged = self.gone = self.changed = 0
        self.notes: dict[str, str] = {}
        self.anew: str | None = None

    def of(self, path: str) -> _Changes:
        """The changes of the shard that a file is in."""
        return self.changes[shard_of(path, len(self.changes))]

    def report(self, header: Header, seconds: float) -> BuildReport:
        return BuildReport(
            added=sum(len(change.todo) for change in self.changes) - self.changed,
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
    before: Sequence[Generation | None],
    largest_file: int,
    progress: Callable[[int, int], object] | None,
) -> _Plan:
    plan, known = _Plan(len(before)), dict[str, tuple[bytes, str]]()
    for generation in before:
        if generation is not None:
            known |= generation.files()
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
            plan.of(item.path).todo.append(item)
            continue
        here.add(item.path)
        digest, note = known[item.path]
        if digest == _digest(item, data):
            plan.unchanged += 1
            if note:
                plan.notes[item.path] = note
        else:
            plan.of(item.path).todo.append(item)
            plan.of(item.path).removed.append(item.path)
            plan.changed += 1
    gone = known.keys() - here
    plan.gone = len(gone)
    for path in sorted(gone):
        plan.of(path).removed.append(path)
    return plan


def _digest(item: SourceFile, data: bytes) -> bytes:
    return hashlib.blake2b(data, key=item.kind.encode(), digest_size=16).digest()


def _write(
    folder: Path,
    writer: Writer,
    embedder: CheckedEmbedder,
    before: Generation | None,
    change: _Changes,
    plan: _Plan,
    largest_file: int,
    step: Callable[[], None],
) -> tuple[Shard, int]:
    """Write a generation of a shard; return its entry of the header, and the width of new vectors."""
    fresh = writer.new_generation()
    table = ChunkTable(fresh, None if before is None else before.folder)
    try:
        with contextlib.closing(VectorFiles(fresh)) as vectors:
            postings, dimensions = PostingsBuilder(), 0
            if before is not None:
                kept = np.flatnonzero(~np.isin(before.ids, before.ids_of(change.removed)))
                for start in range(0, len(kept), _COPIED):
                    vectors.add(before.vectors.take(kept[start : start + _COPIED]))
                postings = PostingsBuilder(before.postings, kept)
            table.remove(change.removed)
            new = _new_texts(folder, table, change.todo, plan, largest_file, step)
            while texts := list(islice(new, _AT_ONCE)):
                postings.add(texts)
                rows = embedder.embed(texts)
                vectors.add(CodedVectors.of(rows))
                dimensions = rows.shape[1]
            vectors.finish()
        ids, files = table.finish()
    finally:
        table.close()
    save_arrays(fresh, postings.finish(), ids)
    return Shard(fresh.name, files, len(ids)), dimensions


def _new_texts(
    folder: Path,
    table: ChunkTable,
    todo: Sequence[SourceFile],
    plan: _Plan,
    largest_file: int,
    step: Callable[[], None],
) -> Iterator[str]:
    """Put each new chunk into the table, and yield its text with its headings, in which is searched."""
    for item in todo:
        step()
        data = read_file(folder, item.path, largest_file)
        if isinstance(data, FileNote):
            plan.notes[item.path] = data.reason
            continue
        text, note = decode(item.path, data)
        if note:
            plan.notes[item.path] = note
        chunks = cut_chunks(text, item.kind)
        table.add_file(item.path, _digest(item, data), note)
        table.add_chunks(item.path, chunks)
        for chunk in chunks:
            yield f"{chunk.header_path}\n{chunk.content}"
