"""Spans of evidence that tersely.compress keeps whole, with trees of relevance that never saw the like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import tersely
from tersely.models.weights import forest_of, relevance_forest

from benchmarks.quality.evidence_metric import stands_in
from benchmarks.quality.tasks import ENCODING, Question, at_ratios

__all__ = ["spans_kept"]


def spans_kept(asked: Sequence[Question], trees: Mapping[str, Any], ratio: float) -> float:
    """The share of all spans of these questions; `trees`: as forest.json has them, for static vectors."""
    given = forest_of(trees)

    def forest(kind: str) -> object:
        return given if kind == "static" else relevance_forest(kind)

    found: list[bool] = []
    with patch("tersely.engine.worth.relevance_forest", forest):
        for task in at_ratios(asked, (ratio,)):
            text = tersely.compress(
                task.documents, query=task.query, budget=task.budget, counter=ENCODING
            ).text
            found += [stands_in(text, span) for span in task.evidence]
    return float(np.mean(found))
