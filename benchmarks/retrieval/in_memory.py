"""A retriever over chunks in memory: the cosine of the static vectors, best 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tersely.models.static import StaticEmbedder
from tersely.retrieval import ChunkResult
from tersely.types import Float32s

from benchmarks import data
from benchmarks.quality.dedup import neardup_sets

__all__ = ["InMemory", "manual_chunks"]


class InMemory:
    """Implements `tersely.retrieval.chunks.Retriever`, with vectors."""

    def __init__(self, chunks: Sequence[ChunkResult]) -> None:
        self._embedder = StaticEmbedder()
        self._chunks = list(chunks)
        self._row = {chunk.chunk_id: row for row, chunk in enumerate(self._chunks)}
        self._vectors = self._embedder.embed([chunk.content for chunk in self._chunks])

    def search(self, query: str, top_n: int = 5) -> list[ChunkResult]:
        scores = self._vectors @ self._embedder.embed([query])[0]
        best = np.argsort(-scores, kind="stable")[:top_n]
        top = max(float(scores[best[0]]), 1e-9)
        return [self._scored(int(row), max(float(scores[row]) / top, 0.0)) for row in best]

    def chunk(self, chunk_id: str) -> ChunkResult:
        return self._scored(self._row[chunk_id], 1.0)

    def vectors(self, chunk_ids: Sequence[str]) -> Float32s:
        return self._vectors[[self._row[name] for name in chunk_ids]]

    def _scored(self, row: int, score: float) -> ChunkResult:
        one = self._chunks[row]
        return ChunkResult(
            chunk_id=one.chunk_id,
            doc_id=one.doc_id,
            score=min(score, 1.0),
            header_path=one.header_path,
            file_path=one.file_path,
            content=one.content,
        )


def manual_chunks(folder: Path) -> list[ChunkResult]:
    """The chunks of the manuals in several versions, cut to 1,500 characters."""
    return [
        ChunkResult(
            chunk_id=row["id"],
            doc_id=f"{row['version']}/{row['page']}",
            score=1.0,
            header_path=row["heading"],
            file_path=f"{row['version']}/{row['page']}",
            content=row["text"][:1500],
        )
        for name in neardup_sets(folder)
        for row in data.rows(folder, f"{name}_chunks")
    ]
