"""Where nothing whole fits, the best segment is cut and marked."""

from __future__ import annotations

import unicodedata

import odd_counters
import pytest
import tersely
from result_checks import check_result
from tersely import BudgetExceededError

LONG = "The harbour keeper counted every boat that came in before the storm and wrote each name down"


def test_X03_forty_tokens_into_ten() -> None:
    text = " ".join(["word"] * 40)
    result = tersely.compress(text, budget=10, counter=odd_counters.words)
    assert 0 < odd_counters.words(result.text) <= 10
    assert result.receipt.warnings == ("segment_cut",)


def test_a_cut_ends_at_a_word_and_is_marked() -> None:
    result = tersely.compress(LONG, budget=30, counter=odd_counters.characters)
    assert result.text == "The harbour keeper counted…"
    (head,), (rest,) = result.kept, result.dropped
    assert (head.start, head.end, head.reason) == (0, 26, "cut")
    assert (rest.start, rest.end, rest.reason) == (26, len(LONG), "cut")
    check_result(result, odd_counters.characters)


@pytest.mark.parametrize("budget", range(1, 40))
def test_a_cut_fits_at_every_budget(budget: int) -> None:
    result = tersely.compress(LONG, budget=budget, counter=odd_counters.characters)
    check_result(result, odd_counters.characters)
    assert LONG.startswith(result.text.removesuffix("…"))
    assert len(result.text) >= budget // 2


def test_the_mark_is_left_out_where_it_does_not_fit() -> None:
    result = tersely.compress(LONG, budget=1, counter=odd_counters.characters)
    assert result.text == "T"


def test_the_mark_counts() -> None:
    result = tersely.compress("x" * 50, budget=4, counter=odd_counters.utf8_bytes)
    assert result.text == "x…"


@pytest.mark.parametrize("budget", range(2, 20))
def test_a_cut_never_parts_a_letter_from_its_accents(budget: int) -> None:
    text = "e\u0301\u0323" * 30
    result = tersely.compress(text, budget=budget, counter=odd_counters.characters)
    head = result.kept[0]
    if budget >= 3:
        assert not unicodedata.combining(text[head.end])
    check_result(result, odd_counters.characters)


def test_the_rest_of_the_input_is_dropped_in_order() -> None:
    text = f"{LONG}. {LONG.upper()}. {LONG}."
    result = tersely.compress([text, text], budget=20, counter=odd_counters.characters)
    check_result(result, odd_counters.characters)
    assert len(result.dropped) == 6
    assert [span.reason for span in result.dropped].count("cut") == 1


def test_another_segment_is_cut_where_the_best_one_cannot_be() -> None:
    text = "👍👍👍👍👍👍👍👍👍 the best, the very best. the plain one is here"
    assert [span.start for span in tersely.compress(text, "best", ratio=1).kept] == [0, 35]
    result = tersely.compress(text, "best", budget=2, counter=odd_counters.utf8_bytes)
    assert result.text in ("th", "t")


def test_smaller_than_any_character() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress("👍👍 👍", budget=3, counter=odd_counters.utf8_bytes)
    assert (caught.value.required, caught.value.budget) == (4, 3)


def test_a_whole_small_segment_is_better_than_a_cut() -> None:
    result = tersely.compress(f"{LONG}. Yes.", budget=8, counter=odd_counters.characters)
    assert result.text == "Yes."
    assert result.receipt.warnings == ()


def test_nothing_in_a_group_is_cut() -> None:
    text = f"{LONG}. Short but not short enough."
    end = len(LONG) + 1
    result = tersely.compress(text, budget=9, counter=odd_counters.characters, groups=[[(0, end)]])
    assert text[end + 1 :].startswith(result.text.removesuffix("…"))
    assert result.kept[0].start == end + 1


def test_only_groups_that_do_not_fit() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress("Rope. Fog. Salt.", budget=5, counter=len, groups=[[(0, 16)]])
    assert caught.value.required == 16
