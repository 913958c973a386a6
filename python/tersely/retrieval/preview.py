"""One line a result, for a reader who then asks for what it wants in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tersely.retrieval.chunks import ChunkResult
from tersely.stages.segment import segment
from tersely.tables import Kind

__all__ = ["Preview", "previews"]

_LONGEST = 160  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A result in one line.

    Attributes:
        chunk_id: asks for the whole.
        preview: its first sentence; where that is no sentence or too long, its headings and number of words.
        score: of the result.
    """

    chunk_id: str
    preview: str
    score: float


def previews(results: Sequence[ChunkResult]) -> list[Preview]:
    """A line for each result. O(characters)."""
    table = segment([result.content for result in results])
    first: dict[int, str] = {}
    for document, start, end, kind in table:
        if document not in first and kind in (Kind.PROSE, Kind.LIST_ITEM, Kind.QUOTE):
            first[document] = " ".join(results[document].content[start:end].split())
    return [
        Preview(chunk_id=result.chunk_id, preview=_line(result, first.get(row, "")), score=result.score)
        for row, result in enumerate(results)
    ]


def _line(result: ChunkResult, sentence: str) -> str:
    if 0 < len(sentence) <= _LONGEST:
        return sentence
    words = len(result.content.split())
    about = " ".join((result.header_path or result.file_path or result.doc_id).split())[:_LONGEST]
    return f"{about} ({words} word{'' if words == 1 else 's'})".strip()
