"""Say whether a text states something: a value as a whole, or the number of a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from tersely import _native
from tersely.context.places import LINE_WORDS

__all__ = ["said_values", "says", "says_before", "says_each", "says_line"]

_LONG = 200  # characters; what is longer is no part of a word
_IN_PATH = re.compile(r"[/\\]|\w\.[a-z]")  # of names of files
_GOES_ON = re.compile(r"~|[./\\-]\w")
_NUMBER = re.compile(r"\d{1,9}")
_APART = "\n"  # between folded texts, which have none


def says(text: str, value: str) -> bool:
    """Say whether `value` stands in `text` as a whole: not within a longer word or number.

    Case and white space do not count; "()" behind a name does not either. O(characters).
    """
    return says_each(text, [value])[0]


def says_each(text: str, values: Sequence[str]) -> list[bool]:
    """Say of each value whether it stands in `text` as a whole, as `says`. O(characters of all)."""
    wanted = [_folded(value).removesuffix("()") for value in values]
    found = {"", *(one for _, one in _standing(_folded(text), wanted))}
    return [one in found for one in wanted]


def said_values(text: str, values: Sequence[str]) -> set[str]:
    """Return the values that stand in `text`."""
    return {value for value, said in zip(values, says_each(text, values), strict=True) if said}


def says_before(texts: Sequence[str]) -> list[bool]:
    """Say of each text whether one before it says it as a whole, as `says`. O(characters of all)."""
    folded = [_folded(text) for text in texts]
    wanted = [text.removesuffix("()") for text in folded]
    first: dict[str, int] = {"": -1}
    for at, one in _standing(_APART.join(folded), wanted):
        first.setdefault(one, at)
    starts = accumulate((len(text) + len(_APART) for text in folded), initial=0)
    return [first[one] < start for one, start in zip(wanted, starts, strict=False)]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _standing(text: str, wanted: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield where strings stand in a text, and which, in the order of their ends; long ones anywhere."""
    strings = list(dict.fromkeys(filter(None, wanted)))
    numbers, _, starts, ends = _native.occurrences([text], strings, True)
    for number, start, end in zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=True):
        if end - start > _LONG or _stands_alone(text, start, end):
            yield start, strings[number]


def says_line(text: str, line: int | str) -> bool:
    """Say whether `text` names this line: "line 45", "lines 40-45", "src/auth.py:45", "L45", "Line: 45".

    `line` as text is one of 1 to 9 digits; no other text is the number of a line.
    """
    if isinstance(line, str):
        if not _NUMBER.fullmatch(line):
            return False
        line = int(line)
    ahead = (
        rf"(?:\b(?:{LINE_WORDS})\b[\s:#]{{0,4}}(?:\d{{1,9}}\s?(?:-|–|,|and|to|und|bis)\s?){{0,3}}|:|\(|\bL)"
    )
    return re.search(rf"{ahead}(?:{line}|{line:,})(?!\w|[.,]\d)", text, re.IGNORECASE) is not None


def _stands_alone(text: str, start: int, end: int) -> bool:
    first, last = text[start], text[end - 1]
    before, behind = text[max(start - 2, 0) : start], text[end : end + 2]
    if _in_word(first) and _in_word(before[-1:]):
        return False
    if _in_word(last) and _in_word(behind[:1]):
        return False
    if _GOES_ON.match(behind) and _IN_PATH.search(text[start:end]):
        return False  # "a/b.py" in "a/b.py.bak"
    if first.isdigit() and before[-1:] in (".", ",") and before[:1].isdigit():
        return False
    return not (last.isdigit() and behind[:1] in (".", ",") and behind[1:].isdigit())


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
