"""Shorten each search result: to the sentences that answer a query, to one line, or to a model's summary."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tersely import checks
from tersely.cache import BoundedCache
from tersely.engine.cutting import segment
from tersely.models.counters import resolve_counter
from tersely.models.flows import Flow, one_model, run_flow, run_flow_async
from tersely.models.language_models import resolve_language_model
from tersely.retrieval.chunks import ChunkResult
from tersely.retrieval.scoring import RelevanceScorer, ScoringMethod
from tersely.types import Document, Kind
from tersely.writing.checks import unsupported_facts
from tersely.writing.flow import Task, ask
from tersely.writing.prompt import Prompt

__all__ = ["ChunkSummarizer", "ChunkSummary", "Excerpt", "Preview", "extract_sentences", "previews"]

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


_TEMPLATE = (
    "Summarize the following content in {target} words, preserving key facts relevant to: {query}\n"
    "{rules}\n\n{content}"
)
_CHARACTERS = resolve_counter(len)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSummary:
    """The summary of a chunk, or the chunk itself.

    Attributes:
        chunk_id: of the chunk; its content can be had there again.
        content: what the model wrote; the chunk's own content where `summary` is False.
        summary: whether a model wrote `content`.
        unsupported: numbers, names and the like that the model wrote and the chunk lacks.
        fallback_reason: why there is no summary, as of a `Reply` (writing/flow.py): "model_failed",
            "empty_reply", "reply_truncated", "reply_too_long" (no shorter than the chunk); None: there is.
    """

    chunk_id: str
    content: str
    summary: bool
    unsupported: tuple[str, ...] = ()
    fallback_reason: str | None = None


class ChunkSummarizer:
    """Summarizes chunks for a query with a model; where it fails, the chunk itself is returned."""

    def __init__(self, model: Any = None, cache: int = 8 * 2**20, *, llm: Any = None) -> None:
        """`model`, or `llm`: see `resolve_language_model`; `cache`: bytes of summaries to keep."""
        self._model = resolve_language_model(one_model(model=model, llm=llm))
        self._cache: BoundedCache[ChunkSummary] = BoundedCache(checks.whole_number(cache, "cache"))

    def summarize(self, chunk: ChunkResult, query: str, target_length: int) -> ChunkSummary:
        """Summarize the chunk in about `target_length` words, for a query. A failing model raises nothing.

        Raises ValueError for a target length under 1, TypeError for one that is no whole number.
        """
        return run_flow(self._summary(chunk, query, target_length), self._model, 1)

    async def asummarize(self, chunk: ChunkResult, query: str, target_length: int) -> ChunkSummary:
        """As `summarize`; the model is asked in the caller's event loop where it has `acomplete`."""
        return await run_flow_async(self._summary(chunk, query, target_length), self._model, 1)

    def _summary(self, chunk: ChunkResult, query: str, target_length: int) -> Flow[ChunkSummary]:
        target_length = checks.whole_number(target_length, "target_length", least=1)
        limit = max(len(chunk.content) - 1, 1)
        prompt = Prompt(_TEMPLATE, query)
        task = Task(chunk.content, prompt, limit, _CHARACTERS, unit="characters", target=target_length)
        key_text = f"{chunk.chunk_id}\0{prompt.fill(chunk.content, target_length)}"
        key = hashlib.sha256(key_text.encode()).digest()
        if (known := self._cache.get(key)) is not None:
            return known
        (reply,) = yield from ask([task])
        if reply.reason is not None:
            return ChunkSummary(
                chunk_id=chunk.chunk_id, content=chunk.content, summary=False, fallback_reason=reply.reason
            )
        made_up = unsupported_facts([chunk.content], reply.text)
        made = ChunkSummary(chunk_id=chunk.chunk_id, content=reply.text, summary=True, unsupported=made_up)
        self._cache.put(key, made, 4 * len(made.content))
        return made
