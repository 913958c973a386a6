"""Convert results of every kind to what the page shows: documents, marks, the map of the source.

Histories are documents too, one a message or a step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tersely import _native
from tersely.checks import read_question
from tersely.memory.compaction import CompactedMessages
from tersely.memory.messages import Entry, read_message, read_messages
from tersely.memory.repl import CompactionResult, REPLEntry
from tersely.report.pieces import GENERATED, OUTCOMES, escape
from tersely.retrieval.contextual.results import CompressionResult
from tersely.types import Compressed, Document, Fact, Kind, Receipt, Span, count_reasons

__all__ = [
    "COLUMNS",
    "STEPS",
    "Lane",
    "Mark",
    "Painter",
    "QueryWords",
    "Showable",
    "View",
    "draw_map",
    "fact_marks",
    "levels",
    "text_marks",
    "view_of",
]

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


COLUMNS = 720  # parts of the map, left to right
STEPS = 8  # heights of a part
_HEIGHT = 4 * STEPS  # units of the drawing
_FOOT = 7  # units below it, where ticks are
_FEW = 400  # places that are drawn one by one
_CLOSEST = 4  # columns between two edges of documents, so that many leave the map readable


@dataclass(frozen=True, slots=True)
class Lane:
    """One row of the map.

    Attributes:
        name: what it shows, in words.
        places: (start, end) in characters of all documents joined, in order, without overlap.
        look: class of its parts.
        ticks: a class and the (start, end) that are marked below the row with it; in order, without overlap.
    """

    name: str
    places: Sequence[tuple[int, int]]
    look: str = "in"
    ticks: tuple[tuple[str, Sequence[tuple[int, int]]], ...] = ()


def levels(places: Iterable[tuple[int, int]], total: int) -> list[int]:
    """Return how much of each of COLUMNS equal parts of a text of `total` characters the places cover.

    0: nothing; 1: up to an eighth; STEPS: all. `places` are in order and do not overlap. What is there has at
    least 1, however small it is. O(places + COLUMNS).
    """
    covered = [0.0] * COLUMNS
    for start, end in places:
        first, last = COLUMNS * start / total, COLUMNS * min(end, total) / total
        column = min(int(first), COLUMNS - 1)
        while column < last and column < COLUMNS:
            covered[column] += max(min(last, column + 1) - max(first, column), 1e-9)
            column += 1
    return [max(1, min(STEPS, round(STEPS * share))) if share else 0 for share in covered]


def draw_map(lanes: Sequence[Lane], sizes: Sequence[int], pieces: int) -> str:
    """Draw the lanes one above the other.

    Args:
        lanes: at least one.
        sizes: characters of each document.
        pieces: number of kept pieces that the page can go to.
    """
    total = sum(sizes)
    drawn = "".join(_lane(lane, sizes, total, len(lanes) > 1) for lane in lanes)
    look = "map several" if len(lanes) > 1 else "map"
    label = "Map of the source. Arrow keys go to the next and the previous kept piece."
    return (
        f'<div class="{look}" id="map" data-total="{total}" tabindex="0" role="slider" aria-label="{label}" '
        f'aria-valuemin="0" aria-valuemax="{pieces}" aria-valuenow="0" '
        f'aria-valuetext="{pieces:,} kept pieces">'
        f'{drawn}<i class="view" id="view"></i><i class="pin" id="pin"></i></div>'
    )


def _lane(lane: Lane, sizes: Sequence[int], total: int, named: bool) -> str:
    ticks = [(look, places) for look, places in lane.ticks if places]
    height = _HEIGHT + _FOOT * bool(ticks)
    rects = [f'<rect class="all" width="{COLUMNS}" height="{_HEIGHT}"/>']
    if total:
        rects += _exact(lane, total) if len(lane.places) <= _FEW else _skyline(lane, total)
        rects += _edges(sizes, total)
        for look, places in ticks:
            rects += _ticks(look, levels(places, total))
    name = f'<span class="lane x {lane.look}">{escape(lane.name)}</span>' if named else ""
    return (
        f'{name}<svg viewBox="0 0 {COLUMNS} {height}" preserveAspectRatio="none" aria-hidden="true">'
        f"{''.join(rects)}</svg>"
    )


def _exact(lane: Lane, total: int) -> list[str]:
    """Draw each place where it is, at least a column wide."""
    return [
        f'<rect class="{lane.look}" x="{COLUMNS * start / total:.2f}" '
        f'width="{max(COLUMNS * (end - start) / total, 1):.2f}" height="{_HEIGHT}"/>'
        for start, end in lane.places
    ]


def _skyline(lane: Lane, total: int) -> list[str]:
    """Draw columns as high as they are full."""
    return [
        f'<rect class="{lane.look}" x="{at}" y="{_HEIGHT - tall}" width="{width}" height="{tall}"/>'
        for at, width, tall in _stretches([_HEIGHT * level // STEPS for level in levels(lane.places, total)])
    ]


def _ticks(look: str, heights: list[int]) -> list[str]:
    return [
        f'<rect class="{look}" x="{at}" y="{_HEIGHT + 2}" width="{width}" height="{_FOOT - 2}"/>'
        for at, width, _ in _stretches([min(height, 1) for height in heights])
    ]


def _stretches(heights: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (first column, columns, height) of equal neighbours that are not 0."""
    at = 0
    for height, run in groupby(heights):
        width = sum(1 for _ in run)
        if height:
            yield at, width, height
        at += width


def _edges(sizes: Sequence[int], total: int) -> list[str]:
    """Draw a line between documents, where there is room for one."""
    rects = []
    at, last = 0, 0.0
    for size in sizes[:-1]:
        at += size
        column = COLUMNS * at / total
        if column - last >= _CLOSEST:
            rects.append(f'<rect class="edge" x="{column:.2f}" width="1" height="{_HEIGHT}"/>')
            last = column
    return rects


Showable = Compressed | CompressionResult | CompactedMessages | CompactionResult


@dataclass(frozen=True, slots=True)
class View:
    """A result as the page shows it.

    Attributes:
        result: documents, spans, text and receipt.
        noun: what the documents are: "documents", "messages" or "steps".
        measure: what budgets and sizes count: "tokens" or "characters".
        limited: whether there was a budget.
    """

    result: Compressed
    noun: str = "documents"
    measure: str = "tokens"
    limited: bool = True


def view_of(result: Showable) -> View:
    """Return the view of a result. Raises TypeError for what is no result. O(characters)."""
    if isinstance(result, Compressed):
        return View(result)
    if isinstance(result, CompressionResult):
        return View(_contextual(result))
    if isinstance(result, CompactedMessages):
        return View(_messages(result), "messages")
    if isinstance(result, CompactionResult):
        return View(_steps(result), "steps", "characters", limited=False)
    kinds = "Compressed, CompressionResult, CompactedMessages or CompactionResult"
    raise TypeError(f"result must be a {kinds}, not {type(result).__name__}")


def _contextual(result: CompressionResult) -> Compressed:
    documents = tuple(
        Document(chunk.content, str(chunk.id), _title(chunk.metadata or {}), metadata=chunk.metadata or {})
        for chunk in result.original_documents
    )
    kept: list[Span] = []
    dropped: list[Span] = []
    generated: list[tuple[int, int]] = []
    at = 0
    for one in sorted(result.compressed_documents, key=lambda one: one.index):
        kept += sorted(one.preserved_segments, key=lambda span: span.start)
        dropped += one.dropped_segments
    for one in result.compressed_documents:
        generated += [(at + start, at + end) for start, end in one.generated]
        at += len(one.content) + len(result.separator)
    for gone in result.dropped_documents:
        if documents[gone.index].text:
            dropped.append(_whole(gone.index, documents[gone.index].text, gone.reason))
    receipt = _receipt(
        kept,
        dropped,
        budget=result.usage.available,
        tokens=result.usage.used,
        original=result.original_token_count,
        warnings=result.warnings,
        used_llm=result.used_llm,
        fallback_reason=result.fallback_reason,
    )
    scores = tuple(score.overall_score for score in result.relevance_scores)
    judge = (lambda: scores) if len(scores) == len(documents) else None
    return Compressed(result.text, documents, kept, dropped, receipt, tuple(generated), judge=judge)


def _title(metadata: Any) -> str | None:
    title = metadata.get("title")
    return title if isinstance(title, str) and title else None


def _messages(result: CompactedMessages) -> Compressed:
    """One document a message; of one that became shorter, the lines that are still there."""
    entries = read_messages(result.originals)
    documents = tuple(
        Document(_text(entry), title=f"{number} {_speaker(entry)}") for number, entry in enumerate(entries)
    )
    shorter = _changed_texts(result)
    kept: list[Span] = []
    dropped: list[Span] = []
    for account, entry, document in zip(result.accounts, entries, documents, strict=True):
        text, index = document.text, account.index
        if not text:
            continue
        if account.outcome == "verbatim":
            kept.append(_whole(index, text, account.reason))
            continue
        places: list[tuple[int, int]] = []
        if account.outcome == "compressed":
            places = list(_lines_in(text, next(shorter, "")))
        elif account.outcome == "folded":
            starts = _starts(entry)
            places = sorted(
                (starts[piece] + start, starts[piece] + end) for piece, start, end in account.kept
            )
        quoted = "selected" if account.outcome == "compressed" else "excerpt"
        kept += [Span(index, start, end, Kind.PROSE, quoted, 0.0) for start, end in places]
        dropped += [
            Span(index, start, end, Kind.PROSE, account.reason, 0.0)
            for start, end in _rest(places, len(text))
        ]
    text = "\n\n".join(f"{_speaker(entry)}:\n{_text(entry)}" for entry in read_messages(result.messages))
    receipt = _receipt(
        kept,
        dropped,
        budget=result.budget,
        tokens=result.tokens,
        original=result.original_tokens,
        warnings=result.warnings,
    )
    return Compressed(text, documents, kept, dropped, receipt)


def _steps(result: CompactionResult) -> Compressed:
    """Make a document of each step; the summary takes the place of those before the preserved ones."""
    steps = [*result.summarized, *result.preserved_entries]
    documents = tuple(Document(_step(step), title=f"Step {n}") for n, step in enumerate(steps, 1))
    old = len(result.summarized)
    why = "rewritten" if result.used_llm else "summarized"
    kept = [_whole(n, d.text, "newest") for n, d in enumerate(documents) if n >= old and d.text]
    dropped = [_whole(n, d.text, why) for n, d in enumerate(documents) if n < old and d.text]
    later = [document.text for document in documents[old:]]
    text = "\n\n".join([*([result.summary] if result.summary else []), *later])
    receipt = _receipt(
        kept,
        dropped,
        budget=result.original_chars,
        tokens=result.compacted_chars,
        original=result.original_chars,
        used_llm=result.used_llm,
        fallback_reason=result.fallback_reason,
        warnings=result.warnings,
    )
    generated = ((0, len(result.summary)),) if result.used_llm else ()
    return Compressed(text, documents, kept, dropped, receipt, generated)


def _step(step: REPLEntry) -> str:
    return "\n\n".join(part for part in (step.reasoning, step.code, step.output) if part)


def _receipt(kept: Sequence[Span], dropped: Sequence[Span], *, original: int, **known: Any) -> Receipt:
    return Receipt(
        original_tokens=original,
        counter="",
        segments=len(kept) + len(dropped),
        reasons=count_reasons(kept, dropped),
        recounts=0,
        **known,
    )


def _whole(document: int, text: str, reason: str) -> Span:
    return Span(document, 0, len(text), Kind.PROSE, reason, 0.0)


def _rest(places: Sequence[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Yield what is between places, which are in order."""
    at = 0
    for start, end in places:
        if at < start:
            yield at, start
        at = max(at, end)
    if at < size:
        yield at, size


def _text(entry: Entry) -> str:
    return "\n".join(piece.text for piece in entry.pieces)


def _starts(entry: Entry) -> list[int]:
    """Return where each piece of a message starts in its text."""
    starts, at = [], 0
    for piece in entry.pieces:
        starts.append(at)
        at += len(piece.text) + 1
    return starts


def _speaker(entry: Entry) -> str:
    return f"{entry.role} {entry.name}".strip()


def _changed_texts(result: CompactedMessages) -> Iterator[str]:
    """Yield the texts of messages that became shorter, in order; the one of excerpts is none of them."""
    known = {id(message) for message in result.originals}
    for message in result.messages:
        if id(message) not in known:
            entry = read_message(message)
            if not any(piece.kind == "excerpts" for piece in entry.pieces):
                yield _text(entry)


def _lines_in(text: str, shorter: str) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines that a text shares with a shorter one, in order. O(characters)."""
    lines = text.splitlines(keepends=True)
    bare: Callable[[str], str] = str.rstrip
    known = {bare(line) for line in lines}
    left = [line for line in map(bare, shorter.splitlines()) if line in known][::-1]
    at, start = 0, -1
    for line in lines:
        if left and bare(line) == left[-1]:
            left.pop()
            start = at if start < 0 else start
        elif start >= 0:
            yield start, at
            start = -1
        at += len(line)
    if start >= 0:
        yield start, at
