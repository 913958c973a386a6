"""The checked arguments of a contextual compression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tersely.core.cache import digest_of
from tersely.core.tables import Float64s, Int64s
from tersely.core.types import Document
from tersely.kernels import cosine_similarity
from tersely.search.chunks import DocumentChunk
from tersely.search.contextual.budget import TokenBudgetManager
from tersely.search.contextual.settings import (
    AllocationStrategy,
    CompressionConfig,
    CompressionStrategy,
    to_choice,
)

__all__ = ["Call", "cosines_with", "readable_documents", "to_strategy"]

_TOLERANCE = 1e-6  # of the threshold: scores are float32


@dataclass(eq=False, slots=True)
class Call:
    """The arguments of a call, checked.

    Attributes:
        chunks: as given.
        documents: as they are read: blank where `similarity` says that they cannot have a share.
        query: without white space around it.
        strategy: that the caller named.
        config, manager: settings and limits.
        pinned: (document, start, end) spans that stay.
        similarity: float64[n] in [0, 1], relevance by vectors that the caller brought; None: there are none.
        sizes: int64[n], tokens.
        warnings: reason codes of the limits.
        settings: all settings as a text, for the key.
        again: makes the same call with another total budget.
    """

    chunks: tuple[DocumentChunk, ...]
    documents: tuple[Document, ...]
    query: str
    strategy: CompressionStrategy | None
    config: CompressionConfig
    manager: TokenBudgetManager
    pinned: tuple[tuple[int, int, int], ...]
    similarity: Float64s | None
    sizes: Int64s
    warnings: tuple[str, ...]
    settings: str
    again: Callable[[int], Call]
    _key: bytes | None = None

    def key(self) -> bytes:
        """Return a digest that tells this call from others to the same compressor."""
        if self._key is None:
            parts: list[str] = []
            for one in self.chunks:
                known = "" if one.metadata is None else repr(one.metadata)
                parts += [f"'{one.id}'" if isinstance(one.id, str) else str(one.id.int), known, one.content]
            parts += [self.query, self.settings, repr(self.pinned)]
            if self.similarity is not None:
                parts.append(self.similarity.tobytes().hex())
            self._key = digest_of(parts)
        return self._key


def readable_documents(
    documents: tuple[Document, ...],
    sizes: Int64s,
    similarity: Float64s,
    config: CompressionConfig,
    manager: TokenBudgetManager,
    pinned: set[int],
) -> tuple[Document, ...]:
    """Blank the documents under the threshold, and those too far behind to have a least share."""
    near = similarity >= config.min_relevance_threshold - _TOLERANCE
    if config.allocation_strategy is not AllocationStrategy.MARGINAL:
        order = np.lexsort((np.arange(len(sizes)), -similarity))
        order = order[near[order]]
        least = np.cumsum(np.minimum(sizes[order], manager.config.min_per_document))
        near[order[max(int(np.searchsorted(least, manager.available(), side="right")), 1) :]] = False
    near[sorted(pinned)] = True
    return tuple(
        document if kept else Document("", document.id)
        for document, kept in zip(documents, near.tolist(), strict=True)
    )


def cosines_with(embeddings: npt.ArrayLike, query_embedding: npt.ArrayLike, documents: int) -> Float64s:
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


def to_strategy(strategy: CompressionStrategy | str | None) -> CompressionStrategy | None:
    """The strategy for itself, its name or None. Raises ValueError for anything else, and for PASSTHROUGH."""
    if strategy is None:
        return None
    chosen = to_choice(strategy, CompressionStrategy, "strategy")
    if chosen is CompressionStrategy.PASSTHROUGH:
        raise ValueError("strategy must be one that compresses; PASSTHROUGH is what happens where all fits")
    return chosen
