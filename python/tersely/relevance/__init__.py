"""How relevant documents and their segments are to a query, by five methods.

Names load when they are asked for: `tersely.compress` needs only engine/relevance.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tersely.core.lazy import load_late

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

__getattr__, __dir__ = load_late(
    __name__,
    {
        "tersely.relevance.explanation": ("Explanation", "explain"),
        "tersely.relevance.scorer": ("RelevanceScorer",),
        "tersely.relevance.scores": (
            "RelevanceScore",
            "RelevanceScores",
            "ScoringMethod",
            "SegmentScore",
            "to_uuid",
        ),
    },
)
