"""The segment stage: tables, term rows and what the door accepts."""

from __future__ import annotations

import numpy as np
import pytest
import tersely
from hypothesis import given
from tersely import Kind, Level, SegmentTable
from tersely.engine.segment import analyze, segment
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
