"""Choose segments of documents for a query: candidates, and the best of one document by itself."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from tersely import checks
from tersely.checks import brief
from tersely.documents import to_level
from tersely.engine.finish import ALL_REASONS
from tersely.engine.reading import Reading, count, count_batch, segment
from tersely.engine.strategies import Extractive, Prepared
from tersely.engine.worth import document_probability, has_to_do
from tersely.kernels import budgeted_select
from tersely.kernels.checks import to_numbers
from tersely.models.counters import resolve_counter
from tersely.models.language_models import to_be_awaited
from tersely.retrieval.chunks import read_chunks
from tersely.retrieval.scoring import (
    RelevanceScore,
    RelevanceScorer,
    ScoringMethod,
    document_scores,
)
from tersely.types import (
    Compressed,
    Document,
    Float32s,
    Float64s,
    Int32s,
    Kind,
    Level,
    Request,
    Span,
    Spans,
    UInt8s,
)

Bools = npt.NDArray[np.bool_]

_TOLERANCE = 1e-6  # how near to the threshold counts as there: the scores are float32
_NEARLY_ONE = 1 - 1e-7  # float32 has no number between
_BESIDE, _ALONE = 0.005, 0.03  # of the threshold, over which documents have the benefit of the doubt
_NEIGHBOUR = 0.3  # of a hit's worth that what stands beside it is worth at least
_FARTHER = 0.7  # of that, for each segment more between them
_IS_WHOLE = np.zeros(len(Kind), dtype=bool)  # what stays whole: these blocks, and a list with all its items
_WHOLE_SHARE = 0.3  # of the budget: what takes more than that does not stay whole
_IS_WHOLE[[Kind.TABLE, Kind.FENCED_CODE, Kind.CODE, Kind.LIST_ITEM]] = True

REASONS = (*ALL_REASONS, "irrelevant", "duplicate")  # of spans
_SELECTED, _CONTEXT, _PRESERVED, _IRRELEVANT, _DUPLICATE = (
    REASONS.index(name) for name in ("selected", "context", "preserved", "irrelevant", "duplicate")
)


@dataclass(eq=False, slots=True)
class Selection:
    """Decides which segments of a reading may be kept, by relevance scores and a threshold.

    `revise` is what a `Prepared` calls with its reading; the attributes are set then.
    """

    documents: tuple[Document, ...]  #: as they are read
    #: of a scorer, one a document; None: what the reading itself says
    relevance: Sequence[RelevanceScore] | None = None
    threshold: float = 0.0  #: documents under it are left out, and segments that a scorer puts under it
    window: int = 0  #: how far from a kept segment those under the threshold may stay as its context
    wholes: bool = False  #: whether tables, lists and code stay whole
    #: whether no document reaches the threshold, and the most probable one stays nevertheless
    doubtful: bool = False
    reading: Reading = field(init=False)
    document_scores: Float64s = field(init=False)  #: float64[documents] in [0, 1]
    relevant: Bools = field(init=False)  #: bool[documents], over the threshold or with something pinned
    scores: Float32s = field(init=False)  #: float32[units] in [0, 1]
    irrelevant: Bools = field(init=False)  #: bool[units], which are not kept for themselves
    repeated: Bools = field(init=False)  #: bool[units], which another document has word for word
    context: Bools = field(init=False)  #: bool[units], irrelevant ones that may stay beside a kept one

    def revise(self, reading: Reading) -> Reading:
        """Mark excluded units, groups and the worth of neighbours in a reading."""
        table, documents = reading.table, len(self.documents)
        self.scores, worth = _segment_scores(reading, self.relevance)
        self.document_scores = np.ones(documents)  # data read for the query as a whole, or no query
        if self.relevance is not None:
            self.document_scores = np.array([one.overall_score for one in self.relevance], dtype=np.float64)
        elif reading.asked is not None:
            self.document_scores = document_probability(reading.asked)
        self.relevant = self._relevant(reading)
        for document, _, _ in reading.request.pinned:
            self.relevant[document] = True
        low = self.scores < (0.0 if self.relevance is None else self.threshold - _TOLERANCE)
        if low.any():  # a document that is relevant although none of its segments is counts as a whole
            low &= np.bincount(table.document, ~low, documents)[table.document] > 0
        here = self.relevant[table.document]
        self.irrelevant = low | ~here
        self.repeated = self._repeated(reading)
        self.context = np.zeros(len(table), dtype=bool)
        if self.window and low.any():
            hits = np.where(self.irrelevant | self.repeated, 0, worth)
            beside = _beside(reading, hits, self.window)
            self.context = low & here & (beside > 0)
            worth = np.where(self.context, np.maximum(worth, beside), worth)
        group = _group_wholes(reading) if self.wholes else reading.group
        reading = replace(reading, worth=worth, group=group)
        out = self.irrelevant | self.repeated
        self.reading = self._without(reading, out & ~self.context) if out.any() else reading
        return self.reading

    def _relevant(self, reading: Reading) -> Bools:
        """bool[documents]: whether a document reaches the threshold, or may still be relevant.

        A probability misses some of what a query needs, such as the second step of a question. So beside what
        reaches the threshold all counts that has to do with the query (engine/worth.py) and reaches a
        small share of it; where nothing reaches it, of these the most probable one alone. Scores that a
        caller or its scorer brings are taken at their word.
        """
        relevant: Bools = self.document_scores >= self.threshold - _TOLERANCE
        if self.relevance is not None or relevant.all() or reading.asked is None:
            return relevant
        some = bool(relevant.any())
        doubtful = self.document_scores >= (_BESIDE if some else _ALONE) * self.threshold
        doubtful &= has_to_do(reading.asked)
        if some:
            return relevant | doubtful
        self.doubtful = bool(doubtful.any())
        relevant[int(self.document_scores.argmax())] = True
        return relevant & doubtful

    def _repeated(self, reading: Reading) -> Bools:
        """bool[units]: relevant ones whose text another has, too: all but the one in the best document."""
        same, document = reading.same(), reading.table.document
        repeated = np.zeros(len(document), dtype=bool)
        if len(same):
            rows = np.flatnonzero(~self.irrelevant)
            rows = rows[np.lexsort((rows, -self.document_scores[document[rows]]))]  # the best first
            repeated[rows] = True
            repeated[rows[np.unique(same[rows], return_index=True)[1]]] = False
        return repeated

    def _without(self, reading: Reading, out: Bools) -> Reading:
        """Rule out units that may not be kept; those that others need or are grouped with stay possible."""
        possible = ~out | (reading.pinned > 0)
        grouped = (reading.group >= 0).nonzero()[0]
        if len(grouped):
            any_of = np.bincount(reading.group[grouped], possible[grouped], len(possible)) > 0
            possible[grouped] = any_of[reading.group[grouped]]
        while len(reading.needs):
            above = reading.needs[possible]
            above = above[above >= 0]
            if possible[above].all():
                break
            possible[above] = True
        return replace(
            reading,
            bulk=~possible if reading.bulk is None else reading.bulk | ~possible,
            complete=reading.complete and bool(possible.all()),
            essential=None if reading.essential is None else reading.essential & possible,
        )

    def rule_out(self, documents: Bools) -> Reading:
        """Rule out all units of documents without a share: they are not counted, and never kept."""
        reading = self.reading
        out = documents[reading.table.document] & (reading.pinned == 0)
        bulk = out if reading.bulk is None else reading.bulk | out
        self.reading = replace(reading, bulk=bulk, complete=False)
        return self.reading

    def relevance_scores(self, ids: Sequence[str | UUID]) -> tuple[RelevanceScore, ...]:
        """Return the scores of the documents, under these ids, and of their segments."""
        methods = (ScoringMethod.HYBRID,) * len(ids)
        return document_scores(ids, self.document_scores, self.reading.table, self.scores, methods)


def spans_by_document(
    result: Compressed, selection: Selection
) -> tuple[list[Sequence[Span]], list[Sequence[Span]]]:
    """Divide kept and dropped spans by document, with the reasons and scores of the selection.

    Those of documents of which nothing is left are not looked at. If one segment was cut to fit, reasons and
    scores stay those of the result.
    """
    kept, dropped, reading = result.kept, result.dropped, selection.reading
    if not isinstance(kept, Spans) or not isinstance(dropped, Spans):
        lists: list[list[list[Span]]] = [[[] for _ in result.parts] for _ in range(2)]
        for found, spans in zip(lists, (kept, dropped), strict=True):
            for one in spans:
                found[one.document].append(one)
        return list(lists[0]), list(lists[1])
    codes, scores = kept.codes.copy(), kept.scores
    codes[codes == _PRESERVED] = _SELECTED
    if kept.table is reading.table and len(selection.irrelevant) == len(codes):
        scores = selection.scores
        codes[(codes == _SELECTED) & selection.context] = _CONTEXT
        for code, out in ((_DUPLICATE, selection.repeated), (_IRRELEVANT, selection.irrelevant)):
            codes[(codes < _SELECTED) & out] = code
    return _split(kept, codes, scores, result.parts), _split(dropped, codes, scores, result.parts)


def _split(spans: Spans, codes: UInt8s, scores: Float32s, parts: Sequence[str]) -> list[Sequence[Span]]:
    """Divide spans by document; a document without anything in the result has none."""
    table, rows = spans.table, spans.rows
    ends = table.document[rows].searchsorted(np.arange(len(parts) + 1)).tolist()
    return [
        Spans(table, rows[first:last], REASONS, codes, scores) if part else ()
        for part, first, last in zip(parts, ends, ends[1:], strict=False)
    ]


def _segment_scores(
    reading: Reading, relevance: Sequence[RelevanceScore] | None
) -> tuple[Float32s, Float32s]:
    """Return the score in [0, 1] of each unit, and its worth per token."""
    table, worth = reading.table, reading.worth
    if relevance is None:
        if not reading.by_query or reading.ranked:  # nothing tells one from another
            return np.ones(len(table), dtype=np.float32), worth
        if reading.forms:
            middle = float(np.median(worth)) if len(worth) else 0.0
            return (worth / np.maximum(worth + np.float32(middle), 1e-9)).astype(np.float32), worth
        return (-np.expm1(-worth)).astype(np.float32), worth
    bounds = table.document.searchsorted(np.arange(len(relevance) + 1)).tolist()
    scores = np.zeros(len(table), dtype=np.float32)
    for scored, first, last in zip(relevance, bounds, bounds[1:], strict=False):
        places = zip(table.start[first:last].tolist(), table.end[first:last].tolist(), strict=True)
        scores[first:last] = best_overlaps(list(places), scored)
    values = scores.astype(np.float64)
    hybrid = np.array([score.method is ScoringMethod.HYBRID for score in relevance], dtype=bool)
    if hybrid.any():  # these are 1 - exp(-worth)
        rows = hybrid[table.document]
        values[rows] = -np.log1p(-np.minimum(values[rows], _NEARLY_ONE))
    return scores, values.astype(np.float32)


def best_overlaps(places: Sequence[tuple[int, int]], scored: Any) -> list[float]:
    """Return the best score of the segments over each span, or the document's score."""
    theirs = sorted((int(one.start), int(one.end), float(one.score)) for one in scored.segment_scores)
    starts, ends = [start for start, _, _ in theirs], list(accumulate((end for _, end, _ in theirs), max))
    found = []
    for start, end in places:
        near = theirs[bisect_right(ends, start) : bisect_left(starts, end)]
        found.append(max((score for _, last, score in near if last > start), default=scored.overall_score))
    return found


def _beside(reading: Reading, hits: Float32s, window: int) -> Float32s:
    """float32[n]: what units are worth beside hits of this worth, in the same text; 0: there is none near."""
    document, best = reading.table.document, np.zeros(len(hits), dtype=np.float32)
    offered = hits * np.float32(_NEIGHBOUR)
    for region in reading.regions:
        if region.form is not None:  # rows of data say nothing of their neighbours
            offered[region.first : region.last] = 0
    for distance in range(1, min(window, len(hits) - 1) + 1):
        same = document[distance:] == document[:-distance]
        np.maximum(best[distance:], offered[:-distance] * same, out=best[distance:])
        np.maximum(best[:-distance], offered[distance:] * same, out=best[:-distance])
        offered = offered * np.float32(_FARTHER)
    return best


def _group_wholes(reading: Reading) -> Int32s:
    """int32[n]: the groups of a reading, with each table, list and piece of code of a text as one more."""
    table, group = reading.table, reading.group
    kind = table.kind
    whole = _IS_WHOLE[kind] & (group < 0)
    if not whole.any():
        return group
    for region in reading.regions:
        if region.form is not None:
            whole[region.first : region.last] = False
    apart = np.ones(len(table), dtype=bool)
    apart[1:] = (kind[1:] != kind[:-1]) | (table.document[1:] != table.document[:-1])
    apart[1:] |= (table.block[1:] != table.block[:-1]) & (kind[1:] != Kind.LIST_ITEM)
    begins = np.maximum.accumulate(np.where(apart, np.arange(len(table)), 0))
    lengths = np.bincount(begins, (table.end - table.start) * whole, len(table))
    characters = sum(map(len, reading.texts))
    whole &= lengths[begins] * reading.original <= _WHOLE_SHARE * (reading.request.budget or 0) * characters
    return np.where(whole, begins, group).astype(np.int32)


_ANYTHING = 2e-6  # a threshold that only what is worth nothing is under
_EXACT = 12  # segments of which every choice is tried


@brief
@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a text: `text == source[start:end]`."""

    index: int  #: its place among the segments of the text
    #: characters, half-open
    start: int
    end: int
    text: str  #: verbatim
    kind: Kind  #: prose, heading, table, ...
    gap: str = ""  #: the white space between it and the segment before
    tail: str = ""  #: of the last segment, the white space behind it

    def part(self, start: int, end: int) -> Segment:
        """Return the piece of the segment from one place to another."""
        if (start, end) == (self.start, self.end):
            return self
        text = self.text[start - self.start : end - self.start]
        return Segment(self.index, start, end, text, self.kind, self.gap if start == self.start else "")


class Segmenter:
    """Cuts texts into segments; only white space is between them, so no word is lost."""

    def __init__(self, segment_size: Level | str = Level.SENTENCE, *, window: int = 200) -> None:
        """Choose the size.

        Args:
            segment_size: CHARACTER (fixed windows), WORD, SENTENCE, PARAGRAPH or SECTION (from heading to
                heading), or its name.
            window: characters of a CHARACTER segment, >= 1.
        """
        self.segment_size = to_level(segment_size)
        self.window = checks.whole_number(window, "window", least=1)

    def split(self, text: Any) -> list[Segment]:
        """Cut a text into segments, in order and without overlap; a blank text has none. O(characters).

        `"".join(one.gap + one.text + one.tail for one in segments)` is the text.
        """
        text = checks.text(text, "text")
        found, before = [], 0
        for index, (_, start, end, kind) in enumerate(segment([text], self.segment_size, self.window)):
            found.append(Segment(index, start, end, text[start:end], kind, text[before:start]))
            before = end
        return [*found[:-1], replace(found[-1], tail=text[before:])] if found else []


@brief
@dataclass(frozen=True, slots=True)
class ExtractedContent:
    """Segments that were selected from one document, verbatim.

    Attributes:
        segments: in source order, without overlap.
        text: the segments; neighbours with the gap of the source, a separator elsewhere.
        token_count: of `text`.
        scores: of each segment, in [0, 1].
    """

    segments: tuple[Segment, ...]
    text: str
    token_count: int
    scores: tuple[float, ...] = ()


class ExtractiveCompressor:
    """Cuts a document into segments, scores them, and keeps the best that fit, verbatim and in order.

    `ContextualCompressor` does this for many documents at once, and takes into account what they have in
    common. `tersely.strategies` has compressors that take a text and options, one of them with the same name.
    """

    def __init__(
        self,
        segment_size: Level | str = Level.SENTENCE,
        overlap_segments: int = 1,
        *,
        scorer: Any = None,
        counter: Any = None,
        separator: str = "\n\n",
        window: int = 200,
    ) -> None:
        """Choose the size of segments.

        Args:
            segment_size, window: see `Segmenter`.
            overlap_segments: neighbours that each selected segment brings on each side, as far as the budget
                allows.
            scorer: an object with `score(documents, query)` and `score_sync`; None: a RelevanceScorer.
            counter: the tokenizer that budgets are meant in (`tersely.compress`).
            separator: stands between segments that do not touch.
        """
        checks.whole_number(overlap_segments, "overlap_segments")
        self.segmenter = Segmenter(segment_size, window=window)
        self.overlap = overlap_segments
        self.scorer = scorer or RelevanceScorer(level=self.segmenter.segment_size)
        self.counter = resolve_counter(counter)
        self.separator = checks.text(separator, "separator")

    @to_be_awaited
    async def score_segments(self, segments: Sequence[Segment], query: str) -> list[float]:
        """Return the relevance of each segment, in [0, 1], as if the segments were one document."""
        text = Document("".join(segment.gap + segment.text for segment in segments))
        shift = segments[0].start - len(segments[0].gap) if segments else 0
        (scored,) = await self.scorer.score([text], query)
        return best_overlaps([(segment.start - shift, segment.end - shift) for segment in segments], scored)

    def select_optimal(
        self, segments: Sequence[Segment], scores: Sequence[float], token_budget: int
    ) -> list[Segment]:
        """Choose the segments with the largest sum of scores in at most `token_budget` tokens.

        The choice is the best one if at most 12 segments have a score above 0 and fit (ties: the earlier
        rows); for more segments, its sum is at least half of the best (`kernels.budgeted_select`). Segments
        with a score of 0 or less are left out.
        """
        if len(scores) != len(segments):
            raise ValueError(f"there must be one score a segment: {len(scores)} for {len(segments)}")
        values = to_numbers(scores, "scores")
        costs = count_batch(self.counter, [segment.text for segment in segments])
        rows = np.flatnonzero((values > 0) & (costs <= token_budget))
        values, costs = values[rows], costs[rows]
        chosen: npt.NDArray[Any] = np.arange(len(rows))
        if len(rows) > _EXACT and int(costs.sum()) > token_budget:
            chosen = np.sort(budgeted_select(values, costs, token_budget).indices)
        elif int(costs.sum()) > token_budget:
            subsets = np.arange(1 << len(rows))[:, None] >> np.arange(len(rows)) & 1
            worth = np.where(subsets @ costs <= token_budget, subsets @ values, -1.0)
            chosen = np.flatnonzero(subsets[int(worth.argmax())])
        return [segments[row] for row in rows[chosen].tolist()]

    @to_be_awaited
    async def compress(self, document: Any, query: str, token_budget: int) -> ExtractedContent:
        """Return the best segments of a document within a token budget.

        Segments are chosen by their score per token. If none fits whole, the best is cut and marked with "…".
        Raises BudgetExceededError if not even a letter fits.
        """
        given, segments = self._split(document)
        scored = await self.scorer.score([given], query) if segments else []
        return await asyncio.to_thread(self._extract, given, segments, scored, query, token_budget)

    def compress_sync(self, document: Any, query: str, token_budget: int) -> ExtractedContent:
        """Compress as `compress` does, without an event loop."""
        given, segments = self._split(document)
        scored = self.scorer.score_sync([given], query) if segments else []
        return self._extract(given, segments, scored, query, token_budget)

    def _split(self, document: Any) -> tuple[Document, list[Segment]]:
        _, (read,) = read_chunks([document])
        return read, self.segmenter.split(read.text)

    def _extract(
        self, document: Document, segments: list[Segment], scored: Any, query: str, budget: int
    ) -> ExtractedContent:
        if not segments:
            return ExtractedContent((), "", 0)
        selection = Selection((document,), scored, threshold=_ANYTHING, window=self.overlap)
        request = Request((document,), query, None, 1.0, self.counter, separator=self.separator)
        options = Extractive(level=self.segmenter.segment_size, window=self.segmenter.window)
        result = Prepared(request, options, revise=selection.revise).fit(budget)
        starts = [segment.start for segment in segments]
        kept = [
            segments[bisect_right(starts, span.start) - 1].part(span.start, span.end) for span in result.kept
        ]
        scores = tuple(selection.scores[[one.index for one in kept]].tolist())
        return ExtractedContent(tuple(kept), result.text, count(self.counter, result.text), scores)
