"""Strings that callers name are found wherever they occur, and the rows of spans marked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tersely import Document, _native
from tersely.engine.reading import mark_groups, mark_pinned, segment, to_groups, to_spans
from tersely.types import Level, SegmentTable

LETTERS = st.text("ab é漢\u3000😀", max_size=12)
STRINGS = st.lists(LETTERS.filter(bool), min_size=1, max_size=6, unique=True)


def everywhere(text: str, string: str) -> set[tuple[int, int]]:
    """Slow and obvious."""
    return {(at, at + len(string)) for at in range(len(text)) if text.startswith(string, at)}


@given(st.lists(LETTERS, min_size=1, max_size=4), STRINGS)
def test_each_occurrence_is_found_or_lies_at_the_end_of_one_that_is(
    texts: list[str], strings: list[str]
) -> None:
    found = list(zip(*(column.tolist() for column in _native.occurrences(texts, strings)), strict=True))
    assert len(set(found)) == len(found) <= sum(map(len, texts)) + len(strings)
    for number, string in enumerate(strings):
        mine = [row for row in found if row[0] == number]
        wanted = [(at, *place) for at, text in enumerate(texts) for place in everywhere(text, string)]
        assert {row[1:] for row in mine} <= set(wanted) and bool(mine) == bool(wanted)
        for text, start, end in wanted:
            assert any(row[1] == text and row[2] <= start and row[3] == end for row in found)


@given(st.lists(LETTERS, min_size=1, max_size=3), STRINGS)
def test_pinned_strings_pin_what_each_of_their_occurrences_touches(
    texts: list[str], strings: list[str]
) -> None:
    documents = [Document(text) for text in texts]
    table = segment(texts, level=Level.WORD)
    present = [string for string in strings if any(string in text for text in texts)]
    every = [
        (at, *place)
        for string in present
        for at, text in enumerate(texts)
        for place in everywhere(text, string)
    ]
    expected = touched(table, every)
    assert np.flatnonzero(mark_pinned(table, to_spans(present, documents))).tolist() == sorted(expected)


@given(st.lists(LETTERS, min_size=1, max_size=3), st.lists(STRINGS, max_size=4))
def test_groups_are_those_of_all_occurrences(texts: list[str], groups: list[list[str]]) -> None:
    documents = [Document(text) for text in texts]
    table = segment(texts, level=Level.WORD)
    groups = [
        some for group in groups if (some := [one for one in group if any(one in text for text in texts)])
    ]
    joined: list[set[int]] = []
    for group in groups:
        rows = touched(
            table,
            [
                (at, *place)
                for one in group
                for at, text in enumerate(texts)
                for place in everywhere(text, one)
            ],
        )
        meet = [other for other in joined if other & rows]
        joined = [other for other in joined if not other & rows] + [rows.union(*meet)]
    expected = np.full(len(table), -1)
    for rows in joined:
        expected[sorted(rows)] = min(rows, default=-1)
    assert mark_groups(table, to_groups(groups, documents)).tolist() == expected.tolist()


def touched(table: SegmentTable, spans: Sequence[tuple[int, int, int]]) -> set[int]:
    """Rows that overlap a span."""
    rows = list(zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True))
    return {
        row
        for row, (of, first, last) in enumerate(rows)
        if any(of == document and first < end and start < last for document, start, end in spans)
    }


def test_a_string_with_a_lone_surrogate_occurs_nowhere() -> None:
    with pytest.raises(ValueError, match="occurs in no document"):
        to_spans("\ud800", [Document("a")])
