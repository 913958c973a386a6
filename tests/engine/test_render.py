"""render: the source's own gaps between neighbours, the separator elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from hypothesis import example, given, strategies as st
from sample_texts import GUIDE
from tersely import prepare
from tersely.engine.fit import render as render_rows
from tersely.engine.reading import segment
from tersely.types import SegmentTable
from text_strategies import some_texts

ONE = "Rope.  Winch.\n\n  Chain.\tFog."


def render(texts: list[str], table: SegmentTable, rows: np.ndarray, separator: str) -> str:
    reading = prepare(texts, strategy="extractive", separator=separator).reading
    np.testing.assert_array_equal(reading.table.start, table.start)
    rendered = render_rows(reading, rows)
    assert len(rendered.parts) == len(texts) and rendered.generated == ()
    assert separator.join(part for part in rendered.parts if part) == rendered.text
    return rendered.text


def rows_of(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], ""),
        ([0], "Rope."),
        ([0, 1], "Rope.  Winch."),
        ([1, 2], "Winch.\n\n  Chain."),
        ([0, 2], "Rope. | Chain."),
        ([0, 1, 2, 3], ONE),
        ([0, 1, 3], "Rope.  Winch. | Fog."),
    ],
)
def test_X08_gaps_and_separators(rows: list[int], expected: str) -> None:
    assert render([ONE], segment([ONE]), rows_of(*rows), " | ") == expected


def test_X08_documents_never_touch() -> None:
    texts = ["Rope. Winch.", "Chain. Fog."]
    assert render(texts, segment(texts), rows_of(1, 2), "+") == "Winch.+Chain."


def test_empty_documents_between() -> None:
    texts = ["", "Rope.", "  ", "Fog.", ""]
    assert render(texts, segment(texts), rows_of(0, 1), "+") == "Rope.+Fog."


def test_an_empty_separator() -> None:
    assert render([ONE], segment([ONE]), rows_of(0, 2), "") == "Rope.Chain."


def rendered_by_hand(texts: list[str], table: SegmentTable, rows: list[int], separator: str) -> str:
    columns = zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
    spans = [(row, *columns_) for row, columns_ in enumerate(columns)]
    return reference.render(texts, [spans[row] for row in rows], separator)


@given(some_texts, st.integers(0, 2**40), st.sampled_from(["\n\n", "", " ", "---", "…"]))
@example([GUIDE, "", GUIDE], 0b1011101110, "\n---\n")
def test_X08_against_the_oracle(texts: list[str], mask: int, separator: str) -> None:
    table = segment(texts)
    rows = [row for row in range(len(table)) if mask >> row % 40 & 1]
    assert render(texts, table, rows_of(*rows), separator) == rendered_by_hand(texts, table, rows, separator)
