"""A file's text -> chunks: consecutive stretches of 200 to 1,500 characters, cut where it hurts least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tersely.content.page_text import PageText
from tersely.retrieval.index.pieces import Piece, code_pieces, text_pieces
from tersely.retrieval.index.sections import (
    Section,
    code_sections,
    page_sections,
    rst_sections,
    text_sections,
)

__all__ = ["LARGEST_CHUNK", "SMALLEST_CHUNK", "Chunk", "cut_chunks"]

SMALLEST_CHUNK, LARGEST_CHUNK = 200, 1500  # characters

_EACH = 2.0  # what a chunk costs
_MIXED = 5.0  # what the start of a section inside of a chunk costs
_SHORT, _LONG = 450, 1100  # characters; outside of these a chunk costs up to 2 more
_TOO_SMALL = 1000.0
_PIECES = 96  # a chunk has at most so many, unless it is too small then
_MAIN = 2 / 3  # share of a chunk that gives it its path


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a file.

    Attributes:
        start, end: characters of the file.
        header_path: the headings above it, joined with " > ".
        content: its text: `text[start:end]`; of a web page, what stands between its tags there.
    """

    start: int
    end: int
    header_path: str
    content: str


def cut_chunks(text: str, kind: str) -> list[Chunk]:
    """Cut a file's text into chunks.

    Chunks stand in order and do not overlap; what lies between them is white space (of pages: markup too).
    They have 200 to 1,500 characters; fewer only where the text has fewer or is interrupted by hundreds of
    blank characters. Tables, fences, paragraphs and sentences of up to 650 characters are never cut, longer
    ones where nothing else is left; a heading stays with what follows it. A chunk's path is that of the
    section that two thirds of it lie in, else what the paths of its sections have in common.

    Args:
        text: the file's.
        kind: "text" (Markdown too), "rst", "html", or a language of `tersely.detection.LANGUAGES`.

    O(characters + pieces * 96): of all ways to cut between pieces (pieces.py), the one of least cost, by
    dynamic programming; of equal ones, that with the longer last chunk.
    """
    if kind == "html":
        page = PageText.read(text)
        sections = page_sections(text, page)
        return [
            Chunk(*_in_source(page, start, end), path, page.plain[start:end])
            for start, end, path in _cut(text_pieces(page.plain, sections), sections)
        ]
    if kind == "text":
        sections = text_sections(text)
        pieces = text_pieces(text, sections)
    elif kind == "rst":
        sections = rst_sections(text)
        pieces = text_pieces(text, sections)
    else:
        sections = code_sections(text, kind)
        pieces = code_pieces(text, sections)
    return [Chunk(start, end, path, text[start:end]) for start, end, path in _cut(pieces, sections)]


def _in_source(page: PageText, start: int, end: int) -> tuple[int, int]:
    _, first, last = page.to_source(np.array([start]), np.array([end]))
    return int(first[0]), int(last[-1])


def _cut(pieces: list[Piece], sections: Sequence[Section]) -> list[tuple[int, int, str]]:
    """(start, end, path) of each chunk."""
    cuts = _best_cuts(pieces)
    return [
        (pieces[first].start, pieces[last - 1].end, " > ".join(_path(pieces[first:last], sections)))
        for first, last in pairwise(cuts)
    ]


def _best_cuts(pieces: list[Piece]) -> list[int]:
    """The pieces that chunks start with, and their number."""
    starts, ends = [piece.start for piece in pieces], [piece.end for piece in pieces]
    mixed = [0.0]  # before each piece: what the starts of sections up to it cost
    for before, piece in pairwise(pieces):
        starts_section = piece.section != before.section and not before.heading
        mixed.append(mixed[-1] + (_MIXED if starts_section else 0.0))
    least, came_from = [0.0], [0]
    for end in range(1, len(pieces) + 1):
        best, best_first = float("inf"), end - 1
        for first in range(end - 1, -1, -1):
            size = ends[end - 1] - starts[first]
            if first < end - 1 and (
                size > LARGEST_CHUNK or (end - first > _PIECES and size > 2 * SMALLEST_CHUNK)
            ):
                break
            cost = least[first] + _size_cost(size) + mixed[end - 1] - mixed[first]
            if first:
                cost += pieces[first].cut
            if cost <= best:
                best, best_first = cost, first
        least.append(best)
        came_from.append(best_first)
    cuts = [len(pieces)]
    while cuts[-1] > 0:
        cuts.append(came_from[cuts[-1]])
    return cuts[::-1]


def _size_cost(size: int) -> float:
    if size < SMALLEST_CHUNK:
        return _TOO_SMALL
    if size < _SHORT:
        return _EACH + 2 * (_SHORT - size) / (_SHORT - SMALLEST_CHUNK)
    return _EACH + 2 * max(0, size - _LONG) / (LARGEST_CHUNK - _LONG)


def _path(pieces: Sequence[Piece], sections: Sequence[Section]) -> tuple[str, ...]:
    sizes: dict[tuple[str, ...], int] = {}
    for piece in pieces:
        path = sections[piece.section].path
        sizes[path] = sizes.get(path, 0) + piece.end - piece.start
    main = max(sizes, key=lambda path: sizes[path])
    if sizes[main] >= _MAIN * sum(sizes.values()):
        return main
    shared = next(iter(sizes))
    for path in sizes:
        same = [a == b for a, b in zip(shared, path, strict=False)]
        shared = shared[: same.index(False) if False in same else len(same)]
    return shared
