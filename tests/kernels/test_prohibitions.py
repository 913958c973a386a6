"""Prohibitions of prose stand without a question."""

from __future__ import annotations

import pytest
import tersely

FILLER = [
    "The morning was quiet and the coffee was good.",
    "Ms Okafor showed the visitors the hall, which they liked very much.",
    "The new chairs for the office arrived at noon and were unpacked by everyone.",
    "In the evening there was soup, and the talk turned to the holidays.",
    "The weather stayed dry for most of the week, with some wind from the west.",
    "On Thursday the choir sang in the yard, and many neighbours came to listen.",
]


@pytest.mark.parametrize(
    "rule",
    [
        "The valve must not be opened by one person alone.",
        "Never lift the cover of a press that turns.",
        "Der Kessel darf ohne Meister nicht geheizt werden.",
        "L'accès au toit est interdit aux stagiaires.",
        "È vietato spegnere la pompa di notte.",
        "单独一人时严禁打开阀门。",
    ],
)
def test_a_prohibition_stands_among_sentences_that_tell_of_a_day(rule: str) -> None:
    text = " ".join([*FILLER[:4], rule, *FILLER[4:]])
    assert rule in tersely.compress(text, ratio=0.5).text
