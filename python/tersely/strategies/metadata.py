"""What a compressed text is about, what it kept by name, and what it left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.types import Compressed, Span, Spans

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
    """The text of each run of dropped segments between kept ones, in source order. O(spans log spans)."""
    kept, dropped = _borders(result.kept), _borders(result.dropped)
    document, start, end = np.concatenate([kept, dropped], axis=1)
    out = np.arange(len(document)) >= len(kept[0])
    order = np.lexsort((out, end, start, document))
    document, start, end, out = document[order], start[order], end[order], out[order]
    goes_on = np.zeros(len(out) + 1, dtype=bool)  # a run with the one before
    goes_on[1:-1] = out[1:] & out[:-1] & (document[1:] == document[:-1])
    first, last = np.flatnonzero(out & ~goes_on[:-1]), np.flatnonzero(out & ~goes_on[1:])
    places = zip(document[first].tolist(), start[first].tolist(), end[last].tolist(), strict=True)
    return tuple(result.documents[index].text[begin:close] for index, begin, close in places)


def _borders(spans: Sequence[Span]) -> npt.NDArray[np.int64]:
    """int64[3, n]: document, start and end."""
    if isinstance(spans, Spans):  # without making each span
        table, rows = spans.table, spans.rows
        return np.stack([table.document[rows].astype(np.int64), table.start[rows], table.end[rows]])
    places = [(span.document, span.start, span.end) for span in spans]
    return np.array(places, dtype=np.int64).reshape(-1, 3).T
