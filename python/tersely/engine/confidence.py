"""How much of a text its compression still says, as one number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely.engine.segment import analyze

__all__ = ["REPRESENTED", "confidence"]

REPRESENTED = 0.5  # of a segment's terms


def confidence(sources: Sequence[str], text: str, query: str = "", retention: float = 1.0) -> float:
    """0.5 * retention + 0.3 * query coverage + 0.2 * unit coverage, in [0, 1].

    `retention`: share of the must-keep facts that `text` still has. Query coverage: of the query's terms that
    the sources hold, the share that `text` holds; 1 where there are none. Unit coverage: share of the
    sources' segments of which `text` holds at least half of the terms; 1 where no segment has a term. It
    reads terms only, so that it says the same of verbatim text and of what a model wrote. O(characters).
    """
    if not 0 <= retention <= 1:
        raise ValueError(f"retention must lie in [0, 1], not {retention}")
    analysis = analyze(sources, [text, query])
    segments = len(analysis.table)
    offsets, ids = analysis.term_offsets, analysis.term_ids
    said = np.zeros(analysis.vocabulary, dtype=bool)
    said[ids[offsets[segments] : offsets[segments + 1]]] = True
    known = np.zeros(analysis.vocabulary, dtype=bool)
    known[ids[: offsets[segments]]] = True
    asked = np.unique(ids[offsets[segments + 1] : offsets[segments + 2]])
    asked = asked[known[asked]]
    rows = np.repeat(np.arange(segments), np.diff(offsets[: segments + 1]))
    terms = np.bincount(rows, minlength=segments)
    held = np.bincount(rows, said[ids[: offsets[segments]]], minlength=segments)
    told = terms > 0
    query_coverage = float(said[asked].mean()) if len(asked) else 1.0
    unit_coverage = float((held[told] >= REPRESENTED * terms[told]).mean()) if told.any() else 1.0
    return 0.5 * retention + 0.3 * query_coverage + 0.2 * unit_coverage
