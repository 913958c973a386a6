"""Where to cut a piece of text that does not fit whole."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

__all__ = ["CUT_MARK", "longest_prefix"]

CUT_MARK = "…"


def longest_prefix(piece: str, fits: Callable[[str], bool]) -> tuple[int, str]:
    """(characters, mark): the longest prefix found for which `fits(prefix + mark)`.

    `fits` must accept the first character alone. The cut comes at a word's end if that loses less than
    half, and never parts a letter from its accents unless nothing else fits. The mark is left out where
    it does not fit. O(log characters) calls of `fits`; for one that is not monotone the prefix fits but
    need not be the longest.
    """
    for mark in (CUT_MARK, ""):
        size = _whole_letters(piece, _bisect(piece, mark, fits))
        words = _whole_words(piece, size)
        if words and fits(piece[:words] + mark):
            return words, mark
        if size and fits(piece[:size] + mark):
            return size, mark
    size = _bisect(piece, "", fits)
    return (size if size and fits(piece[:size]) else 1), ""


def _bisect(piece: str, mark: str, fits: Callable[[str], bool]) -> int:
    low, high = 0, len(piece)
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(piece[:middle] + mark) else (low, middle)
    return low


def _whole_letters(piece: str, size: int) -> int:
    while 0 < size < len(piece) and unicodedata.combining(piece[size]):
        size -= 1
    return size


def _whole_words(piece: str, size: int) -> int:
    """Where the last whole word of the prefix ends, if that is past its middle; else 0."""
    space = piece.rfind(" ", 0, size + 1)
    return len(piece[:space].rstrip()) if space > 0 and space >= size // 2 else 0
