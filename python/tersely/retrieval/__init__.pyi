from tersely.retrieval.chunks import (
    ChunkResult as ChunkResult,
    DocumentChunk as DocumentChunk,
    SearchResult as SearchResult,
)
from tersely.retrieval.contextual import (
    CompressingRetriever as CompressingRetriever,
    ContextualCompressor as ContextualCompressor,
    RelevanceReranker as RelevanceReranker,
)
from tersely.retrieval.extractive import (
    ExtractedContent as ExtractedContent,
    ExtractiveCompressor as ExtractiveCompressor,
    Segmenter as Segmenter,
)
from tersely.retrieval.parts import (
    Parts as Parts,
    acompress_parts as acompress_parts,
    compress_parts as compress_parts,
)
from tersely.retrieval.results import compress_results as compress_results
from tersely.retrieval.scoring import (
    RelevanceScore as RelevanceScore,
    RelevanceScorer as RelevanceScorer,
    ScoringMethod as ScoringMethod,
    SegmentScore as SegmentScore,
    explain as explain,
)
from tersely.retrieval.settings import (
    AllocationStrategy as AllocationStrategy,
    CompressedDocument as CompressedDocument,
    CompressionBatch as CompressionBatch,
    CompressionConfig as CompressionConfig,
    CompressionResult as CompressionResult,
    CompressionStats as CompressionStats,
    CompressionStrategy as CompressionStrategy,
    SegmentRef as SegmentRef,
    SegmentSize as SegmentSize,
    StrategySelector as StrategySelector,
    TokenBudgetConfig as TokenBudgetConfig,
    TokenBudgetManager as TokenBudgetManager,
)
from tersely.writing.summary import (
    ABSTRACTIVE_COMPRESSION_PROMPT as ABSTRACTIVE_COMPRESSION_PROMPT,
    ContentSummarizer as ContentSummarizer,
)
