"""Arguments and results of the compressors and the manager: frozen data, views of a `Compressed`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from tersely.checks import brief
from tersely.options import CompressionMethod
from tersely.types import Compressed, Span


class LateFields:
    """Mixin for frozen dataclasses: some fields are computed when they are first read, and kept.

    To compare, print, pickle or `replace` such an object reads them all, so it is like any other.
    """

    __slots__ = ("_late",)
    _late: Mapping[str, Callable[[], Any]]

    @classmethod
    def build(cls, late: Mapping[str, Callable[[], Any]], **values: Any) -> Self:
        """Make an object; `late` maps names of fields to functions that compute their values."""
        made = object.__new__(cls)
        object.__setattr__(made, "_late", late)
        for entry in fields(cls):  # type: ignore[arg-type]  # of a dataclass
            if entry.name not in late:
                value = values.get(entry.name, entry.default)
                if value is MISSING:
                    raise TypeError(f"{cls.__name__} needs a value for {entry.name}")
                object.__setattr__(made, entry.name, value)
        return made

    def but(self, **values: Any) -> Self:
        """Copy with other values; unlike `dataclasses.replace`, computes nothing."""
        made = object.__new__(type(self))
        for name in ("_late", *(entry.name for entry in fields(self))):  # type: ignore[arg-type]
            try:
                value = object.__getattribute__(self, name)
            except AttributeError:  # not worked out yet, or made without late fields
                continue
            object.__setattr__(made, name, values.get(name, value))
        return made

    if not TYPE_CHECKING:  # a type checker sees the fields

        def __getattr__(self, name: str) -> Any:
            """A field that has no value yet."""
            late = {} if name == "_late" else getattr(self, "_late", {})
            if name not in late:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            value = late[name]()
            object.__setattr__(self, name, value)
            return value


@brief
@dataclass(frozen=True, slots=True)
class OriginalContext:
    """The original of a compressed text.

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


@brief
@dataclass(frozen=True, slots=True)
class CompressionMetadata(LateFields):
    """Describes what a compression kept and dropped; a compressor works each out when it is first read.

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


@brief
@dataclass(frozen=True, slots=True)
class CompressedContext(LateFields):
    """A compressed text with its original.

    Attributes:
        id: derived from content, options, query, tokenizer, and settings and models of the compressor: the
            same for the same call.
        original: None where the caller dropped it; then it cannot be given back.
        compressed: the text to send.
        compression_ratio: token_count / original tokens; 1.0 for an empty text.
        token_count: tokens of `compressed`.
        method: what made it.
        metadata: what was kept and what was not.
        used_llm: whether a model wrote any of `compressed`.
        fallback_reason: reason code where something else than the preferred method had to do it, else None.
        warnings: reason codes, as in `Receipt.warnings`; "target_tokens_below_min", "low_confidence" (of
            verbatim text: `metadata.confidence_score` is below `min_confidence`).
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

    def __str__(self) -> str:
        return self.compressed


@brief
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


@brief
@dataclass(frozen=True, slots=True)
class PreparedChunk(LateFields):
    """A chunk that is in the context.

    Attributes:
        id: the caller's name for it.
        text, token_count: its part of the context.
        original_tokens: what it had.
        allocation: tokens it got of the budget: what was chosen of it counts as many, or, where a model
            writes, what it was allowed; 0 where nothing had to be left out.
        cached: whether an earlier call had read it for this query, or, where a model writes, written it.
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
        reason: "budget" (others are worth more, or its smallest piece had no room), "failed" (it cannot be
            used, or every way to compress it failed), "empty".
        detail: what failed, in words.
    """

    id: str
    reason: str
    detail: str = ""


@brief
@dataclass(frozen=True, slots=True)
class PreparationReport:
    """Accounts for each chunk, and for the tokens.

    Attributes:
        budget, token_count: tokens allowed, and used.
        original_tokens: of all chunks that could be counted, joined by the separator.
        compressed: whether anything had to be compressed.
        chunks: those that are in the context, in order.
        dropped: those that are not, in order.
        cache_hits, cache_misses: of this call.
        warnings: reason codes: of the result, and "chunks_dropped", "chunk_fell_back" (for another reason
            than that there is no model).
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


@brief
@dataclass(frozen=True, slots=True)
class PreparedContext:
    """A context for a call: `str(context)` is what to send.

    Attributes:
        text: the parts joined by the separator: `text.split(separator) == list(parts)`, unless a chunk has
            the separator in its own text.
        parts: the text of each chunk that is in it, in the order of the chunks.
        report: what became of the chunks.
        result: spans and receipt, a document a usable chunk; None where each was compressed by itself. Not
            compared.
    """

    text: str
    parts: tuple[str, ...]
    report: PreparationReport
    result: Compressed | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.text

    @property
    def token_count(self) -> int:
        """Tokens of the text, at most the budget."""
        return self.report.token_count


@brief
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


@brief
@dataclass(frozen=True, slots=True)
class HierarchicalContext:
    """Levels of one text.

    Attributes:
        levels: the least compressed first.
        original: the text that they are of.
        id: derived as that of a `CompressedContext`.
        warnings: reason codes.
        fallback_reason: why a model did not write some level where one should have; None: it did, or none
            was asked for.
    """

    levels: Sequence[CompressionLevel]
    original: OriginalContext | None = None
    id: str = ""
    warnings: tuple[str, ...] = ()
    fallback_reason: str | None = None

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
        """Return the spans of the next less compressed level around a span.

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
