"""Contextual compression where others expect a retriever or a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tersely.retrieval.chunks import ChunkResult, Retriever
from tersely.retrieval.contextual.compressor import ContextualCompressor
from tersely.retrieval.contextual.results import CompressionResult

__all__ = ["CompressingRetriever", "RelevanceReranker"]


@dataclass(frozen=True, slots=True)
class CompressingRetriever:
    """A retriever whose chunks are compressed before they are returned.

    Attributes:
        retriever: finds the chunks.
        compressor: compresses them.
        pool: chunks that are asked for, for each that is wanted; >= 1.
    """

    retriever: Retriever
    compressor: ContextualCompressor
    pool: int = 1

    def search(self, query: str, top_n: int = 5) -> Sequence[ChunkResult]:
        """The chunks that are left, in the retriever's order, their content compressed; at most `top_n`."""
        return self.compressed(query, top_n)[0]

    def chunk(self, chunk_id: str) -> ChunkResult:
        """The whole chunk of an id. Raises KeyError where there is none."""
        return self.retriever.chunk(chunk_id)

    def compressed(self, query: str, top_n: int = 5) -> tuple[list[ChunkResult], CompressionResult]:
        """`search(query, top_n)`, and the result that says what was dropped and why."""
        found = list(self.retriever.search(query, top_n * self.pool))
        result = self.compressor.compress_sync(found, query)
        kept = [
            replace(found[document.index], content=document.content)
            for document in result.compressed_documents
        ]
        return kept[:top_n], result


@dataclass(frozen=True, slots=True)
class RelevanceReranker:
    """Puts documents in the order of the relevance that a compression found: nothing is scored again."""

    result: CompressionResult

    def order(self) -> list[int]:
        """Indices of all original documents, the most relevant first; ties in their order."""
        scores = [score.overall_score for score in self.result.relevance_scores]
        return sorted(range(len(scores)), key=lambda index: (-scores[index], index))

    def rerank(self, documents: Sequence[Any] | None = None, top_n: int | None = None) -> list[Any]:
        """The documents (one for each original; None: the originals) in that order, `top_n` at most."""
        given = self.result.original_documents if documents is None else documents
        if len(given) != len(self.result.original_documents):
            expected = len(self.result.original_documents)
            raise ValueError(f"there must be {expected} documents, not {len(given)}")
        return [given[index] for index in self.order()][:top_n]
