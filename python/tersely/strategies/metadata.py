"""What a compressed text is about, what it kept by name, and what it left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tersely import _native
from tersely.types import Compressed

__all__ = ["dropped_sections", "entities", "key_concepts", "words"]

_PUNCTUATION = ".,;:!?…()[]{}<>\"'`“”‘’«»*#|"


def words(text: str) -> dict[str, int]:
    """What stands between white space, without punctuation around it, and how often. O(characters)."""
    found: dict[str, int] = {}
    for spelled, times in Counter(text.split()).items():
        word = spelled.strip(_PUNCTUATION)
        found[word] = found.get(word, 0) + times
    found.pop("", None)
    return found


def entities(text: str) -> tuple[str, ...]:
    """Words that name something, each once, in the order in which they come. O(characters).

    With a digit or an underscore, of capitals only, or with a capital in front where the text does not have
    the word without one.
    """
    listed = words(text)
    return tuple(word for word in listed if _names(word, listed))


def _names(word: str, others: Mapping[str, int]) -> bool:
    if word.isalpha():
        capital = not word.islower() and word[0].isupper() and len(word) > 1
        return capital and (word.isupper() or word.lower() not in others)
    return "_" in word or any(map(str.isdigit, word)) or (word[0].isupper() and not word[1:].islower())


def key_concepts(text: str, limit: int = 10) -> tuple[str, ...]:
    """The terms that come most often, as they are first spelled, the most frequent first; ties: the first.

    Without stop words and numbers. Of scripts without spaces the terms are pairs of letters. O(characters).
    """
    listed = [
        (word, times)
        for word, times in words(text).items()
        if word.isalpha() or not any(map(str.isdigit, word))
    ]
    ids, offsets, names = _native.terms([word for word, _ in listed])
    terms, ends = ids.tolist(), offsets.tolist()
    counts: dict[int, int] = {}
    spelled: dict[int, str] = {}
    for row, (word, times) in enumerate(listed):
        mine = terms[ends[row] : ends[row + 1]]
        for term in mine:
            surface = word if len(mine) == 1 else names[term]
            if surface in word:
                counts[term] = counts.get(term, 0) + times
                spelled.setdefault(term, surface)
    best = sorted(counts, key=lambda term: (-counts[term], term))
    return tuple(spelled[term] for term in best[:limit])


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
