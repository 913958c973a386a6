"""tersely: fits more meaning into fewer tokens.

>>> import tersely
>>> result = tersely.compress("Long text. " * 200, budget=50)
>>> result.tokens <= 50
True
"""

from __future__ import annotations

from tersely import kernels
from tersely._native import __version__
from tersely.api import compress, compress_batch, segment
from tersely.errors import BudgetExceededError, CompressionError, MissingExtraError
from tersely.protocols import BatchTokenCounter, Strategy, TokenCounter
from tersely.strategies import Extractive
from tersely.types import Compressed, Document, Kind, Level, Receipt, SegmentTable, Span

__all__ = [
    "BatchTokenCounter",
    "BudgetExceededError",
    "Compressed",
    "CompressionError",
    "Document",
    "Extractive",
    "Kind",
    "Level",
    "MissingExtraError",
    "Receipt",
    "SegmentTable",
    "Span",
    "Strategy",
    "TokenCounter",
    "__version__",
    "compress",
    "compress_batch",
    "kernels",
    "segment",
]
