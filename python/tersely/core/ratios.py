"""How much shorter a result is, said in three ways that nobody confuses."""

from __future__ import annotations

import math

__all__ = ["Ratios"]


class Ratios:
    """Derives `reduction` and `factor` from a result's `ratio`, which is what is left of what came."""

    __slots__ = ()

    @property
    def ratio(self) -> float:
        """Shorter / original; 1.0 where there was nothing."""
        raise NotImplementedError

    @property
    def reduction(self) -> float:
        """1 - ratio: the share that is gone."""
        return 1.0 - self.ratio

    @property
    def factor(self) -> float:
        """1 / ratio: how many times shorter; infinite where nothing is left."""
        return 1.0 / self.ratio if self.ratio else math.inf
