"""HTML and XML: the text between the tags, every piece verbatim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from tersely import _native
from tersely.content.units import Units
from tersely.types import Document, Int64s, UInt8s

__all__ = ["Html", "PageText"]

_GLUE = ("", " ", "\t", "\n", "\n\n")  # by Glue of csrc/kernels/content/html_text.hpp
_LINE = 3  # the least glue between two blocks
_LONGEST_TAG = 2_000  # characters
_OPENED = re.compile(r"(?:\s*+<[A-Za-z][^<>]{0,300}>){0,8}+\s*+")  # between a tag and the text it is about


@dataclass(frozen=True, eq=False, slots=True)
class PageText:
    """The text of a page, and the positions of its pieces in the source and in the text."""

    plain: str  #: the text, white space where tags stood
    start: Int64s  #: with `end`: int64[n], where each piece stands in the source
    end: Int64s
    at: Int64s  #: with `stop`: int64[n], where it stands in the text
    stop: Int64s
    tags: bool = False  #: whether tags stand in the text, for what was named

    @staticmethod
    def read(text: str, named: Sequence[tuple[int, int]] = ()) -> PageText:
        """Return a page's text; without navigation and footers if there is other text. O(characters).

        `named`: places of the source that stand in it as they are, wherever they are: where they touch tags,
        the blocks that hold them are shown with theirs.
        """
        start, end, glue, aside = _native.html_texts([text])
        apart = (glue[1:] != 0) | (start[1:] != end[:-1])  # stray brackets are pieces that touch
        first_of, last_of = np.append(True, apart)[: len(start)], np.append(apart, True)[: len(start)]
        start, end, glue, aside = start[first_of], end[last_of], glue[first_of], aside[first_of]
        if aside.all():
            aside = np.zeros_like(aside)
        tags: list[tuple[int, int]] = []
        if named and len(start):
            shown, tags = _named_pieces(text, start, end, glue, named)
            aside[shown] = 0
            start, end, glue, aside = _with_tags(start, end, glue, aside, tags)
        if aside.any():
            stays = np.flatnonzero(aside == 0)
            first_out = np.concatenate(([0], stays[:-1] + 1))  # of what is left out before each
            glue = np.maximum.reduceat(glue[: stays[-1] + 1], first_out)
            start, end = start[stays], end[stays]
        parts: list[str] = []
        rows = zip(start.tolist(), end.tolist(), glue.tolist(), strict=True)
        for number, (first, last, before) in enumerate(rows):
            parts += [_GLUE[before] if number else "", text[first:last]]
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        at = np.cumsum(sizes)[0::2] if len(sizes) else start
        return PageText("".join(parts), start, end, at, at + (end - start), bool(tags))

    def to_plain(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of the text that show [first, last) of the source."""
        _, start, end = _mapped(self.start, self.end, self.at, np.array([first]), np.array([last]))
        yield from zip(start.tolist(), end.tolist(), strict=True)

    def to_source(self, first: Int64s, last: Int64s) -> tuple[Int64s, Int64s, Int64s]:
        """Map ranges of the text, in order, to the source: the row of each piece, its start and its end."""
        return _mapped(self.at, self.stop, self.start, first, last)


def _named_pieces(
    text: str, start: Int64s, end: Int64s, glue: UInt8s, named: Sequence[tuple[int, int]]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Find the pieces that hold named ranges; where those touch tags, the source ranges around them."""
    borders = np.append(np.flatnonzero(np.append(_LINE, glue[1:]) >= _LINE), len(start))  # of blocks
    firsts, lasts = (np.array(column, dtype=np.int64) for column in zip(*named, strict=True))
    lows = np.searchsorted(end, firsts, side="right").tolist()
    highs = np.searchsorted(start, lasts, side="left").tolist()
    held: list[int] = []
    places: list[tuple[int, int]] = []
    for (first, last), low, high in zip(named, lows, highs, strict=True):
        if high == low + 1 and start[low] <= first and last <= end[low]:
            held.append(low)
        elif said := text[first:last].strip():
            at = text.index(said, first)
            places.append(_block_around(text, start, end, glue, borders, (at, at + len(said)), (low, high)))
    return held, places


def _block_around(
    text: str,
    start: Int64s,
    end: Int64s,
    glue: UInt8s,
    borders: Int64s,
    place: tuple[int, int],
    rows: tuple[int, int],
) -> tuple[int, int]:
    """Return the place of the blocks that a place touches, with its pieces [rows); else of its tag."""
    (first, last), (low, high) = place, rows
    if low >= high:
        first, last, opens = _tag_around(text, first, last)
        inline = 0 < low < len(start) and glue[low] < _LINE
        if not inline and not (
            opens and low < len(start) and _OPENED.fullmatch(text, last, max(int(start[low]), last))
        ):
            return first, last
        high = low + 1
    low = int(borders[np.searchsorted(borders, low, side="right") - 1])
    high = int(borders[np.searchsorted(borders, high - 1, side="right")])
    opened, closed = _with_own_tags(text, int(start[low]), int(end[high - 1]))
    return min(first, opened), max(last, closed)


def _tag_around(text: str, start: int, end: int) -> tuple[int, int, bool]:
    """The tag around [start, end), and whether it opens an element; [start, end) if there is no tag."""
    opened = text.rfind("<", max(start - _LONGEST_TAG, 0), start + 1)
    if opened < 0 or text.find(">", opened, end - 1) >= 0:
        return start, end, False
    closed = text.find(">", end - 1, end + _LONGEST_TAG) + 1
    return opened, max(closed, end), text[opened + 1 : opened + 2].isalpha()


def _with_own_tags(text: str, start: int, end: int) -> tuple[int, int]:
    """A block with the tag that opens before it and the one that closes behind it, where they touch it."""
    if text[start - 1 : start] == ">":
        opened = text.rfind("<", max(start - _LONGEST_TAG, 0), start)
        if opened >= 0 and text[opened + 1].isalpha():
            start = opened
    if text.startswith("</", end):
        end = max(text.find(">", end, end + _LONGEST_TAG) + 1, end)
    return start, end


def _with_tags(
    start: Int64s, end: Int64s, glue: UInt8s, aside: UInt8s, places: Sequence[tuple[int, int]]
) -> tuple[Int64s, Int64s, UInt8s, UInt8s]:
    """Replace the pieces that places of the source overlap by these places, on lines of their own."""
    regions: list[tuple[int, int]] = []
    for first, last in sorted(_with_whole_pieces(start, end, places)):
        if regions and first < regions[-1][1]:
            regions[-1] = (regions[-1][0], max(last, regions[-1][1]))
        else:
            regions.append((first, last))
    if not regions:
        return start, end, glue, aside
    begin, stop = np.array(regions, dtype=np.int64).T
    stays = np.searchsorted(begin, start, side="right") == np.searchsorted(stop, start, side="right")
    behind = np.searchsorted(start, stop, side="left")
    glue = glue.copy()
    glue[behind[behind < len(glue)]] = np.maximum(glue[behind[behind < len(glue)]], _LINE)
    start, end = np.concatenate((start[stays], begin)), np.concatenate((end[stays], stop))
    glue = np.concatenate((glue[stays], np.full(len(begin), _LINE, dtype=np.uint8)))
    aside = np.concatenate((aside[stays], np.zeros(len(begin), dtype=np.uint8)))
    order = np.argsort(start, kind="stable")
    return start[order], end[order], glue[order], aside[order]


def _with_whole_pieces(
    start: Int64s, end: Int64s, places: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Extend places to the ends of the pieces that they overlap: a stray "<" may be within one."""
    if not places or not len(start):
        return list(places)
    first, last = np.array(places, dtype=np.int64).T
    low = np.minimum(np.searchsorted(end, first, side="right"), len(start) - 1)
    high = np.maximum(np.searchsorted(start, last, side="left") - 1, 0)
    first = np.where((start[low] < first) & (first < end[low]), start[low], first)
    last = np.where((start[high] < last) & (last < end[high]), end[high], last)
    return list(zip(first.tolist(), last.tolist(), strict=True))


def _mapped(
    start: Int64s, end: Int64s, other: Int64s, first: Int64s, last: Int64s
) -> tuple[Int64s, Int64s, Int64s]:
    """Map ranges through pieces to other places: the row of each range, its start and its end."""
    low = np.searchsorted(end, first, side="right")
    many = np.maximum(np.searchsorted(start, last, side="left") - low, 0)
    row = np.repeat(np.arange(len(first)), many)
    piece = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many) + low[row]
    shift = other[piece] - start[piece]
    return row, np.maximum(first[row], start[piece]) + shift, np.minimum(last[row], end[piece]) + shift


@dataclass(frozen=True, slots=True)
class Html:
    """Keeps the text of a page: tags, scripts, styles and comments go first, then navigation, then sentences.

    The text stays as it is written, references such as `&amp;` included; where tags stood, there is white
    space as they mean it (a tab between cells, a line a list item or row, a blank line between blocks).
    `kept` are pieces of the source; everything else is in `dropped`, markup with the reason "markup".

    Navigation, footers, asides and the controls of forms are left out where there is other text. Pages that
    fit the budget stay as they are. A page without text is read as text, tags and all; where a pin or group
    touches tags, the block that holds it is shown with them (both: warning "markup_kept").
    """

    kind: ClassVar[str] = "html"

    #: how the text is read, valued and chosen (`tersely.Extractive`); None: as other text is
    text: Any = field(default=None)

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """Return None: the visible text of a page is read as text (`PageText`)."""
        return None
