from tersely.engine.allocation import seed_allocate as seed_allocate
from tersely.engine.incremental import Diff as Diff, Incremental as Incremental, compute_diff as compute_diff
from tersely.engine.strategies import Auto as Auto, Hierarchical as Hierarchical
from tersely.options import (
    CompressionMethod as CompressionMethod,
    CompressionOptions as CompressionOptions,
    default_options as default_options,
    profile as profile,
)
from tersely.strategies.compressors import (
    AbstractiveCompressor as AbstractiveCompressor,
    CompressionCache as CompressionCache,
    Compressor as Compressor,
    ExtractiveCompressor as ExtractiveCompressor,
    HierarchicalCompressor as HierarchicalCompressor,
    HybridCompressor as HybridCompressor,
    IncrementalCompressor as IncrementalCompressor,
)
from tersely.strategies.contexts import (
    CompressedContext as CompressedContext,
    CompressionLevel as CompressionLevel,
    CompressionMetadata as CompressionMetadata,
    ContextChunk as ContextChunk,
    HierarchicalContext as HierarchicalContext,
    OriginalContext as OriginalContext,
)
from tersely.strategies.manager import Manager as Manager
from tersely.writing.abstractive import Abstractive as Abstractive, Hybrid as Hybrid
