"""Ways to compress, and their names for the command line and servers."""

from __future__ import annotations

from collections.abc import Callable

from tersely.protocols import Strategy
from tersely.strategies.extractive import Extractive

__all__ = ["STRATEGIES", "Extractive"]

STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "extractive": Extractive,
    "lead": lambda: Extractive(scoring="lead", redundancy=0.0),
}
