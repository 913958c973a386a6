"""groups: kept or dropped together."""

from __future__ import annotations

import odd_counters
import pytest
import tersely
from hypothesis import given, strategies as st
from result_checks import check_result
from sample_texts import prose
from tersely import BudgetExceededError

TEXT = "Ask the keeper. He knows. Ask the cook. She sleeps. The tide turns at ten in the evening."
QUESTION, ANSWER = (0, 15), (16, 25)


def test_a_question_is_not_kept_without_its_answer() -> None:
    for budget in range(4, 17):
        result = tersely.compress(
            TEXT, "keeper", budget=budget, counter=odd_counters.words, groups=[[QUESTION, ANSWER]]
        )
        assert ("Ask the keeper." in result.text) == ("He knows." in result.text)


def test_groups_of_strings() -> None:
    text = prose(20)
    pair = ["Report 103", "Report 116"]
    result = tersely.compress(text, "Report 103", budget=60, groups=[pair])
    assert "Report 103" in result.text
    assert "Report 116" in result.text


def test_a_group_over_documents() -> None:
    documents = ["Rope one. Fog.", "Salt. Rope two."]
    result = tersely.compress(documents, "rope one", budget=4, counter=odd_counters.words, groups=[["Rope"]])
    assert result.text == "Rope one.\n\nRope two."


def test_more_groups_than_segments() -> None:
    groups = [[(i, i + 1)] for i in range(5)] * 4
    result = tersely.compress(
        "One rope here. Two there.", budget=3, counter=odd_counters.words, groups=groups
    )
    assert result.text == "One rope here."


def test_a_pin_in_a_group_keeps_the_group() -> None:
    result = tersely.compress(
        TEXT, budget=6, counter=odd_counters.words, groups=[[QUESTION, ANSWER]], pinned=[ANSWER]
    )
    assert result.text == "Ask the keeper. He knows."


def test_a_pinned_group_over_the_budget() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(
            TEXT, budget=4, counter=odd_counters.words, groups=[[QUESTION, ANSWER]], pinned=[ANSWER]
        )
    assert caught.value.required == 5


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        ("Ask", TypeError, "groups must be a list of lists of spans, not str"),
        (5, TypeError, "groups must be a list of lists"),
        ([5], TypeError, "groups must be"),
        ([[]], ValueError, "a group must have at least one span"),
        ([["no such words"]], ValueError, "groups: 'no such words' occurs in no document"),
        ([[(0, 0)]], ValueError, "groups: span"),
        ([(0, 5)], TypeError, "groups: a span must be"),
    ],
)
def test_bad_groups_are_named(groups: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tersely.compress(TEXT, budget=9, groups=groups)


sentences = st.lists(
    st.sampled_from(["Rope.", "The fog.", "A salt cod.", "Two old nets."]), min_size=1, max_size=8
)


@given(sentences, st.data())
def test_groups_are_atomic(parts: list[str], data: st.DataObject) -> None:
    text = " ".join(parts)
    bounds, at = [], 0
    for part in parts:
        bounds.append((at, at + len(part)))
        at += len(part) + 1
    groups = data.draw(st.lists(st.lists(st.sampled_from(bounds), min_size=1, max_size=3), max_size=4))
    counter = data.draw(st.sampled_from(odd_counters.ALL))
    budget = data.draw(st.integers(1, 40))
    try:
        result = tersely.compress(text, budget=budget, counter=counter, groups=groups)
    except BudgetExceededError as error:
        assert error.required > budget
        return
    check_result(result, counter)
    kept = {(span.start, span.end) for span in result.kept}
    for group in groups:
        assert set(group) <= kept or not set(group) & kept
