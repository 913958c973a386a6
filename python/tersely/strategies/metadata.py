"""What a compressed text is about, what it kept by name, and what it left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tersely import _native
from tersely.types import Compressed

__all__ = ["dropped_sections", "entities", "key_concepts", "spelled_terms", "words"]

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

    With a digit or an underscore, of capitals only, or with a capital in front where the text neither begins
    with the word nor has it without a capital.
    """
    listed = words(text)
    first = next(iter(listed), "")
    begins = first.isalpha() and listed[first] == 1 and not first.isupper()
    return tuple(word for word in listed if _names(word, listed) and not (begins and word == first))


def _names(word: str, others: Mapping[str, int]) -> bool:
    if word.isalpha():
        capital = not word.islower() and word[0].isupper() and len(word) > 1
        return capital and (word.isupper() or word.lower() not in others)
    return "_" in word or any(map(str.isdigit, word)) or (word[0].isupper() and not word[1:].islower())


def key_concepts(text: str, limit: int = 10) -> tuple[str, ...]:
    """The terms that come most often, as they are first spelled, the most frequent first; ties: the first.

    Without stop words and numbers. Of scripts without spaces the terms are pairs of letters. O(characters).
    """
    counts: dict[str, int] = {}
    spelled: dict[str, str] = {}
    for term, surface, times in _terms(words(text)):
        counts[term] = counts.get(term, 0) + times
        spelled.setdefault(term, surface)
    best = sorted(counts, key=lambda term: -counts[term])
    return tuple(spelled[term] for term in best[:limit])


def spelled_terms(text: str) -> dict[str, str]:
    """Each term of a text, as it is first spelled. Without numbers. O(characters)."""
    spelled: dict[str, str] = {}
    for term, surface, _ in _terms(words(text)):
        spelled.setdefault(term, surface)
    return spelled


def _terms(listed: Mapping[str, int]) -> Iterator[tuple[str, str, int]]:
    """Each term of words without digits, the letters that stand for it, and how often the word comes."""
    texts = [word for word in listed if word.isalpha() or not any(map(str.isdigit, word))]
    found, offsets, names = _native.terms(texts)
    ids, ends = found.tolist(), offsets.tolist()
    for row, word in enumerate(texts):
        terms = ids[ends[row] : ends[row + 1]]
        for term in terms:
            surface = word if len(terms) == 1 else names[term]
            if surface in word:
                yield names[term], surface, listed[word]


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
