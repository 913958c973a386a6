"""What an agent's text says about where it is: files, lines, functions, the error, the task. By patterns."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

import tersely
from tersely.facts import Fact, FactKind
from tersely.memory.segments.clauses import Clause, Role, read_clauses, stripped
from tersely.memory.segments.segment import NOTE_TYPES, ContextSegment
from tersely.stages.facts import list_facts

__all__ = ["Place", "Reading", "is_notes", "read", "read_segment"]

_LINE = re.compile(r"\b(?:lines?|ln)[ \t]*[:#]?\s{0,3}(\d{1,9})\b|(?<![\w.:-])L(\d{1,9})\b", re.IGNORECASE)
_PATH_LINE = re.compile(r"(?P<path>.+?)(?::|\(|\", line )\[?(?P<line>\d{1,9})")
_FUNCTION = re.compile(
    r"(?:\b(?:function|method|def|fn|func)\s{1,3}`?(?P<before>[A-Za-z_]\w{0,99})`?)"
    r"|`?\b(?P<after>[A-Za-z_][\w.]{0,99})`?(?:\(\))?`?\s{1,3}(?:function|method)\b"
    r"|\b(?P<call>[A-Za-z_][\w.]{0,99})\(\)"
)
_NAMED_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|\.\w|\d")
_QUOTED = re.compile(
    r"(?<!\w)'([^'\n]{2,200})'(?!\w)|\"([^\"\n]{2,200})\"|`([^`\n]{2,200})`|[“‘]([^”’\n]{2,200})[”’]"
)
_STATUS = re.compile(r"(?<![\w.:/-])[45]\d\d(?![\w.]\w)(?:\s{1,3}[A-Z][a-z]{1,20}){0,3}(?:\s{1,3}errors?\b)?")
_TYPE = re.compile(
    r"\b\w{0,60}(?:Error|Exception)\b(?P<message>\([^()\n]{1,160}\)|:(?:[^\n.;]|[.;](?=\S)){1,160})?"
)
# A few sentences about errors look like the output of a tool; that is no reason not to read them.
_PROSE = ("prose", "markdown", "conversation", "tool_output", "mixed")
_RECENT = 3  # of what was done, or is current, the last ones count


@dataclass(frozen=True, slots=True)
class Place:
    """A file, or a line of it, or both."""

    path: str | None
    line: int | None

    def __str__(self) -> str:
        """`path:line`, or what of it is known."""
        line = f"line {self.line}" if self.path is None else f":{self.line}"
        return (self.path or "") + (line if self.line is not None else "")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says; empty or None where it says nothing of the kind. Texts are pieces of it.

    Attributes:
        clauses: all of them, in order.
        place, function: the file and line, and the function (without "()"), that it is about.
        now, now_function: those that are said to be current, or known besides.
        error: the message of the last error.
        error_exact: whether it was quoted, so that it has to stay to the letter.
        error_place: where that error was.
        error_function: the function it was in.
        tellers: the clauses that told file, line, function and error.
    """

    clauses: tuple[Clause, ...]
    place: Place
    function: str | None
    now: Place
    now_function: str | None
    error: str | None
    error_exact: bool
    error_place: Place
    error_function: str | None
    tellers: tuple[Clause, ...]

    def of(self, *roles: Role) -> list[str]:
        """The clauses of these roles, without the words they open with."""
        return [stripped(clause.text) for clause in self.clauses if clause.role in roles]

    @property
    def state(self) -> list[Clause]:
        """The clauses that what must survive was read from, in source order."""
        found = {clause.start: clause for clause in self.tellers}
        for role in (Role.ACTIVE, Role.DONE, Role.NEXT, Role.DECISION):
            of_role = [clause for clause in self.clauses if clause.role is role]
            found |= {clause.start: clause for clause in of_role[-_RECENT:]}
        return [found[start] for start in sorted(found)]

    @property
    def active(self) -> list[str]:
        """What is current: the last few."""
        return self.of(Role.ACTIVE)[-_RECENT:]

    @property
    def done(self) -> list[str]:
        """What was done last."""
        return self.of(Role.DONE)[-_RECENT:]

    @property
    def next(self) -> list[str]:
        """What is still to be done."""
        return self.of(Role.NEXT)[-_RECENT:]

    @property
    def decisions(self) -> list[str]:
        """What was decided last."""
        return self.of(Role.DECISION)[-_RECENT:]


def read(text: str, path: str | None = None, line: int | None = None, *, notes: bool = True) -> Reading:
    """Read a text. O(characters).

    `path`, `line`: what is known besides, where it does not say. `notes`: whether it is what somebody said of
    their work; of a log, code or a document only errors are read, and where they were.
    """
    clauses = tuple(read_clauses(text) if notes else map(_of_data, read_clauses(text)))
    facts = [fact for fact in list_facts([text]) if fact.kind in (FactKind.PATH, FactKind.PATH_LINE)]
    active = [clause for clause in clauses if clause.role is Role.ACTIVE]
    here = [clause for clause in clauses if clause.role not in (Role.ERROR, Role.NEXT)] if notes else []
    paths = {_path(fact) for fact in facts} | ({path} if path else set())
    told_path, told_line, told_function = (
        _last_path(facts, active),
        _last_line(facts, active),
        _last_function(active),
    )
    if told_path and told_line and told_line[1].start < told_path[1].start and len(paths) > 1:
        told_line = None  # of another file, perhaps
    now = Place(told_path[0] if told_path else path, told_line[0] if told_line else line)
    function = told_function
    if told_path is None and path is None:
        others = [clause for clause in clauses if clause.role is not Role.OTHER]
        told_path = _last_path(facts, here) or _last_path(facts, others)
    if told_line is None and line is None and not active:
        told_line = _last_line(facts, here)
    if function is None and notes and not active:
        function = _last_function(clauses)
    place = Place(told_path[0] if told_path else path, told_line[0] if told_line else line)
    error, exact, teller = _last_error(clauses)
    where, inside = Place(None, None), None
    if teller is not None:
        wrong_line, wrong_path = _last_line(facts, [teller]), _last_path(facts, [teller])
        if wrong_path is not None or wrong_line is not None:
            only = next(iter(paths)) if len(paths) == 1 else None
            where = Place(wrong_path[0] if wrong_path else only, wrong_line[0] if wrong_line else None)
        inside = _last_function([teller])
    tellers = [told[1] for told in (told_path, told_line, function) if told is not None]
    return Reading(
        clauses,
        place,
        function[0] if function else None,
        now,
        told_function[0] if told_function else None,
        error,
        exact,
        where,
        inside[0] if inside else None,
        tuple(tellers if teller is None else [*tellers, teller]),
    )


def read_segment(segment: ContextSegment) -> Reading:
    """Read a segment, as what it is, with what its metadata knows."""
    known = segment.metadata
    return read(segment.text, known.file_path, known.line_number, notes=is_notes(segment))


def is_notes(segment: ContextSegment) -> bool:
    """Whether a segment is what somebody said of their work, by its type and by its looks."""
    return segment.type in NOTE_TYPES and tersely.detect(segment.text).kind in _PROSE


def _of_data(clause: Clause) -> Clause:
    role = Role.ERROR if clause.role is Role.ERROR else Role.OTHER
    return Clause(role, clause.text, clause.start)


def _facts_in(facts: list[Fact], clause: Clause) -> list[Fact]:
    """Of facts in source order, those that start in the clause."""
    first = bisect_left(facts, clause.start, key=_start)
    return facts[first : bisect_left(facts, clause.start + len(clause.text), lo=first, key=_start)]


def _start(fact: Fact) -> int:
    return fact.start


def _last_path(facts: list[Fact], clauses: Iterable[Clause]) -> tuple[str, Clause] | None:
    for clause in reversed(list(clauses)):
        for fact in reversed(_facts_in(facts, clause)):
            return _path(fact), clause
    return None


def _path(fact: Fact) -> str:
    match = _PATH_LINE.match(fact.text) if fact.kind is FactKind.PATH_LINE else None
    return match["path"] if match else fact.text


def _last_line(facts: list[Fact], clauses: Iterable[Clause]) -> tuple[int, Clause] | None:
    for clause in reversed(list(clauses)):
        for fact in reversed(_facts_in(facts, clause)):
            if fact.kind is FactKind.PATH_LINE and (match := _PATH_LINE.match(fact.text)):
                return int(match["line"]), clause
        if matches := _LINE.findall(clause.text):
            return int(matches[-1][0] or matches[-1][1]), clause
    return None


def _last_function(clauses: Iterable[Clause]) -> tuple[str, Clause] | None:
    for clause in reversed(list(clauses)):
        for match in reversed(list(_FUNCTION.finditer(clause.text))):
            name = str(match["call"] or match["before"] or match["after"])
            if match["call"] or match["before"] or _NAMED_LIKE_CODE.search(name):
                return name.strip("."), clause
    return None


def _last_error(clauses: Iterable[Clause]) -> tuple[str | None, bool, Clause | None]:
    """(message, whether it is exact, the clause that tells it)."""
    spoken = [clause for clause in clauses if clause.role in (Role.ERROR, Role.DONE, Role.ACTIVE, Role.OTHER)]
    for clause in reversed([clause for clause in spoken if clause.role is Role.ERROR]):
        named = _TYPE.search(clause.text)
        if named and named["message"]:
            return named.group().strip(), True, clause
        if match := _QUOTED.search(clause.text):
            return next(group for group in match.groups() if group), True, clause
        if named:
            return named.group(), True, clause
    for clause in reversed(spoken):
        if (clause.role is Role.ERROR or "error" in clause.text.lower()) and (
            match := _STATUS.search(clause.text)
        ):
            return match.group(), False, clause
    return None, False, None
