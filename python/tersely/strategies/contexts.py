"""What the compressors take and give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tersely.strategies.options import CompressionMethod
from tersely.types import Compressed, Span

__all__ = [
    "CompressedContext",
    "CompressionLevel",
    "CompressionMetadata",
    "ContextChunk",
    "HierarchicalContext",
    "OriginalContext",
]


@dataclass(frozen=True, slots=True)
class OriginalContext:
    """A text as it was given.

    Attributes:
        content: the text.
        token_count: its tokens.
        source: where the caller has it from.
        timestamp: when it was compressed, with a time zone; no part of what makes two of these equal.
    """

    content: str
    token_count: int
    source: str | None = None
    timestamp: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CompressionMetadata:
    """What was kept and what was not.

    Attributes:
        preserved_entities: names, numbers and the like of the original that stand in the compressed text.
        key_concepts: its most telling terms, as they stand in it, best first.
        dropped_sections: the texts of the dropped runs of segments, in source order.
        confidence_score: 0.5 * share of must-keep facts that were kept + 0.3 * share of the query's terms
            that are covered + 0.2 * share of units that are represented, in [0, 1]; 1.0 for a text that was
            not changed.
    """

    preserved_entities: tuple[str, ...] = ()
    key_concepts: tuple[str, ...] = ()
    dropped_sections: tuple[str, ...] = ()
    confidence_score: float = 1.0


@dataclass(frozen=True, slots=True)
class CompressedContext:
    """A compressed text with its original.

    Attributes:
        id: derived from content, options and query: the same for the same call.
        original: None where the caller dropped it; then it cannot be given back.
        compressed: the text to send.
        compression_ratio: token_count / original tokens; 1.0 for an empty text.
        token_count: tokens of `compressed`.
        method: what made it.
        metadata: what was kept and what was not.
        used_llm: whether a model wrote any of `compressed`.
        fallback_reason: reason code where something else than the preferred method had to do it, else None.
        warnings: reason codes, as in `Receipt.warnings`.
        result: spans and receipt; None for what was not made in one piece. Not compared.
    """

    id: str
    original: OriginalContext | None
    compressed: str
    compression_ratio: float
    token_count: int
    method: CompressionMethod
    metadata: CompressionMetadata
    used_llm: bool = False
    fallback_reason: str | None = None
    warnings: tuple[str, ...] = ()
    result: Compressed | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ContextChunk:
    """A piece of context that a caller has.

    Attributes:
        id: the caller's name for it.
        content: the text.
        relevance: the caller's own, 0 where it is not known.
        token_count: None: it is counted.
        metadata: anything else, carried along.
    """

    id: str
    content: str
    relevance: float = 0.0
    token_count: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompressionLevel:
    """One of several sizes of a text.

    Attributes:
        level: 0 is the least compressed.
        content, token_count: the text and its tokens.
        ratio: token_count / tokens of the original.
        result: spans and receipt, where the level is made of whole segments.
    """

    level: int
    content: str = ""
    token_count: int = 0
    ratio: float = 0.0
    result: Compressed | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class HierarchicalContext:
    """Levels of one text.

    Attributes:
        levels: the least compressed first.
        original: the text that they are of.
        id: derived from content, options and query.
        warnings: reason codes.
    """

    levels: Sequence[CompressionLevel]
    original: OriginalContext | None = None
    id: str = ""
    warnings: tuple[str, ...] = ()

    def select_level(self, token_budget: int) -> CompressionLevel:
        """The level with the most tokens that fits the budget, the first of equal ones; the one with the
        fewest where none fits. Raises ValueError where there are no levels."""
        if not self.levels:
            raise ValueError("there are no levels to select from")
        fitting = [level for level in self.levels if level.token_count <= token_budget]
        if fitting:
            return max(fitting, key=lambda level: level.token_count)
        return min(reversed(self.levels), key=lambda level: level.token_count)

    def drill_down(self, level: int, span: Span) -> list[Span]:
        """The spans that the next less compressed level has in place of what stands around a span.

        `span`: one that level `level` keeps. Given is what level `level` - 1 keeps between the kept
        neighbours of `span`, it included; for level 0 what the original has there. Raises ValueError where
        the level is not made of whole segments or does not keep the span.
        """
        here = self._result(level)
        places = [(kept.document, kept.start) for kept in here.kept]
        if (span.document, span.start) not in places:
            raise ValueError(f"level {level} does not keep {span}")
        place = places.index((span.document, span.start))
        first = places[place - 1] if place else (-1, 0)
        last = places[place + 1] if place + 1 < len(places) else (len(here.documents), 0)
        finer = self._result(level - 1) if level else here
        spans = [*finer.kept] if level else sorted([*here.kept, *here.dropped], key=_place)
        return [one for one in spans if first < _place(one) < last]

    def _result(self, level: int) -> Compressed:
        if not 0 <= level < len(self.levels):
            raise ValueError(f"level must lie in [0, {len(self.levels)}), not {level}")
        result = self.levels[level].result
        if result is None:
            raise ValueError(f"level {level} is not made of whole segments")
        return result


def _place(span: Span) -> tuple[int, int]:
    return span.document, span.start
