"""One call of contextual compression: what is known of it, what was made of it, and whether that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tersely.errors import BudgetExceededError
from tersely.relevance.scores import RelevanceScore
from tersely.retrieval.chunks import DocumentChunk
from tersely.retrieval.contextual.budget import BudgetPlan, TokenBudgetManager
from tersely.retrieval.contextual.choice import Parts, choose, is_kept
from tersely.retrieval.contextual.extraction import Extract, Reading
from tersely.retrieval.contextual.reading import Bools, read
from tersely.retrieval.contextual.settings import CompressionConfig, CompressionStrategy
from tersely.retrieval.contextual.summarizer import ContentSummarizer, Summary
from tersely.stages.count import count, count_batch
from tersely.tables import Float64s, Int64s
from tersely.types import Document

__all__ = [
    "Call",
    "Made",
    "Outcome",
    "fewer",
    "less_gaps",
    "required_tokens",
    "to_outcome",
    "to_plan",
    "together",
]


@dataclass(frozen=True, eq=False)
class Call:
    """One call, checked and scored.

    Attributes:
        chunks, documents: as given, and as the stages take them.
        query: without white space around it; may be "".
        config, manager: settings and limits.
        strategy: what will be done; None: nothing is relevant.
        relevance: of a scorer, one a document.
        scores: float64[n] in [0, 1], of the documents.
        sizes: int64[n], tokens of the documents.
        relevant: documents over the threshold, or with something pinned.
        live: those of them that may be kept: not blank, nor out of reach of the budget.
        pinned: (document, start, end) spans that stay.
        summarizer: None: there is no model.
        strict: a model that fails raises SummarizationError.
        separator: between segments that do not touch, and between documents.
    """

    chunks: tuple[DocumentChunk, ...]
    documents: tuple[Document, ...]
    query: str
    config: CompressionConfig
    manager: TokenBudgetManager
    strategy: CompressionStrategy | None
    relevance: Sequence[RelevanceScore]
    scores: Float64s
    sizes: Int64s
    relevant: Bools
    live: Bools
    pinned: tuple[tuple[int, int, int], ...]
    summarizer: ContentSummarizer | None
    strict: bool
    separator: str

    @cached_property
    def reading(self) -> Reading:
        """The documents, cut and judged."""
        return read(
            self.documents,
            self.query,
            self.relevance,
            self.scores,
            self.live,
            self.config,
            self.pinned,
            self.manager.counter,
            self.separator,
        )

    @cached_property
    def gap(self) -> int:
        """Tokens that the separator costs between two documents."""
        counts = count_batch(self.manager.counter, ["one.", "Two", f"one.{self.separator}Two"]).tolist()
        return max(int(counts[2] - counts[0] - counts[1]), 0)

    @property
    def available(self) -> int:
        """Tokens for the documents together."""
        return self.manager.available()

    def texts(self, indices: Sequence[int]) -> list[str]:
        """Of these documents."""
        return [self.documents[index].text for index in indices]


@dataclass(frozen=True, eq=False, slots=True)
class Made:
    """What was made of a document: all of it, an extract, or a summary.

    Attributes:
        text, tokens: the text.
        method: "passthrough", "extractive", "abstractive" or "hybrid".
        extract: which rows stand in it, or were given to the model; None: the whole document stands.
        summary: what the model wrote.
        fallback: why it is not a summary where it should be one.
    """

    text: str
    tokens: int
    method: str
    extract: Extract | None = None
    summary: Summary | None = None
    fallback: str | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """The parts of a result.

    Attributes:
        made: by document.
        plan: what each was allowed.
        used: tokens of all of it, joined.
        asked: prompts that went to the model.
    """

    made: dict[int, Made]
    plan: BudgetPlan
    used: int
    asked: int = 0


def to_plan(call: Call, shares: Int64s) -> BudgetPlan:
    """The shares as a plan."""
    dropped = np.flatnonzero(shares == 0)
    return BudgetPlan(tuple(shares.tolist()), tuple(dropped.tolist()), call.available)


def together(call: Call, made: dict[int, Made]) -> int:
    """Tokens of the documents, joined or one by one, whichever are more."""
    joined = count(call.manager.counter, call.separator.join(made[index].text for index in sorted(made)))
    return max(joined, sum(one.tokens for one in made.values()))


def required_tokens(call: Call, live: Sequence[int]) -> Int64s:
    """int64[n]: tokens that what is pinned in each document needs."""
    required = np.zeros(len(call.documents), dtype=np.int64)
    reading = call.reading
    pinned = sorted({document for document, _, _ in call.pinned} & set(live))
    reading.prices.count(pinned)
    for index in pinned:
        place = reading.rows(index)
        status = choose(reading, Parts.of(reading, {place: call.available}), {place: 0})
        required[index] = count(call.manager.counter, reading.text(is_kept(status)))
    return required


def less_gaps(call: Call, room: int) -> int:
    """What is to be shared out: without the separators between as many documents as can have a share."""
    documents = int(call.live.sum())
    most = max(room // (min(call.manager.config.min_per_document, room) + call.gap), 1) if room else 1
    return max(room - call.gap * (min(documents, most) - 1), 0)


def fewer(call: Call, made: dict[int, Made]) -> dict[int, Made]:
    """Without the least relevant documents, as many as need be; those with something pinned stay."""
    pinned = {document for document, _, _ in call.pinned}
    order = sorted(made, key=lambda index: (index not in pinned, -call.scores[index], index))
    while order and together(call, {index: made[index] for index in order}) > call.available:
        if order[-1] in pinned:
            needed = together(call, {index: made[index] for index in order})
            raise BudgetExceededError(
                f"pinned content alone needs {needed} tokens, the budget is {call.available}",
                required=needed,
                budget=call.available,
            )
        order.pop()
    return {index: made[index] for index in sorted(order)}


def to_outcome(call: Call, made: dict[int, Made], plan: BudgetPlan, asked: int = 0) -> Outcome:
    """What was made, counted as a whole."""
    joined = call.separator.join(made[index].text for index in sorted(made))
    return Outcome(made, plan, count(call.manager.counter, joined), asked)
