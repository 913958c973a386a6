"""Read the words and patterns of words.txt, by the name of their section."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tersely import _native

_REFERENCE = re.compile(r"\{([a-z_]+)\}")
_SIGN = re.compile(r"\\.|\[[^]]*\]|[()|]")
_LETTERS = re.compile(r"[^\\^$.*+?{}\[\]()|]*")


@cache
def _sections() -> dict[str, list[str]]:
    """Read section -> its lines, and the negations that facts and guards know."""
    found = {"negations": _native.negations()}
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    for section in text.split("\n\n[")[1:]:
        head, _, body = section.partition("]\n")
        lines = body.replace("\n  ", "").splitlines()
        found[head.partition(":")[0]] = [line for line in lines if not line.startswith("# ")]
    return found


def read_words(section: str) -> list[str]:
    """Read the words of a section, or of each of its lines."""
    return _sections()[section]


def written(section: str) -> str:
    """Write the lines of a section as one pattern."""
    return _REFERENCE.sub(lambda name: written(name[1]), "|".join(read_words(section)))


def pattern(section: str) -> re.Pattern[str]:
    """Make the pattern of a section, in letters of any case."""
    return re.compile(written(section), re.IGNORECASE)


def finder(section: str, flags: int = 0) -> Callable[[str], re.Match[str] | None]:
    """Make the function that searches for the pattern of a section, at the start alone where it says so."""
    made, anchored = (
        re.compile(written(section), flags),
        [one.startswith(r"\A") for one in read_words(section)],
    )
    return made.match if all(anchored) else made.search


def beginnings(section: str) -> list[str]:
    """List letters of which each match of a section's pattern has some at its start; []: it may have none.

    Known are ways in brackets behind the border of a word.
    """
    text = written(section)
    ways = text.removeprefix(r"\b(?:").removesuffix(r"\b").removesuffix(")")
    found = _first_letters(ways) if text.startswith(r"\b(?:") else []
    return found if all(found) else []


def _first_letters(ways: str) -> list[str]:
    """List the first letters of each way of a pattern, "" for one that begins with another sign."""
    found: list[str] = []
    start = depth = group = 0
    for sign in _SIGN.finditer(f"{ways}|"):
        depth += (sign[0] == "(") - (sign[0] == ")")
        if sign[0] == ")" and not depth and not group:
            group = sign.start()  # where the first brackets of a way close
        if sign[0] == "|" and not depth:
            way = ways[start : sign.start()]
            letters = _LETTERS.match(way)[0]  # type: ignore[index]  # that may be none
            if way.startswith("(?:"):
                found += _first_letters(ways[start + 3 : group])
            elif way.startswith("[0-9]"):
                found += "0123456789"
            else:
                found.append(letters[:-1] if way[len(letters) :][:1] in ("?", "*", "{") else letters)
            start, group = sign.end(), 0
    return found if not depth else [""]
