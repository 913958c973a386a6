"""The default scoring: models that fail, rerankers, explanations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely.documents import to_documents
from tersely.engine.relevance import Hybrid, hybrid, read_for_query
from tersely.models.embedders import CheckedEmbedder, resolve_embedder, resolve_reranker
from tersely.retrieval import explain
from tersely.types import Level

TEXTS = [
    "The lighthouse was built by Odette Marchand. It burned down twice. Nobody was hurt.",
    "Odette Marchand was born in Quimper. She studied stone. The harbour froze in 1911.",
    "Bread is baked at four. The oven is old. Flour comes by boat.",
]
QUERY = "Where was the builder of the lighthouse born?"


class Broken:
    """Fails every time."""

    def embed(self, texts: Sequence[str]) -> Any:
        raise RuntimeError("no")

    def score(self, query: str, texts: Sequence[str]) -> Any:
        raise RuntimeError("no")


class Bread:
    """Finds bread relevant, whatever is asked, and remembers what it read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def score(self, query: str, texts: Sequence[str]) -> Any:
        self.read += texts
        return [float("Bread" in text) for text in texts]


class Vectors:
    """One direction for all but one text."""

    def __init__(self, chosen: str) -> None:
        self.chosen = chosen

    def embed(self, texts: Sequence[str]) -> Any:
        return [[1.0, 0.0] if text in (self.chosen, QUERY) else [0.6, 0.8] for text in texts]


def scored(texts: Any = TEXTS, embedder: Any = None, query: str = QUERY, **options: Any) -> Hybrid:
    prepared = read_for_query(to_documents(texts), query, Level.SENTENCE)
    return hybrid(prepared, None if embedder is None else resolve_embedder(embedder), **options)


def test_two_steps_reach_the_document_that_shares_no_word_with_the_question() -> None:
    scores = scored().segments
    born = tersely.segment(TEXTS).start.tolist().index(0, 1)  # the second document's first sentence
    assert scores[born] > max(scores[born + 3 :])
    assert np.argsort(-scores)[:3].tolist().count(born) == 1


def test_X06_an_embedder_that_fails_is_left_out_and_said() -> None:
    found = scored(embedder=Broken())
    assert found.warnings == ("embedder_failed",)
    assert np.array_equal(found.segments, scored().segments)
    result = tersely.compress(TEXTS, QUERY, budget=20, strategy=tersely.Extractive(embedder=Broken()))
    assert "embedder_failed" in result.receipt.warnings
    assert result.text


def test_vectors_lift_what_they_find_near() -> None:
    assert scored().segments[6:].argmax() == 0
    for row, chosen in ((1, "The oven is old."), (2, "Flour comes by boat.")):
        assert scored(embedder=Vectors(chosen)).segments[6:].argmax() == row


def test_a_reranker_reads_a_share_and_decides_within_it() -> None:
    bread, texts = Bread(), TEXTS + ["Nothing here. Nothing there. Nothing at all."] * 8
    found = scored(texts, reranker=resolve_reranker(bread), rerank_share=0.3)
    assert 5 <= len(bread.read) < 12
    assert sum(map(len, bread.read)) <= 0.3 * sum(map(len, texts)) + max(map(len, texts))
    assert any("lighthouse" in text for text in bread.read)
    every = scored(reranker=resolve_reranker(Bread()), rerank_share=1.0)
    assert (every.segments - scored().segments).argmax() == 6
    assert found.warnings == ()


def test_X06_a_reranker_that_fails_is_left_out_and_said() -> None:
    found = scored(reranker=resolve_reranker(Broken()))
    assert found.warnings == ("reranker_failed",)
    assert np.array_equal(found.segments, scored().segments)


def test_an_embedder_reranks_too() -> None:
    result = tersely.compress(
        TEXTS, QUERY, budget=12, strategy=tersely.Extractive(reranker=Vectors("The harbour froze in 1911."))
    )
    assert not result.receipt.warnings


@pytest.mark.parametrize("value", [3, None, Broken, object()])
def test_what_is_no_reranker_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="reranker must be"):
        resolve_reranker(value)


@pytest.mark.parametrize("share", [0, -1, 1.5, float("nan")])
def test_a_share_outside_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="rerank_share"):
        tersely.Extractive(rerank_share=share)


def test_without_terms_in_common_a_near_vector_is_followed() -> None:
    near = scored(embedder=Vectors("The oven is old."), query="zzz")
    assert near.warnings == ("query_without_matches",)
    assert near.by_query
    assert not scored(query="zzz").by_query


words = st.sampled_from(["rope", "Winch", "7", "1999", "the", "Größe", "港", ".", "\n\n", "# Head\n"])


@given(
    st.lists(st.lists(words, max_size=12).map(" ".join), max_size=4), st.lists(words, min_size=1, max_size=4)
)
def test_scores_are_the_weighed_parts_that_are_explained(texts: list[str], asked: list[str]) -> None:
    query = " ".join(asked)
    if not query.strip():
        return
    explained = explain(texts, query)
    found = scored(texts, CheckedEmbedder(resolve_embedder().embedder, "static"), query.strip())
    assert np.array_equal(explained.scores, found.segments)
    sums = explained.contributions.sum(axis=0)
    order = np.argsort(-explained.scores, kind="stable")
    assert all(a >= b - 1e-3 for a, b in zip(sums[order], sums[order][1:], strict=False))
    for row in explained.best(3):
        assert sum(explained.of(row).values()) == pytest.approx(float(sums[row]), abs=1e-3)
    assert len(str(explained).splitlines()) == min(5, len(explained.table))


def test_an_explanation_names_what_counted() -> None:
    explained = explain(TEXTS, QUERY)
    assert "bridge" in explained.of(3)
    assert "lighthouse was built" in str(explained)
    with pytest.raises(ValueError, match="blank"):
        explain(TEXTS, "  ")
