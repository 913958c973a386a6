"""Answer a query from search results, verbatim or by a model, and write answer and results as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tersely
from tersely.core.errors import BudgetExceededError
from tersely.providers.counters import resolve_counter
from tersely.providers.language_models import CheckedLanguageModel, run_flow
from tersely.search.chunks import ChunkResult
from tersely.search.results import ResultStats
from tersely.search.thresholding import within_budget
from tersely.server.tools import one_line
from tersely.write.flow import Task, ask
from tersely.write.prompt import Prompt

__all__ = ["Answer", "Answerer", "to_markdown"]

_TEMPLATE = (
    "Answer the question from the sources alone, in a few sentences. Say so where they do not answer it.\n"
    "{rules}\n\nQuestion: {query}\n\n{content}\n\nAnswer:"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a query, and who wrote it.

    Attributes:
        text: "" where there are no results.
        model: who wrote it; None: it is verbatim from the results.
        fallback: why no model wrote it where one should have, as of a `Reply` (write/flow.py); None: all
            went as it should.
    """

    text: str
    model: str | None = None
    fallback: str | None = None


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers a query from results.

    Attributes:
        model: writes the answer; None: the sentences that say most about the query, verbatim.
        budget: tokens (o200k_base) of a verbatim answer.
        prompt_tokens: of the results that the model reads: the best ones, whole, while they fit; and of an
            answer at most.
    """

    model: CheckedLanguageModel | None = None
    budget: int = 200
    prompt_tokens: int = 8000

    def answer(self, query: str, results: Sequence[ChunkResult]) -> Answer:
        """Answer a query. A model that fails costs nothing: the answer is verbatim then, and says so."""
        if not results:
            return Answer("")
        if self.model is None:
            return Answer(self._extract(query, results))
        try:
            count, _ = within_budget([one.content for one in results], self.prompt_tokens, None)
        except BudgetExceededError:  # not even one result fits into a prompt
            return Answer(self._extract(query, results), fallback="prompt_too_long")
        sources = "\n\n".join(
            f"Source {place}:\n{one.content}" for place, one in enumerate(results[:count], 1)
        )
        task = Task(sources, Prompt(_TEMPLATE, query), self.prompt_tokens, resolve_counter(None))
        (reply,) = run_flow(ask([task]), self.model, 1)
        if reply.reason is not None:
            return Answer(self._extract(query, results), fallback=reply.reason)
        return Answer(reply.text, self.model.name)

    def _extract(self, query: str, results: Sequence[ChunkResult]) -> str:
        documents = [
            tersely.Document(one.content, title=one.header_path or None, score=one.score) for one in results
        ]
        return tersely.compress(documents, query, budget=self.budget, separator="\n").text.strip()


def to_markdown(answer: Answer, results: Sequence[ChunkResult], stats: ResultStats | None = None) -> str:
    """Write an answer and its results as Markdown.

    `# Answer`, `# Source Documents` with each result's score, file, section and content, and, where there are
    stats, `# Compression Stats` with a line a number.
    """
    parts = ["# Answer"]
    if answer.model is not None:
        parts.append(f"(written by {one_line(answer.model)}; the sources below are verbatim)")
    if answer.fallback is not None:
        parts.append(f"(the model failed ({answer.fallback}): sentences of the sources, verbatim)")
    if answer.text:
        parts.append(answer.text)
    parts.append("\n# Source Documents")
    if not results:
        parts.append("No results.")
    for number, one in enumerate(results, 1):
        parts.append(f"{'' if number == 1 else chr(10)}**Result {number}** (Score: {one.score:.4f})")
        parts.append(f"File: {one_line(one.file_path)}")
        if one.header_path:
            parts.append(f"Section: {one_line(one.header_path)}")
        parts.append(one.content)
    if stats is not None:
        parts.append("\n# Compression Stats")
        parts += [f"{name}: {getattr(stats, name)}" for name in stats.__slots__]
    return "\n".join(parts) + "\n"
