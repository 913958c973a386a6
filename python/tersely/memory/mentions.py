"""Find what texts of a history state that later steps may need: paths, identifiers, numbers, errors ..."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.content.detect import detect_each
from tersely.engine.facts import find_facts
from tersely.engine.reading import segment
from tersely.memory.messages import Entry, Piece
from tersely.types import FactKind, Float64s, Int64s, Level

# How much it matters that a fact of a kind stays stated, beside one of the others; 0: it does not count here.
_WORTHS = {
    FactKind.PATH: 1.0, FactKind.PATH_LINE: 1.0, FactKind.URL: 1.0, FactKind.ERROR: 1.0,
    FactKind.IDENTIFIER: 0.7, FactKind.INLINE_CODE: 0.7, FactKind.DATE: 0.6, FactKind.VERSION: 0.4,
    FactKind.NAME: 0.3, FactKind.NUMBER: 0.15,
}  # fmt: skip
_WORTH = np.array([_WORTHS.get(kind, 0.0) for kind in FactKind])
_FAILURE_WORTH, _CODE_WORTH, _VALUE_WORTH, _EXCERPT_WORTH = 1.0, 0.7, 0.5, 0.3
FAILED = 2.0  # of what a tool says of a failure: it comes before all else, however old it is

#: What an output says that tells of a failure, in small letters; and what a line says, besides.
FAILURES = ("error", "exception", "traceback", "failed")
_FAILURES = (*FAILURES, "failure", "fatal", "panic", "cannot ", "denied", "no such file", "fail:")
_NO_NEWS = {"code", "diff", "html"}  # in texts of these kinds such words say nothing of a failure
_LONGEST_LINE = 300  # characters of such a line; a longer one is data
_HEAD, _TAIL = 400, 800  # characters of what failed, whole lines from its start and its end: the words for it
# Codes: letters and digits in one word ("HAT039", "gift_card_7480005", "c-17"), and long whole numbers.
_CODES = re.compile(
    r"\b(?:[A-Za-z_-]{1,40}+\d|\d[\d_-]{0,40}+[A-Za-z])[\w-]{2,}+|(?<![\d.,:-])\b\d{6,20}+\b(?![.,:]\d)"
)
_LONGEST_CODE = 64
# What is ours in a message of excerpts (the explanation, marker lines, sources), and in shortened results.
_OURS = {
    "excerpts": re.compile(
        r"^(?:\[Excerpts of [^\n]*|=== \d+ ===$"
        r"|(?:user|assistant|other|excerpts|tool(?: [\w.:-]{1,64})?) \d+: )",
        re.ASCII | re.MULTILINE,
    ),
    "result": re.compile(
        r"… (?:lines? )?[×\d][^\n\"]*|^\[(?:The same as|As) in message \d+", re.ASCII | re.MULTILINE
    ),
}
_LINE = re.compile(r"\S(?:[^\n]*\S)?")
# Strings of JSON; a colon behind one makes it a key. Bounded, so that the scan stays linear.
_STRINGS = re.compile(r'"((?:[^"\\\n]|\\.){0,1000}+)"(\s*:)?')
_VALUE_CHARACTERS = range(2, 49)
_AT_ONCE = 3000  # tokens of messages of a growing history that wait, and then are read in one turn


@dataclass(frozen=True, eq=False, slots=True)
class Mentions:
    """Pieces of texts that state facts, none within another, in order."""

    document: Int64s  # int64[m], index of the text
    start: Int64s  # int64[m], characters of that text, half-open
    end: Int64s
    worth: Float64s  # float64[m], of the most important fact in it, in (0, 1], or FAILED
    inner: Int64s  # int64[k, 3], facts within a larger mention: its row, start and end, as above

    def __len__(self) -> int:
        return len(self.document)


def find_mentions(pieces: Sequence[Piece], excerpts: Collection[int] = ()) -> Mentions:
    """Find the mentions of the texts of pieces. O(characters + facts log facts).

    `excerpts`: indices of texts whose every line is a mention: what was found before, and no more stands in
    its surroundings.
    """
    texts = [piece.text for piece in pieces]
    first = np.cumsum([0, *map(len, texts)], dtype=np.int64)[:-1] + np.arange(len(texts))
    start, end, worth = _facts(pieces, first, excerpts)
    order = np.lexsort((-end, start))
    start, end, worth = start[order], end[order], worth[order]
    reach = np.concatenate(([-1], np.maximum.accumulate(end)[:-1])) if len(end) else end
    whole = end > reach
    mention = whole.cumsum() - 1
    document = first.searchsorted(start[whole], side="right") - 1
    best = np.zeros(int(whole.sum()))
    np.maximum.at(best, mention, worth)
    offset = first[document]
    held = (~whole).nonzero()[0]
    places = (mention[held], start[held] - offset[mention[held]], end[held] - offset[mention[held]])
    inner = np.stack(places, axis=1)
    return Mentions(document, start[whole] - offset, end[whole] - offset, best, inner)


def join_mentions(parts: Sequence[tuple[Mentions, int]]) -> Mentions:
    """Join the mentions of parts of a row of texts, each with the number of its first text.

    Those of texts before number 0 are left out. O(mentions).
    """
    if not parts:
        return find_mentions(())
    found: list[list[npt.NDArray[Any]]] = []
    rows = 0
    for mentions, offset in parts:
        here = mentions.document + offset >= 0
        inner = mentions.inner[here[mentions.inner[:, 0]]]
        inner[:, 0] = (here.cumsum() - 1 + rows)[inner[:, 0]]
        rows += int(here.sum())
        columns = (mentions.document + offset, mentions.start, mentions.end, mentions.worth)
        found.append([*(column[here] for column in columns), inner])
    return Mentions(*(np.concatenate(column) for column in zip(*found, strict=True)))


@dataclass(eq=False, slots=True)
class Notes:
    """The mentions of a history that grows, found some messages at a time, so that no turn takes long.

    `first` never becomes smaller from call to call; entries stay the same.
    """

    _upto: int = 0  # entries before this one were read, or are not asked for any more
    _pieces: list[int] = field(default_factory=lambda: [0])  # of all entries before each, and after the last
    _parts: list[tuple[int, int, Mentions]] = field(default_factory=list)  # of entries [begin, end), in order

    def read(self, entries: Sequence[Entry], first: int, costs: Sequence[int]) -> None:
        """Read the next entries from `first`, if there are many tokens of them. `costs`: tokens of each."""
        self._leave(first)
        if sum(costs[self._upto :]) >= _AT_ONCE:
            last, tokens = self._upto, 0
            while tokens < _AT_ONCE:
                tokens += costs[last]
                last += 1
            self._read(entries, last)

    def since(self, entries: Sequence[Entry], first: int) -> Mentions:
        """The mentions of all entries from `first`; documents are numbered from its first piece."""
        self._leave(first)
        self._read(entries, len(entries))
        start = self._pieces[first]
        return join_mentions([(part, self._pieces[begin] - start) for begin, _, part in self._parts])

    def _leave(self, first: int) -> None:
        """Forget the entries before `first`."""
        self._parts = [part for part in self._parts if part[1] > first]
        if self._parts and self._parts[0][0] < first:
            begin, end, mentions = self._parts[0]
            left = join_mentions([(mentions, self._pieces[begin] - self._pieces[first])])
            self._parts[0] = (first, end, left)
        self._upto = max(self._upto, first)

    def _read(self, entries: Sequence[Entry], last: int) -> None:
        for entry in entries[len(self._pieces) - 1 : last]:
            self._pieces.append(self._pieces[-1] + len(entry.pieces))
        if self._upto < last:
            pieces = [piece for entry in entries[self._upto : last] for piece in entry.pieces]
            self._parts.append((self._upto, last, find_mentions(pieces)))
            self._upto = last


def _facts(
    pieces: Sequence[Piece], first: Int64s, excerpts: Collection[int]
) -> tuple[Int64s, Int64s, Float64s]:
    """Find start, end and worth of every fact; places count through all texts, a character between them."""
    texts = [piece.text for piece in pieces]
    for row, piece in enumerate(pieces):
        if piece.kind in _OURS:  # what number a message has, or how much is left out, is no fact
            texts[row] = _OURS[piece.kind].sub(lambda ours: " " * len(ours[0]), piece.text)
    plain = [text.replace("```", "   ") for text in texts]  # what stands in fenced code counts by itself
    facts = find_facts(plain, segment(plain, Level.SENTENCE))
    worth = _WORTH[facts.kind]
    counts = worth > 0
    offset = first[facts.document]
    joined = "\n".join(texts)
    lines = _failing_lines(joined)
    codes = [match.span() for match in _CODES.finditer(joined)]
    values = [
        (at + match.start(1), at + match.end(1))
        for at, text in zip(first.tolist(), texts, strict=True)
        if text[:64].lstrip()[:1] in ("{", "[")
        for match in _STRINGS.finditer(text)
        if match[2] is None and len(match[1]) in _VALUE_CHARACTERS
    ]
    found = [
        (int(first[index]) + match.start(), int(first[index]) + match.end())
        for index in excerpts
        for match in _LINE.finditer(texts[index])
    ]
    spans = [np.array(places, dtype=np.int64).reshape(-1, 2) for places in (codes, values, found)]
    spans[0] = spans[0][spans[0][:, 1] - spans[0][:, 0] <= _LONGEST_CODE]
    spans += [lines, _failures(pieces, first, lines)]
    own = np.concatenate(spans)
    worths = (_CODE_WORTH, _VALUE_WORTH, _EXCERPT_WORTH, _FAILURE_WORTH, FAILED)
    own_worth = np.repeat(worths, [*map(len, spans)])
    return (
        np.concatenate(((facts.start + offset)[counts], own[:, 0])),
        np.concatenate(((facts.end + offset)[counts], own[:, 1])),
        np.concatenate((worth[counts], own_worth)),
    )


def _failures(pieces: Sequence[Piece], first: Int64s, lines: Int64s) -> Int64s:
    """int64[k, 2]: lines in which tools say what failed; `lines`: those of all texts that tell of a failure.

    Of a result that is said to have failed these are any lines, else `lines`, unless it is text in which such
    words are no news; of many, those at its start and its end.
    """
    borders = np.searchsorted(lines[:, 0], np.append(first, np.iinfo(np.int64).max)).tolist()
    told = [
        row
        for row, piece in enumerate(pieces)
        if piece.failed or (piece.kind == "result" and borders[row] < borders[row + 1])
    ]
    kinds = detect_each([pieces[row].text for row in told])
    found: list[tuple[int, int]] = []
    for row, kind in zip(told, kinds, strict=True):
        at, text = int(first[row]), pieces[row].text
        if pieces[row].failed:
            spans = [(at + match.start(), at + match.end()) for match in _LINE.finditer(text)]
        elif kind.kind not in _NO_NEWS:
            spans = lines[borders[row] : borders[row + 1]].tolist()
        else:
            continue
        size = np.cumsum([end - start for start, end in spans])
        found += [
            (start, min(end, start + _LONGEST_LINE))
            for (start, end), before, upto in zip(spans, [0, *size], size, strict=False)
            if before < _HEAD or size[-1] - upto < _TAIL
        ]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _failing_lines(text: str) -> Int64s:
    """int64[k, 2]: lines that tell of a failure, without the white space around them."""
    small = text.replace("\u0130", "i").lower()  # the one capital of two small characters
    hits: set[int] = set()
    for word in _FAILURES:
        at = small.find(word)
        while at >= 0:
            hits.add(at)
            at = small.find(word, at + len(word))
    found = []
    for start, end in lines_at(text, sorted(hits)):
        line = text[start:end]
        bare = line.strip()
        if len(bare) <= _LONGEST_LINE:
            begin = start + line.find(bare)
            found.append((begin, begin + len(bare)))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def lines_at(text: str, places: Iterable[int]) -> list[tuple[int, int]]:
    """List the lines (start, end) that have these ascending places, each once. O(characters)."""
    found: list[tuple[int, int]] = []
    end = -1
    for place in places:
        if place >= end:
            end = text.find("\n", place)
            end = len(text) if end < 0 else end
            found.append((text.rfind("\n", 0, place) + 1, end))
    return found
