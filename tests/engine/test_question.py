"""What a query asks for."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tersely import _native
from tersely.checks import QUANTITY, TIME, read_question


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("Please list the parts of the text related to rents", "the  of the  to rents"),
        ("Summarise the details", "the "),
        ("Which rope holds?", "Which rope holds?"),
        ("explain", "explain"),
        ("Explain, please!", "Explain, please!"),
        ("", ""),
    ],
)
def test_words_of_request_are_left_out(query: str, left: str) -> None:
    text = read_question(query).text
    assert text.split() == left.split()


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("When did it open?", TIME),
        ("In what year did it open?", TIME),
        ("Wann wurde es eröffnet?", TIME),
        ("什么时候开放", TIME),
        ("How many ships came?", QUANTITY),
        ("Wie viele Schiffe kamen?", QUANTITY),
        ("¿Cuántos barcos?", QUANTITY),
        ("有多少艘船", QUANTITY),
        ("Who came?", 0),
        ("whenever it rains", 0),
    ],
)
def test_the_kind_of_answer(query: str, answer: int) -> None:
    assert read_question(query).answer == answer


@given(st.text())
def test_any_text_is_read(query: str) -> None:
    question = read_question(query)
    assert question.answer in (0, TIME, QUANTITY)
    assert question.text.strip() or not any(map(str.isalnum, query))


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("7", QUANTITY),
        ("3.14", QUANTITY),
        ("1,000", QUANTITY),
        ("seven", QUANTITY),
        ("Thousands", QUANTITY),
        ("1999", QUANTITY | TIME),
        ("1990s", QUANTITY | TIME),
        ("3999", QUANTITY),
        ("2024-01-31", QUANTITY | TIME),
        ("10:30", QUANTITY | TIME),
        ("January", TIME),
        ("Sept", TIME),
        ("may", 0),
        ("rope", 0),
        ("v1.2.3", 0),
    ],
)
def test_classes_of_terms(word: str, kind: int) -> None:
    *_, classes, _ = _native.analyze([word], [], 3, 200)
    assert classes.tolist()[:1] == [kind]
