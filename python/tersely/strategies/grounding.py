"""How far a text that a model wrote can be trusted, as one number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely import _native
from tersely.facts import FactReport
from tersely.strategies.confidence import confidence

__all__ = ["grounding", "written_confidence"]

_HALF = 0.5


def written_confidence(
    sources: Sequence[str], text: str, written: str, query: str, retention: float, report: FactReport
) -> float:
    """How far to trust a text, in [0, 1]: `confidence` of the whole `text`, times `grounding` of what the
    model wrote of it, times the share of the distinct facts it states (kept or unsupported in the `report` of
    all facts) that some source has. `retention`: of the facts that are to be preserved. O(characters)."""
    unsupported = len(report.of("unsupported"))
    stated = unsupported + len(report.of("kept"))
    supported = 1 - unsupported / stated if stated else 1.0
    return confidence(sources, text, query, retention) * grounding(sources, written) * supported


def grounding(sources: Sequence[str], written: str) -> float:
    """In [0, 1]: 1 where at least half of the terms of `written` stand in the sources, and at least half of
    its pairs of neighbouring terms are different ones; below that in proportion, multiplied.

    The first is low for text about something else, the second where a model went round in circles. 0 where
    `written` has no terms. O(characters).
    """
    ids, offsets, _ = _native.terms([*sources, written])
    told = ids[offsets[-2] : offsets[-1]].astype(np.int64)
    if len(told) == 0:
        return 0.0
    known = np.isin(told, ids[: offsets[-2]]).mean()
    pairs = told[:-1] << 32 | told[1:]
    different = len(np.unique(pairs)) / len(pairs) if len(pairs) else 1.0
    return float(min(known / _HALF, 1.0) * min(different / _HALF, 1.0))
