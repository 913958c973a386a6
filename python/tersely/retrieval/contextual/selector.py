"""StrategySelector: which way to compress."""

from __future__ import annotations

from collections.abc import Sequence

from tersely.retrieval.contextual.settings import CompressionConfig, CompressionStrategy
from tersely.stages.detect import detect_each

__all__ = ["StrategySelector"]

_WORDS = ("prose", "markdown", "conversation", "html", "mixed")  # what a model may put in words of its own
_LONG = 2000  # tokens of a document that is first cut to what matters


class StrategySelector:
    """Chooses a strategy: the one asked for, else by documents and budget, else the default."""

    def select(
        self,
        texts: Sequence[str],
        sizes: Sequence[int],
        available: int,
        config: CompressionConfig,
        *,
        strategy: CompressionStrategy | None = None,
        has_model: bool = False,
    ) -> CompressionStrategy:
        """The strategy for documents of so many tokens each.

        `strategy` where it is not None; `config.default_strategy` where `auto_select` is off. Else
        PASSTHROUGH where all of it fits; EXTRACTIVE without a model, for code, logs, data and the like, and
        where the budget is at least `summary_ratio` of the documents: whole sentences will do. Else HYBRID
        where a document has over 2,000 tokens, and ABSTRACTIVE.
        """
        if strategy is not None:
            return strategy
        if not config.auto_select:
            return config.default_strategy
        total = sum(sizes)
        if total <= available:
            return CompressionStrategy.PASSTHROUGH
        if not has_model or available >= config.summary_ratio * total:
            return CompressionStrategy.EXTRACTIVE
        kinds = {found.kind for found in detect_each(texts)}
        if not kinds <= set(_WORDS):
            return CompressionStrategy.EXTRACTIVE
        return CompressionStrategy.HYBRID if max(sizes) > _LONG else CompressionStrategy.ABSTRACTIVE
