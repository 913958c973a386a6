"""`ratio`, `reduction` and `factor`: how much shorter a result is than what came."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

__all__ = ["Ratios"]


class Ratios(ABC):
    """Base class of results that derives `reduction` and `factor` from their `ratio`."""

    __slots__ = ()

    @property
    @abstractmethod
    def ratio(self) -> float:
        """Size of the result / size of what came; 1.0 where nothing came."""

    @property
    def reduction(self) -> float:
        """1 - ratio: the share that is gone."""
        return 1.0 - self.ratio

    @property
    def factor(self) -> float:
        """1 / ratio: how many times shorter; infinite where nothing is left."""
        return 1.0 / self.ratio if self.ratio else math.inf
