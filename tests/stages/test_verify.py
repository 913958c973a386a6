"""The verify stage: a receipt, or an error that a strategy must never cause."""

from __future__ import annotations

import numpy as np
import pytest
from tersely.stages.verify import verify

REASONS = ("budget", "redundant", "selected", "pinned")
GIVEN = {
    "budget": 10,
    "tokens": 9,
    "original_tokens": 40,
    "counter": "words",
    "status": np.array([0, 2, 2, 1, 3, 0], dtype=np.uint8),
    "reasons": REASONS,
    "first_kept": 2,
    "recounts": 3,
    "warnings": ["empty_query"],
}


def test_a_receipt_counts_the_reasons() -> None:
    receipt = verify(**GIVEN)
    assert receipt.segments == 6
    assert receipt.reasons == {
        "dropped:budget": 2,
        "dropped:redundant": 1,
        "kept:selected": 2,
        "kept:pinned": 1,
    }
    assert (receipt.budget, receipt.tokens, receipt.original_tokens) == (10, 9, 40)
    assert (receipt.counter, receipt.recounts, receipt.warnings) == ("words", 3, ("empty_query",))


def test_reasons_that_did_not_occur_are_left_out() -> None:
    assert verify(**{**GIVEN, "status": np.array([], dtype=np.uint8)}).reasons == {}


def test_exactly_the_budget_is_fine() -> None:
    assert verify(**{**GIVEN, "tokens": 10}).tokens == 10


def test_one_over_the_budget_is_not() -> None:
    with pytest.raises(AssertionError, match="11 tokens for a budget of 10"):
        verify(**{**GIVEN, "tokens": 11})
