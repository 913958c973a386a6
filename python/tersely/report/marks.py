"""Mark words of the query, facts and what a model wrote inside a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tersely import _native
from tersely.core.facts import Fact
from tersely.core.question import read_question
from tersely.core.types import Compressed
from tersely.report.words import GENERATED, OUTCOMES, escape

__all__ = ["Mark", "Painter", "QueryWords", "fact_marks", "text_marks"]

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
        """Find where the words stand, in order. O(characters)."""
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
