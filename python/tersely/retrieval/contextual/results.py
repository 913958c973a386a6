"""Results of contextual compression: documents, what was dropped, token usage, and sums over calls."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

from tersely.checks import Ratios
from tersely.retrieval.chunks import DocumentChunk
from tersely.retrieval.contextual.settings import BudgetUsage, CompressionStrategy
from tersely.retrieval.scoring import RelevanceScore, to_uuid
from tersely.types import Span

__all__ = [
    "CompressedDocument",
    "CompressionBatch",
    "CompressionResult",
    "CompressionStats",
    "DroppedDocument",
    "SegmentRef",
    "Tally",
]

SegmentRef = Span  # `original_documents[ref.document].content[ref.start:ref.end]`, and why it is there


@dataclass(frozen=True, slots=True)
class CompressedDocument:
    """A document that is kept, shortened or whole.

    Attributes:
        original_id: the UUID that the document has for an id, or the UUID5 of its id.
        content: the text.
        token_count: of `content`.
        compression_method: "extractive", "abstractive", "hybrid" or "passthrough": of this document, which a
            failure may have changed.
        preserved_segments: spans that stand in `content` verbatim, in source order. The reason of each:
            "selected", "context" (beside a selected one), "heading" (above one), "pinned", "fits" (the whole
            document), "cut" (its start; the mark "…" follows).
        relevance_score: in [0, 1].
        index: of the document among the originals.
        dropped_segments: the other spans, likewise: "budget", "redundant" (another one says it), "irrelevant"
            (under the threshold), "duplicate" (another document has it word for word), "rewritten" (a model
            wrote `content` from it), "cut".
        generated: (start, end) characters of `content` that are not the source's: written by a model, or
            saying what was left out of data, code or a log.
        used_llm: whether a model wrote any of it.
        fallback_reason: why no model did, where one should have; else None.
        warnings: reason codes: "summary_too_long" (cut at the end of a sentence), "summary_too_short" (filled
            up with segments of the source), "unsupported_facts", "segment_cut".
        unsupported_facts: numbers, dates, names, paths, URLs and identifiers that a model made up.
    """

    original_id: UUID
    content: str
    token_count: int
    compression_method: str
    preserved_segments: Sequence[SegmentRef]
    relevance_score: float
    index: int = 0
    dropped_segments: Sequence[SegmentRef] = ()
    generated: tuple[tuple[int, int], ...] = ()
    used_llm: bool = False
    fallback_reason: str | None = None
    warnings: tuple[str, ...] = ()
    unsupported_facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DroppedDocument:
    """A document that nothing is kept of.

    Attributes:
        id: as given.
        index, relevance_score: as of a `CompressedDocument`.
        token_count: tokens that it had.
        reason: "irrelevant" (under the threshold), "budget" (no room for the least it could have),
            "duplicate" (all of it stands in others), "empty".
    """

    id: str | UUID
    index: int
    token_count: int
    relevance_score: float
    reason: str

    @property
    def original_id(self) -> UUID:
        """As of a `CompressedDocument`."""
        return to_uuid(self.id)


@dataclass(frozen=True, eq=False)
class CompressionResult(Ratios):
    """The compressed documents of a call. (`tersely.memory.CompressionResult` is that of segments.)

    Attributes:
        original_documents: as given.
        compressed_documents: those of which something is left, in their order.
        original_token_count, compressed_token_count: sums over the documents; 0 for none.
        compression_ratio: compressed / original tokens; 1.0 where there were none.
        strategy_used: what was chosen; a document's `compression_method` says what became of it.
        relevance_scores: of all documents, in their order.
        dropped_documents: the others, with reasons.
        usage: tokens available, used and not used, of each document and of all.
        used_llm: whether a model wrote any of it.
        fallback_reason: of the scoring or of the first document that has one; None: all went as it should.
        warnings: reason codes: those of the scoring, of the choice (`Receipt.warnings`) and of the
            documents, "empty_query", "documents_dropped", "nothing_relevant" (every document is under the
            threshold), "relevance_doubtful" (every one is, but the most probable stays), "reserve_shrunk"
            (the budget has no room for the whole reserve for the response).
        separator: stands between documents in `text`.
        cached: whether an earlier call made this.
    """

    original_documents: tuple[DocumentChunk, ...]
    compressed_documents: tuple[CompressedDocument, ...]
    original_token_count: int
    compressed_token_count: int
    compression_ratio: float
    strategy_used: CompressionStrategy
    relevance_scores: Sequence[RelevanceScore]
    dropped_documents: tuple[DroppedDocument, ...]
    usage: BudgetUsage
    used_llm: bool = False
    fallback_reason: str | None = None
    warnings: tuple[str, ...] = ()
    separator: str = "\n\n"
    cached: bool = False

    def __str__(self) -> str:
        """The text: what a prompt holds where the result is put into one."""
        return self.text

    @cached_property
    def text(self) -> str:
        """The documents joined: what to send. Its count is `usage.used`, never over `usage.available`."""
        return self.separator.join(document.content for document in self.compressed_documents)

    @property
    def ratio(self) -> float:
        """`compression_ratio`."""
        return self.compression_ratio

    def expand(self, document: CompressedDocument | DroppedDocument | int) -> str:
        """The original text of a document again, exactly as given."""
        return self.original_documents[document if isinstance(document, int) else document.index].content


@dataclass(frozen=True, slots=True)
class CompressionBatch:
    """One call of `compress` among several: its arguments."""

    documents: Sequence[Any]
    query: str
    strategy: CompressionStrategy | str | None = None


@dataclass(frozen=True, slots=True)
class CompressionStats(Ratios):
    """Sums over the calls of a `ContextualCompressor`.

    Attributes:
        calls: that gave a result.
        documents_in, documents_out, tokens_in, tokens_out: of their results.
        by_strategy: calls by the strategy that was used.
        cache_hits: calls that an earlier one had answered.
        llm_calls: prompts that went to the language model for summaries.
        fallbacks: calls in which something went otherwise than asked for.
        seconds: that the calls took together.
    """

    calls: int = 0
    documents_in: int = 0
    documents_out: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    by_strategy: Mapping[CompressionStrategy, int] = field(default_factory=dict)
    cache_hits: int = 0
    llm_calls: int = 0
    fallbacks: int = 0
    seconds: float = 0.0

    @property
    def ratio(self) -> float:
        """tokens_out / tokens_in; 1.0 where nothing came in."""
        return self.tokens_out / self.tokens_in if self.tokens_in else 1.0


class Tally:
    """Adds up results. Thread-safe."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._lock = threading.Lock()
        self._sums = dict.fromkeys(
            (
                "calls",
                "documents_in",
                "documents_out",
                "tokens_in",
                "tokens_out",
                "cache_hits",
                "llm_calls",
                "fallbacks",
            ),
            0,
        )
        self._by_strategy: Counter[CompressionStrategy] = Counter()
        self._seconds = 0.0

    def add(self, result: CompressionResult, seconds: float, asked: int) -> None:
        """Add a call, the seconds it took and the prompts it sent."""
        with self._lock:
            self._sums["calls"] += 1
            self._sums["documents_in"] += len(result.original_documents)
            self._sums["documents_out"] += len(result.compressed_documents)
            self._sums["tokens_in"] += result.original_token_count
            self._sums["tokens_out"] += result.compressed_token_count
            self._sums["cache_hits"] += result.cached
            self._sums["llm_calls"] += asked
            self._sums["fallbacks"] += result.fallback_reason is not None
            self._by_strategy[result.strategy_used] += 1
            self._seconds += seconds

    def stats(self) -> CompressionStats:
        """The sums so far."""
        with self._lock:
            return CompressionStats(**self._sums, by_strategy=dict(self._by_strategy), seconds=self._seconds)
