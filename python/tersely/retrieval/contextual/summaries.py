"""Summaries of documents by a language model; an extract where there is none."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from tersely.errors import SummarizationError
from tersely.retrieval.contextual.budget import TokenBudgetManager
from tersely.retrieval.contextual.call import (
    Call,
    Made,
    Outcome,
    fewer,
    less_gaps,
    required_tokens,
    to_outcome,
    to_plan,
)
from tersely.retrieval.contextual.extraction import Extract, extract
from tersely.retrieval.contextual.settings import AllocationStrategy, CompressionStrategy
from tersely.retrieval.contextual.summarizer import ContentSummarizer, SummaryTask
from tersely.strategies.asking import Reply
from tersely.tables import Int64s

__all__ = ["write"]


def write(
    call: Call, live: Sequence[int], summarizer: ContentSummarizer
) -> Generator[list[str], list[Reply], Outcome]:
    """Summaries; where there is none, an extract of the same share."""
    reading, hybrid = call.reading, call.strategy is CompressionStrategy.HYBRID
    required = required_tokens(call, live)
    room = less_gaps(call, call.available)
    targets = np.array([min(int(size), summarizer.target(int(size))) for size in call.sizes])
    most = np.where(call.live, np.maximum(targets, required), 0)
    manager = call.manager
    if manager.config.allocation_strategy is AllocationStrategy.MARGINAL:  # summaries have no segments
        shared = replace(manager.config, allocation_strategy=AllocationStrategy.PROPORTIONAL)
        manager = TokenBudgetManager(shared, counter=manager.counter, strict=manager.strict)
    plan = manager.allocate(most.tolist(), call.scores.tolist(), available=room, required=required.tolist())
    shares = np.array(plan.allocations, dtype=np.int64)
    chosen = [index for index in live if shares[index]]
    short = [index for index in chosen if call.sizes[index] <= shares[index]]
    places = {index: reading.rows(index) for index in chosen if index not in short}
    pinned = {document for document, _, _ in call.pinned}
    asked = [index for index in places if index not in pinned]
    reading.prices.count(list(places))
    extracts = extract(reading, {places[index]: int(shares[index]) for index in places})
    first = _first_stage(call, {index: places[index] for index in asked}, shares) if hybrid else {}
    tasks = [
        _task(call, summarizer, index, int(shares[index]), first.get(index), extracts[places[index]])
        for index in asked
    ]
    summaries = yield from summarizer.steps(tasks)
    made = {index: Made(call.documents[index].text, int(call.sizes[index]), "passthrough") for index in short}
    for index in places:
        one = extracts[places[index]]
        fallback = "pinned" if index in pinned else None
        made[index] = Made(one.text, one.tokens, CompressionStrategy.EXTRACTIVE.value, one, fallback=fallback)
    for index, summary in zip(asked, summaries, strict=True):
        if summary.reason is None:
            method = (CompressionStrategy.HYBRID if hybrid else CompressionStrategy.ABSTRACTIVE).value
            made[index] = Made(summary.text, summary.token_count, method, first.get(index), summary)
        elif call.strict:
            raise SummarizationError(
                f"{summarizer.llm.name} gave no summary: {summary.reason}"
            ) from summary.error
        else:
            made[index] = replace(made[index], fallback=summary.reason)
    made = {index: one for index, one in made.items() if one.text}
    return to_outcome(call, fewer(call, made), to_plan(call, shares), len(tasks))


def _first_stage(call: Call, places: dict[int, tuple[int, int]], shares: Int64s) -> dict[int, Extract]:
    """What a model reads in HYBRID: half of each document, or what its share holds if that is more."""
    halves = {place: max(int(call.sizes[index]) // 2, int(shares[index])) for index, place in places.items()}
    found = extract(call.reading, halves)
    return {index: found[place] for index, place in places.items()}


def _task(
    call: Call,
    summarizer: ContentSummarizer,
    index: int,
    share: int,
    first: Extract | None,
    extracted: Extract,
) -> SummaryTask:
    """What the model is asked for; what would be extracted instead fills up a summary that is too short."""
    reading, table = call.reading, call.reading.table
    rows = extracted.kept if extracted.cut is None else extracted.kept[:0]
    best = rows[np.lexsort((rows, -reading.worth[rows]))].tolist()
    filler = tuple(((int(table.start[row]), int(table.end[row])), reading.prices.pieces[row]) for row in best)
    text = call.documents[index].text if first is None else first.text
    return SummaryTask(text, call.query, share, min(summarizer.min_summary_length, share), filler)
