"""Results that are relevant enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, TypeVar

__all__ = ["above_score"]


class _Scored(Protocol):
    @property
    def score(self) -> float: ...


Result = TypeVar("Result", bound=_Scored)


def above_score(results: Sequence[Result], min_score: float = 0.3) -> list[Result]:
    """`[result for result in results if result.score >= min_score]`: may be empty; the order is kept.

    Raises ValueError for a `min_score` that is not in [0, 1].
    """
    if isinstance(min_score, bool) or not isinstance(min_score, (int, float)):
        raise TypeError(f"min_score must be a number in [0, 1], not {min_score!r}")
    if math.isnan(min_score) or not 0 <= min_score <= 1:
        raise ValueError(f"min_score must lie in [0, 1], not {min_score}")
    return [result for result in results if result.score >= min_score]
