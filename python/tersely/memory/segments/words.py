"""Read the words and patterns of words.txt, by the name of their section."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tersely import _native

_REFERENCE = re.compile(r"\{([a-z_]+)\}")


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
    made = re.compile(written(section), flags)
    return made.match if all(one.startswith(r"\A") for one in read_words(section)) else made.search
