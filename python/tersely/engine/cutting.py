"""Cut documents into segments, and a piece of text where it does not fit whole."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from tersely import _native
from tersely.types import Analysis, Level, SegmentTable

_LARGEST_WINDOW = 2**62  # what the native border takes; no text is longer


def analyze(
    texts: Sequence[str], extras: Sequence[str] = (), level: Level = Level.SENTENCE, window: int = 200
) -> Analysis:
    """Cut texts into segments and read their terms; `extras` (query, titles) only give a term row each.

    O(characters) time and memory linear in the number of segments and terms; the GIL is released.
    """
    columns, ids, offsets, classes, weights = _native.analyze(
        texts, list(extras), int(level), min(window, _LARGEST_WINDOW)
    )
    return Analysis(SegmentTable(*columns), ids, offsets, classes, weights)


def segment(texts: Sequence[str], level: Level = Level.SENTENCE, window: int = 200) -> SegmentTable:
    """Cut texts into segments. See `analyze`."""
    return SegmentTable(*_native.segment(list(texts), int(level), min(window, _LARGEST_WINDOW)))


CUT_MARK = "…"
_CHARACTERS = 4  # of a token, about


def least_prefix(piece: str) -> int:
    """Return the characters of a piece that is not blank up to its first that is not white space."""
    return len(piece) - len(piece.lstrip()) + 1


def longest_prefix(piece: str, tokens: Callable[[str], int], budget: int) -> tuple[int, str]:
    """(characters, mark): the longest prefix found that has `tokens(prefix + mark) <= budget`.

    The least prefix must fit; nothing shorter is returned. The cut comes at a word's end if that loses less
    than half, and never parts a letter from its accents unless nothing else fits. The mark is left out where
    it does not fit. O(log characters) counts, of texts about as long as what fits; where more text can have
    fewer tokens, the prefix fits but need not be the longest.
    """
    least = least_prefix(piece)
    for mark in (CUT_MARK, ""):
        size = _whole_letters(piece, _most(piece, mark, tokens, budget))
        words = _whole_words(piece, size)
        if words >= least and tokens(piece[:words] + mark) <= budget:
            return words, mark
        if size >= least and tokens(piece[:size] + mark) <= budget:
            return size, mark
    size = _most(piece, "", tokens, budget)
    return (size if size >= least and tokens(piece[:size]) <= budget else least), ""


def _most(piece: str, mark: str, tokens: Callable[[str], int], budget: int) -> int:
    """The largest size under that of the piece that fits: guessed from two counts, in turn with halving.

    Stops early where the text is cut at the same word's end whichever of the sizes that are left it is.
    """
    low, high = 0, len(piece)
    at_low, at_high = 0, 0  # tokens; 0: not counted
    size, turn = _CHARACTERS * (budget + 1), 0
    while low + 1 < high and not _cut_alike(piece, low, high - 1):
        if turn % 3 == 2 or not low < size < high:
            size = (low + high) // 2
        found, turn = tokens(piece[:size] + mark), turn + 1
        if found <= budget:
            low, at_low = size, found
        else:
            high, at_high = size, found
        if at_high > at_low:
            size = low + max(int((budget + 0.5 - at_low) / (at_high - at_low) * (high - low)), 1)
        else:
            size = 4 * low
    return low


def _cut_alike(piece: str, low: int, high: int) -> bool:
    """Whether prefixes of both sizes are cut at the end of the same word."""
    words = _whole_words(piece, high)
    return 0 < words == _whole_words(piece, low)


def _whole_letters(piece: str, size: int) -> int:
    while 0 < size < len(piece) and unicodedata.combining(piece[size]):
        size -= 1
    return size


def _whole_words(piece: str, size: int) -> int:
    """Find the end of the prefix's last whole word, if past its middle; else 0."""
    space = piece.rfind(" ", 0, size + 1)
    return len(piece[:space].rstrip()) if space > 0 and space >= size // 2 else 0
