"""Hybrid compression: long texts are first compressed extractively, then a model shortens the extract."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tersely import checks
from tersely.engine.reading import mark_pinned
from tersely.errors import BudgetExceededError
from tersely.options import CompressionMethod
from tersely.types import Request, SegmentTable, UInt8s
from tersely.writing.abstractive import Abstractive

_FIRST_STAGE = 0.5  # of the original tokens
_BUDGET, _REDUNDANT, _REWRITTEN = range(3)  # of writing/abstractive.py


@dataclass(frozen=True, slots=True)
class Hybrid(Abstractive):
    """Lets a language model rewrite the text, after a verbatim selection of half of a long text.

    Attributes:
        fallback: use verbatim text if the model fails; True by default.
        threshold: the model receives a text of fewer tokens whole, and also a text of which at least half of
            the tokens are to be kept.
    """

    method: ClassVar[CompressionMethod] = CompressionMethod.HYBRID

    fallback: bool = True
    threshold: int = 2000

    def __post_init__(self) -> None:
        super(Hybrid, self).__post_init__()
        checks.whole_number(self.threshold, "threshold")

    def first_target(self, original: int, budget: int) -> int | None:
        """Return the tokens that the first stage keeps of `original`; None if there is only one stage."""
        half = int(original * _FIRST_STAGE)
        return None if original < self.threshold or budget >= original * _FIRST_STAGE else max(half, budget)

    def first_stage(self, request: Request, table: SegmentTable, original: int) -> UInt8s:
        """Return uint8[n]: 2 for segments that the extractive stage keeps, a reason for the others."""
        target = self.first_target(original, request.budget or 0)
        everything = super(Hybrid, self).first_stage(request, table, original)
        if target is None:
            return everything
        extractive = replace(self.extractive, preserve=self.preserve, strict_preserve=False)
        try:
            found = extractive.compress(replace(request, budget=target))
        except BudgetExceededError:  # of half of it; what the whole budget needs is said where that is used
            return everything
        if any(span.reason == "cut" for span in found.kept):  # not even one segment is whole
            return everything
        status = np.full(len(table), _BUDGET, dtype=np.uint8)
        repeated = [span for span in found.dropped if span.reason == "redundant"]
        for spans, code in ((repeated, _REDUNDANT), (found.kept, _REWRITTEN)):
            places = [(span.document, span.start, span.end) for span in spans]
            status[mark_pinned(table, places).astype(bool)] = code
        return status
