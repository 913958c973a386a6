"""Chunks as searches give them, and what gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable
from uuid import UUID

__all__ = ["ChunkResult", "DocumentChunk", "Retriever", "SearchResult"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkResult:
    """A chunk that a search found.

    Attributes:
        chunk_id: its id in the index.
        doc_id: id of the document that it is part of.
        score: relevance in [0, 1], the best result of a search being 1.0.
        header_path: the headings above it, joined with " > "; "" where there are none.
        file_path: the file that it came from, relative to the indexed folder.
        content: its whole text.
    """

    chunk_id: str
    doc_id: str
    score: float
    header_path: str
    file_path: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChunk:
    """A chunk of a document that somebody brings: its id (str or UUID), its text, what else is known."""

    id: str | UUID
    content: str
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A chunk with the score that a retriever gave it (any scale; higher is better)."""

    document: DocumentChunk
    score: float


@runtime_checkable
class Retriever(Protocol):
    """Anything that finds chunks."""

    def search(self, query: str, top_n: int = 5) -> Sequence[ChunkResult]:
        """The `top_n` best chunks, best first; fewer where there are fewer."""
        ...

    def chunk(self, chunk_id: str) -> ChunkResult:
        """The chunk of an id, its score 1.0. Raises KeyError where there is none."""
        ...
