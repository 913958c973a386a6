"""Bootstrap intervals of a mean over sets: questions are drawn again within each set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["interval", "mean_over_sets"]

_ROUNDS = 2_000
_SEED = 7


def mean_over_sets(values: Sequence[Sequence[float]]) -> float:
    """Mean of the means of the sets."""
    return float(np.mean([np.mean(group) for group in values]))


def interval(values: Sequence[Sequence[float]]) -> tuple[float, float]:
    """95% interval of `mean_over_sets`, percentile method, fixed seed.

    Groups of the same sizes are drawn the same way, so systems are compared on the same draws.
    O(rounds x values).
    """
    generator = np.random.default_rng(_SEED)
    means = np.zeros(_ROUNDS)
    for group in values:
        drawn = generator.integers(0, len(group), (_ROUNDS, len(group)))
        means += np.asarray(group, dtype=np.float64)[drawn].mean(axis=1)
    low, high = np.percentile(means / len(values), (2.5, 97.5))
    return float(low), float(high)
