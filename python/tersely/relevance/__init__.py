"""How relevant documents and their segments are to a query, by five methods.

Names load when they are asked for: `tersely.compress` needs only relevance/hybrid.py.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tersely.relevance.explanation import Explanation, explain
    from tersely.relevance.scorer import RelevanceScorer
    from tersely.relevance.scores import (
        RelevanceScore,
        RelevanceScores,
        ScoringMethod,
        SegmentScore,
        to_uuid,
    )

__all__ = [
    "Explanation",
    "RelevanceScore",
    "RelevanceScorer",
    "RelevanceScores",
    "ScoringMethod",
    "SegmentScore",
    "explain",
    "to_uuid",
]

_FILES = {"Explanation": "explanation", "explain": "explanation", "RelevanceScorer": "scorer"}


def __getattr__(name: str) -> Any:
    """A public name from the file that defines it: scores.py, unless another is named."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_FILES.get(name, 'scores')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Those of `__all__` too that nobody has asked for yet."""
    return sorted({*globals(), *__all__})
