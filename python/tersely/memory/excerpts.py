"""Read messages that cannot stay whole: each statement or result is a document of one reading.

What people said is read as text, sentence by sentence, results of tools as what they are
(`tersely.content.registry`); one order of worth holds for all of them. What is kept is quoted (quoting.py).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from tersely import _native
from tersely.content.units import Bools, Lines, Quoted, join_tables
from tersely.engine.facts import FactCoverage, find_facts, joined_facts, rows_at, standing
from tersely.engine.reading import FIRST_KEPT, Reading, Region, analyze, count, count_batch, segment
from tersely.engine.strategies import Auto
from tersely.engine.worth import hybrid, importance, read_for_query
from tersely.memory.messages import Entry, JsonStyle, Piece
from tersely.memory.quoting import EMPTY, Places, frame_excerpts, quote, sources_of
from tersely.memory.references import find_outdated, is_reference
from tersely.memory.revisions import Revision
from tersely.memory.rows import apart, in_rows, without_marks
from tersely.memory.statements import (
    ANNOUNCES,
    ASKS,
    ASSISTANTS,
    BRIEF,
    CONCLUDES,
    DIRECTS,
    IS_SENTENCE,
    LABELLED,
    NUMBER,
    ORDERS,
    PEOPLE,
    POLITE,
    SELVES,
    STANDS,
    SURELY,
    Transcript,
    led_into,
    marks_of,
)
from tersely.models.embedders import resolve_embedder
from tersely.protocols import BatchTokenCounter
from tersely.types import (
    Document,
    FactKind,
    FactTable,
    Float32s,
    Float64s,
    Frame,
    Heads,
    Int32s,
    Int64s,
    Kind,
    Level,
    Request,
    UInt8s,
)

if TYPE_CHECKING:
    from tersely.memory.folding import History

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


def document_of_result(result: Piece, called: Mapping[str, str]) -> Document:
    """Return a result as a document with what its call (`calls_of`) says of it."""
    file, command = hints_of(called.get(result.call, "").partition(" ")[2])
    return Document(result.text, name=file, command=command)


SOURCE_TOKENS = 4  # "user 12: " and the line end, about
SHORT = 60  # tokens, and about the same in characters, of what people say that stays whole or goes
_SHORT = 240
_USUAL = 100  # characters of a statement: a token of a longer one is worth less
_BREATH = 120  # characters of what they say whose sentences stay or go together
_TASK = 6000  # the same of a text that is theirs as a whole, and not what they pasted
_LETTER = 24_000  # the same of one that may be pasted prose, of which only words of orders count
_NEWEST = 1 / 3  # share of the messages that count fully
_OLDEST_WORTH, _OLDER_WORTH = 0.3, 0.55
# What people say; what failed; what assistants conclude, and edit.
_SAID, _FAILED, _CONCLUDED, _EDITED = 8.0, 4.0, 2.0, 1.0
_LEADS = 0.5  # of its worth, for what leads into a sentence of theirs
_STATED, _TOLD, _LABELLED = 8.0, 5.0, 2.0  # how much more is what is to hold, can be looked up, has a label
_STATED_ASKED = 0.5  # the same where a query says what matters
_STATES_SHARE = 0.25  # of the budget: for what assistants state in short messages, the newest first
_STATES = 180  # characters of such a message
_STALE = 0.25  # of its worth, for what a newer result of the same call takes the place of
_FACT_SHARE = 0.9  # of the budget: for units by the facts in them, before others
_RESULT, _PASTED = 200, BRIEF  # characters from which results, and what people say, may be more than text
_RESULTS, _OWN = {"result", "records", "rows", "data"}, {"call", "excerpts", "picture"}  # kinds of pieces
_REACH = 12  # messages: standard deviation of the Gaussian that spreads relevance to neighbours
_WINDOW = 200  # characters; not used at the level SENTENCE
_RARE = 0.25
_JSON = ("json", "jsonl")
_DATA = (*_JSON, "xml", "yaml", "toml", "csv", "table")
_NO_NEWS = ("code", "diff", "html")  # in texts of these types words of errors say nothing of a failure
_IN_CODE = re.compile(r"\b(?:raise|except|throws?|catch|rescue)\b")  # names an error that has not come
_IDENTIFIES = 0.65
_TELLING = 3.0  # what the most telling unit of a result is worth as a fact
# kOfTool, and grades (csrc/kernels/content/line_grades.hpp) of units of text, and of what readers read.
_OF_TOOL, _FAILS, _MOST_LINES = 2, (0.6, 0.7), 4096
_ERROR, _IDENTIFIER = int(FactKind.ERROR), int(FactKind.IDENTIFIER)  # a member takes two calls
_WORTHS = {
    FactKind.PATH: 1.0, FactKind.PATH_LINE: 1.0, FactKind.URL: 1.0, FactKind.ERROR: 1.0,
    FactKind.IDENTIFIER: 0.7, FactKind.INLINE_CODE: 0.7, FactKind.DATE: 0.6, FactKind.VERSION: 0.4,
    FactKind.NAME: 0.3, FactKind.NUMBER: 0.15,
}  # fmt: skip
_WORTH = np.array([_WORTHS.get(kind, 0.0) for kind in FactKind], dtype=np.float32)
_TELLS = np.where(IS_SENTENCE, _IDENTIFIES / 2, _WORTH)  # what a statement with such a fact tells
_LISTED = bytes((Kind.LIST_ITEM, Kind.TABLE))
_SPEAKER = attrgetter("speaker")
# Names of tools that change a text, and keys of arguments that say how.
_EDITS = re.compile(r"edit|patch|replace|insert|write", re.I)
_EDITED_TEXT = re.compile(r'"(?:old|new|content|patch|input|diff|text|edit|repl)', re.I)
_KEY = re.compile(r'"([^"\n]{1,60})":')
# A line beside what people paste that they say: it ends as a sentence, or has neither digits nor signs.
_SPOKEN = re.compile(r"[¿¡«„“]?[^\W\d_](?:[^\n]{0,600}[.?!:…。？！：]$|[^\d=|{}<>_/\\\t\n]{0,300}$)")
_NUMBERS = re.compile(r"\d+")
_WORDS = re.compile(r"\w+")


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
    """Pieces of messages as the documents of one reading."""

    reading: Reading
    quoted: int  # documents that are quoted; others, behind them, stay in their messages
    pieces: Int64s  # int64[documents], the piece that each is, of all pieces of all entries
    said: Bools  # bool[units], what people say that is neither polite nor said again

    def write(self, parts: Sequence[str]) -> str:
        """The message of excerpts that says what is left of each document; "" where nothing is."""
        frame = self.reading.request.frame
        assert frame is not None and frame.write is not None
        text = frame.write(parts)[0]
        return "" if text == EMPTY else text

    def unsaid(self, status: UInt8s) -> tuple[Int64s, Int64s, Int64s]:
        """(piece, start, end) of people's statements that are left out, in order."""
        table = self.reading.table
        rows = (self.said & (status < FIRST_KEPT)).nonzero()[0]
        rows = rows[np.lexsort((table.start[rows], self.pieces[table.document[rows]]))]
        return self.pieces[table.document[rows]], table.start[rows], table.end[rows]

    def without_leads(self) -> tuple[Excerpts, Bools] | None:
        """Cut sentences of people behind what leads into them ("By the way, "), which then counts less.

        And bool[units]: those. None: nothing leads into any. O(units + characters of what they say).
        """
        reading, table = self.reading, self.reading.table
        rows = (self.said & (table.kind <= Kind.LIST_ITEM)).nonzero()[0]
        led = np.zeros(len(table), dtype=np.int64)
        led[rows] = led_into(reading.pieces(rows))
        if not led.any():
            return None
        made, of, leads = apart(reading, led)
        length = table.end - table.start
        worth = np.where(leads, _LEADS, ((_USUAL + length) / (_USUAL + length - led))[of]) * reading.worth[of]
        # not all that people say fits, so facts have no room
        made = replace(made, worth=worth.astype(np.float32), must=None)
        return Excerpts(made, self.quoted, self.pieces, self.said[of] & ~leads), leads

    def places(self, status: UInt8s) -> tuple[Int64s, Int64s, Int64s]:
        """(piece, start, end) of the kept parts of quoted pieces, in order; parts that touch are joined."""
        table = self.reading.table
        rows = ((status >= FIRST_KEPT) & (table.document < self.quoted)).nonzero()[0]
        document, start, end = table.document[rows], table.start[rows], table.end[rows]
        for index, page in self.reading.pages.items():
            mine = document == index
            if mine.any():
                _, first, last = page.to_source(start[mine], end[mine])
                low, high = mine.argmax(), len(mine) - mine[::-1].argmax()
                start = np.concatenate((start[:low], first, start[high:]))
                end = np.concatenate((end[:low], last, end[high:]))
                document = np.concatenate(
                    (document[:low], np.full(len(first), index, dtype=document.dtype), document[high:])
                )
        order = np.lexsort((start, self.pieces[document]))
        document, start, end = document[order], start[order], end[order]
        apart = (end[:-1] != start[1:]) | (document[:-1] != document[1:])
        ends = [True] * bool(len(start))
        first, last = np.concatenate((ends, apart)).astype(bool), np.concatenate((apart, ends)).astype(bool)
        return self.pieces[document[first]], start[first], end[last]


def read_excerpts(
    history: History,
    transcript: Transcript,
    revisions: Sequence[Revision],
    folded: Bools,
    results: Sequence[tuple[int, Document]] = (),
) -> Excerpts:
    """Read the entries that are `folded` (bool[entries]) and results that are to become shorter.

    `results`: (piece, document) of those. What is short, or has no lines, is text; without a query it needs
    no document of its own. O(characters).
    """
    counter, entries, by_query = history.counter, history.entries, history.relevance is not None
    sources = sources_of(entries, history.numbers, history.called)
    every, gone = transcript.pieces, folded[transcript.owner]
    plain: list[int] = []
    typed: list[int] = []
    for number in gone.nonzero()[0].tolist():
        piece = every[number]
        led = piece.kind == "result" and is_reference(piece.text)  # to what may be gone
        if not led and piece.text and not piece.text.isspace():
            least = _RESULT if piece.kind in _RESULTS else _PASTED
            as_text = not by_query and (len(piece.text) < least or piece.kind in _OWN)
            (plain if as_text else typed).append(number)
    quoted = [*plain, *typed]
    documents = [_document(every[number], history.called) for number in typed]
    documents += [document for _, document in results]
    pieces = np.array([*quoted, *[number for number, _ in results]], dtype=np.int64)
    in_order = sorted(range(len(quoted)), key=quoted.__getitem__)
    names = list(map(sources.__getitem__, quoted))
    sorted_names = list(map(names.__getitem__, in_order))
    styles = [every[number].within for number, _ in results]

    def write(parts: Sequence[str]) -> list[str]:
        lines = quote(sorted_names, list(map(parts.__getitem__, in_order)))
        return [frame_excerpts(lines), *map(_sent, parts[len(quoted) :], styles)]

    texts = list(map(transcript.texts.__getitem__, plain))
    sizes = count_batch(counter, [*texts, *[document.text for document in documents]])
    heads = _heads(counter, names, len(results))
    frame = Frame(write=write, paid=count(counter, EMPTY), heads=heads)
    request = Request(
        tuple(documents), history.query or None, None, 1.0, counter, separator="\n", frame=frame
    )
    reading = _joined(texts, request, int(sizes.sum() + heads.costs.sum()), len(typed))
    spoken = [at for at, entry in enumerate(entries) if entry.role == "user" and not entry.answers] or [-1]
    revised = _revised_rows(reading, pieces, len(quoted), revisions)
    outdated = find_outdated(entries)
    said = _Said(transcript, pieces, len(quoted), gone, (spoken[0], spoken[-1]), *revised, *outdated)
    utter = np.zeros(len(reading.table), dtype=bool)
    if len(reading.table):
        reading, utter = said.valued(reading, len(plain), history.relevance)
    return Excerpts(without_marks(reading, len(quoted)), len(quoted), pieces, utter)


def _sent(text: str, style: JsonStyle | None) -> str:
    return text if style is None else style.escaped(text)


def _revised_rows(
    reading: Reading, pieces: Int64s, quoted: int, revisions: Sequence[Revision]
) -> tuple[dict[str, Bools], Int32s]:
    """Mark what people revised, and the later words ("new"), by effect: bool[units] of each; and the groups.

    Of what was "answered" the answers are marked, too. int32[units]: a withdrawn unit and its withdrawal are
    in one group, as are a question and its answer.
    """
    table, document = reading.table, {piece: at for at, piece in enumerate(pieces[:quoted].tolist())}
    marks = np.zeros((5, len(table)), dtype=bool)
    marked = dict(zip(("replaced", "together", "older", "answered", "new"), marks, strict=True))
    if not revisions:
        return marked, reading.group
    together = np.full(len(table), -1, dtype=np.int32)
    places = [place for one in revisions for place in (one.old, one.new) if place[0] in document]
    at = np.array([document[piece] for piece, _, _ in places], dtype=np.int32)
    found = rows_at(table, at, np.array([start for _, start, _ in places], dtype=np.int64))
    rows = dict(zip(places, found.tolist(), strict=True))
    for one in revisions:
        if one.new in rows:
            marked["new"][rows[one.new]] = True
            marked["answered"][rows[one.new]] |= one.effect == "answered"
        if one.old in rows:
            marked[one.effect][rows[one.old]] = True
            if one.effect == "together" and one.new in rows:
                together[rows[one.old]] = rows[one.new]
            if one.effect == "answered" and one.new in rows:  # there may be several of both
                old, new = rows[one.old], rows[one.new]
                if together[new] < 0:
                    together[new] = old
                elif together[new] != old:
                    together[old] = together[new]
    return marked, _native.held_together(reading.group, together)


def _document(piece: Piece, called: Mapping[str, str]) -> Document:
    if piece.kind in _RESULTS:
        return document_of_result(piece, called)
    return Document(piece.text, metadata={"content_type": "prose"} if piece.kind in _OWN else {})


def _heads(counter: BatchTokenCounter, sources: Sequence[str], others: int) -> Heads:
    """Price the sources of quoted documents, each once."""
    numbers: dict[str, int] = {}
    of = [numbers.setdefault(source, len(numbers)) for source in sources] + [-1] * others
    costs = count_batch(counter, [f"{source}: " for source in numbers]) + 1
    return Heads(costs, np.zeros(len(numbers), dtype=np.int32) - 1, np.array(of, dtype=np.int32))


def _joined(texts: list[str], request: Request, original: int, quoted: int) -> Reading:
    """One reading of texts by sentence, and of the request's documents by their content types."""
    analysis = analyze(texts)
    table, worth = analysis.table, _ranks(importance(texts, analysis).worth)
    size, before = len(table), len(texts)
    group, pinned = np.zeros(size, dtype=np.int32) - 1, np.zeros(size, dtype=np.uint8)
    first = Reading(request, texts, original, table, worth.astype(np.float32), (), group, pinned)
    if not request.documents:
        return first
    prepared = Auto().prepare(replace(request, frame=None), original_tokens=original)
    second = in_rows(prepared.reading, quoted)
    more = len(second.table)
    other = replace(second.table, document=(second.table.document + before).astype(np.int32))
    own = (
        _ranks(second.worth)
        if second.ranked
        else second.worth / max(float(second.worth.max(initial=0)), 1e-9)
    )

    def moved(rows: Int32s) -> Int32s:
        return np.where(rows >= 0, rows + size, -1).astype(np.int32)

    def behind(rows: Any) -> Any:
        return None if rows is None else np.concatenate((np.zeros(size, dtype=rows.dtype), rows))

    borders = table.document.searchsorted(np.arange(before + 1)).tolist()
    regions = [Region(index, low, high) for index, (low, high) in enumerate(pairwise(borders)) if low < high]
    shifted = [
        Region(one.document + before, one.first + size, one.last + size, one.form, one.local)
        for one in second.regions
    ]
    terms = second.term_offsets if len(second.term_offsets) else np.zeros(more + 1, dtype=np.int64)
    needs = moved(second.needs) if len(second.needs) else np.full(more, -1, dtype=np.int32)
    return replace(
        second,
        request=request,
        texts=[*texts, *second.texts],
        original=original,
        table=join_tables([(table, None, 0), (other, None, 0)]),
        worth=np.concatenate((worth, own)).astype(np.float32),
        regions=(*regions, *shifted),
        group=np.concatenate((group, moved(second.group))),
        pinned=np.concatenate((pinned, second.pinned)),
        term_ids=second.term_ids[: terms[more]],
        term_offsets=np.concatenate((np.zeros(size, dtype=np.int64), terms[: more + 1])),
        needs=np.concatenate((np.full(size, -1, dtype=np.int32), needs)),
        essential=behind(second.essential),
        bulk=behind(second.bulk),
        auxiliary=behind(second.auxiliary),
        fragments=behind(second.fragments),
        pages={index + before: page for index, page in second.pages.items()},
        fences=tuple([(opening + size, closing + size) for opening, closing in second.fences]),
        _prices=None,
        _same=None,
    )


def _ranks(worth: Float32s) -> Float64s:
    """float64[n] in (0, 1]: the place of each in their order."""
    ranks = np.empty(len(worth))
    ranks[worth.argsort(kind="stable")] = np.arange(1, len(worth) + 1) / max(len(worth), 1)
    return ranks


@dataclass(frozen=True, eq=False, slots=True)
class _Seen:
    """The units of a reading, a row each, and who says them."""

    reading: Reading
    facts: FactTable  # those that count
    units: list[str]
    document: Int32s
    length: Int64s  # characters
    sizes: Int64s  # characters of its text; of a text that people say without what they paste
    says: Int64s  # as of `marks_of`, of what people and assistants say
    mine: Bools  # whether people say it
    kinds: list[str]  # the content type of each document
    own: Bools  # whether they do in a text that is theirs as a whole, or around what they paste
    news: Bools  # whether a tool gave it, or people pasted it, and words of errors tell of failures there
    talk: Bools  # whether an assistant says it
    silent: Bools  # whether it is quoted and has no word


@dataclass(frozen=True, eq=False, slots=True)
class _Said:
    """The order of worth: people's words, then failures, then facts and the rest."""

    transcript: Transcript
    pieces: Int64s  # int64[documents], the piece that each is
    quoted: int  # documents that are quoted, before those that stay in their places
    gone: Bools  # bool[pieces], those that do not stay
    asks: tuple[int, int]  # the first and the newest of the user that no tool gave; -1: there is none
    revised: Mapping[str, Bools]  # bool[units], what later words revise, by the effect; "new": those
    group: Int32s  # int32[units], what is in or out together
    outdated: Sequence[int]  # pieces that a newer one takes the place of
    anew: Places  # (piece, start, end) of what such newer ones tell

    def valued(self, reading: Reading, plain: int, relevance: Float64s | None) -> tuple[Reading, Bools]:
        """The reading with this worth, and the units that people say.

        The first `plain` documents are text. `relevance`: of entries.
        """
        seen = self._look(reading, plain)
        strong = self._strong(seen)
        again, older = self._passed(seen)
        tells = strong | (seen.sizes <= _SHORT) | seen.own & (seen.says & SELVES > 0)
        utter = seen.mine & tells & ~again & ~seen.silent
        made = replace(reading, gist=None, ranked=False, group=self._in_one_breath(seen, utter))
        if relevance is not None:
            spread = relevance[self.transcript.owner[self.pieces]] / max(float(relevance.max()), 1e-9)
            worth = reading.worth.astype(np.float64) * (_OLDER_WORTH + spread[seen.document])
            worth += _STATED_ASKED * (utter & strong | self.revised["answered"])
            worth[self.revised["replaced"]] = 0
            return replace(made, worth=worth.astype(np.float32), essential=None), utter
        stale = self._stale(seen)
        again |= older
        told = self.transcript.told
        place = told[self.pieces] / (int(told.max()) + 1)  # newer ones go first
        age = place / (1 - _NEWEST)
        recency = np.where(age >= 1, 1.0, _OLDEST_WORTH + (_OLDER_WORTH - _OLDEST_WORTH) * age)
        place, brief = place[seen.document], 2 / (1 + seen.length / _USUAL)
        failed = self._failed(seen, older)
        concluded, states = self._concluded(seen, again)
        edited = self._edited(seen) & ~again
        first = (utter | self.revised["answered"] & ~again) & ~self.revised["older"]
        asks = seen.mine & (seen.says & ASKS > 0)  # most were answered since
        facts, size = seen.facts, len(place)
        known = np.minimum(np.bincount(facts.segment, _TELLS[facts.kind], size) / _IDENTIFIES, 1)
        worth = reading.worth.astype(np.float64) * np.where(stale, _STALE, 1.0) * recency[seen.document]
        worth[again] = 0
        worth[edited] = _EDITED + place[edited]
        worth[failed] = _FAILED + place[failed]
        worth[concluded] = ((_CONCLUDED + place) * brief)[concluded]
        stated = _STATED * strong + _LABELLED * (seen.says & LABELLED > 0)
        worth[first] = ((_SAID + _TOLD * known + stated) / (1 + asks) * brief + place)[first]
        worth[seen.silent] = 0
        gone = older | self.revised["replaced"] | self.revised["older"] | seen.silent
        wanted = (_WORTH[facts.kind] > 0) & ~gone[facts.segment]
        wanted &= (facts.kind != NUMBER) | self.transcript.people[self.pieces][facts.document]
        wanted &= ~stale[facts.segment] | (_WORTH[facts.kind] == 1)  # errors and places: what was mended
        held = np.zeros(size, dtype=bool)  # what names something goes first
        held[facts.segment[_WORTH[facts.kind] > 0]] = True
        newest = [
            row
            for some in (held, ~held)
            for row in _newest_alike((states & some).nonzero()[0].tolist(), seen.units)
        ]
        made = replace(
            made,
            worth=worth.astype(np.float32),
            essential=first | failed | concluded | edited,
            leading=tuple([(row, row + 1) for row in newest]),
            leading_share=_STATES_SHARE,
            auxiliary=seen.silent if seen.silent.any() else None,
            must=self._coverage(facts.rows(wanted), self._telling(seen, plain, gone), seen.document, recency),
        )
        return made, utter

    def _look(self, reading: Reading, plain: int) -> _Seen:
        """Look at the units: who says each, how long its text is, what its words say. O(characters)."""
        transcript, table, document = self.transcript, reading.table, reading.table.document
        people, talks = (one[self.pieces][document] for one in (transcript.people, transcript.talks))
        text, (lines, pasted) = document < plain, np.zeros((2, len(table)), dtype=bool)
        for region in reading.regions:
            span = slice(region.first, region.last)
            text[span], lines[span] = region.form is None, isinstance(region.form, Lines)
            pasted[span] = not isinstance(region.form, (Quoted, type(None)))
        units, length = reading.pieces(), table.end - table.start
        silent = (_native.have_letters(units) == 0) & (document < self.quoted) & ~self.revised["answered"]
        sizes = transcript.length[self.pieces][document]
        ends = (np.minimum(table.start, sizes - table.end) < BRIEF / 2) & people & lines
        ends[ends] = list(map(bool, map(_SPOKEN.match, compress(units, ends))))
        code = (table.kind == Kind.FENCED_CODE) & (length > _BREATH)
        mine = people & (text & ~code | ends)  # what they say before and behind a log is theirs
        shown = np.bincount(document, length * (people & ~mine), len(self.pieces))
        sizes -= shown.astype(np.int64)[document]
        speakers = list(map(_SPEAKER, transcript.pieces))
        if any(speakers):  # lines of earlier excerpts that are of one message are one text
            whole = np.bincount(transcript.told, transcript.length)[transcript.told]
            quoted = np.array(speakers)[self.pieces] != ""
            sizes = np.where(quoted[document], whole[self.pieces][document], sizes)
        talk = talks & (length <= BRIEF)
        says = np.zeros(len(table), dtype=np.int64)
        for whose, rows in ((PEOPLE, mine), (ASSISTANTS, talk)):
            says[rows] = marks_of(list(compress(units, rows)), transcript.known, whose)
        own = mine & ((sizes <= _TASK) | ends)
        facts = self._facts(reading)
        kinds = ["text"] * plain + [*reading.types]
        news = (~people & ~talks | people & pasted & ~ends) & ~np.isin(kinds, _NO_NEWS)[document]
        return _Seen(
            reading, facts, units, document, length, sizes, says, mine, kinds, own, news, talk, silent
        )

    def _strong(self, seen: _Seen) -> Bools:
        """bool[units]: what people say that is to hold: rules, orders, wishes, and what replaces such."""
        says, sizes, facts = seen.says, seen.sizes, seen.facts
        strong = np.zeros(len(says), dtype=bool)
        strong[facts.segment[IS_SENTENCE[facts.kind]]] = True
        strong |= seen.own & (says & STANDS > 0)
        strong |= seen.own & (sizes > _SHORT) & (seen.length <= BRIEF) & (says & DIRECTS > 0)
        letters = seen.mine & (sizes <= _LETTER)
        strong |= letters & (says & ORDERS > 0) | letters & (sizes > _TASK) & (says & SURELY > 0)
        kinds = seen.reading.table.kind.tobytes()
        if _LISTED[0] in kinds or _LISTED[1] in kinds:
            told = self.transcript.told[self.pieces][seen.document]
            strong[_led(letters.nonzero()[0].tolist(), seen.units, kinds, told, strong)] = True
        strong |= self.revised["new"] | self.revised["answered"]
        return strong

    def _passed(self, seen: _Seen) -> tuple[Bools, Bools]:
        """bool[units] twice: what people say again, or only politely, or otherwise since; lines of tools and
        assistants that a newer message has."""
        units, answered, said = seen.units, self.revised["answered"], seen.mine.nonzero()[0].tolist()
        newest = {units[row]: row for row in said}
        stated = self._stated(list(newest))  # what is said again is said once
        again = np.zeros(len(units), dtype=bool)
        again[said] = [newest[units[row]] != row or units[row] in stated for row in said]
        again |= seen.says & POLITE > 0
        again = again & ~answered | self.revised["replaced"]
        told, lines = self.transcript.told[self.pieces][seen.document], seen.reading.same()
        older = np.zeros(len(units), dtype=bool)
        if len(lines):
            last = np.zeros(len(units), dtype=np.int64)
            np.maximum.at(last, lines, told)
            older = (last[lines] > told) & ~seen.mine & ~answered & (seen.document < self.quoted)
        return again, older

    def _stated(self, units: list[str]) -> set[str]:
        """Select the units whose text stands in messages that stay."""
        return standing("\n".join(compress(self.transcript.texts, ~self.gone)), units) if units else set()

    def _stale(self, seen: _Seen) -> Bools:
        """bool[units]: what a newer result of the same call takes the place of."""
        stale = np.zeros(len(self.transcript.texts), dtype=bool)
        stale[list(self.outdated)] = True
        rows: Bools = stale[self.pieces][seen.document] & (seen.document < self.quoted) & ~seen.mine
        return rows

    def _in_one_breath(self, seen: _Seen, utter: Bools) -> Int32s:
        """int32[units]: the groups; what people say in one short text stays or goes as a whole."""
        document, breath = seen.document, (utter & (seen.sizes <= _BREATH)).nonzero()[0]
        follows = np.zeros(len(utter), dtype=np.int32) - 1
        follows[breath[1:]] = np.where(document[breath[1:]] == document[breath[:-1]], breath[:-1], -1)
        return _native.held_together(self.group, follows)

    def _failed(self, seen: _Seen, older: Bools) -> Bools:
        """bool[units]: what says that something failed, in what tools gave."""
        reading, document, facts = seen.reading, seen.document, seen.facts
        failed = self.transcript.failed[self.pieces][document] & (seen.sizes <= _SHORT)
        errors = facts.segment[facts.kind == _ERROR]
        failed[[row for row in errors.tolist() if not _IN_CODE.search(seen.units[row])]] = True
        graded = seen.news & ~np.isin(seen.kinds, _DATA)[document]
        given = np.where(graded, _OF_TOOL, 1).astype(np.uint8)
        columns = document, reading.table.start, reading.table.end
        grade = _native.grades_of_units(reading.texts, *columns, given, _MOST_LINES)
        if len(grade):
            failed |= grade >= np.where(np.array(seen.kinds) == "text", *_FAILS)[document]
        failed &= seen.news & ~older
        stated = self._stated(list(compress(seen.units, failed)))
        rows = failed.nonzero()[0].tolist()
        said = [(int(document[row]), frozenset(_WORDS.findall(seen.units[row]))) for row in rows]
        last = dict(zip(said, rows, strict=True))  # a list and the traces below it name what failed twice
        failed[rows] = [
            last[words] == row and seen.units[row] not in stated
            for words, row in zip(said, rows, strict=True)
        ]
        return failed

    def _concluded(self, seen: _Seen, again: Bools) -> tuple[Bools, Bools]:
        """bool[units] twice: what assistants found out, decided or have done, and what calls told anew; what
        else assistants state in short messages."""
        document, talk, says = seen.document, seen.talk, seen.says
        brief, new = seen.sizes <= _BREATH, ~again & ~seen.silent
        concludes = says & CONCLUDES > 0
        concludes |= np.isin(document, document[concludes]) & talk & brief
        states = talk & ~concludes & new & (says & (ASKS | ANNOUNCES) == 0) & (seen.sizes <= _STATES)
        concluded = concludes & new
        concluded[self._told_anew(seen.reading)] = True
        return concluded, states

    def _edited(self, seen: _Seen) -> Bools:
        """bool[units]: units of short calls whose arguments say how a text was edited."""
        pieces = [self.transcript.pieces[piece] for piece in self.pieces.tolist()]
        edits = [
            one.kind == "call"
            and len(one.text) <= BRIEF
            and bool(_EDITS.search(one.text.partition(" ")[0]) and _EDITED_TEXT.search(one.text))
            for one in pieces
        ]
        edited: Bools = np.array(edits, dtype=bool)[seen.document]
        return edited

    def _told_anew(self, reading: Reading) -> list[int]:
        """Rows of units that have a part of what the newest of several calls told anew."""
        table, document = reading.table, {piece: at for at, piece in enumerate(self.pieces.tolist())}
        rows: list[int] = []
        for piece, start, end in self.anew:
            if piece in document and document[piece] not in reading.pages:
                low, high = table.document.searchsorted([document[piece], document[piece] + 1]).tolist()
                some = (table.start[low:high] < end) & (table.end[low:high] > start)
                rows += (low + some.nonzero()[0]).tolist()
        return rows

    def _facts(self, reading: Reading) -> FactTable:
        """The facts of units that no message that stays states, or that the newest words ask for."""
        texts, facts, source = self.transcript.texts, self.transcript.facts, self.pieces.copy()
        if reading.pages:  # what these show is another text
            source[list(reading.pages)] = np.arange(len(texts), len(texts) + len(reading.pages))
            texts = [*texts, *map(reading.texts.__getitem__, reading.pages)]
            facts = find_facts(texts, segment(texts))
        facts = _with_codes(texts, facts)
        piece, document = facts.document, np.zeros(len(texts), dtype=np.int32) - 1
        document[source] = np.arange(len(source))
        known, asked = np.zeros((2, facts.keys), dtype=bool)
        own = piece < len(self.gone)
        known[facts.key[own][~self.gone[piece[own]]]] = True
        asked[facts.key[own][self.transcript.owner[piece[own]] == self.asks[1]]] = True
        facts = replace(facts, document=document[piece]).rows(
            (document[piece] >= 0) & (~known | asked)[facts.key]
        )
        first = rows_at(reading.table, facts.document, facts.start)
        last = rows_at(reading.table, facts.document, facts.end - 1)
        return replace(
            facts, segment=first, last=np.maximum(first, last), weight=1 + asked[facts.key].astype(np.float32)
        )

    def _telling(self, seen: _Seen, plain: int, gone: Bools) -> Int64s:
        """int64[results]: the row of the unit of each result that its reader scores highest, if it has one.

        Of JSON, where records are alike, the best with a key that stands in no other result.
        """
        worth = seen.reading.worth
        given = seen.news & (seen.document >= plain) & ~gone & (seen.document < self.quoted)
        given[seen.reading.needs[given] if len(seen.reading.needs) else []] = False  # heads of tables
        data = given & np.isin(seen.kinds, _JSON)[seen.document]
        keys = {row: _KEY.findall(seen.units[row]) for row in data.nonzero()[0].tolist()}
        often = Counter(
            [key for key, _ in {(key, int(seen.document[row])) for row in keys for key in keys[row]}]
        )
        given[[row for row, some in keys.items() if all(often[key] > 1 for key in some)]] = False
        some = given.nonzero()[0]
        rows = some[np.lexsort((-worth[some], seen.document[some]))]
        return rows[np.diff(seen.document[rows], prepend=-1) > 0]

    def _coverage(self, facts: FactTable, telling: Int64s, of: Int32s, recency: Float64s) -> FactCoverage:
        """Facts as terms of units; those of several messages, and the newest, count most.

        What units in `telling` say is a fact by itself. `of`: the document of each unit.
        """
        many, told, talks = max(facts.keys, 1), self.transcript.told, self.transcript.talks[self.pieces]
        count = int(told.max()) + 1
        each = _distinct(facts.key.astype(np.int64) * count + told[self.pieces[facts.document]])
        often = np.bincount(each // count, minlength=many)
        alike = facts.document.astype(np.int64) * len(_WORTH) + facts.kind
        rare = 1 / (1 + _RARE * np.log2(np.bincount(alike)[alike]))  # one of many of its kind says little
        rare[talks[facts.document]] = 1
        latest, weight = np.zeros(many), np.zeros(many)
        np.maximum.at(latest, facts.key, recency[facts.document] * facts.weight * rare)
        np.maximum.at(weight, facts.key, _WORTH[facts.kind])
        again = np.where(weight >= _IDENTIFIES, np.log2(np.maximum(often, 1)), 0)
        weight *= latest * (1 + again)
        weight = np.concatenate((weight, _TELLING * recency[of[telling]]))
        every = np.concatenate((facts.segment, telling)).astype(np.int64) * len(weight)
        every += np.concatenate((facts.key, np.arange(many, len(weight))))
        row, key = np.divmod(_distinct(every), len(weight))
        worth = np.bincount(row, weight[key], minlength=len(of)).astype(np.float64)
        offsets = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(of)))))
        none = np.empty(0, dtype=np.int64)
        return FactCoverage(
            facts, ("all",), False, _FACT_SHARE, True, key.astype(np.int32), offsets,
            weight.astype(np.float32), worth, none, none,
        )  # fmt: skip


def _distinct(values: Int64s) -> Int64s:
    """Return the distinct of some natural numbers, ascending; sorts these in place."""
    values.sort()
    return np.concatenate((values[:1], values[1:][values[1:] > values[:-1]]))


def _newest_alike(rows: list[int], units: Sequence[str]) -> list[int]:
    """The rows from the last on; of those that differ in numbers alone the last."""
    found: dict[str, int] = {}
    for row in reversed(rows):
        found.setdefault(_NUMBERS.sub("", units[row]), row)
    return [*found.values()]


def _led(rows: list[int], units: Sequence[str], kinds: bytes, told: Int64s, strong: Bools) -> list[int]:
    """Those of `rows` that are items or tables below a strong line that leads into them, or a strong item.

    Up to BRIEF characters below each. O(rows).
    """
    found, before, left = [], -1, 0
    for row in rows:
        left -= len(units[row])
        if row != before + 1 or told[row] != told[before]:
            left = 0
        listed = kinds[row] in _LISTED
        if listed and left > 0:
            found.append(row)
        if strong[row] and (listed or units[row][-1] not in ".!?;"):
            left = BRIEF
        elif not listed:
            left = 0
        before = row
    return found


def _with_codes(texts: Sequence[str], facts: FactTable) -> FactTable:
    """Add codes to the facts of data, whose lines have no words."""
    document, start, end, key, keys = _native.find_codes(texts, facts.document, facts.start)
    none, kind = np.zeros(len(key), dtype=np.int32), np.full(len(key), _IDENTIFIER, dtype=np.uint8)
    columns = (kind, document, start, end, none, none, key + np.int32(facts.keys), facts.keys + keys)
    return joined_facts(facts, FactTable(*columns, none.astype(np.float32)))
