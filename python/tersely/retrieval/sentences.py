"""The sentences of each result that answer the query best, verbatim, in the order of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tersely.relevance.scorer import RelevanceScorer
from tersely.relevance.scores import ScoringMethod
from tersely.types import Document

__all__ = ["Excerpt", "extract_sentences"]

_FIRST = 0.1  # what the first sentence of a chunk gets for its place; the n-th gets a n-th of it


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Sentences of a text.

    Attributes:
        text: the sentences; " … " stands where something between them was left out.
        spans: (start, end) characters of each sentence in the source, ascending.
    """

    text: str
    spans: tuple[tuple[int, int], ...]


def extract_sentences(
    texts: Sequence[str], query: str, budget: int, *, embedder: Any = None
) -> list[Excerpt]:
    """The best `budget // len(texts)` sentences of each text (at least one), in source order.

    A sentence scores by the share of the query's terms that it has, weighted by their rarity, plus the cosine
    of the vectors (`RelevanceScorer`: KEYWORD, EMBEDDING), plus up to 0.1 for standing early in its text.

    Raises ValueError for a blank query or a budget under 1. O(characters).
    """
    if isinstance(budget, bool) or not isinstance(budget, int):
        raise TypeError(f"the budget must be a whole number of sentences, not {budget!r}")
    if budget < 1:
        raise ValueError(f"the budget must be 1 or more sentences, not {budget}")
    if not query.strip():
        raise ValueError("sentences are chosen for a query: it must not be blank")
    if not texts:
        return []
    each = max(budget // len(texts), 1)
    documents = [Document(text) for text in texts]
    methods = (ScoringMethod.KEYWORD, ScoringMethod.EMBEDDING)
    scores = [
        RelevanceScorer(method, embedder=embedder, cache=0).score_sync(documents, query) for method in methods
    ]
    excerpts = []
    for text, by_terms, by_vectors in zip(texts, *scores, strict=True):
        found = by_terms.segment_scores
        values = [
            one.score + other.score + _FIRST / (place + 1)
            for place, (one, other) in enumerate(zip(found, by_vectors.segment_scores, strict=True))
        ]
        best = sorted(sorted(range(len(found)), key=lambda row: -values[row])[:each])
        excerpts.append(_excerpt(text, [found[row].span for row in best]))
    return excerpts


def _excerpt(text: str, spans: Sequence[tuple[int, int]]) -> Excerpt:
    parts: list[str] = []
    before = None
    for start, end in spans:
        if before is not None:
            gap = text[before:start]
            parts.append(gap if not gap.strip() else " … ")
        parts.append(text[start:end])
        before = end
    return Excerpt("".join(parts), tuple(spans))
