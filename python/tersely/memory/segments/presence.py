"""Whether a text says something: to the letter, or by its numbers, names and enough of its words."""

from __future__ import annotations

import re

import numpy as np

from tersely import _native
from tersely.facts import FactKind
from tersely.stages.facts import list_facts

__all__ = ["anchors", "missing_anchors", "says", "says_line", "shared_words"]

_EXACT = (
    FactKind.NUMBER,
    FactKind.DATE,
    FactKind.VERSION,
    FactKind.PATH,
    FactKind.PATH_LINE,
    FactKind.URL,
    FactKind.IDENTIFIER,
)
_PATH_LINE = re.compile(r"(.+?)(?::|\(|\", line )\[?(\d{1,9})")


def says(text: str, value: str) -> bool:
    """Whether `value` stands in `text` as a whole: not within a longer word or number. Case and white space
    do not count; "()" behind a name does not either. O(characters)."""
    wanted = " ".join(value.casefold().split()).removesuffix("()")
    if not wanted:
        return True
    plain = " ".join(text.casefold().split())
    at = plain.find(wanted)
    while at >= 0:
        if _stands_alone(plain, at, at + len(wanted)):
            return True
        at = plain.find(wanted, at + 1)
    return False


def says_line(text: str, line: int) -> bool:
    """Whether `text` names this line: "line 45", "lines 40-45", "src/auth.py:45", "L45", "Line: 45"."""
    ahead = r"(?:\blines?\b[\s:#]{0,4}(?:\d{1,9}\s?(?:-|–|,|and|to)\s?){0,3}|:|\(|\bL)"
    return re.search(rf"{ahead}{line}(?!\w|[.,]\d)", text, re.IGNORECASE) is not None


def _stands_alone(text: str, start: int, end: int) -> bool:
    first, last = text[start], text[end - 1]
    before, behind = text[max(start - 2, 0) : start], text[end : end + 2]
    if _word(first) and _word(before[-1:]):
        return False
    if _word(last) and _word(behind[:1]):
        return False
    if first.isdigit() and before[-1:] in (".", ",") and before[:1].isdigit():
        return False
    return not (last.isdigit() and behind[:1] in (".", ",") and behind[1:].isdigit())


def _word(character: str) -> bool:
    return character.isalnum() or character == "_"


def anchors(value: str) -> list[str]:
    """The numbers, paths, identifiers, ... of a value, which no paraphrase may lose; `path:line` is two."""
    found: list[str] = []
    for fact in list_facts([value]):
        if fact.kind is FactKind.PATH_LINE and (match := _PATH_LINE.match(fact.text)):
            found += [match[1], match[2]]
        elif fact.kind in _EXACT:
            found.append(fact.text)
    return list(dict.fromkeys(found))


def missing_anchors(text: str, value: str) -> list[str]:
    """The anchors of `value` that `text` does not state."""
    return [anchor for anchor in anchors(value) if not says(text, anchor)]


def shared_words(text: str, value: str) -> float:
    """Share in [0, 1] of the terms of `value` (folded, stemmed, without stop words) that `text` has; 1.0
    where it has no terms."""
    ids, offsets, _ = _native.terms([text, value])
    wanted = np.unique(ids[offsets[-2] :])
    return float(np.isin(wanted, ids[: offsets[-2]]).mean()) if len(wanted) else 1.0
