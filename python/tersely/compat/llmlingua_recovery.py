"""Restore the original's words in a response that quotes a compressed prompt."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tersely.core import checks

__all__ = ["recover_words"]

_WORD = re.compile(r"\w+")
_MARK = "…"  # where something was left out
_GAP = 10  # words between two of a quote that come back
_MARKED_GAP = 100  # where the quote says that there were some
_AHEAD = 8  # words that say which of several places is meant
_PLACES = 64  # that are looked at


@dataclass(frozen=True, slots=True)
class _Words:
    """A text's words, where they stand, and where each pair of neighbours does."""

    text: str
    words: list[str]
    spans: list[tuple[int, int]]
    pairs: dict[tuple[str, str], list[int]]

    @classmethod
    def of(cls, text: str) -> _Words:
        found = list(_WORD.finditer(text))
        words = [match[0] for match in found]
        pairs: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, pair in enumerate(pairwise(words)):
            pairs[pair].append(place)
        return cls(text, words, [match.span() for match in found], pairs)

    def between(self, first: int, second: int) -> str:
        """Return what stands between two words."""
        return self.text[self.spans[first][1] : self.spans[second][0]]


def recover_words(original: str, compressed: str, response: str) -> str:
    """Return the response with what was left out of the quotes in it; see `PromptCompressor.recover`."""
    checks.texts([original, compressed, response], "original_prompt, compressed_prompt and response")
    source, short, given = _Words.of(original), _Words.of(compressed), _Words.of(response)
    places = _align(short.words, source)
    written, at, index = [], 0, 0
    while index < len(given.words):
        start, length = _longest(given.words, index, short)
        for step in range(index, index + length - 1):
            first, second = places[start + step - index], places[start + step - index + 1]
            most = _MARKED_GAP if _MARK in given.between(step, step + 1) else _GAP
            if first >= 0 and 1 < second - first <= most + 1:
                written += [response[at : given.spans[step][1]], source.between(first, second)]
                at = given.spans[step + 1][0]
        index += max(length, 1)
    return "".join([*written, response[at:]])


def _longest(words: Sequence[str], index: int, short: _Words) -> tuple[int, int]:
    """Return where the longest run of words from `index` on stands in a text, and its length; 0: nowhere."""
    best = (0, 0)
    if index + 1 < len(words):
        for place in short.pairs.get((words[index], words[index + 1]), ())[:_PLACES]:
            length = _common(words, index, short.words, place, len(words))
            if length > best[1]:
                best = (place, length)
    return best


def _align(words: Sequence[str], source: _Words) -> list[int]:
    """Return for each word of a compressed text its place in the source; -1 where it is not seen."""
    places: list[int] = []
    expected = 0
    for index, word in enumerate(words):
        if expected < len(source.words) and source.words[expected] == word:
            place = expected
        else:
            place = _next_place(words, index, source, expected)
        places.append(place)
        expected = place + 1 if place >= 0 else expected
    return places


def _next_place(words: Sequence[str], index: int, source: _Words, expected: int) -> int:
    """Return where a compressed text goes on in its source: near behind, else where most words agree."""
    near = range(expected, min(expected + _MARKED_GAP + 1, len(source.words)))
    best = (0, 0)  # words that agree, minus the place
    pair = (words[index], words[index + 1]) if index + 1 < len(words) else None
    for places in (near, source.pairs.get(pair, ())[:_PLACES] if pair else ()):
        for place in places:
            if source.words[place] == words[index]:
                best = max(best, (_common(words, index, source.words, place, _AHEAD), -place))
        if best[0] >= 2:
            break
    return -best[1] if best[0] else -1


def _common(some: Sequence[str], first: int, others: Sequence[str], second: int, most: int) -> int:
    """Return how many words agree from two places on, `most` at most."""
    length = 0
    end = min(most, len(some) - first, len(others) - second)
    while length < end and some[first + length] == others[second + length]:
        length += 1
    return length
