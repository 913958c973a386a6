"""What is left never takes more tokens than what came: separators between pieces are paid for, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tersely
from hypothesis import given, strategies as st
from odd_counters import words
from tersely import BudgetExceededError, Extractive
from tersely.retrieval import CompressionConfig, ContextualCompressor, TokenBudgetConfig
from tersely.types import Level
from text_strategies import texts

WIDE = " and between them " * 3
SHORT = "".join(f"Gate {number} is open. Yes. " for number in range(9))  # one of two repeats itself


def contextual(text: str, pins: Any, budget: int, query: str = "gate") -> tuple[str, int]:
    """Of what is relevant to the query, and what is pinned."""
    compressor = ContextualCompressor(
        config=CompressionConfig(segment_size=Level.WORD, min_relevance_threshold=0.5, token_budget=budget),
        budget=TokenBudgetConfig(total_budget=budget, reserve_for_response=0, min_per_document=1),
        counter=words,
        separator=WIDE,
    )
    result = compressor.compress_sync([text], query, "extractive", pinned=pins)
    return result.text, result.compressed_token_count


def plain(text: str, pins: Any, budget: int) -> tuple[str, int]:
    result = tersely.compress(
        text, budget=budget, counter=words, separator=WIDE, pinned=pins, strategy=Extractive(level="word")
    )
    return result.text, result.tokens


def largest_level(text: str, pins: Any, budget: int) -> tuple[str, int]:
    """Without pins: those would have to stay in the smaller one, too."""
    result = tersely.prepare(text, counter=words, separator=WIDE).levels([budget, 1])[0]
    return result.text, result.tokens


@pytest.mark.parametrize("door", [contextual, plain, largest_level])
@given(data=st.data(), text=texts)
def test_scattered_pins_take_no_more_than_the_text_does(
    door: Callable[[str, Any, int], tuple[str, int]], data: st.DataObject, text: str
) -> None:
    places = data.draw(st.lists(st.integers(0, max(len(text) - 1, 0)), max_size=9)) if text else []
    pins = [(at, at + 1) for at in places]
    budget = data.draw(st.integers(1, 200))
    try:
        left, tokens = door(text, pins, budget)
    except BudgetExceededError as error:
        left, tokens = door(text, pins, error.required)
    assert tokens == words(left) <= words(text)


def test_every_other_word_pinned_is_all_of_them() -> None:
    text = "gate shut winch oiled crew gone lamp lit"
    pins = [(0, at, at + 1) for at in (10, 22, 32)]
    assert contextual(text, pins, 20) == (text, 8)
    with pytest.raises(BudgetExceededError) as caught:
        contextual(text, pins, 5)
    assert caught.value.required == 8


def test_a_level_with_room_for_all_has_all() -> None:
    largest = tersely.prepare(SHORT, separator=WIDE).levels([1000, 10])[0]
    assert largest.text == SHORT.strip()
    assert largest.tokens <= largest.original_tokens
