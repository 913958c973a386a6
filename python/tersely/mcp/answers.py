"""Answer a query from search results, verbatim or by a model, and write replies of tools, texts fenced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tersely
from tersely.checks import brief
from tersely.engine.reading import count
from tersely.errors import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.models.flows import run_flow
from tersely.models.language_models import CheckedLanguageModel
from tersely.retrieval.chunks import ChunkResult
from tersely.retrieval.results import Preview, ResultStats, within_budget
from tersely.writing.flow import Task, ask
from tersely.writing.prompt import Fence, Prompt, fence, one_line, shown_name

__all__ = ["Answer", "Answerer", "count_tokens", "fenced_reply", "to_extract", "to_markdown", "to_previews"]

_TEMPLATE = (
    "Answer the question from the sources alone, in a few sentences. Say so where they do not answer it.\n"
    "{rules}\n\nQuestion: {query}\n\n{content}\n\nAnswer:"
)


@brief
@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a query, and who wrote it.

    Attributes:
        text: "" where there are no results.
        model: who wrote it; None: it is verbatim from the results.
        fallback: why no model wrote it where one should have, as of a `Reply` (writing/flow.py); None: all
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
        texts = [one.content for one in results[:count]]
        around = fence(*texts)  # within the prompt's own: no source passes for another
        sources = "\n\n".join(f"Source {place}:\n{around.put(text)}" for place, text in enumerate(texts, 1))
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


def count_tokens(text: str) -> int:
    """Count the tokens of a reply (o200k_base)."""
    return count(resolve_counter(None), text)


def fenced_reply(text: str) -> str:
    """Return a reply with one text of a document between marker lines; a blank text needs none."""
    return fence(text).only(text) if text.strip() else text


def to_markdown(
    answer: Answer, results: Sequence[ChunkResult], stats: ResultStats | None = None, *, note: str = ""
) -> str:
    """Write an answer and its results as Markdown, with text of documents between marker lines.

    `# Answer`, `# Source Documents` with each result's score, file, section and content, and, where there are
    stats, `# Compression Stats` with a line a number.
    """
    around = _fence(answer, results)
    parts = [*([note] if note else []), *_answer(answer, around, bool(answer.text or results))]
    parts.append("\n# Source Documents")
    if not results:
        parts.append("No results.")
    for number, one in enumerate(results, 1):
        parts.append(f"{'' if number == 1 else chr(10)}**Result {number}** (Score: {one.score:.4f})")
        parts.append(f"File: {shown_name(one.file_path)}\n{_content(one, around)}")
    return "\n".join([*parts, *_stats(stats)]) + "\n"


def to_previews(answer: Answer, previews: Sequence[Preview]) -> str:
    """Write an answer and a line for each result: its id, score and preview."""
    lines = "\n".join(f"{shown_name(one.chunk_id)} ({one.score:.4f}): {one.preview}" for one in previews)
    around = fence(answer.text, lines)
    parts = _answer(answer, around, bool(answer.text or lines))
    return "\n".join([*parts, "\n# Previews", around.put(lines) if lines else "No results."]) + "\n"


def to_extract(answer: Answer, extract: str, stats: ResultStats | None = None, *, note: str = "") -> str:
    """Write an extract of search results, below a note and an answer, if there are any."""
    around = fence(answer.text, extract)
    if answer.text:
        parts = [*_answer(answer, around, True), "\n# Sources", around.put(extract)]
    else:
        parts = [around.only(extract)]
    return "\n".join([*([note] if note else []), *parts, *_stats(stats)])


def _stats(stats: ResultStats | None) -> list[str]:
    """The part of a reply that has the stats, where there are some."""
    if stats is None:
        return []
    return ["\n# Compression Stats", *[f"{name}: {getattr(stats, name)}" for name in stats.__slots__]]


def _answer(answer: Answer, around: Fence, fenced: bool) -> list[str]:
    """The part of a reply that has the answer; `fenced`: whether anything in the reply is fenced."""
    parts = ["# Answer"]
    if answer.model is not None:
        parts.append(f"(written by {shown_name(answer.model)}; the sources below are verbatim)")
    if answer.fallback is not None:
        parts.append(f"(the model failed ({answer.fallback}): sentences of the sources, verbatim)")
    parts += [around.rule] if fenced else []
    parts += [around.put(answer.text)] if answer.text else []
    return parts


def _fence(answer: Answer, results: Sequence[ChunkResult]) -> Fence:
    return fence(answer.text, *(part for one in results for part in (one.header_path, one.content)))


def _content(one: ChunkResult, around: Fence) -> str:
    """The section and the text of a result, fenced."""
    section = f"Section: {one_line(one.header_path)}\n" if one.header_path else ""
    return around.put(section + one.content)
