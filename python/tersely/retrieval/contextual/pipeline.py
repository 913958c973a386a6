"""The steps of a contextual compression."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from tersely.retrieval.contextual.budget import BudgetPlan
from tersely.retrieval.contextual.call import Call, Made, Outcome, to_outcome, to_plan, together
from tersely.retrieval.contextual.extracts import extract_all
from tersely.retrieval.contextual.settings import CompressionStrategy
from tersely.retrieval.contextual.summaries import write
from tersely.stages.count import count
from tersely.strategies.asking import Reply

__all__ = ["run"]


def run(call: Call) -> Generator[list[str], list[Reply], Outcome]:
    """Yields prompts, takes replies, returns what was made: never more tokens than are available.

    Raises BudgetExceededError where what is pinned does not fit, SummarizationError where a model failed and
    `strict` is set.
    """
    live = np.flatnonzero(call.live).tolist()
    if call.strategy is None or not live:
        nothing = BudgetPlan((0,) * len(call.documents), tuple(range(len(call.documents))), call.available)
        return Outcome({}, nothing, count(call.manager.counter, ""))
    if call.strategy is CompressionStrategy.PASSTHROUGH:
        made = {
            index: Made(call.documents[index].text, int(call.sizes[index]), "passthrough") for index in live
        }
        if together(call, made) <= call.available:
            return to_outcome(call, made, to_plan(call, np.where(call.live, call.sizes, 0)))
        call = replace(call, strategy=CompressionStrategy.EXTRACTIVE)
    if call.strategy is CompressionStrategy.EXTRACTIVE or call.summarizer is None:
        reason = None if call.strategy is CompressionStrategy.EXTRACTIVE else "no_model"
        return extract_all(call, live, reason)
    return (yield from write(call, live, call.summarizer))
