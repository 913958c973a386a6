"""Documents of several content types in one call: one budget, shared by what each piece is worth."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import BudgetExceededError, Compressed, Document
from tersely.models.counters import resolve_counter
from typed_samples import CODE, JSON, LOG, MIXED, PROSE, SAMPLES

COUNT = resolve_counter(None).count
TASK = (
    "# Task\n\nThe checkout service fails since Monday. Find out why payments time out, and mend it. "
    + "The team meets on Thursdays. Nobody likes the coffee machine. " * 8
)
REPLY = JSON.replace('"id": 41, "state": "paid"', '"id": 41, "state": "refunded twice"')
SOURCE = CODE.replace("The area of shape 13.", "Retries a payment with backoff.")
DOCUMENTS = [
    Document(TASK, "task"),
    Document(LOG, "log"),
    Document(REPLY, "reply"),
    Document(SOURCE, "source"),
]
ANSWERS = {
    "Why did the payment time out?": "payment timeout for order 9",
    "Which order was refunded twice?": '"state": "refunded twice"',
    "Where is a payment retried with backoff?": "Retries a payment with backoff.",
    "When does the team meet?": "The team meets on Thursdays.",
}


def check_parts(result: Compressed, separator: str = "\n\n") -> None:
    """What is left of each document, in the order of the documents, with the separator between."""
    assert len(result.parts) == len(result.documents)
    assert separator.join(part for part in result.parts if part) == result.text
    kept = {span.document for span in result.kept}
    assert kept == {index for index, part in enumerate(result.parts) if part}
    for span in result.kept:
        assert result.documents[span.document].text[span.start : span.end] in result.parts[span.document]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
@pytest.mark.parametrize("budget", [150, 300, 600])
@pytest.mark.parametrize("query", ANSWERS)
def test_what_answers_the_query_stays_whatever_it_stands_in(
    query: str, budget: int, order: tuple[int, ...]
) -> None:
    result = tersely.compress([DOCUMENTS[index] for index in order], query, budget=budget)
    assert ANSWERS[query] in result.text
    assert COUNT(result.text) == result.tokens <= budget
    kinds = ("markdown", "log", "json", "code")
    assert result.receipt.content_types == tuple(kinds[index] for index in order)
    places = [(span.document, span.start) for span in result.kept]
    assert places == sorted(places)
    check_parts(result)


@pytest.mark.parametrize("budget", [150, 400, 800])
def test_without_a_query_all_have_something(budget: int) -> None:
    result = tersely.compress(DOCUMENTS, budget=budget)
    assert all(result.parts)
    assert "ERROR [worker-2] payment timeout for order 9" in result.parts[1]
    check_parts(result)


def test_each_part_is_written_as_its_document_is() -> None:
    for query in (None, *ANSWERS):
        parts = tersely.compress(DOCUMENTS, query, budget=500).parts
        assert not parts[2] or json.loads(parts[2])
        if parts[3]:
            compile(parts[3], "source.py", "exec", dont_inherit=True)
        for line in filter(None, parts[1].split("\n")):
            assert "…" in line or line in LOG.split("\n")


def test_one_document_of_a_mixture_is_worth_what_it_is_alone() -> None:
    for index, document in enumerate(DOCUMENTS):
        query = list(ANSWERS)[(index + 3) % 4]
        assert ANSWERS[query] in document.text
        alone = tersely.compress([document], query, budget=120)
        assert ANSWERS[query] in alone.text and alone.parts == (alone.text,)


def fenced(text: str) -> list[list[str]]:
    """The lines of each fenced block of a text, which must all be closed."""
    blocks: list[list[str]] = []
    inside = False
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = not inside
            if inside:
                blocks.append([])
        elif inside:
            blocks[-1].append(line)
    assert not inside
    return blocks


@pytest.mark.parametrize("query", [None, "payment timeout", "When will retries be added?", "order number 31"])
def test_fences_stand_only_around_content(query: str | None) -> None:
    seen = set()
    for budget in range(30, 900, 30):
        result = tersely.compress([MIXED, PROSE], query, budget=budget)
        blocks = fenced(result.parts[0])
        assert all(any(line.strip() for line in block) for block in blocks)
        seen.add(len(blocks))
        check_parts(result)
    assert max(seen) >= 1


@given(
    st.lists(st.sampled_from([*SAMPLES.values(), "", "  ", "One. Two."]), min_size=1, max_size=5),
    st.sampled_from([None, "payment timeout", "gate 31", "order number 7"]),
    st.integers(1, 1200),
    st.sampled_from(["\n\n", "\n---\n", " "]),
    st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1), st.integers(1, 80)), max_size=3),
    st.booleans(),
)
def test_promises_hold_for_any_mixture(
    texts: list[str],
    query: str | None,
    budget: int,
    separator: str,
    marks: list[tuple[int, float, int]],
    grouped: bool,
) -> None:
    spans = []
    for index, at, size in marks:
        if index < len(texts) and texts[index].strip():
            start = int(at * (len(texts[index]) - 1))
            spans.append((index, start, min(start + size, len(texts[index]))))
    options: dict[str, Any] = {"groups": [spans]} if grouped and spans else {"pinned": spans}
    try:  # conftest.py has every promise of the result checked
        result = tersely.compress(texts, query, budget=budget, separator=separator, **options)
    except BudgetExceededError as error:
        assert error.required > budget
        return
    assert COUNT(result.text) == result.tokens <= budget
    assert len(result.parts) == len(texts)
    ends = [span.end for span in result.kept]
    for one, other in itertools.pairwise(result.kept):
        assert one.document < other.document or one.end <= other.start
    assert all(ends)
    if not {"segment_cut"} & set(result.receipt.warnings) and result.original_tokens > budget:
        check_parts(result, separator)


def test_parts_of_what_fits_are_the_documents() -> None:
    texts = [PROSE, "", LOG]
    result = tersely.compress(texts, budget=10**6)
    assert result.parts == tuple(texts) and result.text == "\n\n".join(texts)


def test_the_part_of_a_cut_unit() -> None:
    result = tersely.compress(
        ["Unutterably incomprehensible words stand here.", PROSE], "incomprehensible", budget=3
    )
    assert result.receipt.warnings and "segment_cut" in result.receipt.warnings
    assert sorted(result.parts) == ["", result.text]
    check_parts(result)
