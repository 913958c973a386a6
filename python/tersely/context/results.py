"""Results of the operations on segments: plain values, so that `dataclasses.asdict` makes JSON of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

__all__ = [
    "Applied",
    "CompressedSegment",
    "CompressionResult",
    "ExpandResult",
    "SegmentError",
    "StashHit",
    "StashedCompression",
]


@dataclass(frozen=True, slots=True)
class CompressedSegment:
    """A segment that is shorter now.

    Attributes:
        segment_id: stays what it was.
        compressed_id: names this compressed version; `expand` takes both.
        original_tokens: of the root original, however often it was compressed since.
        compressed_tokens, tokens_saved: now, and what that is less.
        compression_ratio: compressed_tokens / original_tokens.
        method: "model", or "rules".
        kept: fields that the compressed text still states ("content": what it is about).
        cached: whether no model was asked because the answer was known.
    """

    segment_id: str
    compressed_id: str
    original_tokens: int
    compressed_tokens: int
    tokens_saved: int
    compression_ratio: float
    method: str
    kept: tuple[str, ...] = ()
    cached: bool = False


@dataclass(frozen=True, slots=True)
class SegmentError:
    """A segment that stayed as it was, and why.

    Attributes:
        segment_id: which.
        code: "not_found", "empty", "lost", "unsupported", "contradicted", "not_compressed_enough",
            "not_worth_it", "model_failed", "empty_reply", "reply_truncated", "changed".
        error: in words.
        lost, kept: fields that the refused text lost, and those it still stated.
        missing: numbers, paths and names that it lacked.
        unsupported: those it made up, and clauses that say something else than the original.
        compression_ratio: that it had; None where there was none.
    """

    segment_id: str
    code: str
    error: str
    lost: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    compression_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class CompressionResult:
    """The compressed segments and the errors: each segment is in one list, in the order asked for.

    Attributes:
        compressed_segments: those that are shorter now.
        total_tokens_saved: by them.
        can_expand: True: originals are kept before anything takes their place.
        errors: those that stayed as they were.
    """

    compressed_segments: tuple[CompressedSegment, ...]
    total_tokens_saved: int
    can_expand: bool = True
    errors: tuple[SegmentError, ...] = ()


@dataclass(frozen=True, slots=True)
class StashedCompression:
    """A segment that is shorter now, its original to be found by search.

    Attributes:
        compressed_segment: None where it stayed as it was (`error` says why); then nothing was stashed.
        original_stashed, can_retrieve: whether a search of the stash finds the original.
    """

    compressed_segment: CompressedSegment | None
    original_stashed: bool
    can_retrieve: bool
    error: SegmentError | None = None


@dataclass(frozen=True, slots=True)
class ExpandResult:
    """An original, back in its place; or an error.

    Attributes:
        segment_id: of the segment.
        original_text: byte for byte; None where there is an error.
        expanded_at: when, with its zone.
        error, code: None, or the words and "not_compressed" for what cannot be expanded.
    """

    segment_id: str
    original_text: str | None = None
    expanded_at: datetime | None = None
    error: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class StashHit:
    """A stashed original that a search found.

    Attributes:
        segment_id, text: of the original.
        score: higher is better; comparable within one search.
        in_context: whether a compressed form of it still stands in the context.
    """

    segment_id: str
    text: str
    score: float
    in_context: bool


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of applying a plan.

    Attributes:
        kept, stashed, removed: ids.
        compression: what became of those to be compressed.
        errors: segments that are gone, or changed since the plan; they stayed as they were.
        tokens: that the context has now.
    """

    kept: tuple[str, ...]
    stashed: tuple[str, ...]
    removed: tuple[str, ...]
    compression: CompressionResult
    errors: tuple[SegmentError, ...]
    tokens: int
