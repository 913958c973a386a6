"""Divide notes into clauses, and find the files, lines and functions that they name.

The words are English and stand in words.txt; a text in another language has clauses of the role
OTHER only. Every pattern is tried on one clause at a time, of at most 600 characters, and repeats nothing
that can be repeated in two ways: time grows with the length of the text, whatever stands in it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from operator import attrgetter

import numpy as np

from tersely.content.lines import Mark, read_lines
from tersely.engine.reading import segment as cut_up
from tersely.memory.segments.words import pattern, read_words, written
from tersely.types import Fact, FactKind, Kind, SegmentTable

_LONGEST = 600  # characters of a clause; longer ones are data
_MOST_LINES = 2**31 - 1  # every clause is looked at
_PASTED = (Kind.FENCED_CODE, Kind.CODE, Kind.LOG_LINE)


class Role(StrEnum):
    """The role of a clause: done, current, next, wrong, decided."""

    DECISION = "decision"
    REJECTED = "rejected"  # what was not chosen
    NEXT = "next"  # what is to be done, or not done yet
    ACTIVE = "active"
    DONE = "done"
    ERROR = "error"
    ADJUNCT = "adjunct"  # when, why or if: of the clause behind it ("To fix this, ...")
    OTHER = "other"


@dataclass(frozen=True)
class Clause:
    """A piece of a sentence that says one thing: `source[start:end]`, without the label in front of it."""

    role: Role
    text: str
    start: int  # in characters of the source
    sentence: int = 0  # the number of the one it lies in
    label: str = ""  # before a colon in front of it ("Next:"), in small letters
    is_pasted: bool = False  # of a log, code or a diff, which nobody wrote about their work

    @property
    def end(self) -> int:
        """Where it ends, in characters of the source."""
        return self.start + len(self.text)

    @cached_property
    def core(self) -> tuple[int, int]:
        """(start, end) in the source, without the words it opens with ("I'm currently") and its full stop."""
        begin = 0
        while (match := _OPENING.match(self.text, begin)) and match.end() < len(self.text):
            begin = match.end()
        rest = self.text[begin:]
        rest = rest if rest.endswith("...") else rest.rstrip(" .;,:!…")
        return self.start + begin, self.start + begin + len(rest)

    @cached_property
    def message(self) -> str:
        """The text of its core."""
        begin, end = self.core
        return self.text[begin - self.start : end - self.start]


# What stands in quotation marks or backticks, or from a mark to the end.
_QUOTED = re.compile(
    r"(?<!\w)'([^'\n]{2,200})'(?!\w)|\"((?:[^\"\\\n]|\\.){2,200})\"|`([^`\n]{2,200})`|[“‘]([^”’\n]{2,200})[”’]"
    r"|(?<!\w)['\"“]([^'\"“”\n]{4,200})$"
)

# Of the words that come first in a clause, in two roles, the first role counts.
_CUES = {role: pattern(f"cue_{role}") for role in list(Role)[:6]}
FAILS = pattern("fails")
_TELLS_ERROR, _TELLS_STATUS = pattern("tells_error"), pattern("tells_status")
_WRONG, _FAILURE, _OPINION = pattern("wrong"), pattern("failure"), pattern("opinion")
_SAYS = re.compile(r"\b\w{2,20}: (?=\S)")
# What stands before a colon, and what the words behind it say; None: that is for these words to show.
_LABELS = tuple(
    (role, pattern(f"label_{role or 'none'}"))
    for role in (Role.NEXT, Role.ERROR, Role.DECISION, Role.DONE, Role.ACTIVE, None, Role.OTHER)
)
_LABEL = re.compile(
    r"[\s*•>#-]{0,8}(?:\d{1,3}[.)]\s)?[*_`]{0,3}(?P<label>[A-Za-z][\w '’/-]{0,40})[*_`]{0,3}:[*_`]{0,3}(?=\s"
    r"|$)"
)
_ITEM = re.compile(r"\s*(?:\d{1,3}[.)]|[-*•])\s{1,8}")
_LINE_END = re.compile(r"[ \t\r]{0,80}\n(?P<indent>[ \t]{0,80})(?=\S)")
_WRAPPED = 50  # characters of the narrowest text that programs wrap
_RAGGED = 0.85  # of the longest line of a wrapped text: the other ones have as much
_WHOLLY_QUOTED = re.compile(r"[\"“][^\"“”\n]{2,600}[\"”]\W{0,2}$")
_HEADING = re.compile(r"#{1,6}\s{1,4}(?P<label>[^\n]{1,60})")
_CUT = pattern("cut")
_ADJUNCT, _CONTINUES, _OPENING = pattern("adjunct"), pattern("continues"), pattern("opening")
_FILLER, _ALTERNATIVE = pattern("padding"), pattern("alternative")
_AROUND, _BEHIND = ' \t\r\n-*•>|"“', ' \t\r\n-*•>|"“”'


def read_clauses(text: str, *, notes: bool = True, pasted: Sequence[tuple[int, int]] = ()) -> list[Clause]:
    """Cut a text into clauses, in order: at lines that begin on purpose, and within sentences. O(characters).

    `notes`: whether somebody wrote it about their work; of anything else, and of what is `pasted` into it
    (start, end), only errors are told from the rest.
    """
    borders = [border for span in pasted for border in span]
    table = cut_up([text])
    starts, ends, kinds = table.start.tolist(), table.end.tolist(), table.kind.tolist()
    headings, blocks = table.heading.tolist(), table.block.tolist()
    found: list[Clause] = []
    above: tuple[Role | None, str] = (None, "")  # of the label over a list, or over the lines of a block
    labelled = -1  # that block
    for start, end, sentence in _lines(text, table):
        row, kind, block, heading = text[start:end], kinds[sentence], blocks[sentence], headings[sentence]
        if kind == Kind.HEADING:
            title = row.lstrip("# ")
            said = Role.OTHER if _under(row)[1] or not notes else role_of(title)
            found.append(Clause(said, title, end - len(title), sentence))
            continue
        if not notes or kind in _PASTED or bisect_right(borders, start) % 2:
            pieces = _pieces(row)
            found += [Clause(Role.OTHER, piece, start + at, sentence, is_pasted=True) for at, piece in pieces]
            continue
        role, label, begin = _labelled(row)
        if label and not row[begin:].strip():
            above, labelled = (role, label), block  # alone in its line: it speaks for what is below
            continue
        if not label and (kind == Kind.LIST_ITEM or (above[1] and block == labelled)):
            role, label = above
            over = heading
            while not label and over >= 0:
                role, label = _under(text[starts[over] : ends[over]])
                over = headings[over]
            begin = match.end() if (match := _ITEM.match(row)) else begin
        elif kind != Kind.LIST_ITEM:
            above = (None, "")
        found += _clauses(row, begin, start, sentence, role, label)
    return _with_errors(found)


def _with_errors(clauses: list[Clause]) -> list[Clause]:
    """Read clauses without a state of the work as errors where they look like a program's output."""
    silent = [at for at, clause in enumerate(clauses) if clause.role is Role.OTHER and not clause.label]
    lines = read_lines([" ".join(clauses[at].text.split()) for at in silent], None, _MOST_LINES)
    tells = lines.has(Mark.ERROR | Mark.FAILURE) & ~lines.has(Mark.NONE | Mark.PASSED)
    for row in np.unique(lines.table.document[tells]).tolist():
        clauses[silent[row]] = replace(clauses[silent[row]], role=Role.ERROR)
    return clauses


def _lines(text: str, table: SegmentTable) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, sentence) of the parts of sentences: each begins a line on purpose.

    The lines of a block that a program wrapped go on in the next one, and so do indented ones of an item;
    what opens like a clause of its own is one all the same. O(characters).
    """
    rows = zip(
        table.start.tolist(), table.end.tolist(), table.kind.tolist(), table.block.tolist(), strict=True
    )
    ends = dict(zip(table.block.tolist(), table.end.tolist(), strict=True))
    wrapped = (-1, False)
    for sentence, (start, end, kind, block) in enumerate(rows):
        if block != wrapped[0]:
            wrapped = (block, _is_wrapped(text[start : ends[block]].split("\n")))
        begin = start
        for match in _LINE_END.finditer(text, start, end):
            goes_on = wrapped[1] or (kind == Kind.LIST_ITEM and match["indent"])
            if not goes_on or _opens(text[match.end() : min(end, match.end() + _LONGEST)]):
                yield begin, match.start(), sentence
                begin = match.end()
        yield begin, end, sentence


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Say whether each line but the last ends a sentence or is full: one more word would have made it about
    as long as the longest, or longer."""
    width = max(map(len, lines))
    return width >= _WRAPPED and all(
        len(line.rstrip()) + len(behind.split(None, 1)[0] if behind.strip() else "") >= _RAGGED * width
        or line.rstrip().endswith((".", "!", "?", ":"))
        for line, behind in pairwise(lines)
    )


def _opens(text: str) -> bool:
    """Say whether a text begins with a capital and a label, or with words that show what a clause says."""
    return text[:1].isupper() and bool(_labelled(text)[1] or any(cue.match(text) for cue in _CUES.values()))


def _clauses(row: str, begin: int, start: int, sentence: int, role: Role | None, label: str) -> list[Clause]:
    """Return the clauses of a sentence; a label may give their role."""
    found: list[Clause] = []
    for at, piece in _pieces(row[begin:]):
        if found and row[: begin + at].rstrip(_AROUND)[-1:] in ".!?":
            role, label = None, ""  # a label speaks for its sentence
        said, own, behind = (None, "", 0) if label and not found else _labelled(piece)
        text = piece[behind:].lstrip()
        if own and text:
            role, label = said, own
        else:
            text = piece
        is_adjunct = row.startswith(",", begin + at + len(piece)) and _ADJUNCT.match(text)
        said = role or (Role.ADJUNCT if is_adjunct else role_of(text))
        if said is Role.OTHER and found and _CONTINUES.match(text):
            said = found[-1].role
        found.append(Clause(said, text, start + begin + at + len(piece) - len(text), sentence, label))
    return found


def _pieces(sentence: str) -> list[tuple[int, str]]:
    """Return (start, text) of the pieces of a sentence, without marks of lists and quotation around them."""
    found: list[tuple[int, str]] = []
    at = 1 if _WHOLLY_QUOTED.match(sentence) else 0
    for cut in [*_CUT.finditer(sentence), None]:
        piece = sentence[at : cut.start() if cut else len(sentence)]
        if cut and len(piece) < _LONGEST and (piece.count("`") % 2 or piece.count('"') % 2):
            continue  # within code or a quotation
        lead = len(piece) - len(piece.lstrip(_AROUND))
        if piece := piece.strip(_BEHIND):
            found.append((at + lead, piece))
        at = cut.end() if cut else at
    return found


def _labelled(row: str) -> tuple[Role | None, str, int]:
    """Return (role, label, start of the words behind the label); (None, "", 0) without a label."""
    match = _LABEL.match(row)
    if match is None:
        return None, "", 0
    label = match["label"].lower().strip()
    if len(label.split()) > (4 if label.startswith(("still", "what", "where")) else 2):
        return None, "", 0  # a clause, rather
    for role, cue in _LABELS:
        if cue.search(label):
            return role, label, match.end()
    return None, "", 0


def _under(heading: str) -> tuple[Role | None, str]:
    """Return the role that a heading gives the items below it, and its label."""
    match = _HEADING.match(heading)
    role, label, _ = _labelled(f"{match['label'].rstrip(' #:')}:") if match else (None, "", 0)
    return (None, "") if role in (Role.ACTIVE, Role.OTHER) else (role, label)


def quotations(text: str) -> list[tuple[int, str]]:
    """Return (start, words) of each quotation, its marks left out; `start` is that of its first mark."""
    return [(match.start(), next(filter(None, match.groups()))) for match in _QUOTED.finditer(text)]


def said_wrong(text: str) -> str | None:
    """Return the longest quotation that sounds like a message of failure, else such words behind a colon;
    None where there are neither."""
    quotes = map("".join, _QUOTED.findall(text))
    if wrong := [quote for quote in quotes if " " in quote.strip() and _WRONG.search(quote)]:
        return max(wrong, key=len)
    behind = _SAYS.search(text)
    if behind and _FAILURE.search(text, 0, behind.end()) and _WRONG.search(text, behind.end()):
        return text[behind.end() :].rstrip(" .")
    return None


def role_of(clause: str) -> Role:
    """Return the role of a clause, by its words."""
    if len(clause) > _LONGEST:
        return Role.OTHER
    whole = " ".join(clause.split())
    plain = _QUOTED.sub('""', whole)  # what others say tells nothing of the work
    if (_TELLS_ERROR.search(whole) or said_wrong(whole)) and not _CUES[Role.NEXT].search(plain):
        return Role.ERROR
    first = {role: match.start() for role, cue in _CUES.items() if (match := cue.search(plain))}
    if not first and _TELLS_STATUS.search(plain):
        return Role.ERROR
    if _OPINION.match(plain):
        first.pop(Role.DONE, None)
    named = first.pop(Role.ERROR, None)  # most often, an error is only named
    return min(first, key=first.__getitem__, default=Role.OTHER if named is None else Role.ERROR)


def without_filler(text: str) -> str:
    """Return the text without filler words ("basically"), its white space as single spaces."""
    return " ".join(_FILLER.sub("", text).split())


def without_alternative(text: str) -> str:
    """Return a decision without the rejected choice ("rather than ...")."""
    return _ALTERNATIVE.sub("", text)


def capitalized(text: str) -> str:
    """Return the text with a capital first letter, unless its first word is code or a path."""
    first = text.split(" ", 1)[0]
    plain = first.replace("-", "").rstrip(".,:;!?…")
    return text[:1].upper() + text[1:] if plain.isalpha() else text


@dataclass(frozen=True, slots=True)
class Place:
    """A file, or a line of it, or both."""

    path: str | None
    line: int | None

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


start_of = attrgetter("start")  # sort key of mentions, facts and clauses


LINE_NUMBER = pattern("line_number")
_NAME = written("name")
_WHOLE_NAME = re.compile(_NAME)
_CALLED = re.compile(
    rf"\b(?P<name>[A-Za-z_$][\w$.]{{0,99}}(?:::[\w$.]{{1,99}}){{0,5}})\(\)"
    rf"|\bline \d{{1,9}}, in (?P<frame>{_NAME})"
)
_BEHIND_NAMES = pattern("behind_names")
_BEFORE = re.compile(  # "the parse method", "parse_args method"
    rf"(?P<the>\bthe\s{{1,3}})?(?P<quote>`?)\b(?P<name>{_NAME})`?\s{{1,3}}"
    r"(?P<noun>function|handler|hook|macro|method|procedure|routine|test)\b"
)
_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|[.:]\w|\d")
_NO_NAME = frozenset(" ".join(read_words("no functions")).split())  # words beside "function"
_ENDS_NAME = re.compile(
    r"[`'\")]{0,2}\s?(?:[.,;:(]|$|(?:around|at|from|in|inside|is|now|of|on|was|where|which|within)\b)"
)
_NEAR = 20  # characters between a function and its place, or a word for it
_INSIDE = re.compile(
    r"\b(?:(?:body|end|middle|start|top) of|inside|within)\s{1,3}(?:the\s)?[`'\"]?$", re.IGNORECASE
)
_BETWEEN = re.compile(
    r"[\s,:(`'\"]{1,3}(?:(?:at|from|in|inside|of|within)\s)?(?:file\s|line\s|ln\s|the\s){0,2}[(`'\"]{0,2}"
)


def find_functions(text: str, facts: Sequence[Fact], places: Sequence[Mention]) -> list[Mention]:
    """Find the functions that a text names: as calls, behind "inside", beside a word for them or a place."""
    called = [_named(match) for match in _CALLED.finditer(text)]
    found = [one for one in called if not one.name.isupper()]  # "DONE()" is a macro
    for match in [*_BEHIND_NAMES.finditer(text), *_BEFORE.finditer(text)]:
        one = _named(match)
        if match.re is _BEFORE:
            told = match["the"] and match["noun"] in ("function", "method", "procedure", "routine")
        else:
            told = not match["is"] or (match["called"] and not one.name.endswith("ly"))
            told = told and _ENDS_NAME.match(text, match.end())
        is_code = match["quote"] or _LIKE_CODE.search(match["name"])
        if is_code or (told and one.name.lower() not in _NO_NAME):
            found.append(one)
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


def _named(match: re.Match[str]) -> Mention:
    """Return the name that a match gives, and where it is."""
    group = "name" if match["name"] else "frame"
    start, name = match.start(group), match[group].strip(".")
    return Mention(start, start + len(name), name)
