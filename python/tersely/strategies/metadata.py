"""What a compressed text is about, what it kept by name, and what it left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tersely import _native
from tersely.types import Compressed

__all__ = ["dropped_sections", "entities", "key_concepts", "spelled_terms"]

_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
_UNSPACED = "\u2e80"  # from here on: scripts that do not put spaces between words
_ENTITY = re.compile(
    r"\d[\d.,:/-]*\d%?|\d%?"  # numbers, dates, times, versions
    r"|(?<=[\w,;:)] )[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*"  # names, not at a sentence's start
    r"|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z]{2,}\b"  # identifiers, acronyms
)


def entities(text: str) -> tuple[str, ...]:
    """Names, numbers, dates, versions and identifiers, each once, in the order in which they come."""
    return tuple(dict.fromkeys(match.group() for match in _ENTITY.finditer(text)))


def key_concepts(text: str, limit: int = 10) -> tuple[str, ...]:
    """The terms that come most often, as they are first spelled, the most frequent first; ties: the first.

    Without stop words and numbers. Of scripts without spaces the terms are pairs of letters. O(characters).
    """
    words = list(Counter(_WORD.findall(text)).items())
    ids, offsets, names = _native.terms([word for word, _ in words])
    counts: Counter[int] = Counter()
    spelled: dict[int, str] = {}
    for row, (word, times) in enumerate(words):
        for term, surface in _terms_of(word, ids[offsets[row] : offsets[row + 1]].tolist(), names):
            counts[term] += times
            spelled.setdefault(term, surface)
    best = sorted(counts, key=lambda term: (-counts[term], term))
    return tuple(spelled[term] for term in best[:limit])


def spelled_terms(text: str) -> dict[str, str]:
    """Each term of a text, as it is first spelled."""
    words = _WORD.findall(text)
    ids, offsets, names = _native.terms(words)
    spelled: dict[str, str] = {}
    for row, word in enumerate(words):
        for term, surface in _terms_of(word, ids[offsets[row] : offsets[row + 1]].tolist(), names):
            spelled.setdefault(names[term], surface)
    return spelled


def _terms_of(word: str, terms: list[int], names: list[str]) -> Iterator[tuple[int, str]]:
    """A word's terms with the letters that stand for each in it."""
    if word >= _UNSPACED:
        yield from ((term, names[term]) for term in terms if names[term] in word)
    elif terms:
        yield terms[0], word


def dropped_sections(result: Compressed) -> tuple[str, ...]:
    """The text of each run of dropped segments between kept ones, in source order. O(spans)."""
    borders = sorted(
        [(span.document, span.start, span.end, False) for span in result.kept]
        + [(span.document, span.start, span.end, True) for span in result.dropped]
    )
    runs: list[tuple[int, int, int]] = []
    before = (-1, False)
    for document, start, end, dropped in borders:
        if dropped and before == (document, True):
            runs[-1] = (document, runs[-1][1], end)
        elif dropped:
            runs.append((document, start, end))
        before = (document, dropped)
    return tuple(result.documents[document].text[start:end] for document, start, end in runs)
