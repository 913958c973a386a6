"""Read messages that cannot stay whole as units: what each states, whole lines, and who said it.

The units stand in one text, a transcript: each message's words behind their source ("user 12: "). A fact is a
unit, and so is the rest of a line; both need the source, so that it is paid for once. What is kept is sent in
a message that has the role of a user, so nothing that a tool gave may pass for his words, nor end the quotes:
a marker line that no excerpt holds stands before and behind them, and only a source begins at the start of a
line (`tersely.content.units.Quoted`).
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tersely.content.units import Bools
from tersely.engine.reading import count_batch
from tersely.engine.worth import hybrid, read_for_query
from tersely.memory.mentions import FAILED, Mentions, find_mentions
from tersely.memory.messages import HEADER, Entry, Path, Piece
from tersely.models.embedders import resolve_embedder
from tersely.protocols import BatchTokenCounter
from tersely.types import Document, Float32s, Float64s, Int32s, Int64s, Kind, Level, SegmentTable
from tersely.writing.prompt import fence

# Arguments that name a file, and a command line.
_PATHS = ("file_path", "path", "filename", "file", "absolute_path", "target_file")
_COMMANDS = ("command", "cmd")
_NONE = (None, None)

#: A path or file name, and a command line, where they are known.
Hints = tuple[str | None, str | None]


def hints_of(arguments: Any) -> Hints:
    """Return the path and the command line that a call's arguments (a mapping, or its JSON) name."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return _NONE
    if not isinstance(arguments, Mapping):
        return _NONE
    file, command = (
        next((arguments[key] for key in keys if isinstance(arguments.get(key), str)), None)
        for keys in (_PATHS, _COMMANDS)
    )
    return file, command


def called_tools(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the name of the tool of each call, by the call's id."""
    return {
        piece.call: piece.text.partition(" ")[0]
        for entry in entries
        for piece in entry.pieces
        if piece.kind == "call"
    }


def called_arguments(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the arguments of each call as JSON, by the call's id; "" where one message has an id twice."""
    found: dict[str, str] = {}
    for entry in entries:
        own: dict[str, str] = {}
        for piece in entry.pieces:
            if piece.kind == "call":
                own[piece.call] = "" if piece.call in own else piece.text.partition(" ")[2]
        found |= own
    return found


def hints_by_call(entries: Sequence[Entry]) -> dict[str, Hints]:
    """Return what the calls of a history say of their results, by the id of the call. O(characters)."""
    return {call: hints_of(arguments) for call, arguments in called_arguments(entries).items()}


def document_of_result(result: Piece, hints: Mapping[str, Hints]) -> Document:
    """Return a result as a document that is read as what its call says it is (`hints_by_call`)."""
    file, command = hints.get(result.call, _NONE)
    return Document(result.text, name=file, command=command)


_NAME = re.compile(r"[\w.:-]{1,64}", re.ASCII)  # of a tool; any other is not repeated
_SOURCE_TOKENS = 4  # "user 12: " and the line end, about
_NEWEST = 1 / 3  # share of the messages whose facts count fully
_OLDEST_WORTH, _OLDER_WORTH = 0.1, 0.55  # what a fact counts at the far and the near end of the others
_IDENTIFIES = 0.7  # worth of facts that name what the work is about: paths, identifiers, codes, errors
_FACT_RANK, _LINE_RANK = 2.0, 2.0**-10  # facts are worth more than a result of a tool (at most 2), lines less
_FACT_ROOM = 1.5  # tokens of facts that are told apart for a token of the budget: most take few
_LINE_ROOM = 16  # characters of lines for a token of the budget: many do not fit
_LEAST_ROOM = 2000  # characters of lines that are told apart in any case
_NEVER = 2**40  # tokens: what is in no line that is told apart costs more than any budget

_BESIDE = 3  # mentions on either side that make a list, where they look alike
_FORM = str.maketrans(  # what an identifier looks like: the kinds of its characters
    string.ascii_lowercase + string.ascii_uppercase + string.digits, "a" * 26 + "A" * 26 + "0" * 10
)

_REACH = 12  # messages: standard deviation of the Gaussian that spreads relevance to neighbours
_WINDOW = 200  # characters; not used at the level SENTENCE

_SOURCE, _FACT, _WORDS, _REST = range(4)  # what a unit is: words are of a line around its facts


def sources_of(entries: Sequence[Entry], numbers: Sequence[int], called: Mapping[str, str]) -> list[str]:
    """Name the source of each piece of entries, with the number of its message: "user 12", "tool grep 13".

    A result is a tool's, whatever the role of its message; what was quoted before says itself whose it is:
    "excerpts 14"; what has no known shape is nobody's words: "other 12". `called`: id of a call -> name of
    the tool.
    """
    found = []
    for entry, number in zip(entries, numbers, strict=True):
        of_tool = entry.role == "tool"
        speaker = entry.role if entry.role in ("user", "assistant") else "other"
        for piece in entry.pieces:
            if piece.kind == "result" or (piece.kind in ("data", "picture") and (piece.call or of_tool)):
                name = entry.name if of_tool and entry.name else called.get(piece.call, "")
                found.append(f"tool {name} {number}" if _NAME.fullmatch(name) else f"tool {number}")
            elif piece.kind == "excerpts":
                found.append(f"excerpts {number}")
            else:
                found.append(f"other {number}" if piece.kind == "data" else f"{speaker} {number}")
    return found


def frame_excerpts(lines: str) -> str:
    """Write a message of excerpts: an explanation, and `lines` between two equal marker lines."""
    return f"{HEADER}\n{fence(lines).put(lines)}"


@dataclass(frozen=True, eq=False, slots=True)
class StatedFacts:
    """The facts of a history, each where it is stated last."""

    entry: Int64s  # int64[pieces], the entry of each piece of all entries
    mentions: Mentions  # of the pieces
    # rows of `mentions` that state something no later entry states, newest first; those of texts that are
    # sent in part at the end
    rows: Int64s
    entries: Int64s  # int64[rows], how many entries state the same
    touched: Int64s  # int64[rows], the last entry that states it, or what stands beside it and looks like it
    costs: Int64s  # int64[rows], tokens of each
    tokens: Int64s  # int64[entries], what the rows of an entry take, with the source of its line


def read_stated_facts(
    counter: BatchTokenCounter,
    entries: Sequence[Entry],
    stays: Collection[int],
    excerpts: Collection[int] = (),
    mentions: Mentions | None = None,
    shorter: Collection[tuple[int, Path]] = (),
) -> StatedFacts:
    """Find the facts of entries.

    `stays`: entries that are sent anyway, so that nothing else needs to state what they do. `excerpts`:
    entries that hold nothing but excerpts, a line each. `mentions`: of all texts, where they are known.
    `shorter`: (entry, path) of texts that are sent in part, so that anything else states what they do.
    O(characters + facts log facts).
    """
    pieces = [(index, piece) for index, entry in enumerate(entries) for piece in entry.pieces]
    texts = [piece.text for _, piece in pieces]
    entry_of = np.array([index for index, _ in pieces], dtype=np.int64)
    if mentions is None:
        known = [row for row, (index, _) in enumerate(pieces) if index in excerpts] if excerpts else []
        mentions = find_mentions([piece for _, piece in pieces], known)
    owners = entry_of[mentions.document]
    held = np.zeros(len(entries), dtype=bool)
    held[list(stays)] = True
    in_part = [(index, piece.path) in shorter for index, piece in pieces]
    partly = np.array(in_part, dtype=bool)[mentions.document]
    staying = held[owners] & ~partly
    spans = np.stack((mentions.document, mentions.start, mentions.end), axis=1)
    around = mentions.inner[:, 0]
    spans = np.concatenate((spans, np.column_stack((mentions.document[around], mentions.inner[:, 1:]))))
    words = [texts[row][start:end] for row, start, end in spans.tolist()]
    numbers: dict[str, int] = {}
    key = np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int64)
    owner = np.concatenate((owners, owners[around]))
    latest = np.zeros(len(numbers), dtype=np.int64)  # entry that states each
    np.maximum.at(latest, key, owner)
    stated_by = np.unique(key * len(entries) + owner) // max(len(entries), 1)
    often = np.bincount(stated_by, minlength=len(numbers))  # entries
    inner: dict[int, list[int]] = {}
    for row, one in zip(around.tolist(), key[len(mentions) :].tolist(), strict=True):
        inner.setdefault(row, []).append(one)
    seen = bytearray(len(numbers))
    chosen: list[int] = []
    turn = np.where(staying, 0, 1 + partly)
    order = np.lexsort((np.where(staying, 1, -1) * np.arange(len(turn)), turn))
    for row, one, stays_there in zip(
        order.tolist(), key[order].tolist(), staying[order].tolist(), strict=True
    ):
        if not seen[one]:
            for stated in (one, *inner.get(row, ())):
                seen[stated] = True
            if not stays_there:
                chosen.append(row)
    rows = np.array(chosen, dtype=np.int64)
    costs = count_batch(counter, [" " + words[row] for row in chosen])
    tokens = np.zeros(len(entries), dtype=np.int64)
    np.add.at(tokens, owners[rows], costs)
    tokens[np.unique(owners[rows])] += _SOURCE_TOKENS
    own = key[: len(mentions)]
    touched = _touched(mentions, words, latest[own])[rows]
    return StatedFacts(entry_of, mentions, rows, often[own[rows]], touched, costs, tokens)


def _touched(mentions: Mentions, words: Sequence[str], own: Int64s) -> Int64s:
    """int64[m]: the last entry that states each mention, or one of the same words near it in its entry.

    `words`: of the mentions; `own`: the last entry that states each. While a list is worked through, what is
    left of it is needed soon, too.
    """
    names = (mentions.worth >= _IDENTIFIES).nonzero()[0]
    forms: dict[str, int] = {}
    form = np.full(len(mentions), -1, dtype=np.int64)
    form[names] = [
        forms.setdefault("".join(sorted(set(words[row].translate(_FORM)))), len(forms))
        for row in names.tolist()
    ]
    touched = own.copy()
    for apart in range(1, _BESIDE + 1):
        here, there = slice(None, -apart), slice(apart, None)
        alike = (form[here] == form[there]) & (form[here] >= 0)
        alike &= mentions.document[here] == mentions.document[there]
        touched[here] = np.maximum(touched[here], np.where(alike, own[there], 0))
        touched[there] = np.maximum(touched[there], np.where(alike, own[here], 0))
    return touched


def relevance_of(entries: Sequence[Entry], query: str) -> Float64s | None:
    """float64[entries]: relevance of each and its neighbours; None where none has to do with the query.

    Conversations speak of one thing for a while. Of the segments of an entry the best counts
    (engine/worth.py). O(characters).
    """
    documents = [Document("\n".join(piece.text for piece in entry.pieces)) for entry in entries]
    prepared = read_for_query(tuple(documents), query, Level.SENTENCE, _WINDOW)
    found = hybrid(prepared, resolve_embedder(None))
    if not found.by_query:
        return None
    table = prepared.analysis.table
    best = np.zeros(len(entries))
    np.maximum.at(best, table.document, found.segments[: len(table)])
    reach = np.arange(-3 * _REACH, 3 * _REACH + 1)
    weight = np.exp(-0.5 * (reach / _REACH) ** 2)
    near = np.convolve(best, weight)[3 * _REACH : -3 * _REACH]
    there = np.convolve(np.ones(len(best)), weight)[3 * _REACH : -3 * _REACH]
    spread: Float64s = near / there
    return spread


@dataclass(frozen=True, eq=False, slots=True)
class Excerpts:
    """Messages as units of one text, in which all words come after the name of the speaker."""

    text: str  # the transcript
    table: SegmentTable  # its units; `heading` is the unit that each needs, `block` the line
    worth: Float32s  # float32[n], their order
    costs: Int64s  # int64[n], tokens of each
    group: Int32s  # int32[n], the words of a line that stay together; -1: on its own
    sources: Bools  # bool[n], units that say who speaks
    pieces: Int64s  # int64[k], the pieces that stand in the text, as `StatedFacts.entry` counts them
    begins: Int64s  # int64[k], where each begins in it

    def places(self, rows: Int64s) -> tuple[Int64s, Int64s, Int64s]:
        """(piece, start, end) of what kept rows hold of the pieces, in order; what touches is one place."""
        rows = rows[~self.sources[rows]]
        start, end = self.table.start[rows], self.table.end[rows]
        at = self.begins.searchsorted(start, side="right") - 1
        apart = (end[:-1] != start[1:]) | (at[:-1] != at[1:])
        ends = [True] * bool(len(rows))
        first, last = np.concatenate((ends, apart)).astype(bool), np.concatenate((apart, ends)).astype(bool)
        at = at[first]
        return self.pieces[at], start[first] - self.begins[at], end[last] - self.begins[at]


def read_excerpts(
    counter: BatchTokenCounter,
    entries: Sequence[Entry],
    numbers: Sequence[int],
    called: Mapping[str, str],
    stated: StatedFacts | None,
    folded: Bools,
    room: int,
    relevance: Float64s | None = None,
) -> Excerpts:
    """The units of the entries that are `folded`: bool[entries].

    Without `relevance` (float64[entries], to a query) the facts that are `stated` come first, those that
    matter most and are newest before others; then lines with facts, users' lines and all others, the newest
    entries first. With it, whole lines of the most relevant entries. Only as many are told apart as `room`
    tokens could hold. O(characters).
    """
    script = _Transcript.of(entries, numbers, called, folded)
    lines = _Lines.of(script)
    nothing = np.empty(0, dtype=np.int64)
    facts = (nothing,) * 3 if stated is None else _facts(script, stated, folded, len(entries))
    with_facts = np.unique(lines.start.searchsorted(facts[0], side="right") - 1)
    entry_of_line = script.entry[lines.passage]
    if relevance is None:
        kind = np.where(np.array([entry.role == "user" for entry in entries])[entry_of_line], 1, 2)
        kind[with_facts] = 0
        order = np.lexsort((np.arange(len(kind)), -entry_of_line, kind))
    else:
        place = np.empty(len(entries), dtype=np.int64)
        place[(-relevance).argsort(kind="stable")] = np.arange(len(entries))
        order = place[entry_of_line].argsort(kind="stable")
    order = order[lines.filled[order]]
    size = (lines.end - lines.start)[order].cumsum()
    order = order[: int(size.searchsorted(_LINE_ROOM * room + _LEAST_ROOM, side="right"))]
    few = slice(int(facts[2].cumsum().searchsorted(_FACT_ROOM * room, side="right")))
    return _units(counter, script, lines, (facts[0][few], facts[1][few], facts[2][few]), order)


@dataclass(frozen=True, eq=False, slots=True)
class _Transcript:
    """The text of folded entries: passages, each what one source said in a message."""

    text: str
    start: Int64s  # of the source of each passage
    words: Int64s  # where its words begin
    entry: Int64s  # whose it is
    pieces: Int64s
    begins: Int64s

    @staticmethod
    def of(
        entries: Sequence[Entry], numbers: Sequence[int], called: Mapping[str, str], folded: Bools
    ) -> _Transcript:
        parts: list[str] = []
        start, words, owner, pieces, begins = [], [], [], [], []
        sources = sources_of(entries, numbers, called)
        at, row = 0, 0
        for index, (entry, folds) in enumerate(zip(entries, folded.tolist(), strict=True)):
            before = ""
            for number, piece in enumerate(entry.pieces if folds else (), row):
                if piece.text and not piece.text.isspace():
                    if parts:
                        parts.append("\n")
                        at += 1
                    if sources[number] != before:
                        before = sources[number]
                        start.append(at)
                        parts.append(f"{before}: ")
                        at += len(before) + 2
                        words.append(at)
                        owner.append(index)
                    pieces.append(number)
                    begins.append(at)
                    parts.append(piece.text)
                    at += len(piece.text)
            row += len(entry.pieces)
        columns = [np.array(column, dtype=np.int64) for column in (start, words, owner, pieces, begins)]
        return _Transcript("".join(parts), *columns)


@dataclass(frozen=True, eq=False, slots=True)
class _Lines:
    """Lines of a transcript, as `str.splitlines` has them: where the words of each begin and end."""

    start: Int64s
    end: Int64s
    passage: Int64s
    filled: Bools  # whether it has any words

    @staticmethod
    def of(script: _Transcript) -> _Lines:
        lines, whole = script.text.splitlines(), script.text.splitlines(keepends=True)
        start = np.cumsum([0, *map(len, whole)], dtype=np.int64)[:-1]
        end = start + np.array(list(map(len, lines)), dtype=np.int64)
        filled = np.array([not line.isspace() for line in lines], dtype=bool)
        opening = start.searchsorted(script.start)
        start[opening] = script.words
        spans = zip(script.words.tolist(), end[opening].tolist(), strict=True)
        filled[opening] = [not script.text[begin:stop].isspace() for begin, stop in spans]
        filled &= start < end
        return _Lines(start, end, script.start.searchsorted(start, side="right") - 1, filled)


def _facts(
    script: _Transcript, stated: StatedFacts, folded: Bools, entries: int
) -> tuple[Int64s, Int64s, Int64s]:
    """(start, end, tokens) of facts that only folded entries state: by their kind, and how new they are.

    A path, an identifier, a code or an error that several messages state counts as if it were newer, and so
    does what is left of a list that is worked through.
    """
    mentions = stated.mentions
    piece = mentions.document[stated.rows]
    owner = stated.entry[piece]
    age = stated.touched / max(entries, 1) / (1 - _NEWEST)
    recency = np.where(age >= 1, 1.0, _OLDEST_WORTH + (_OLDER_WORTH - _OLDEST_WORTH) * age)
    worth = mentions.worth[stated.rows]
    often = np.where(worth >= _IDENTIFIES, np.log2(np.maximum(stated.entries, 1)), 0.0)
    counts = np.minimum(recency * (1 + often), 1.0)
    # Short or long: no other words say it.
    best = np.lexsort((-worth * counts, worth < FAILED))
    best = best[folded[owner[best]]]
    begin = script.begins[script.pieces.searchsorted(piece[best])]
    rows = stated.rows[best]
    return begin + mentions.start[rows], begin + mentions.end[rows], stated.costs[best]


def _units(
    counter: BatchTokenCounter,
    script: _Transcript,
    lines: _Lines,
    facts: tuple[Int64s, Int64s, Int64s],
    line_order: Int64s,
) -> Excerpts:
    """Cut the transcript into units: facts (start, end, tokens), chosen lines, and the text between them."""
    text, (start, end, tokens) = script.text, facts
    by_place = start.argsort(kind="stable")
    start, end = start[by_place], end[by_place]
    start[1:] = np.maximum(start[1:], np.maximum.accumulate(end)[:-1])  # none begins within another
    real = start < end
    by_place, start, end = by_place[real], start[real], end[real]
    first = lines.start.searchsorted(start, side="right") - 1
    last = lines.start.searchsorted(end - 1, side="right") - 1
    touched = [first, last, line_order]
    touched += [np.arange(first[row], last[row]) for row in (last > first + 1).nonzero()[0].tolist()]
    cut_lines = np.unique(np.concatenate(touched))
    spoken = np.unique(lines.passage[cut_lines])  # passages of which anything may stay
    edges = [start, end, *[one[cut_lines] for one in (lines.start, lines.end)]]
    edges += [script.start[spoken], script.words[spoken]]
    borders = np.unique(np.concatenate((*edges, [0, len(text)])))
    begin, stop = borders[:-1], borders[1:]

    line = lines.start.searchsorted(begin, side="right") - 1
    inside = (line >= 0) & (begin < lines.end[line])
    in_order = np.zeros(len(lines.start), dtype=bool)
    in_order[line_order] = True
    fact = start.searchsorted(begin, side="right") - 1
    in_fact = inside & (fact >= 0) & (begin < np.concatenate((end, [0]))[fact])
    kind = np.full(len(begin), _REST)
    kind[inside & in_order[line]] = _WORDS
    kind[in_fact] = _FACT
    kind[begin.searchsorted(script.start[spoken])] = _SOURCE
    rest = (kind == _REST).nonzero()[0]
    spans = zip(begin[rest].tolist(), stop[rest].tolist(), strict=True)
    blank = np.zeros(len(begin), dtype=bool)
    blank[rest] = [text[one:other].isspace() for one, other in spans]
    begin, stop, line, fact, kind = (column[~blank] for column in (begin, stop, line, fact, kind))

    needs = _needs(line, kind)
    group = np.full(len(begin), -1, dtype=np.int32)
    _group(group, (kind == _WORDS).nonzero()[0], line)
    _group(group, (kind == _FACT).nonzero()[0], fact)

    worth = np.zeros(len(begin), dtype=np.float32)
    facts_here, words_here = (kind == _FACT).nonzero()[0], (kind == _WORDS).nonzero()[0]
    rank = by_place[fact[facts_here]]
    worth[facts_here] = _FACT_RANK + 1 - rank / max(len(tokens), 1)
    place = np.zeros(len(lines.start), dtype=np.int64)
    place[line_order] = np.arange(len(line_order))
    worth[words_here] = _LINE_RANK * (1 - place[line[words_here]] / max(len(line_order), 1))

    costs = np.ones(len(begin), dtype=np.int64)
    costs[facts_here] = np.maximum(tokens[rank], 1)
    counted = ((kind == _WORDS) | (kind == _SOURCE)).nonzero()[0]
    spans = zip(begin[counted].tolist(), stop[counted].tolist(), strict=True)
    costs[counted] = np.maximum(count_batch(counter, [text[one:other] for one, other in spans]), 1)
    for rows in (facts_here, words_here[~np.isin(line[words_here], line[facts_here])]):
        costs[rows[_begins(line[rows])]] += 1  # the line begins anew
    costs[kind == _REST] = _NEVER
    document, quotes = np.zeros(len(begin), dtype=np.int32), np.full(len(begin), Kind.QUOTE, dtype=np.uint8)
    table = SegmentTable(document, begin, stop, quotes, line.astype(np.int32), needs)
    return Excerpts(text, table, worth, costs, group, kind == _SOURCE, script.pieces, script.begins)


def _needs(line: Int64s, kind: Int64s) -> Int32s:
    """int32[n]: facts need their source; words the fact before them in their line, else the source."""
    row = np.arange(len(kind))
    source = np.maximum.accumulate(np.where(kind == _SOURCE, row, -1))
    fact = np.maximum.accumulate(np.where(kind == _FACT, row, -1))
    in_line = (kind == _WORDS) & (fact >= 0) & (line[fact] == line)
    needs = np.where((kind == _WORDS) | (kind == _FACT), source, -1)
    needs[in_line] = fact[in_line]
    return needs.astype(np.int32)


def _begins(key: Int64s) -> Bools:
    """bool[n]: whether each differs from the one before it."""
    return np.concatenate(([True], key[1:] != key[:-1])) if len(key) else np.zeros(0, dtype=bool)


def _group(group: Int32s, rows: Int64s, key: Int64s) -> None:
    """Give rows with the same key, which come one after the other, one group, where they are several."""
    number = _begins(key[rows]).cumsum() - 1
    many = np.bincount(number)[number] > 1
    group[rows[many]] = rows[_begins(key[rows])][number[many]]
