"""Hybrid compression: long texts are first cut to what matters, then a model writes the rest of the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from tersely.strategies.abstractive import Abstractive, within
from tersely.strategies.asking import Steps
from tersely.strategies.options import CompressionMethod
from tersely.types import Request, Spans

__all__ = ["Hybrid"]

_FIRST_STAGE = 0.5  # of the original tokens
_REWRITTEN = 2  # of strategies/writing.py


@dataclass(frozen=True, slots=True)
class Hybrid(Abstractive):
    """Abstractive, after extractive compression to half of the tokens where the text is long.

    Attributes:
        fallback: here True without a word from the caller.
        threshold: a text of fewer tokens is for the model alone; so is one that is to keep half of its tokens
            or more.
    """

    method: ClassVar[CompressionMethod] = CompressionMethod.HYBRID

    fallback: bool = True
    threshold: int = 2000

    def __post_init__(self) -> None:
        """Check the options."""
        super(Hybrid, self).__post_init__()
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, int) or self.threshold < 0:
            raise ValueError(f"threshold must be a whole number of tokens from 0, not {self.threshold!r}")

    def first_target(self, original: int, budget: int) -> int | None:
        """Tokens that the first stage keeps of `original`; None where there is only one stage."""
        half = int(original * _FIRST_STAGE)
        return None if original < self.threshold or budget >= original * _FIRST_STAGE else max(half, budget)

    def steps(self, request: Request) -> Steps:
        """The whole of a call: yields prompts, takes replies, returns the result."""
        request, original = within(request)
        budget = request.budget or 0
        first = self.first_target(original, budget)
        if first is None or original <= budget or self.llm is None:
            return (yield from super(Hybrid, self).steps(request))
        extracted = self.whole_segments(strict=False).compress(replace(request, budget=first))
        if not isinstance(extracted.kept, Spans):  # a cut segment: nothing that a second stage could add to
            return (yield from super(Hybrid, self).steps(request))
        status = extracted.kept.codes.copy()
        status[extracted.kept.rows] = _REWRITTEN
        return (yield from self.rewritten(request, extracted.kept.table, status, original))
