"""Abstractive compression: a model writes the text, and its work is checked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from tersely.errors import SummarizationError
from tersely.providers.language_models import resolve_language_model
from tersely.stages.count import count
from tersely.stages.facts import PRESERVABLE
from tersely.stages.segment import segment
from tersely.strategies.asking import Steps, answer, answer_async
from tersely.strategies.extractive import Extractive
from tersely.strategies.options import CompressionMethod
from tersely.strategies.writing import Writing, write
from tersely.tables import SegmentTable, UInt8s
from tersely.types import Compressed, Request

__all__ = ["Abstractive"]

_REWRITTEN = 2  # of strategies/writing.py


@dataclass(frozen=True, slots=True)
class Abstractive:
    """A model writes the text.

    Its reply is never trusted: one that is empty or over the budget is asked for once more; code that it
    altered becomes the source's again, or goes; segments with preserved facts that it lost are put behind it,
    verbatim, as far as the budget goes; what it wrote is marked (`Compressed.generated`), and what it made up
    (facts that no source has) is in the receipt as unsupported. Where no model is given or its text cannot be
    used, the result is extractive and `receipt.fallback_reason` says why.

    Attributes:
        llm: what `tersely.providers.language_models.resolve_language_model` takes; None: there is none.
        preserve: names of the facts that must not get lost, as for `Extractive`.
        min_confidence: in [0, 1]; a text below it (strategies/grounding.py) is not used.
        strict_preserve: nor is one that lost a preserved fact.
        fallback: what happens when the model raises: extractive compression, or SummarizationError.
        max_prompt_tokens: longer prompts, in tokens of the request's counter, are split at blocks; each part
            is compressed on its own. None: never.
        concurrency: parts that are with the model at a time.
        extractive: compresses where the model does not, with the same `preserve` and `strict_preserve`.
    """

    method: ClassVar[CompressionMethod] = CompressionMethod.ABSTRACTIVE

    llm: Any = None
    preserve: tuple[str, ...] = ("code", "quotes", "numbers")
    min_confidence: float = 0.7
    strict_preserve: bool = False
    fallback: bool = False
    max_prompt_tokens: int | None = None
    concurrency: int = 4
    extractive: Extractive = field(default_factory=Extractive)

    def __post_init__(self) -> None:
        """Check the options."""
        check_options(self)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget; what is within it stays as it is, and no model is asked.

        Raises SummarizationError where the model raises and there is no `fallback`, and BudgetExceededError
        as `Extractive` does.
        """
        model = resolve_language_model(self.llm) if self.llm is not None else None
        return answer(self.steps(request), model, self.concurrency)

    async def acompress(self, request: Request) -> Compressed:
        """As `compress`; the model is asked in the caller's event loop where it has `acomplete`."""
        model = resolve_language_model(self.llm) if self.llm is not None else None
        return await answer_async(self.steps(request), model, self.concurrency)

    def steps(self, request: Request) -> Steps:
        """The whole of a call: yields prompts, takes replies, returns the result."""
        request, original = within(request)
        if original <= (request.budget or 0):
            return self.whole_segments(strict=False).compress(request)
        if self.llm is None:
            return self.verbatim(request, "no_model")
        texts = [document.text for document in request.documents]
        table = segment(texts, self.extractive.level, self.extractive.window)
        status = np.full(len(table), _REWRITTEN, dtype=np.uint8)
        return (yield from self.rewritten(request, table, status, original))

    def rewritten(self, request: Request, table: SegmentTable, status: UInt8s, original: int) -> Steps:
        """The steps after it is known what the model reads: the segments of status 2."""
        task = Writing(
            request,
            table,
            status,
            original,
            self.preserve,
            self.min_confidence,
            self.strict_preserve,
            self.max_prompt_tokens,
        )
        done = yield from write(task)
        if isinstance(done, Compressed):
            return done
        if done.error is not None and not self.fallback:
            raise SummarizationError(
                f"{resolve_language_model(self.llm).name} failed: {type(done.error).__name__}"
            ) from done.error
        return self.verbatim(request, done.reason)

    def whole_segments(self, strict: bool) -> Extractive:
        """The extractive strategy, with what is to be preserved."""
        return replace(self.extractive, preserve=self.preserve, strict_preserve=strict)

    def verbatim(self, request: Request, reason: str) -> Compressed:
        """The extractive result, which says why it is one."""
        result = self.whole_segments(self.strict_preserve).compress(request)
        return replace(result, receipt=replace(result.receipt, fallback_reason=reason))


def within(request: Request) -> tuple[Request, int]:
    """The request with its budget in tokens, and the tokens of its documents."""
    original = count(request.counter, request.separator.join(document.text for document in request.documents))
    budget = request.budget if request.budget is not None else max(1, int(original * request.ratio))
    return replace(request, budget=budget), original


def check_options(strategy: Any) -> None:
    """Raise TypeError or ValueError for options of Abstractive that are none."""
    if strategy.llm is not None:
        resolve_language_model(strategy.llm)
    if isinstance(strategy.preserve, str) or not set(strategy.preserve) <= set(PRESERVABLE):
        raise ValueError(f"preserve must be names of {', '.join(PRESERVABLE)}, not {strategy.preserve!r}")
    trust = strategy.min_confidence
    if isinstance(trust, bool) or not isinstance(trust, (int, float)) or not 0 <= trust <= 1:
        raise ValueError(f"min_confidence must lie in [0, 1], not {trust!r}")
    for name in ("max_prompt_tokens", "concurrency"):
        value = getattr(strategy, name)
        if value is None and name == "max_prompt_tokens":
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} must be a whole number from 1, not {value!r}")
    for name in ("strict_preserve", "fallback"):
        if not isinstance(getattr(strategy, name), bool):
            raise TypeError(f"{name} must be True or False, not {getattr(strategy, name)!r}")
    object.__setattr__(strategy, "preserve", tuple(strategy.preserve))
