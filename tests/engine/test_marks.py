"""mark_pinned and mark_groups: spans of characters -> rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tersely.engine.segment import segment
from tersely.engine.select import mark_groups, mark_pinned

TEXTS = ["Rope. Winch. Chain.", "", "Fog.  Salt."]
#        01234567890123456789      0123456789
TABLE = segment(TEXTS)


@pytest.mark.parametrize(
    ("span", "rows"),
    [
        ((0, 0, 5), [0]),
        ((0, 0, 1), [0]),
        ((0, 4, 5), [0]),
        ((0, 5, 6), []),  # the gap
        ((0, 4, 7), [0, 1]),
        ((0, 5, 7), [1]),
        ((0, 0, 19), [0, 1, 2]),
        ((2, 0, 4), [3]),
        ((2, 3, 7), [3, 4]),
        ((2, 4, 6), []),
        ((2, 9, 11), [4]),
    ],
)
def test_pinned_rows_overlap_the_span(span: tuple[int, int, int], rows: list[int]) -> None:
    assert np.flatnonzero(mark_pinned(TABLE, [span])).tolist() == rows


def test_several_pins() -> None:
    assert mark_pinned(TABLE, [(0, 0, 1), (2, 6, 7), (0, 1, 2)]).tolist() == [1, 0, 0, 0, 1]


def test_no_pins() -> None:
    marks = mark_pinned(TABLE, [])
    assert marks.dtype == np.uint8
    assert marks.tolist() == [0] * 5


def partition(group: np.ndarray) -> set[frozenset[int]]:
    numbers = group.tolist()
    return {
        frozenset(i for i, other in enumerate(numbers) if other == number)
        for number in numbers
        if number >= 0
    }


def test_a_group_has_all_rows_that_its_spans_touch() -> None:
    group = mark_groups(TABLE, [[(0, 0, 3), (2, 0, 2)]])
    assert group.dtype == np.int32
    assert group.tolist() == [group[0], -1, -1, group[0], -1]
    assert group[0] >= 0


def test_groups_that_share_a_row_are_merged() -> None:
    group = mark_groups(TABLE, [[(0, 0, 3), (0, 7, 8)], [(2, 0, 1), (2, 7, 8)], [(0, 8, 9), (2, 8, 9)]])
    assert partition(group) == {frozenset({0, 1, 3, 4})}


def test_a_later_group_may_join_earlier_ones() -> None:
    group = mark_groups(TABLE, [[(0, 0, 1)], [(2, 0, 1)], [(0, 2, 3), (2, 2, 3)]])
    assert partition(group) == {frozenset({0, 3})}


def test_group_numbers_stay_below_the_number_of_rows() -> None:
    """The native border takes numbers from 0 to n - 1 only."""
    group = mark_groups(TABLE, [[(0, i, i + 1)] for i in range(5)] * 3)
    assert group.max() < len(TABLE)


spans = st.tuples(st.just(0), st.integers(0, 18), st.integers(1, 19)).filter(lambda span: span[1] < span[2])


@given(st.lists(st.lists(spans, min_size=1, max_size=3), max_size=6))
def test_groups_against_a_search_by_hand(groups: list[list[tuple[int, int, int]]]) -> None:
    places = list(zip(TABLE.document.tolist(), TABLE.start.tolist(), TABLE.end.tolist(), strict=True))
    sets: list[set[int]] = []
    for members in groups:
        rows = {
            row
            for row, (document, start, end) in enumerate(places)
            for span in members
            if document == span[0] and start < span[2] and span[1] < end
        }
        touching = [other for other in sets if other & rows]
        sets = [other for other in sets if not other & rows] + [rows.union(*touching)]
    assert partition(mark_groups(TABLE, groups)) == {frozenset(rows) for rows in sets if rows}
