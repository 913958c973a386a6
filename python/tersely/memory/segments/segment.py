"""Describe a segment of an agent's context, and the results of the operations on segments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from tersely import checks
from tersely.checks import brief
from tersely.engine.reading import count
from tersely.models.counters import resolve_counter


class SegmentType(StrEnum):
    """The type of a segment."""

    CONVERSATION_MESSAGE = "conversation_message"
    TASK = "task"
    DECISION = "decision"
    ERROR = "error"
    CODE = "code"
    CONFIG = "config"
    LOG = "log"
    DEBUG = "debug"
    TOOL_OUTPUT = "tool_output"
    DOCUMENT = "document"


#: Types of segments that somebody wrote about their work.
NOTE_TYPES = frozenset(map(SegmentType, ("conversation_message", "task", "decision", "error")))
#: Types of segments that are no prose.
DATA_TYPES = frozenset(SegmentType) - NOTE_TYPES - {SegmentType.DOCUMENT}


@dataclass(frozen=True, slots=True)
class SegmentMetadata:
    """The metadata of a segment, which survive its compression.

    Attributes:
        file_path: the file it is about, None if none is known.
        line_number: the line there, >= 0.
        timestamp: when it was said, with a time zone.
        topic: what it is about.
        tokens: the number of tokens of the segment's text, by the counter that it was made with.
    """

    file_path: str | None
    line_number: int | None
    timestamp: datetime
    topic: str | None
    tokens: int

    def __post_init__(self) -> None:
        if not isinstance(self.timestamp, datetime) or self.timestamp.utcoffset() is None:
            raise ValueError(f"timestamp must be a datetime with a time zone, not {self.timestamp!r}")
        checks.whole_number(self.tokens, "tokens")
        if self.line_number is not None:
            checks.whole_number(self.line_number, "line_number")
        for name in ("file_path", "topic"):
            if (text := getattr(self, name)) is not None:
                object.__setattr__(self, name, checks.text(text, name))


@brief
@dataclass(frozen=True, slots=True)
class CompressionState:
    """Whether a segment was compressed, and which fields were kept.

    Attributes:
        is_compressed: False for an original.
        original_id: the id under which the original is stored.
        compressed_at: when, in UTC.
        compression_ratio: compressed tokens / original tokens (0.6 = 60% of the original).
        preserved_metadata: field -> value that the compressed text states.
    """

    is_compressed: bool = False
    original_id: str | None = None
    compressed_at: datetime | None = None
    compression_ratio: float | None = None
    preserved_metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.compression_ratio is not None:
            checks.number(self.compression_ratio, "compression_ratio", least=0)


@brief
@dataclass(frozen=True, slots=True)
class ContextSegment:
    """A note of an agent; its id stays when a shorter text replaces its text."""

    segment_id: str
    text: str
    type: SegmentType
    metadata: SegmentMetadata
    compression_state: CompressionState = field(default_factory=CompressionState)

    @property
    def tokens(self) -> int:
        """Number of tokens of the text."""
        return self.metadata.tokens


def new_segment(
    segment_id: str,
    text: str,
    type: SegmentType | str = SegmentType.CONVERSATION_MESSAGE,
    *,
    file_path: str | None = None,
    line_number: int | None = None,
    timestamp: datetime | None = None,
    topic: str | None = None,
    counter: Any = None,
    clock: Callable[[], datetime] | None = None,
) -> ContextSegment:
    """Make a segment of an original text; `counter` counts its tokens (see `tersely.compress`).

    Without a `timestamp`, `clock` gives the time (default: now, in UTC). Raises ValueError for an empty id,
    an unknown type or a time without zone.
    """
    if not checks.identifier(segment_id, "segment_id").strip():
        raise ValueError(f"segment_id must be a str with something in it, not {segment_id!r}")
    when = timestamp if timestamp is not None else (clock or now_utc)()
    tokens = count(resolve_counter(counter), checks.text(text, "text"))
    metadata = SegmentMetadata(file_path, line_number, when, topic, tokens)
    return ContextSegment(segment_id, text, checks.member(type, "type", SegmentType), metadata)


def checked_segment(segment: Any) -> ContextSegment:
    """Return a segment. Raises TypeError for anything else, such as its text alone."""
    if not isinstance(segment, ContextSegment):
        shown = checks.shown(segment)
        raise TypeError(f"segment must be a ContextSegment, such as new_segment(id, text) makes, not {shown}")
    return segment


def metadata_values(segment: ContextSegment) -> dict[str, Any]:
    """Return what a segment's metadata has beside the tokens, as JSON writes it."""
    known = segment.metadata
    return {
        "file_path": known.file_path,
        "line_number": known.line_number,
        "topic": known.topic,
        "timestamp": known.timestamp.isoformat(),
    }


def now_utc() -> datetime:
    """Return the time, with its zone."""
    return datetime.now(UTC)


@brief
@dataclass(frozen=True, slots=True)
class CompressedSegment:
    """A segment that is shorter now."""

    segment_id: str  #: stays what it was
    compressed_id: str  #: names this compressed version; `expand` takes both
    original_tokens: int  #: of the root original, however often it was compressed since
    #: now, and what that is less
    compressed_tokens: int
    tokens_saved: int
    compression_ratio: float  #: compressed_tokens / original_tokens
    method: str  #: "model", or "rules"
    kept: tuple[str, ...] = ()  #: fields that the compressed text still states ("content": what it is about)
    cached: bool = False  #: whether no model was asked because the answer was known


@dataclass(frozen=True, slots=True)
class SegmentError:
    """A segment that stayed as it was, and why."""

    segment_id: str  #: which
    #: "not_found", "empty", "lost", "unsupported", "contradicted", "not_compressed_enough", "not_worth_it",
    #: "model_failed", "empty_reply", "reply_truncated", "changed"
    code: str
    error: str  #: in words
    lost: tuple[str, ...] = ()  #: with `kept`: fields that the refused text lost, and fields that it kept
    kept: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  #: numbers, paths and names that it lost
    #: numbers, paths and names that it made up, and clauses that contradict the original
    unsupported: tuple[str, ...] = ()
    compression_ratio: float | None = None  #: that it had; None where there was none


@brief
@dataclass(frozen=True, slots=True)
class CompressionResult:
    """Compressed segments and errors: each segment is in one of the lists, in the order of the call.

    (`tersely.retrieval.CompressionResult` is that of documents.)

    Attributes:
        compressed_segments: those that are shorter now.
        total_tokens_saved: tokens that they are shorter, together.
        can_expand: always True, because originals are stored before they are replaced.
        errors: those that stayed as they were.
    """

    compressed_segments: tuple[CompressedSegment, ...]
    total_tokens_saved: int
    can_expand: bool = True
    errors: tuple[SegmentError, ...] = ()


@dataclass(frozen=True, slots=True)
class StashedCompression:
    """A segment that is shorter now, its original to be found by search."""

    #: the shorter segment; None if it is unchanged (`error` says why), and not stashed
    compressed_segment: CompressedSegment | None
    original_stashed: bool  #: with `can_retrieve`: whether a search of the stash finds the original
    can_retrieve: bool
    error: SegmentError | None = None


@brief
@dataclass(frozen=True, slots=True)
class ExpandResult:
    """A restored original, or an error.

    Attributes:
        segment_id: of the segment.
        original_text: byte for byte; None if there is an error.
        expanded_at: when, with its zone.
        error, code: None, or a message and the code "not_compressed", for a segment that cannot be expanded.
    """

    segment_id: str
    original_text: str | None = None
    expanded_at: datetime | None = None
    error: str | None = None
    code: str | None = None


@brief
@dataclass(frozen=True, slots=True)
class StashHit:
    """A stashed original that a search found."""

    #: of the original
    segment_id: str
    text: str
    score: float  #: higher is better; comparable within one search
    in_context: bool  #: whether the context still has a compressed form of it


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of applying a plan."""

    #: ids
    kept: tuple[str, ...]
    stashed: tuple[str, ...]
    removed: tuple[str, ...]
    compression: CompressionResult  #: what became of those to be compressed
    #: segments that are gone, or changed since the plan; they stayed as they were
    errors: tuple[SegmentError, ...]
    tokens: int  #: that the context has now
