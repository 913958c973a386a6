"""Memory of agents: segments of context that keep the active state when they shrink.

What is offered loads when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tersely.memory.context_plan import Action, ContextDecision, ContextPlan, plan_context
    from tersely.memory.paraphrases import PARAPHRASES, Paraphrase, paraphrase
    from tersely.memory.policy import ContextState, Predicates, explain_compression, should_compress_segment
    from tersely.memory.preservation import PreservationReport, PreservedItem, check_preserved
    from tersely.memory.preserved import (
        DEFAULT_PRESERVE_METADATA,
        PRESERVE_ALWAYS,
        RECENCY_METADATA,
        extract_preserved_metadata,
        inject_preserved_metadata,
    )
    from tersely.memory.segment_cost import CompressionCost
    from tersely.memory.segment_memory import SegmentMemory
    from tersely.memory.segment_results import (
        Applied,
        CompressedSegment,
        CompressionResult,
        ExpandResult,
        SegmentError,
        StashedCompression,
        StashHit,
    )
    from tersely.memory.segments import (
        CompressionState,
        ContextSegment,
        SegmentMetadata,
        SegmentType,
        new_segment,
    )

__all__ = [
    "DEFAULT_PRESERVE_METADATA",
    "PARAPHRASES",
    "PRESERVE_ALWAYS",
    "RECENCY_METADATA",
    "Action",
    "Applied",
    "CompressedSegment",
    "CompressionCost",
    "CompressionResult",
    "CompressionState",
    "ContextDecision",
    "ContextPlan",
    "ContextSegment",
    "ContextState",
    "ExpandResult",
    "Paraphrase",
    "Predicates",
    "PreservationReport",
    "PreservedItem",
    "SegmentError",
    "SegmentMemory",
    "SegmentMetadata",
    "SegmentType",
    "StashHit",
    "StashedCompression",
    "check_preserved",
    "explain_compression",
    "extract_preserved_metadata",
    "inject_preserved_metadata",
    "new_segment",
    "paraphrase",
    "plan_context",
    "should_compress_segment",
]

_MODULES = {
    "context_plan": ("Action", "ContextDecision", "ContextPlan", "plan_context"),
    "paraphrases": ("PARAPHRASES", "Paraphrase", "paraphrase"),
    "policy": ("ContextState", "Predicates", "explain_compression", "should_compress_segment"),
    "preservation": ("PreservationReport", "PreservedItem", "check_preserved"),
    "preserved": (
        "DEFAULT_PRESERVE_METADATA",
        "PRESERVE_ALWAYS",
        "RECENCY_METADATA",
        "extract_preserved_metadata",
        "inject_preserved_metadata",
    ),
    "segment_cost": ("CompressionCost",),
    "segment_memory": ("SegmentMemory",),
    "segment_results": (
        "Applied",
        "CompressedSegment",
        "CompressionResult",
        "ExpandResult",
        "SegmentError",
        "StashHit",
        "StashedCompression",
    ),
    "segments": ("CompressionState", "ContextSegment", "SegmentMetadata", "SegmentType", "new_segment"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, from its module."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
