"""Divide documents into pieces for a page: titles, what was kept or dropped, and the reasons."""

from __future__ import annotations

import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tersely import _native
from tersely.text import well_formed
from tersely.types import Compressed, Document, Kind, Span

__all__ = [
    "AHEAD",
    "DROPPED",
    "GENERATED",
    "KEPT",
    "OUTCOMES",
    "Piece",
    "Title",
    "escape",
    "fallback_in_words",
    "heading_of",
    "in_words",
    "is_laid_out",
    "name",
    "pieces_of",
    "tip_of",
    "titles_of",
]

_STEPS = re.compile(r"[\\/]+")
_LONGEST = 70  # characters of a list of names that still is a heading


@dataclass(frozen=True, slots=True)
class Title:
    """A document's name for people, and its whole name where that is longer; not yet escaped."""

    short: str
    whole: str = ""

    @property
    def html(self) -> str:
        """As an element that keeps its own direction."""
        tip = f' title="{name(self.whole)}"' if self.whole else ""
        return f"<bdi{tip}>{name(self.short)}</bdi>"


def titles_of(documents: Sequence[Document]) -> list[Title]:
    """Return a title a document: its own, the end of its path, its id, or its number. O(characters)."""
    named: list[Title | None] = [None] * len(documents)
    paths: dict[int, list[str]] = {}
    for index, document in enumerate(documents):
        path = document.file_name
        if document.title:
            named[index] = Title(document.title)
        elif steps := [step for step in _STEPS.split(path) if step]:
            paths[index] = steps
        else:
            named[index] = Title(str(document.id or "") or f"Document {index + 1}")
    for index, steps in _shortest(paths).items():
        short, whole = "/".join(steps), documents[index].file_name
        named[index] = Title(short, whole if whole != short else "")
    return [title for title in named if title is not None]


def _shortest(paths: dict[int, list[str]]) -> dict[int, list[str]]:
    """Take as many steps from the end of each path as tell it from the others."""
    short = {index: steps[-1:] for index, steps in paths.items()}
    for length in range(2, 1 + max(map(len, paths.values()), default=0)):
        same = defaultdict(list)
        for index, steps in short.items():
            same[tuple(steps)].append(index)
        twins = [index for some in same.values() if len(some) > 1 for index in some]
        if not twins:
            break
        for index in twins:
            short[index] = paths[index][-length:]
    return short


def heading_of(documents: Sequence[Document], titles: Sequence[Title], noun: str = "documents") -> str:
    """Return what all of them are called together, as plain text."""
    if len(documents) == 1:
        document = documents[0]
        return titles[0].short if document.title or document.id or document.file_name else "Compressed text"
    listed = ", ".join(title.short for title in titles[:6])
    known = documents and all(document.title or document.id or document.file_name for document in documents)
    if known and len(documents) <= 6 and len(listed) <= _LONGEST:
        return listed
    return f"{len(documents):,} {noun}"


KEPT = {
    "selected": "worth most for its tokens",
    "pinned": "pinned: you asked for it",
    "preserved": "it holds facts that were to be preserved",
    "context": "stands beside something selected",
    "heading": "heading above something kept",
    "cut": "kept up to where it was cut",
    "fits": "everything fits",
    "copied": "code that a model copied",
    "reinserted": "put back after a model lost it",
    "excerpt": "quoted among the excerpts of earlier messages",
    "newest": "among the newest",
    "system": "a system message",
    "task": "the first of the user",
    "picture": "it holds a picture",
    "cache_marker": "a prompt cache ends here",
    "with_held": "it belongs to what has to stay",
    "budget": "there was room for it",
}
DROPPED = {
    "budget": "no tokens left for it",
    "redundant": "kept text says it already",
    "cut": "the rest of what was cut",
    "rewritten": "a model wrote something in its place",
    "markup": "tags, scripts, comments: no text",
    "unlisted": "the result does not say",
    "irrelevant": "too little to do with the query",
    "duplicate": "another document has it word for word",
    "empty": "there is nothing in it",
    "summarized": "the summary stands for it",
    "repeated": "a newer message has it",
    "stated_elsewhere": "each of its lines stands elsewhere",
    "newest": "shortened, though among the newest",
}
OUTCOMES = {
    "kept": "stands in the compressed text",
    "reinserted": "put back, verbatim, after a model lost it",
    "lost": "does not stand in the compressed text",
    "unsupported": "a model wrote it, and no source has it",
}
GENERATED = {
    True: "written by a model",
    False: "says that something was left out",
}  # by whether a model wrote any of it
_WARNINGS = {
    "query_without_matches": "No word of the query stands in the text: it was compressed as without one.",
    "empty_query": "The query was blank, so the text was compressed as without one.",
    "segment_cut": "Not one whole segment fitted into the budget, so the best one was cut.",
    "counter_not_additive": "The token counts of the parts are more than 10% off the count of the whole.",
    "nothing_to_keep": "There is nothing but white space in the text.",
    "markers_left_out": "There was no room to say in the text where something was left out.",
    "markers_shortened": "There was no room to say in each place how much was left out.",
    "no_unit_fits": "Not one whole unit fitted into the budget: it was compressed as text.",
    "json_invalid": "It is not valid JSON, so it was compressed as text.",
    "json_too_deep": "The JSON nests too deeply, so it was compressed as text.",
    "yaml_invalid": "It is not YAML that can be shortened as data, so it was compressed as text.",
    "yaml_too_deep": "The YAML nests too deeply, so it was compressed as text.",
    "xml_invalid": "It is not XML that can be shortened as data, so it was compressed as text.",
    "xml_too_deep": "The XML nests too deeply, so it was compressed as text.",
    "characters_replaced": "Some of it was no UTF-8: read in another encoding, or replaced by U+FFFD.",
    "no_gain": "The steps were so short that their summary is not shorter.",
    "facts_lost": "Not all the facts that were to be preserved stand in the compressed text.",
    "unsupported_facts": "A model wrote facts that no source has.",
    "code_restored": "A model changed code; the original stands in its place.",
    "low_confidence": "The confidence is below the least that was asked for.",
    "target_tokens_below_min": "The target is below the least number of tokens that was asked for.",
    "content_types_not_used": "A group spans documents of several types, so all were compressed as text.",
    "markup_kept": "Tags stand in the text: they were asked for, or there was nothing else.",
    "documents_dropped": "Nothing of some documents fitted into the budget.",
    "chunks_dropped": "Nothing of some chunks fitted into the budget.",
    "model_not_used": "A model should have written it, but did not.",
    "chunk_fell_back": "Some chunk was compressed in a simpler way than asked for.",
    "embedder_failed": "The embedding model failed; relevance was scored without it.",
    "nothing_relevant": "No document has enough to do with the query.",
    "relevance_doubtful": "No document surely has to do with the query; the most probable one stays.",
    "reserve_shrunk": "The budget has no room for the whole reserve for the response, so it is smaller.",
    "strategy_failed": "What was to shorten a result failed, so the message was folded.",
    "facts_left_out": "Facts were left out that nothing states any more; the accounts list them.",
    "errors_left_out": "Words of tools that tell of a failure were left out.",
    "unknown_shape": "Some message holds what is not known; it counts, and may be folded.",
    "reranker_failed": "The reranking model failed; relevance was scored without it.",
}
_FALLBACKS = {
    "no_model": "there is none",
    "model_failed": "it failed",
    "empty_reply": "its reply was empty",
    "reply_too_long": "its reply was too long",
    "low_confidence": "its reply was not to be trusted",
    "facts_lost": "its reply had lost facts",
    "no_room": "what is pinned takes the whole budget",
    "prompt_too_long": "the prompt was too long for it",
}
# What a terminal would obey is shown as its picture; tabs and line ends stay.
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10, 13)} | {127: 0x2421}


def escape(text: str) -> str:
    """Escape a text for HTML; control characters become their pictures."""
    return html.escape(text).translate(_PICTURES)


def name(text: str) -> str:
    """Escape a name of the caller's, which may lack a UTF-8 form, as file names do."""
    return escape(well_formed(text))


def in_words(code: str) -> str:
    """Return a sentence for a warning."""
    return _WARNINGS.get(code) or f"{code.replace('_', ' ').capitalize()}."


def fallback_in_words(code: str) -> str:
    """Return a sentence for the reason why no model wrote what one should have written."""
    return f"No model wrote any of the text: {_FALLBACKS.get(code) or code.replace('_', ' ')}."


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
