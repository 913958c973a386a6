"""What markers of left out values say, against the rules written down value by value."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tersely import _native
from tersely.content.tree import CLOSE, OBJECT, PIECE, TreeUnits

VALUES = st.recursive(
    st.integers(0, 9) | st.sampled_from(["a word", "… 3 more"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcdef"), inner, max_size=4),
    max_leaves=14,
)


@given(VALUES, st.data())
def test_markers_count_the_values_of_their_container(value: Any, data: st.DataObject) -> None:
    units = TreeUnits.read([json.dumps(value, ensure_ascii=False)], None)
    size, kind, above = len(units.kind), units.kind.tolist(), units.table.heading.tolist()
    marker = units.marker()
    for first in range(size):
        if kind[first] in (CLOSE, PIECE):
            continue
        inner = [row for row in range(first, size) if above[row] == above[first] and kind[row] != CLOSE]
        taken = inner[: data.draw(st.integers(1, len(inner)))]
        following = [row for row in range(taken[-1] + 1, size) if above[row] <= above[first]]
        last = (following[0] if following else size) - 1
        own = sum(max(int(units.own[row]), 0) - 1 for row in taken if units.own[row])
        left = len(taken) + own
        said = f"{left} more"
        named = above[first] >= 0 and kind[above[first]] == OBJECT
        at_end = len(taken) == len(inner)
        begin = int(units.place[first])
        if not named:
            assert marker(first, last) == f'"… {said}"' and marker.numbers()(first, last) == f'"… {left}"'
        else:
            place = "…" if at_end else f"… {begin + 1}-{begin + len(taken)}"
            assert marker(first, last) == f'"{place}": "{said}"'
            assert marker.numbers()(first, last) == (f'"…": {left}' if at_end else f'"{place}": ""')
        before = [row for row in range(first) if above[row] == above[first] and kind[row] != CLOSE]
        total = marker.total(np.array(before, dtype=np.int64))
        records = [row for row in _around(above, first) if units.record[row]]
        if before and records:
            assert total(first, last) == ("" if named else '"…"')
        elif at_end:
            assert f"{left} more" in total(first, last)
        else:
            assert total(first, last) == ("" if named else '"…"')


def _around(above: list[int], row: int) -> list[int]:
    """The containers that a row stands in."""
    found = []
    while (row := above[row]) >= 0:
        found.append(row)
    return found


def test_rows_that_are_none_are_refused() -> None:
    units = TreeUnits.read(["[1, 2, 3]"], None)
    marker = units.marker()
    for first, last in ((-1, 1), (2, 1), (0, len(units.kind))):
        with pytest.raises(ValueError, match="rows, in order"):
            marker(first, last)
    with pytest.raises(ValueError, match="one length"):
        _native.tree_marker(
            *(units.table.document, units.table.start, units.table.end, units.kind, units.table.heading),
            *(units.place[1:], units.count, units.own, units.record),
        )
