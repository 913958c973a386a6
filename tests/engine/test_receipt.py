"""The receipt of a result, and the error that a text over its budget is: never the caller's fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tersely.engine.finish import fates_of, make_receipt
from tersely.models.counters import resolve_counter
from tersely.types import Document, Receipt, Request

REASONS = ("budget", "redundant", "selected", "pinned")
STATUS = np.array([0, 2, 2, 1, 3, 0], dtype=np.uint8)


def words(text: str) -> int:
    return len(text.split())


def receipt_of(tokens: int = 9, status: np.ndarray = STATUS, counter: Any = words) -> Receipt:
    request = Request((Document("Rope."),), None, 10, 0.3, resolve_counter(counter))
    return make_receipt(
        request, 10, tokens, 40, status, ["empty_query"], recounts=3, fates=fates_of(REASONS, 2)
    )


def test_a_receipt_counts_the_reasons() -> None:
    receipt = receipt_of()
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
    assert receipt_of(status=STATUS[:0]).reasons == {}


def test_exactly_the_budget_is_fine() -> None:
    assert receipt_of(10).tokens == 10


def test_one_over_the_budget_is_not() -> None:
    with pytest.raises(ValueError, match="11 tokens for a budget of 10: the token counter words"):
        receipt_of(11)
    with pytest.raises(AssertionError, match="11 tokens for a budget of 10"):
        receipt_of(11, counter=None)
