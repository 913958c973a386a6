"""Find the files, lines and functions that a text names, in any language."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import tersely
from tersely.context.clauses import Clause
from tersely.core.facts import Fact, FactKind

__all__ = ["LINE_NUMBER", "LINE_WORDS", "Mention", "Place", "find_functions", "find_paths", "start_of"]


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
class Mention:
    """A path, a line or a function, where the text names it.

    Attributes:
        start, end: in characters of the text.
        name: of the file, or the function (without "()"); "" for a line alone.
        line: the number behind a path ("a.py:12"), or of a line alone; None for neither.
    """

    start: int
    end: int
    name: str = ""
    line: int | None = None


_LINE_BEHIND = re.compile(r"(?::|\(|\"?,? lines? )\[?(\d{1,9})(?=\D|$)")


def find_paths(text: str, facts: Sequence[Fact] | None = None) -> list[Mention]:
    """Find the files that a text names, in source order, each with the line behind it.

    `facts`: `tersely.find_facts(text)`, where that is known. O(characters).
    """
    found = []
    for fact in tersely.find_facts(text) if facts is None else facts:
        if fact.kind is FactKind.PATH:
            found.append(Mention(fact.start, fact.end, fact.text))
        elif fact.kind is FactKind.PATH_LINE:
            behind = _LINE_BEHIND.search(fact.text, 1)
            name = fact.text[: behind.start()] if behind else fact.text
            found.append(Mention(fact.start, fact.end, name, int(behind[1]) if behind else None))
    return found


def start_of(mention: Mention | Fact | Clause) -> int:
    """Sort key: where something starts in its text."""
    return mention.start


#: Words for the line of a file, in some languages.
LINE_WORDS = (
    r"lines?|ln|zeilen?|lignes?|l[ií]neas?|rig(?:a|he)|linhas?|regels?|linjer?|wiersz\w{0,3}|строк[аеиу]"
)
#: A line of a file, as texts name it; the number is its last group.
LINE_NUMBER = re.compile(
    rf"\b(?:{LINE_WORDS})[ \t]{{0,3}}[:#]?\s{{0,3}}(\d{{1,3}}(?:,\d{{3}}){{1,2}}|\d{{1,9}})(?![\w]|[.,]\d)"
    r"|(?<![\w.:-])L(\d{1,9})\b",
    re.IGNORECASE,
)
_NAME = r"[A-Za-z_$][\w$]{0,99}(?:(?:\.|::)~?[A-Za-z_$][\w$]{0,99}){0,5}"
_WHOLE_NAME = re.compile(_NAME)
_CALLED = re.compile(
    rf"\b(?P<name>[A-Za-z_$][\w$.]{{0,99}}(?:::[\w$.]{{1,99}}){{0,5}})\(\)"
    rf"|\bline \d{{1,9}}, in (?P<frame>{_NAME})"
)
_BEHIND = re.compile(  # "the function parse", "fn parse", "the helper I use is called parse"
    r"\b(?:constructor|def|fn|fonction|func|funci[oó]n|fun|function|funktion|handler|helper|hook|macro|method"
    r"|methode|m[eé]thode|m[eé]todo|procedure|proc|routine|sub|test)(?: name)?:?"
    r"(?:(?:\s(?:here|in question|now|(?:that )?(?:i|we)(?:['’][a-z]{1,2}| am| are| have)? \w{1,20}))?"
    r"\s(?P<is>is|was))?"
    rf"\s{{1,3}}(?P<called>called\s|named\s)?(?P<quote>[`'\"]?)(?P<name>{_NAME})",
    re.IGNORECASE,
)
_BEFORE = re.compile(  # "the parse method", "parse_args method"
    rf"(?P<the>\bthe\s{{1,3}})?(?P<quote>`?)\b(?P<name>{_NAME})`?\s{{1,3}}"
    r"(?P<noun>function|handler|hook|macro|method|procedure|routine|test)\b"
)
_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|[.:]\w|\d")
# What stands beside the word "function" and is not the name of one.
_WORDS = """
a above abstract actual add all also an and another any anonymous are as async at async back bad base be
because below best better big both broken builtin by call called calling calls can certain class common
correct could crashes cost current default did different do does each empty entire every existing exported
fails failing fast few final first fix following for free from generic get gets good got hangs had has hash
have helper here how if in inner inside instance into is it its itself lambda last leaf least like long loss
main many may member might missing more most must my needs nested never new next no normal not now of old on
often once one only or original other our outer over own parent particular previous private proper public
pure raises recursive relevant respective returns right runs same second setup should shown similar simple
single slow small so some special specific standard static still such takes template test tests than that
the their then there these they third this those throws to twice two under unit unused used usual utility
very virtual was well were what when where which while whole will with within without works would wrapper
wrong you your
"""
_NO_NAME = frozenset(_WORDS.split())
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
    called = [Mention(*_name_span(match), _name(match)) for match in _CALLED.finditer(text)]
    found = [mention for mention in called if not mention.name.isupper()]  # "DONE()" is a macro
    for match in _BEHIND.finditer(text):
        name, plain = _name(match), not match["quote"] and not _LIKE_CODE.search(match["name"])
        told = not match["is"] or (match["called"] and not name.endswith("ly"))
        if not plain or (told and name.lower() not in _NO_NAME and _ENDS_NAME.match(text, match.end())):
            found.append(Mention(*_name_span(match), name))
    for match in _BEFORE.finditer(text):
        name, plain = _name(match), not match["quote"] and not _LIKE_CODE.search(match["name"])
        named = match["the"] and match["noun"] in ("function", "method", "procedure", "routine")
        if not plain or (named and name.lower() not in _NO_NAME):
            found.append(Mention(*_name_span(match), name))
    starts = [place.start for place in places]
    for fact in facts:
        if fact.kind is not FactKind.IDENTIFIER or not _like_function(fact.text):
            continue
        index = bisect_left(starts, fact.start)
        before = text[places[index - 1].end : fact.start] if index else "-"
        behind = text[fact.end : starts[index]] if index < len(starts) else "-"
        inside = _INSIDE.search(text, max(fact.start - _NEAR, 0), fact.start)
        if inside or any(len(gap) <= _NEAR and _BETWEEN.fullmatch(gap) for gap in (before, behind)):
            found.append(Mention(fact.start, fact.end, fact.text))
    return sorted(found, key=start_of)


def _name(match: re.Match[str]) -> str:
    return (match.groupdict().get("frame") or match["name"]).strip(".")


def _name_span(match: re.Match[str]) -> tuple[int, int]:
    start = match.start("name") if match["name"] else match.start("frame")
    return start, start + len(_name(match))


def _like_function(name: str) -> bool:
    return (
        _WHOLE_NAME.fullmatch(name) is not None and not name.isupper() and _LIKE_CODE.search(name) is not None
    )
