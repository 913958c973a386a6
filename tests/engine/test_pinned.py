"""pinned: what must be kept, whatever else."""

from __future__ import annotations

import odd_counters
import pytest
import tersely
from hypothesis import given, strategies as st
from result_checks import check_result
from sample_texts import prose
from tersely import BudgetExceededError, Extractive, Kind
from tersely.types import Span
from text_strategies import texts

TEXT = prose(30)
FACT = "Report 117 says"
START = TEXT.index(FACT)


def pinned_texts(result: tersely.Compressed) -> set[str]:
    return {
        result.documents[span.document].text[span.start : span.end]
        for span in result.kept
        if span.reason == "pinned"
    }


PINS = {
    "str": FACT,
    "list of str": [FACT],
    "pair": [(START, START + 3)],
    "triple": [(0, START, START + 3)],
    "list triple": [[0, START, START + 3]],
    "span": [Span(0, START, START + 3, Kind.PROSE, "", 0.0)],
    "bare span": Span(0, START, START + 3, Kind.PROSE, "", 0.0),
}


@pytest.mark.parametrize("name", PINS)
def test_every_way_to_name_a_pin(name: str) -> None:
    result = tersely.compress(TEXT, budget=80, pinned=PINS[name])
    (pinned,) = pinned_texts(result)
    assert pinned.startswith(FACT)
    assert pinned in result.text
    assert 0 < result.tokens <= 80


def test_a_generator_of_pins() -> None:
    assert FACT in tersely.compress(TEXT, budget=80, pinned=(pin for pin in [FACT])).text


def test_every_occurrence_is_pinned() -> None:
    result = tersely.compress(
        ["Rope here. Fog there.", "Salt. Rope again."], budget=6, counter=odd_counters.words, pinned="Rope"
    )
    assert pinned_texts(result) == {"Rope here.", "Rope again."}


def test_occurrences_that_touch_are_all_pinned() -> None:
    strategy = Extractive(level="word")
    result = tersely.compress("rope 漢漢漢漢 fog", budget=4, counter=len, pinned="漢", strategy=strategy)
    assert result.text == "漢漢漢漢"


def test_a_pin_over_two_sentences_keeps_both_and_the_gap() -> None:
    text = "One rope.   Two ropes. Three ropes. Four ropes. Five ropes."
    result = tersely.compress(text, budget=5, counter=odd_counters.words, pinned="rope.   Two")
    assert result.text == "One rope.   Two ropes."


def test_pins_stay_in_source_order() -> None:
    result = tersely.compress(TEXT, budget=120, pinned=["Report 125", "Report 103", "Report 118"])
    assert result.text.index("Report 103") < result.text.index("Report 118") < result.text.index("Report 125")


def test_pins_that_fill_the_budget() -> None:
    sentence = TEXT[START : TEXT.index(".", START) + 1]
    exact = odd_counters.words(sentence)
    result = tersely.compress(TEXT, budget=exact, counter=odd_counters.words, pinned=FACT)
    assert result.text == sentence


def test_pins_over_the_budget_say_how_much_they_need() -> None:
    message = "^pinned content does not fit into a budget of 12; 13 would do$"
    with pytest.raises(BudgetExceededError, match=message) as caught:
        tersely.compress(TEXT, budget=12, counter=odd_counters.words, pinned=FACT)
    assert (caught.value.required, caught.value.budget) == (13, 12)


def test_two_pins_pay_for_the_separator() -> None:
    documents = ["Aa bb. Cc dd. Ee ff.", "Gg hh. Ii jj."]
    pins = ["Aa", "Ii"]
    options = {"counter": odd_counters.characters, "separator": "#####"}
    assert tersely.compress(documents, budget=17, pinned=pins, **options).text == "Aa bb.#####Ii jj."
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(documents, budget=16, pinned=pins, **options)
    assert caught.value.required == 17


def test_a_pin_when_everything_fits() -> None:
    assert tersely.compress("Rope. Fog.", budget=50, pinned="Fog").text == "Rope. Fog."


def test_a_pinned_segment_brings_its_headings() -> None:
    text = "# Ropes\n\nHemp rots. Wire rusts badly.\n\n# Fog\n\nIt comes from the sea. It goes."
    strategy = Extractive(preserve_structure=True)
    result = tersely.compress(text, budget=5, counter=odd_counters.words, pinned="Hemp", strategy=strategy)
    assert "# Ropes" in result.text
    assert "Hemp rots." in result.text


BAD = {
    "an integer": (5, TypeError, "pinned must be a list of spans or strings, not int"),
    "None": (None, TypeError, "pinned must be a list"),
    "an integer inside": ([5], TypeError, "pinned: a span must be"),
    "one number": ([(1,)], TypeError, "pinned: a span must be"),
    "four numbers": ([(0, 1, 2, 3)], TypeError, "pinned: a span must be"),
    "floats": ([(0.0, 1.0)], TypeError, "pinned: a span must be"),
    "bytes": ([b"Report"], (TypeError, ValueError), "pinned"),
    "an empty str": ([""], ValueError, "pinned: a string must not be empty"),
    "an absent str": (["no such words"], ValueError, "'no such words' occurs in no document"),
    "an empty span": ([(3, 3)], ValueError, "does not lie in document 0"),
    "backwards": ([(9, 3)], ValueError, "does not lie in document 0"),
    "negative": ([(-3, 3)], ValueError, "does not lie in document 0"),
    "beyond the end": ([(0, 10**9)], ValueError, "does not lie in document 0"),
    "no such document": ([(1, 0, 3)], ValueError, "there is no document 1; there are 1"),
    "negative document": ([(-1, 0, 3)], ValueError, "there is no document -1"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_pins_are_named(name: str) -> None:
    pinned, error, message = BAD[name]
    with pytest.raises(error, match=message):
        tersely.compress(TEXT, budget=50, pinned=pinned)


def test_a_pair_needs_a_single_document() -> None:
    with pytest.raises(ValueError, match=r"\(start, end\) needs exactly one document; there are 2"):
        tersely.compress(["Rope.", "Fog."], pinned=[(0, 3)])


@given(texts.filter(lambda text: text.strip()), st.data())
def test_any_pinned_span_is_in_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    counter = data.draw(st.sampled_from(odd_counters.ALL))
    budget = data.draw(st.integers(1, 80))
    try:
        result = tersely.compress(
            text, budget=budget, counter=counter, pinned=[(start, end)], strategy="extractive"
        )
    except BudgetExceededError as error:
        assert error.required > budget
        return
    check_result(result, counter)
    assert text[start:end].strip() in result.text
