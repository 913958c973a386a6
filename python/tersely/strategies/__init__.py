"""Ways to compress: strategies, their names for the command line and servers, and the compressors.

The compressors and their types load when they are first asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tersely.protocols import Strategy
from tersely.strategies.extractive import Extractive

if TYPE_CHECKING:
    from tersely.strategies.abstractive import Abstractive
    from tersely.strategies.allocation import seed_allocate
    from tersely.strategies.by_document import ByDocument
    from tersely.strategies.compressor import Compressor
    from tersely.strategies.context_cache import CompressionCache
    from tersely.strategies.contexts import (
        CompressedContext,
        CompressionLevel,
        CompressionMetadata,
        ContextChunk,
        HierarchicalContext,
        OriginalContext,
    )
    from tersely.strategies.diff import Diff, compute_diff
    from tersely.strategies.extractive_compressor import ExtractiveCompressor
    from tersely.strategies.hierarchical import Hierarchical
    from tersely.strategies.hierarchical_compressor import HierarchicalCompressor
    from tersely.strategies.hybrid import Hybrid
    from tersely.strategies.incremental import Incremental
    from tersely.strategies.incremental_compressor import IncrementalCompressor, IncrementalContext
    from tersely.strategies.manager import Manager
    from tersely.strategies.model_compressors import AbstractiveCompressor, HybridCompressor
    from tersely.strategies.options import (
        CompressionMethod,
        CompressionOptions,
        Profile,
        default_options,
        profile,
    )
    from tersely.strategies.prepared_context import (
        DroppedChunk,
        PreparationReport,
        PreparedChunk,
        PreparedContext,
    )
    from tersely.strategies.updating import IncrementalUpdate

__all__ = [
    "STRATEGIES",
    "Abstractive",
    "AbstractiveCompressor",
    "ByDocument",
    "CompressedContext",
    "CompressionCache",
    "CompressionLevel",
    "CompressionMetadata",
    "CompressionMethod",
    "CompressionOptions",
    "Compressor",
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
    "compute_diff",
    "default_options",
    "profile",
    "seed_allocate",
]

_MODULES = {
    "allocation": ("seed_allocate",),
    "by_document": ("ByDocument",),
    "context_cache": ("CompressionCache",),
    "compressor": ("Compressor",),
    "contexts": (
        "CompressedContext",
        "CompressionLevel",
        "CompressionMetadata",
        "ContextChunk",
        "HierarchicalContext",
        "OriginalContext",
    ),
    "extractive_compressor": ("ExtractiveCompressor",),
    "abstractive": ("Abstractive",),
    "hierarchical": ("Hierarchical",),
    "hybrid": ("Hybrid",),
    "model_compressors": ("AbstractiveCompressor", "HybridCompressor"),
    "hierarchical_compressor": ("HierarchicalCompressor",),
    "manager": ("Manager",),
    "prepared_context": ("DroppedChunk", "PreparationReport", "PreparedChunk", "PreparedContext"),
    "incremental": ("Incremental",),
    "incremental_compressor": ("IncrementalCompressor", "IncrementalContext"),
    "updating": ("IncrementalUpdate",),
    "diff": ("Diff", "compute_diff"),
    "options": ("CompressionMethod", "CompressionOptions", "Profile", "default_options", "profile"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def _load(name: str) -> Any:
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def _late(name: str) -> Callable[[], Strategy]:
    """A strategy whose module loads when it is made."""

    def make() -> Strategy:
        strategy: Strategy = _load(name)()
        return strategy

    return make


STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "extractive": Extractive,
    "lead": lambda: Extractive(scoring="lead", redundancy=0.0),
    "abstractive": _late("Abstractive"),
    "hybrid": _late("Hybrid"),
    "hierarchical": _late("Hierarchical"),
    "manager": _late("ByDocument"),
}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, from its module."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _load(name)


def __dir__() -> list[str]:
    """Those of `__all__` too that nobody has asked for yet."""
    return sorted({*globals(), *__all__})
