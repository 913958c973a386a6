"""Results of a search, made smaller: their types, and where they come from."""

from tersely.retrieval.chunks import ChunkResult, DocumentChunk, Retriever, SearchResult

__all__ = ["ChunkResult", "DocumentChunk", "Retriever", "SearchResult"]
