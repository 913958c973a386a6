"""The compressor that makes several levels of a text."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from tersely import metrics
from tersely.documents import check_text
from tersely.errors import NotReversibleError
from tersely.strategies.compressor import Compressor
from tersely.strategies.contexts import CompressionLevel, HierarchicalContext, OriginalContext
from tersely.strategies.extractive_compressor import ExtractiveCompressor
from tersely.strategies.forms import Forms, checked_options
from tersely.strategies.hierarchical import Hierarchical, level_targets
from tersely.strategies.options import CompressionMethod, CompressionOptions
from tersely.types import Compressed, Document, Request

__all__ = ["HierarchicalCompressor"]


class HierarchicalCompressor(Forms[HierarchicalContext]):
    """Makes levels of a half, a quarter, an eighth ... of the original's tokens.

    Without `compressor`, with an extractive one or one without a model, each level is a verbatim part of the
    one before, made of one reading and one scoring of the text; with another one, such as a HybridCompressor
    with a model, each is that compressor's version of the one before. The targets are always parts of the
    original.

    Attributes:
        levels: how many.
        compressor: what compresses.
    """

    method = CompressionMethod.HIERARCHICAL

    def __init__(
        self,
        levels: int = 3,
        *,
        compressor: Compressor | None = None,
        embedder: Any = None,
        counter: Any = None,
        clock: Callable[[], datetime] | None = None,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        """See `Compressor` for what is not said above; with a `compressor` give these to it."""
        given = {"embedder": embedder, "counter": counter, "clock": clock, "new_id": new_id}
        if compressor is not None and any(value is not None for value in given.values()):
            named = ", ".join(name for name, value in given.items() if value is not None)
            raise ValueError(f"give {named} to the compressor")
        self.compressor = compressor or ExtractiveCompressor(embedder, counter, clock=clock, new_id=new_id)
        self.levels = Hierarchical(levels).levels

    @property
    def strategy(self) -> Hierarchical:
        """What `tersely.compress(..., strategy=compressor)` uses: the levels are extractive."""
        return self._strategy_for(CompressionOptions(), 0)

    def compress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> HierarchicalContext:
        """Make the levels of a text. Target and minimum of the options do not count, the rest does.

        Raises as `Compressor.compress` does.
        """
        options = checked_options(options)
        if not isinstance(content, str):
            raise TypeError(f"content must be str, not {type(content).__name__}")
        check_text(content, "content")
        timestamp = self.compressor.now()
        if isinstance(self.compressor, ExtractiveCompressor) or self._no_model():
            started = time.perf_counter()
            tokens, levels, warnings = self._verbatim(content, options)
            metrics.observe(self.method, tokens, levels[0].token_count, time.perf_counter() - started)
        else:  # the compressor's calls are observed, one by one
            tokens, levels, warnings = self._cascade(content, options)
        return HierarchicalContext(
            levels,
            OriginalContext(content, tokens, source, timestamp),
            self.compressor.new_id(content, options, self.method),
            tuple(dict.fromkeys(warnings)),
        )

    def decompress(self, compressed: HierarchicalContext) -> str:
        """The original text. Raises NotReversibleError where `compressed` does not have it."""
        if compressed.original is None:
            raise NotReversibleError("the levels came without their original")
        return compressed.original.content

    def _strategy_for(self, options: CompressionOptions, tokens: int) -> Hierarchical:
        if isinstance(self.compressor, ExtractiveCompressor):
            return Hierarchical(self.levels, self.compressor.strategy_for(options, tokens))
        extractive = ExtractiveCompressor(self.compressor.embedder, self.compressor.counter)
        return Hierarchical(self.levels, extractive.strategy_for(options, tokens))

    def _no_model(self) -> bool:
        """Whether the compressor would have a language model but has none: then it is extractive too."""
        return getattr(self.compressor, "llm", self) is None

    def _verbatim(
        self, content: str, options: CompressionOptions
    ) -> tuple[int, list[CompressionLevel], list[str]]:
        query = options.query_context or None
        request = Request((Document(content),), query, None, 1.0, self.compressor.counter)
        results = self._strategy_for(options, 0).compress_levels(request)
        levels = [
            CompressionLevel(level, result.text, result.tokens, result.ratio, result)
            for level, result in enumerate(results)
        ]
        return results[0].original_tokens, levels, _warnings(results)

    def _cascade(
        self, content: str, options: CompressionOptions
    ) -> tuple[int, list[CompressionLevel], list[str]]:
        tokens = self.compressor.counter.count(content)
        levels: list[CompressionLevel] = []
        warnings: list[str] = []
        text = content
        for level, target in enumerate(level_targets(tokens, self.levels)):
            made = self.compressor.compress(text, replace(options, target_tokens=target, min_tokens=0))
            text = made.compressed
            ratio = made.token_count / tokens if tokens else 1.0
            levels.append(CompressionLevel(level, text, made.token_count, ratio))
            warnings += made.warnings
        return tokens, levels, warnings


def _warnings(results: list[Compressed]) -> list[str]:
    return [warning for result in results for warning in result.receipt.warnings]
