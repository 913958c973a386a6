"""A text in the making: what a model wrote, and verbatim pieces among it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tersely.stages.segment import segment
from tersely.tables import Int64s, Kind, SegmentTable

__all__ = ["NO_ROWS", "Piece", "code_blocks", "generated_places", "joined", "with_source_code"]

NO_ROWS: Int64s = np.empty(0, dtype=np.int64)
_ALIKE = 0.5  # share of a block's lines that a block of the source has which it was made of


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """A piece of a text: written by a model (`rows` is None), or verbatim: segments of the source, or a
    separator (`rows` is empty). `altered`: a model had changed it, it is as in the source again."""

    text: str
    rows: Int64s | None = None
    altered: bool = False


def joined(pieces: Sequence[Piece]) -> str:
    """The text of the pieces."""
    return "".join(piece.text for piece in pieces)


def generated_places(pieces: Sequence[Piece]) -> tuple[tuple[int, int], ...]:
    """(start, end) in the text of the pieces of what a model wrote; neighbours are one."""
    places: list[tuple[int, int]] = []
    at = 0
    for piece in pieces:
        end = at + len(piece.text)
        if piece.rows is None and end > at:
            if places and places[-1][1] == at:
                places[-1] = (places[-1][0], end)
            else:
                places.append((at, end))
        at = end
    return tuple(places)


def code_blocks(texts: Sequence[str], table: SegmentTable) -> Iterator[tuple[str, Int64s]]:
    """Text and rows of each fenced block."""
    code = np.flatnonzero(table.kind == Kind.FENCED_CODE)
    if len(code) == 0:
        return
    other = np.diff(table.block[code]) != 0
    other |= np.diff(table.document[code]) != 0
    for rows in np.split(code, np.flatnonzero(other) + 1):
        text = texts[int(table.document[rows[0]])]
        yield text[int(table.start[rows[0]]) : int(table.end[rows[-1]])], rows


def with_source_code(
    reply: str, texts: Sequence[str], blocks: Sequence[tuple[str, Int64s]], *, restore: bool
) -> list[Piece]:
    """A reply cut into what the model wrote and code of the source.

    `blocks`: the `code_blocks` of `texts`. A fenced block of the reply that is one of them is that one. One
    that stands in a text otherwise, fences and all, stays as the model's. Any other is altered: it becomes
    the block it shares most lines with, at least half of its own (`restore`), or goes. No block comes twice.
    """
    table = segment([reply])
    known = {text: number for number, (text, _) in reversed(list(enumerate(blocks)))}
    by_line: dict[str, list[int]] = {}
    used: set[int] = set()
    pieces: list[Piece] = []
    at = 0
    for block, rows in code_blocks([reply], table):
        start, end = int(table.start[rows[0]]), int(table.end[rows[-1]])
        same = known.get(block)
        if same is None and _is_closed(block) and any(block in text for text in texts):
            continue
        pieces.append(Piece(reply[at:start]))
        at = end
        if same is None and restore:
            by_line = by_line or _blocks_by_line(blocks)
        number = same if same is not None else _most_alike(block, by_line)
        if number is not None and number not in used:
            used.add(number)
            pieces.append(Piece(blocks[number][0], blocks[number][1], altered=same is None))
    pieces.append(Piece(reply[at:]))
    return [piece for piece in pieces if piece.text]


def _lines(block: str) -> set[str]:
    """The lines of a block without its fences, white space around them and empty ones left out."""
    lines = block.splitlines()
    return {line.strip() for line in (lines[1:-1] if _is_closed(block) else lines[1:])} - {""}


def _is_closed(block: str) -> bool:
    """Whether a block ends with a fence: a reply may have ended within it."""
    lines = block.splitlines()
    return len(lines) > 1 and lines[-1].strip().startswith(("```", "~~~"))


def _blocks_by_line(blocks: Sequence[tuple[str, Int64s]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, (text, _) in enumerate(blocks):
        for line in _lines(text):
            found.setdefault(line, []).append(number)
    return found


def _most_alike(block: str, by_line: dict[str, list[int]]) -> int | None:
    mine = _lines(block)
    shared = Counter(number for line in mine for number in by_line.get(line, ()))
    best = min(shared, key=lambda number: (-shared[number], number), default=None)
    return best if best is not None and shared[best] >= _ALIKE * len(mine) else None
