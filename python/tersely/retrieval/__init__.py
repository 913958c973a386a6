"""Results of a search, made smaller: types, what makes them fewer or shorter, contextual compression.

All but the types of chunks load when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tersely.core.lazy import load_late
from tersely.search.chunks import ChunkResult, DocumentChunk, Retriever, SearchResult

if TYPE_CHECKING:
    from tersely.relevance.scores import RelevanceScore, ScoringMethod
    from tersely.search.contextual.budget import BudgetPlan, TokenBudgetManager, TokenUsage
    from tersely.search.contextual.compressor import (
        CompressingRetriever,
        ContextualCompressor,
        RelevanceReranker,
    )
    from tersely.search.contextual.extractive import (
        ExtractedContent,
        ExtractiveCompressor,
        Segment,
        Segmenter,
    )
    from tersely.search.contextual.results import (
        CompressedDocument,
        CompressionBatch,
        CompressionResult,
        CompressionStats,
        DroppedDocument,
        SegmentRef,
    )
    from tersely.search.contextual.settings import (
        AllocationStrategy,
        CompressionConfig,
        CompressionStrategy,
        SegmentSize,
        StrategySelector,
        TokenBudgetConfig,
    )
    from tersely.search.excerpts import Excerpt, Preview, extract_sentences, previews
    from tersely.search.results import CompressedResults, ResultStats, compress_results
    from tersely.search.summaries import ChunkSummarizer, ChunkSummary
    from tersely.search.thresholding import above_score, within_budget
    from tersely.write.summary import (
        ABSTRACTIVE_COMPRESSION_PROMPT,
        ContentSummarizer,
        Summary,
    )

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
    "above_score",
    "compress_results",
    "extract_sentences",
    "previews",
    "within_budget",
]

__getattr__, __dir__ = load_late(
    __name__,
    {
        "tersely.relevance.scores": ("RelevanceScore", "ScoringMethod"),
        "tersely.search.contextual.budget": ("BudgetPlan", "TokenBudgetManager", "TokenUsage"),
        "tersely.search.contextual.compressor": (
            "CompressingRetriever",
            "ContextualCompressor",
            "RelevanceReranker",
        ),
        "tersely.search.contextual.extractive": (
            "ExtractedContent",
            "ExtractiveCompressor",
            "Segment",
            "Segmenter",
        ),
        "tersely.search.contextual.results": (
            "CompressedDocument",
            "CompressionBatch",
            "CompressionResult",
            "CompressionStats",
            "DroppedDocument",
            "SegmentRef",
        ),
        "tersely.search.contextual.settings": (
            "AllocationStrategy",
            "CompressionConfig",
            "CompressionStrategy",
            "SegmentSize",
            "StrategySelector",
            "TokenBudgetConfig",
        ),
        "tersely.write.summary": (
            "ABSTRACTIVE_COMPRESSION_PROMPT",
            "ContentSummarizer",
            "Summary",
        ),
        "tersely.search.excerpts": ("Excerpt", "Preview", "extract_sentences", "previews"),
        "tersely.search.results": ("CompressedResults", "ResultStats", "compress_results"),
        "tersely.search.summaries": ("ChunkSummarizer", "ChunkSummary"),
        "tersely.search.thresholding": ("above_score", "within_budget"),
    },
)
