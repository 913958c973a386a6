from tersely.engine.allocation import seed_allocate as seed_allocate
from tersely.engine.incremental import (
    Diff as Diff,
)
from tersely.engine.incremental import (
    Incremental as Incremental,
)
from tersely.engine.incremental import (
    IncrementalUpdate as IncrementalUpdate,
)
from tersely.engine.incremental import (
    compute_diff as compute_diff,
)
from tersely.engine.strategies import (
    STRATEGIES as STRATEGIES,
)
from tersely.engine.strategies import (
    Auto as Auto,
)
from tersely.engine.strategies import (
    Extractive as Extractive,
)
from tersely.engine.strategies import (
    Hierarchical as Hierarchical,
)
from tersely.options import (
    CompressionMethod as CompressionMethod,
)
from tersely.options import (
    CompressionOptions as CompressionOptions,
)
from tersely.options import (
    Profile as Profile,
)
from tersely.options import (
    default_options as default_options,
)
from tersely.options import (
    profile as profile,
)
from tersely.strategies.by_document import ByDocument as ByDocument
from tersely.strategies.compressor import (
    CompressionCache as CompressionCache,
)
from tersely.strategies.compressor import (
    Compressor as Compressor,
)
from tersely.strategies.compressors import (
    AbstractiveCompressor as AbstractiveCompressor,
)
from tersely.strategies.compressors import (
    ExtractiveCompressor as ExtractiveCompressor,
)
from tersely.strategies.compressors import (
    HierarchicalCompressor as HierarchicalCompressor,
)
from tersely.strategies.compressors import (
    HybridCompressor as HybridCompressor,
)
from tersely.strategies.compressors import (
    IncrementalCompressor as IncrementalCompressor,
)
from tersely.strategies.compressors import (
    IncrementalContext as IncrementalContext,
)
from tersely.strategies.contexts import (
    CompressedContext as CompressedContext,
)
from tersely.strategies.contexts import (
    CompressionLevel as CompressionLevel,
)
from tersely.strategies.contexts import (
    CompressionMetadata as CompressionMetadata,
)
from tersely.strategies.contexts import (
    ContextChunk as ContextChunk,
)
from tersely.strategies.contexts import (
    DroppedChunk as DroppedChunk,
)
from tersely.strategies.contexts import (
    HierarchicalContext as HierarchicalContext,
)
from tersely.strategies.contexts import (
    OriginalContext as OriginalContext,
)
from tersely.strategies.contexts import (
    PreparationReport as PreparationReport,
)
from tersely.strategies.contexts import (
    PreparedChunk as PreparedChunk,
)
from tersely.strategies.contexts import (
    PreparedContext as PreparedContext,
)
from tersely.strategies.manager import Manager as Manager
from tersely.types import (
    ContentTypeName as ContentTypeName,
)
from tersely.types import (
    StrategyName as StrategyName,
)
from tersely.writing.abstractive import Abstractive as Abstractive
from tersely.writing.hybrid import Hybrid as Hybrid
