"""Results of a search, made smaller: their types, where they come from, and contextual compression.

All but the types of chunks load when they are first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tersely.retrieval.chunks import ChunkResult, DocumentChunk, Retriever, SearchResult

if TYPE_CHECKING:
    from tersely.relevance.scores import RelevanceScore, ScoringMethod
    from tersely.retrieval.budget import BudgetPlan, TokenBudgetManager, TokenUsage
    from tersely.retrieval.compressor import ContextualCompressor
    from tersely.retrieval.extractive import ExtractiveCompressor
    from tersely.retrieval.integration import CompressingRetriever, RelevanceReranker
    from tersely.retrieval.results import (
        CompressedDocument,
        CompressionBatch,
        CompressionResult,
        CompressionStats,
        DroppedDocument,
        ExtractedContent,
        SegmentRef,
    )
    from tersely.retrieval.segmenter import Segment, Segmenter
    from tersely.retrieval.selector import StrategySelector
    from tersely.retrieval.settings import (
        AllocationStrategy,
        CompressionConfig,
        CompressionStrategy,
        SegmentSize,
        TokenBudgetConfig,
    )
    from tersely.retrieval.summarizer import ABSTRACTIVE_COMPRESSION_PROMPT, ContentSummarizer, Summary

__all__ = [
    "ABSTRACTIVE_COMPRESSION_PROMPT",
    "AllocationStrategy",
    "BudgetPlan",
    "ChunkResult",
    "CompressedDocument",
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
    "ExtractedContent",
    "ExtractiveCompressor",
    "RelevanceReranker",
    "RelevanceScore",
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
]

_MODULES = {
    "tersely.relevance.scores": ("RelevanceScore", "ScoringMethod"),
    "tersely.retrieval.budget": ("BudgetPlan", "TokenBudgetManager", "TokenUsage"),
    "tersely.retrieval.compressor": ("ContextualCompressor",),
    "tersely.retrieval.extractive": ("ExtractiveCompressor",),
    "tersely.retrieval.integration": ("CompressingRetriever", "RelevanceReranker"),
    "tersely.retrieval.results": (
        "CompressedDocument",
        "CompressionBatch",
        "CompressionResult",
        "CompressionStats",
        "DroppedDocument",
        "ExtractedContent",
        "SegmentRef",
    ),
    "tersely.retrieval.segmenter": ("Segment", "Segmenter"),
    "tersely.retrieval.selector": ("StrategySelector",),
    "tersely.retrieval.settings": (
        "AllocationStrategy",
        "CompressionConfig",
        "CompressionStrategy",
        "SegmentSize",
        "TokenBudgetConfig",
    ),
    "tersely.retrieval.summarizer": ("ABSTRACTIVE_COMPRESSION_PROMPT", "ContentSummarizer", "Summary"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, from its module."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
