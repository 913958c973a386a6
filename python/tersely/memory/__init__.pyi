from tersely.memory.compaction import (
    CompactedMessages as CompactedMessages,
)
from tersely.memory.compaction import (
    Compactor as Compactor,
)
from tersely.memory.compaction import (
    compact_messages as compact_messages,
)
from tersely.memory.conversation import (
    ConversationMemory as ConversationMemory,
)
from tersely.memory.conversation import (
    ConversationTurn as ConversationTurn,
)
from tersely.memory.folding import MessageAccount as MessageAccount
from tersely.memory.planning import (
    CompactionPlan as CompactionPlan,
)
from tersely.memory.planning import (
    Prices as Prices,
)
from tersely.memory.planning import (
    apply as apply,
)
from tersely.memory.planning import (
    break_even as break_even,
)
from tersely.memory.planning import (
    plan as plan,
)
from tersely.memory.repl import (
    CompactionConfig as CompactionConfig,
)
from tersely.memory.repl import (
    CompactionResult as CompactionResult,
)
from tersely.memory.repl import (
    MemoryCompactor as MemoryCompactor,
)
from tersely.memory.repl import (
    REPLEntry as REPLEntry,
)
from tersely.memory.repl import (
    REPLHistory as REPLHistory,
)
from tersely.memory.segments.memory import SegmentMemory as SegmentMemory
from tersely.memory.segments.paraphrases import (
    PARAPHRASES as PARAPHRASES,
)
from tersely.memory.segments.paraphrases import (
    Paraphrase as Paraphrase,
)
from tersely.memory.segments.paraphrases import (
    paraphrase as paraphrase,
)
from tersely.memory.segments.policy import (
    Action as Action,
)
from tersely.memory.segments.policy import (
    CompressionCost as CompressionCost,
)
from tersely.memory.segments.policy import (
    ContextDecision as ContextDecision,
)
from tersely.memory.segments.policy import (
    ContextPlan as ContextPlan,
)
from tersely.memory.segments.policy import (
    ContextState as ContextState,
)
from tersely.memory.segments.policy import (
    Predicates as Predicates,
)
from tersely.memory.segments.policy import (
    explain_compression as explain_compression,
)
from tersely.memory.segments.policy import (
    plan_context as plan_context,
)
from tersely.memory.segments.policy import (
    should_compress_segment as should_compress_segment,
)
from tersely.memory.segments.preservation import (
    DEFAULT_PRESERVE_METADATA as DEFAULT_PRESERVE_METADATA,
)
from tersely.memory.segments.preservation import (
    PRESERVE_ALWAYS as PRESERVE_ALWAYS,
)
from tersely.memory.segments.preservation import (
    RECENCY_METADATA as RECENCY_METADATA,
)
from tersely.memory.segments.preservation import (
    DroppedFact as DroppedFact,
)
from tersely.memory.segments.preservation import (
    PreservationReport as PreservationReport,
)
from tersely.memory.segments.preservation import (
    PreservedItem as PreservedItem,
)
from tersely.memory.segments.preservation import (
    check_preserved as check_preserved,
)
from tersely.memory.segments.preservation import (
    extract_preserved_metadata as extract_preserved_metadata,
)
from tersely.memory.segments.preservation import (
    inject_preserved_metadata as inject_preserved_metadata,
)
from tersely.memory.segments.segment import (
    Applied as Applied,
)
from tersely.memory.segments.segment import (
    CompressedSegment as CompressedSegment,
)
from tersely.memory.segments.segment import (
    CompressionResult as CompressionResult,
)
from tersely.memory.segments.segment import (
    CompressionState as CompressionState,
)
from tersely.memory.segments.segment import (
    ContextSegment as ContextSegment,
)
from tersely.memory.segments.segment import (
    ExpandResult as ExpandResult,
)
from tersely.memory.segments.segment import (
    SegmentError as SegmentError,
)
from tersely.memory.segments.segment import (
    SegmentMetadata as SegmentMetadata,
)
from tersely.memory.segments.segment import (
    SegmentType as SegmentType,
)
from tersely.memory.segments.segment import (
    StashedCompression as StashedCompression,
)
from tersely.memory.segments.segment import (
    StashHit as StashHit,
)
from tersely.memory.segments.segment import (
    new_segment as new_segment,
)
