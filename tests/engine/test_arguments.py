"""strategy, separator, levels, options of Extractive: what is refused, and how it is said."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import odd_counters
import pytest
import tersely
from hypothesis import given
from sample_texts import GUIDE, prose
from tersely import Compressed, Extractive, Strategy
from tersely.documents import to_documents
from tersely.engine.reading import analyze, segment
from tersely.engine.strategies import STRATEGIES
from tersely.engine.worth import FEATURES, hybrid, read_for_query
from tersely.types import Level, Request
from text_strategies import some_texts

TEXT = prose(30)


@pytest.mark.parametrize("name", STRATEGIES)
def test_strategies_by_name(name: str) -> None:
    by_name = tersely.compress(TEXT, "copper", budget=60, strategy=name)
    assert by_name.text == tersely.compress(TEXT, "copper", budget=60, strategy=STRATEGIES[name]()).text
    assert 0 < by_name.tokens <= 60


def test_what_extractive_keeps() -> None:
    result = tersely.compress(TEXT, budget=60, strategy="lead")
    assert TEXT.startswith(result.text)
    text = prose(40).replace("Report 120 says", "The heron says")
    for context in (1, 2):
        strategy = Extractive(context=context, scoring="relevance", redundancy=0.0)
        result = tersely.compress(text, "heron", budget=18 * (2 * context + 1), strategy=strategy)
        rows = [
            row
            for row, (_, start, _, _) in enumerate(tersely.segment(text))
            if start in {s.start for s in result.kept}
        ]
        assert set(range(20 - context, 20 + context + 1)) <= set(rows)
    strategy = Extractive(preserve_structure=True)
    result = tersely.compress(GUIDE, "How many balls mean a gale?", budget=60, strategy=strategy)
    assert "Two balls mean a gale." in result.text
    for heading in ("# The Harbour Handbook", "## 2. Signals", "STORM WARNINGS"):
        assert heading in result.text
    assert {span.reason for span in result.kept} >= {"heading", "selected"}


@dataclass(frozen=True)
class Recorder:
    """Keeps the requests it was given."""

    seen: list[Request]

    def compress(self, request: Request) -> Compressed:
        self.seen.append(request)
        return Extractive().compress(request)


def test_a_strategy_of_the_caller_gets_a_checked_request() -> None:
    recorder = Recorder([])
    assert isinstance(recorder, Strategy)
    tersely.compress(
        ["Rope.", "Fog."], "q", budget=9, strategy=recorder, pinned="Fog", groups=[["Rope"]], separator="+"
    )
    (request,) = recorder.seen
    assert [document.text for document in request.documents] == ["Rope.", "Fog."]
    assert (request.query, request.budget, request.ratio, request.separator) == ("q", 9, 0.3, "+")
    assert request.pinned == ((1, 0, 3),)
    assert request.groups == (((0, 0, 4),),)
    assert request.counter.count("two words") == 2
    recorder = Recorder([])
    with pytest.raises(ValueError, match="budget"):
        tersely.compress(TEXT, budget=-1, strategy=recorder)
    assert recorder.seen == []


def test_an_odd_separator_and_options_that_cannot_be_changed() -> None:
    texts = [tersely.compress([TEXT, TEXT], separator=one).text for one in ("\udc80", "\ufffd")]
    assert texts[0] == texts[1]
    with pytest.raises(FrozenInstanceError):
        Extractive().context = 3


def test_options_larger_than_the_text() -> None:
    strategy = Extractive(context=2**40, level=Level.SENTENCE)
    result = tersely.compress(
        "Rope. Fog. Salt. Net. Cod.", budget=4, counter=odd_counters.words, strategy=strategy
    )
    assert result.tokens == 4
    result = tersely.compress(TEXT, budget=30, strategy=Extractive(level=Level.CHARACTER, window=2**70))
    assert 0 < result.tokens <= 30


COLUMNS = {
    "document": "int32",
    "start": "int64",
    "end": "int64",
    "kind": "uint8",
    "block": "int32",
    "heading": "int32",
}


@pytest.mark.parametrize("level", list(Level))
@given(some_texts)
def test_analyze_cuts_like_segment(level: Level, texts: list[str]) -> None:
    analysis = analyze(texts, ["query"], level, 11)
    table = segment(texts, level, 11)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(analysis.table, name), getattr(table, name))


LIST = "# Fees\n\nThe yard is open. It charges for these:\n\n- berths\n- water\n\nAll else is free.\n\n- fog"


@pytest.mark.parametrize(
    ("text", "above"),
    [
        (LIST, [-1, 0, 0, 2, 2, 0, 0]),
        (LIST.replace("these:", "these."), [-1, 0, 0, 0, 0, 0, 0]),
        (LIST.replace("It charges", "It " + 60 * "very often, " + "charges"), [-1, 0, 0, 0, 0, 0, 0]),
        ("Bring:\n1. rope\n2. oil:\n3. tar", [-1, 0, 0, 0]),
        ("Bring this:\n\nRope. Tar.\n\n- oil", [-1, -1, -1, -1]),
    ],
)
def test_items_of_a_list_stand_under_the_sentence_that_leads_into_it(text: str, above: list[int]) -> None:
    assert segment([text]).heading.tolist() == above


def test_an_item_has_what_leads_into_its_list() -> None:
    things = ("berths", "water", "slings", "paint", "sails", "cranes", "timber", "diesel")
    items = "\n".join(f"- {thing} of any kind" for thing in things)
    free = f"The yard never charges members for these:\n\n{items}"
    text = f"{free}\n\nIt closes at six.\n\n- cranes, which stand on the pier\n- fog"
    whole = tersely.compress(text, "cranes", budget=26, strategy=tersely.Extractive(preserve_structure=True))
    assert whole.text.startswith("The yard never charges members for these:\n")
    reading = read_for_query(to_documents(text), "what do members pay?", Level.SENTENCE)
    told = hybrid(reading, None).features[FEATURES.index("headings")] > 0
    assert told.tolist() == (reading.table.heading == 0).tolist()


@pytest.mark.parametrize("level", ["word", "WORD", "Word", 1, Level.WORD])
def test_levels_by_name_number_and_member(level: object) -> None:
    assert len(tersely.segment("Rope and winch.", level)) == 3
