from tersely.memory.compaction import Compactor as Compactor, compact_messages as compact_messages
from tersely.memory.conversation import ConversationMemory as ConversationMemory
from tersely.memory.planning import break_even as break_even
from tersely.memory.repl import (
    CompactionConfig as CompactionConfig,
    CompactionResult as CompactionResult,
    MemoryCompactor as MemoryCompactor,
    REPLEntry as REPLEntry,
    REPLHistory as REPLHistory,
)
from tersely.memory.segments.memory import SegmentMemory as SegmentMemory
from tersely.memory.segments.paraphrases import paraphrase as paraphrase
from tersely.memory.segments.policy import (
    CompressionCost as CompressionCost,
    ContextState as ContextState,
    Predicates as Predicates,
    explain_compression as explain_compression,
    plan_context as plan_context,
    should_compress_segment as should_compress_segment,
)
from tersely.memory.segments.preservation import (
    DEFAULT_PRESERVE_METADATA as DEFAULT_PRESERVE_METADATA,
    PRESERVE_ALWAYS as PRESERVE_ALWAYS,
    RECENCY_METADATA as RECENCY_METADATA,
    check_preserved as check_preserved,
    extract_preserved_metadata as extract_preserved_metadata,
    inject_preserved_metadata as inject_preserved_metadata,
)
from tersely.memory.segments.segment import (
    CompressionResult as CompressionResult,
    CompressionState as CompressionState,
    ContextSegment as ContextSegment,
    ExpandResult as ExpandResult,
    SegmentMetadata as SegmentMetadata,
    SegmentType as SegmentType,
    new_segment as new_segment,
)
