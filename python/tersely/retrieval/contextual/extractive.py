"""Split one document, score its segments, and keep the best that fit; each step is there by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tersely import checks
from tersely.documents import to_level
from tersely.engine.count import count, count_batch
from tersely.engine.cutting import segment
from tersely.engine.prepare import Prepared
from tersely.engine.strategies import Extractive
from tersely.kernels import budgeted_select
from tersely.models.counters import resolve_counter
from tersely.models.flows import to_be_awaited
from tersely.retrieval.chunks import read_chunks
from tersely.retrieval.contextual.selection import Selection, best_overlaps
from tersely.retrieval.scoring import RelevanceScorer
from tersely.types import Document, Float64s, Int64s, Kind, Level, Request

__all__ = ["ExtractedContent", "ExtractiveCompressor", "Segment", "Segmenter"]

_ANYTHING = 2e-6  # a threshold that only what is worth nothing is under
_CELLS = 8_000_000  # segments times tokens, up to which the best choice is found exactly


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


class Segmenter:
    """Cuts texts; what lies between segments is white space only, so no word is lost."""

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


@dataclass(frozen=True, slots=True)
class ExtractedContent:
    """Segments of one document, verbatim.

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
    """Splits a document, scores its segments, and keeps the best that fit, verbatim and in their order.

    `ContextualCompressor` does this for many documents at once, with an eye on what they have in common.
    Compressors of a text by options are in `tersely.strategies`, one of this name among them.
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
        """The relevance of each segment, in [0, 1], as one document."""
        text = Document("".join(segment.gap + segment.text for segment in segments))
        return _align_scores(segments, (await self.scorer.score([text], query))[0])

    def select_optimal(
        self, segments: Sequence[Segment], scores: Sequence[float], token_budget: int
    ) -> list[Segment]:
        """The segments whose scores add up to most while their tokens are at most `token_budget`.

        Exact (dynamic programming over tokens) up to 8 million segments times tokens; above that at least
        half of the best (`kernels.budgeted_select`). Those with a score of 0 or less are left out.
        O(segments * budget).
        """
        if len(scores) != len(segments):
            raise ValueError(f"there must be one score a segment: {len(scores)} for {len(segments)}")
        values = checks.numbers(scores, "scores")
        if not np.isfinite(values).all():
            raise ValueError("scores must be finite")
        costs = count_batch(self.counter, [segment.text for segment in segments])
        return [segments[row] for row in _select_best(values, costs, token_budget).tolist()]

    @to_be_awaited
    async def compress(self, document: Any, query: str, token_budget: int) -> ExtractedContent:
        """The best of a document (a DocumentChunk, or what `tersely.compress` takes) in so many tokens.

        Segments are chosen for what they are worth per token. Where none fits whole, the best is cut and
        marked with "…". Raises BudgetExceededError where not even a letter fits.
        """
        given, segments = self._split(document)
        scored = await self.scorer.score([given], query) if segments else []
        return await asyncio.to_thread(self._extract, given, segments, scored, query, token_budget)

    def compress_sync(self, document: Any, query: str, token_budget: int) -> ExtractedContent:
        """As `compress`."""
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
        by_start = {segment.start: segment for segment in segments}
        kept = [_cut_segment(by_start[span.start], span.end) for span in result.kept]
        scores = tuple(selection.scores[[one.index for one in kept]].tolist())
        return ExtractedContent(tuple(kept), result.text, count(self.counter, result.text), scores)


def _cut_segment(whole: Segment, end: int) -> Segment:
    """Cut a segment at a character."""
    if end == whole.end:
        return whole
    return Segment(whole.index, whole.start, end, whole.text[: end - whole.start], whole.kind, whole.gap)


def _select_best(values: Float64s, costs: Int64s, budget: int) -> Int64s:
    """Rows, ascending, of the largest total value that fit; ties go to those without the later rows."""
    rows = np.flatnonzero((values > 0) & (costs <= budget))
    if int(costs[rows].sum()) <= budget:
        return rows
    if len(rows) * (budget + 1) > _CELLS:
        return rows[np.sort(budgeted_select(values[rows], costs[rows], budget).indices)]
    worth = np.zeros(budget + 1)  # of the best choice so far, by the tokens it may have
    took = np.zeros((len(rows), budget + 1), dtype=bool)
    for place, row in enumerate(rows.tolist()):
        cost = int(costs[row])
        better = worth[: budget + 1 - cost] + values[row]
        took[place, cost:] = better > worth[cost:]
        worth[cost:] = np.maximum(worth[cost:], better)
    left, found = budget, []
    for place in range(len(rows) - 1, -1, -1):
        if took[place, left]:
            found.append(int(rows[place]))
            left -= int(costs[rows[place]])
    return np.array(found[::-1], dtype=np.int64)


def _align_scores(segments: Sequence[Segment], scored: Any) -> list[float]:
    """The score of each segment: the scorer's own where it cut the text likewise, else the best of those that
    overlap it, else the document's."""
    theirs = scored.segment_scores
    shift = segments[0].start - len(segments[0].gap) if segments else 0
    if [(one.start, one.end) for one in theirs] == [
        (segment.start - shift, segment.end - shift) for segment in segments
    ]:
        return [one.score for one in theirs]
    return best_overlaps([(segment.start - shift, segment.end - shift) for segment in segments], scored)
