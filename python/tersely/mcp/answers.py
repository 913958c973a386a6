"""Answer a query from search results, verbatim, and write replies of tools, texts fenced."""

from __future__ import annotations

from collections.abc import Sequence

import tersely
from tersely.engine.reading import count
from tersely.models.counters import resolve_counter
from tersely.retrieval.chunks import ChunkResult
from tersely.retrieval.results import Preview, ResultStats
from tersely.writing.prompt import Fence, fence, one_line, shown_name

__all__ = ["answer_from", "count_tokens", "fenced_reply", "to_extract", "to_markdown", "to_previews"]


def answer_from(results: Sequence[ChunkResult], query: str, budget: int = 200) -> str:
    """Return the sentences of results that say most about a query, verbatim, in at most `budget` tokens."""
    if not results:
        return ""
    documents = [
        tersely.Document(one.content, title=one.header_path or None, score=one.score) for one in results
    ]
    return tersely.compress(documents, query, budget=budget, separator="\n").text.strip()


def count_tokens(text: str) -> int:
    """Count the tokens of a reply (o200k_base)."""
    return count(resolve_counter(None), text)


def fenced_reply(text: str) -> str:
    """Return a reply with one text of a document between marker lines; a blank text needs none."""
    return fence(text).only(text) if text.strip() else text


def to_markdown(
    answer: str, results: Sequence[ChunkResult], stats: ResultStats | None = None, *, note: str = ""
) -> str:
    """Write an answer and its results as Markdown, with text of documents between marker lines.

    `# Answer`, `# Source Documents` with each result's score, file, section and content, and, where there are
    stats, `# Compression Stats` with a line a number.
    """
    around = fence(answer, *(part for one in results for part in (one.header_path, one.content)))
    parts = [*([note] if note else []), *_answer(answer, around, bool(answer or results))]
    parts.append("\n# Source Documents")
    if not results:
        parts.append("No results.")
    for number, one in enumerate(results, 1):
        parts.append(f"{'' if number == 1 else chr(10)}**Result {number}** (Score: {one.score:.4f})")
        section = f"Section: {one_line(one.header_path)}\n" if one.header_path else ""
        parts.append(f"File: {shown_name(one.file_path)}\n{around.put(section + one.content)}")
    return "\n".join([*parts, *_stats(stats)]) + "\n"


def to_previews(answer: str, previews: Sequence[Preview]) -> str:
    """Write an answer and a line for each result: its id, score and preview."""
    lines = "\n".join(f"{shown_name(one.chunk_id)} ({one.score:.4f}): {one.preview}" for one in previews)
    around = fence(answer, lines)
    parts = _answer(answer, around, bool(answer or lines))
    return "\n".join([*parts, "\n# Previews", around.put(lines) if lines else "No results."]) + "\n"


def to_extract(extract: str, stats: ResultStats | None = None, *, note: str = "") -> str:
    """Write an extract of search results, below a note if there is one."""
    return "\n".join([*([note] if note else []), fence(extract).only(extract), *_stats(stats)])


def _stats(stats: ResultStats | None) -> list[str]:
    """The part of a reply that has the stats, where there are some."""
    if stats is None:
        return []
    return ["\n# Compression Stats", *[f"{name}: {getattr(stats, name)}" for name in stats.__slots__]]


def _answer(answer: str, around: Fence, fenced: bool) -> list[str]:
    """The part of a reply that has the answer; `fenced`: whether anything in the reply is fenced."""
    return ["# Answer", *([around.rule] if fenced else []), *([around.put(answer)] if answer else [])]
