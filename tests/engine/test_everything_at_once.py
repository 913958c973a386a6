"""All options together: pins, groups, headings, context, any level and any counter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import odd_counters
import tersely
from hypothesis import example, given, strategies as st
from result_checks import check_result
from sample_texts import GUIDE
from tersely import BudgetExceededError, Extractive
from test_promises import as_function, assert_true_error, counters, queries, separators, strategies
from text_strategies import texts

Spans = list[tuple[int, int, int]]


@st.composite
def documents_and_spans(draw: st.DrawFn) -> tuple[list[str], Spans, list[Spans]]:
    """Documents that are not empty, pins and groups in them."""
    documents = draw(st.lists(texts.filter(bool), min_size=1, max_size=3))

    def span() -> tuple[int, int, int]:
        document = draw(st.integers(0, len(documents) - 1))
        start = draw(st.integers(0, len(documents[document]) - 1))
        return document, start, draw(st.integers(start + 1, len(documents[document])))

    pins = [span() for _ in range(draw(st.integers(0, 2)))]
    groups = [[span() for _ in range(draw(st.integers(1, 3)))] for _ in range(draw(st.integers(0, 3)))]
    return documents, pins, groups


def touched(result: tersely.Compressed, span: tuple[int, int, int], kept: bool) -> int:
    document, start, end = span
    found = result.kept if kept else result.dropped
    return sum(other.document == document and other.start < end and start < other.end for other in found)


@given(documents_and_spans(), queries, st.integers(0, 80), counters, separators, strategies)
def test_every_promise_holds(
    given_: tuple[list[str], Spans, list[Spans]],
    query: str | None,
    budget: int,
    counter: Any,
    separator: str,
    strategy: Extractive,
) -> None:
    documents, pins, groups = given_
    options = {"budget": budget, "counter": counter, "separator": separator, "strategy": strategy}
    try:
        result = tersely.compress(documents, query, pinned=pins, groups=groups, **options)
    except BudgetExceededError as error:
        assert_true_error(error, budget)
        return
    check_result(result, as_function(counter), separator, strategy.level, strategy.window)
    assert all(touched(result, pin, kept=False) == 0 for pin in pins)
    for group in groups:
        some_kept = any(touched(result, span, kept=True) for span in group)
        assert not some_kept or not any(touched(result, span, kept=False) for span in group)


headed = st.lists(
    st.sampled_from(
        ["# Ropes\n\n", "## Hemp\n\n", "### Old hemp\n\n", "# Fog\n\n", "It rots. ", "It burns.\n\n", "Sea. "]
    ),
    min_size=1,
    max_size=14,
).map("".join)


@given(headed, st.integers(1, 40), st.sampled_from(odd_counters.ALL), strategies)
@example(GUIDE, 80, odd_counters.words, Extractive())
def test_headings_above_what_is_kept_are_kept(
    text: str, budget: int, counter: Any, strategy: Extractive
) -> None:
    strategy = replace(strategy, preserve_structure=True)
    try:
        result = tersely.compress(text, "hemp burns", budget=budget, counter=counter, strategy=strategy)
    except BudgetExceededError:
        return
    if len(result.kept) == 1:  # room for one segment only
        return
    table = tersely.segment(text, strategy.level, window=strategy.window)
    row_of = {start: row for row, start in enumerate(table.start.tolist())}
    kept = {row_of[span.start] for span in result.kept}
    assert {int(table.heading[row]) for row in kept} - {-1} <= kept
