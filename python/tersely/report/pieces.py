"""Divide documents into pieces for a page, and draw them: titles, reasons, kept and dropped text, marks."""

from __future__ import annotations

import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from tersely import _native
from tersely.checks import read_question
from tersely.text import well_formed
from tersely.types import Compressed, Document, Fact, Kind, Span

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
    "sealed": "Parts of the new history are sealed by the provider: what they state cannot be read.",
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
    "pruner_failed": "The pruning model failed; relevance was scored without it.",
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


_TOKEN = re.compile(r"\w+(?:[^\w\s]\w+)*")
_ONES = re.compile(b"\1+")
_PART = re.compile(r"\w+")
_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_MOST_SEARCHED = 200  # facts looked for in the compressed text


@dataclass(frozen=True, slots=True)
class Mark:
    """`text[start:end]` is drawn with these classes, this tip, and this name to link to."""

    start: int
    end: int
    classes: str
    tip: str = ""
    anchor: str = ""


class QueryWords:
    """Finds in texts the terms of a query that relevance is scored by."""

    def __init__(self, query: str) -> None:
        """Read the query, which may be blank: then nothing is found."""
        question = read_question(query).text if query.strip() else ""
        self.terms = set(_native.terms([question])[2])
        self._known: dict[str, frozenset[str]] = {}  # a word -> the query's terms in it
        self.found: set[str] = set()

    def marks(self, text: str) -> list[Mark]:
        """Find the places of the words, in order. O(characters)."""
        if not self.terms:
            return []
        tokens = [(match.start(), match.group()) for match in _TOKEN.finditer(text)]
        self._learn({word for _, word in tokens} - self._known.keys())
        marks = []
        for start, word in tokens:
            if mine := self._known[word]:
                self.found |= mine
                marks += [Mark(start + a, start + b, "q") for a, b in _places(word, mine)]
        return marks

    def found_and_missing(self, query: str) -> tuple[list[Mark], list[str]]:
        """Mark the query's words that texts so far had, and list the words that none had."""
        tokens = [(match.start(), match.group()) for match in _TOKEN.finditer(query)]
        self._learn({word for _, word in tokens} - self._known.keys())
        marks, missing = [], []
        for start, word in tokens:
            mine = self._known[word]
            if mine & self.found:
                marks += [Mark(start + a, start + b, "q") for a, b in _places(word, mine & self.found)]
            elif mine:
                missing.append(word)
        return marks, list(dict.fromkeys(missing))

    def _learn(self, words: Iterable[str]) -> None:
        new = sorted(words)
        ids, offsets, spelled = _native.terms(new)
        wanted = [term if term in self.terms else None for term in spelled]
        rows, ends = ids.tolist(), offsets.tolist()
        for word, start, end in zip(new, ends, ends[1:], strict=False):
            self._known[word] = frozenset(
                term for row in rows[start:end] if (term := wanted[row]) is not None
            )


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
        places += [(part.start() + a, part.start() + b) for a, b in _runs(covered)]
    return places or [(0, len(word))]  # folded or stemmed beyond recognition


def _runs(covered: bytearray) -> list[tuple[int, int]]:
    return [match.span() for match in _ONES.finditer(covered)]


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
    """Mark in the compressed text what a model wrote, and facts that it made up or that were put back."""
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
    """Find a fact in the compressed text, as whole words: made up ones in what a model wrote."""
    if not fact.text.strip():
        return -1
    made_up = fact.outcome == "unsupported"
    for match in re.finditer(rf"(?<!\w){re.escape(fact.text)}(?!\w)", result.text):
        if made_up == any(start <= match.start() < end for start, end in result.generated):
            return match.start()
    return result.text.find(fact.text)


class Painter:
    """Draws a text from front to back, escaped, with its marks.

    Where marks overlap, the classes of all apply and the tip is the shortest one's; nothing is nested.
    O(characters + marks log marks + those that overlap) for the whole text.
    """

    def __init__(self, text: str, marks: Sequence[Mark]) -> None:
        """`marks` in any order."""
        self._text = text
        self._waiting = sorted(marks, key=lambda mark: (mark.start, mark.end), reverse=True)
        self._active: list[Mark] = []

    def paint(self, start: int, end: int) -> str:
        """Draw `text[start:end]`; `start` is no smaller than the last `end`."""
        parts = []
        position = start
        while position < end:
            while self._waiting and self._waiting[-1].start <= position:
                self._active.append(self._waiting.pop())
            self._active = [mark for mark in self._active if mark.end > position]
            edges = [mark.end for mark in self._active]
            if self._waiting:
                edges.append(self._waiting[-1].start)
            edge = min([end, *edges])
            parts.append(self._piece(position, edge))
            position = edge
        return "".join(parts)

    def _piece(self, start: int, end: int) -> str:
        text = escape(self._text[start:end])
        if not self._active:
            return text
        classes = " ".join(dict.fromkeys(mark.classes for mark in self._active))
        tips = [mark for mark in self._active if mark.tip]
        tip = min(tips, key=lambda mark: mark.end - mark.start).tip if tips else ""
        title = f' title="{escape(tip)}"' if tip else ""
        anchors = [mark.anchor for mark in self._active if mark.anchor and mark.start == start]
        anchor = f' id="{anchors[0]}"' if anchors else ""
        return f'<mark class="{escape(classes)}"{anchor}{title}>{text}</mark>'


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
