"""Choose segments of documents for a query: candidates, and the best of one document by itself."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
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
from tersely.models.flows import to_be_awaited
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
    Int64s,
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
_BESIDE, _ALONE = 0.02, 0.03  # of the threshold, over which documents have the benefit of the doubt
_NEIGHBOUR = 0.3  # of a hit's worth that what stands beside it is worth at least
_FARTHER = 0.7  # of that, for each segment more between them
_LEAST_TERMS = 4  # of a segment that may count as a duplicate
_IS_WHOLE = np.zeros(len(Kind), dtype=bool)  # what stays whole: these blocks, and a list with all its items
_WHOLE_SHARE = 0.3  # of the budget: what takes more than that does not stay whole
_IS_WHOLE[[Kind.TABLE, Kind.FENCED_CODE, Kind.CODE, Kind.LIST_ITEM]] = True

# Reasons of spans: those of the engine, and why a segment may not be kept.
REASONS = (*ALL_REASONS, "irrelevant", "duplicate", "rewritten")
_SELECTED, _CONTEXT, _PRESERVED, _IRRELEVANT, _DUPLICATE = (
    REASONS.index(name) for name in ("selected", "context", "preserved", "irrelevant", "duplicate")
)


@dataclass(eq=False, slots=True)
class Selection:
    """Decides which segments of a reading may be kept, by relevance scores and a threshold.

    `revise` is what a `Prepared` calls with its reading; the attributes are set then.

    Attributes:
        documents: as they are read.
        relevance: of a scorer, one a document; None: what the reading itself says.
        certain: whether the documents are known to be relevant.
        threshold: documents and segments under it are left out.
        window: neighbours of a kept segment that gain from it, on each side.
        wholes: whether tables, lists and code stay whole.
        document_scores: float64[documents] in [0, 1].
        relevant: bool[documents], over the threshold or with something pinned.
        scores: float32[units] in [0, 1].
        reason_codes: uint8[units], an index into REASONS where a unit may not be kept for itself, else 0.
        doubtful: whether no document reaches the threshold, and the most probable one stays nevertheless.
        is_context: bool[units], worth something only, or mostly, as the context of what stands beside them.
    """

    documents: tuple[Document, ...]
    relevance: Sequence[RelevanceScore] | None = None
    certain: bool = False
    threshold: float = 0.0
    window: int = 0
    wholes: bool = False
    reading: Reading | None = None
    document_scores: Float64s = field(init=False)
    relevant: Bools = field(init=False)
    scores: Float32s = field(init=False)
    reason_codes: UInt8s = field(init=False)
    doubtful: bool = False
    is_context: Bools | None = None

    def revise(self, reading: Reading) -> Reading:
        """Mark excluded units, groups and the worth of neighbours in a reading."""
        self.reading, table = reading, reading.table
        size, documents = len(table), len(self.documents)
        self.scores, worth = _segment_scores(reading, self.relevance)
        self.document_scores = self._document_scores(reading)
        self.relevant = self._relevant()
        for document, _, _ in reading.request.pinned:
            self.relevant[document] = True
        self.reason_codes = np.zeros(size, dtype=np.uint8)
        low = self.scores < self.threshold - _TOLERANCE
        if low.any():  # a document that is relevant although none of its segments is counts as a whole
            low &= np.bincount(table.document, ~low, documents)[table.document] > 0
            self.reason_codes[low] = _IRRELEVANT
        self.reason_codes[
            _duplicate_rows(
                reading, self.document_scores, (self.reason_codes == 0) & self.relevant[table.document]
            )
        ] = _DUPLICATE
        self.reason_codes[~self.relevant[table.document]] = _IRRELEVANT
        self.is_context = None
        if self.window and size:
            worth, self.is_context = _add_neighbours(reading, worth, self.reason_codes == 0, self.window)
        group = _group_wholes(reading) if self.wholes else reading.group
        reading = replace(reading, worth=worth, group=group)
        self.reading = self._rule_out_units(reading) if self.reason_codes.any() else reading
        return self.reading

    def _relevant(self) -> Bools:
        """bool[documents]: whether a document reaches the threshold, or may still be relevant.

        A probability misses some of what a query needs, such as the second step of a question. So beside what
        reaches the threshold all counts that has to do with the query (engine/worth.py) and reaches a
        small share of it; where nothing reaches it, of these the most probable one alone. Scores that a
        caller or its scorer brings are taken at their word.
        """
        relevant: Bools = self.document_scores >= self.threshold - _TOLERANCE
        if self.relevance is not None or relevant.all():
            return relevant
        assert self.reading is not None
        asked = self.reading.asked
        if asked is None:
            return relevant
        some = bool(relevant.any())
        doubtful = self.document_scores >= (_BESIDE if some else _ALONE) * self.threshold
        doubtful &= has_to_do(asked)
        if some:
            return relevant | doubtful
        self.doubtful = bool(doubtful.any())
        relevant[int(self.document_scores.argmax())] = True
        return relevant & doubtful

    def _document_scores(self, reading: Reading) -> Float64s:
        if self.relevance is not None and not self.certain:
            return np.array([score.overall_score for score in self.relevance], dtype=np.float64)
        if self.certain or reading.asked is None:  # or data read for the query as a whole, or no query
            return np.ones(len(self.documents))
        return document_probability(reading.asked)

    def _rule_out_units(self, reading: Reading) -> Reading:
        """Rule out units that may not be kept; those that others need or are grouped with stay possible."""
        possible = self.reason_codes == 0
        if self.is_context is not None:
            possible |= (
                self.is_context & (self.reason_codes == _IRRELEVANT) & self.relevant[reading.table.document]
            )
        possible |= reading.pinned > 0
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
        assert self.reading is not None
        reading = self.reading
        out = documents[reading.table.document] & (reading.pinned == 0)
        bulk = out if reading.bulk is None else reading.bulk | out
        self.reading = replace(reading, bulk=bulk, complete=False)
        return self.reading

    def usable_tokens(self, sizes: Int64s) -> Int64s:
        """Return int64[documents]: about how many tokens each document could keep, by characters."""
        assert self.reading is not None
        reading, documents = self.reading, len(self.documents)
        table = reading.table
        lengths = table.end - table.start + 1
        usable = lengths if reading.bulk is None else np.where(reading.bulk, 0, lengths)
        every = np.bincount(table.document, lengths, documents)
        share = np.bincount(table.document, usable, documents) / np.maximum(every, 1)
        return np.ceil(share * sizes).astype(np.int64)

    def relevance_scores(
        self, ids: Sequence[str | UUID], method: ScoringMethod = ScoringMethod.HYBRID
    ) -> tuple[RelevanceScore, ...]:
        """Return the scores of the documents, under these ids, and of their segments."""
        assert self.reading is not None
        methods = (method,) * len(ids)
        return document_scores(ids, self.document_scores, self.reading.table, self.scores, methods)


def spans_by_document(
    result: Compressed, selection: Selection
) -> tuple[list[Sequence[Span]], list[Sequence[Span]]]:
    """Divide kept and dropped spans by document, with the reasons and scores of the selection.

    Those of documents of which nothing is left are not looked at.
    """
    kept, dropped, reading = result.kept, result.dropped, selection.reading
    assert reading is not None
    if not isinstance(kept, Spans) or not isinstance(dropped, Spans):  # one segment was cut
        rows = np.flatnonzero(selection.reason_codes)
        places = zip(reading.table.document[rows].tolist(), reading.table.start[rows].tolist(), strict=True)
        codes = selection.reason_codes[rows].tolist()
        reasons = {place: REASONS[code] for place, code in zip(places, codes, strict=True)}
        divided: list[list[Sequence[Span]]] = []
        for spans in (kept, dropped):
            found: list[list[Span]] = [[] for _ in result.documents]
            for one in spans:
                reason = one.reason if spans is kept else reasons.get((one.document, one.start), one.reason)
                found[one.document].append(replace(one, reason=reason))
            divided.append(list(found))
        return divided[0], divided[1]
    codes, scores = kept.codes.copy(), kept.scores
    codes[codes == _PRESERVED] = _SELECTED
    if kept.table is reading.table and len(selection.reason_codes) == len(codes):
        scores = selection.scores
        if selection.is_context is not None:
            codes[(codes == _SELECTED) & selection.is_context] = _CONTEXT
        out = (codes < _SELECTED) & (selection.reason_codes > 0)
        codes[out] = selection.reason_codes[out]
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
    """Return the best score of the segments over each span, or the document's score. O(n log n)."""
    theirs = sorted((int(one.start), int(one.end), float(one.score)) for one in scored.segment_scores)
    near: list[tuple[float, int]] = []  # (-score, end) of those that began before the end of a place
    found, at = [], 0
    for start, end in places:
        while at < len(theirs) and theirs[at][0] < end:
            heappush(near, (-theirs[at][2], theirs[at][1]))
            at += 1
        while near and near[0][1] <= start:
            heappop(near)
        found.append(-near[0][0] if near else float(scored.overall_score))
    return found


def _duplicate_rows(reading: Reading, document_scores: Float64s, possible: Bools) -> Int64s:
    """Find rows with the words of another row: all but the one in the best document (ties: the first)."""
    table = reading.table
    size = len(table)
    offsets = reading.term_offsets[: size + 1]
    if len(offsets) <= size:
        return np.empty(0, dtype=np.int64)
    lengths = offsets[1:] - offsets[:-1]
    rows = (possible & (lengths >= _LEAST_TERMS)).nonzero()[0]
    if len(rows) < 2:
        return rows[:0]
    sums = np.concatenate(([0], np.cumsum(reading.term_ids[: offsets[-1]].astype(np.int64) ** 2)))
    keys = sums[offsets[rows + 1]] - sums[offsets[rows]]  # the same for the same terms
    order = keys.argsort()
    same = keys[order[1:]] == keys[order[:-1]]
    if not same.any():
        return rows[:0]
    rows = rows[np.unique(np.concatenate((order[1:][same], order[:-1][same])))]
    order = rows[np.lexsort((rows, -document_scores[table.document[rows]]))]
    first: dict[str, int] = {}
    repeated = []
    for row in order.tolist():
        text = reading.texts[int(table.document[row])][int(table.start[row]) : int(table.end[row])]
        if first.setdefault(" ".join(text.casefold().split()), row) != row:
            repeated.append(row)
    return np.array(repeated, dtype=np.int64)


def _add_neighbours(reading: Reading, worth: Float32s, hits: Bools, window: int) -> tuple[Float32s, Bools]:
    """Raise the worth of units near hits; return it, and a mask of the raised units."""
    document = reading.table.document
    offered = np.where(hits, worth, 0).astype(np.float32) * np.float32(_NEIGHBOUR)
    for region in reading.regions:
        if region.form is not None:  # rows of data say nothing of their neighbours
            offered[region.first : region.last] = 0
    best = worth.copy()
    for distance in range(1, min(window, len(worth) - 1) + 1):
        apart = document[distance:] != document[:-distance]
        before, after = offered[:-distance].copy(), offered[distance:].copy()
        before[apart] = after[apart] = 0
        np.maximum(best[distance:], before, out=best[distance:])
        np.maximum(best[:-distance], after, out=best[:-distance])
        offered = offered * np.float32(_FARTHER)
    return best, best > worth


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
    """A piece of a text: `text == source[start:end]`.

    Attributes:
        index: its place among the segments of the text.
        start, end: characters, half-open.
        text: verbatim.
        kind: prose, heading, table, ...
        gap: the white space between it and the segment before.
        tail: of the last segment, the white space behind it.
    """

    index: int
    start: int
    end: int
    text: str
    kind: Kind
    gap: str = ""
    tail: str = ""

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
