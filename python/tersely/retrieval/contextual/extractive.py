"""ExtractiveCompressor: the segments of one document that are worth most together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np

from tersely.documents import check_text
from tersely.errors import BudgetExceededError
from tersely.kernels import budgeted_select
from tersely.providers.counters import resolve_counter
from tersely.relevance.scorer import RelevanceScorer
from tersely.relevance.scores import ScoringMethod
from tersely.retrieval.chunks import DocumentChunk
from tersely.retrieval.contextual.arguments import to_chunks, to_document
from tersely.retrieval.contextual.reading import NEARLY_ONE
from tersely.retrieval.contextual.results import ExtractedContent
from tersely.retrieval.contextual.segmenter import Segment, Segmenter
from tersely.stages.count import count, count_batch
from tersely.strategies.cutting import longest_prefix
from tersely.tables import Float64s, Int64s, Level
from tersely.types import Document

__all__ = ["ExtractiveCompressor"]

_CELLS = 8 * 10**6  # of the table of the exact answer; above that the greedy one
_ROUNDS = 8  # of choosing and counting


class ExtractiveCompressor:
    """Splits a document, scores its segments, and keeps the best that fit, verbatim and in their order.

    `ContextualCompressor` does this for many documents at once, with an eye on what they have in common.
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
        if isinstance(overlap_segments, bool) or not isinstance(overlap_segments, int):
            raise TypeError(f"overlap_segments must be a whole number, not {overlap_segments!r}")
        if overlap_segments < 0:
            raise ValueError(f"overlap_segments must be 0 or more, not {overlap_segments}")
        check_text(separator, "separator")
        self.segmenter = Segmenter(segment_size, window=window)
        self.overlap = overlap_segments
        self.scorer = scorer or RelevanceScorer(level=self.segmenter.segment_size)
        self.counter = resolve_counter(counter)
        self.separator = separator

    async def score_segments(self, segments: Sequence[Segment], query: str) -> list[float]:
        """The relevance of each segment, in [0, 1], as one document."""
        text = Document("".join(segment.gap + segment.text for segment in segments))
        return _aligned(segments, (await self.scorer.score([text], query))[0])

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
        values = np.asarray(scores, dtype=np.float64)
        if not np.isfinite(values).all():
            raise ValueError("scores must be finite")
        costs = count_batch(self.counter, [segment.text for segment in segments])
        return [segments[row] for row in _best(values, costs, token_budget).tolist()]

    async def compress(self, document: Any, query: str, token_budget: int) -> ExtractedContent:
        """The best of a document (a DocumentChunk, or what `tersely.compress` takes) in so many tokens.

        Segments are chosen for the largest sum of relevance times tokens. Where none fits whole, the best is
        cut and marked with "…". Raises BudgetExceededError where not even a letter fits.
        """
        chunk, segments = self._split(document)
        scores = await self.score_segments(segments, query) if segments else []
        return await asyncio.to_thread(self._chosen, chunk, segments, scores, token_budget)

    def compress_sync(self, document: Any, query: str, token_budget: int) -> ExtractedContent:
        """As `compress`."""
        chunk, segments = self._split(document)
        found = self.scorer.score_sync([to_document(chunk)], query) if segments else []
        scores = _aligned(segments, found[0]) if segments else []
        return self._chosen(chunk, segments, scores, token_budget)

    def _split(self, document: Any) -> tuple[DocumentChunk, list[Segment]]:
        chunks = to_chunks([document])
        return chunks[0], self.segmenter.split(chunks[0].content)

    def _chosen(
        self, chunk: DocumentChunk, segments: list[Segment], scores: list[float], budget: int
    ) -> ExtractedContent:
        if not segments:
            return ExtractedContent((), "", 0)
        texts = [segment.text for segment in segments]
        counts = count_batch(self.counter, texts)
        joint = count_batch(self.counter, ["one.", "Two", f"one.{self.separator}Two"]).tolist()
        costs = counts + max(int(joint[2] - joint[0] - joint[1]), 0)
        values = self._worth(scores) * np.maximum(counts, 1)
        room = budget
        for attempt in range(_ROUNDS):
            rows = self._with_neighbours(_best(values, costs, room), values, costs, room)
            if not len(rows):
                break
            text = self._text(chunk.content, segments, rows.tolist())
            tokens = count(self.counter, text)
            if tokens <= budget:
                kept = rows.tolist()
                return ExtractedContent(
                    tuple(segments[row] for row in kept), text, tokens, tuple(scores[row] for row in kept)
                )
            room = max(room - max(tokens - budget, 1) * 2**attempt, 0)
        return self._piece(segments, scores, counts, budget)

    def _worth(self, scores: list[float]) -> Float64s:
        """What a token of each segment is worth; HYBRID's scores are 1 - exp(-worth)."""
        relevance = np.asarray(scores, dtype=np.float64)
        if not relevance.any():
            return np.ones(len(scores))
        if getattr(self.scorer, "method", None) is ScoringMethod.HYBRID:
            return -np.log1p(-np.minimum(relevance, NEARLY_ONE))
        return relevance

    def _with_neighbours(self, rows: Int64s, values: Float64s, costs: Int64s, room: int) -> Int64s:
        taken = set(rows.tolist())
        left = room - int(costs[rows].sum())
        for distance in range(1, self.overlap + 1):
            for row in rows[np.argsort(-values[rows] / np.maximum(costs[rows], 1), kind="stable")].tolist():
                for other in (row - distance, row + distance):
                    if 0 <= other < len(costs) and other not in taken and costs[other] <= left:
                        taken.add(other)
                        left -= int(costs[other])
        return np.array(sorted(taken), dtype=np.int64)

    def _text(self, source: str, segments: list[Segment], rows: list[int]) -> str:
        parts: list[str] = []
        for place, row in enumerate(rows):
            if place:
                touching = rows[place - 1] == row - 1
                parts.append(segments[row].gap if touching else self.separator)
            parts.append(source[segments[row].start : segments[row].end])
        return "".join(parts)

    def _piece(
        self, segments: list[Segment], scores: list[float], counts: Int64s, budget: int
    ) -> ExtractedContent:
        """The best segment that fits alone, else the start of the best."""
        order = sorted(range(len(segments)), key=lambda row: (-scores[row], row))
        for row in order:
            if counts[row] <= budget:
                return ExtractedContent(
                    (segments[row],), segments[row].text, int(counts[row]), (scores[row],)
                )
        starts = count_batch(self.counter, [segments[row].text[:1] for row in order]).tolist()
        for row, tokens in zip(order, starts, strict=True):
            if tokens <= budget:
                whole = segments[row]
                size, mark = longest_prefix(whole.text, lambda text: count(self.counter, text) <= budget)
                end = whole.start + size
                head = Segment(whole.index, whole.start, end, whole.text[:size], whole.kind, whole.gap)
                text = head.text + mark
                return ExtractedContent((head,), text, count(self.counter, text), (scores[row],))
        raise BudgetExceededError(
            f"nothing of the document fits into {budget} tokens: a letter needs {min(starts)}",
            required=min(starts),
            budget=budget,
        )


def _best(values: Float64s, costs: Int64s, budget: int) -> Int64s:
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


def _aligned(segments: Sequence[Segment], scored: Any) -> list[float]:
    """The score of each segment: the scorer's own where it cut the text likewise, else the best of those that
    overlap it, else the document's."""
    theirs = scored.segment_scores
    shift = segments[0].start - len(segments[0].gap) if segments else 0
    if [(one.start, one.end) for one in theirs] == [
        (segment.start - shift, segment.end - shift) for segment in segments
    ]:
        return [one.score for one in theirs]
    return [
        max(
            (
                one.score
                for one in theirs
                if one.start + shift < segment.end and one.end + shift > segment.start
            ),
            default=scored.overall_score,
        )
        for segment in segments
    ]
