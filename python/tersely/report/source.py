"""Draw the documents with their kept and dropped pieces, and the compressed text.

Pieces (pieces.py) are written as HTML within a limit; what is left out is counted and said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from tersely.report.pieces import AHEAD, Piece, escape, is_laid_out, name, tip_of
from tersely.report.views import Mark, Painter, QueryWords, text_marks
from tersely.types import Compressed, Document

__all__ = ["MOST_CHARACTERS", "Columns", "Panel", "draw_source", "draw_text"]

MOST_CHARACTERS = 1_500_000  # of either column, markup included; what is left out is said
_MOST_DOCUMENTS = 500
_ENDS = 160  # characters drawn at each end of a dropped run, where not everything is drawn
_MOST_MARKS = 4_000  # words of the query that are marked in dropped text: more make the page slow
_MARKUP = 60  # characters that a piece costs besides its own, so that many small ones make no huge page


@dataclass(slots=True, eq=False)
class Columns:
    """The documents as HTML, with the numbers that drawing them gives.

    Attributes:
        documents: index -> HTML of the documents that are drawn.
        starts: where each document starts, in characters of all of them joined.
        kept: (start, end) of what was kept, likewise; in order.
        hits: (start, end) of words of the query, likewise; in what is drawn.
        pieces: number of kept pieces.
        kept_characters: of each document.
        left_out: characters of the documents that are not drawn.
        unmarked: words of the query that are not marked in dropped text, being too many.
        words: the query's, with those that stand in what was drawn.
    """

    words: QueryWords
    starts: list[int]
    documents: dict[int, str] = field(default_factory=dict)
    kept: list[tuple[int, int]] = field(default_factory=list)
    hits: list[tuple[int, int]] = field(default_factory=list)
    pieces: int = 0
    kept_characters: list[int] = field(default_factory=list)
    left_out: int = 0
    unmarked: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """A compressed text as HTML.

    Attributes:
        html: the text.
        monospace: whether most of it is code, lines of logs and the like.
        left_out: characters of it that are not drawn.
    """

    html: str
    monospace: bool
    left_out: int


@dataclass(slots=True, eq=False)
class _Pen:
    """State that passes from one document to the next while they are drawn."""

    words: QueryWords
    room: int  # characters that may still be drawn
    shorten: bool  # whether long dropped runs are drawn by their ends only
    numbers: dict[tuple[int, int], int]  # where a kept piece starts -> its number
    hits: list[tuple[int, int]]
    left_out: int = 0
    unmarked: int = 0


def draw_source(
    documents: Sequence[Document],
    pieces: Sequence[Sequence[Piece]],
    marks: Sequence[list[Mark]],
    query: str,
    most: int = MOST_CHARACTERS,
) -> Columns:
    """Draw at most about `most` characters of the documents, markup included.

    O(characters + segments log segments).
    """
    places = [(i, piece.start) for i, some in enumerate(pieces) for piece in some if piece.fate == "kept"]
    total = sum(len(document.text) for document in documents) + _MARKUP * sum(map(len, pieces))
    columns = Columns(
        QueryWords(query), [0, *accumulate(len(document.text) for document in documents)], pieces=len(places)
    )
    numbers = {place: n for n, place in enumerate(places)}
    pen = _Pen(columns.words, most, total > most, numbers, columns.hits)
    few = len(pieces) <= _MOST_DOCUMENTS  # of many, those with something kept are drawn
    for index, (document, mine, marked) in enumerate(zip(documents, pieces, marks, strict=True)):
        start = columns.starts[index]
        kept = [(start + piece.start, start + piece.end) for piece in mine if piece.fate == "kept"]
        columns.kept += kept
        columns.kept_characters.append(sum(end - begin for begin, end in kept))
        if pen.room > 0 and len(columns.documents) < _MOST_DOCUMENTS and (few or kept):
            columns.documents[index] = _document(pen, index, start, document, mine, marked)
        else:
            pen.left_out += len(document.text)
    columns.left_out, columns.unmarked = pen.left_out, pen.unmarked
    return columns


def _document(
    pen: _Pen, index: int, offset: int, document: Document, pieces: Sequence[Piece], marks: list[Mark]
) -> str:
    text = document.text
    reach = len(text) if not pen.shorten else _reach(pieces, pen.room)
    found = pen.words.marks(text[:reach])
    pen.hits += [(offset + mark.start, offset + mark.end) for mark in found]
    if len(pen.hits) > _MOST_MARKS:
        still = _in_kept(found, pieces)
        pen.unmarked += len(found) - len(still)
        found = still
    painter = Painter(text, [*marks, *found])
    parts = []
    for number, piece in enumerate(pieces):
        if pen.room <= 0:
            rest = len(text) - piece.start
            parts.append(_note(f"The rest of this document is not drawn: {rest:,} characters."))
            pen.left_out += rest
            break
        pen.room -= _MARKUP
        around = {
            some.fate for some in (*pieces[max(number - 1, 0) : number], *pieces[number + 1 : number + 2])
        }
        parts.append(_piece(pen, painter, index, offset, piece, around))
    return "".join(parts)


def _in_kept(marks: Sequence[Mark], pieces: Sequence[Piece]) -> list[Mark]:
    """Return the marks that start in kept text; both are in order."""
    kept = iter([piece for piece in pieces if piece.fate == "kept"])
    inside = []
    piece = next(kept, None)
    for mark in marks:
        while piece is not None and piece.end <= mark.start:
            piece = next(kept, None)
        if piece is not None and piece.start <= mark.start:
            inside.append(mark)
    return inside


def _reach(pieces: Sequence[Piece], room: int) -> int:
    """Estimate up to which character pieces can be drawn with so much room, generously."""
    for piece in pieces:
        size = piece.end - piece.start
        room -= _MARKUP + (size if piece.fate == "kept" else min(size, 2 * _ENDS))
        if room <= 0:
            return piece.end
    return pieces[-1].end if pieces else 0


def _piece(pen: _Pen, painter: Painter, index: int, offset: int, piece: Piece, around: set[str]) -> str:
    size = piece.end - piece.start
    if piece.fate == "gap":
        pen.room -= size
        blank = painter.paint(piece.start, piece.end)
        return f'<span class="g">{blank}</span>' if around == {"dropped"} else blank
    if pen.shorten and size > 3 * _ENDS and piece.fate == "dropped":
        pen.room -= 2 * _ENDS
        pen.left_out += size - 2 * _ENDS
        head, tail = piece.start + _ENDS, piece.end - _ENDS
        gap = f'<span class="x">[… {size - 2 * _ENDS:,} characters not drawn …]</span>'
        inner = f"{painter.paint(piece.start, head)}{gap}{painter.paint(tail, piece.end)}"
    else:
        end = piece.start + min(size, max(pen.room, 1))
        pen.room -= size
        pen.left_out += piece.end - end
        inner = painter.paint(piece.start, end)
        if end < piece.end:
            inner += f'<span class="x">[… {piece.end - end:,} characters not drawn …]</span>'
    title = escape(piece.tip or tip_of(piece))
    look = f" {piece.look}" if piece.look else ""
    reason = name(piece.reason)
    if piece.fate == "kept":
        number = pen.numbers[index, piece.start]
        twins = f' data-k="{piece.twins}"' if piece.twins else ""
        place = f'id="s{number}" data-at="{offset + piece.start}"{twins}'
        return f'<span class="k r-{reason}{look}" {place} title="{title}">{inner}</span>'
    link = ""
    if piece.stand_in in pen.numbers:
        link = f'<a class="x" href="#s{pen.numbers[piece.stand_in]}">[said here]</a>'
    return f'<span class="d r-{reason}{look}" title="{title}"><span>{inner}{link}</span></span>'


def draw_text(
    result: Compressed,
    pieces: Sequence[Sequence[Piece]],
    words: QueryWords,
    prefix: str = "",
    most: int = MOST_CHARACTERS,
) -> Panel:
    """Draw at most about `most` characters of the compressed text; kept pieces are named PREFIX0, ..."""
    text = result.text
    painter = Painter(text, [*text_marks(result), *words.marks(text[:most])])
    kept = (
        (document.text[piece.start : piece.end], "mono" if laid_out else piece.look)
        for document, some in zip(result.documents, pieces, strict=True)
        for laid_out in (is_laid_out(document.text),)
        for piece in some
        if piece.fate == "kept"
    )
    parts = []
    position, room, typed = 0, most, 0
    for number, (content, style) in enumerate(kept):
        place = text.find(content, position, position + len(content) + AHEAD)
        if place < 0:
            continue  # a model rewrote it
        if room < place + len(content) - position:
            break
        room -= place + len(content) - position + _MARKUP
        parts.append(painter.paint(position, place))
        position = place + len(content)
        typed += len(content) if style == "mono" else 0
        look = f' class="{style}"' if style else ""
        parts.append(f'<span{look} data-s="{prefix}{number}">{painter.paint(place, position)}</span>')
    end = min(len(text), position + max(room, 0))
    parts.append(painter.paint(position, end))
    if end < len(text):
        parts.append(_note(f"The rest is not drawn: {len(text) - end:,} characters."))
    html = "".join(parts) or '<span class="x note">Nothing was kept.</span>'
    return Panel(html, 2 * typed > end, len(text) - end)


def _note(text: str) -> str:
    return f'<span class="x note">{escape(text)}</span>'
