"""Facts by regular expressions, slow and obvious, of tokens between spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

import tersely
from tersely.types import FactKind

CLOCK = r"[0-2]?\d:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?"
DAY = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
#: In this order; the first that matches a whole token says what it is.
PATTERNS = [
    (FactKind.URL, r"https?://[^\s<>\"]+[^\s<>\".,;:!?)]"),
    (FactKind.DATE, rf"{DAY}(?:T{CLOCK}Z?)?|{CLOCK}"),
    (FactKind.DATE, r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"),
    (FactKind.PATH_LINE, r"(?:[\w.]+/)*\w+\.(?:py|cpp|java|rs):\d+(?::\d+)?"),
    (
        FactKind.PATH,
        r"(?:\.{0,2}/)?(?:[\w.]+/)*\w+\.(?:py|cpp|java|rs|md|toml)|(?:/[a-z]+){2,}|[A-Z]:(?:\\\w+)+",
    ),
    (FactKind.VERSION, r"v\d+(?:\.\d+)*|\d+\.\d+\.\d+|\d+\.\d+-?(?:rc|beta)\d+"),
    (FactKind.NUMBER, r"[-<>~]?[$€]?\d{1,3}(?:,\d{3})+(?:\.\d+)?%?|[-<>~]?[$€]?\d+(?:\.\d+)?(?:e-?\d+)?%?"),
    (FactKind.ERROR, r"[A-Z][A-Za-z]+(?:Error|Exception|Warning)"),
    (FactKind.IDENTIFIER, r"[a-z]+(?:_[a-z0-9]+)+|[A-Z]+(?:_[A-Z0-9]+)+|--[a-z]+(?:-[a-z]+)*"),
    (FactKind.IDENTIFIER, r"[a-z]{2,}(?:[A-Z][a-z]+)+|[a-z]{2,}\.[a-z_]+(?:\.[a-z_]+)*\(\)|[a-z]{2,}\(\)"),
]
UNITS = ("ms", "MB", "GB", "kg", "days", "million", "%")


def slow_facts(text: str) -> list[tuple[FactKind, str]]:
    """(kind, text) of each fact of PATTERNS in words with single spaces between them."""
    found: list[tuple[FactKind, str]] = []
    before = day = ""
    for token in text.split(" "):
        whole = token.rstrip(".,;:!?")
        if day and re.fullmatch(CLOCK, whole):  # the time of a day is a part of it
            found[-1] = (FactKind.DATE, f"{day} {whole}")
            before = day = ""
            continue
        day = token if re.fullmatch(f"{DAY},?", token) else ""
        if (
            before
            and found
            and found[-1][1].endswith(before)
            and found[-1][0] is FactKind.NUMBER
            and whole in UNITS
        ):
            found[-1] = (FactKind.NUMBER, f"{found[-1][1]} {whole}")
            second = found[-1][1].count(" ") == 2  # at most two units
            before = whole if token == whole and whole != "%" and not second else ""
            continue
        kind = next((kind for kind, pattern in PATTERNS if re.fullmatch(pattern, whole)), None)
        if kind is not None:
            found.append((kind, whole))
        before = whole if token == whole and kind is FactKind.NUMBER and not whole.endswith("%") else ""
    return found


def facts_of(text: str, kinds: Sequence[FactKind] = tuple(FactKind)) -> list[tuple[FactKind, str]]:
    """(kind, text) of each fact of some kinds, in order."""
    return [(fact.kind, fact.text) for fact in tersely.find_facts(text) if fact.kind in kinds]
