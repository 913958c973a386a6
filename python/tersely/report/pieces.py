"""Divide documents and texts into the parts of a page: titles, reasons, kept and dropped runs, marks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import accumulate
from typing import Any, NamedTuple

from tersely import _native
from tersely.checks import read_question
from tersely.types import Compressed, Document, Fact, Kind, Span

_STEPS = re.compile(r"[\\/]+")
_LONGEST = 70  # characters of a list of names that still is a heading


class Title(NamedTuple):
    """A document's name for people, and its whole name where that is longer."""

    short: str
    whole: str = ""


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
    """Shorten each path to the last steps that tell it from the others."""
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


def heading_of(documents: Sequence[Document], titles: Sequence[Title]) -> str:
    """Return one name for all documents, as plain text."""
    if len(documents) == 1:
        document = documents[0]
        return titles[0].short if document.title or document.id or document.file_name else "Compressed text"
    listed = ", ".join(title.short for title in titles[:6])
    known = documents and all(document.title or document.id or document.file_name for document in documents)
    if known and len(documents) <= 6 and len(listed) <= _LONGEST:
        return listed
    return f"{len(documents):,} documents"


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
}
DROPPED = {
    "budget": "no tokens left for it",
    "redundant": "kept text says it already",
    "cut": "the rest of what was cut",
    "rewritten": "a model wrote something in its place",
    "markup": "tags, scripts, comments: no text",
    "unlisted": "the result does not say",
}
OUTCOMES = {
    "kept": "is in the compressed text",
    "reinserted": "put back, verbatim, after a model lost it",
    "lost": "is not in the compressed text",
    "unsupported": "a model wrote it, and no source has it",
}
GENERATED = {
    True: "written by a model",
    False: "says that something was left out",
}  # by whether a model wrote any of it
_WARNINGS = {
    "sealed": "Parts of the new history are sealed by the provider: what they state cannot be read.",
    "query_without_matches": "No word of the query is in the text, which was compressed as without a query.",
    "empty_query": "The query was blank, so the text was compressed as without one.",
    "segments_cut": "Whole segments would have left most of the budget unused, so the larger ones were cut.",
    "larger_left_out": "Most of the budget is unused: the segments left out are larger, and cannot be cut.",
    "segment_cut": "Not one whole segment fitted into the budget, so the best one was cut.",
    "counter_not_additive": "The token counts of the parts are more than 10% off the count of the whole.",
    "nothing_to_keep": "There is nothing but white space in the text.",
    "markers_left_out": "The budget had no room to mark where text was left out.",
    "markers_shortened": "The budget had no room for a count at each gap.",
    "no_unit_fits": "Not one whole line or record fitted into the budget, so it was compressed as text.",
    "json_invalid": "It is not valid JSON, so it was compressed as text.",
    "pinned_read_as_text": "Its own type would have changed pinned text, so it was compressed as text.",
    "json_too_deep": "The JSON nests too deeply, so it was compressed as text.",
    "yaml_invalid": "It is not YAML that can be shortened as data, so it was compressed as text.",
    "yaml_too_deep": "The YAML nests too deeply, so it was compressed as text.",
    "xml_invalid": "It is not XML that can be shortened as data, so it was compressed as text.",
    "xml_too_deep": "The XML nests too deeply, so it was compressed as text.",
    "characters_replaced": "Some of it was no UTF-8: read in another encoding, or replaced by U+FFFD.",
    "no_gain": "The steps were so short that their summary is not shorter.",
    "facts_lost": "Some facts that were to be preserved are not in the compressed text.",
    "unsupported_facts": "A model wrote facts that no source has.",
    "code_restored": "A model changed code; the original code replaced it.",
    "low_confidence": "The confidence is below the minimum of the options.",
    "target_tokens_below_min": "The target is below the minimum of the options.",
    "content_types_not_used": "A group spans documents of several types, so all were compressed as text.",
    "markup_kept": "The text has tags: they were pinned, or the page has no other text.",
    "documents_dropped": "Nothing of some documents fitted into the budget.",
    "chunks_dropped": "Nothing of some chunks fitted into the budget.",
    "model_not_used": "A model should have written it, but did not.",
    "chunk_fell_back": "Some chunks were compressed by a simpler method than asked for.",
    "embedder_failed": "The embedding model failed; relevance was scored without it.",
    "nothing_relevant": "No document is relevant enough to the query.",
    "relevance_doubtful": "No document is surely relevant to the query; the most probable one was kept.",
    "reserve_shrunk": "The budget has no room for the whole reserve for the response, so it is smaller.",
    "facts_left_out": "Facts were left out that no message states any more; `accounts` lists them.",
    "errors_left_out": "Errors of tools were left out; `accounts` lists them.",
    "unknown_shape": "Some messages have items of an unknown format; they are counted.",
    "reranker_failed": "The reranking model failed; relevance was scored without it.",
    "pruner_failed": "The pruning model failed; relevance was scored without it.",
}
_FALLBACKS = {
    "no_model": "there is none",
    "model_failed": "it failed",
    "empty_reply": "its reply was empty",
    "reply_too_long": "its reply was too long",
    "low_confidence": "the confidence in its reply was too low",
    "facts_lost": "its reply had lost facts",
    "no_room": "pins take the whole budget",
    "prompt_too_long": "the prompt was too long for it",
}


def in_words(code: str) -> str:
    """Return a sentence for a warning."""
    return _WARNINGS.get(code) or f"{code.replace('_', ' ').capitalize()}."


def fallback_in_words(code: str) -> str:
    """Return a sentence for the reason why no model wrote what one should have written."""
    return f"No model wrote any of the text: {_FALLBACKS.get(code) or code.replace('_', ' ')}."


AHEAD = 10_000  # characters within which a kept piece is looked for in the compressed text
_MONOSPACE = {Kind.TABLE, Kind.FENCED_CODE, Kind.CODE, Kind.LOG_LINE}


@dataclass(frozen=True, slots=True)
class Piece:
    """A run `text[start:end]` of a document with one fate: neighbouring spans."""

    start: int  #: with `end`: characters, half-open
    end: int
    fate: str  #: "kept", "dropped", or "gap" (white space between segments)
    reason: str  #: as in `Span.reason`; "unlisted" for text that no span has; "" for gaps
    look: str  #: "mono", "heading" or ""
    segments: int  #: number of segments in it
    best: float  #: the highest score of them


def pieces_of(result: Compressed) -> list[list[Piece]]:
    """Divide each document into pieces, its whole text. O(characters + segments log segments)."""
    spans: list[list[tuple[int, int, str, Span]]] = [[] for _ in result.documents]
    kept = list(result.kept)
    for fate, some in (("kept", kept), ("dropped", result.dropped)):
        for span in some:
            spans[span.document].append((span.start, span.end, fate, span))
    torn = _torn(result, kept)
    return [
        list(_pieces(index, document.text, sorted(mine, key=lambda entry: entry[:2]), torn))
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
    document: int, text: str, spans: list[tuple[int, int, str, Span]], torn: set[tuple[int, int]]
) -> Iterator[Piece]:
    position = 0
    open_piece: Piece | None = None
    for first, end, fate, span in spans:
        start = max(first, position)
        if end <= start:
            continue
        look = "mono" if span.kind in _MONOSPACE else "heading" if span.kind == Kind.HEADING else ""
        blank = not text[position:start].strip()
        same = open_piece is not None and (open_piece.fate, open_piece.reason, open_piece.look) == (
            fate,
            span.reason,
            look,
        )
        whole = fate != "kept" or (document, span.start) not in torn
        if open_piece and same and blank and whole:
            number, best = open_piece.segments + 1, max(open_piece.best, span.score)
            open_piece = Piece(open_piece.start, end, fate, span.reason, look, number, best)
        else:
            if open_piece:
                yield open_piece
            if position < start:
                yield _between(position, start, blank)
            open_piece = Piece(start, end, fate, span.reason, look, 1, span.score)
        position = end
    if open_piece:
        yield open_piece
    if position < len(text):
        yield _between(position, len(text), not text[position:].strip())


def _between(start: int, end: int, blank: bool) -> Piece:
    return Piece(start, end, "gap" if blank else "dropped", "" if blank else "unlisted", "", 0, 0.0)


def tip_of(piece: Piece) -> str:
    """Describe whether a piece was kept, and why."""
    words = (KEPT if piece.fate == "kept" else DROPPED).get(piece.reason, piece.reason.replace("_", " "))
    number = "1 segment" if piece.segments == 1 else f"{piece.segments} segments"
    score = f", score {'up to ' if piece.segments > 1 else ''}{piece.best:.2f}" if piece.best else ""
    return f"{piece.fate.capitalize()}: {words} ({number}{score})"


def is_laid_out(text: str) -> bool:
    """Say whether a quarter of the lines are indented, as in code."""
    return 4 * (text.count("\n ") + text.count("\n\t")) > text.count("\n")


_TOKEN = re.compile(r"\w+(?:[^\w\s]\w+)*")
_ONES = re.compile(b"\1+")
_PART = re.compile(r"\w+")
_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_MOST_SEARCHED = 200  # facts looked for in the compressed text


class Mark(NamedTuple):
    """`text[start:end]` is drawn with these classes, this tip, and this name to link to."""

    start: int
    end: int
    classes: str
    tip: str = ""
    anchor: str = ""


# A piece of text as the page draws it: a str, or [str, classes, tip, anchor] where it is marked.
Run = str | list[str]


class QueryWords:
    """Finds in texts the terms of a query that relevance is scored by."""

    def __init__(self, query: str) -> None:
        """Read the query, which may be blank: then nothing is found."""
        question = read_question(query).text if query.strip() else ""
        self.terms = set(_native.terms([question])[2])
        self._known: dict[str, frozenset[str]] = {}  # a word -> the query's terms in it
        self.found: set[str] = set()

    def marks(self, text: str, offset: int = 0) -> list[Mark]:
        """Find the places of the words, in order, `offset` characters further on. O(characters)."""
        if not self.terms:
            return []
        marks = []
        for start, word, mine in self._read(text):
            if mine:
                self.found |= mine
                marks += _marks(word, mine, offset + start)
        return marks

    def found_and_missing(self, query: str) -> tuple[list[Mark], list[str]]:
        """Mark the query's words that texts so far had, and list the words that none had."""
        marks, missing = [], []
        for start, word, mine in self._read(query):
            if mine & self.found:
                marks += _marks(word, mine & self.found, start)
            elif mine:
                missing.append(word)
        return marks, list(dict.fromkeys(missing))

    def _read(self, text: str) -> Iterator[tuple[int, str, frozenset[str]]]:
        """Yield each word of a text, where it starts, and the query's terms in it."""
        tokens = [(match.start(), match.group()) for match in _TOKEN.finditer(text)]
        if new := sorted({word for _, word in tokens if word not in self._known}):
            ids, offsets, spelled = _native.terms(new)
            wanted = [term if term in self.terms else None for term in spelled]
            rows, ends = ids.tolist(), offsets.tolist()
            for word, start, end in zip(new, ends, ends[1:], strict=False):
                self._known[word] = frozenset(term for row in rows[start:end] if (term := wanted[row]))
        for start, word in tokens:
            yield start, word, self._known[word]


def _marks(word: str, terms: frozenset[str], offset: int) -> list[Mark]:
    return [Mark(offset + start, offset + end, "q") for start, end in _places(word, terms)]


def _places(word: str, terms: frozenset[str]) -> list[tuple[int, int]]:
    """Find the terms in a word, which may be several words ("Missouri–Kansas") or a Chinese sentence."""
    places = []
    for part in _PART.finditer(word):
        low = part.group().casefold()
        inside = [term for term in terms if term in low]
        if not _WITHOUT_SPACES.search(low) or len(low) != len(part.group()):
            places += [part.span()] if inside else []
            continue
        covered = bytearray(len(low))
        for term in inside:
            place = low.find(term)
            while place >= 0:
                covered[place : place + len(term)] = b"\1" * len(term)
                place = low.find(term, place + 1)
        places += [
            (part.start() + a, part.start() + b) for a, b in map(re.Match.span, _ONES.finditer(covered))
        ]
    return places or [(0, len(word))]  # folded or stemmed beyond recognition


def fact_marks(result: Compressed) -> list[list[Mark]]:
    """Mark each document's facts; fact i can be linked to as "f{i}"."""
    marks: list[list[Mark]] = [[] for _ in result.documents]
    report = result.receipt.facts
    for number, fact in enumerate(report.facts if report else ()):
        if 0 <= fact.document < len(marks):
            why = f" ({fact.reason.replace('_', ' ')})" if fact.reason else ""
            kind = fact.kind.name.lower().replace("_", " ")
            tip = f"Fact, {kind}: {OUTCOMES.get(fact.outcome, fact.outcome)}{why}"
            marks[fact.document].append(Mark(fact.start, fact.end, f"f {fact.outcome}", tip, f"f{number}"))
    return marks


def text_marks(result: Compressed) -> list[Mark]:
    """Mark generated text in the result, and facts that were made up or put back."""
    tip = f"{GENERATED[result.receipt.used_llm].capitalize()}: not in the source"
    marks = [Mark(start, end, "gen", tip) for start, end in result.generated]
    report = result.receipt.facts
    facts = [fact for fact in report.facts if fact.outcome in ("unsupported", "reinserted")] if report else []
    for fact in facts[:_MOST_SEARCHED]:
        place = _place(result, fact)
        if place >= 0:
            tip = f"Fact, {fact.kind.name.lower().replace('_', ' ')}: {OUTCOMES[fact.outcome]}"
            marks.append(Mark(place, place + len(fact.text), f"f {fact.outcome}", tip))
    return marks


def _place(result: Compressed, fact: Fact) -> int:
    """Find a fact in the compressed text as whole words; made up ones in generated text."""
    if not fact.text.strip():
        return -1
    made_up = fact.outcome == "unsupported"
    for match in re.finditer(rf"(?<!\w){re.escape(fact.text)}(?!\w)", result.text):
        if made_up == any(start <= match.start() < end for start, end in result.generated):
            return match.start()
    return result.text.find(fact.text)


class Painter:
    """Divides a text into runs from front to back.

    Where marks overlap, the classes of all apply and the tip is the shortest one's.
    O(characters + marks log marks + those that overlap) for the whole text.
    """

    def __init__(self, text: str, marks: Iterable[Mark]) -> None:
        """`marks` in any order."""
        self._text = text
        self._waiting = list(marks)
        heapify(self._waiting)
        self._active: list[Mark] = []

    def add(self, marks: Iterable[Mark]) -> None:
        """Add marks in runs without one."""
        for mark in marks:
            heappush(self._waiting, mark)

    def runs(self, start: int, end: int) -> list[Run]:
        """Divide `text[start:end]`; `start` is no smaller than the last `end`."""
        runs: list[Run] = []
        while start < end:
            while self._waiting and self._waiting[0].start <= start:
                self._active.append(heappop(self._waiting))
            self._active = [mark for mark in self._active if mark.end > start]
            edge = min(
                [end, *(mark.end for mark in self._active), *(mark.start for mark in self._waiting[:1])]
            )
            text = self._text[start:edge]
            runs.append(self._marked(text, start) if self._active else text)
            start = edge
        return runs

    def _marked(self, text: str, start: int) -> list[str]:
        classes = " ".join(dict.fromkeys(mark.classes for mark in self._active))
        tips = [mark for mark in self._active if mark.tip]
        tip = min(tips, key=lambda mark: mark.end - mark.start).tip if tips else ""
        anchors = [mark.anchor for mark in self._active if mark.anchor and mark.start == start]
        return [text, classes, tip, *anchors[:1]]


MOST_CHARACTERS = 1_500_000  # of either column, markup included; what is left out is said
_MOST_DOCUMENTS = 500
_ENDS = 160  # characters drawn at each end of a dropped run, where not everything is drawn
_MOST_MARKS = 4_000  # words of the query that are marked in dropped text: more make the page slow
_MARKUP = 60  # characters that a piece costs besides its own, so that many small ones make no huge page


class Drawing:
    """The documents as the page shows them, at most about 1.5 million characters."""

    def __init__(
        self,
        documents: Sequence[Document],
        pieces: Sequence[Sequence[Piece]],
        marks: Sequence[list[Mark]],
        query: str,
    ) -> None:
        """Draw all that there is room for. O(characters + segments log segments)."""
        self.words = QueryWords(query)  #: with those that stand in what is drawn
        #: where each document starts, in characters of all of them joined
        self.starts = [0, *accumulate(len(document.text) for document in documents)]
        self.documents: dict[int, list[dict[str, Any]]] = {}  #: index -> pieces of each that is drawn
        self.kept: list[tuple[int, int]] = []  #: (start, end) of what was kept, as `starts`
        self.hits: list[tuple[int, int]] = []  #: the same of words of the query in what is drawn
        self.kept_characters: list[int] = []  #: of each document
        #: characters of the documents that are not drawn; words of the query that are too many to be marked
        self.left_out = self.unmarked = 0
        places = [(i, piece.start) for i, some in enumerate(pieces) for piece in some if piece.fate == "kept"]
        self.pieces = len(places)  #: number of kept pieces
        self._numbers = {place: number for number, place in enumerate(places)}
        self._room = MOST_CHARACTERS
        self._shorten = self.starts[-1] + _MARKUP * sum(map(len, pieces)) > MOST_CHARACTERS
        few = len(pieces) <= _MOST_DOCUMENTS  # of many, those with something kept are drawn
        for index, mine in enumerate(pieces):
            start, text = self.starts[index], documents[index].text
            kept = [(start + piece.start, start + piece.end) for piece in mine if piece.fate == "kept"]
            self.kept += kept
            self.kept_characters.append(sum(end - begin for begin, end in kept))
            if self._room > 0 and len(self.documents) < _MOST_DOCUMENTS and (few or kept):
                self.documents[index] = list(self._document(index, text, mine, marks[index]))
            else:
                self.left_out += len(text)

    def _document(
        self, index: int, text: str, pieces: Sequence[Piece], marks: list[Mark]
    ) -> Iterator[dict[str, Any]]:
        painter = Painter(text, marks)
        for piece in pieces:
            if self._room <= 0:
                rest = len(text) - piece.start
                self.left_out += rest
                yield {"text": [note(f"The rest of this document is not drawn: {rest:,} characters.")]}
                return
            yield self._piece(index, text, painter, piece)

    def _piece(self, index: int, text: str, painter: Painter, piece: Piece) -> dict[str, Any]:
        size = piece.end - piece.start
        tail = _ENDS if self._shorten and piece.fate == "dropped" and size > 3 * _ENDS else 0
        head = tail or min(size, max(self._room - _MARKUP, 1))
        self._room -= _MARKUP + head + tail
        runs = self._runs(index, text, painter, piece, piece.start, piece.start + head)
        if gap := size - head - tail:
            self.left_out += gap
            runs.append([f"[… {gap:,} characters not drawn …]", "x"])
            runs += self._runs(index, text, painter, piece, piece.end - tail, piece.end)
        if piece.fate == "gap":
            return {"text": runs}
        drawn: dict[str, Any] = {
            "fate": piece.fate[0],
            "look": f"r-{piece.reason} {piece.look}".strip(),
            "tip": tip_of(piece),
            "text": runs,
        }
        if piece.fate == "kept":
            number = self._numbers[index, piece.start]
            drawn |= {"number": number, "at": self.starts[index] + piece.start}
        return drawn

    def _runs(self, index: int, text: str, painter: Painter, piece: Piece, start: int, end: int) -> list[Run]:
        found = self.words.marks(text[start:end], start)
        offset = self.starts[index]
        self.hits += [(offset + mark.start, offset + mark.end) for mark in found]
        if len(self.hits) > _MOST_MARKS and piece.fate != "kept":
            self.unmarked += len(found)
        else:
            painter.add(found)
        return painter.runs(start, end)


def draw_text(result: Compressed, pieces: Sequence[Sequence[Piece]], words: QueryWords) -> dict[str, Any]:
    """Divide at most about `MOST_CHARACTERS` of the compressed text into runs.

    Returns:
        "text": runs, and those of kept pieces as {"number", "look", "text"}; "mono": whether most of
        it is code, lines of logs and the like; "left_out": characters that are not drawn.
    """
    text = result.text
    painter = Painter(text, [*text_marks(result), *words.marks(text[:MOST_CHARACTERS])])
    kept = (
        (document.text[piece.start : piece.end], "mono" if laid_out else piece.look)
        for document, some in zip(result.documents, pieces, strict=True)
        for laid_out in (is_laid_out(document.text),)
        for piece in some
        if piece.fate == "kept"
    )
    parts: list[Any] = []
    position, room, typed = 0, MOST_CHARACTERS, 0
    for number, (content, look) in enumerate(kept):
        place = text.find(content, position, position + len(content) + AHEAD)
        if place < 0:
            continue  # a model rewrote it
        if room < place + len(content) - position:
            break
        room -= place + len(content) - position + _MARKUP
        parts += painter.runs(position, place)
        position = place + len(content)
        typed += len(content) if look == "mono" else 0
        parts.append({"number": number, "look": look, "text": painter.runs(place, position)})
    end = min(len(text), position + max(room, 0))
    parts += painter.runs(position, end)
    if end < len(text):
        parts.append(note(f"The rest is not drawn: {len(text) - end:,} characters."))
    parts = parts or [note("Nothing was kept.")]
    return {"text": parts, "mono": 2 * typed > end, "left_out": len(text) - end}


def note(text: str) -> Run:
    """Return the page's own words within a text."""
    return [text, "x note"]
