"""Memory of agents: histories made smaller; segments of context that keep the active state.

What is offered loads when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tersely.memory.accounts import CompactedMessages, MessageAccount
    from tersely.memory.compaction import compact_messages
    from tersely.memory.compaction_config import CompactionConfig, CompactionResult
    from tersely.memory.compactor import Compactor
    from tersely.memory.conversation import ConversationMemory, ConversationTurn
    from tersely.memory.planning import CompactionPlan, Prices, apply, break_even, plan
    from tersely.memory.repl import REPLEntry, REPLHistory
    from tersely.memory.repl_compactor import MemoryCompactor
    from tersely.memory.segments.cost import CompressionCost
    from tersely.memory.segments.memory import SegmentMemory
    from tersely.memory.segments.paraphrases import PARAPHRASES, Paraphrase, paraphrase
    from tersely.memory.segments.plan import Action, ContextDecision, ContextPlan, plan_context
    from tersely.memory.segments.policy import (
        ContextState,
        Predicates,
        explain_compression,
        should_compress_segment,
    )
    from tersely.memory.segments.preservation import PreservationReport, PreservedItem, check_preserved
    from tersely.memory.segments.preserved import (
        DEFAULT_PRESERVE_METADATA,
        PRESERVE_ALWAYS,
        RECENCY_METADATA,
        extract_preserved_metadata,
        inject_preserved_metadata,
    )
    from tersely.memory.segments.results import (
        Applied,
        CompressedSegment,
        CompressionResult,
        ExpandResult,
        SegmentError,
        StashedCompression,
        StashHit,
    )
    from tersely.memory.segments.segment import (
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
    "CompactedMessages",
    "CompactionConfig",
    "CompactionPlan",
    "CompactionResult",
    "Compactor",
    "CompressedSegment",
    "CompressionCost",
    "CompressionResult",
    "CompressionState",
    "ContextDecision",
    "ContextPlan",
    "ContextSegment",
    "ContextState",
    "ConversationMemory",
    "ConversationTurn",
    "ExpandResult",
    "MemoryCompactor",
    "MessageAccount",
    "Paraphrase",
    "Predicates",
    "PreservationReport",
    "PreservedItem",
    "Prices",
    "REPLEntry",
    "REPLHistory",
    "SegmentError",
    "SegmentMemory",
    "SegmentMetadata",
    "SegmentType",
    "StashHit",
    "StashedCompression",
    "apply",
    "break_even",
    "check_preserved",
    "compact_messages",
    "explain_compression",
    "extract_preserved_metadata",
    "inject_preserved_metadata",
    "new_segment",
    "paraphrase",
    "plan",
    "plan_context",
    "should_compress_segment",
]

_MODULES = {
    "accounts": (
        "CompactedMessages",
        "MessageAccount",
    ),
    "compaction": ("compact_messages",),
    "compaction_config": (
        "CompactionConfig",
        "CompactionResult",
    ),
    "compactor": ("Compactor",),
    "conversation": (
        "ConversationMemory",
        "ConversationTurn",
    ),
    "planning": (
        "CompactionPlan",
        "Prices",
        "apply",
        "break_even",
        "plan",
    ),
    "repl": (
        "REPLEntry",
        "REPLHistory",
    ),
    "repl_compactor": ("MemoryCompactor",),
    "segments.cost": ("CompressionCost",),
    "segments.memory": ("SegmentMemory",),
    "segments.paraphrases": (
        "PARAPHRASES",
        "Paraphrase",
        "paraphrase",
    ),
    "segments.plan": (
        "Action",
        "ContextDecision",
        "ContextPlan",
        "plan_context",
    ),
    "segments.policy": (
        "ContextState",
        "Predicates",
        "explain_compression",
        "should_compress_segment",
    ),
    "segments.preservation": (
        "PreservationReport",
        "PreservedItem",
        "check_preserved",
    ),
    "segments.preserved": (
        "DEFAULT_PRESERVE_METADATA",
        "PRESERVE_ALWAYS",
        "RECENCY_METADATA",
        "extract_preserved_metadata",
        "inject_preserved_metadata",
    ),
    "segments.results": (
        "Applied",
        "CompressedSegment",
        "CompressionResult",
        "ExpandResult",
        "SegmentError",
        "StashHit",
        "StashedCompression",
    ),
    "segments.segment": (
        "CompressionState",
        "ContextSegment",
        "SegmentMetadata",
        "SegmentType",
        "new_segment",
    ),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, from its module."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    """Those of `__all__` too that nobody has asked for yet."""
    return sorted({*globals(), *__all__})
