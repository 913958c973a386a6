"""Relevance to the query of units that a content type has cut itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tersely import _native
from tersely.providers.embedders import resolve_embedder
from tersely.relevance.hybrid import hybrid
from tersely.relevance.prepared import Prepared
from tersely.stages.question import read_question
from tersely.stages.score import FEATURES, weigh
from tersely.tables import Analysis, Float32s, SegmentTable
from tersely.types import Request

__all__ = ["UnitRelevance", "unit_relevance"]

_OWN = ("share", "bm25", "document", "answer", "named", "cosine", "cosine_document")
_AROUND = [row for row, name in enumerate(FEATURES) if name not in _OWN]


@dataclass(frozen=True, eq=False, slots=True)
class UnitRelevance:
    """Scores of units.

    Attributes:
        scores: float32[n] >= 0; all 0 where there is no query.
        by_query: whether the query has to do with the text.
        warnings: reason codes.
    """

    scores: Float32s
    by_query: bool
    warnings: tuple[str, ...] = ()


def unit_relevance(request: Request, table: SegmentTable) -> UnitRelevance:
    """What each unit of `table` has to do with the request's query, by terms and vectors.

    What stands around a unit counts for nothing: units of data do not continue each other. O(characters).
    """
    query = (request.query or "").strip()
    none = np.zeros(len(table), dtype=np.float32)
    if not query:
        return UnitRelevance(none, False, ("empty_query",) if request.query is not None else ())
    question = read_question(query)
    texts = [document.text for document in request.documents]
    rows = zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
    units = [texts[index][start:end] for index, start, end in rows]
    titles = [document.title or "" for document in request.documents]
    ids, offsets, words = _native.terms([*units, question.text, *titles])
    analysis = Analysis(table, ids, offsets, np.zeros(len(words), dtype=np.uint8))
    found = hybrid(Prepared(request.documents, query, question, analysis), resolve_embedder(None))
    if not found.by_query:
        return UnitRelevance(none, False, found.warnings)
    found.features[_AROUND] = 0
    return UnitRelevance(weigh(found.features, found.weights), True, found.warnings)
