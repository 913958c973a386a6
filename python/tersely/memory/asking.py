"""Which messages have to do with a question: conversations speak of one thing for a while."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tersely.memory.messages import Entry
from tersely.providers.embedders import resolve_embedder
from tersely.relevance.hybrid import RERANK_SHARE, hybrid
from tersely.relevance.prepared import prepare
from tersely.tables import Level
from tersely.types import Document

__all__ = ["relevance_of"]

_REACH = 12  # messages: standard deviation of the Gaussian that spreads relevance to neighbours
_WINDOW = 200  # characters; not used at the level SENTENCE


def relevance_of(entries: Sequence[Entry], query: str) -> npt.NDArray[np.float64] | None:
    """float64[entries]: relevance of each and its neighbours; None where the query has to do with none.

    Of the segments of an entry the best counts (relevance/hybrid.py). O(characters).
    """
    documents = [Document("\n".join(piece.text for piece in entry.pieces)) for entry in entries]
    prepared = prepare(tuple(documents), query, Level.SENTENCE, _WINDOW)
    found = hybrid(prepared, resolve_embedder(None), None, RERANK_SHARE, None)
    if not found.by_query:
        return None
    table = prepared.analysis.table
    best = np.zeros(len(entries))
    np.maximum.at(best, table.document, found.segments[: len(table)])
    reach = np.arange(-3 * _REACH, 3 * _REACH + 1)
    weight = np.exp(-0.5 * (reach / _REACH) ** 2)
    near = np.convolve(best, weight)[3 * _REACH : -3 * _REACH]
    there = np.convolve(np.ones(len(best)), weight)[3 * _REACH : -3 * _REACH]
    spread: npt.NDArray[np.float64] = near / there
    return spread
