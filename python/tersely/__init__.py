"""tersely: fits more meaning into fewer tokens.

>>> import tersely
>>> result = tersely.compress("Long text. " * 200, budget=50)
>>> result.tokens <= 50
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tersely.core.lazy import load_late

if TYPE_CHECKING:
    from tersely import kernels
    from tersely._native import __version__
    from tersely.content.detect import detect
    from tersely.core.detection import Detection
    from tersely.core.errors import (
        BudgetExceededError,
        CompressionError,
        MissingExtraError,
        ModelReplyError,
        NotReversibleError,
        RelevanceScoringError,
        StoreError,
        SummarizationError,
        UnknownIdError,
        VersionConflictError,
    )
    from tersely.core.facts import Fact, FactKind, FactReport
    from tersely.core.protocols import (
        BatchTokenCounter,
        CrossEncoder,
        Embedder,
        LanguageModel,
        Strategy,
        TokenCounter,
    )
    from tersely.core.tables import Kind, Level, SegmentTable
    from tersely.core.types import Compressed, Deduplicated, Document, Receipt, Span
    from tersely.engine.api import (
        check_facts,
        compress,
        compress_batch,
        dedup,
        find_facts,
        guard_keys,
        prepare,
        segment,
    )
    from tersely.engine.extractive import Extractive
    from tersely.providers.static import StaticEmbedder

__all__ = [
    "BatchTokenCounter",
    "BudgetExceededError",
    "Compressed",
    "CompressionError",
    "CrossEncoder",
    "Deduplicated",
    "Detection",
    "Document",
    "Embedder",
    "Extractive",
    "Fact",
    "FactKind",
    "FactReport",
    "Kind",
    "LanguageModel",
    "Level",
    "MissingExtraError",
    "ModelReplyError",
    "NotReversibleError",
    "Receipt",
    "RelevanceScoringError",
    "SegmentTable",
    "Span",
    "StaticEmbedder",
    "StoreError",
    "Strategy",
    "SummarizationError",
    "TokenCounter",
    "UnknownIdError",
    "VersionConflictError",
    "__version__",
    "check_facts",
    "compress",
    "compress_batch",
    "dedup",
    "detect",
    "find_facts",
    "guard_keys",
    "kernels",
    "prepare",
    "segment",
]

__getattr__, __dir__ = load_late(
    __name__,
    {
        "tersely._native": ("__version__",),
        "tersely.content.detect": ("detect",),
        "tersely.core.detection": ("Detection",),
        "tersely.core.errors": (
            "BudgetExceededError",
            "CompressionError",
            "MissingExtraError",
            "ModelReplyError",
            "NotReversibleError",
            "RelevanceScoringError",
            "StoreError",
            "SummarizationError",
            "UnknownIdError",
            "VersionConflictError",
        ),
        "tersely.core.facts": (
            "Fact",
            "FactKind",
            "FactReport",
        ),
        "tersely.core.protocols": (
            "BatchTokenCounter",
            "CrossEncoder",
            "Embedder",
            "LanguageModel",
            "Strategy",
            "TokenCounter",
        ),
        "tersely.core.tables": (
            "Kind",
            "Level",
            "SegmentTable",
        ),
        "tersely.core.types": (
            "Compressed",
            "Deduplicated",
            "Document",
            "Receipt",
            "Span",
        ),
        "tersely.engine.api": (
            "check_facts",
            "compress",
            "compress_batch",
            "dedup",
            "find_facts",
            "guard_keys",
            "prepare",
            "segment",
        ),
        "tersely.engine.extractive": ("Extractive",),
        "tersely.providers.static": ("StaticEmbedder",),
    },
    submodules=("kernels",),
)
