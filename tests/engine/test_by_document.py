"""tersely.compress(..., strategy="manager"): each document its share."""

from __future__ import annotations

from typing import Any

import odd_counters
import pytest
import tersely
from hypothesis import given, strategies as st
from result_checks import check_counts
from sample_texts import CHAT, GUIDE, LOG, prose
from tersely import BudgetExceededError, Compressed, Document
from tersely.engine.finish import broken_promises
from tersely.models.counters import resolve_counter
from tersely.strategies import ByDocument
from tersely.types import Request
from text_strategies import texts

DOCUMENTS = [GUIDE, LOG, CHAT, prose(40)]


def check(result: Compressed, count: Any, separator: str = "\n\n") -> None:
    """All segments are in it once, and what is kept stands in the text, verbatim, in order."""
    sources = [document.text for document in result.documents]
    check_counts(result, sources, count, separator)
    assert broken_promises(result) == []
    if result.dropped:
        assert result.text == separator.join(filter(None, result.parts))


@pytest.mark.parametrize("budget", [50, 100, 400, 10_000])
def test_what_answers_stays_wherever_it_is(budget: int) -> None:
    result = tersely.compress(DOCUMENTS, "Which sluice failed?", budget=budget, strategy="manager")
    check(result, resolve_counter(None).count)
    assert "sluice 3 failed" in result.text
    plain = tersely.compress(DOCUMENTS, "Which sluice failed?", budget=budget)
    assert result.text == plain.text  # no document has a score


def test_another_strategy_gets_each_document_with_its_share() -> None:
    result = tersely.compress(
        DOCUMENTS, "Which sluice failed?", budget=100, strategy=ByDocument(tersely.strategies.Hierarchical())
    )
    check(result, resolve_counter(None).count)
    assert {span.document for span in result.kept} == {0, 1, 2, 3}


def test_scores_are_weights() -> None:
    documents = [Document(prose(40), score=0.9), Document(prose(40)[:-1], score=0.1)]
    result = tersely.compress(documents, budget=200, strategy=ByDocument(), counter=odd_counters.words)
    words = [0, 0]
    for span in result.kept:
        words[span.document] += odd_counters.words(documents[span.document].text[span.start : span.end])
    assert 6 * words[1] < words[0]


def test_dropped_documents_are_in_the_result() -> None:
    sentences = prose(100).split(". ")
    documents = [Document(sentence + ".", score=(i + 1) / 50) for i, sentence in enumerate(sentences[:50])]
    for strategy in (ByDocument(), ByDocument(tersely.strategies.Hierarchical())):
        result = tersely.compress(documents, budget=100, strategy=strategy)
        check(result, resolve_counter(None).count)
        assert "documents_dropped" in result.receipt.warnings
        assert min(span.document for span in result.kept) >= 25


def test_pinned_content_stays_whatever_the_share() -> None:
    documents = [Document(prose(40), score=1.0), Document(GUIDE, score=1e-9)]
    pin = "The council thinks so."
    result = tersely.compress(documents, budget=90, strategy="manager", pinned=[pin])
    check(result, resolve_counter(None).count)
    assert pin in result.text
    with pytest.raises(BudgetExceededError) as raised:
        tersely.compress(documents, budget=4, strategy="manager", pinned=[pin])
    assert raised.value.required > 4


def test_groups_stay_together_inside_a_document() -> None:
    group = [(0, 30, 60), (0, len(GUIDE) - 40, len(GUIDE))]
    result = tersely.compress([GUIDE, LOG], budget=150, strategy="manager", groups=[group])
    check(result, resolve_counter(None).count)
    apart = [[(0, 0, 5), (1, 0, 5)]]
    result = tersely.compress([GUIDE, LOG], budget=150, strategy="manager", groups=apart)
    assert (GUIDE.split("\n")[0] in result.text) == (LOG.split("\n")[0] in result.text)
    with pytest.raises(ValueError, match="a group must lie in one document"):
        by_itself = ByDocument(tersely.strategies.Hierarchical())
        tersely.compress([GUIDE, LOG], budget=150, strategy=by_itself, groups=apart)


def test_empty_documents_leave_no_separators() -> None:
    result = tersely.compress(["", GUIDE, ""], budget=100, strategy="manager")
    check(result, resolve_counter(None).count)
    assert result.text == result.text.strip()


@given(st.lists(texts, min_size=1, max_size=4), st.integers(1, 80), st.sampled_from(odd_counters.ALL))
def test_A052_never_over_the_budget(documents: list[str], budget: int, counter: Any) -> None:
    try:
        result = tersely.compress(documents, "kettle", budget=budget, counter=counter, strategy="manager")
    except BudgetExceededError as error:
        assert error.required > error.budget == budget
        return
    assert counter(result.text) == result.tokens <= budget
    check(result, counter)


def test_what_a_model_wrote_is_marked_where_it_stands() -> None:
    class Writes:
        def compress(self, request: Request) -> Compressed:
            inner = tersely.Extractive().compress(request)
            return Compressed(
                inner.text, inner.documents, inner.kept, inner.dropped, inner.receipt, ((0, len(inner.text)),)
            )

    result = tersely.compress([GUIDE, LOG], budget=200, strategy=ByDocument(Writes()))
    (one, two) = result.generated
    assert result.text[one[1] : two[0]] == "\n\n"
    assert (one[0], two[1]) == (0, len(result.text))
