"""Explain why a segment has its relevance score: what each feature adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tersely.core import checks
from tersely.core.documents import to_documents, to_level
from tersely.core.tables import Float32s, Float64s, Level, SegmentTable
from tersely.core.types import Document
from tersely.engine.probability import document_probability, segment_probability
from tersely.engine.relevance import hybrid, read_for_query
from tersely.engine.score import FEATURES
from tersely.providers.embedders import resolve_embedder, resolve_reranker

__all__ = ["Explanation", "explain"]

_WIDTH = 60  # characters of a segment's text that are shown


@dataclass(frozen=True, eq=False, slots=True)
class Explanation:
    """Scores and their parts.

    Attributes:
        documents: as given.
        table: the segments.
        scores: float32[n] >= 0, what `tersely.Extractive` ranks by.
        names: the features, engine/score.py; what each is stands in csrc/kernels/relevance/features.hpp.
            "trees": what they say together (csrc/kernels/relevance/columns.hpp).
        contributions: float32[len(names), n], weight times feature, and what the trees add; a score grows
            with their sum, and compares it with the median over the segments.
        relevance: float64[documents], the probability that each is on the topic of the query (on topic, not
            that it answers), whatever the others are.
        probability: float64[n], the same of each segment.
        warnings: "embedder_failed", "reranker_failed", "query_without_matches".
    """

    documents: tuple[Document, ...]
    table: SegmentTable
    scores: Float32s
    names: tuple[str, ...]
    contributions: Float32s
    relevance: Float64s
    probability: Float64s
    warnings: tuple[str, ...]

    def of(self, row: int) -> dict[str, float]:
        """What each feature adds to segment `row`, the largest first; those that add nothing are left out."""
        parts = zip(self.names, self.contributions[:, row].tolist(), strict=True)
        return dict(sorted(((n, p) for n, p in parts if p), key=lambda part: (-abs(part[1]), part[0])))

    def best(self, count: int = 5) -> list[int]:
        """Rows of the `count` highest scores, ties to the lowest row."""
        return [int(row) for row in np.argsort(-self.scores, kind="stable")[:count]]

    def __str__(self) -> str:
        """The five best segments, how probably they are on topic, their three largest parts: a line each."""
        lines = []
        for row in self.best():
            start, end = int(self.table.start[row]), int(self.table.end[row])
            text = " ".join(self.documents[int(self.table.document[row])].text[start:end].split())
            shown = text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
            parts = ", ".join(f"{name} {part:+.2f}" for name, part in list(self.of(row).items())[:3])
            lines.append(f"{self.scores[row]:6.2f}  {self.probability[row]:4.0%}  {shown:{_WIDTH}}  {parts}")
        return "\n".join(lines)


def explain(
    documents: Any,
    query: str,
    *,
    embedder: Any = None,
    reranker: Any = None,
    level: Level | str = Level.SENTENCE,
) -> Explanation:
    """Say what each segment's relevance to a query is made of.

    Args:
        documents: what `tersely.compress` takes.
        query: not blank.
        embedder, reranker: as for `tersely.Extractive`.
        level: what the segments are.

    Raises ValueError for a blank query.
    """
    query = checks.text(query, "query")
    if not query.strip():
        raise ValueError("query must not be blank")
    prepared = read_for_query(to_documents(documents), query.strip(), to_level(level))
    read_again = None if reranker is None else resolve_reranker(reranker)
    found = hybrid(prepared, resolve_embedder(embedder), read_again)
    weights = np.array([found.weights.get(name, 0.0) for name in FEATURES], dtype=np.float32)
    weighted = np.asarray(found.features * weights[:, None], dtype=np.float32)
    parts, names = np.vstack((weighted, found.corrections)), (*FEATURES, "trees")
    return Explanation(
        prepared.documents,
        prepared.table,
        found.segments,
        names,
        parts,
        document_probability(found.asked),
        segment_probability(found.asked),
        found.warnings,
    )
