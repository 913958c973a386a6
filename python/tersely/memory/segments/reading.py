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
from operator import itemgetter

from tersely import _native
from tersely.content.detect import detect
from tersely.engine.facts import list_facts
from tersely.memory.segments.clauses import (
    FAILS,
    LINE_NUMBER,
    Clause,
    Mention,
    Place,
    Role,
    find_functions,
    find_paths,
    quotations,
    read_clauses,
    said_wrong,
    start_of,
)
from tersely.memory.segments.segment import NOTE_TYPES, ContextSegment, checked_segment
from tersely.memory.segments.words import pattern, written
from tersely.types import Fact

_ROLES = tuple(Role)
_STATES = (Role.ACTIVE, Role.DONE, Role.NEXT, Role.DECISION)
_RECENT = 3  # of what was done, is current or is next, the last ones count
# A few sentences about errors look like the output of a tool; that is no reason not to read them.
_PROSE = ("prose", "markdown", "conversation", "tool_output", "mixed")
# Clauses that may say where the work is: not what went wrong elsewhere, nor what comes next.
_PLACED = (Role.ACTIVE, Role.DONE, Role.DECISION, Role.REJECTED, Role.ADJUNCT, Role.OTHER)


# --- errors --------------------------------------------------------------------------------------------

_GIVES_MESSAGE = re.compile(r"\berror\b[^'\"`‘“]{0,20}['\"`‘“]", re.IGNORECASE)
_STATUS = re.compile(r"(?<![\w.:/-])[45]\d\d(?![\w.]\w)(?:\s{1,3}[A-Z][a-z]{1,20}){0,3}(?:\s{1,3}errors?\b)?")
_TYPE = re.compile(
    r"\b\w{1,60}(?:Error|Exception)\b(?P<message>\([^()\n]{1,160}\)|:(?:[^\n.;]|[.;](?=\S)){1,160})?"
)


def _last_error(clauses: Sequence[Clause]) -> tuple[str | None, bool, Clause | None]:
    """Return (message, whether it must stay to the letter, the clause that tells it)."""
    errors = [clause for clause in reversed(clauses) if clause.role is Role.ERROR]
    for clause in errors:
        quoted = quotations(clause.text)
        longest = max([quote for _, quote in quoted], key=len, default="")
        named = _TYPE.search(clause.text)
        for start, quote in quoted:
            if named and start < named.start() <= start + len(quote):
                return quote, True, clause
        if named and named["message"]:
            return named.group().strip(), True, clause
        if longest and (" " in longest.strip() or _GIVES_MESSAGE.search(clause.text)):
            return longest, True, clause
        if (message := said_wrong(clause.text)) is not None:
            return message, True, clause
        if named:
            return named.group(), True, clause
        if "error" in clause.label:
            return clause.message, False, clause
    for clause in reversed(clauses):
        told = clause.role is Role.ERROR or "error" in clause.text.lower()
        if told and clause.role not in (Role.NEXT, Role.DECISION) and (match := _STATUS.search(clause.text)):
            return match.group(), False, clause
    for clause in errors:
        if not clause.is_pasted and FAILS.search(clause.text):
            return clause.message, False, clause
    return None, False, None


_EMPTY_LINES = re.compile(r"\n[ \t]{0,80}\n\s{0,80}")
_STOPS = pattern("stop")
FORBIDS_AT_START = pattern("forbids_at_start")
_FORBIDS = pattern("forbids")
_JOINT = re.compile(r"(?:[,;]\s(?:and|but|so)|;)\s(?=\w+\s)", re.IGNORECASE)  # before a clause with a subject


def _around_match(text: str, pattern: re.Pattern[str]) -> str:
    """Return the sentence of a clause that has the first match."""
    match = pattern.search(text)
    assert match is not None
    begin = match.start()
    if not _STOPS.match(text, begin):
        begin = max((stop.start() for stop in _STOPS.finditer(text, 0, begin)), default=-1)
    stop = _STOPS.match(text, begin) if begin >= 0 else None
    start = stop.end() if stop else 0
    for joint in _JOINT.finditer(text, start, match.start()):
        start = joint.end()
    end = _STOPS.search(text, match.end() - 1)
    return text[start : end.end() - 1 if end else len(text)].strip()


# --- the whole text ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """The state of work that a text tells; empty or None where it tells nothing of the kind."""

    text: str
    clauses: tuple[Clause, ...]
    last: Mapping[Role, Sequence[Clause]]  # the last few that say this
    said: Mapping[Role, list[str]]  # the same, without the words that they open with
    place: Place  # the file and line, and the function (without "()"), that it is about
    function: str | None
    now: Place  # those that are said to be current, or known besides
    now_function: str | None
    error: str | None  # the message of the last error
    error_exact: bool  # it was quoted, so that it has to stay to the letter
    error_place: Place  # where that error was, and in which function
    error_function: str | None
    tellers: tuple[Clause, ...]  # clauses that told file, line, function and error, or forbid something
    rules: tuple[str, ...]  # prohibitions, in the note's words
    facts: Sequence[Fact]  # of the text (`list_facts`)
    is_note: bool  # it was read as what somebody said of their work

    @property
    def state(self) -> list[Clause]:
        """The clauses that what must survive was read from, in source order."""
        every = (*self.tellers, *chain.from_iterable(map(self.last.__getitem__, _STATES)))
        found = {clause.start: clause for clause in every}
        return [found[start] for start in sorted(found)]


def read(text: str, path: str | None = None, line: int | None = None) -> Reading:
    """Read a note about work; `path`, `line`: as of `_read`. O(characters)."""
    return _read(text, path, line, True, pasted_blocks(text))


def _read(
    text: str, path: str | None, line: int | None, notes: bool, pasted: Sequence[tuple[int, int]]
) -> Reading:
    """Read a text with some blocks (start, end) that are `pasted` into it.

    `path`, `line`: what is known besides, where it does not say. `notes`: whether it is what somebody said of
    their work; of a log, code or a document only errors are read, and where they were.
    """
    found = _Mentions(text, path, notes, pasted)
    clauses, active = found.clauses, [clause for clause in found.clauses if clause.role is Role.ACTIVE]
    only_file = next(iter(found.files)) if len(found.files) == 1 else None
    here = _last_in(found.paths, active)
    now_line = found.line_of(here) or found.line_in(active, here)
    now_path = here.name if here else only_file if now_line else path
    now_function = _last_in(found.functions, active)

    about, line_there, function = here, now_line, now_function
    if about is None and path is None:
        about = found.last_of(found.paths, *((_PLACED,) if notes else ()), (Role.ERROR,), _ROLES)
    if line_there is None and here is None and line is None:
        line_there = found.line_of(about)
    if function is None and notes:
        function = found.function_beside(about)
        if function is None and not active:
            function = _last_in(found.functions, clauses)

    error, exact, teller = _last_error(clauses)
    error_place, error_function = Place(None, None), None
    if teller is not None:
        error_path, error_function = (_last_in(named, [teller]) for named in (found.paths, found.functions))
        error_line = found.line_of(error_path) or found.line_in([teller], error_path)
        if error_path or error_line:
            name = error_path.name if error_path else only_file
            error_place = Place(name, error_line.line if error_line else None)
    told = [
        found.clause_at(mention.start) for mention in (about, line_there, function) if mention is not None
    ]
    forbid = found.forbid if notes else []
    last: dict[Role, list[Clause]] = {role: [] for role in _ROLES}
    for clause in clauses:
        last[clause.role].append(clause)
    recent = {role: found[-_RECENT:] for role, found in last.items()}
    return Reading(
        text,
        clauses,
        recent,
        {role: [clause.message for clause in recent[role]] for role in _STATES},
        Place(about.name if about else path, line_there.line if line_there else line),
        function.name if function else None,
        Place(now_path, now_line.line if now_line else line),
        now_function.name if now_function else None,
        error,
        exact,
        error_place,
        error_function.name if error_function else None,
        (*told, *([] if teller is None else [teller]), *forbid),
        tuple([_around_match(clause.text, _FORBIDS) for clause in forbid]),
        found.facts,
        notes,
    )


class _Mentions:
    """The clauses of a text, and the paths, lines and functions that it names, in source order."""

    def __init__(self, text: str, path: str | None, notes: bool, pasted: Sequence[tuple[int, int]]) -> None:
        self.clauses = tuple(read_clauses(text, notes=notes, pasted=pasted))
        self.free: list[Clause] = []
        self.forbid: list[Clause] = []
        for clause in self.clauses:
            (self.forbid if _FORBIDS.search(clause.text) else self.free).append(clause)
        self.facts = tuple(list_facts([text]))
        self.paths, self.lines = find_paths(self.facts), list[Mention]()
        for match in LINE_NUMBER.finditer(text):
            start, end = match.span(match.lastindex or 0)
            self.lines.append(Mention(start, end, line=int(text[start:end].replace(",", ""))))
        self.places = sorted([*self.paths, *self.lines], key=start_of)
        self.functions = find_functions(text, self.facts, self.places)
        self.files = {mention.name for mention in self.paths} | ({path} if path else set())

    def clause_at(self, start: int) -> Clause:
        """Return the clause that a place of the text lies in, or the last before it."""
        return self.clauses[max(bisect_left(self.clauses, start + 1, key=start_of) - 1, 0)]

    def last_of(self, mentions: Sequence[Mention], *roles: Sequence[Role]) -> Mention | None:
        """Return the last mention in clauses of the first group of roles that have one.

        What must not be touched is seldom where the work is: clauses that forbid come last, of any role.
        """
        every = tuple(chain.from_iterable(roles))
        for among, group in (*[(self.free, group) for group in roles], (self.clauses, every)):
            if last := _last_in(mentions, [clause for clause in among if clause.role in group]):
                return last
        return None

    def line_in(self, clauses: Sequence[Clause], path: Mention | None) -> Mention | None:
        """Return the last line in some clauses that is this path's, or no other's."""
        lines = [place for place in _mentions_in(self.places, clauses) if place.line is not None]
        return next((one for one in reversed(lines) if one.name in ("", path.name if path else "")), None)

    def line_of(self, path: Mention | None) -> Mention | None:
        """Return the line of a path: behind it, or beside it in its sentence and no other path's."""
        if path is None or path.line is not None:
            return path
        at = bisect_left(self.places, path.start, key=start_of)
        mine = self.clause_at(path.start)
        near = [*self.places[at + 1 : at + 2], *self.places[max(at - 1, 0) : at]]  # what is behind first
        for line in near:
            clause = self.clause_at(line.start)
            if not line.name and clause.sentence == mine.sentence and clause.role in (mine.role, *_PLACED):
                return line
        return None

    def function_beside(self, place: Mention | None) -> Mention | None:
        """Return the function that is named in the sentence of a place, nearest to it."""
        if place is None:
            return None
        sentence = self.clause_at(place.start).sentence
        near = _mentions_in(
            self.functions, [clause for clause in self.clauses if clause.sentence == sentence]
        )
        return min(near, key=lambda function: _gap(function, place), default=None)


def _last_in(mentions: Sequence[Mention], clauses: Sequence[Clause]) -> Mention | None:
    """Return the last of some mentions that lies within the clauses."""
    found = _mentions_in(mentions, clauses)
    return found[-1] if found else None


def _mentions_in(mentions: Sequence[Mention], clauses: Sequence[Clause]) -> list[Mention]:
    """Select the mentions, in source order, that lie within the clauses."""
    found: list[Mention] = []
    for clause in clauses:
        first = bisect_left(mentions, clause.start, key=start_of)
        end = clause.start + len(clause.text)
        found += mentions[first : bisect_left(mentions, end, lo=first, key=start_of)]
    return found


def _gap(one: Mention, other: Mention) -> int:
    return max(one.start - other.end, other.start - one.end)


def read_segment(segment: ContextSegment) -> Reading:
    """Read a segment by its kind, with its metadata.

    A note is, but for what is pasted into it, what somebody said of their work: by its type and its looks.
    """
    known, text = checked_segment(segment).metadata, segment.text
    pasted = pasted_blocks(text) if segment.type in NOTE_TYPES else []
    is_all = bool(pasted) and sum(end - start for start, end in pasted) >= len(text)
    is_note = segment.type in NOTE_TYPES and not is_all
    return _read(text, known.file_path, known.line_number, is_note, pasted if is_note else [])


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


_LONG = 200  # characters; what is longer is no part of a word
_IN_PATH = re.compile(r"[/\\]|\w\.[a-z]")  # of names of files
_VALUE_GOES_ON = re.compile(r"~|[./\\-]\w")
_NUMBER = re.compile(r"\d{1,9}")
_IN_WORD = re.compile(r"\w\w")
_BEFORE_LINE = written("before_line")


def says(text: str, value: str) -> bool:
    """Say whether `text` has `value` as a whole: not within a longer word or number.

    Case and white space do not count; "()" behind a name does not either. O(characters).
    """
    return bool(said_values(text, [value]))


def said_values(text: str, values: Sequence[str]) -> set[str]:
    """Return the values that `text` has as a whole, as `says`. O(characters of all)."""
    wanted: dict[str, list[str]] = {}  # folded -> the values
    for value in values:
        wanted.setdefault(" ".join(value.casefold().split()).removesuffix("()"), []).append(value)
    found = {""} & wanted.keys()
    if wanted.keys() - found:
        found |= set(map(itemgetter(1), _standing(" ".join(text.casefold().split()), wanted)))
    return set(chain.from_iterable(map(wanted.__getitem__, found)))


def _standing(text: str, wanted: Iterable[str]) -> list[tuple[int, str]]:
    """List the places of strings in a text, both folded, in the order of their ends; long ones anywhere."""
    strings = list(dict.fromkeys(filter(None, wanted)))
    if not (text and strings):
        return []
    found = []
    numbers, _, starts, ends = _native.occurrences([text], strings, True)
    for number, start, end in zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=True):
        first, last = text[start], text[end - 1]
        before, behind = text[max(start - 2, 0) : start], text[end : end + 2]
        if (
            end - start > _LONG
            or not (
                _IN_WORD.fullmatch(before[-1:] + first)
                or _IN_WORD.fullmatch(last + behind[:1])
                or (_VALUE_GOES_ON.match(behind) and _IN_PATH.search(text[start:end]))  # in "a/b.py.bak"
                or (first.isdigit() and before[-1:] in (".", ",") and before[:1].isdigit())
                or (last.isdigit() and behind[:1] in (".", ",") and behind[1:].isdigit())
            )
        ):
            found.append((start, strings[number]))
    return found


def says_line(text: str, line: int | str) -> bool:
    """Say whether `text` names this line: "line 45", "lines 40-45", "src/auth.py:45", "L45", "Line: 45".

    `line` as text is one of 1 to 9 digits; no other text is the number of a line.
    """
    if isinstance(line, str):
        if not _NUMBER.fullmatch(line):
            return False
        line = int(line)
    return re.search(rf"(?:{_BEFORE_LINE})(?:{line}|{line:,})(?!\w|[.,]\d)", text, re.IGNORECASE) is not None
