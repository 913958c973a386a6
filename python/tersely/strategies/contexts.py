"""Arguments and results of the compressors and the manager: frozen data, views of a `Compressed`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from tersely import _native
from tersely.checks import brief
from tersely.engine.facts import list_facts, standing
from tersely.engine.worth import confidence
from tersely.options import CompressionMethod
from tersely.types import Compressed, FactKind, span_columns


@brief
@dataclass(frozen=True, slots=True)
class OriginalContext:
    """The original of a compressed text.

    Attributes:
        content: the text.
        token_count: its tokens.
        source: where the text is from, as the caller says.
        timestamp: when it was compressed, with a time zone; not compared by `==`.
    """

    content: str
    token_count: int
    source: str | None = None
    timestamp: datetime | None = field(default=None, compare=False)


@brief
@dataclass(frozen=True)
class CompressionMetadata:
    """Describes what a compression kept and dropped; each field is computed when it is first read.

    Attributes:
        content: the text that was compressed.
        query: the query that it was compressed for.
        compressed: what came out.
        result: the same with its spans.
    """

    content: str
    query: str
    compressed: str
    result: Compressed = field(compare=False, repr=False)

    @cached_property
    def preserved_entities(self) -> tuple[str, ...]:
        """Names, numbers and other facts of the original that the compressed text has."""
        found = entities(self.content)
        return tuple(filter(standing(self.compressed, found).__contains__, found))

    @cached_property
    def key_concepts(self) -> tuple[str, ...]:
        """The ten most frequent terms of the compressed text, as first spelled; ties go to the earlier one.

        Words with digits and stop words do not count; in scripts without spaces, the terms are pairs of
        letters.
        """
        counts, spelled = Counter[int](), dict[int, str]()
        stripped = [word.strip(_PUNCTUATION) for word in self.compressed.split()]
        words = [word for word in stripped if word and not any(map(str.isdigit, word))]
        found, offsets, names = _native.terms(words)
        ids = found.tolist()
        for word, (first, last) in zip(words, pairwise(offsets.tolist()), strict=False):
            for term in ids[first:last]:
                surface = word if last - first == 1 else names[term]
                if surface in word:
                    counts[term] += 1
                    spelled.setdefault(term, surface)
        return tuple(spelled[term] for term, _ in counts.most_common(10))

    @cached_property
    def dropped_sections(self) -> tuple[str, ...]:
        """The text of each run of dropped segments between kept ones, in source order."""
        result = self.result
        kept, dropped = span_columns(result.kept), span_columns(result.dropped)
        document, start, end, _ = np.concatenate([kept, dropped], axis=1)
        out = np.arange(len(document)) >= len(kept[0])
        order = np.lexsort((out, end, start, document))
        document, start, end, out = document[order], start[order], end[order], out[order]
        goes_on = np.zeros(len(out) + 1, dtype=bool)  # a run with the one before
        goes_on[1:-1] = out[1:] & out[:-1] & (document[1:] == document[:-1])
        first, last = np.flatnonzero(out & ~goes_on[:-1]), np.flatnonzero(out & ~goes_on[1:])
        places = zip(document[first].tolist(), start[first].tolist(), end[last].tolist(), strict=True)
        return tuple(result.documents[index].text[begin:close] for index, begin, close in places)

    @cached_property
    def confidence_score(self) -> float:
        """A number in [0, 1]: 0.5 * share of required facts that were kept + 0.3 * share of the query's terms
        that occur + 0.2 * share of segments half of whose terms occur.

        Required are the facts to preserve or, without any, the entities. 1.0 for an unchanged text, and
        the receipt's confidence for one that a model wrote.
        """
        if self.compressed == self.content:
            return 1.0
        receipt = self.result.receipt
        if receipt.confidence is not None:
            return receipt.confidence
        if receipt.facts is not None:
            share = receipt.facts.retention
        else:
            named = entities(self.content)
            share = len(self.preserved_entities) / len(named) if named else 1.0
        return confidence([self.content], self.compressed, self.query, share)


@brief
@dataclass(frozen=True, slots=True)
class CompressedContext:
    """A compressed text with its original.

    Attributes:
        id: made from content, options, query, tokenizer, and settings and models of the compressor: equal
            calls have equal ids.
        original: None if the caller dropped it; then it cannot be restored.
        compressed: the text to send.
        compression_ratio: token_count / original tokens; 1.0 for an empty text.
        token_count: tokens of `compressed`.
        method: what made it.
        metadata: what was kept and what was not.
        used_llm: whether a model wrote any of `compressed`.
        fallback_reason: a reason code if another method than the preferred one was used, otherwise None.
        codes: reason codes, as in `Receipt.warnings`; "target_tokens_below_min".
        min_confidence: verbatim text below it has the warning "low_confidence".
        result: spans and receipt; None if the text was made in several pieces. Not compared by `==`.
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
    codes: tuple[str, ...] = ()
    min_confidence: float = 0.0
    result: Compressed | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.compressed

    @property
    def warnings(self) -> tuple[str, ...]:
        """The `codes`, and "low_confidence" if the confidence of verbatim text is below the minimum."""
        unsure = not self.used_llm and self.metadata.confidence_score < self.min_confidence
        return tuple(dict.fromkeys([*self.codes, *(["low_confidence"] if unsure else [])]))


@brief
@dataclass(frozen=True, slots=True)
class ContextChunk:
    """A chunk of context, as a caller has it.

    Attributes:
        id: the caller's name for it.
        content: the text.
        relevance: your own; 0 if it is not known.
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
class PreparedChunk:
    """A chunk in the context."""

    id: str  #: the caller's name for it
    #: its part of the context
    text: str
    token_count: int
    original_tokens: int  #: what it had
    #: its tokens of the budget: those of its kept segments, or, if a model writes, those that it was allowed;
    #: 0 if everything fits
    allocation: int
    #: whether an earlier call had read it for this query or, if a model writes, written it
    cached: bool = False
    #: a reason code if the compressor failed and a simpler method was used, otherwise None
    fallback_reason: str | None = None
    #: what a compressor made of this chunk alone; None if the segments of all chunks were selected together
    #: (`PreparedContext.result`), or if it was cut. Not compared by `==`.
    context: CompressedContext | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DroppedChunk:
    """A chunk left out of the context."""

    id: str  #: the caller's name for it
    #: "budget" (others are worth more, or its smallest piece had no room), "failed" (it cannot be used, or
    #: every way to compress it failed), "empty"
    reason: str
    detail: str = ""  #: what failed, in words


@brief
@dataclass(frozen=True, slots=True)
class PreparationReport:
    """Accounts for each chunk, and for the tokens."""

    budget: int  #: with `token_count`: tokens allowed, and used
    token_count: int
    original_tokens: int  #: of all chunks that could be counted, joined by the separator
    compressed: bool  #: whether anything had to be compressed
    chunks: tuple[PreparedChunk, ...]  #: those that are in the context, in order
    dropped: tuple[DroppedChunk, ...] = ()  #: those that are not, in order
    cache_hits: int = 0  #: with `cache_misses`: of this call
    cache_misses: int = 0
    #: reason codes: of the result, and "chunks_dropped", "chunk_fell_back" (for another reason than that
    #: there is no model)
    warnings: tuple[str, ...] = ()


@brief
@dataclass(frozen=True, slots=True)
class PreparedContext:
    """A context for a call: `str(context)` is what to send."""

    #: the parts joined by the separator: `text.split(separator) == list(parts)`, unless a chunk has the
    #: separator in its own text
    text: str
    parts: tuple[str, ...]  #: the text of each chunk that is in it, in the order of the chunks
    report: PreparationReport  #: what became of the chunks
    #: spans and receipt, with one document per usable chunk; None if each chunk was compressed by itself. Not
    #: compared by `==`.
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
    """A level of a hierarchical compression: the text at one size.

    Attributes:
        level: 0 is the least compressed.
        content, token_count: the text and its tokens.
        ratio: token_count / tokens of the original.
        result: spans and receipt, if the level is made of whole segments.
    """

    level: int
    content: str = ""
    token_count: int = 0
    ratio: float = 0.0
    result: Compressed | None = field(default=None, compare=False, repr=False)


@brief
@dataclass(frozen=True, slots=True)
class HierarchicalContext:
    """The levels of a text.

    Attributes:
        levels: the least compressed first.
        original: the text that they are of.
        id: made from content, options and settings, as in `CompressedContext`.
        warnings: reason codes.
    """

    levels: Sequence[CompressionLevel]
    original: OriginalContext | None = None
    id: str = ""
    warnings: tuple[str, ...] = ()

    def select_level(self, token_budget: int) -> CompressionLevel:
        """Return the largest level that fits, else the smallest. Raises ValueError if there are none."""
        if not self.levels:
            raise ValueError("there are no levels to select from")
        fitting = [level for level in self.levels if level.token_count <= token_budget]
        if fitting:
            return max(fitting, key=lambda level: level.token_count)
        return min(reversed(self.levels), key=lambda level: level.token_count)


_PUNCTUATION = ".,;:!?…()[]{}<>\"'`“”‘’«»*#|"
_OPENINGS = {  # of sentences, written large and no part of a name
    "Afterwards", "Also", "Although", "And", "Because", "Before", "Besides", "Between", "But",
    "Consequently", "Even", "Furthermore", "Hence", "Here", "However", "In", "Indeed", "Instead",
    "Later", "Meanwhile", "Moreover", "Nevertheless", "Next", "Nonetheless", "Now", "Often", "Once",
    "Only", "Otherwise", "Perhaps", "Since", "So", "Sometimes", "Soon", "Still", "Then", "There",
    "Therefore", "Though", "Thus", "Today", "Tomorrow", "When", "While", "Yesterday", "Yet",
}  # fmt: skip
_ENTITIES = {FactKind.NAME, FactKind.NUMBER, FactKind.DATE, FactKind.VERSION, FactKind.PATH,
             FactKind.PATH_LINE, FactKind.URL, FactKind.IDENTIFIER}  # fmt: skip


def entities(text: str) -> tuple[str, ...]:
    """List names ("United States"), numbers, dates, paths and identifiers of a text, each once, in order.

    O(characters).

    An adverb or a stop word that opens a sentence is no part of the name behind it, and a word of a longer
    name ("Locke" of "John Locke") is told with that.
    """
    found: dict[str, bool] = {}
    for fact in list_facts([text]):
        if fact.kind in _ENTITIES:
            is_name = fact.kind is FactKind.NAME
            found.setdefault(_without_opening(fact.text) if is_name else fact.text, is_name)
    parts = {word for name, is_name in found.items() if is_name for word in name.split() if word != name}
    return tuple(name for name, is_name in found.items() if name and not (is_name and name in parts))


def _without_opening(name: str) -> str:
    """Return a name without an adverb or a stop word in front ("Meanwhile Paris")."""
    first, _, rest = name.partition(" ")
    opens = first in _OPENINGS or (first.endswith("ly") and len(first) > len("Only"))
    return rest if opens and rest else name
