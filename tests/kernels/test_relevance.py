"""Features of relevance and their weighing, against their oracles."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from columns_oracle import columns, forest_sums
from hypothesis import assume, example, given, strategies as st
from relevance_oracle import Oracle
from small_corpora import Corpus, corpora, flat
from tersely import _native
from tersely.engine.worth import COLUMNS, FEATURES
from tersely.models.weights import Forest, relevance_forest

NO_FOREST = relevance_forest("no such vectors")
TIES = ("feedback", "feedback_wide")  # which segments feed back is open where two are as good


WEIGHTS = np.linspace(1, 3, len(FEATURES))


def arguments(
    corpus: Corpus, cosine: list[float] | None = None, answer: int = 0, classes: str = ""
) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """What the native functions are given before the weights."""
    return corpus.terms(dict.fromkeys(classes, 2)), corpus.asked(cosine, answer)


def native(
    corpus: Corpus, cosine: list[float] | None = None, answer: int = 0, classes: str = ""
) -> np.ndarray:
    return _native.relevance(*arguments(corpus, cosine, answer, classes), WEIGHTS, NO_FOREST, None)[0]


def scores(corpus: Corpus, features: np.ndarray, weights: list[float], forest: Forest) -> np.ndarray:
    return _native.relevance(*arguments(corpus), np.array(weights), forest, features)[1]


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


@given(corpora_with_cosines(), st.integers(0, 3))
@example((flat([["a", "b"], ["b", "c"], ["c", "d"], ["e"]], ["b", "c"], ["c"]), [0.1, 0.2, 0.3, 0.9]), 2)
@example((flat([["a"], ["b"]], ["x"]), [0.5, 0.5]), 0)
@example((flat([["a", "b", "a", "b"], ["b", "a"]], ["a", "b", "a"]), []), 1)
def test_columns(given_case: tuple[Corpus, list[float]], answer: int) -> None:
    corpus, cosine = given_case
    assume(corpus.rows)
    given_arguments = arguments(corpus, cosine, answer, "ab")
    features = _native.relevance(*given_arguments, WEIGHTS, NO_FOREST, None)[0]
    found = _native.relevance_columns(*given_arguments, WEIGHTS)
    assert found.shape == (len(COLUMNS), len(corpus.rows)) and found.dtype == np.float32
    sums = np.unique(WEIGHTS[:-1] @ features[:-1].astype(np.float64))
    assume((np.diff(sums) > 1e-6).all())  # else which is better is open
    expected = columns(corpus, features, WEIGHTS, corpus.lengths(), cosine, "ab", answer)
    for row, name in enumerate(COLUMNS):
        np.testing.assert_allclose(found[row], expected[name], rtol=1e-4, atol=2e-5, err_msg=name)


given_weights = st.lists(st.floats(-10, 10), min_size=len(FEATURES), max_size=len(FEATURES))


@given(corpora_with_cosines(), given_weights)
def test_scores_are_the_weighted_sum_above_the_median(
    given_case: tuple[Corpus, list[float]], weights: list[float]
) -> None:
    corpus, cosine = given_case
    assume(corpus.rows)
    found = native(corpus, cosine)
    sums = np.array(weights) @ found.astype(np.float64)
    expected = np.logaddexp(0, sums - np.sort(sums)[(len(sums) - 1) // 2])
    given_scores = scores(corpus, found, weights, NO_FOREST)
    np.testing.assert_allclose(given_scores, expected, rtol=1e-4, atol=1e-5)
    assert (given_scores >= 0).all()


@st.composite
def forests(draw: st.DrawFn) -> Forest:
    borders = [sorted(draw(st.sets(st.integers(-8, 8), max_size=4))) for _ in COLUMNS]
    trees = draw(st.integers(1, 3))
    tests = st.lists(st.integers(0, 255), min_size=4 * trees, max_size=4 * trees)
    leaves = st.lists(st.integers(-128, 127), min_size=16 * trees, max_size=16 * trees)
    return Forest(
        np.array([border / 4 for column in borders for border in column], dtype=np.float32),
        np.cumsum([0, *map(len, borders)], dtype=np.int32),
        np.array([test % len(COLUMNS) for test in draw(tests)], dtype=np.uint8),
        np.array([test % 4 for test in draw(tests)], dtype=np.uint8),
        np.array(draw(leaves), dtype=np.int8),
        0.01,
    )


@given(corpora_with_cosines(), forests())
def test_trees_correct_the_sum(given_case: tuple[Corpus, list[float]], forest: Forest) -> None:
    corpus, cosine = given_case
    assume(corpus.rows)
    given_arguments = arguments(corpus, cosine)
    features, found, trees, *_ = _native.relevance(*given_arguments, WEIGHTS, forest, None)
    added = forest_sums(forest, _native.relevance_columns(*given_arguments, WEIGHTS))
    np.testing.assert_allclose(trees, added, rtol=1e-4, atol=1e-5)
    sums = WEIGHTS @ features.astype(np.float64) + added
    expected = np.logaddexp(0, sums - np.sort(sums)[(len(sums) - 1) // 2])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rows", [1, 31, 32, 33, 70])
def test_the_largest_leaves_of_many_trees_add_up(rows: int) -> None:
    corpus = flat([["a"] * (row % 5) + ["b"] for row in range(rows)], ["a"])
    trees, rng = 600, np.random.default_rng(rows)
    leaves = rng.choice([-128, -128, -127, 127], (trees, 16)).astype(np.int8)
    leaves[:300] = -128
    forest = Forest(
        np.tile(np.array([-0.5, 0.0, 0.5], dtype=np.float32), len(COLUMNS)),
        np.arange(0, 3 * len(COLUMNS) + 1, 3, dtype=np.int32),
        rng.integers(0, len(COLUMNS), 4 * trees).astype(np.uint8),
        rng.integers(0, 4, 4 * trees).astype(np.uint8),
        leaves.ravel(),
        0.01,
    )
    trees_added = _native.relevance(*arguments(corpus), WEIGHTS, forest, None)[2]
    added = forest_sums(forest, _native.relevance_columns(*arguments(corpus), WEIGHTS))
    np.testing.assert_allclose(trees_added, added, rtol=1e-5)


def test_scores_do_not_overflow() -> None:
    features = np.zeros((len(FEATURES), 3), dtype=np.float32)
    features[0] = [0.0, 1.0, 2.0]
    found = scores(flat([["a"]] * 3, ["a"]), features, [1e6] + [0.0] * (len(FEATURES) - 1), NO_FOREST)
    assert found.tolist() == [0.0, pytest.approx(math.log(2)), 1e6]


NO_WEIGHTS = [0.0] * len(FEATURES)


@pytest.mark.parametrize(
    ("features", "weights", "words"),
    [
        (np.zeros(3, np.float32), NO_WEIGHTS, "row a feature"),
        (np.zeros((len(FEATURES), 3), np.float32), NO_WEIGHTS, "column a segment"),
        (np.full((len(FEATURES), 2), np.nan, np.float32), NO_WEIGHTS, "features must be finite"),
        (np.zeros((len(FEATURES), 2), np.float32), [1.0], "entry a feature"),
        (np.zeros((len(FEATURES), 2), np.float32), [*NO_WEIGHTS[1:], math.inf], "weights must be finite"),
    ],
)
def test_bad_features_and_weights_are_refused(features: np.ndarray, weights: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        scores(flat([["a"], ["b"]], ["a"]), features, weights, NO_FOREST)


BAD_FORESTS: dict[str, tuple[dict[str, object], str]] = {
    "too few columns": ({"first": np.zeros(3, np.int32)}, "entry a column"),
    "borders beyond": ({"borders": np.zeros(1, np.float32)}, "entry a column"),
    "descending": ({"first": np.array([0, 1] + [0] * (len(COLUMNS) - 1), np.int32)}, "0 to 255 borders"),
    "half a tree": ({"leaf": np.zeros(8, np.int8)}, "16 leaves"),
    "three tests": ({"column": np.zeros(3, np.uint8)}, "4 tests"),
    "no such column": ({"column": np.full(4, 255, np.uint8)}, "one of the columns"),
    "endless": ({"scale": math.inf}, "scale must be finite"),
}


@pytest.mark.parametrize("name", BAD_FORESTS)
def test_bad_forests_are_refused(name: str) -> None:
    change, words = BAD_FORESTS[name]
    tree = Forest(
        np.empty(0, np.float32),
        np.zeros(len(COLUMNS) + 1, np.int32),
        np.zeros(4, np.uint8),
        np.zeros(4, np.uint8),
        np.zeros(16, np.int8),
        1.0,
    )
    corpus = flat([["a"], ["b"]], ["a"])
    with pytest.raises(ValueError, match=words):
        _native.relevance(*arguments(corpus), WEIGHTS, tree._replace(**change), None)


@pytest.mark.parametrize(("cosine", "words"), [([0.1], "entry a segment"), ([0.1, math.nan], "finite")])
def test_bad_cosines_are_refused(cosine: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        native(flat([["a"], ["b"]], ["a"]), cosine)
