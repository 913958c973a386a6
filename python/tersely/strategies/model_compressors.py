"""The compressors in which a language model has a part."""

from __future__ import annotations

from typing import Any

from tersely.providers.language_models import resolve_language_model
from tersely.strategies.abstractive import Abstractive
from tersely.strategies.compressor import Compressor
from tersely.strategies.contexts import CompressedContext
from tersely.strategies.extractive import Extractive
from tersely.strategies.hybrid import Hybrid
from tersely.strategies.options import CompressionMethod, CompressionOptions

__all__ = ["AbstractiveCompressor", "HybridCompressor"]


class _ModelCompressor(Compressor):
    def __init__(
        self,
        llm: Any = None,
        embedder: Any = None,
        counter: Any = None,
        *,
        fallback: bool,
        max_prompt_tokens: int | None = None,
        concurrency: int = 4,
        clock: Any = None,
        new_id: Any = None,
    ) -> None:
        super().__init__(embedder=embedder, counter=counter, clock=clock, new_id=new_id)
        self.llm = llm
        self.model_name = "" if llm is None else resolve_language_model(llm).name
        self._settings = {
            "llm": llm,
            "fallback": fallback,
            "max_prompt_tokens": max_prompt_tokens,
            "concurrency": concurrency,
            "extractive": Extractive(embedder=embedder),
        }
        Abstractive(**self._settings)  # say now what is wrong with them

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

        asked = await asyncio.to_thread(self._asked, content, options)
        if isinstance(asked.strategy, Abstractive):
            result = await asked.strategy.acompress(asked.request)
        else:
            result = await asyncio.to_thread(asked.strategy.compress, asked.request)
        return await asyncio.to_thread(self._answered, asked, result, source)


class AbstractiveCompressor(_ModelCompressor):
    """A language model writes the text (see `Abstractive`); its errors come out as SummarizationError."""

    method = CompressionMethod.ABSTRACTIVE

    def __init__(
        self,
        llm: Any = None,
        counter: Any = None,
        *,
        embedder: Any = None,
        fallback: bool = False,
        max_prompt_tokens: int | None = None,
        concurrency: int = 4,
        clock: Any = None,
        new_id: Any = None,
    ) -> None:
        """See `Compressor` and `Abstractive`.

        Args:
            llm: an object with `complete(prompt)` or `generate_response(prompt=...)`, or a callable. None:
                results are extractive, and say so.
            counter, embedder, clock, new_id: as for `Compressor`; the embedder is for extractive results.
            fallback: be extractive where the model raises.
            max_prompt_tokens, concurrency: as for `Abstractive`.
        """
        super().__init__(
            llm,
            embedder,
            counter,
            fallback=fallback,
            max_prompt_tokens=max_prompt_tokens,
            concurrency=concurrency,
            clock=clock,
            new_id=new_id,
        )

    def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Abstractive:
        """`Abstractive`, always."""
        return Abstractive(**self._options(options))


class HybridCompressor(_ModelCompressor):
    """Extractive, then abstractive for long texts; abstractive alone for short ones (see `Hybrid`).

    `options.preferred_method` EXTRACTIVE asks no model; ABSTRACTIVE, or `allow_hybrid=False`, leaves out the
    first stage. Without a model, or where it fails, results are extractive: `fallback_reason` says why.
    """

    method = CompressionMethod.HYBRID

    def __init__(
        self,
        llm: Any = None,
        embedder: Any = None,
        counter: Any = None,
        *,
        threshold: int = 2000,
        fallback: bool = True,
        max_prompt_tokens: int | None = None,
        concurrency: int = 4,
        clock: Any = None,
        new_id: Any = None,
    ) -> None:
        """See `Compressor`, `Abstractive` and `Hybrid`.

        Args:
            llm, embedder, counter: as for `AbstractiveCompressor`.
            threshold: a text of fewer tokens has one stage.
            fallback: be extractive where the model raises; else SummarizationError.
            max_prompt_tokens, concurrency, clock, new_id: as for `AbstractiveCompressor`.
        """
        super().__init__(
            llm,
            embedder,
            counter,
            fallback=fallback,
            max_prompt_tokens=max_prompt_tokens,
            concurrency=concurrency,
            clock=clock,
            new_id=new_id,
        )
        self.threshold = Hybrid(threshold=threshold).threshold

    @property
    def strategy(self) -> Hybrid:
        """`Hybrid` with default options."""
        return Hybrid(**self._options(CompressionOptions()), threshold=self.threshold)

    def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Abstractive | Extractive:
        """`Hybrid` where it has two stages; else `Abstractive`, or what the options prefer."""
        if options.preferred_method is CompressionMethod.EXTRACTIVE:
            return Extractive(embedder=self.embedder)
        two_stages = Hybrid(**self._options(options), threshold=self.threshold)
        alone = options.preferred_method is CompressionMethod.ABSTRACTIVE or not options.allow_hybrid
        if alone or two_stages.first_target(original_tokens, options.target(original_tokens)) is None:
            return Abstractive(**self._options(options))
        return two_stages
