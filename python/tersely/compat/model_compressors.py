"""Compressors that use a language model: abstractive and hybrid."""

from __future__ import annotations

from typing import Any

from tersely.compat.compressor import Compressor
from tersely.compat.contexts import CompressedContext
from tersely.core.options import CompressionMethod, CompressionOptions
from tersely.core.protocols import Strategy
from tersely.engine.extractive import Extractive
from tersely.engine.hierarchical import Hierarchical
from tersely.providers.flows import one_model
from tersely.providers.language_models import resolve_language_model
from tersely.write.abstractive import Abstractive
from tersely.write.hybrid import Hybrid

__all__ = ["AbstractiveCompressor", "HybridCompressor"]


class _ModelCompressor(Compressor):
    """Base class of both: their model, and strategies for options that ask no model."""

    def __init__(
        self,
        model: Any,
        embedder: Any,
        counter: Any,
        fallback: bool,
        max_prompt_tokens: int | None,
        concurrency: int,
        clock: Any,
        new_id: Any,
    ) -> None:
        super().__init__(embedder=embedder, counter=counter, clock=clock, new_id=new_id)
        self.model = model
        self.model_name = "" if model is None else resolve_language_model(model).name
        self._settings = {
            "model": model,
            "fallback": fallback,
            "max_prompt_tokens": max_prompt_tokens,
            "concurrency": concurrency,
            "extractive": Extractive(embedder=embedder),
        }
        Abstractive(**self._settings)  # say now what is wrong with them

    @property
    def llm(self) -> Any:
        """The model."""
        return self.model

    def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Strategy:
        """Choose by `options.preferred_method`: EXTRACTIVE and HIERARCHICAL ask no model."""
        verbatim = self.extractive_for(options)
        if options.preferred_method is CompressionMethod.HIERARCHICAL:
            return Hierarchical(extractive=verbatim.text)
        if options.preferred_method is CompressionMethod.EXTRACTIVE or self.lacks_model:
            return verbatim
        return self._writer(options, original_tokens)

    def _writer(self, options: CompressionOptions, original_tokens: int) -> Abstractive:
        return Abstractive(**self._options(options))

    def _options(self, options: CompressionOptions) -> dict[str, Any]:
        return {
            **self._settings,
            "preserve": options.preserve,
            "min_confidence": options.min_confidence,
            "strict_preserve": options.strict_preserve,
        }

    async def acompress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> CompressedContext:
        """`compress` for async callers: the model is asked in their event loop where it has `acomplete`, and
        everything else runs on other threads."""
        import asyncio

        call = await asyncio.to_thread(self.call, content, options)
        if isinstance(call.strategy, Abstractive):
            result = await call.strategy.acompress(call.request)
        else:
            result = await asyncio.to_thread(call.run)
        return await asyncio.to_thread(self.finish, call, result, source)


class AbstractiveCompressor(_ModelCompressor):
    """A language model writes the text (see `Abstractive`); its errors come out as SummarizationError.

    `options.preferred_method` EXTRACTIVE or HIERARCHICAL asks no model.
    """

    method = CompressionMethod.ABSTRACTIVE

    def __init__(
        self,
        model: Any = None,
        counter: Any = None,
        *,
        embedder: Any = None,
        fallback: bool = False,
        max_prompt_tokens: int | None = None,
        concurrency: int = 4,
        clock: Any = None,
        new_id: Any = None,
        llm: Any = None,
    ) -> None:
        """See `Compressor` and `Abstractive`.

        Args:
            model: see `resolve_language_model`; `llm` is another name of it. None: results are extractive,
                and say so.
            counter, embedder, clock, new_id: as for `Compressor`; the embedder is for extractive results.
            fallback: be extractive where the model raises.
            max_prompt_tokens, concurrency: as for `Abstractive`.
        """
        model = one_model(model=model, llm=llm)
        super().__init__(model, embedder, counter, fallback, max_prompt_tokens, concurrency, clock, new_id)


class HybridCompressor(_ModelCompressor):
    """Extractive, then abstractive for long texts; abstractive alone for short ones (see `Hybrid`).

    `options.preferred_method` EXTRACTIVE or HIERARCHICAL asks no model; ABSTRACTIVE, or `allow_hybrid=False`,
    leaves out the first stage. Without a model, or where it fails, results are extractive: `fallback_reason`
    says why.
    """

    method = CompressionMethod.HYBRID

    def __init__(
        self,
        model: Any = None,
        embedder: Any = None,
        counter: Any = None,
        *,
        threshold: int = 2000,
        fallback: bool = True,
        max_prompt_tokens: int | None = None,
        concurrency: int = 4,
        clock: Any = None,
        new_id: Any = None,
        llm: Any = None,
    ) -> None:
        """See `Compressor`, `Abstractive` and `Hybrid`.

        Args:
            model, llm, embedder, counter: as for `AbstractiveCompressor`.
            threshold: a text of fewer tokens has one stage.
            fallback: be extractive where the model raises; else SummarizationError.
            max_prompt_tokens, concurrency, clock, new_id: as for `AbstractiveCompressor`.
        """
        model = one_model(model=model, llm=llm)
        super().__init__(model, embedder, counter, fallback, max_prompt_tokens, concurrency, clock, new_id)
        self.threshold = Hybrid(threshold=threshold).threshold

    @property
    def strategy(self) -> Hybrid:
        """`Hybrid` with default options."""
        return Hybrid(**self._options(CompressionOptions()), threshold=self.threshold)

    def _writer(self, options: CompressionOptions, original_tokens: int) -> Abstractive:
        two_stages = Hybrid(**self._options(options), threshold=self.threshold)
        alone = options.preferred_method is CompressionMethod.ABSTRACTIVE or not options.allow_hybrid
        if alone or two_stages.first_target(original_tokens, options.target(original_tokens)) is None:
            return super()._writer(options, original_tokens)
        return two_stages
