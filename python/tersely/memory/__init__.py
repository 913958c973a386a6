"""Memory of agents: histories made smaller; segments of context that keep the active state.

What is offered loads when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tersely.core.lazy import load_late

if TYPE_CHECKING:
    from tersely.context.memory import SegmentMemory
    from tersely.context.paraphrases import PARAPHRASES, Paraphrase, paraphrase
    from tersely.context.policy import (
        Action,
        CompressionCost,
        ContextDecision,
        ContextPlan,
        ContextState,
        Predicates,
        explain_compression,
        plan_context,
        should_compress_segment,
    )
    from tersely.context.preservation import (
        DEFAULT_PRESERVE_METADATA,
        PRESERVE_ALWAYS,
        RECENCY_METADATA,
        DroppedFact,
        PreservationReport,
        PreservedItem,
        check_preserved,
        extract_preserved_metadata,
        inject_preserved_metadata,
    )
    from tersely.context.results import (
        Applied,
        CompressedSegment,
        CompressionResult,
        ExpandResult,
        SegmentError,
        StashedCompression,
        StashHit,
    )
    from tersely.context.segment import (
        CompressionState,
        ContextSegment,
        SegmentMetadata,
        SegmentType,
        new_segment,
    )
    from tersely.history.accounts import MessageAccount
    from tersely.history.compaction import CompactedMessages, compact_messages
    from tersely.history.compaction_config import CompactionConfig, CompactionResult
    from tersely.history.compactor import Compactor
    from tersely.history.conversation import ConversationMemory, ConversationTurn
    from tersely.history.planning import CompactionPlan, Prices, apply, break_even, plan
    from tersely.history.repl import REPLEntry, REPLHistory
    from tersely.history.repl_compactor import MemoryCompactor

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
    "DroppedFact",
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

__getattr__, __dir__ = load_late(
    __name__,
    {
        "tersely.history.compaction": ("CompactedMessages", "compact_messages"),
        "tersely.history.compaction_config": ("CompactionConfig", "CompactionResult"),
        "tersely.history.compactor": ("Compactor",),
        "tersely.history.conversation": ("ConversationMemory", "ConversationTurn"),
        "tersely.history.accounts": ("MessageAccount",),
        "tersely.history.planning": ("CompactionPlan", "Prices", "apply", "break_even", "plan"),
        "tersely.history.repl": ("REPLEntry", "REPLHistory"),
        "tersely.history.repl_compactor": ("MemoryCompactor",),
        "tersely.context.memory": ("SegmentMemory",),
        "tersely.context.paraphrases": ("PARAPHRASES", "Paraphrase", "paraphrase"),
        "tersely.context.policy": (
            "Action",
            "CompressionCost",
            "ContextDecision",
            "ContextPlan",
            "ContextState",
            "Predicates",
            "explain_compression",
            "plan_context",
            "should_compress_segment",
        ),
        "tersely.context.preservation": (
            "DEFAULT_PRESERVE_METADATA",
            "PRESERVE_ALWAYS",
            "RECENCY_METADATA",
            "DroppedFact",
            "PreservationReport",
            "PreservedItem",
            "check_preserved",
            "extract_preserved_metadata",
            "inject_preserved_metadata",
        ),
        "tersely.context.results": (
            "Applied",
            "CompressedSegment",
            "CompressionResult",
            "ExpandResult",
            "SegmentError",
            "StashedCompression",
            "StashHit",
        ),
        "tersely.context.segment": (
            "CompressionState",
            "ContextSegment",
            "SegmentMetadata",
            "SegmentType",
            "new_segment",
        ),
    },
)
