"""Segments of an agent's context: a text, what is known of it, and whether it was compressed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from tersely.documents import check_text
from tersely.providers.counters import resolve_counter

__all__ = [
    "DATA_TYPES",
    "NOTE_TYPES",
    "CompressionState",
    "ContextSegment",
    "SegmentMetadata",
    "SegmentType",
    "new_segment",
    "now_utc",
    "to_segment_type",
]


class SegmentType(StrEnum):
    """What a segment is."""

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
NOTE_TYPES = frozenset(
    {SegmentType.CONVERSATION_MESSAGE, SegmentType.TASK, SegmentType.DECISION, SegmentType.ERROR}
)
#: Types of segments that are no prose.
DATA_TYPES = frozenset(
    {SegmentType.CODE, SegmentType.CONFIG, SegmentType.LOG, SegmentType.DEBUG, SegmentType.TOOL_OUTPUT}
)


@dataclass(frozen=True, slots=True)
class SegmentMetadata:
    """What is known of a segment, and survives its compression.

    Attributes:
        file_path: the file it is about, None if none is known.
        line_number: the line there, >= 0.
        timestamp: when it was said, with a time zone.
        topic: what it is about.
        tokens: of the segment's text, in tokens of the counter it was made with.
    """

    file_path: str | None
    line_number: int | None
    timestamp: datetime
    topic: str | None
    tokens: int

    def __post_init__(self) -> None:
        """Check the values."""
        if not isinstance(self.timestamp, datetime) or self.timestamp.utcoffset() is None:
            raise ValueError(f"timestamp must be a datetime with a time zone, not {self.timestamp!r}")
        for name, value in (("line_number", self.line_number), ("tokens", self.tokens)):
            if value is None and name == "line_number":
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ValueError(f"{name} must be a whole number from 0, not {value!r}")
        for name, text in (("file_path", self.file_path), ("topic", self.topic)):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"{name} must be str or None, not {type(text).__name__}")
            check_text(text or "", name)


@dataclass(frozen=True, slots=True)
class CompressionState:
    """Whether a segment was compressed, and what of it was kept.

    Attributes:
        is_compressed: False for an original.
        original_id: under which id the original is kept.
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
        """Check the values."""
        ratio = self.compression_ratio
        if ratio is not None and not (math.isfinite(ratio) and ratio >= 0):
            raise ValueError(f"compression_ratio must be a finite number from 0, not {ratio!r}")


@dataclass(frozen=True, slots=True)
class ContextSegment:
    """A piece of context under an id that stays when the text is replaced by a shorter one."""

    segment_id: str
    text: str
    type: SegmentType
    metadata: SegmentMetadata
    compression_state: CompressionState = field(default_factory=CompressionState)

    @property
    def tokens(self) -> int:
        """Tokens of the text."""
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
    """A segment of an original text; `counter` counts its tokens (as in `tersely.compress`).

    `timestamp`: None: what `clock` says (default: now, in UTC). Raises ValueError for an empty id, an unknown
    type, a time without zone or a text with lone surrogates.
    """
    if not isinstance(segment_id, str) or not segment_id.strip():
        raise ValueError(f"segment_id must be a str with something in it, not {segment_id!r}")
    check_text(segment_id, "segment_id")
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type_name(text)}")
    check_text(text, "text")
    when = timestamp if timestamp is not None else (clock or now_utc)()
    tokens = int(resolve_counter(counter).count(text))
    metadata = SegmentMetadata(file_path, line_number, when, topic, tokens)
    return ContextSegment(segment_id, text, to_segment_type(type), metadata)


def to_segment_type(value: SegmentType | str) -> SegmentType:
    """The type of that name. Raises ValueError for an unknown one."""
    try:
        return SegmentType(value)
    except ValueError:
        raise ValueError(f"type must be one of {', '.join(SegmentType)}, not {value!r}") from None


def now_utc() -> datetime:
    """Now, with its zone."""
    return datetime.now(UTC)


def type_name(value: object) -> str:
    """The name of a value's type, where `type` is a parameter."""
    return value.__class__.__name__
