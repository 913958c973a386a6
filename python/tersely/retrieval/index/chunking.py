"""Cut a file's text into chunks of 200 to 1,500 characters, each with the headings above it.

Text becomes pieces (paragraphs, items, tables, long ones in parts), each with what it costs to cut before it;
dynamic programming then joins pieces to the chunks of least cost.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from os.path import commonprefix
from typing import NamedTuple

import numpy as np

from tersely.content.code import Role, read_code
from tersely.content.html import PageText
from tersely.engine.reading import segment
from tersely.types import Kind, Level

_LONGEST_TITLE = 100  # characters
_DEEPEST = 8  # headings of a path
_MARKS = re.compile(r"^[ \t]*#{1,6}[ \t]+|(?<![ \t])[ \t]++#++[ \t]*$|(?<!\s)\s*+\{#[^{}\n]{0,80}\}\s*$")
_UNDERLINE = re.compile(r"\n[ \t]*[=\-~^\"'`#*+:.<>_]{2,}[ \t]*$")
_PAGE_HEADING = re.compile(r"<h([1-6])(?:\s[^<>]{0,2000})?>", re.IGNORECASE)
_PAGE_HEADING_END = re.compile(r"</h[1-6]", re.IGNORECASE)
_LONGEST_HEADING = 2000  # characters of a page's source


class Section(NamedTuple):
    """A stretch of text, up to the next one."""

    start: int  #: its first character; that of a text's first one is 0, and it has no heading
    body: int  #: where its heading ends and its text starts; `start` where it has no heading of its own
    path: tuple[str, ...]  #: headings from the outermost to its own


_FIRST = Section(0, 0, ())


def text_sections(text: str) -> list[Section]:
    """Find the sections of Markdown and plain text, by the segmenter's headings. O(characters)."""
    table = segment([text], Level.PARAGRAPH)
    sections = [_FIRST]
    paths: dict[int, tuple[str, ...]] = {-1: ()}
    starts, ends, above = table.start.tolist(), table.end.tolist(), table.heading.tolist()
    known: dict[tuple[tuple[str, ...], str], tuple[str, ...]] = {}  # headings come again
    for row in (table.kind == Kind.HEADING).nonzero()[0].tolist():
        start, end = starts[row], ends[row]
        heading = paths.get(above[row], ()), text[start:end]
        path = known.get(heading)
        if path is None:
            title = _MARKS.sub("", _UNDERLINE.sub("", heading[1].strip()))
            path = known[heading] = _join_path(heading[0], title)
        paths[row] = path
        sections.append(Section(start, end, path))
    return sections


def page_sections(source: str, page: PageText) -> list[Section]:
    """Find the sections of a web page's text, by its h1 to h6. O(characters + headings log pieces)."""
    sections = [_FIRST]
    path: list[tuple[int, str]] = []
    for heading in _PAGE_HEADING.finditer(source):
        closing = _PAGE_HEADING_END.search(source, heading.end(), heading.end() + _LONGEST_HEADING)
        if closing is None:
            continue
        places = list(page.to_plain(heading.end(), closing.start()))
        if not places or places[0][0] < sections[-1].body:
            continue
        start, end = places[0][0], places[-1][1]
        level = int(heading.group(1))
        path = [part for part in path if part[0] < level]
        path.append((level, _one_line(html.unescape(page.plain[start:end]).rstrip("¶ \n"))))
        sections.append(Section(start, end, tuple(title for _, title in path[-_DEEPEST:])))
    return sections


def code_sections(text: str, language: str) -> list[Section]:
    """Find the sections of source code: definitions and the code between them. O(characters)."""
    lines = text.split("\n")
    units = read_code(language, text)
    first, last, role = units.first.tolist(), units.last.tolist(), units.role.tolist()
    needs = np.where(units.follows < 0, units.parent, units.follows).tolist()
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    sections = [_FIRST]
    paths: list[tuple[str, ...]] = []
    for row, parent in enumerate(needs):
        above = paths[parent] if 0 <= parent < row else ()
        if role[row] in (Role.DEFINITION, Role.DECLARATION):
            above = _join_path(above, _signature(lines[first[row] : last[row] + 1]))
        paths.append(above)
        start = starts[first[row]]
        if above != sections[-1].path and start >= sections[-1].start:
            sections.append(Section(start, start, above))
    return sections


def _signature(lines: list[str]) -> str:
    """Return the line of a definition that names what it defines: not its decorators and comments."""
    for line in lines:
        text = line.strip()
        if text and not text.startswith(("@", "#", "//", "/*", "*", "[")):
            return text.rstrip("{ :")
    return lines[0]


def _join_path(path: tuple[str, ...], title: str) -> tuple[str, ...]:
    return (*path[: _DEEPEST - 1], _one_line(title))


def _one_line(title: str) -> str:
    """Put a title on one line, not too long, without the mark that separates the headings of a path."""
    title = " ".join(title.split()).replace(" > ", " ")
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…"


SMALLEST_CHUNK, LARGEST_CHUNK = 200, 1500  # characters

_EACH = 2.0  # what a chunk costs
_MIXED = 5.0  # what the start of a section inside of a chunk costs
_SHORT, _LONG = 450, 1100  # characters; outside of these a chunk costs up to 2 more
_TOO_SMALL = 1000.0
_PIECES = 96  # a chunk has at most so many, unless it is too small then
_MAIN = 2 / 3  # share of a chunk that gives it its path

LONGEST_PIECE = 650  # characters; two of them and the smallest chunk fit into the largest
_LONGEST_GAP = 100  # characters of white space between chunks; more counts as a blank line
_TINY = 24  # characters; what is shorter is joined to what stands before it

# What it costs to cut: the more, the more the halves need each other.
_SECTION, _BLOCK, _ITEM, _ROW = 0.0, 1.5, 2.5, 5.0
_SENTENCE, _CODE, _AFTER_HEADING, _INSIDE = 6.0, 8.0, 12.0, 16.0
_WHOLE = {Kind.TABLE: _ROW, Kind.FENCED_CODE: _CODE, Kind.CODE: _CODE, Kind.LOG_LINE: _ROW}  # between lines
_LIST = (Kind.LIST_ITEM, Kind.CHAT_TURN)
_BLANK_LINES = re.compile(r"\n(?:[ \t\r]*\n)+")
_WORD_END = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a file."""

    #: characters of the file
    start: int
    end: int
    header_path: str  #: the headings above it, joined with " > "
    content: str  #: its text: `text[start:end]`; of a web page, what stands between its tags there
    gap: str = ""  #: white space between the chunk before it and this one; "" for the first


def cut_chunks(text: str, kind: str) -> list[Chunk]:
    """Cut a file's text into chunks.

    Chunks stand in order and do not overlap; what lies between them is white space (of pages: markup too).
    They have 200 to 1,500 characters; fewer only where the text has fewer or is interrupted by hundreds of
    blank characters. Tables, fences, paragraphs and sentences of up to 650 characters are never cut, longer
    ones where nothing else is left; a heading stays with what follows it. A chunk's path is that of the
    section that two thirds of it lie in, else what the paths of its sections have in common.

    Args:
        text: the file's.
        kind: "text" (Markdown too), "html", or a language of `tersely.types.LANGUAGES`.

    O(characters + pieces * 96): of all ways to cut between pieces, the one of least cost, by
    dynamic programming; of equal ones, that with the longer last chunk.
    """
    if kind == "html":
        page = PageText.read(text)
        sections = page_sections(text, page)
        return [
            replace(chunk, start=int(first[0]), end=int(last[-1]))
            for chunk in _cut(page.plain, _text_pieces(page.plain, sections), sections)
            for _, first, last in [page.to_source(np.array([chunk.start]), np.array([chunk.end]))]
        ]
    if kind == "text":
        sections = text_sections(text)
        return _cut(text, _text_pieces(text, sections), sections)
    sections = code_sections(text, kind)
    return _cut(text, _code_pieces(text, sections), sections)


def _cut(text: str, pieces: list[_Piece], sections: Sequence[Section]) -> list[Chunk]:
    """Join pieces to the chunks of least cost."""
    chunks: list[Chunk] = []
    for first, last in pairwise(_best_cuts(pieces)):
        start, end = pieces[first].start, pieces[last - 1].end
        gap = text[chunks[-1].end : start] if chunks else ""
        path = " > ".join(_path(pieces[first:last], sections))
        chunks.append(Chunk(start, end, path, text[start:end], gap if len(gap) <= _LONGEST_GAP else "\n\n"))
    return chunks


def _best_cuts(pieces: list[_Piece]) -> list[int]:
    """Choose the pieces that chunks start with; the number of all pieces ends the list."""
    starts, ends = [piece.start for piece in pieces], [piece.end for piece in pieces]
    mixed = [0.0]  # before each piece: what the starts of sections up to it cost
    for before, piece in pairwise(pieces):
        starts_section = piece.section != before.section and not before.heading
        mixed.append(mixed[-1] + (_MIXED if starts_section else 0.0))
    cut = [0.0, *(piece.cut for piece in pieces[1:])]
    least, came_from = [0.0], [0]
    for end in range(1, len(pieces) + 1):  # small pieces are many: what it does is looked up before
        best, best_first, stop, sections = float("inf"), end - 1, ends[end - 1], mixed[end - 1]
        for first in range(end - 1, -1, -1):
            size = stop - starts[first]
            if first < end - 1 and (
                size > LARGEST_CHUNK or (end - first > _PIECES and size > 2 * SMALLEST_CHUNK)
            ):
                break
            by_size = _SIZE_COSTS[size] if size <= LARGEST_CHUNK else _size_cost(size)
            cost = least[first] + by_size + sections - mixed[first] + cut[first]
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


_SIZE_COSTS = [_size_cost(size) for size in range(LARGEST_CHUNK + 1)]


def _path(pieces: Sequence[_Piece], sections: Sequence[Section]) -> tuple[str, ...]:
    sizes: dict[tuple[str, ...], int] = {}
    for piece in pieces:
        path = sections[piece.section].path
        sizes[path] = sizes.get(path, 0) + piece.end - piece.start
    main = max(sizes, key=lambda path: sizes[path])
    if sizes[main] >= _MAIN * sum(sizes.values()):
        return main
    return tuple(commonprefix(list(sizes)))  # noqa: RUF071  paths are tuples here


@dataclass(slots=True)
class _Piece:
    """Characters [start, end), without white space at its ends; `section`: index of the one that it lies in.

    `cut`: what it costs to cut before it; `heading`: whether it is one.
    """

    start: int
    end: int
    section: int
    cut: float
    heading: bool


def _text_pieces(text: str, sections: Sequence[Section]) -> list[_Piece]:
    """Divide text into paragraphs, items, tables, fences; too long ones into sentences, rows or lines."""
    table = segment([text], Level.SENTENCE)
    kinds, starts, ends = table.kind.tolist(), table.start.tolist(), table.end.tolist()
    first = np.flatnonzero(np.diff(table.block, prepend=-1))  # of each block
    last = np.append(first[1:], len(table))[: len(first)] - 1
    listed = np.isin(table.kind[first], list(_LIST)) & (table.kind[first] == table.kind[first - 1])
    listed[:1] = False
    found: list[tuple[int, int, float]] = []
    cuts = np.where(listed, _ITEM, _BLOCK).tolist()
    for row, stop, cut in zip(first.tolist(), last.tolist(), cuts, strict=True):
        if ends[stop] - starts[row] <= LONGEST_PIECE:
            found.append((starts[row], ends[stop], cut))
            continue
        for at in range(row, stop + 1):
            inner = _WHOLE.get(Kind(kinds[at]), _SENTENCE)
            found.append((starts[at], ends[at], cut if at == row else inner))
    return _finish(text, found, sections)


def _code_pieces(text: str, sections: Sequence[Section]) -> list[_Piece]:
    """Divide source code at blank lines, and blocks that are too long into lines. O(characters)."""
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
    return _finish(text, found, sections)


def _finish(text: str, found: list[tuple[int, int, float]], sections: Sequence[Section]) -> list[_Piece]:
    """Cut pieces where sections start and where they are too long; join tiny ones."""
    pieces: list[_Piece] = []
    number = 0
    bodies = [one.body for one in sections]
    behind = [*(one.start for one in sections[1:]), len(text) + 1]
    for start, end, cut in found:
        at = start
        while at < end:
            while behind[number] <= at:
                number += 1
            heading = at < bodies[number]
            stop = min(end, behind[number], bodies[number]) if heading else min(end, behind[number])
            begin, finish = _strip(text, at, stop)
            if begin < finish:
                new = not pieces or pieces[-1].section != number
                before = _SECTION if new else (cut if at == start else _BLOCK)
                _add(text, pieces, begin, finish, number, before, heading)
            at = stop
    return pieces


def _add(
    text: str, pieces: list[_Piece], start: int, end: int, section: int, cut: float, heading: bool
) -> None:
    """Add a piece: in parts where it is too long, or joined to the one before."""
    if pieces:
        before = pieces[-1]
        if before.heading and not heading:
            cut = _AFTER_HEADING
        tiny = end - start < _TINY or before.end - before.start < _TINY
        same = before.heading == heading or (section == before.section and not heading)
        if tiny and same and end - before.start <= 4 * _TINY:
            before.end = end
            before.heading = before.heading and heading
            return
    for first, last, lines in _parts(text, start, end):
        pieces.append(_Piece(first, last, section, cut, heading))
        cut = _CODE if lines else _INSIDE


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Divide a piece into parts of at most LONGEST_PIECE characters; each says whether it ends with a line.

    Cut at a blank line, else at a line's end, else at a word's, else anywhere.
    """
    while end - start > LONGEST_PIECE:
        low, high = start + LONGEST_PIECE // 2, start + LONGEST_PIECE
        at = text.rfind("\n\n", low, high)
        at = at if at >= 0 else text.rfind("\n", low, high)
        lines = at >= 0
        if not lines:
            at = max((gap.start() for gap in _WORD_END.finditer(text, low, high)), default=high)
        first, last = _strip(text, start, at)
        if first < last:
            yield first, last, lines
        start = at
    first, last = _strip(text, start, end)
    if first < last:
        yield first, last, True


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return (start + left, start + len(part.rstrip())) if left < len(part) else (end, end)
