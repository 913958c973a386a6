"""A pruner as a second stage: what it is given, how it is mixed, and what becomes of one that fails."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely.content.html import Html
from tersely.documents import to_documents
from tersely.engine.strategies import Auto
from tersely.engine.worth import FEATURES, hybrid, read_for_query
from tersely.errors import ModelReplyError
from tersely.models.embedders import resolve_embedder, resolve_pruner, resolve_reranker, windows
from tersely.retrieval import explain
from tersely.strategies import Hybrid
from tersely.types import Level
from text_strategies import some_texts

TEXTS = ["The fee is due in May. The pilot waives it.", "Rain fell all week. The harbour is old."]
QUERY = "When is the fee due?"


class Pruner:
    """Says what `kept` does of each segment, and remembers its windows."""

    def __init__(self, kept: Callable[[str], float], threads: int | None = None) -> None:
        self.kept, self.threads = kept, threads
        self.windows: list[list[str]] = []

    def prune(self, query: str, segments: Sequence[str]) -> Any:
        self.windows.append(list(segments))
        return [self.kept(text) for text in segments]


class Always:
    """Gives the same answer to everything, or raises it."""

    def __init__(self, answer: Any, seconds: float = 0.0) -> None:
        self.answer, self.seconds = answer, seconds

    def prune(self, query: str, segments: Sequence[str]) -> Any:
        time.sleep(self.seconds)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def chance(text: str) -> float:
    """A probability that only the text decides."""
    return zlib.crc32(text.encode("utf-8", "replace")) % 1001 / 1000


@given(some_texts, st.sampled_from(["the fee", "sluice", "港 rain"]), st.integers(0, 60), st.integers(1, 10))
def test_whatever_it_says_the_budget_holds_and_the_same_call_gives_the_same(
    documents: list[str], query: str, budget: int, tenths: int
) -> None:
    def call(pruner: Any) -> tuple[str, tuple[str, ...]]:
        strategy = tersely.Extractive(pruner=pruner, pruner_share=tenths / 10)
        try:
            result = tersely.compress(documents, query, budget=budget, counter=len, strategy=strategy)
        except tersely.BudgetExceededError as error:
            assert error.required > budget
            return "", ()
        assert len(result.text) <= budget
        return result.text, result.receipt.warnings

    pruner = Pruner(chance)
    assert call(pruner) == call(Pruner(chance)) == call(Pruner(chance, threads=3))
    for window in pruner.windows:  # of one document, in its order
        assert any(_in_order(window, document) for document in documents)
    text, warnings = call(Always(OSError("gone")))
    expected = call(None)
    assert text == expected[0] and set(warnings) - {"pruner_failed"} == set(expected[1])


def _in_order(window: list[str], document: str) -> bool:
    at = 0
    for segment in window:
        at = document.find(segment, at) + len(segment)
        if at < len(segment):
            return False
    return True


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), max_size=12), st.integers(1, 15))
def test_windows_are_as_long_as_they_can_be(items: list[tuple[int, int]], most: int) -> None:
    sizes, groups = [size for size, _ in items], [group for _, group in items]
    cuts = windows(sizes, most, groups)
    assert [at for cut in cuts for at in range(len(sizes))[cut]] == list(range(len(sizes)))
    for cut in cuts:
        assert len(set(groups[cut])) == 1 and (sum(sizes[cut]) <= most or cut.stop - cut.start == 1)
        if groups[cut.stop : cut.stop + 1] == groups[cut.start : cut.start + 1]:
            assert sum(sizes[cut.start : cut.stop + 1]) > most


def test_it_reads_the_best_half_and_its_logits_are_added_with_the_best_of_the_document() -> None:
    texts = TEXTS * 4
    prepared = read_for_query(to_documents(texts), QUERY, Level.SENTENCE)
    embedder, pruner = resolve_embedder(None), Pruner(chance)
    plain = hybrid(prepared, embedder)
    found = hybrid(prepared, embedder, pruner=resolve_pruner(pruner))
    said = prepared.segment_texts()
    read = [text for window in pruner.windows for text in window]
    assert len(read) >= 5 and sum(map(len, read)) <= 0.5 * sum(map(len, said))
    assert pruner.windows and all(len(window) <= 2 for window in pruner.windows)  # by documents
    order = np.argsort(-plain.segments, kind="stable")[: len(read)]
    logit = np.zeros(len(said))
    for row in order:
        p = chance(said[row])
        logit[row] = min(max(np.log(p / (1 - p)), -8), 8) + 8
    best = [logit[prepared.table.document == document].max() for document in prepared.table.document]
    expected = 0.75 * logit + np.array(best)
    np.testing.assert_allclose(found.features[FEATURES.index("reranked")], expected, rtol=1e-6)
    whole = hybrid(prepared, embedder, pruner=resolve_pruner(Pruner(lambda _: 0.7)), pruner_share=1.0)
    np.testing.assert_allclose(whole.segments, plain.segments, atol=1e-5)  # the same of all changes nothing


def test_it_finds_what_shares_no_word_with_the_query_by_every_door() -> None:
    wanted, budget = "The harbour is old.", 8
    pruner = Pruner(lambda text: 1.0 if text == wanted else 0.0)
    whole = tersely.Extractive(pruner=pruner, pruner_share=1.0)
    assert wanted not in tersely.compress(TEXTS, QUERY, budget=budget).text
    results = [
        tersely.compress(TEXTS, QUERY, budget=budget, strategy=whole),
        tersely.prepare(TEXTS, QUERY, strategy=Auto(text=whole)).fit(budget=budget),
        tersely.compress(TEXTS, QUERY, budget=budget, pruner=pruner, strategy=Auto(text=whole)),
        tersely.compress_batch([TEXTS], QUERY, budget=budget, strategy=whole, pruner=pruner, errors="raise")[
            0
        ],
    ]
    assert all(wanted in result.text and result.tokens <= budget for result in results)
    halves = [
        tersely.compress(TEXTS, QUERY, budget=budget, pruner=pruner).text,
        tersely.prepare(TEXTS, QUERY, pruner=pruner).fit(budget=budget).text,
    ]
    assert halves[0] == halves[1]


def test_explanations_and_readers_have_it_too() -> None:
    page = "<p>" + "</p><p>".join(TEXTS) + "</p>"
    pruner = Pruner(chance)
    reader = Html(text=tersely.Extractive(level=Level.PARAGRAPH))
    tersely.compress(page, QUERY, budget=12, strategy=reader, pruner=pruner)
    assert pruner.windows
    plain, told = explain(TEXTS, QUERY), explain(TEXTS, QUERY, pruner=Pruner(chance))
    row = told.names.index("reranked")
    assert not plain.contributions[row].any() and told.contributions[row].any()
    assert explain(TEXTS, QUERY, pruner=Always(OSError())).warnings == ("pruner_failed",)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([0.5], r"must give 4 probabilities, not shape \(1,\)"),
        ([[0.5] * 4], r"not shape \(1, 4\)"),
        ([0.5, 0.5, 0.5, 1.5], r"must give probabilities in \[0, 1\], not 1.5"),
        ([-0.1] * 4, r"not -0.1"),
        ([0.5, float("nan"), 0.5, 0.5], "no finite number for text 1"),
        (None, "no finite number for text 0"),
        (["a"] * 4, "must give an array of numbers"),
        (OSError("gone"), "gone"),
    ],
)
def test_answers_are_checked_and_a_wrong_one_costs_no_result(answer: Any, message: str) -> None:
    checked = resolve_pruner(Always(answer))
    with pytest.raises((ModelReplyError, OSError), match=message):
        checked.prune("q", list("abcd"), np.zeros(4, dtype=np.int32))
    result = tersely.compress(TEXTS, QUERY, budget=12, pruner=checked)
    assert result.receipt.warnings == ("pruner_failed",)
    assert result.text == tersely.compress(TEXTS, QUERY, budget=12).text


def test_a_late_failing_or_wrong_one_is_left_out() -> None:
    late = resolve_pruner(Always([0.5], seconds=1.0), timeout=0.01)
    assert tersely.compress(TEXTS, QUERY, budget=12, pruner=late).receipt.warnings == ("pruner_failed",)

    class Same:
        def score(self, query: str, texts: Sequence[str]) -> Any:
            return [float("harbour" in text) for text in texts]

    prepared = read_for_query(to_documents(TEXTS), QUERY, Level.SENTENCE)
    alone = hybrid(prepared, None, resolve_reranker(Same()))
    both = hybrid(prepared, None, resolve_reranker(Same()), pruner=resolve_pruner(Always(OSError())))
    assert np.array_equal(both.segments, alone.segments) and both.warnings == ("pruner_failed",)
    with pytest.raises(TypeError, match="strategy must read documents where there is a pruner, not Hybrid"):
        tersely.compress(TEXTS, QUERY, pruner=Pruner(chance), strategy=Hybrid(lambda _: ""))
