"""budget and ratio: what they mean, and what they refuse."""

from __future__ import annotations

import math
import pickle

import numpy as np
import odd_counters
import pytest
import tersely
from sample_texts import GUIDE, prose
from tersely import BudgetExceededError, CompressionError
from tersely.models.counters import resolve_counter

TEXT = prose(40)


@pytest.mark.parametrize("budget", [1, 2, 5, 77, 200, 400])
def test_A016_token_target_is_never_exceeded(budget: int) -> None:
    result = tersely.compress(TEXT, budget=budget)
    assert 0 < resolve_counter(None).count(result.text) <= budget


def test_A017_what_fits_passes_with_its_bytes_unchanged() -> None:
    text = "  The rope.\r\n\r\n\tThe winch.\u00a0\x00 "
    result = tersely.compress(text, budget=100)
    assert result.text == text
    assert result.ratio == 1.0


def test_X13_ratio_is_rounded_down() -> None:
    result = tersely.compress("word " * 99, ratio=0.2, counter=odd_counters.words)
    assert result.receipt.budget == 19


def test_A018_the_default_ratio_is_three_tenths() -> None:
    result = tersely.compress("word. " * 100, counter=odd_counters.words)
    assert result.receipt.budget == 30


def test_X13_a_budget_beats_the_ratio() -> None:
    assert tersely.compress(TEXT, budget=50, ratio=0.9).receipt.budget == 50


def test_a_tiny_ratio_leaves_one_token() -> None:
    result = tersely.compress("One two three. Four five six.", ratio=1e-9, counter=odd_counters.words)
    assert result.receipt.budget == 1
    assert result.tokens == 1


def test_ratio_one_keeps_everything() -> None:
    assert tersely.compress(TEXT, ratio=1).text == TEXT


def test_a_huge_budget_keeps_everything() -> None:
    assert tersely.compress(TEXT, budget=10**40).text == TEXT


@pytest.mark.parametrize("budget", [np.int64(60), np.uint8(60)])
def test_whole_numbers_of_numpy(budget: object) -> None:
    assert tersely.compress(TEXT, budget=budget).receipt.budget == 60


@pytest.mark.parametrize("budget", [1.0, "5", True, False, [5], math.nan, np.float64(3)])
def test_a_budget_of_a_wrong_type(budget: object) -> None:
    with pytest.raises(TypeError, match="budget must be a whole number, not "):
        tersely.compress(TEXT, budget=budget)


@pytest.mark.parametrize("budget", [-1, -(10**30)])
def test_a_negative_budget(budget: int) -> None:
    with pytest.raises(ValueError, match=f"budget must be a whole number from 0, not {budget}"):
        tersely.compress(TEXT, budget=budget)


@pytest.mark.parametrize("ratio", ["0.5", None, True, [0.5], 1j])
def test_a_ratio_of_a_wrong_type(ratio: object) -> None:
    with pytest.raises(TypeError, match="ratio must be a number"):
        tersely.compress(TEXT, ratio=ratio)


@pytest.mark.parametrize("ratio", [0, 0.0, -0.1, 1.0001, 30, math.nan, math.inf, -math.inf])
def test_a_ratio_out_of_range(ratio: float) -> None:
    with pytest.raises(ValueError, match=r"ratio must lie in \(0, 1\]"):
        tersely.compress(TEXT, ratio=ratio)


def test_a_budget_of_zero() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(TEXT, budget=0)
    assert caught.value.budget == 0
    assert caught.value.required >= 1


@pytest.mark.parametrize("text", ["", "  \n "])
def test_nothing_to_keep_within_no_budget(text: str) -> None:
    result = tersely.compress(text, budget=0, counter=odd_counters.words)
    assert result.tokens == 0
    assert list(result.kept) == []


@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_counter_that_counts_something_in_nothing(text: str) -> None:
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(text, budget=0, counter=odd_counters.lines)
    assert (caught.value.required, caught.value.budget) == (1, 0)


def test_white_space_over_the_budget_is_said() -> None:
    result = tersely.compress(" \n" * 100, budget=3, counter=odd_counters.characters)
    assert result.text == ""
    assert result.receipt.warnings == ("nothing_to_keep",)


def test_the_error_survives_pickling() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(TEXT, budget=5, pinned=[(0, 400)])
    copy = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(copy, CompressionError)
    assert str(copy) == str(caught.value)
    assert (copy.required, copy.budget) == (caught.value.required, 5)


@pytest.mark.parametrize("separator", ["", " ", "\n\n", "\n\n---\n\n", "≈" * 20])
def test_separators_are_counted(separator: str) -> None:
    result = tersely.compress([GUIDE, TEXT, GUIDE], budget=120, separator=separator)
    assert resolve_counter(None).count(result.text) == result.tokens <= 120


def test_separators_between_documents_are_counted_before_anything_passes() -> None:
    documents = ["a b c", "d e f", "g h i", "j k l"]  # 12 words, and 3 separators of 2 words
    fits = tersely.compress(documents, budget=18, counter=odd_counters.words, separator=" - - ")
    assert fits.text == "a b c - - d e f - - g h i - - j k l"
    over = tersely.compress(documents, budget=17, counter=odd_counters.words, separator=" - - ")
    assert over.tokens <= 17
    assert len(over.kept) == 3


def test_counts_beyond_any_tokenizer() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress("One. Two. Three.", budget=10, counter=lambda text: 2**62)
    assert caught.value.required == 2**62
