"""Features of relevance and their weighing, against their oracles."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from relevance_oracle import Oracle
from small_corpora import Corpus, corpora, flat
from tersely import _native
from tersely.engine.score import FEATURES, weigh

TIES = ("feedback", "feedback_wide")  # which segments feed back is open where two are as good


def native(
    corpus: Corpus, cosine: list[float] | None = None, answer: int = 0, classes: str = ""
) -> np.ndarray:
    ids, offsets, size, *columns = corpus.arrays()
    kinds = np.array([2 if term in classes else 0 for term in corpus.vocabulary()], dtype=np.uint8)
    assert len(kinds) == size
    return _native.relevance_features(
        ids,
        offsets,
        kinds,
        *columns,
        len(corpus.rows),
        corpus.title_rows(),
        answer,
        np.array(cosine or [], dtype=np.float32),
    )


def feature(found: np.ndarray, name: str) -> np.ndarray:
    return found[FEATURES.index(name)]


@st.composite
def corpora_with_cosines(draw: st.DrawFn) -> tuple[Corpus, list[float]]:
    corpus = draw(corpora())
    size = len(corpus.rows)
    hundredths = st.lists(st.integers(-100, 100), min_size=size, max_size=size)
    return corpus, [value / 100 for value in draw(hundredths)] if draw(st.booleans()) else []


@given(corpora_with_cosines())
@example((flat([["a", "b"], ["b", "c"], ["c", "d"], ["e"]], ["b"], ["c"]), [0.1, 0.2, 0.3, 0.9]))
@example((flat([["a"], ["b"]], ["x"]), [0.5, 0.5]))
@example((flat([["a"], ["b"], ["c"]], []), []))
@example((flat([], ["a"]), []))
@example((flat([["a", "a", "a", "b"], ["a"], ["c", "c"]], ["a", "a", "c"]), []))
@example((flat([["a"], ["b"]], ["c"], ["c"]), []))
def test_features(given_case: tuple[Corpus, list[float]]) -> None:
    corpus, cosine = given_case
    oracle = Oracle(corpus, cosine)
    found = native(corpus, cosine)
    assert found.shape == (len(FEATURES), len(corpus.rows))
    assert found.dtype == np.float32
    strength = sorted(oracle.strength(), reverse=True)
    tied = any(math.isclose(a, b, abs_tol=1e-6) for a, b in itertools.pairwise(strength[:6]))
    for name, expected in oracle.features().items():
        if tied and name in TIES:
            continue
        np.testing.assert_allclose(feature(found, name), expected, rtol=1e-4, atol=2e-5, err_msg=name)


@given(corpora_with_cosines())
def test_features_are_in_range_and_repeat(given_case: tuple[Corpus, list[float]]) -> None:
    corpus, cosine = given_case
    found = native(corpus, cosine)
    lexical = found[: FEATURES.index("cosine")]
    assert np.isfinite(found).all()
    # match, and what is made of it, may pass 1 a little: BM25 saturates above a share of 1
    assert (lexical >= 0).all() and (lexical <= 2.2).all()
    assert found.tobytes() == native(corpus, cosine).tobytes()


@pytest.mark.parametrize("query", [[], ["nowhere"]])
def test_a_query_that_meets_nothing_has_no_features(query: list[str]) -> None:
    assert not native(flat([["rope"], ["winch"], ["rope", "mud"]], query)).any()


def test_a_term_that_occurs_nowhere_does_not_count() -> None:
    rows = [["rope"], ["fog"], ["salt"]]
    with_unknown = native(flat(rows, ["rope", "unknown"]))
    assert np.array_equal(native(flat(rows, ["rope"])), with_unknown)
    assert feature(with_unknown, "share")[0] == 1


def test_answer_marks_terms_of_the_class_asked_for() -> None:
    corpus = flat([["rope"], ["1990"], ["rope", "1990"]], ["rope"])
    assert feature(native(corpus, answer=2, classes="1990"), "answer").tolist() == [0, 1, 1]
    assert feature(native(corpus, answer=1, classes="1990"), "answer").tolist() == [0, 0, 0]


def test_bridge_reaches_the_document_that_a_match_names() -> None:
    corpus = Corpus(
        rows=[["tower", "architect", "moreau"], ["moreau", "born", "lyon"], ["salt", "fog"]],
        documents=[0, 1, 2],
        blocks=[0, 1, 2],
        headings=[-1, -1, -1],
        query=["tower", "architect"],
        titles=[[], [], []],
    )
    found = feature(native(corpus), "bridge")
    assert found[1] > 0 and found[2] == 0
    assert feature(native(corpus), "named").tolist()[1:] == [0, 0]


def test_a_title_is_the_name_and_counts_as_heading() -> None:
    corpus = Corpus([["fog"], ["salt"]], [0, 1], [0, 1], [-1, -1], ["winch"], [["winch"], []])
    found = native(corpus)
    for name in ("headings", "lead", "named"):
        assert feature(found, name).tolist() == [1, 0], name


weights = st.lists(st.floats(-10, 10), min_size=len(FEATURES), max_size=len(FEATURES))


@given(corpora_with_cosines(), weights)
def test_weigh(given_case: tuple[Corpus, list[float]], given_weights: list[float]) -> None:
    found = native(*given_case)
    scores = weigh(found, dict(zip(FEATURES, given_weights, strict=True)))
    assume(scores.size)
    sums = np.array(given_weights) @ found.astype(np.float64)
    expected = np.logaddexp(0, sums - np.sort(sums)[(len(sums) - 1) // 2])
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)
    assert (scores >= 0).all()


def test_weigh_does_not_overflow() -> None:
    found = np.array([[0.0, 1.0, 2.0]], dtype=np.float32)
    assert _native.weigh(found, np.array([1e6])).tolist() == [0.0, pytest.approx(math.log(2)), 1e6]


@pytest.mark.parametrize(
    ("features", "weights", "words"),
    [
        (np.zeros(3, np.float32), [1.0], "2D"),
        (np.zeros((2, 3), np.float32), [1.0], "row a weight"),
        (np.full((1, 3), np.nan, np.float32), [1.0], "features must be finite"),
        (np.zeros((1, 3), np.float32), [math.inf], "weights must be finite"),
    ],
)
def test_weigh_refuses(features: np.ndarray, weights: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        _native.weigh(features, np.array(weights))


@pytest.mark.parametrize(("cosine", "words"), [([0.1], "entry a segment"), ([0.1, math.nan], "finite")])
def test_bad_cosines_are_refused(cosine: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        native(flat([["a"], ["b"]], ["a"]), cosine)
