"""score_sentences and select_sentences: the seed's formulas, and what they do at their edges."""

from __future__ import annotations

import math
import random

import odd_counters
import pytest
from hypothesis import given, strategies as st
from tersely import BudgetExceededError, RelevanceScoringError
from tersely.strategies import ExtractiveCompressor

SEED_SENTENCES = [
    "This is the most important sentence.",
    "This is less important.",
    "This is also important for the query.",
    "This is filler content.",
]
SEED_SCORES = [0.9, 0.3, 0.8, 0.2]


class Fixed:
    """An embedder for which each text's cosine with the query "q" is what is said here."""

    def __init__(self, cosines: dict[str, float]) -> None:
        self.cosines = cosines

    def embed(self, batch: list[str]) -> list[list[float]]:
        return [self._row(self.cosines.get(text, 1.0)) for text in batch]

    def _row(self, cosine: float) -> list[float]:
        return [cosine, math.sqrt(1 - cosine * cosine)]


class Broken:
    def embed(self, batch: list[str]) -> object:
        raise OSError("no model")


def by_words(**options: object) -> ExtractiveCompressor:
    return ExtractiveCompressor(counter=odd_counters.words, **options)


def sentence(words: int) -> str:
    return " ".join(["word"] * words)


def test_A029_position() -> None:
    assert ExtractiveCompressor().score_sentences(["One.", "Two.", "Three."]) == [1.0, 0.99, 0.98]
    assert ExtractiveCompressor().score_sentences([]) == []


def test_A030_relevance() -> None:
    compressor = ExtractiveCompressor(Fixed({"two words": 0.5}))
    assert compressor.score_sentences(["two words"], "q") == [pytest.approx(2.0, abs=1e-6)]
    assert compressor.score_sentences(["two words"], "") == [1.0]
    assert ExtractiveCompressor().score_sentences(["two words"], "two words") == [1.0]


def test_A030_terms_only_where_they_are_wanted() -> None:
    compressor = ExtractiveCompressor(lexical_fallback=True)
    assert compressor.score_sentences(["red boats", "grey cats"], "boats, red boats") == [3.0, 0.99]


@pytest.mark.parametrize(("words", "bonus"), [(5, 0.0), (6, 0.3), (49, 0.3), (50, 0.0)])
def test_A031_length(words: int, bonus: float) -> None:
    assert ExtractiveCompressor().score_sentences([sentence(words)]) == [1.0 + bonus]


def test_A032_best_first_and_source_order() -> None:
    sentences = [sentence(5) + f" {i}." for i in range(3)]
    compressor = ExtractiveCompressor(counter=lambda text: 5)
    assert compressor.select_sentences(sentences, [0.1, 0.9, 0.5], 10) == sentences[1:]


def test_A060_the_seeds_own_test() -> None:
    compressor = ExtractiveCompressor()
    selected = compressor.select_sentences(SEED_SENTENCES, SEED_SCORES, 50)
    assert len(selected) == 2
    assert "most important" in selected[0]
    assert "also important" in selected[1]


@pytest.mark.parametrize("target", [19, 20, 24])
def test_X04_without_the_floor(target: int) -> None:
    compressor = ExtractiveCompressor(counter="chars/4")
    everything = compressor.select_sentences(SEED_SENTENCES, SEED_SCORES, 50, score_floor=0)
    assert everything == SEED_SENTENCES
    few = compressor.select_sentences(SEED_SENTENCES, SEED_SCORES, target, score_floor=0)
    assert few == [SEED_SENTENCES[0], SEED_SENTENCES[2]]


def test_X03_what_does_not_fit_is_passed_over() -> None:
    sentences = [sentence(3), sentence(40), sentence(4)]
    assert by_words().select_sentences(sentences, [0.9, 0.8, 0.7], 10) == [sentences[0], sentences[2]]


def test_X03_never_empty_never_over() -> None:
    (only,) = by_words().select_sentences([sentence(40)], [0.9], 10)
    assert 0 < odd_counters.words(only) <= 10
    with pytest.raises(BudgetExceededError) as raised:
        by_words(strict=True).select_sentences([sentence(40)], [0.9], 10)
    assert (raised.value.required, raised.value.budget) == (40, 10)


@given(
    st.lists(st.tuples(st.integers(1, 30), st.floats(-2, 3)), min_size=1, max_size=12),
    st.integers(1, 40),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_X03_for_any_sentences(rows: list[tuple[int, float]], target: int, floor: float) -> None:
    sentences = [sentence(words) for words, _ in rows]
    selected = by_words().select_sentences(sentences, [score for _, score in rows], target, floor)
    assert selected
    assert sum(map(odd_counters.words, selected)) <= target


def test_X05_floor_under_the_position() -> None:
    many = ["Word."] * 151
    assert ExtractiveCompressor().score_sentences(many)[150] == -0.5
    assert ExtractiveCompressor(position_floor=0.0).score_sentences(many)[150] == 0.0


def test_X06_a_failing_embedder() -> None:
    with pytest.warns(RuntimeWarning, match="the embedder failed"):
        scores = ExtractiveCompressor(Broken()).score_sentences(["red boats", "cats"], "boats")
    assert scores == [3.0, 0.99]
    with pytest.raises(RelevanceScoringError, match="no model"):
        ExtractiveCompressor(Broken(), strict=True).score_sentences(["red boats"], "boats")


def test_X07_ties_go_to_the_first() -> None:
    rng = random.Random(7)
    sentences = [f"Sentence number {i}." for i in range(30)]
    scores = [rng.choice([0.6, 0.7]) for _ in sentences]
    first = by_words().select_sentences(sentences, scores, 30)
    order = sorted(range(30), key=lambda i: (-scores[i], i))[:10]  # three words each
    assert first == [sentences[i] for i in sorted(order)]
    assert all(by_words().select_sentences(sentences, scores, 30) == first for _ in range(100))


@pytest.mark.parametrize(
    ("scores", "message"), [([1.0], "one score a sentence"), ([1.0, math.nan], "finite")]
)
def test_wrong_scores(scores: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        by_words().select_sentences(["a", "b"], scores, 5)
