"""Read the shards of an index as one: rows are counted through all of them, and ties go by file and place."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from tersely.core.tables import Float32s, Int32s, Int64s
from tersely.search.index.storage import ChunkRow, Generation, Header, check_small_files, open_order

__all__ = ["Snapshot", "order_of", "shard_of"]

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
        check_small_files(place, header)
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
    """Ask each shard once for what it owns, by the positions of these; return all in order."""
    found: dict[int, Item] = {}
    for number in sorted(set(owners)):
        some = [position for position, owner in enumerate(owners) if owner == number]
        found.update(zip(some, read(number, some), strict=True))
    return [found[position] for position in range(len(owners))]
