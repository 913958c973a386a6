"""The results of relevance scoring."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Flag
from functools import lru_cache
from hashlib import sha1
from typing import ClassVar, overload

from tersely.core.late import LateSequence
from tersely.core.tables import Analysis, Float32s, Float64s, Level, SegmentTable
from tersely.core.types import Document

__all__ = ["DocumentScores", "RelevanceScore", "RelevanceScores", "ScoringMethod", "SegmentScore", "to_uuid"]


_SHORTEST_UUID = 32  # characters: its hexadecimal digits
_LONGEST_UUID = 45  # urn:uuid:12345678-...
_NAMESPACE = uuid.NAMESPACE_OID.bytes
_LONG_NAME = 200  # characters: rather a text than a name


class ScoringMethod(Flag):
    """How relevance is scored: four methods, and HYBRID, the default, which is two of them at once."""

    EMBEDDING = 1  # cosine of query and segment
    LLM = 2  # a language model rates from 1 to 10
    CROSS_ENCODER = 4  # a model that reads query and segment together
    KEYWORD = 8  # share of the query's terms
    HYBRID = EMBEDDING | KEYWORD


@dataclass(frozen=True, slots=True)
class SegmentScore:
    """One segment's relevance.

    Attributes:
        index: of the segment in its document.
        span: (start, end), characters of the document, half-open.
        score: in [0, 1].
    """

    index: int
    span: tuple[int, int]
    score: float

    @property
    def start(self) -> int:
        """First character."""
        return self.span[0]

    @property
    def end(self) -> int:
        """Character after the last."""
        return self.span[1]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class SegmentScores(LateSequence[SegmentScore]):
    """The scores of a document's segments, each made a `SegmentScore` when it is read.

    Attributes:
        segments: of all documents.
        scores: float32, one a row of `segments`.
        first, last: the document's rows, `last` exclusive.
    """

    segments: SegmentTable
    scores: Float32s
    first: int
    last: int
    _called: ClassVar[str] = "scores"

    def __len__(self) -> int:
        """Number of segments."""
        return self.last - self.first

    def _make(self, index: int) -> SegmentScore:
        row = self.first + index
        span = int(self.segments.start[row]), int(self.segments.end[row])
        return SegmentScore(index, span, float(self.scores[row]))


@dataclass(frozen=True, slots=True)
class RelevanceScore:
    """One document's relevance.

    Attributes:
        document_id: the document's id where it is a UUID, else the UUID5 of its id, or of its text where it
            has no id.
        overall_score: in [0, 1].
        segment_scores: of every segment of the document, in its order.
        method: what made these scores; another one than was asked for where that failed.
    """

    document_id: uuid.UUID
    overall_score: float
    segment_scores: Sequence[SegmentScore]
    method: ScoringMethod


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class DocumentScores(LateSequence[RelevanceScore]):
    """The scores of documents, each made a `RelevanceScore` when it is read.

    Attributes:
        ids: of the documents.
        overall: float64, one a document.
        segments, scores: of all documents, as of `SegmentScores`.
        method: what made the scores.
    """

    ids: Sequence[str | uuid.UUID]
    overall: Float64s
    segments: SegmentTable
    scores: Float32s
    method: ScoringMethod
    _called: ClassVar[str] = "scores"

    def __len__(self) -> int:
        """Number of documents."""
        return len(self.ids)

    def _make(self, index: int) -> RelevanceScore:
        first, last = self.segments.document.searchsorted((index, index + 1)).tolist()
        segments = SegmentScores(self.segments, self.scores, first, last)
        return RelevanceScore(to_uuid(self.ids[index]), float(self.overall[index]), segments, self.method)


@dataclass(frozen=True, eq=False, slots=True)
class RelevanceScores(Sequence[RelevanceScore]):
    """The scores of a call: a sequence of one `RelevanceScore` a document, in the documents' order.

    Attributes:
        scores: the sequence itself.
        analysis: the segments of all documents, with their terms.
        level: what the segments are.
        segment_scores: float32[n] in [0, 1], one a row of `segments`.
        fallback_reason: why another method had to step in, for some documents or all; None: none had to.
        warnings: reason codes: "embedder_failed", "cross_encoder_failed", "llm_failed" (no reply),
            "llm_reply_unusable" (a reply without a rating), "llm_passage_shortened" (the prompt has only the
            best segments of a long document), "texts_truncated" (longer than the model reads),
            "empty_query" (all scores are 0).
        cached: whether an earlier call made these scores.
    """

    scores: tuple[RelevanceScore, ...]
    analysis: Analysis
    level: Level
    segment_scores: Float32s
    fallback_reason: str | None = None
    warnings: tuple[str, ...] = ()
    cached: bool = False

    @property
    def segments(self) -> SegmentTable:
        """All segments of all documents."""
        return self.analysis.table

    def __len__(self) -> int:
        """Number of documents."""
        return len(self.scores)

    @overload
    def __getitem__(self, index: int) -> RelevanceScore: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RelevanceScore, ...]: ...
    def __getitem__(self, index: int | slice) -> RelevanceScore | tuple[RelevanceScore, ...]:
        """The score of document `index`, or a tuple of them for a slice."""
        return self.scores[index]


def to_uuid(identity: str | uuid.UUID) -> uuid.UUID:
    """Return a UUID itself, the one that a str spells, or the UUID5 of any other str."""
    if isinstance(identity, uuid.UUID):
        return identity
    return _uuid_of(identity) if len(identity) > _LONG_NAME else _cached_uuid_of(identity)


def _uuid_of(identity: str) -> uuid.UUID:
    if _SHORTEST_UUID <= len(identity) <= _LONGEST_UUID:
        try:
            return uuid.UUID(identity)
        except ValueError:
            pass  # some other name
    digest = sha1(_NAMESPACE + identity.encode(), usedforsecurity=False).digest()  # as `uuid.uuid5` does
    return uuid.UUID(bytes=digest[:16], version=5)


_cached_uuid_of = lru_cache(maxsize=4096)(_uuid_of)  # chunks come again with each search


def document_uuid(document: Document) -> uuid.UUID:
    """Return the UUID of a document as `RelevanceScore.document_id` has it."""
    return to_uuid(document.text if document.id is None else document.id)
