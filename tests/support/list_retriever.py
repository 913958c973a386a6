"""A retriever over a list, which remembers what it was asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from tersely.retrieval import ChunkResult


def chunk(name: str, score: float, content: str, **fields: Any) -> ChunkResult:
    defaults = {"doc_id": "guide", "header_path": "Guide > Tokens", "file_path": "guide.md"}
    return ChunkResult(chunk_id=name, score=score, content=content, **(defaults | fields))


class ListRetriever:
    """Gives its chunks as they are, whatever the query. `asked` has the (query, top_n) of each search."""

    def __init__(self, chunks: Sequence[ChunkResult]) -> None:
        self.chunks = list(chunks)
        self.asked: list[tuple[str, int]] = []

    def search(self, query: str, top_n: int = 5) -> list[ChunkResult]:
        self.asked.append((query, top_n))
        return sorted(self.chunks, key=lambda one: -one.score)[:top_n]

    def chunk(self, chunk_id: str) -> ChunkResult:
        return {one.chunk_id: one for one in self.chunks}[chunk_id]


class VectorRetriever(ListRetriever):
    """One whose index has vectors."""

    def __init__(self, chunks: Sequence[ChunkResult], vectors: Any) -> None:
        super().__init__(chunks)
        self.rows = {one.chunk_id: row for one, row in zip(chunks, vectors, strict=True)}

    def vectors(self, chunk_ids: Sequence[str]) -> Any:
        return np.array([self.rows[name] for name in chunk_ids], dtype=np.float32)


SUBJECTS = (
    "Tokens rotate every 24 hours.",
    "Keys are kept in the vault of the operations team.",
    "The proxy retries a failed request three times.",
    "Backups are written to the second region each night.",
    "Alerts go to the engineer on call by telephone.",
    "Uploads are limited to two gigabytes for each user.",
)


def ten() -> list[ChunkResult]:
    """Ten results: three score below 0.3, and two of the others say the same."""
    good = [chunk(f"g{row}", 0.95 - 0.05 * row, text) for row, text in enumerate(SUBJECTS)]
    twin = chunk("twin", 0.5, "Tokens are rotated every 24 hours.")
    weak = [chunk(f"w{row}", 0.2 - 0.05 * row, f"The menu of day {row} is soup.") for row in range(3)]
    return [*good, twin, *weak]
