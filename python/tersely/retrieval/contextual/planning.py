"""A call and its scores -> what will be done: which documents may stay, and how they are made smaller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tersely.errors import ModelReplyError
from tersely.relevance.scores import RelevanceScore, ScoringMethod
from tersely.retrieval.chunks import DocumentChunk
from tersely.retrieval.contextual.arguments import key_of
from tersely.retrieval.contextual.budget import TokenBudgetManager
from tersely.retrieval.contextual.call import Call
from tersely.retrieval.contextual.reading import Bools
from tersely.retrieval.contextual.selector import StrategySelector
from tersely.retrieval.contextual.settings import AllocationStrategy, CompressionConfig, CompressionStrategy
from tersely.retrieval.contextual.summarizer import ContentSummarizer
from tersely.stages.count import count_batch
from tersely.tables import Float64s, Int64s
from tersely.types import Document

__all__ = ["Asked", "Scored", "planned", "reported"]

_CLOSE = 1e-6  # how near to the threshold counts as there: the scores are float32


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """The arguments of a call, checked.

    Attributes:
        chunks, documents: as given, and as the stages take them.
        read: the documents, those blank that cannot have a share (`similarity` says so).
        query: without white space around it.
        strategy: that the caller named.
        config, manager: settings and limits.
        pinned: (document, start, end) spans.
        similarity: float64[n] in [0, 1], relevance by vectors that the caller brought; None: he did not.
        sizes: int64[n], tokens.
    """

    chunks: tuple[DocumentChunk, ...]
    documents: tuple[Document, ...]
    read: tuple[Document, ...]
    query: str
    strategy: CompressionStrategy | None
    config: CompressionConfig
    manager: TokenBudgetManager
    pinned: tuple[tuple[int, int, int], ...]
    similarity: Float64s | None
    sizes: Int64s

    @classmethod
    def of(cls, **given: Any) -> Asked:
        """Count the documents and see which are worth reading."""
        documents, manager = given["documents"], given["manager"]
        sizes = count_batch(manager.counter, [document.text for document in documents])
        read = documents
        if given["similarity"] is not None:
            near = _can_have_a_share(sizes, given["similarity"], given["config"], manager)
            near[sorted({document for document, _, _ in given["pinned"]})] = True
            read = tuple(
                document if kept else Document("", document.id)
                for document, kept in zip(documents, near.tolist(), strict=True)
            )
        return cls(**given, sizes=sizes, read=read)

    def key(self) -> bytes:
        """Says which call this is, of those to one compressor."""
        fields = [self.query, repr(self.strategy), repr(self.config), repr(self.manager.config)]
        fields.append(repr(self.pinned))
        if self.similarity is not None:
            fields.append(self.similarity.tobytes().hex())
        return key_of(self.chunks, fields)


@dataclass(frozen=True, eq=False, slots=True)
class Scored:
    """What a scorer said, and why it is not the one that was asked; None: it is."""

    relevance: Sequence[RelevanceScore]
    failure: str | None = None

    @classmethod
    def of(cls, answer: Any, documents: int) -> Scored:
        """What somebody's scorer said; raises ModelReplyError where that is not one score a document."""
        if not isinstance(answer, Sequence) or len(answer) != documents:
            raise ModelReplyError(f"a scorer must give {documents} scores, not {type(answer).__name__}")
        for score in answer:
            if not isinstance(score, RelevanceScore) or not 0 <= score.overall_score <= 1:
                raise ModelReplyError(f"a scorer must give RelevanceScores in [0, 1], not {score!r}")
        return cls(answer)

    @property
    def reason(self) -> str | None:
        """Why another method had to step in."""
        return self.failure or getattr(self.relevance, "fallback_reason", None)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reason codes."""
        said = tuple(getattr(self.relevance, "warnings", ()))
        return ("scorer_failed", *said) if self.failure else said


def planned(
    asked: Asked,
    scored: Scored,
    selector: StrategySelector,
    summarizer: ContentSummarizer | None,
    strict: bool,
    separator: str,
) -> Call:
    """What will be done about the documents."""
    scores = _document_scores(asked, scored)
    relevant = scores >= asked.config.min_relevance_threshold - _CLOSE
    if not asked.query and asked.similarity is None:
        scores, relevant = np.ones(len(scores)), np.ones(len(scores), dtype=bool)
    relevant[sorted({document for document, _, _ in asked.pinned})] = True
    live = relevant & np.array([bool(document.text.strip()) for document in asked.read], dtype=bool)
    call = Call(
        chunks=asked.chunks,
        documents=asked.read,
        query=asked.query,
        config=asked.config,
        manager=asked.manager,
        strategy=None,
        relevance=scored.relevance,
        scores=scores,
        sizes=asked.sizes,
        relevant=relevant,
        live=live,
        pinned=asked.pinned,
        summarizer=summarizer,
        strict=strict,
        separator=separator,
    )
    indices = np.flatnonzero(live).tolist()
    if not indices:
        return call
    room = asked.manager.available() - call.gap * (len(indices) - 1)
    strategy = selector.select(
        call.texts(indices),
        asked.sizes[indices].tolist(),
        room,
        asked.config,
        strategy=asked.strategy,
        has_model=summarizer is not None,
    )
    return replace(call, strategy=strategy)


def reported(call: Call, similarity: Float64s | None) -> Sequence[RelevanceScore]:
    """The scores of the documents as callers see them: their own, where they brought vectors."""
    if similarity is None:
        return call.relevance
    return [
        RelevanceScore(score.document_id, value, score.segment_scores, ScoringMethod.EMBEDDING)
        for score, value in zip(call.relevance, similarity.tolist(), strict=True)
    ]


def _document_scores(asked: Asked, scored: Scored) -> Float64s:
    if asked.similarity is not None:
        return asked.similarity
    return np.array([score.overall_score for score in scored.relevance], dtype=np.float64)


def _can_have_a_share(
    sizes: Int64s, similarity: Float64s, config: CompressionConfig, manager: TokenBudgetManager
) -> Bools:
    """bool[n]: documents over the threshold, the best first, as many as the least share allows."""
    near: Bools = similarity >= config.min_relevance_threshold - _CLOSE
    if config.allocation_strategy is AllocationStrategy.MARGINAL:
        return near
    order = np.lexsort((np.arange(len(sizes)), -similarity))
    order = order[near[order]]
    least = np.cumsum(np.minimum(sizes[order], manager.config.min_per_document))
    near[order[max(int(np.searchsorted(least, manager.available(), side="right")), 1) :]] = False
    return near
