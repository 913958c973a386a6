"""Score how relevant documents and their segments are to a query, and explain the score.

`by_language_model` is a generator: prompts come out, replies go in. Who asks, in threads or in an event loop,
is the caller's affair.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Flag
from functools import partial
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
from tersely.models.language_models import (
    Flow,
    one_model,
    resolve_language_model,
    run_flow,
    run_flow_async,
    to_be_awaited,
)
from tersely.text import clipped
from tersely.types import Document, Float32s, Float64s, Int64s, LateSequence, Level, SegmentTable
from tersely.writing.prompt import fence


class ScoringMethod(Flag):
    """How relevance is scored; HYBRID, the default, combines two of the other methods."""

    EMBEDDING = 1  # cosine of query and segment
    LLM = 2  # a language model rates from 1 to 10
    CROSS_ENCODER = 4  # a model that reads query and segment together
    KEYWORD = 8  # share of the query's terms
    HYBRID = EMBEDDING | KEYWORD


@brief
@dataclass(frozen=True, slots=True)
class SegmentScore:
    """The relevance of a segment.

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
        """Index of the first character."""
        return self.span[0]

    @property
    def end(self) -> int:
        """Index after the last character."""
        return self.span[1]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class SegmentScores(LateSequence[SegmentScore]):
    """The scores of a document's segments, as a sequence; a `SegmentScore` is made when it is read."""

    segments: SegmentTable  #: of all documents
    scores: Float32s  #: float32, one a row of `segments`
    #: the document's rows, `last` exclusive
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
    """The relevance of a document.

    Attributes:
        document_id: the document's id if that is a UUID, otherwise the UUID5 of its id, or of its text if it
            has no id.
        overall_score: in [0, 1].
        segment_scores: of every segment of the document, in its order.
        method: the method that made these scores; if the chosen one failed, another one.
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
    """Return the score of each document: `overall`, and those of its rows among the segments of all."""
    ends = segments.document.searchsorted(np.arange(len(ids) + 1)).tolist()
    places = map(partial(SegmentScores, segments, scores), ends[:-1], ends[1:])
    return tuple(map(RelevanceScore, map(to_uuid, ids), overall.tolist(), places, methods))


@dataclass(frozen=True, eq=False, slots=True)
class RelevanceScores(checks.Valued, Sequence[RelevanceScore]):
    """The scores of a call: a sequence of one `RelevanceScore` a document, in the documents' order."""

    scores: tuple[RelevanceScore, ...]  #: the sequence itself
    segments: SegmentTable  #: all segments of all documents
    segment_scores: Float32s  #: float32[n] in [0, 1], one a row of `segments`
    #: why another method had to step in, for some documents or all; None: none had to
    fallback_reason: str | None = None
    #: reason codes: "embedder_failed", "cross_encoder_failed", "llm_failed" (no reply), "llm_reply_unusable"
    #: (a reply without a rating), "llm_passage_shortened" (the prompt has only the best segments of a long
    #: document), "texts_truncated" (longer than the model reads), "empty_query" (all scores are 0)
    warnings: tuple[str, ...] = ()
    cached: bool = False  #: whether an earlier call made these scores

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
    if 32 <= len(identity) <= 45:  # hexadecimal digits, or urn:uuid:12345678-...
        with suppress(ValueError):  # some other name
            return uuid.UUID(identity)
    return uuid.uuid5(uuid.NAMESPACE_OID, identity)


@dataclass(frozen=True, eq=False, slots=True)
class MethodScores(checks.Valued):
    """Scores that one method gives all segments and all documents."""

    segments: Float32s  #: float32[segments] in [0, 1]
    documents: Float32s  #: float32[documents] in [0, 1]
    warnings: tuple[str, ...] = ()  #: see RelevanceScores
    failure: Exception | None = None  #: what the embedder raised, without which they are given


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
class Explanation(checks.Valued):
    """Scores and their parts."""

    documents: tuple[Document, ...]  #: as given
    table: SegmentTable  #: the segments
    scores: Float32s  #: float32[n] >= 0, what `tersely.Extractive` ranks by
    #: the features, engine/worth.py; what each is stands in csrc/kernels/relevance/features.hpp. "trees":
    #: what they say together (csrc/kernels/relevance/columns.hpp).
    names: tuple[str, ...]
    #: float32[len(names), n], weight times feature, and what the trees add; a score grows with their sum, and
    #: compares it with the median over the segments
    contributions: Float32s
    #: float64[documents], the probability that each is on the topic of the query (on topic, not that it
    #: answers), whatever the others are
    relevance: Float64s
    probability: Float64s  #: float64[n], the same of each segment
    #: "embedder_failed", "reranker_failed", "pruner_failed", "query_without_matches"
    warnings: tuple[str, ...]

    def of(self, row: int) -> dict[str, float]:
        """Return the contribution of each feature to segment `row`, the largest first, without zeros."""
        parts = zip(self.names, self.contributions[:, row].tolist(), strict=True)
        return dict(sorted(((n, p) for n, p in parts if p), key=lambda part: (-abs(part[1]), part[0])))

    def best(self, count: int = 5) -> list[int]:
        """Return rows of the `count` highest scores, ties to the lowest row."""
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
    """Return the features of each segment's score for a query.

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
    bounds = prepared.table.document.searchsorted(np.arange(len(prepared.documents) + 1)).tolist()
    rows = list(map(slice, bounds[:-1], bounds[1:]))
    passages = [_passage(prepared, index, rows[index], fast.segments) for index in range(len(rows))]
    warnings = ["llm_passage_shortened"] * any(len(one.text) > _PASSAGE for one in prepared.documents)
    ratings: dict[int, float] = {}
    error: Exception | None = None
    batches = [
        list(range(len(rows)))[start : start + batch_size] for start in range(0, len(rows), batch_size)
    ]
    for last in (False, True):
        prompts = [
            rating_prompt(
                prepared.query,
                [passages[one] for one in batch],
                [prepared.documents[one].title for one in batch],
            )
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
                if rating is not None:
                    ratings[index] = rating
                elif last or len(batch) == 1:
                    error = error or ModelReplyError(f"no rating from 1 to 10 in {reply[:80]!r}")
                    warnings.append("llm_reply_unusable")
                else:
                    missing.append([index])
        batches = missing
    documents, segments = fast.documents.copy(), fast.segments.copy()
    for index, rating in ratings.items():
        documents[index] = (rating - 1) / 9
        best = fast.segments[rows[index]].max(initial=0)
        segments[rows[index]] = documents[index] * (fast.segments[rows[index]] / best if best > 0 else 1)
    unrated = [index for index in range(len(rows)) if index not in ratings]
    return MethodScores(segments, documents, tuple(dict.fromkeys(warnings))), unrated, error


def _passage(prepared: QueryReading, index: int, rows: slice, scores: Float32s) -> str:
    """Return a document's text for a prompt: all of it, or its best segments in their order."""
    text = prepared.documents[index].text
    if len(text) <= _PASSAGE:
        return text
    table, room, chosen = prepared.table, _PASSAGE, []
    for row in (rows.start + np.argsort(-scores[rows], kind="stable")).tolist():
        start, end = int(table.start[row]), int(table.end[row])
        if end - start <= room:
            room -= end - start + 1
            chosen.append((start, end))
    return "\n".join(text[start:end] for start, end in sorted(chosen))


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


_SCORE_BYTES = 400  # of a segment in the cache, its terms included
_LIMIT = 5  # prompts under way at a time

# The model of a method, and the method that steps in where it fails.
_MODELS = {
    ScoringMethod.EMBEDDING: ("embedder", ScoringMethod.KEYWORD),
    ScoringMethod.CROSS_ENCODER: ("cross-encoder", ScoringMethod.HYBRID),
}


class RelevanceScorer:
    """Scores documents and their segments for a query.

    If a method fails, a simpler one replaces it, and the result says so: KEYWORD replaces an embedder (HYBRID
    then uses its other features), and HYBRID replaces a cross-encoder, or a language model for the documents
    that it gave no rating.
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
        for needs, name, given in (
            (ScoringMethod.LLM, "llm", llm),
            (ScoringMethod.CROSS_ENCODER, "cross_encoder", cross_encoder),
        ):
            if self.method is needs and given is None:
                raise ValueError(f"the method {needs.name} needs {name}=")
        self.level = to_level(level)
        self.batch_size = checks.whole_number(batch_size, "batch_size", least=1)
        self.strict = checks.flag(strict, "strict")
        self._embedder = resolve_embedder(embedder)
        self._llm = None if llm is None else resolve_language_model(llm)
        self._cross_encoder = None if cross_encoder is None else resolve_cross_encoder(cross_encoder)
        self._cache: BoundedCache[RelevanceScores] = BoundedCache(checks.whole_number(cache, "cache"))

    def score_sync(self, documents: Any, query: str) -> RelevanceScores:
        """Score documents, in any form that `tersely.compress` takes, for a query.

        A language model is asked on up to 5 threads. Raises RelevanceScoringError if `strict` forbids a
        fallback.
        """
        return run_flow(self._steps(to_documents(documents), checks.text(query, "query")), self._llm, _LIMIT)

    @to_be_awaited
    async def score(self, documents: Any, query: str) -> RelevanceScores:
        """Score as `score_sync` does, from an event loop, which an async language model then uses."""
        steps = self._steps(to_documents(documents), checks.text(query, "query"))
        return await run_flow_async(steps, self._llm, _LIMIT)

    def _steps(self, documents: tuple[Document, ...], query: str) -> Flow[RelevanceScores]:
        """Run a call as a generator: yields the prompts that need replies, returns the scores."""
        key = digest_of([query, *(part for d in documents for part in (d.text, d.title or "", repr(d.id)))])
        known = self._cache.get(key)
        if known is not None:
            return replace(known, cached=True)
        prepared = read_for_query(documents, query.strip(), self.level)
        table, methods = prepared.table, [self.method] * len(documents)
        reason, error = "", None
        if not prepared.query:
            nothing = np.zeros(len(table), np.float32), np.zeros(len(documents), np.float32)
            scored = MethodScores(*nothing, ("empty_query",))
        elif self.method is ScoringMethod.LLM:
            scored, unrated, error = yield from by_language_model(prepared, self.batch_size, self._embedder)
            reason = f"{len(unrated)} of {len(documents)} documents have no rating"
            for index in unrated:
                methods[index] = ScoringMethod.HYBRID
        else:
            try:
                scored = self._score(prepared, self.method)
            except Exception as failed:
                if self.method not in _MODELS:
                    raise
                name, simpler = _MODELS[self.method]
                reason, error, methods = f"the {name} failed", failed, [simpler] * len(documents)
                scored = self._score(prepared, simpler)
                warnings = (f"{name.replace('-', '_')}_failed", *scored.warnings)
                scored = replace(scored, warnings=warnings)
            if error is None and scored.failure is not None:
                reason, error = "the embedder failed", scored.failure
        if error is not None:
            reason = f"{reason}: {type(error).__name__}: {error}"
            if self.strict:
                raise RelevanceScoringError(reason) from error
        ids = [one.text if one.id is None else one.id for one in documents]
        scores = document_scores(ids, scored.documents, table, scored.segments, methods)
        why = None if error is None else reason
        result = RelevanceScores(scores, table, scored.segments, why, scored.warnings)
        if error is None and prepared.query:  # a failure may be over by the next call
            self._cache.put(key, result, _SCORE_BYTES * (len(table) + len(documents)))
        return result

    def _score(self, prepared: QueryReading, method: ScoringMethod) -> MethodScores:
        if method is ScoringMethod.EMBEDDING:
            return by_model(prepared, self._embedder)
        if method is ScoringMethod.CROSS_ENCODER and self._cross_encoder is not None:
            return by_model(prepared, self._cross_encoder)
        if method is ScoringMethod.KEYWORD:
            return by_keyword(prepared)
        return by_hybrid(prepared, self._embedder)
