"""Score how relevant documents and their segments are to a query, and explain the score.

`by_language_model` is a generator: prompts come out, replies go in. Who asks, in threads or in an event loop,
is the caller's affair.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Flag
from functools import lru_cache
from hashlib import sha1
from typing import Any, ClassVar, overload

import numpy as np

from tersely import checks
from tersely.cache import BoundedCache, digest_of
from tersely.checks import brief
from tersely.documents import to_documents, to_level
from tersely.engine.worth import (
    FEATURES,
    QueryReading,
    document_probability,
    hybrid,
    read_for_query,
    segment_probability,
)
from tersely.errors import ModelReplyError, RelevanceScoringError
from tersely.models.embedders import (
    CheckedCrossEncoder,
    CheckedEmbedder,
    resolve_cross_encoder,
    resolve_embedder,
    resolve_pruner,
    resolve_reranker,
)
from tersely.models.flows import Flow, one_model, run_flow, run_flow_async, to_be_awaited
from tersely.models.language_models import resolve_language_model
from tersely.text import clipped
from tersely.types import Analysis, Document, Float32s, Float64s, Int64s, LateSequence, Level, SegmentTable
from tersely.writing.prompt import fence

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


@brief
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
        return self.last - self.first

    def _make(self, index: int) -> SegmentScore:
        row = self.first + index
        span = int(self.segments.start[row]), int(self.segments.end[row])
        return SegmentScore(index, span, float(self.scores[row]))


@brief
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


def document_scores(
    ids: Sequence[str | uuid.UUID],
    overall: Float64s | Float32s,
    segments: SegmentTable,
    scores: Float32s,
    methods: Sequence[ScoringMethod],
) -> tuple[RelevanceScore, ...]:
    """The score of each document: `overall`, and those of its rows among the segments of all."""
    ends = segments.document.searchsorted(np.arange(len(ids) + 1)).tolist()
    return tuple(
        [
            RelevanceScore(to_uuid(id), value, SegmentScores(segments, scores, first, last), method)
            for id, value, first, last, method in zip(
                ids, overall.tolist(), ends[:-1], ends[1:], methods, strict=True
            )
        ]
    )


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
        return len(self.scores)

    @overload
    def __getitem__(self, index: int) -> RelevanceScore: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RelevanceScore, ...]: ...
    def __getitem__(self, index: int | slice) -> RelevanceScore | tuple[RelevanceScore, ...]:
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


@dataclass(frozen=True, eq=False, slots=True)
class MethodScores:
    """Scores that one method gives all segments and all documents.

    Attributes:
        segments: float32[segments] in [0, 1].
        documents: float32[documents] in [0, 1].
        warnings: see RelevanceScores.
        failure: what the embedder raised, without which they are given.
    """

    segments: Float32s
    documents: Float32s
    warnings: tuple[str, ...] = ()
    failure: Exception | None = None


def by_keyword(prepared: QueryReading) -> MethodScores:
    """Score by the share of the query's distinct terms that a segment, or a document with its title, holds.

    0 where the query has no term. O(terms).
    """
    analysis, table = prepared.analysis, prepared.table
    rows = np.repeat(np.arange(len(analysis.term_offsets) - 1), np.diff(analysis.term_offsets))
    wanted = np.unique(analysis.term_ids[rows == len(table)])
    hits = np.isin(analysis.term_ids, wanted)
    rows, terms = rows[hits], analysis.term_ids[hits].astype(np.int64)

    def shares(owners: Int64s, count: int) -> Float32s:
        """float32[count]: distinct terms of the rows of each owner / those wanted; -1 is nobody."""
        pairs = np.unique((owners * analysis.vocabulary + terms)[owners >= 0])
        found = np.bincount(pairs // max(analysis.vocabulary, 1), minlength=count)
        return (found / max(len(wanted), 1)).astype(np.float32)

    # Of each row the document; the query's row belongs to none.
    owner = np.concatenate([table.document, [-1], np.arange(len(prepared.documents))])
    segments = shares(np.where(rows < len(table), rows, -1), len(table))
    return MethodScores(segments, shares(owner[rows], len(prepared.documents)))


def by_model(prepared: QueryReading, model: CheckedEmbedder | CheckedCrossEncoder) -> MethodScores:
    """Score each segment and title by its cosine with the query, at least 0, or by a cross-encoder.

    A document has its best score; 0 where it has no text.
    """
    titled = [index for index, document in enumerate(prepared.documents) if document.title]
    texts = [*prepared.segment_texts(), *(prepared.documents[index].title or "" for index in titled)]
    owners = np.concatenate([prepared.table.document.astype(np.int64), np.array(titled, dtype=np.int64)])
    if isinstance(model, CheckedEmbedder):
        scores, truncated = model.similarity_report(prepared.query, texts)
        scores = np.clip(scores, 0.0, 1.0)
    else:
        scores, which = model.score_report(prepared.query, texts)
        truncated = len(which) > 0
    documents = np.zeros(len(prepared.documents), dtype=np.float32)
    np.maximum.at(documents, owners, scores)
    segments = np.asarray(scores[: len(prepared.table)], dtype=np.float32)
    return MethodScores(segments, documents, ("texts_truncated",) if truncated else ())


def by_hybrid(prepared: QueryReading, embedder: CheckedEmbedder | None) -> MethodScores:
    """Score by all features of engine/worth.py together.

    Segments: 1 / (1 + exp(m - s)) for the weighted sum s of the features and its median m: above a half for
    what stands out in the call. Documents: the probability that each is on
    topic, whatever else is in the call.
    """
    scores = hybrid(prepared, embedder)
    segments = np.asarray(-np.expm1(-scores.segments), dtype=np.float32)
    documents = document_probability(scores.asked)
    return MethodScores(segments, documents.astype(np.float32), scores.warnings, scores.failure)


_WIDTH = 60  # characters of a segment's text that are shown


@brief
@dataclass(frozen=True, eq=False, slots=True)
class Explanation:
    """Scores and their parts.

    Attributes:
        documents: as given.
        table: the segments.
        scores: float32[n] >= 0, what `tersely.Extractive` ranks by.
        names: the features, engine/worth.py; what each is stands in csrc/kernels/relevance/features.hpp.
            "trees": what they say together (csrc/kernels/relevance/columns.hpp).
        contributions: float32[len(names), n], weight times feature, and what the trees add; a score grows
            with their sum, and compares it with the median over the segments.
        relevance: float64[documents], the probability that each is on the topic of the query (on topic, not
            that it answers), whatever the others are.
        probability: float64[n], the same of each segment.
        warnings: "embedder_failed", "reranker_failed", "pruner_failed",
            "query_without_matches".
    """

    documents: tuple[Document, ...]
    table: SegmentTable
    scores: Float32s
    names: tuple[str, ...]
    contributions: Float32s
    relevance: Float64s
    probability: Float64s
    warnings: tuple[str, ...]

    def of(self, row: int) -> dict[str, float]:
        """Return the contribution of each feature to segment `row`, the largest first, without zeros."""
        parts = zip(self.names, self.contributions[:, row].tolist(), strict=True)
        return dict(sorted(((n, p) for n, p in parts if p), key=lambda part: (-abs(part[1]), part[0])))

    def best(self, count: int = 5) -> list[int]:
        """Rows of the `count` highest scores, ties to the lowest row."""
        return [int(row) for row in np.argsort(-self.scores, kind="stable")[:count]]

    def __str__(self) -> str:
        lines = []
        for row in self.best():
            start, end = int(self.table.start[row]), int(self.table.end[row])
            text = self.documents[int(self.table.document[row])].text[start:end]
            shown = clipped(" ".join(text.split()), _WIDTH)
            parts = ", ".join(f"{name} {part:+.2f}" for name, part in list(self.of(row).items())[:3])
            lines.append(f"{self.scores[row]:6.2f}  {self.probability[row]:4.0%}  {shown:{_WIDTH}}  {parts}")
        return "\n".join(lines)


def explain(
    documents: Any,
    query: str,
    *,
    embedder: Any = None,
    reranker: Any = None,
    pruner: Any = None,
    level: Level | str = Level.SENTENCE,
) -> Explanation:
    """Explain each segment's relevance to a query by features.

    Args:
        documents: what `tersely.compress` takes.
        query: not blank.
        embedder, reranker, pruner: as for `tersely.Extractive`; the last two are the part "reranked".
        level: what the segments are.

    Raises ValueError for a blank query.
    """
    query = checks.text(query, "query")
    if not query.strip():
        raise ValueError("query must not be blank")
    prepared = read_for_query(to_documents(documents), query.strip(), to_level(level))
    read_again = None if reranker is None else resolve_reranker(reranker)
    kept_by = None if pruner is None else resolve_pruner(pruner)
    found = hybrid(prepared, resolve_embedder(embedder), read_again, pruner=kept_by)
    weights = found.weights.astype(np.float32)
    weighted = np.asarray(found.features * weights[:, None], dtype=np.float32)
    parts, names = np.vstack((weighted, found.corrections)), (*FEATURES, "trees")
    return Explanation(
        prepared.documents,
        prepared.table,
        found.segments,
        names,
        parts,
        document_probability(found.asked),
        segment_probability(found.asked),
        found.warnings,
    )


_PASSAGE = 4000  # characters of a document that a prompt holds
_LONGEST_REPLY = 20_000  # characters at the end of it that are read


def by_language_model(
    prepared: QueryReading, batch_size: int, embedder: CheckedEmbedder
) -> Flow[tuple[MethodScores, list[int], Exception | None]]:
    """Have a language model rate the documents, `batch_size` a prompt.

    Returns the scores (HYBRID's for an unrated document), the indices of unrated documents, and the first
    thing that went wrong.

    A segment gets a share of its document's score: all of it where HYBRID scores it best, in proportion
    elsewhere. What a reply leaves out is asked for once more, document by document. A prompt that raised is
    not asked again: clients repeat requests themselves.
    """
    fast = by_hybrid(prepared, embedder)
    passages, shortened = _passages(prepared, fast.segments)
    ratings: list[float | None] = [None] * len(passages)
    warnings: list[str] = ["llm_passage_shortened"] if shortened else []
    error: Exception | None = None
    batches = [
        list(range(start, min(start + batch_size, len(passages))))
        for start in range(0, len(passages), batch_size)
    ]
    titles = [document.title for document in prepared.documents]
    for last in (False, True):
        prompts = [
            rating_prompt(prepared.query, [passages[one] for one in batch], [titles[one] for one in batch])
            for batch in batches
        ]
        replies = (yield prompts) if prompts else []
        missing: list[list[int]] = []
        for batch, reply in zip(batches, replies, strict=True):
            if isinstance(reply, Exception):
                error = error or reply
                warnings.append("llm_failed")
                continue
            for index, rating in zip(batch, parse_ratings(reply, len(batch)), strict=True):
                ratings[index] = rating
                if rating is None and (last or len(batch) == 1):
                    error = error or ModelReplyError(f"no rating from 1 to 10 in {reply[:80]!r}")
                    warnings.append("llm_reply_unusable")
                elif rating is None:
                    missing.append([index])
        batches = missing
    scores = _with_ratings(prepared, fast, ratings, tuple(dict.fromkeys(warnings)))
    return scores, [index for index, rating in enumerate(ratings) if rating is None], error


def _with_ratings(
    prepared: QueryReading, fast: MethodScores, ratings: list[float | None], warnings: tuple[str, ...]
) -> MethodScores:
    documents, segments = fast.documents.copy(), fast.segments.copy()
    for index, rating in enumerate(ratings):
        if rating is not None:
            documents[index] = to_score(rating)
            rows = _rows(prepared, index)
            best = fast.segments[rows].max(initial=0)
            segments[rows] = documents[index] * (fast.segments[rows] / best if best > 0 else 1)
    return MethodScores(segments, documents, warnings)


def _passages(prepared: QueryReading, scores: Float32s) -> tuple[list[str], bool]:
    """Return the text of each document for its prompt: all of it, or its best segments in their order."""
    passages, shortened = [], False
    texts = None
    for index, document in enumerate(prepared.documents):
        if len(document.text) <= _PASSAGE:
            passages.append(document.text)
            continue
        shortened = True
        texts = texts or prepared.segment_texts()
        rows = _rows(prepared, index)
        room, chosen = _PASSAGE, []
        for row in (rows.start + np.argsort(-scores[rows], kind="stable")).tolist():
            if len(texts[row]) <= room:
                room -= len(texts[row]) + 1
                chosen.append(row)
        passages.append("\n".join(texts[row] for row in sorted(chosen)))
    return passages, shortened


def _rows(prepared: QueryReading, index: int) -> slice:
    """Return the rows of the segments of a document."""
    start, end = np.searchsorted(prepared.table.document, [index, index + 1])
    return slice(int(start), int(end))


def rating_prompt(query: str, passages: Sequence[str], titles: Sequence[str | None]) -> str:
    """Write a prompt that asks for a JSON list of ratings.

    Query and passages stand between marker lines that occur in none of them: text cannot end its frame.
    """
    headed = [
        f"{title}\n\n{passage}" if title else passage for passage, title in zip(passages, titles, strict=True)
    ]
    around = fence(query, *headed)
    parts = [
        "Rate how relevant each passage is to the query, from 1 (irrelevant) to 10 (answers it fully).",
        around.rule,
        f"\nQuery:\n{around.put(query)}",
    ]
    parts += [f"\nPassage {number}:\n{around.put(passage)}" for number, passage in enumerate(headed, 1)]
    parts.append(f"\nReply with a JSON list of the {len(passages)} ratings in their order, and nothing else.")
    return "\n".join(parts)


def parse_ratings(reply: str, count: int) -> list[float | None]:
    """Read from a reply the rating in [1, 10] of each of `count` passages, None where it has no clear one.

    The last JSON list of the reply counts, if it has as many numbers; for one passage a number alone, too.
    """
    text = reply[-_LONGEST_REPLY:].strip()
    alone = f"[{text.rstrip('.')}]" if count == 1 and "[" not in text else ""
    try:
        data = json.loads(alone or text[max(text.rfind("["), 0) : text.rfind("]") + 1])
    except ValueError:
        data = None
    if not isinstance(data, list) or len(data) != count:
        return [None] * count
    numbers = [one if isinstance(one, (int, float)) and not isinstance(one, bool) else 0 for one in data]
    return [float(one) if 1 <= one <= 10 else None for one in numbers]


def to_score(rating: float) -> float:
    """Map a rating in [1, 10] to a score in [0, 1]."""
    return (rating - 1) / 9


_SCORE_BYTES = 400  # of a segment in the cache, its terms included
_LIMIT = 5  # prompts under way at a time

# The model of a method, and the method that steps in where it fails.
_MODELS = {
    ScoringMethod.EMBEDDING: ("embedder", ScoringMethod.KEYWORD),
    ScoringMethod.CROSS_ENCODER: ("cross-encoder", ScoringMethod.HYBRID),
}


class RelevanceScorer:
    """Scores documents and their segments against a query.

    A method that fails gives way to a simpler one, and the result says so: an embedder to KEYWORD (in HYBRID,
    to its other features), a cross-encoder or a language model to HYBRID, the latter only for the documents
    it gave no rating.
    """

    def __init__(
        self,
        method: ScoringMethod | str = ScoringMethod.HYBRID,
        *,
        embedder: Any = None,
        llm: Any = None,
        cross_encoder: Any = None,
        level: Level | str = Level.SENTENCE,
        batch_size: int = 5,
        cache: int = 8 * 2**20,
        strict: bool = False,
        model: Any = None,
    ) -> None:
        """Choose the method and its model.

        Args:
            method: EMBEDDING, LLM, CROSS_ENCODER, KEYWORD or HYBRID, or its name.
            embedder: for EMBEDDING and HYBRID: see `resolve_embedder`.
            llm, model: for LLM, under either name: see `resolve_language_model`.
            cross_encoder: for CROSS_ENCODER: see `resolve_cross_encoder`.
            level: what the segments are.
            batch_size: documents a prompt; up to 5 prompts are under way at a time.
            cache: bytes for the scores of earlier calls; the same query over the same documents then asks
                no model. 0: none.
            strict: raise RelevanceScoringError instead of falling back.

        Raises ValueError where the method lacks its model.
        """
        self.method = checks.member(method, "method", ScoringMethod)
        llm = one_model(llm=llm, model=model)
        if self.method is ScoringMethod.LLM and llm is None:
            raise ValueError("the method LLM needs llm=")
        if self.method is ScoringMethod.CROSS_ENCODER and cross_encoder is None:
            raise ValueError("the method CROSS_ENCODER needs cross_encoder=")
        self.level = to_level(level)
        self.batch_size = checks.whole_number(batch_size, "batch_size", least=1)
        self.strict = checks.flag(strict, "strict")
        self._embedder = resolve_embedder(embedder)
        self._llm = None if llm is None else resolve_language_model(llm)
        self._cross_encoder = None if cross_encoder is None else resolve_cross_encoder(cross_encoder)
        self._cache: BoundedCache[RelevanceScores] = BoundedCache(checks.whole_number(cache, "cache"))

    def score_sync(self, documents: Any, query: str) -> RelevanceScores:
        """Score documents (what `tersely.compress` takes) for a query.

        A language model is asked on up to 5 threads. Raises RelevanceScoringError where `strict` forbids a
        fallback.
        """
        return run_flow(self._steps(to_documents(documents), checks.text(query, "query")), self._llm, _LIMIT)

    @to_be_awaited
    async def score(self, documents: Any, query: str) -> RelevanceScores:
        """As `score_sync`, on other threads; an async language model is asked in this event loop."""
        steps = self._steps(to_documents(documents), checks.text(query, "query"))
        return await run_flow_async(steps, self._llm, _LIMIT)

    def _steps(self, documents: tuple[Document, ...], query: str) -> Flow[RelevanceScores]:
        """Run a call as a generator: yields the prompts that need replies, returns the scores."""
        key = self._key(documents, query)
        known = self._cache.get(key)
        if known is not None:
            return replace(known, cached=True)
        prepared = read_for_query(documents, query.strip(), self.level)
        if not prepared.query:
            nothing = MethodScores(
                np.zeros(len(prepared.table), np.float32), np.zeros(len(documents), np.float32)
            )
            methods = [self.method] * len(documents)
            return self._result(prepared, nothing, methods, None, ("empty_query",))
        if self.method is ScoringMethod.LLM:
            result = yield from self._by_language_model(prepared)
        else:
            result = self._by_vectors_or_terms(prepared)
        if result.fallback_reason is None:  # a failure may be over by the next call
            self._cache.put(key, result, _SCORE_BYTES * (len(prepared.table) + len(documents)))
        return result

    def _by_vectors_or_terms(self, prepared: QueryReading) -> RelevanceScores:
        method, reason = self.method, None
        warnings: tuple[str, ...] = ()
        try:
            scored = self._score(prepared, method)
        except Exception as error:
            if method not in _MODELS:
                raise
            name, method = _MODELS[method]
            reason = self._fallback(f"the {name} failed: {_describe(error)}", error)
            warnings = (f"{name.replace('-', '_')}_failed",)
            scored = self._score(prepared, method)
        if scored.failure is not None:
            failed = self._fallback(f"the embedder failed: {_describe(scored.failure)}", scored.failure)
            reason = reason or failed
        methods = [method] * len(prepared.documents)
        return self._result(prepared, scored, methods, reason, warnings + scored.warnings)

    def _score(self, prepared: QueryReading, method: ScoringMethod) -> MethodScores:
        if method is ScoringMethod.EMBEDDING:
            return by_model(prepared, self._embedder)
        if method is ScoringMethod.CROSS_ENCODER and self._cross_encoder is not None:
            return by_model(prepared, self._cross_encoder)
        if method is ScoringMethod.KEYWORD:
            return by_keyword(prepared)
        return by_hybrid(prepared, self._embedder)

    def _by_language_model(self, prepared: QueryReading) -> Flow[RelevanceScores]:
        scores, unrated, error = yield from by_language_model(prepared, self.batch_size, self._embedder)
        reason = None
        if error is not None:
            reason = f"{len(unrated)} of {len(prepared.documents)} documents have no rating"
            reason = self._fallback(f"{reason}: {_describe(error)}", error)
        methods = [ScoringMethod.LLM] * len(prepared.documents)
        for index in unrated:
            methods[index] = ScoringMethod.HYBRID
        return self._result(prepared, scores, methods, reason, scores.warnings)

    def _result(
        self,
        prepared: QueryReading,
        scored: MethodScores,
        methods: Sequence[ScoringMethod],
        reason: str | None,
        warnings: tuple[str, ...],
    ) -> RelevanceScores:
        ids = [one.text if one.id is None else one.id for one in prepared.documents]
        scores = document_scores(ids, scored.documents, prepared.table, scored.segments, methods)
        return RelevanceScores(scores, prepared.analysis, self.level, scored.segments, reason, warnings)

    def _fallback(self, reason: str, error: Exception) -> str:
        if self.strict:
            raise RelevanceScoringError(reason) from error
        return reason

    def _key(self, documents: tuple[Document, ...], query: str) -> bytes:
        """Return a digest of all that the scores depend on besides this scorer's own settings."""
        fields = [query]
        for document in documents:
            fields += [document.text, document.title or "", repr(document.id)]
        return digest_of(fields)


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
