"""The segment stage: tables, term rows and what the door accepts."""

from __future__ import annotations

import numpy as np
import pytest
import tersely
from hypothesis import given
from tersely import Kind
from tersely.documents import to_documents
from tersely.engine.reading import analyze, segment
from tersely.engine.worth import FEATURES, hybrid, read_for_query
from tersely.types import Level, SegmentTable
from text_strategies import some_texts

COLUMNS = {
    "document": "int32",
    "start": "int64",
    "end": "int64",
    "kind": "uint8",
    "block": "int32",
    "heading": "int32",
}


@pytest.mark.parametrize("texts", [[], [""], ["Rope. Winch."], ["Rope.", "", "Fog."]])
def test_columns_have_one_length_and_their_types(texts: list[str]) -> None:
    table = segment(texts)
    assert {name: str(getattr(table, name).dtype) for name in COLUMNS} == COLUMNS
    assert {len(getattr(table, name)) for name in COLUMNS} == {len(table)}


@pytest.mark.parametrize("level", list(Level))
@given(some_texts)
def test_analyze_cuts_like_segment(level: Level, texts: list[str]) -> None:
    analysis = analyze(texts, ["query"], level, 11)
    table = segment(texts, level, 11)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(analysis.table, name), getattr(table, name))


def test_a_term_row_for_each_segment_then_each_extra() -> None:
    analysis = analyze(["Rope. Winch rope."], ["winch", "", "fog"])
    rows = [
        analysis.term_ids[begin:end].tolist()
        for begin, end in zip(analysis.term_offsets[:-1], analysis.term_offsets[1:], strict=True)
    ]
    assert rows == [[0], [1, 0], [1], [], [2]]
    assert analysis.vocabulary == 3


def test_iteration_gives_document_start_end_kind() -> None:
    assert list(segment(["# Rope", "Fog."])) == [(0, 0, 6, Kind.HEADING), (1, 0, 4, Kind.PROSE)]


LIST = "# Fees\n\nThe yard is open. It charges for these:\n\n- berths\n- water\n\nAll else is free.\n\n- fog"


@pytest.mark.parametrize(
    ("text", "above"),
    [
        (LIST, [-1, 0, 0, 2, 2, 0, 0]),
        (LIST.replace("these:", "these."), [-1, 0, 0, 0, 0, 0, 0]),
        (LIST.replace("It charges", "It " + 60 * "very often " + "charges"), [-1, 0, 0, 0, 0, 0, 0]),
        ("Bring:\n1. rope\n2. oil:\n3. tar", [-1, 0, 0, 0]),
        ("Bring this:\n\nRope. Tar.\n\n- oil", [-1, -1, -1, -1]),
    ],
)
def test_items_of_a_list_stand_under_the_sentence_that_leads_into_it(text: str, above: list[int]) -> None:
    assert segment([text]).heading.tolist() == above


def test_paragraphs_and_words_lead_into_no_list() -> None:
    for level in (Level.PARAGRAPH, Level.WORD):
        table = segment([LIST], level)
        assert set(table.kind[table.heading[table.heading >= 0]].tolist()) == {Kind.HEADING}


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


@pytest.mark.parametrize("level", ["words", "", 6, -1, 1.5, None, True])
def test_unknown_levels_say_which_there_are(level: object) -> None:
    with pytest.raises(
        ValueError, match="level must be one of character, word, clause, sentence, paragraph, section"
    ):
        tersely.segment("Rope.", level)


@pytest.mark.parametrize("documents", [b"bytes", None, 3, [b"bytes"], [None], [3], object()])
def test_documents_of_a_wrong_type(documents: object) -> None:
    with pytest.raises(TypeError, match="document"):
        tersely.segment(documents)


def test_a_table_cannot_be_changed() -> None:
    table = tersely.segment("Rope.")
    assert isinstance(table, SegmentTable)
    with pytest.raises(AttributeError):
        table.start = table.end
