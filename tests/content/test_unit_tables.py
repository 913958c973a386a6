"""Tables of units that are joined: each row as it was, moved along with its table."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st
from tersely.content.units import join_tables
from tersely.types import SegmentTable


@st.composite
def tables(draw: st.DrawFn) -> SegmentTable:
    """A table of a few rows in ascending documents and blocks, some of which need the row before."""
    size = draw(st.integers(0, 4))
    steps = [draw(st.integers(0, 2)) for _ in range(size)]
    needs = [row - 1 if row and draw(st.booleans()) else -1 for row in range(size)]
    places = np.arange(size, dtype=np.int64) * 10
    return SegmentTable(
        np.cumsum(steps, dtype=np.int32) if size else np.empty(0, dtype=np.int32),
        places,
        places + 9,
        np.full(size, draw(st.integers(0, 8)), dtype=np.uint8),
        np.arange(size, dtype=np.int32) // 2,
        np.array(needs, dtype=np.int32),
    )


@given(st.lists(st.tuples(tables(), st.none() | st.integers(0, 9), st.integers(0, 99)), max_size=4))
def test_rows_move_along_with_their_tables(parts: list[tuple[SegmentTable, int | None, int]]) -> None:
    joined = join_tables(parts)
    first = block = 0
    for table, document, at in parts:
        rows = slice(first, first + len(table))
        expected = table.document if document is None else np.full(len(table), document)
        assert joined.document[rows].tolist() == expected.tolist()
        assert joined.start[rows].tolist() == (table.start + at).tolist()
        assert joined.end[rows].tolist() == (table.end + at).tolist()
        assert joined.kind[rows].tolist() == table.kind.tolist()
        assert joined.block[rows].tolist() == (table.block + block).tolist()
        assert joined.heading[rows].tolist() == [one + first if one >= 0 else -1 for one in table.heading]
        first, block = rows.stop, block + int(table.block.max(initial=-1)) + 1
    assert len(joined) == first
