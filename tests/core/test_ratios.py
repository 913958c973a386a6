"""How much shorter results are: the same three words everywhere (X71)."""

from __future__ import annotations

import math

import pytest
import tersely
from tersely.checks import Ratios
from tersely.memory import CompactionResult, compact_messages


def test_x71_ratio_reduction_and_factor_of_results() -> None:
    text = "One sentence about tides. Another about the moon. A third about the sun."
    kept = tersely.compress(text, ratio=0.5)
    sent = compact_messages([{"role": "user", "content": text}] * 20, budget=120)
    steps = CompactionResult(9, 3, 100, 25)
    for result in (kept, sent, steps):
        assert isinstance(result, Ratios) and 0 < result.ratio < 1
        assert result.reduction == pytest.approx(1 - result.ratio)
        assert result.factor == pytest.approx(1 / result.ratio)
    assert (steps.ratio, steps.reduction, steps.compression_ratio, steps.factor) == (0.25, 0.75, 0.75, 4.0)


def test_x71_nothing_and_nothing_left() -> None:
    assert CompactionResult(0, 0, 0, 0).factor == 1.0 and CompactionResult(0, 0, 0, 0).reduction == 0.0
    assert CompactionResult(9, 0, 100, 0).factor == math.inf
