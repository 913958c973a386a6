"""Summaries by a language model, of a length that was asked for; their facts are checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tersely import checks
from tersely.engine.reading import count, segment
from tersely.errors import SummarizationError
from tersely.models.counters import resolve_counter
from tersely.models.language_models import (
    Flow,
    one_model,
    resolve_language_model,
    run_flow,
    run_flow_async,
    to_be_awaited,
)
from tersely.protocols import BatchTokenCounter
from tersely.writing.checks import cut_to_fit, unsupported_facts
from tersely.writing.flow import Reply, Task, ask
from tersely.writing.prompt import Prompt

ABSTRACTIVE_COMPRESSION_PROMPT = """
Summarize the following document focusing on information relevant to the query.
Keep the summary under {max_tokens} tokens.

Query: {query}

Document:
{document}

Provide a concise summary that captures the key points relevant to the query.
"""
_TEMPLATE = ABSTRACTIVE_COMPRESSION_PROMPT.replace("{max_tokens}", "{target}").replace(
    "{document}", "{content}"
)
_TEMPLATE += "{rules}\nReply with the summary alone. State nothing that the document does not say.\n"

Place = tuple[int, int]
Filler = Sequence[tuple[Place, str]]  # (start, end) and text of pieces of a document, the best first


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, or why there is none."""

    text: str  #: no more tokens than it was to have; "" where there is none
    token_count: int  #: of `text`
    written: int = 0  #: characters of `text`, from its start, that the model wrote
    filled: tuple[Place, ...] = ()  #: (start, end) of the pieces that follow, verbatim, in their order
    #: numbers, dates, versions, names, paths, URLs and identifiers that the text does not have
    unsupported_facts: tuple[str, ...] = ()
    #: "summary_too_long" (it was cut), "summary_too_short" (it was filled up), "unsupported_facts"
    warnings: tuple[str, ...] = ()
    reason: str | None = None  #: why there is none, as of a `Reply` (writing/flow.py); None: there is one
    error: Exception | None = None  #: what the model raised


class ContentSummarizer:
    """Asks a language model for summaries of a given length."""

    def __init__(
        self,
        model: Any = None,
        *,
        counter: Any = None,
        summary_ratio: float = 0.3,
        min_summary_length: int = 50,
        max_summary_length: int = 500,
        batch_size: int = 5,
        max_prompt_tokens: int | None = None,
        llm: Any = None,
    ) -> None:
        """Choose the model and the length.

        Args:
            model: see `resolve_language_model`; `llm` is another name of it.
            counter: the tokenizer that lengths are meant in (`tersely.compress`).
            summary_ratio: tokens of a summary, as a share of its document.
            min_summary_length, max_summary_length: tokens, at least and at most.
            batch_size: prompts that are with the model at a time.
            max_prompt_tokens: a document with a longer prompt is read in parts; None: never.
        """
        self.model = resolve_language_model(one_model(model=model, llm=llm))
        self.counter: BatchTokenCounter = resolve_counter(counter)
        self.summary_ratio = summary_ratio
        self.min_summary_length = min_summary_length
        self.max_summary_length = max_summary_length
        self.batch_size = batch_size
        self.max_prompt_tokens = max_prompt_tokens

    @property
    def llm(self) -> Any:
        """The language model."""
        return self.model

    def target(self, tokens: int) -> int:
        """Return the tokens for a summary: `summary_ratio` of the document's, within the two limits."""
        wanted = math.floor(tokens * self.summary_ratio + 0.5)
        return min(max(wanted, self.min_summary_length), self.max_summary_length)

    def summarize_sync(self, text: str, query: str = "", token_budget: int | None = None) -> Summary:
        """Summarize a text in at most `token_budget` tokens (None: `target` of its own tokens).

        A reply that is too long is asked for once more, and then cut at the end of a sentence; one that is
        too short is filled up with sentences of the text. Raises SummarizationError if the model
        raises or has nothing to say.
        """
        return self._only(run_flow(self._one(text, query, token_budget), self.model, self.batch_size))

    @to_be_awaited
    async def summarize(self, text: str, query: str = "", token_budget: int | None = None) -> Summary:
        """Summarize as `summarize_sync` does, from an event loop, by `acomplete` if the model has it."""
        flow = self._one(text, query, token_budget)
        return self._only(await run_flow_async(flow, self.model, self.batch_size))

    def task(self, text: str, query: str, limit: int) -> Task:
        """Return the task of summarizing a text for a query in `limit` >= 1 tokens."""
        least = min(self.min_summary_length, limit)
        prompt, window = Prompt(_TEMPLATE, query), self.max_prompt_tokens
        return Task(text, prompt, limit, self.counter, least=least, window=window)

    def summaries(self, tasks: Sequence[Task], fillers: Sequence[Filler]) -> Flow[list[Summary]]:
        """Yield prompts, take replies, and return a summary for each task. If a summary is shorter than
        `least`, the first pieces of its filler follow it, verbatim and in order.
        """
        replies = yield from ask(tasks)
        return [self._summary(*each) for each in zip(tasks, replies, fillers, strict=True)]

    def _one(self, text: str, query: str, budget: int | None) -> Flow[list[Summary]]:
        limit = self.target(count(self.counter, text)) if budget is None else budget
        filler = [((start, end), text[start:end]) for _, start, end, _ in segment([text])]
        limit = checks.whole_number(limit, "token_budget", least=1)
        return self.summaries([self.task(text, query, limit)], [filler])

    def _only(self, summaries: list[Summary]) -> Summary:
        (summary,) = summaries
        if summary.reason is not None:
            raise SummarizationError(f"{self.model.name}: {summary.reason}") from summary.error
        return summary

    def _summary(self, task: Task, reply: Reply, filler: Filler) -> Summary:
        """The summary within its limits, and the facts that it made up."""
        text, filled = reply.text, tuple[Place, ...]()
        warnings = list[str]()
        if reply.size > task.limit:
            text = cut_to_fit(text, lambda piece: count(self.counter, piece), task.limit)
            warnings.append("summary_too_long")
        if not text:
            return Summary("", 0, reason=reply.reason, error=reply.error)
        written = len(text)
        if count(self.counter, text) < task.least <= count(self.counter, task.content):
            text, filled = self._fill(task, text, filler)
            warnings.append("summary_too_short")
        made_up = unsupported_facts([task.content], text[:written])
        warnings += ["unsupported_facts"] if made_up else []
        return Summary(text, count(self.counter, text), written, filled, made_up, tuple(warnings))

    def _fill(self, task: Task, text: str, filler: Filler) -> tuple[str, tuple[Place, ...]]:
        """The text with pieces of the source behind it, until it is long enough."""
        best, taken = text, list[tuple[Place, str]]()
        for piece in filler:
            if count(self.counter, best) >= task.least:
                break
            pieces = sorted([*taken, piece])
            longer = "\n\n".join([text, *(words for _, words in pieces)])
            if count(self.counter, longer) <= task.limit:
                best, taken = longer, pieces
        return best, tuple(place for place, _ in taken)
