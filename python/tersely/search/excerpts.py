"""Shorten each search result: to the sentences that answer a query best, or to one line to choose by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tersely.core import checks
from tersely.core.tables import Kind
from tersely.core.types import Document
from tersely.engine.segment import segment
from tersely.relevance.scorer import RelevanceScorer
from tersely.relevance.scores import ScoringMethod
from tersely.search.chunks import ChunkResult

__all__ = ["Excerpt", "Preview", "extract_sentences", "previews"]

_LONGEST = 160  # characters of a preview
_GAP = " … "  # where something between two sentences was left out
_FIRST = 0.1  # what the first sentence of a chunk gets for its place; the n-th gets a n-th of it


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Sentences extracted from a text.

    Attributes:
        text: the sentences; " … " stands where something between them was left out.
        spans: (start, end) characters of the sentences in the source, ascending.
    """

    text: str
    spans: tuple[tuple[int, int], ...]


def extract_sentences(
    texts: Sequence[str], query: str, budget: int, *, embedder: Any = None
) -> list[Excerpt]:
    """Extract the best `budget // len(texts)` sentences of each text (at least one), in source order.

    A sentence scores by the share of the query's terms that it has, weighted by their rarity, plus the cosine
    of the vectors (`RelevanceScorer`: KEYWORD, EMBEDDING), plus up to 0.1 for standing early in its text.

    Raises ValueError for a blank query or a budget under 1. O(characters).
    """
    budget = checks.whole_number(budget, "the budget of sentences", least=1)
    if not query.strip():
        raise ValueError("sentences are chosen for a query: it must not be blank")
    if not texts:
        return []
    each = max(budget // len(texts), 1)
    texts = [checks.text(text, "a text") for text in texts]
    documents = [Document(text) for text in texts]
    methods = (ScoringMethod.KEYWORD, ScoringMethod.EMBEDDING)
    by_terms, by_vectors = (
        RelevanceScorer(method, embedder=embedder, cache=0).score_sync(documents, query) for method in methods
    )
    table = by_terms.segments
    values = by_terms.segment_scores.astype(np.float64) + by_vectors.segment_scores
    bounds = table.document.searchsorted(np.arange(len(texts) + 1)).tolist()
    excerpts = []
    for text, first, last in zip(texts, bounds, bounds[1:], strict=False):
        places = values[first:last] + _FIRST / np.arange(1, last - first + 1)
        best = first + np.sort(np.argsort(-places, kind="stable")[:each])
        excerpts.append(
            _excerpt(text, list(zip(table.start[best].tolist(), table.end[best].tolist(), strict=True)))
        )
    return excerpts


def _excerpt(text: str, sentences: Sequence[tuple[int, int]]) -> Excerpt:
    """Join sentences; what is no longer than the mark of a gap stays: no excerpt is longer than its text."""
    shown, spans = "", list[tuple[int, int]]()
    for start, end in sentences:
        last = spans[-1][1] if spans else start
        gap = text[last:start]
        if gap.strip() and len(gap) <= len(_GAP):
            spans[-1] = (spans[-1][0], end)
        else:
            gap = _GAP if gap.strip() else gap
            spans.append((start, end))
        shown += gap + text[start:end]
    return Excerpt(shown, tuple(spans))


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A search result in one line.

    Attributes:
        chunk_id: asks for the whole.
        preview: its first sentence; where that is no sentence or too long, its headings and number of words.
        score: of the result.
    """

    chunk_id: str
    preview: str
    score: float


def previews(results: Sequence[ChunkResult]) -> list[Preview]:
    """Make a line for each result. O(characters)."""
    table = segment([result.content for result in results])
    first: dict[int, str] = {}
    for document, start, end, kind in table:
        if document not in first and kind in (Kind.PROSE, Kind.LIST_ITEM, Kind.QUOTE):
            first[document] = " ".join(results[document].content[start:end].split())
    return [
        Preview(chunk_id=result.chunk_id, preview=_line(result, first.get(row, "")), score=result.score)
        for row, result in enumerate(results)
    ]


def _line(result: ChunkResult, sentence: str) -> str:
    if 0 < len(sentence) <= _LONGEST:
        return sentence
    words = len(result.content.split())
    about = " ".join((result.header_path or result.file_path or result.doc_id).split())[:_LONGEST]
    return f"{about} ({words} word{'' if words == 1 else 's'})".strip()
