"""A text and its sections -> pieces that chunks are made of, and what it costs to cut before each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tersely.retrieval.index.sections import Section
from tersely.stages.segment import segment
from tersely.tables import Kind, Level

__all__ = ["LONGEST_PIECE", "Piece", "code_pieces", "text_pieces"]

LONGEST_PIECE = 650  # characters; two of them and the smallest chunk fit into the largest
_TINY = 24  # characters; what is shorter is joined to what stands before it

# What it costs to cut: the more, the more the halves need each other.
_SECTION, _BLOCK, _ITEM, _ROW, _SENTENCE, _CODE, _AFTER_HEADING, _INSIDE = (
    0.0,
    1.5,
    2.5,
    5.0,
    6.0,
    8.0,
    12.0,
    16.0,
)
_WHOLE = {
    Kind.TABLE: _ROW,
    Kind.FENCED_CODE: _CODE,
    Kind.CODE: _CODE,
    Kind.LOG_LINE: _ROW,
}  # cut between lines
_LIST = (Kind.LIST_ITEM, Kind.CHAT_TURN)
_BLANK_LINES = re.compile(r"\n(?:[ \t\r]*\n)+")
_WORD_END = re.compile(r"\s+")


@dataclass(slots=True)
class Piece:
    """Characters [start, end), without white space at its ends; `section`: index of the one that it lies in.

    `cut`: what it costs to cut before it; `heading`: whether it is one.
    """

    start: int
    end: int
    section: int
    cut: float
    heading: bool


def text_pieces(text: str, sections: Sequence[Section]) -> list[Piece]:
    """Paragraphs, items, tables, fences; sentences, rows, lines of those that are too long. O(characters)."""
    table = segment([text], Level.SENTENCE)
    kinds, blocks = table.kind.tolist(), table.block.tolist()
    starts, ends = table.start.tolist(), table.end.tolist()
    found: list[tuple[int, int, float]] = []
    row = 0
    while row < len(kinds):
        last = row
        while last + 1 < len(kinds) and blocks[last + 1] == blocks[row]:
            last += 1
        cut = _ITEM if kinds[row] in _LIST and row and kinds[row - 1] == kinds[row] else _BLOCK
        if ends[last] - starts[row] <= LONGEST_PIECE:
            found.append((starts[row], ends[last], cut))
        else:
            for at in range(row, last + 1):
                inner = _WHOLE.get(Kind(kinds[at]), _SENTENCE)
                found.append((starts[at], ends[at], cut if at == row else inner))
        row = last + 1
    return _finished(text, found, sections)


def code_pieces(text: str, sections: Sequence[Section]) -> list[Piece]:
    """Lines of source code between blank lines; lines of what is too long. O(characters)."""
    found, at = [], 0
    for gap in [*_BLANK_LINES.finditer(text), None]:
        end = len(text) if gap is None else gap.start()
        head = text[at:end]
        if head.strip():
            indent = len(head) - len(head.lstrip(" \t"))
            found.append(
                (at + len(head) - len(head.lstrip()), at + len(head.rstrip()), _BLOCK + min(indent, 16) / 4)
            )
        at = end if gap is None else gap.end()
    return _finished(text, found, sections)


def _finished(text: str, found: list[tuple[int, int, float]], sections: Sequence[Section]) -> list[Piece]:
    """Cut where sections start and where pieces are too long; tiny ones joined."""
    pieces: list[Piece] = []
    number = 0
    for start, end, cut in found:
        at = start
        while at < end:
            while number + 1 < len(sections) and sections[number + 1].start <= at:
                number += 1
            section = sections[number]
            stop = end
            if number + 1 < len(sections):
                stop = min(stop, sections[number + 1].start)
            heading = at < section.body
            if heading:
                stop = min(stop, section.body)
            begin, finish = _stripped(text, at, stop)
            if begin < finish:
                new = not pieces or pieces[-1].section != number
                before = _SECTION if new else (cut if at == start else _BLOCK)
                _add(text, pieces, Piece(begin, finish, number, before, heading))
            at = stop
    return pieces


def _add(text: str, pieces: list[Piece], piece: Piece) -> None:
    """A piece, in parts where it is too long, or joined to the one before."""
    if pieces:
        before = pieces[-1]
        if before.heading and not piece.heading:
            piece.cut = _AFTER_HEADING
        tiny = min(before.end - before.start, piece.end - piece.start) < _TINY
        same = before.heading == piece.heading or (piece.section == before.section and not piece.heading)
        if tiny and same and piece.end - before.start <= 4 * _TINY:
            before.end = piece.end
            before.heading = before.heading and piece.heading
            return
    cut = piece.cut
    for start, end, lines in _parts(text, piece.start, piece.end):
        pieces.append(Piece(start, end, piece.section, cut, piece.heading))
        cut = _CODE if lines else _INSIDE


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """At most LONGEST_PIECE characters each, and whether it ends with a line.

    Cut at a blank line, else at a line's end, else at a word's, else anywhere.
    """
    while end - start > LONGEST_PIECE:
        low, high = start + LONGEST_PIECE // 2, start + LONGEST_PIECE
        at = text.rfind("\n\n", low, high)
        at = at if at >= 0 else text.rfind("\n", low, high)
        lines = at >= 0
        if not lines:
            at = max((gap.start() for gap in _WORD_END.finditer(text, low, high)), default=high)
        first, last = _stripped(text, start, at)
        if first < last:
            yield first, last, lines
        start = at
    first, last = _stripped(text, start, end)
    if first < last:
        yield first, last, True


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return (start + left, start + len(part.rstrip())) if left < len(part) else (end, end)
