"""What callers of `ContextualCompressor` hand over, checked and made into ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.cache import digest_of
from tersely.documents import check_text, to_documents
from tersely.kernels import cosine_similarity
from tersely.relevance.scores import to_uuid
from tersely.retrieval.chunks import ChunkResult, DocumentChunk, SearchResult
from tersely.retrieval.contextual.settings import CompressionStrategy, to_choice
from tersely.tables import Float64s
from tersely.types import Document

__all__ = ["checked_query", "cosines", "key_of", "to_chunks", "to_document", "to_strategy"]


def to_chunks(documents: Any) -> tuple[DocumentChunk, ...]:
    """DocumentChunks as they are; SearchResults and ChunkResults, and whatever `tersely.compress` takes, as
    chunks. A text without an id has the UUID5 of itself.

    Raises TypeError for anything else and ValueError for a text with a lone surrogate.
    """
    if isinstance(documents, (DocumentChunk, SearchResult, ChunkResult)):
        documents = [documents]
    if isinstance(documents, (str, Document, Mapping)) or not isinstance(documents, Iterable):
        return tuple(_from_document(document) for document in to_documents(documents))
    return tuple(_to_chunk(item, index) for index, item in enumerate(documents))


def _to_chunk(item: Any, index: int) -> DocumentChunk:
    if isinstance(item, SearchResult):
        item = item.document
    if isinstance(item, ChunkResult):
        known = {"doc_id": item.doc_id, "title": item.header_path, "file_path": item.file_path}
        item = DocumentChunk(id=item.chunk_id, content=item.content, metadata=known)
    if not isinstance(item, DocumentChunk):
        return _from_document(to_documents([item])[0])
    if not isinstance(item.content, str):
        raise TypeError(f"the content of document {index} must be str, not {type(item.content).__name__}")
    check_text(item.content, f"the content of document {index}")
    return item


def _from_document(document: Document) -> DocumentChunk:
    known = {**document.metadata, **({"title": document.title} if document.title else {})}
    return DocumentChunk(
        id=to_uuid(document.text) if document.id is None else document.id,
        content=document.text,
        metadata=known or None,
    )


def to_document(chunk: DocumentChunk) -> Document:
    """A chunk as the stages take it; its metadata may have a "title"."""
    title = (chunk.metadata or {}).get("title")
    if title is not None and not isinstance(title, str):
        raise TypeError(f"the title of {chunk.id!r} must be str, not {type(title).__name__}")
    check_text(title or "", f"the title of {chunk.id!r}")
    return Document(chunk.content, str(chunk.id), title or None)


def to_strategy(strategy: CompressionStrategy | str | None) -> CompressionStrategy | None:
    """The strategy for itself, its name or None. Raises ValueError for anything else, and for PASSTHROUGH."""
    if strategy is None:
        return None
    chosen = to_choice(strategy, CompressionStrategy, "strategy")
    if chosen is CompressionStrategy.PASSTHROUGH:
        raise ValueError("strategy must be one that compresses; PASSTHROUGH is what happens where all fits")
    return chosen


def checked_query(query: str) -> str:
    """The query without white space around it. Raises TypeError and ValueError."""
    if not isinstance(query, str):
        raise TypeError(f"query must be str, not {type(query).__name__}")
    check_text(query, "the query")
    return query.strip()


def cosines(embeddings: npt.ArrayLike, query_embedding: npt.ArrayLike, documents: int) -> Float64s:
    """float64[documents] in [0, 1]: cosine of each row with the query's vector, at least 0.

    Raises ValueError where shapes do not match or a number is not finite.
    """
    wanted = np.atleast_2d(np.asarray(query_embedding))
    rows = np.asarray(embeddings)
    if rows.ndim != 2 or len(rows) != documents or len(wanted) != 1 or wanted.shape[1] != rows.shape[1]:
        raise ValueError(
            f"embeddings must have shape ({documents}, d) and query_embedding (d,), not {rows.shape} and "
            f"{wanted.shape}"
        )
    return np.clip(cosine_similarity(rows, wanted, threads=1)[:, 0].astype(np.float64), 0.0, 1.0)


def key_of(chunks: Sequence[DocumentChunk], fields: Sequence[str]) -> bytes:
    """SHA-256 over the chunks, with their ids and metadata, and the fields."""
    told = [text for chunk in chunks for text in (repr(chunk.id), repr(chunk.metadata), chunk.content)]
    return digest_of([*told, *fields])
