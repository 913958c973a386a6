"""Compress a log file of any size, read once in chunks, in bounded memory."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tersely import _native, checks
from tersely.content.lines import LineTable, from_reader, without_loose_pieces
from tersely.content.logs import Logs
from tersely.content.units import Units
from tersely.engine.strategies import Auto
from tersely.models.counters import resolve_counter
from tersely.text import CHARACTERS_REPLACED
from tersely.types import Document, Request

__all__ = ["FileDigest", "compress_file"]

_CHUNK = 4 << 20  # bytes read at once
_MOST_ROWS = 65_536  # lines that are looked at one by one


@dataclass(frozen=True, slots=True)
class FileDigest:
    """A log file compressed into a budget, and how much of it was read."""

    text: str  #: what to send; never over the budget
    tokens: int  #: of `text`, as counted by the caller's counter
    #: (start, end) characters of `text` that are not the file's: markers and notes
    generated: tuple[tuple[int, int], ...]
    kept: tuple[tuple[int, int], ...]  #: (start, end) bytes of the file that stayed, in its order
    bytes: int  #: with `lines` and `templates`: how much was read, and how many kinds of lines there are
    lines: int
    templates: int
    warnings: tuple[str, ...]  #: reason codes as in `Receipt`; "characters_replaced": of kept lines


def compress_file(
    path: str | os.PathLike[str],
    query: str | None = None,
    *,
    budget: int,
    counter: Any = None,
    strategy: Logs | None = None,
    progress: Callable[[int], object] | None = None,
) -> FileDigest:
    """Fit a log file into `budget` tokens by the rules of `Logs`.

    `progress` is called with the bytes read so far, every 4 MB.

    Memory does not grow with the file: at most 65,536 lines, 65,536 templates and a few tables are held,
    some 40 MB, 150 MB at worst. Raises OSError if the file cannot be read, ValueError for a budget below
    1, BudgetExceededError if not even one line fits. O(bytes) time.
    """
    checks.whole_number(budget, "budget", least=1)
    if query is not None:
        query = checks.text(query, "query")
    strategy = strategy or Logs()
    reader = _native.LineReader(query or "", _MOST_ROWS)
    size = 0
    with Path(path).open("rb", buffering=0) as file:
        buffer = bytearray(_CHUNK)
        view = memoryview(buffer)
        while got := file.readinto(buffer):
            reader.append(view[:got], False)
            size += got
            if progress is not None:
                progress(size)
        reader.append(b"", True)
        lines = without_loose_pieces(from_reader(reader))
        pieces = _read_pieces(file, lines)
    between = _between(lines)
    text = "".join(itertools.chain.from_iterable(zip(between, pieces, strict=True)))
    ends = np.cumsum(
        [len(part) for pair in zip(between, pieces, strict=True) for part in pair], dtype=np.int64
    )
    held = replace(lines, table=replace(lines.table, start=ends[::2], end=ends[1::2]))
    request = Request((Document(text),), query, budget, 1.0, resolve_counter(counter))
    result = Auto(as_type=_HeldLines(strategy, held)).compress(request)
    rows = np.searchsorted(held.table.start, [span.start for span in result.kept])
    kept = zip(lines.table.start[rows].tolist(), lines.table.end[rows].tolist(), strict=True)
    bad = any("\N{REPLACEMENT CHARACTER}" in text[span.start : span.end] for span in result.kept)
    warnings = (*result.receipt.warnings, *((CHARACTERS_REPLACED,) if bad else ()))
    return FileDigest(
        result.text,
        result.tokens,
        result.generated,
        tuple(kept),
        size,
        lines.total,
        len(lines.counts),
        warnings,
    )


@dataclass(frozen=True, eq=False, slots=True)
class _HeldLines:
    """Gives the lines that were read from a file, whatever the document."""

    kind: ClassVar[str] = "log"

    logs: Logs
    lines: LineTable

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        return self.logs.units(self.lines, query)


def _between(lines: LineTable) -> list[str]:
    """Text before each row in the written log: a line end, or the gap in a long line."""
    if len(lines.table) == 0:
        return []
    gaps = (lines.table.start[1:] - lines.table.end[:-1]).tolist()
    continued = lines.continued[1:].tolist()
    return ["", *(" " * gap if piece else "\n" for gap, piece in zip(gaps, continued, strict=True))]


def _read_pieces(file: Any, lines: LineTable) -> list[str]:
    """The rows' texts. Rows that lie close together are read at once."""
    pieces: list[str] = []
    start, end = lines.table.start, lines.table.end
    row = 0
    while row < len(start):
        last = int(np.searchsorted(start, start[row] + _CHUNK, side="left"))
        file.seek(int(start[row]))
        size = int(end[last - 1] - start[row])
        data = bytearray()
        while len(data) < size and (more := file.read(size - len(data))):
            data += more
        base = int(start[row])
        for number in range(row, last):
            piece = bytes(data[int(start[number]) - base : int(end[number]) - base])
            pieces.append(piece.decode("utf-8", errors="replace"))
        row = last
    return pieces
