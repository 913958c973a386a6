"""Read the fields of a segment that its shorter form must keep, and say whether a text states one.

Paths, lines, functions and messages are found in any language; what is current, done or next is what English
clauses say (clauses.py). Everything read is a piece of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from operator import attrgetter

from tersely import _native
from tersely.content.detect import detect
from tersely.engine.facts import list_facts
from tersely.memory.segments.clauses import FAILS, Clause, Role, quotations, read_clauses, said_wrong
from tersely.memory.segments.segment import NOTE_TYPES, ContextSegment, checked_segment
from tersely.memory.segments.words import pattern, read_words, written
from tersely.types import Fact, FactKind

_ROLES = tuple(Role)
_STATES = (Role.ACTIVE, Role.DONE, Role.NEXT, Role.DECISION)
_RECENT = 3  # of what was done, is current or is next, the last ones count
# A few sentences about errors look like the output of a tool; that is no reason not to read them.
_PROSE = ("prose", "markdown", "conversation", "tool_output", "mixed")
# Clauses that may say where the work is: not what went wrong elsewhere, nor what comes next.
_PLACED = (Role.ACTIVE, Role.DONE, Role.DECISION, Role.REJECTED, Role.ADJUNCT, Role.OTHER)

# --- paths, lines and functions ------------------------------------------------------------------------

start_of = attrgetter("start")  # sort key of mentions, facts and clauses


@dataclass(frozen=True, slots=True)
class Place:
    """A file, a line of it, and a function; None where one is not known."""

    path: str | None = None
    line: int | None = None
    function: str | None = None

    def __str__(self) -> str:
        line = f"line {self.line}" if self.path is None else f":{self.line}"
        return (self.path or "") + (line if self.line is not None else "")


@dataclass(frozen=True, slots=True)
class Mention:
    """A path, a line or a function, where the text names it."""

    start: int  # in characters of the text
    end: int
    name: str = ""  # of the file, or the function (without "()"); "" for a line alone
    line: int | None = None  # behind a path ("a.py:12"), or alone


_LINE_BEHIND = re.compile(r"(?::|\(|\"?,? lines? )\[?(\d{1,9})(?=\D|$)")
_LINE_NUMBER = pattern("line_number")
_NAME = written("name")
_WHOLE_NAME = re.compile(_NAME)
_NAMED = (
    re.compile(rf"\b(?P<name>{_NAME})(?P<code>\(\))"),
    re.compile(rf"\bline \d{{1,9}}(?P<code>, in )(?P<name>{_NAME})"),
    pattern("behind_names"),
    re.compile(  # "the parse method", "parse_args method"
        rf"(?P<is>\bthe\s{{1,3}})?(?P<code>`?)\b(?P<name>{_NAME})`?\s{{1,3}}"
        r"(?:function|method|procedure|routine|test)\b"
    ),
)
_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|[.:]\w|\d")
_NO_NAME = frozenset(" ".join(read_words("no functions")).split())  # words beside "function"
_ENDS_NAME = re.compile(
    r"[`'\")]{0,2}\s?(?:[.,;:(]|$|(?:around|at|from|in|inside|is|now|of|on|was|where|which|within)\b)"
)
_NEAR = 20  # characters between a function and its place
_INSIDE = re.compile(r"\b(?:(?:body|end|middle|start|top) of|inside|within)\s{1,3}(?:the\s)?[`'\"]?$", re.I)
_BETWEEN = re.compile(
    r"[\s,:(`'\"]{1,3}(?:(?:at|from|in|inside|of|within)\s)?(?:file\s|line\s|ln\s|the\s){0,2}[(`'\"]{0,2}"
)


def find_paths(facts: Sequence[Fact]) -> list[Mention]:
    """Find the files among the facts of a text, each with the line behind it. O(characters)."""
    found = []
    for fact in facts:
        if fact.kind is FactKind.PATH:
            found.append(Mention(fact.start, fact.end, fact.text))
        elif fact.kind is FactKind.PATH_LINE:
            behind = _LINE_BEHIND.search(fact.text, 1)
            name = fact.text[: behind.start()] if behind else fact.text
            found.append(Mention(fact.start, fact.end, name, int(behind[1]) if behind else None))
    return found


def _find_functions(text: str, facts: Sequence[Fact], places: Sequence[Mention]) -> list[Mention]:
    """Find the functions that a text names: as calls, behind "inside", beside a word for them or a place."""
    found = []
    for at, form in enumerate(_NAMED):
        for match in form.finditer(text):
            start, name, is_code = match.start("name"), match["name"].strip("."), match["code"]
            is_name = (
                is_code
                or _LIKE_CODE.search(name)
                or (
                    name.lower() not in _NO_NAME
                    and not name.endswith("ly")
                    and (match["is"] if at == 3 else not match["is"] and _ENDS_NAME.match(text, match.end()))
                )
            )
            if is_name and not (at == 0 and name.isupper()):  # "DONE()" is a macro
                found.append(Mention(start, start + len(name), name))
    starts = [place.start for place in places]
    for fact in facts:
        if fact.kind is not FactKind.IDENTIFIER or fact.text.isupper():
            continue
        if not (_WHOLE_NAME.fullmatch(fact.text) and _LIKE_CODE.search(fact.text)):
            continue
        index = bisect_left(starts, fact.start)
        before = text[places[index - 1].end : fact.start] if index else "-"
        behind = text[fact.end : starts[index]] if index < len(starts) else "-"
        inside = _INSIDE.search(text, max(fact.start - _NEAR, 0), fact.start)
        if inside or any(len(gap) <= _NEAR and _BETWEEN.fullmatch(gap) for gap in (before, behind)):
            found.append(Mention(fact.start, fact.end, fact.text))
    return sorted(found, key=start_of)


# --- errors and prohibitions -----------------------------------------------------------------------------

_GIVES_MESSAGE = re.compile(r"\berror\b[^'\"`‘“]{0,20}['\"`‘“]", re.IGNORECASE)
_STATUS = re.compile(r"(?<![\w.:/-])[45]\d\d(?![\w.]\w)(?:\s{1,3}[A-Z][a-z]{1,20}){0,3}(?:\s{1,3}errors?\b)?")
_TYPE = re.compile(
    r"\b\w{1,60}(?:Error|Exception)\b(?P<message>\([^()\n]{1,160}\)|:(?:[^\n.;]|[.;](?=\S)){1,160})?"
)


def _last_error(clauses: Sequence[Clause]) -> tuple[str | None, bool, Clause | None]:
    """Return (message, whether it must stay to the letter, the clause that tells it)."""
    errors = [clause for clause in reversed(clauses) if clause.role is Role.ERROR]
    for clause in errors:
        if message := _message(clause.text):
            return message, True, clause
        if "error" in clause.label:
            return clause.message, False, clause
    for clause in reversed(clauses):
        told = clause.role is Role.ERROR or "error" in clause.text.lower()
        if told and clause.role not in (Role.NEXT, Role.DECISION) and (match := _STATUS.search(clause.text)):
            return match.group(), False, clause
    failing = (one for one in errors if not one.is_pasted and FAILS.search(one.text))
    first = next(failing, None)
    return (None, False, None) if first is None else (first.message, False, first)


def _message(text: str) -> str | None:
    """Return the message that a clause gives: a quotation, words behind a type of errors, or such a type."""
    quotes, named = quotations(text), _TYPE.search(text)
    if named and (
        around := [quote for start, quote in quotes if start < named.start() <= start + len(quote)]
    ):
        return around[0]
    if named and named["message"]:
        return named.group().strip()
    longest = max((quote for _, quote in quotes), key=len, default="")
    if longest and (" " in longest.strip() or _GIVES_MESSAGE.search(text)):
        return longest
    return said_wrong(text) or (named.group() if named else None)


_SENTENCE = re.compile(rf"(?:{written('stop')})|(?:[,;]\s(?:and|but|so)|;)\s(?=\w+\s)", re.IGNORECASE)
FORBIDS_AT_START, _FORBIDS = pattern("forbids_at_start"), pattern("forbids")


# --- the whole text ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """The state of work that a text tells; empty or None where it tells nothing of the kind."""

    text: str
    clauses: tuple[Clause, ...]
    last: Mapping[Role, Sequence[Clause]]  # the last few that say this
    place: Place  # that it is about
    now: Place  # that is said to be current, or known besides
    error: str | None  # the message of the last error
    error_exact: bool  # it was quoted, so that it has to stay to the letter
    error_place: Place  # where that error was
    tellers: tuple[Clause, ...]  # clauses that told file, line, function and error, or forbid something
    rules: tuple[str, ...]  # prohibitions, in the note's words
    facts: Sequence[Fact]  # of the text (`list_facts`)
    is_note: bool  # it was read as what somebody said of their work

    def said(self, role: Role) -> list[str]:
        """List the messages of the last clauses of a role."""
        return [clause.message for clause in self.last[role]]

    @property
    def state(self) -> list[Clause]:
        """The clauses that what must survive was read from, in source order."""
        every = (*self.tellers, *chain.from_iterable(map(self.last.__getitem__, _STATES)))
        return sorted({clause.start: clause for clause in every}.values(), key=start_of)


def read(text: str, path: str | None = None, line: int | None = None, is_note: bool = True) -> Reading:
    """Read what somebody said of their work; of what is pasted into it, only errors. O(characters).

    `path`, `line`: what is known besides, where it does not say. Of what is no note (a log, code, a
    document), or nothing but pasted, only errors are read, and where they were.
    """
    pasted = pasted_blocks(text) if is_note else [(0, len(text))]
    is_note = sum(end - start for start, end in pasted) < len(text)
    found = _Mentions(text, path, is_note, pasted)
    clauses = found.clauses
    last = {role: [clause for clause in clauses if clause.role is role] for role in _ROLES}
    here, now_line, function = found.at(last[Role.ACTIVE])
    now = found.place(here, now_line, function, path, line)
    about, about_line = here, now_line
    if about is None and path is None:
        about = found.main(is_note)
    if about_line is None and here is None and line is None:
        about_line = found.line_of(about)
    if function is None and is_note:
        function = found.function_beside(about)
        if function is None and not last[Role.ACTIVE]:
            function = found.last_in(found.functions, clauses)
    error, exact, teller = _last_error(clauses)
    tellers = [found.clause_at(one.start) for one in (about, about_line, function) if one is not None]
    tellers += [clause for clause in (teller, *found.forbid) if clause is not None]
    sentences = [part for clause in found.forbid for part in _SENTENCE.split(clause.text)]
    return Reading(
        text,
        clauses,
        {role: every[-_RECENT:] for role, every in last.items()},
        Place(
            about.name if about else path,
            about_line.line if about_line else line,
            function.name if function else None,
        ),
        now,
        error,
        exact,
        found.place(*found.at([] if teller is None else [teller])),
        tuple(tellers),
        tuple([part.strip() for part in sentences if _FORBIDS.search(part)]),
        found.facts,
        is_note,
    )


class _Mentions:
    """The clauses of a text, and the paths, lines and functions that it names, in source order."""

    def __init__(self, text: str, path: str | None, is_note: bool, pasted: Sequence[tuple[int, int]]) -> None:
        self.clauses = tuple(read_clauses(text, pasted))
        self.forbid = [clause for clause in self.clauses if is_note and _FORBIDS.search(clause.text)]
        self.facts = tuple(list_facts([text]))
        self.paths, self.lines = find_paths(self.facts), list[Mention]()
        for match in _LINE_NUMBER.finditer(text):
            start, end = match.span(match.lastindex or 0)
            self.lines.append(Mention(start, end, line=int(text[start:end].replace(",", ""))))
        self.places = sorted([*self.paths, *self.lines], key=start_of)
        self.functions = _find_functions(text, self.facts, self.places)
        files = {mention.name for mention in self.paths} | ({path} if path else set())
        self.only_file = next(iter(files)) if len(files) == 1 else None

    def clause_at(self, start: int) -> Clause:
        """Return the clause that a place of the text lies in, or the last before it."""
        return self.clauses[max(bisect_left(self.clauses, start + 1, key=start_of) - 1, 0)]

    def at(self, clauses: Sequence[Clause]) -> tuple[Mention | None, Mention | None, Mention | None]:
        """Return the path, line and function that clauses name last; the line is the path's, or nobody's."""
        path, function = self.last_in(self.paths, clauses), self.last_in(self.functions, clauses)
        line = self.line_of(path)
        if line is None:
            mine = ("", path.name if path else "")
            lines = [one for one in self.places if one.line is not None and one.name in mine]
            line = self.last_in(lines, clauses)
        return path, line, function

    def place(
        self,
        path: Mention | None,
        line: Mention | None,
        function: Mention | None,
        known: str | None = None,
        known_line: int | None = None,
    ) -> Place:
        """Return the place of these mentions; what is `known` besides, where there is none."""
        name = path.name if path else self.only_file if line else known
        return Place(name, line.line if line else known_line, function.name if function else None)

    def main(self, is_note: bool) -> Mention | None:
        """Return the last path in clauses that may say where the work is, else in others.

        What must not be touched is seldom where the work is: clauses that forbid come last.
        """
        forbid = {clause.start for clause in self.forbid}
        free = [clause for clause in self.clauses if clause.start not in forbid]
        for roles in (*((_PLACED,) if is_note else ()), (Role.ERROR,), _ROLES):
            if last := self.last_in(self.paths, [clause for clause in free if clause.role in roles]):
                return last
        return self.last_in(self.paths, self.clauses)

    def line_of(self, path: Mention | None) -> Mention | None:
        """Return the line of a path: behind it, or beside it in its sentence and no other path's."""
        if path is None or path.line is not None:
            return path
        at = bisect_left(self.places, path.start, key=start_of)
        mine = self.clause_at(path.start)
        for line in [
            *self.places[at + 1 : at + 2],
            *self.places[max(at - 1, 0) : at],
        ]:  # what is behind first
            clause = self.clause_at(line.start)
            if not line.name and clause.sentence == mine.sentence and clause.role in (mine.role, *_PLACED):
                return line
        return None

    def function_beside(self, place: Mention | None) -> Mention | None:
        """Return the function that is named in the sentence of a place, nearest to it."""
        if place is None:
            return None
        sentence = self.clause_at(place.start).sentence
        near = self.within(self.functions, [one for one in self.clauses if one.sentence == sentence])
        return min(near, key=lambda one: abs(one.start - place.start), default=None)

    def last_in(self, mentions: Sequence[Mention], clauses: Iterable[Clause]) -> Mention | None:
        """Return the last of some mentions that lies within the clauses."""
        return next(reversed(self.within(mentions, clauses)), None)

    def within(self, mentions: Sequence[Mention], clauses: Iterable[Clause]) -> list[Mention]:
        """Select the mentions, in source order, that lie within the clauses."""
        starts = {clause.start for clause in clauses}
        return [one for one in mentions if starts and self.clause_at(one.start).start in starts]


def read_segment(segment: ContextSegment) -> Reading:
    """Read a segment by its type, with its metadata."""
    known = checked_segment(segment).metadata
    return read(segment.text, known.file_path, known.line_number, segment.type in NOTE_TYPES)


_EMPTY_LINES = re.compile(r"\n[ \t]{0,80}\n\s{0,80}")


def pasted_blocks(text: str) -> list[tuple[int, int]]:
    """Find blocks between empty lines that are logs, code or diffs.

    (start, end) of each, in order; with the empty lines behind it. O(characters).
    """
    if _is_prose(text):
        return []
    borders = [0, *(match.end() for match in _EMPTY_LINES.finditer(text)), len(text)]
    return [(start, end) for start, end in pairwise(borders) if not _is_prose(text[start:end])]


def _is_prose(text: str) -> bool:
    return detect(text).kind in _PROSE


# --- whether a text states a value -----------------------------------------------------------------------

_NUMBER = re.compile(r"\d{1,9}")
_BEFORE_LINE = written("before_line")


def says(text: str, value: str) -> bool:
    """Say whether `text` has `value` as a whole: not within a longer word, number, name or path.

    Case and white space do not count; "()" behind a name does not either. O(characters).
    """
    return bool(said_values(text, [value]))


def said_values(text: str, values: Iterable[str]) -> set[str]:
    """Return the values that `text` has as a whole, as `says`. O(characters of all)."""
    folded = {value: " ".join(value.casefold().split()).removesuffix("()") for value in values}
    strings = list(filter(None, folded.values()))
    plain = " ".join(text.casefold().split())
    rows = _native.occurrences([plain], strings, alone=True)[0].tolist() if strings else []
    said = {"", *[strings[row] for row in rows]}
    return {value for value, form in folded.items() if form in said}


def says_line(text: str, line: int | str) -> bool:
    """Say whether `text` names this line: "line 45", "lines 40-45", "src/auth.py:45", "L45", "Line: 45".

    `line` as text is one of 1 to 9 digits; no other text is the number of a line.
    """
    if isinstance(line, str):
        if not _NUMBER.fullmatch(line):
            return False
        line = int(line)
    return re.search(rf"(?:{_BEFORE_LINE})(?:{line}|{line:,})(?!\w|[.,]\d)", text, re.IGNORECASE) is not None
