"""Divide documents into pieces: runs of text that are kept or dropped for one reason."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tersely import _native
from tersely.core.tables import Kind
from tersely.core.types import Compressed, Span
from tersely.report.words import DROPPED, KEPT

__all__ = ["AHEAD", "Piece", "is_laid_out", "pieces_of", "tip_of"]

AHEAD = 10_000  # characters within which a kept piece is looked for in the compressed text
_MONOSPACE = {Kind.TABLE, Kind.FENCED_CODE, Kind.CODE, Kind.LOG_LINE}
_COMMON = 50  # kept segments with a term, from which on it says little about which one is meant
_SHARE = 0.75  # of a redundant segment's terms that one kept segment must have to be called its stand-in


@dataclass(frozen=True, slots=True)
class Piece:
    """A run `text[start:end]` of a document with one fate: neighbouring spans.

    Attributes:
        start, end: characters, half-open.
        fate: "kept", "dropped", or "gap" (white space between segments).
        reason: as in `Span.reason`; "unlisted" for text that no span has; "" for gaps.
        look: "mono", "heading" or "".
        segments: number of segments in it.
        best: the highest score of them.
        stand_in: (document, start) of a kept piece that says what this one says, or None.
        tip: what is said of it; "": what `tip_of` gives.
        twins: names of the pieces of compressed texts that it stands in, where those are several.
    """

    start: int
    end: int
    fate: str
    reason: str
    look: str
    segments: int
    best: float
    stand_in: tuple[int, int] | None = None
    tip: str = ""
    twins: str = ""


def pieces_of(result: Compressed) -> list[list[Piece]]:
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
            place = result.text.find(content, at, at + len(content) + AHEAD)
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
) -> Iterator[Piece]:
    position = 0
    open_piece: Piece | None = None
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
            open_piece = Piece(open_piece.start, end, fate, span.reason, look, number, best)
        else:
            if open_piece:
                yield open_piece
            if position < start:
                yield _between(position, start, blank)
            open_piece = Piece(start, end, fate, span.reason, look, 1, span.score, stand_in)
        position, closed = end, alone
    if open_piece:
        yield open_piece
    if position < len(text):
        yield _between(position, len(text), not text[position:].strip())


def _between(start: int, end: int, blank: bool) -> Piece:
    return Piece(start, end, "gap" if blank else "dropped", "" if blank else "unlisted", "", 0, 0.0)


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


def tip_of(piece: Piece) -> str:
    """Describe whether a piece was kept, and why."""
    words = (KEPT if piece.fate == "kept" else DROPPED).get(piece.reason, piece.reason.replace("_", " "))
    number = "1 segment" if piece.segments == 1 else f"{piece.segments} segments"
    score = f", score {'up to ' if piece.segments > 1 else ''}{piece.best:.2f}" if piece.best else ""
    return f"{piece.fate.capitalize()}: {words} ({number}{score})"


def is_laid_out(text: str) -> bool:
    """Say whether a quarter of the lines are indented, as in code."""
    return 4 * (text.count("\n ") + text.count("\n\t")) > text.count("\n")
