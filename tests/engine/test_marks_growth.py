"""Marking pins and groups takes time in proportion to their number."""

from __future__ import annotations

import pytest
from growth import MOST, growth
from sample_texts import prose
from tersely.engine.reading import mark_groups, mark_pinned, segment
from tersely.types import SegmentTable

pytestmark = pytest.mark.growth
TEXT = prose(200_000)
Spans = list[tuple[int, int, int]]


def table_and_spans(size: int) -> tuple[SegmentTable, Spans]:
    """The segments of `size` characters, and a span every 300 characters."""
    spans = [(0, at, at + 5) for at in range(0, size - 5, 300)]
    return segment([TEXT[:size]]), spans


def test_pins() -> None:
    assert growth(table_and_spans, lambda given: mark_pinned(*given)) < MOST


def test_groups() -> None:
    def run(given: tuple[SegmentTable, Spans]) -> None:
        table, spans = given
        mark_groups(table, [list(pair) for pair in zip(spans[::2], spans[1::2], strict=False)])

    assert growth(table_and_spans, run) < MOST


def test_one_large_group() -> None:
    assert growth(table_and_spans, lambda given: mark_groups(given[0], [given[1]])) < MOST
