"""idf, relevance and centrality against their oracles."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from hypothesis import assume, example, given
from small_corpora import Corpus, corpora, flat
from tersely import _native


def native_relevance(corpus: Corpus) -> np.ndarray:
    return _native.relevance(*corpus.arrays(), len(corpus.rows), corpus.title_rows())


@given(corpora())
@example(flat([]))
@example(flat([["a"]] * 70000))
def test_inverse_frequency(corpus: Corpus) -> None:
    weight = reference.idf(corpus.rows) if len(corpus.rows) < 1000 else lambda _: 0.5 / 70000.5
    expected = [weight(term) for term in corpus.vocabulary()]
    found = _native.inverse_frequency(*corpus.arrays())
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@given(corpora())
@example(flat([["a", "b"], ["b"], []]))
@example(flat([[], []]))
@example(flat([["a"] * 100]))
def test_centrality(corpus: Corpus) -> None:
    found = _native.centrality(*corpus.arrays())
    assert found.dtype == np.float32
    np.testing.assert_allclose(
        found, reference.centrality(corpus.rows, corpus.documents), rtol=1e-5, atol=1e-6
    )
    assert all(0 <= score <= 1.2 + 1e-6 for score in found.tolist())


def test_centrality_prefers_what_comes_back() -> None:
    rows = [["mud", "dust"], ["rope", "winch"], ["rope", "chain"], ["rope", "winch"], ["fog", "salt"]]
    scores = _native.centrality(*flat(rows).arrays())
    assert scores.argmax() == 1
    assert scores[3] > scores[4]
    assert scores[3] > scores[0]


@given(corpora())
@example(flat([["a", "b"], ["b", "c"], ["c", "d"], ["e"]], ["b"], ["c"]))
@example(flat([["a"], ["b"]], ["x"]))
@example(flat([["a"], ["b"], ["c"]], []))
@example(flat([], ["a"]))
@example(flat([["a", "a", "a", "b"], ["a"], ["c", "c"]], ["a", "a", "c"]))
def test_relevance(corpus: Corpus) -> None:
    before = reference.relevance_before_feedback(
        corpus.rows, corpus.query, corpus.documents, corpus.blocks, corpus.headings, corpus.titles
    )
    found = native_relevance(corpus)
    assert found.dtype == np.float32
    if not any(before):
        assert not found.any()
        return
    ranked = sorted(before, reverse=True)
    # which segments feed back is open where the second and the third are as good
    assume(len(ranked) < 3 or ranked[1] == 0 or ranked[1] - ranked[2] > 1e-6)
    more = reference.feedback(corpus.rows, corpus.query, before)
    expected = [score + 0.2 * gained for score, gained in zip(before, more, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@given(corpora())
def test_relevance_is_never_negative_and_repeats(corpus: Corpus) -> None:
    found = native_relevance(corpus)
    assert (found >= 0).all()
    assert found.tobytes() == native_relevance(corpus).tobytes()


@pytest.mark.parametrize("query", [[], ["nowhere"]])
def test_a_query_that_meets_nothing_scores_nothing(query: list[str]) -> None:
    assert not native_relevance(flat([["rope"], ["winch"], ["rope", "mud"]], query)).any()


def test_relevance_orders_by_rare_terms() -> None:
    rows = [["rope", "mud"], ["rope", "salt"], ["rope", "winch"], ["fog"], ["rope", "fog"]]
    scores = native_relevance(flat(rows, ["rope", "winch"]))
    assert scores.argmax() == 2
    assert scores[1] > scores[0], "it stands beside the best one"


def test_relevance_counts_headings_above_and_the_title() -> None:
    corpus = Corpus(
        rows=[["winch"], ["rope"], ["fog"], ["salt"], ["mud"]],
        documents=[0, 0, 0, 1, 2],
        blocks=[0, 1, 2, 3, 4],
        headings=[-1, 0, 1, -1, -1],
        query=["winch"],
        titles=[[], ["winch"], []],
    )
    scores = native_relevance(corpus)
    assert scores[2] > scores[4], "the heading above the heading above holds the query"
    assert scores[3] > scores[4], "the title holds the query"


def test_a_query_term_that_occurs_nowhere_keeps_its_weight() -> None:
    rows = [["rope"], ["fog"], ["salt"]]
    alone = native_relevance(flat(rows, ["rope"]))
    with_unknown = native_relevance(flat(rows, ["rope", "unknown"]))
    assert 0 < with_unknown[0] < alone[0]
