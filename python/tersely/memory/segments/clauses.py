"""Divide notes into clauses, and find the files, lines and functions that they name.

The words are English and stand in words.txt; a text in another language has clauses of the role
OTHER only. Every pattern is tried on one clause at a time, of at most 600 characters, and repeats nothing
that can be repeated in two ways: time grows with the length of the text, whatever stands in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from tersely.content.lines import Mark, read_lines
from tersely.engine.reading import segment as cut_up
from tersely.memory.segments.words import pattern
from tersely.types import Kind

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
    def message(self) -> str:
        """The text without the words it opens with ("I'm currently") and its full stop."""
        begin = 0
        while (match := _OPENING.match(self.text, begin)) and match.end() < len(self.text):
            begin = match.end()
        rest = self.text[begin:]
        return rest if rest.endswith("...") else rest.rstrip(" .;,:!…")


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
_LINE_END = re.compile(r"[ \t\r]{0,80}\n[ \t>]{0,80}(?=\S)")
_WRAPPED = 50  # characters of the narrowest text that programs wrap
_RAGGED = 0.85  # of the longest line of a wrapped text: the other ones have as much
_WHOLLY_QUOTED = re.compile(r"[\"“][^\"“”\n]{2,600}[\"”]\W{0,2}$")
_CUT = pattern("cut")
_ADJUNCT, _CONTINUES, _OPENING = pattern("adjunct"), pattern("continues"), pattern("opening")
_FILLER, _ALTERNATIVE = pattern("padding"), pattern("alternative")
_AROUND, _BEHIND = ' \t\r\n-*•>|"“', ' \t\r\n-*•>|"“”'


def read_clauses(text: str, pasted: Sequence[tuple[int, int]] = ()) -> list[Clause]:
    """Cut a text into clauses, in order: at lines that begin on purpose, and within sentences. O(characters).

    Of what is `pasted` into it (start, end), only errors are told from the rest.
    """
    borders = [border for span in pasted for border in span]
    found: list[Clause] = []
    nothing: tuple[Role | None, str] = (None, "")
    under, above, labelled = (
        nothing,
        nothing,
        -1,
    )  # of the heading; of the label alone in its line, in that block
    for start, end, sentence, kind, block in _lines(text):
        row = text[start:end]
        if kind in _PASTED or bisect_right(borders, start) % 2:
            found += [
                Clause(Role.OTHER, piece, start + at, sentence, is_pasted=True) for at, piece in _pieces(row)
            ]
            continue
        if kind == Kind.HEADING:
            title = row.lstrip("# ")
            under, above = _labelled(f"{title.rstrip(' #:')}:")[:2], nothing
            found.append(
                Clause(Role.OTHER if under[1] else role_of(title), title, end - len(title), sentence)
            )
            continue
        role, label, begin = _labelled(row)
        if label and not row[begin:].strip():
            above, labelled = (role, label), block  # it speaks for what is below
            continue
        if not label and (kind == Kind.LIST_ITEM or block == labelled):
            role, label = above if above[1] or block == labelled else under
            begin = match.end() if (match := _ITEM.match(row)) else begin
        elif kind != Kind.LIST_ITEM:
            above, labelled = nothing, -1
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


def _lines(text: str) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield (start, end, number, kind, block) of sentences, cut at lines that begin with a capital, if no
    program wrapped the block. O(characters)."""
    table = cut_up([text])
    columns = (table.start, table.end, table.kind, table.block)
    ends = dict(zip(table.block.tolist(), table.end.tolist(), strict=True))
    wrapped = (-1, False)
    for number, (start, end, kind, block) in enumerate(zip(*[one.tolist() for one in columns], strict=True)):
        if block != wrapped[0]:
            wrapped = (block, _is_wrapped(text[start : ends[block]].split("\n")))
        begin = start
        for match in () if wrapped[1] else _LINE_END.finditer(text, start, end):
            if text[match.end()].isupper():
                yield begin, match.start(), number, kind, block
                begin = match.end()
        yield begin, end, number, kind, block


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Say whether each line but the last is full: one more word would have made it the longest, or nearly."""
    width = max(map(len, lines))
    words = [line.split(None, 1)[0] if line.strip() else "" for line in lines[1:]]
    return width >= _WRAPPED and all(
        len(line.rstrip()) + len(word) >= _RAGGED * width for line, word in zip(lines, words, strict=False)
    )


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
