"""Draw the two columns: the documents with what was kept and dropped of them, and the compressed text.

Spans become pieces, runs of text with one fate (`_pieces_of`); `draw` writes them as HTML within a limit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tersely import _native
from tersely.core.tables import Kind
from tersely.core.types import Compressed, Document, Span
from tersely.report.marks import Mark, Painter, QueryWords, fact_marks, text_marks
from tersely.report.words import DROPPED, KEPT, escape, name

__all__ = ["Columns", "draw", "is_laid_out"]

_MOST_DOCUMENTS = 500
_ENDS = 160  # characters drawn at each end of a dropped run, where not everything is drawn
_MARKUP = 60  # characters that a piece costs besides its own, so that many small ones make no huge page
_AHEAD = 10_000  # characters within which a kept piece is looked for in the compressed text
_MONOSPACE = {Kind.TABLE, Kind.FENCED_CODE, Kind.CODE, Kind.LOG_LINE}
_COMMON = 50  # kept segments with a term, from which on it says little about which one is meant
_SHARE = 0.75  # of a redundant segment's terms that one kept segment must have to be called its stand-in


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run `text[start:end]` of a document with one fate: neighbouring spans.

    Attributes:
        start, end: characters, half-open.
        fate: "kept", "dropped", or "gap" (white space between segments).
        reason: as in `Span.reason`; "unlisted" for text that no span has; "" for gaps.
        look: "mono", "heading" or "".
        segments: number of segments in it.
        best: the highest score of them.
        stand_in: (document, start) of a kept piece that says what this one says, or None.
    """

    start: int
    end: int
    fate: str
    reason: str
    look: str
    segments: int
    best: float
    stand_in: tuple[int, int] | None = None


@dataclass(slots=True, eq=False)
class Columns:
    """Both columns as HTML, with the numbers that drawing them gives.

    Attributes:
        documents: index -> HTML of the documents that are drawn.
        compressed: HTML of the compressed text.
        monospace: whether most of it is code, lines of logs and the like.
        kept_characters: of each document.
        left_out: characters of the documents that are not drawn.
        text_left_out: characters of the compressed text that are not drawn.
        words: the query's, with those that stand in what was drawn.
    """

    words: QueryWords
    documents: dict[int, str] = field(default_factory=dict)
    compressed: str = ""
    monospace: bool = False
    kept_characters: list[int] = field(default_factory=list)
    left_out: int = 0
    text_left_out: int = 0


@dataclass(slots=True, eq=False)
class _Pen:
    """State that passes from one document to the next while they are drawn."""

    words: QueryWords
    room: int  # characters that may still be drawn
    shorten: bool  # whether long dropped runs are drawn by their ends only
    numbers: dict[tuple[int, int], int]  # where a kept piece starts -> its number
    left_out: int = 0


def draw(result: Compressed, query: str, most: int) -> Columns:
    """Draw at most about `most` characters of the sources, and of the compressed text, markup included.

    O(characters + segments log segments).
    """
    pieces = _pieces_of(result)
    places = [(i, piece.start) for i, some in enumerate(pieces) for piece in some if piece.fate == "kept"]
    total = sum(len(document.text) for document in result.documents) + _MARKUP * sum(map(len, pieces))
    pen = _Pen(QueryWords(query), most, total > most, {place: n for n, place in enumerate(places)})
    columns = Columns(pen.words)
    few = len(pieces) <= _MOST_DOCUMENTS  # of many, those with something kept are drawn
    for index, (document, mine, marks) in enumerate(
        zip(result.documents, pieces, fact_marks(result), strict=True)
    ):
        columns.kept_characters.append(sum(p.end - p.start for p in mine if p.fate == "kept"))
        if pen.room > 0 and len(columns.documents) < _MOST_DOCUMENTS and (few or columns.kept_characters[-1]):
            columns.documents[index] = _document(pen, index, document, mine, marks)
        else:
            pen.left_out += len(document.text)
    columns.left_out = pen.left_out
    columns.compressed = _compressed(columns, result, pieces, most)
    return columns


def _document(pen: _Pen, index: int, document: Document, pieces: list[_Piece], marks: list[Mark]) -> str:
    text = document.text
    reach = len(text) if not pen.shorten else _reach(pieces, pen.room)
    painter = Painter(text, [*marks, *pen.words.marks(text[:reach])])
    parts = []
    for piece in pieces:
        if pen.room <= 0:
            rest = len(text) - piece.start
            parts.append(_note(f"The rest of this document is not drawn: {rest:,} characters."))
            pen.left_out += rest
            break
        pen.room -= _MARKUP
        parts.append(_piece(pen, painter, index, piece))
    return "".join(parts)


def _reach(pieces: list[_Piece], room: int) -> int:
    """Estimate up to which character pieces can be drawn with so much room, generously."""
    for piece in pieces:
        size = piece.end - piece.start
        room -= _MARKUP + (size if piece.fate == "kept" else min(size, 2 * _ENDS))
        if room <= 0:
            return piece.end
    return pieces[-1].end if pieces else 0


def _piece(pen: _Pen, painter: Painter, index: int, piece: _Piece) -> str:
    size = piece.end - piece.start
    if piece.fate == "gap":
        pen.room -= size
        return painter.paint(piece.start, piece.end)
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
    title = escape(_tip(piece))
    look = f" {piece.look}" if piece.look else ""
    reason = name(piece.reason)
    if piece.fate == "kept":
        number = pen.numbers[index, piece.start]
        return f'<span class="k r-{reason}{look}" id="s{number}" title="{title}">{inner}</span>'
    link = ""
    if piece.stand_in in pen.numbers:
        link = f'<a class="x" href="#s{pen.numbers[piece.stand_in]}">[said here]</a>'
    return f'<span class="d r-{reason}{look}" title="{title}"><span>{inner}{link}</span></span>'


def _tip(piece: _Piece) -> str:
    words = (KEPT if piece.fate == "kept" else DROPPED).get(piece.reason, piece.reason.replace("_", " "))
    number = "1 segment" if piece.segments == 1 else f"{piece.segments} segments"
    score = f", score {'up to ' if piece.segments > 1 else ''}{piece.best:.2f}" if piece.best else ""
    return f"{piece.fate.capitalize()}: {words} ({number}{score})"


def _compressed(columns: Columns, result: Compressed, pieces: Sequence[list[_Piece]], most: int) -> str:
    text = result.text
    words = columns.words.marks(text[:most])
    painter = Painter(text, [*text_marks(result), *words])
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
        place = text.find(content, position, position + len(content) + _AHEAD)
        if place < 0:
            continue  # a model rewrote it
        if room < place + len(content) - position:
            break
        room -= place + len(content) - position + _MARKUP
        parts.append(painter.paint(position, place))
        position = place + len(content)
        typed += len(content) if style == "mono" else 0
        look = f' class="{style}"' if style else ""
        parts.append(f'<span{look} data-s="{number}">{painter.paint(place, position)}</span>')
    end = min(len(text), position + max(room, 0))
    parts.append(painter.paint(position, end))
    columns.text_left_out = len(text) - end
    columns.monospace = 2 * typed > end
    if columns.text_left_out:
        parts.append(_note(f"The rest is not drawn: {columns.text_left_out:,} characters."))
    return "".join(parts)


def is_laid_out(text: str) -> bool:
    """Say whether a quarter of the lines are indented, as in code."""
    return 4 * (text.count("\n ") + text.count("\n\t")) > text.count("\n")


def _note(text: str) -> str:
    return f'<span class="x note">{escape(text)}</span>'


def _pieces_of(result: Compressed) -> list[list[_Piece]]:
    """Divide each document into pieces, its whole text. O(characters + segments log segments)."""
    spans: list[list[tuple[int, int, str, Span]]] = [[] for _ in result.documents]
    kept = list(result.kept)
    dropped = list(result.dropped)
    for fate, some in (("kept", kept), ("dropped", dropped)):
        for span in some:
            spans[span.document].append((span.start, span.end, fate, span))
    stand_ins = _stand_ins(result, kept, dropped)
    apart = set(stand_ins.values())  # what is linked to is a piece of its own
    torn = _torn(result, kept)
    return [
        list(_pieces(index, document.text, sorted(mine, key=lambda entry: entry[:2]), stand_ins, apart, torn))
        for index, (document, mine) in enumerate(zip(result.documents, spans, strict=True))
    ]


def _torn(result: Compressed, kept: list[Span]) -> set[tuple[int, int]]:
    """(document, start) of kept segments before which the text differs from the source: a note, a marker."""
    torn = set()
    at, before = 0, (-1, 0)
    for span in kept:
        source = result.documents[span.document].text
        content = source[span.start : span.end]
        gap = source[before[1] : span.start] if before[0] == span.document else None
        if gap is None or not result.text.startswith(gap + content, at):
            torn.add((span.document, span.start))
            place = result.text.find(content, at, at + len(content) + _AHEAD)
            at = place if place >= 0 else at
        else:
            at += len(gap)
        at += len(content) if result.text.startswith(content, at) else 0
        before = (span.document, span.end)
    return torn


def _pieces(
    document: int,
    text: str,
    spans: list[tuple[int, int, str, Span]],
    stand_ins: dict[tuple[int, int], tuple[int, int]],
    apart: set[tuple[int, int]],
    torn: set[tuple[int, int]],
) -> Iterator[_Piece]:
    position = 0
    open_piece: _Piece | None = None
    closed = False  # the open piece takes no more
    for first, end, fate, span in spans:
        start = max(first, position)
        if end <= start:
            continue
        look = "mono" if span.kind in _MONOSPACE else "heading" if span.kind == Kind.HEADING else ""
        stand_in = stand_ins.get((document, span.start))
        alone = stand_in is not None or (document, span.start) in apart
        blank = not text[position:start].strip()
        same = open_piece is not None and (open_piece.fate, open_piece.reason, open_piece.look) == (
            fate,
            span.reason,
            look,
        )
        whole = fate != "kept" or (document, span.start) not in torn
        if open_piece and same and blank and whole and not alone and not closed:
            number, best = open_piece.segments + 1, max(open_piece.best, span.score)
            open_piece = _Piece(open_piece.start, end, fate, span.reason, look, number, best)
        else:
            if open_piece:
                yield open_piece
            if position < start:
                yield _between(position, start, blank)
            open_piece = _Piece(start, end, fate, span.reason, look, 1, span.score, stand_in)
        position, closed = end, alone
    if open_piece:
        yield open_piece
    if position < len(text):
        yield _between(position, len(text), not text[position:].strip())


def _between(start: int, end: int, blank: bool) -> _Piece:
    return _Piece(start, end, "gap" if blank else "dropped", "" if blank else "unlisted", "", 0, 0.0)


def _stand_ins(
    result: Compressed, kept: list[Span], dropped: list[Span]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Find for each redundant segment the kept one with the same or most of its terms, common ones aside."""
    redundant = [span for span in dropped if span.reason == "redundant"]
    if not redundant:
        return {}
    texts = [result.documents[span.document].text[span.start : span.end] for span in [*kept, *redundant]]
    ids, offsets, _ = _native.terms(texts)
    ends = offsets.tolist()
    terms = [tuple(ids[start:end].tolist()) for start, end in pairwise(ends)]
    same: dict[tuple[int, ...], int] = {}
    having: dict[int, list[int]] = defaultdict(list)
    for row in range(len(kept)):
        same.setdefault(terms[row], row)
        for term in set(terms[row]):
            if len(having[term]) <= _COMMON:
                having[term].append(row)
    found = {}
    for span, mine in zip(redundant, terms[len(kept) :], strict=True):
        stand_in = same.get(mine)
        if stand_in is None:
            shared = Counter(
                row for term in set(mine) if len(having[term]) <= _COMMON for row in having[term]
            )
            best = min(((-number, row) for row, number in shared.items()), default=None)
            if best is not None and -best[0] >= _SHARE * len(set(mine)):
                stand_in = best[1]
        if stand_in is not None:
            found[span.document, span.start] = (kept[stand_in].document, kept[stand_in].start)
    return found
