"""Names of strategies, for callers, the command line and servers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from tersely.core.protocols import Strategy
from tersely.engine.extractive import Extractive

__all__ = ["STRATEGIES"]


def _late(module: str, name: str) -> Callable[[], Strategy]:
    """A strategy whose module loads when it is made."""

    def make() -> Strategy:
        strategy: Strategy = getattr(import_module(module), name)()
        return strategy

    return make


STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "extractive": Extractive,
    "lead": lambda: Extractive(scoring="lead", redundancy=0.0),
    "abstractive": _late("tersely.write.abstractive", "Abstractive"),
    "hybrid": _late("tersely.write.hybrid", "Hybrid"),
    "hierarchical": _late("tersely.engine.hierarchical", "Hierarchical"),
    "manager": _late("tersely.compat.by_document", "ByDocument"),
}
