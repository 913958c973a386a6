"""What a manager gives for a call, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass

from tersely.strategies.contexts import CompressedContext

__all__ = ["DroppedChunk", "PreparationReport", "PreparedChunk", "PreparedContext"]


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    """A chunk that is in the context.

    Attributes:
        id: the caller's name for it.
        text, token_count: its part of the context.
        original_tokens: what it had.
        allocation: tokens it was allowed; 0 where nothing had to be shared out.
        cached: whether an earlier call had made it.
        fallback_reason: reason code where the compressor failed and something simpler stood in, else None.
        context: the part with its original; None where it was not compressed or was only cut.
    """

    id: str
    text: str
    token_count: int
    original_tokens: int
    allocation: int
    cached: bool = False
    fallback_reason: str | None = None
    context: CompressedContext | None = None


@dataclass(frozen=True, slots=True)
class DroppedChunk:
    """A chunk that is not in the context.

    Attributes:
        id: the caller's name for it.
        reason: "budget" (no share, or too small a one for its smallest piece), "failed" (it cannot be used,
            or every way to compress it failed), "empty".
        detail: what failed, in words.
    """

    id: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PreparationReport:
    """What became of the chunks.

    Attributes:
        budget, token_count: tokens allowed, and used.
        original_tokens: of all chunks that could be counted, joined by the separator.
        compressed: whether anything had to be compressed.
        chunks: those that are in the context, in order.
        dropped: those that are not, in order.
        cache_hits, cache_misses: of this call.
        warnings: reason codes: of the parts, and "chunks_dropped", "chunk_fell_back" (for another reason than
            that there is no model).
    """

    budget: int
    token_count: int
    original_tokens: int
    compressed: bool
    chunks: tuple[PreparedChunk, ...]
    dropped: tuple[DroppedChunk, ...] = ()
    cache_hits: int = 0
    cache_misses: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedContext:
    """A context for a call: `str(context)` is what to send.

    Attributes:
        text: the parts joined by the separator: `text.split(separator) == list(parts)`, unless a chunk has
            the separator in its own text.
        parts: the text of each chunk that is in it, in the order of the chunks.
        report: what became of the chunks.
    """

    text: str
    parts: tuple[str, ...]
    report: PreparationReport

    def __str__(self) -> str:
        """The text."""
        return self.text

    @property
    def token_count(self) -> int:
        """Tokens of the text, at most the budget."""
        return self.report.token_count
