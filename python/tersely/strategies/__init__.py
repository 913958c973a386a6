"""Ways to compress: strategies, their names for the command line and servers, and the compressors.

The compressors and their types load when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tersely.core.lazy import load_late
from tersely.engine.extractive import Extractive
from tersely.engine.strategies import STRATEGIES

if TYPE_CHECKING:
    from tersely.compat.by_document import ByDocument
    from tersely.compat.compressor import Compressor
    from tersely.compat.context_cache import CompressionCache
    from tersely.compat.contexts import (
        CompressedContext,
        CompressionLevel,
        CompressionMetadata,
        ContextChunk,
        DroppedChunk,
        HierarchicalContext,
        OriginalContext,
        PreparationReport,
        PreparedChunk,
        PreparedContext,
    )
    from tersely.compat.extractive_compressor import ExtractiveCompressor
    from tersely.compat.hierarchical_compressor import HierarchicalCompressor
    from tersely.compat.incremental_compressor import IncrementalCompressor, IncrementalContext
    from tersely.compat.manager import Manager
    from tersely.compat.model_compressors import AbstractiveCompressor, HybridCompressor
    from tersely.core.names import ContentTypeName, StrategyName
    from tersely.core.options import (
        CompressionMethod,
        CompressionOptions,
        Profile,
        default_options,
        profile,
    )
    from tersely.engine.allocation import seed_allocate
    from tersely.engine.auto import Auto
    from tersely.engine.hierarchical import Hierarchical
    from tersely.engine.incremental import Incremental, IncrementalUpdate
    from tersely.engine.line_diff import Diff, compute_diff
    from tersely.write.abstractive import Abstractive
    from tersely.write.hybrid import Hybrid

__all__ = [
    "STRATEGIES",
    "Abstractive",
    "AbstractiveCompressor",
    "Auto",
    "ByDocument",
    "CompressedContext",
    "CompressionCache",
    "CompressionLevel",
    "CompressionMetadata",
    "CompressionMethod",
    "CompressionOptions",
    "Compressor",
    "ContentTypeName",
    "ContextChunk",
    "Diff",
    "DroppedChunk",
    "Extractive",
    "ExtractiveCompressor",
    "Hierarchical",
    "HierarchicalCompressor",
    "HierarchicalContext",
    "Hybrid",
    "HybridCompressor",
    "Incremental",
    "IncrementalCompressor",
    "IncrementalContext",
    "IncrementalUpdate",
    "Manager",
    "OriginalContext",
    "PreparationReport",
    "PreparedChunk",
    "PreparedContext",
    "Profile",
    "StrategyName",
    "compute_diff",
    "default_options",
    "profile",
    "seed_allocate",
]

__getattr__, __dir__ = load_late(
    __name__,
    {
        "tersely.write.abstractive": ("Abstractive",),
        "tersely.engine.allocation": ("seed_allocate",),
        "tersely.engine.auto": ("Auto",),
        "tersely.compat.by_document": ("ByDocument",),
        "tersely.compat.compressor": ("Compressor",),
        "tersely.compat.extractive_compressor": ("ExtractiveCompressor",),
        "tersely.compat.context_cache": ("CompressionCache",),
        "tersely.compat.contexts": (
            "CompressedContext",
            "CompressionLevel",
            "CompressionMetadata",
            "ContextChunk",
            "DroppedChunk",
            "HierarchicalContext",
            "OriginalContext",
            "PreparationReport",
            "PreparedChunk",
            "PreparedContext",
        ),
        "tersely.engine.line_diff": ("Diff", "compute_diff"),
        "tersely.engine.hierarchical": ("Hierarchical",),
        "tersely.compat.hierarchical_compressor": ("HierarchicalCompressor",),
        "tersely.write.hybrid": ("Hybrid",),
        "tersely.engine.incremental": ("Incremental", "IncrementalUpdate"),
        "tersely.compat.incremental_compressor": ("IncrementalCompressor", "IncrementalContext"),
        "tersely.compat.manager": ("Manager",),
        "tersely.compat.model_compressors": ("AbstractiveCompressor", "HybridCompressor"),
        "tersely.core.names": ("ContentTypeName", "StrategyName"),
        "tersely.core.options": (
            "CompressionMethod",
            "CompressionOptions",
            "Profile",
            "default_options",
            "profile",
        ),
    },
)
