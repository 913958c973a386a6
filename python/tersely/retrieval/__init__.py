"""Results of a search, made smaller: types, what makes them fewer or shorter, contextual compression.

All but the types of chunks load when they are first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tersely.retrieval.chunks import ChunkResult, DocumentChunk, Retriever, SearchResult

if TYPE_CHECKING:
    from tersely.relevance.scores import RelevanceScore, ScoringMethod
    from tersely.retrieval.contextual.budget import BudgetPlan, TokenBudgetManager, TokenUsage
    from tersely.retrieval.contextual.compressor import ContextualCompressor
    from tersely.retrieval.contextual.extractive import ExtractiveCompressor
    from tersely.retrieval.contextual.integration import CompressingRetriever, RelevanceReranker
    from tersely.retrieval.contextual.results import (
        CompressedDocument,
        CompressionBatch,
        CompressionResult,
        CompressionStats,
        DroppedDocument,
        ExtractedContent,
        SegmentRef,
    )
    from tersely.retrieval.contextual.segmenter import Segment, Segmenter
    from tersely.retrieval.contextual.selector import StrategySelector
    from tersely.retrieval.contextual.settings import (
        AllocationStrategy,
        CompressionConfig,
        CompressionStrategy,
        SegmentSize,
        TokenBudgetConfig,
    )
    from tersely.retrieval.contextual.summarizer import (
        ABSTRACTIVE_COMPRESSION_PROMPT,
        ContentSummarizer,
        Summary,
    )
    from tersely.retrieval.preview import Preview, previews
    from tersely.retrieval.results import CompressedResults, ResultStats, compress_results
    from tersely.retrieval.sentences import Excerpt, extract_sentences
    from tersely.retrieval.summaries import ChunkSummarizer, ChunkSummary
    from tersely.retrieval.token_limit import within_budget

__all__ = [
    "ABSTRACTIVE_COMPRESSION_PROMPT",
    "AllocationStrategy",
    "BudgetPlan",
    "ChunkResult",
    "ChunkSummarizer",
    "ChunkSummary",
    "CompressedDocument",
    "CompressedResults",
    "CompressingRetriever",
    "CompressionBatch",
    "CompressionConfig",
    "CompressionResult",
    "CompressionStats",
    "CompressionStrategy",
    "ContentSummarizer",
    "ContextualCompressor",
    "DocumentChunk",
    "DroppedDocument",
    "Excerpt",
    "ExtractedContent",
    "ExtractiveCompressor",
    "Preview",
    "RelevanceReranker",
    "RelevanceScore",
    "ResultStats",
    "Retriever",
    "ScoringMethod",
    "SearchResult",
    "Segment",
    "SegmentRef",
    "SegmentSize",
    "Segmenter",
    "StrategySelector",
    "Summary",
    "TokenBudgetConfig",
    "TokenBudgetManager",
    "TokenUsage",
    "compress_results",
    "extract_sentences",
    "previews",
    "within_budget",
]

_MODULES = {
    "tersely.relevance.scores": ("RelevanceScore", "ScoringMethod"),
    "tersely.retrieval.contextual.budget": ("BudgetPlan", "TokenBudgetManager", "TokenUsage"),
    "tersely.retrieval.contextual.compressor": ("ContextualCompressor",),
    "tersely.retrieval.contextual.extractive": ("ExtractiveCompressor",),
    "tersely.retrieval.contextual.integration": ("CompressingRetriever", "RelevanceReranker"),
    "tersely.retrieval.contextual.results": (
        "CompressedDocument",
        "CompressionBatch",
        "CompressionResult",
        "CompressionStats",
        "DroppedDocument",
        "ExtractedContent",
        "SegmentRef",
    ),
    "tersely.retrieval.contextual.segmenter": ("Segment", "Segmenter"),
    "tersely.retrieval.contextual.selector": ("StrategySelector",),
    "tersely.retrieval.contextual.settings": (
        "AllocationStrategy",
        "CompressionConfig",
        "CompressionStrategy",
        "SegmentSize",
        "TokenBudgetConfig",
    ),
    "tersely.retrieval.contextual.summarizer": (
        "ABSTRACTIVE_COMPRESSION_PROMPT",
        "ContentSummarizer",
        "Summary",
    ),
    "tersely.retrieval.preview": ("Preview", "previews"),
    "tersely.retrieval.results": ("CompressedResults", "ResultStats", "compress_results"),
    "tersely.retrieval.sentences": ("Excerpt", "extract_sentences"),
    "tersely.retrieval.summaries": ("ChunkSummarizer", "ChunkSummary"),
    "tersely.retrieval.token_limit": ("within_budget",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, from its module."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Those of `__all__` too that nobody has asked for yet."""
    return sorted({*globals(), *__all__})
