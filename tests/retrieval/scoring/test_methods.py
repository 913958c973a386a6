"""Each scoring method against a slow oracle or a model that is easy to follow."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sample_texts import ALL, GUIDE
from tersely.engine.cutting import analyze
from tersely.retrieval import RelevanceScorer, ScoringMethod
from tersely.retrieval.scoring import RelevanceScores

DOCUMENTS = [
    "Keys are rotated daily. The expiry of a token is set by the admin. Copper is red.",
    "It rained on the harbour.",
    "",
]
QUERY = "token expiry"


class Words:
    """A vector with a one for each known word of the text."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls.append(list(texts))
        words = ["token", "expiry", "copper", "rained"]
        return [[float(word in text.lower()) for word in words] for text in texts]


class Lengths:
    """Shorter texts are more relevant."""

    def score(self, query: str, texts: Sequence[str]) -> Any:
        return [1 / len(text) for text in texts]


def scorer(method: str, **options: Any) -> RelevanceScorer:
    models = {
        "embedding": {"embedder": Words()},
        "llm": {"llm": lambda prompt: "10"},
        "cross_encoder": {"cross_encoder": Lengths()},
    }
    return RelevanceScorer(method, **{**models.get(method, {}), **options})


METHODS = ["embedding", "llm", "cross_encoder", "keyword", "hybrid"]


def test_D006_four_methods_and_the_default_which_is_two_of_them() -> None:
    assert [method.name for method in ScoringMethod] == ["EMBEDDING", "LLM", "CROSS_ENCODER", "KEYWORD"]
    assert len(ScoringMethod) == 4
    assert ScoringMethod.HYBRID == ScoringMethod.EMBEDDING | ScoringMethod.KEYWORD
    assert ScoringMethod.HYBRID.name == "HYBRID"
    assert RelevanceScorer().method is ScoringMethod.HYBRID


@pytest.mark.parametrize("method", METHODS)
def test_D006_each_gives_scores_in_the_unit_interval(method: str) -> None:
    for documents in (DOCUMENTS, ALL, [], ["   "]):
        scores = asyncio.run(scorer(method).score(documents, QUERY))
        assert len(scores) == len(documents)
        expected = ("query_without_matches",) if method == "hybrid" and documents is ALL else ()
        assert scores.warnings == expected
        for score in scores:
            assert 0 <= score.overall_score <= 1
            assert score.method is ScoringMethod[method.upper()]
            assert all(0 <= segment.score <= 1 for segment in score.segment_scores)
        assert scores.segment_scores.dtype == np.float32


@pytest.mark.parametrize(("reply", "expected"), [("10", 1.0), ("1", 0.0), ("5.5", 0.5)])
def test_D006_ratings_from_1_to_10_become_0_to_1(reply: str, expected: float) -> None:
    for documents in (DOCUMENTS[:1], DOCUMENTS[:2] * 6):
        scores = asyncio.run(scorer("llm", llm=lambda prompt: reply).score(documents, QUERY))
        assert [score.overall_score for score in scores] == [expected] * len(documents)


def test_D008_keyword_overlap_is_the_share_of_the_query_terms() -> None:
    texts = ["The token is green.", "Nothing of it.", "Expiry of a TOKEN", "Token. Then expiry."]
    scores = asyncio.run(RelevanceScorer(ScoringMethod.KEYWORD).score(texts, "token expiry"))
    assert [score.overall_score for score in scores] == [0.5, 0.0, 1.0, 1.0]
    assert [segment.score for segment in scores[3].segment_scores] == [0.5, 0.5]


def test_keywords_of_the_title_count_for_the_document() -> None:
    document = {"text": "Renewed daily.", "title": "Token"}
    (score,) = RelevanceScorer("keyword").score_sync([document], "token expiry")
    assert (score.overall_score, score.segment_scores[0].score) == (0.5, 0.0)


words = st.lists(st.sampled_from(["token", "expiry", "rain", "copper", "the", "Été", "."]), max_size=8)


@given(st.lists(words, max_size=5), words)
def test_keyword_against_sets(documents: list[list[str]], query: list[str]) -> None:
    texts = [" ".join(document) for document in documents]
    scores = RelevanceScorer("keyword").score_sync(texts, " ".join(query))

    def terms(text: str) -> set[int]:
        analysis = analyze([], [text, " ".join(query)])
        first, middle, last = analysis.term_offsets
        return set(analysis.term_ids[first:middle]) & set(analysis.term_ids[middle:last])

    wanted = len(terms(" ".join(query)))
    for text, score in zip(texts, scores, strict=True):
        assert score.overall_score == pytest.approx(len(terms(text)) / wanted if wanted else 0)
        for segment in score.segment_scores:
            share = len(terms(text[segment.start : segment.end])) / wanted if wanted else 0
            assert segment.score == pytest.approx(share)


def test_embedding_is_the_cosine_and_a_document_is_worth_its_best() -> None:
    scores = scorer("embedding").score_sync(DOCUMENTS, QUERY)
    assert [[round(s.score, 6) for s in score.segment_scores] for score in scores] == [[0, 1, 0], [0], []]
    assert [round(score.overall_score, 6) for score in scores] == [1, 0, 0]
    (half,) = scorer("embedding").score_sync(["One token."], QUERY)
    assert half.overall_score == pytest.approx(2**-0.5)


def test_a_title_speaks_for_its_document() -> None:
    document = {"text": "Renewed daily.", "title": "Token expiry"}
    (score,) = scorer("embedding").score_sync([document], QUERY)
    assert (score.overall_score, score.segment_scores[0].score) == (pytest.approx(1), 0)


def test_what_points_away_is_worth_nothing() -> None:
    class Opposite:
        def embed(self, texts: Sequence[str]) -> Any:
            return [[1.0, 0.0] if text == QUERY else [-1.0, 0.1] for text in texts]

    scores = RelevanceScorer("embedding", embedder=Opposite()).score_sync(DOCUMENTS, QUERY)
    assert scores.segment_scores.tolist() == [0, 0, 0, 0]


def test_the_cross_encoder_reads_query_and_segment() -> None:
    pairs: list[tuple[str, str]] = []

    class Noting:
        def score(self, query: str, texts: Sequence[str]) -> Any:
            pairs.extend((query, text) for text in texts)
            return [3.0, 5.0, -1.0, 0.0]  # logits

    scores = RelevanceScorer("cross_encoder", cross_encoder=Noting()).score_sync(DOCUMENTS, QUERY)
    assert pairs[1] == (QUERY, "The expiry of a token is set by the admin.")
    expected = 1 / (1 + np.exp([-3.0, -5.0, 1.0, 0.0]))
    np.testing.assert_allclose(scores.segment_scores, expected, rtol=1e-6)
    assert [score.overall_score for score in scores] == pytest.approx([expected[1], expected[3], 0])


def test_hybrid_prefers_what_answers() -> None:
    scores = RelevanceScorer().score_sync([*DOCUMENTS, GUIDE], QUERY)
    assert int(np.argmax(scores.segment_scores)) == 1
    assert np.argmax([score.overall_score for score in scores]) == 0


@pytest.mark.parametrize("method", ["embedding", "cross_encoder"])
def test_texts_that_a_model_cuts_are_reported(method: str) -> None:
    class Cutting(Words):
        def embed_report(self, texts: Sequence[str]) -> tuple[Any, Any]:
            return self.embed(texts), [1]

        def score(self, query: str, texts: Sequence[str]) -> Any:
            return [0.5] * len(texts)

        def score_report(self, query: str, texts: Sequence[str]) -> tuple[Any, Any]:
            return self.score(query, texts), [1]

    scores = RelevanceScorer(method, embedder=Cutting(), cross_encoder=Cutting()).score_sync(DOCUMENTS, QUERY)
    assert (scores.warnings, scores.fallback_reason) == (("texts_truncated",), None)


@pytest.mark.parametrize("method", METHODS)
def test_async_and_sync_give_the_same(method: str) -> None:
    def plain(scores: RelevanceScores) -> Any:
        return scores.scores, scores.segment_scores.tolist(), scores.warnings, scores.fallback_reason

    sync = scorer(method).score_sync([*DOCUMENTS, GUIDE], QUERY)
    assert plain(asyncio.run(scorer(method).score([*DOCUMENTS, GUIDE], QUERY))) == plain(sync)
