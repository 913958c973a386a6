from tersely.retrieval.chunks import (
    ChunkResult as ChunkResult,
)
from tersely.retrieval.chunks import (
    DocumentChunk as DocumentChunk,
)
from tersely.retrieval.chunks import (
    Retriever as Retriever,
)
from tersely.retrieval.chunks import (
    SearchResult as SearchResult,
)
from tersely.retrieval.contextual.compressor import (
    CompressingRetriever as CompressingRetriever,
)
from tersely.retrieval.contextual.compressor import (
    ContextualCompressor as ContextualCompressor,
)
from tersely.retrieval.contextual.compressor import (
    RelevanceReranker as RelevanceReranker,
)
from tersely.retrieval.contextual.extractive import (
    ExtractedContent as ExtractedContent,
)
from tersely.retrieval.contextual.extractive import (
    ExtractiveCompressor as ExtractiveCompressor,
)
from tersely.retrieval.contextual.extractive import (
    Segment as Segment,
)
from tersely.retrieval.contextual.extractive import (
    Segmenter as Segmenter,
)
from tersely.retrieval.contextual.results import (
    CompressedDocument as CompressedDocument,
)
from tersely.retrieval.contextual.results import (
    CompressionBatch as CompressionBatch,
)
from tersely.retrieval.contextual.results import (
    CompressionResult as CompressionResult,
)
from tersely.retrieval.contextual.results import (
    CompressionStats as CompressionStats,
)
from tersely.retrieval.contextual.results import (
    DroppedDocument as DroppedDocument,
)
from tersely.retrieval.contextual.results import (
    SegmentRef as SegmentRef,
)
from tersely.retrieval.contextual.settings import (
    AllocationStrategy as AllocationStrategy,
)
from tersely.retrieval.contextual.settings import (
    BudgetPlan as BudgetPlan,
)
from tersely.retrieval.contextual.settings import (
    CompressionConfig as CompressionConfig,
)
from tersely.retrieval.contextual.settings import (
    CompressionStrategy as CompressionStrategy,
)
from tersely.retrieval.contextual.settings import (
    SegmentSize as SegmentSize,
)
from tersely.retrieval.contextual.settings import (
    StrategySelector as StrategySelector,
)
from tersely.retrieval.contextual.settings import (
    TokenBudgetConfig as TokenBudgetConfig,
)
from tersely.retrieval.contextual.settings import (
    TokenBudgetManager as TokenBudgetManager,
)
from tersely.retrieval.contextual.settings import (
    TokenUsage as TokenUsage,
)
from tersely.retrieval.excerpts import (
    ChunkSummarizer as ChunkSummarizer,
)
from tersely.retrieval.excerpts import (
    ChunkSummary as ChunkSummary,
)
from tersely.retrieval.excerpts import (
    Excerpt as Excerpt,
)
from tersely.retrieval.excerpts import (
    Preview as Preview,
)
from tersely.retrieval.excerpts import (
    extract_sentences as extract_sentences,
)
from tersely.retrieval.excerpts import (
    previews as previews,
)
from tersely.retrieval.results import (
    CompressedResults as CompressedResults,
)
from tersely.retrieval.results import (
    ResultStats as ResultStats,
)
from tersely.retrieval.results import (
    above_score as above_score,
)
from tersely.retrieval.results import (
    compress_results as compress_results,
)
from tersely.retrieval.results import (
    within_budget as within_budget,
)
from tersely.retrieval.scoring import (
    Explanation as Explanation,
)
from tersely.retrieval.scoring import (
    RelevanceScore as RelevanceScore,
)
from tersely.retrieval.scoring import (
    RelevanceScorer as RelevanceScorer,
)
from tersely.retrieval.scoring import (
    RelevanceScores as RelevanceScores,
)
from tersely.retrieval.scoring import (
    ScoringMethod as ScoringMethod,
)
from tersely.retrieval.scoring import (
    SegmentScore as SegmentScore,
)
from tersely.retrieval.scoring import (
    explain as explain,
)
from tersely.retrieval.scoring import (
    to_uuid as to_uuid,
)
from tersely.writing.summary import (
    ABSTRACTIVE_COMPRESSION_PROMPT as ABSTRACTIVE_COMPRESSION_PROMPT,
)
from tersely.writing.summary import (
    ContentSummarizer as ContentSummarizer,
)
from tersely.writing.summary import (
    Summary as Summary,
)
