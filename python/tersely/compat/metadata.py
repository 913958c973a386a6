"""Describe a compressed text: what it is about, what it kept by name, what it left out, how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from tersely import _native
from tersely.compat.contexts import CompressionMetadata
from tersely.core.types import Compressed, span_columns
from tersely.engine.confidence import confidence

__all__ = ["describe", "dropped_sections", "entities", "key_concepts", "words"]

_PUNCTUATION = ".,;:!?…()[]{}<>\"'`“”‘’«»*#|"


def describe(content: str, query: str, result: Compressed) -> CompressionMetadata:
    """Say what `result` made of `content`; each part is worked out when it is first read.

    The confidence of a text that was not changed is 1; of one that a model wrote it is the receipt's. Else
    the must-keep facts in its formula are those that were to be preserved, or, where nobody asked for any,
    the entities. O(characters) a part.
    """

    def score() -> float:
        if result.text == content:
            return 1.0
        if result.receipt.confidence is not None:
            return result.receipt.confidence
        if result.receipt.facts is not None:
            return confidence([content], result.text, query, result.receipt.facts.retention)
        named = entities(content)
        kept = len(made.preserved_entities)
        return confidence([content], result.text, query, kept / len(named) if named else 1.0)

    def kept_entities() -> tuple[str, ...]:
        kept_words = words(result.text)
        return tuple(name for name in entities(content) if name in kept_words)

    made = CompressionMetadata.build(
        {
            "preserved_entities": kept_entities,
            "key_concepts": lambda: key_concepts(words(result.text)),
            "dropped_sections": lambda: dropped_sections(result),
            "confidence_score": score,
        }
    )
    return made


def words(text: str) -> dict[str, int]:
    """Count the words of a text, without punctuation around them. O(characters)."""
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


def key_concepts(listed: Mapping[str, int], limit: int = 10) -> tuple[str, ...]:
    """The terms that come most often, as they are first spelled, the most frequent first; ties: the first.

    `listed`: the `words` of a text. Without stop words and numbers. Of scripts without spaces the terms are
    pairs of letters. O(characters).
    """
    counts: dict[str, int] = {}
    spelled: dict[str, str] = {}
    for term, surface, times in _terms(listed):
        counts[term] = counts.get(term, 0) + times
        spelled.setdefault(term, surface)
    best = sorted(counts, key=lambda term: -counts[term])
    return tuple(spelled[term] for term in best[:limit])


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
    """The text of each run of dropped segments between kept ones, in source order. O(spans log spans)."""
    kept, dropped = span_columns(result.kept), span_columns(result.dropped)
    document, start, end, _ = np.concatenate([kept, dropped], axis=1)
    out = np.arange(len(document)) >= len(kept[0])
    order = np.lexsort((out, end, start, document))
    document, start, end, out = document[order], start[order], end[order], out[order]
    goes_on = np.zeros(len(out) + 1, dtype=bool)  # a run with the one before
    goes_on[1:-1] = out[1:] & out[:-1] & (document[1:] == document[:-1])
    first, last = np.flatnonzero(out & ~goes_on[:-1]), np.flatnonzero(out & ~goes_on[1:])
    places = zip(document[first].tolist(), start[first].tolist(), end[last].tolist(), strict=True)
    return tuple(result.documents[index].text[begin:close] for index, begin, close in places)
