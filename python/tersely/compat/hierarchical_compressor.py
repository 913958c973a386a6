"""Compress a text to several levels, each shorter than the one before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from time import perf_counter
from typing import Any

from tersely import metrics
from tersely.compat.compressor import Compressor, Forms, checked_options
from tersely.compat.contexts import CompressedContext, CompressionLevel, HierarchicalContext, OriginalContext
from tersely.compat.extractive_compressor import ExtractiveCompressor
from tersely.core.documents import read_document
from tersely.core.errors import BudgetExceededError, NotReversibleError
from tersely.core.options import CompressionMethod, CompressionOptions
from tersely.core.types import Compressed, Document, Request
from tersely.engine.auto import Auto
from tersely.engine.count import count
from tersely.engine.hierarchical import Hierarchical, level_targets
from tersely.engine.required import smallest_fit

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
        return Hierarchical(self.levels, self.compressor.extractive_for(CompressionOptions()).text)

    def compress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> HierarchicalContext:
        """Make the levels of a text. Target and minimum of the options do not count, the rest does.

        A level that its target is too small for has the fewest tokens that do. Raises what
        `Compressor.compress` does, but no BudgetExceededError: there is no budget.
        """
        options = checked_options(options)
        document = read_document(Document(content), "content")
        timestamp = self.compressor.now()
        if options.preferred_method is CompressionMethod.HIERARCHICAL:  # as all of this is
            options = replace(options, preferred_method=CompressionMethod.HYBRID)
        verbatim = self.compressor.verbatim_for(options)
        if verbatim is not None:
            started = perf_counter()
            tokens, levels, warnings, reason = self._verbatim(document, options, verbatim)
            metrics.observe(self.method, tokens, levels[0].token_count, perf_counter() - started)
        else:  # the compressor's calls are observed, one by one
            tokens, levels, warnings, reason = self._cascade(document.text, options)
        return HierarchicalContext(
            levels,
            OriginalContext(content, tokens, source, timestamp),
            self.compressor.new_id(f"{self.levels} levels\0{content}", options),
            tuple(dict.fromkeys(warnings)),
            reason,
        )

    def decompress(self, compressed: HierarchicalContext) -> str:
        """The original text. Raises NotReversibleError where `compressed` does not have it."""
        if compressed.original is None:
            raise NotReversibleError("the levels came without their original")
        return compressed.original.content

    def _verbatim(
        self, document: Document, options: CompressionOptions, strategy: Auto
    ) -> tuple[int, Sequence[CompressionLevel], list[str], str | None]:
        query, counter = options.query_context or None, self.compressor.counter
        prepared = strategy.prepare(Request((document,), query, None, 1.0, counter))
        targets = level_targets(prepared.original_tokens, self.levels)

        def attempt(least: int) -> list[Compressed]:
            made = prepared.levels([max(target, least) for target in targets])
            return [self.compressor.checked(result) for result in made]

        results = smallest_fit(attempt, targets[-1], prepared.original_tokens)
        reason = "no_model" if self.compressor.misses_model(options) else None
        if reason is not None:
            results = [replace(one, receipt=one.receipt.without_model(reason)) for one in results]
        levels = [
            CompressionLevel(level, result.text, result.tokens, result.ratio, result)
            for level, result in enumerate(results)
        ]
        warnings = [warning for result in results for warning in result.receipt.warnings]
        return prepared.original_tokens, levels, warnings, reason

    def _cascade(
        self, content: str, options: CompressionOptions
    ) -> tuple[int, Sequence[CompressionLevel], list[str], str | None]:
        tokens = count(self.compressor.counter, content)
        levels: list[CompressionLevel] = []
        warnings: list[str] = []
        text, reason = content, None
        for level, target in enumerate(level_targets(tokens, self.levels)):
            made = self._shortened(text, options, target)
            text = made.compressed
            ratio = made.token_count / tokens if tokens else 1.0
            levels.append(CompressionLevel(level, text, made.token_count, ratio))
            warnings += made.warnings
            reason = reason or made.fallback_reason
        return tokens, levels, warnings, reason

    def _shortened(self, text: str, options: CompressionOptions, target: int) -> CompressedContext:
        """The compressor's version of a level; where the target is too small, the smallest that it says."""
        options = replace(options, target_tokens=target, min_tokens=0)
        try:
            return self.compressor.compress(text, options)
        except BudgetExceededError as error:
            return self.compressor.compress(text, replace(options, target_tokens=int(error.required)))
