"""Replies as text: an answer, the results, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence

from tersely.retrieval.chunks import ChunkResult
from tersely.retrieval.results import ResultStats
from tersely.server.answers import Answer

__all__ = ["one_line", "to_markdown"]


def to_markdown(answer: Answer, results: Sequence[ChunkResult], stats: ResultStats | None = None) -> str:
    """`# Answer`, `# Source Documents` with each result's score, file, section and content, and, where there
    are stats, `# Compression Stats` with a line a number.
    """
    parts = ["# Answer"]
    if answer.model is not None:
        parts.append(f"(written by {one_line(answer.model)}; the sources below are verbatim)")
    if answer.fallback:
        parts.append("(the model failed: sentences of the sources, verbatim)")
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


def one_line(text: str) -> str:
    """White space as single spaces: a name cannot end its line."""
    return " ".join(text.split())
