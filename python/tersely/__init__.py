"""tersely: fits more meaning into fewer tokens.

>>> import tersely
>>> result = tersely.compress("Long text. " * 200, budget=50)
>>> result.tokens <= 50
True
"""

from __future__ import annotations

from tersely import kernels
from tersely._native import __version__
from tersely.api import check_facts, compress, compress_batch, dedup, find_facts, segment
from tersely.detection import Detection
from tersely.errors import (
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
from tersely.facts import Fact, FactKind, FactReport
from tersely.protocols import (
    BatchTokenCounter,
    CrossEncoder,
    Embedder,
    LanguageModel,
    Strategy,
    TokenCounter,
)
from tersely.providers.static import StaticEmbedder
from tersely.stages.detect import detect
from tersely.strategies import Extractive
from tersely.tables import Kind, Level, SegmentTable
from tersely.types import Compressed, Deduplicated, Document, Receipt, Span

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
    "kernels",
    "segment",
]
