"""Scores of an index beside slow, obvious ones: BM25, cosines, reciprocal rank fusion, normalisation."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tersely import _native
from tersely.kernels import cosine_similarity
from tersely.retrieval.index.ranking import (
    CodedVectors,
    Postings,
    PostingsBuilder,
    best_cosines,
    best_rows,
    fuse,
    normalize_scores,
    score_words,
)

TEXTS = st.lists(
    st.lists(
        st.sampled_from(["tide", "tides", "pilot", "crane lifts", "9 m", "the", "日本語", ""]), max_size=9
    ).map(" ".join),
    max_size=8,
)


def words_of(text: str) -> list[str]:
    ids, _, words = _native.terms([text])
    return [words[number] for number in ids.tolist()]


def slow_bm25(texts: list[str], query: str) -> list[float]:
    documents = [Counter(words_of(text)) for text in texts]
    sizes = [sum(document.values()) for document in documents]
    mean = max(sum(sizes) / max(len(sizes), 1), 1.0)
    scores = [0.0] * len(texts)
    for word in dict.fromkeys(words_of(query)):
        holders = sum(word in document for document in documents)
        idf = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
        for row, document in enumerate(documents):
            if document[word]:
                length = 1.2 * (1 - 0.75 + 0.75 * sizes[row] / mean)
                scores[row] += idf * document[word] * 2.2 / (document[word] + length)
    return scores


@given(
    TEXTS, st.sampled_from(["tide", "pilot crane 9 m", "the", "日本", "tide tide", "zzz"]), st.integers(1, 4)
)
def test_bm25_is_what_the_formula_says(texts: list[str], query: str, at_once: int) -> None:
    builder = PostingsBuilder()
    for start in range(0, len(texts), at_once):
        builder.add(texts[start : start + at_once])
    assert score_words([builder.finish()], query) == pytest.approx(slow_bm25(texts, query), rel=1e-5)


def divided(count: int, cuts: list[int]) -> list[slice]:
    """Consecutive stretches of so many rows; some may be empty."""
    borders = [0, *sorted(min(cut, count) for cut in cuts), count]
    return [slice(start, end) for start, end in pairwise(borders)]


@given(
    TEXTS,
    st.sampled_from(["tide", "pilot crane 9 m", "the", "日本 tide pilot", "zzz"]),
    st.lists(st.integers(0, 8), max_size=6),
)
def test_scores_of_shards_have_the_bits_of_one_index(texts: list[str], query: str, cuts: list[int]) -> None:
    def postings(some: list[str]) -> Postings:
        builder = PostingsBuilder()
        builder.add(some)
        return builder.finish()

    shards = [postings(texts[part]) for part in divided(len(texts), cuts)]
    assert score_words(shards, query).tobytes() == score_words([postings(texts)], query).tobytes()


@given(TEXTS, TEXTS, st.data())
def test_postings_that_go_on_are_those_made_at_once(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    kept = [row for row in range(len(old)) if data.draw(st.booleans())]
    before = PostingsBuilder()
    before.add(old)
    after = PostingsBuilder(before.finish(), np.array(kept, dtype=np.int64))
    after.add(new)
    anew = PostingsBuilder()
    anew.add([old[row] for row in kept] + new)
    mine, other = after.finish(), anew.finish()
    for name in ("terms", "first", "rows", "counts", "sizes"):
        assert np.array_equal(getattr(mine, name), getattr(other, name)), name


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 12),
    st.integers(0, 40),
    st.integers(1, 50),
    st.lists(st.integers(0, 40), max_size=6),
)
def test_best_cosines_are_the_best_of_all(
    seed: int, width: int, count: int, many: int, cuts: list[int]
) -> None:
    generator = np.random.default_rng(seed)
    vectors = generator.integers(-2, 3, (count, width)).astype(np.float32)  # many ties, some zero rows
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = (vectors / np.where(norms == 0, 1, norms)).astype(np.float32)
    query = vectors[0] if count and seed % 2 else generator.standard_normal(width).astype(np.float32)
    query = query / max(float(np.linalg.norm(query)), 1e-9)
    order = generator.permutation(count).astype(np.int32)
    exact = cosine_similarity(query[None, :], vectors)[0] if count else np.zeros(0)
    expected = sorted(
        (row for row in range(count) if exact[row] > 0), key=lambda row: (-exact[row], order[row])
    )
    for shards in ([vectors], [vectors[part] for part in divided(count, cuts)]):
        coded = [CodedVectors.of(rows) for rows in shards]
        assert best_cosines(coded, query, many, order).tolist() == expected[:many]
    scores = exact.astype(np.float32)
    assert best_rows(scores, many, order).tolist() == expected[:many]


@given(st.lists(st.permutations(range(6)).map(lambda rows: rows[:4]), max_size=3))
def test_b023_fusion_is_reciprocal_rank(rankings: list[list[int]]) -> None:
    order = np.array([3, 1, 5, 0, 2, 4], dtype=np.int32)
    rows, scores = fuse([np.array(rows) for rows in rankings], [1.0] * len(rankings), order)
    total: Counter[int] = Counter()
    for ranking in rankings:
        for rank, row in enumerate(ranking):
            total[row] += 1 / (11 + rank)  # type: ignore[assignment]
    assert rows.tolist() == sorted(total, key=lambda row: (-total[row], order[row]))
    assert scores.tolist() == [total[row] for row in rows.tolist()]


@given(st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_b023_the_best_score_becomes_1_and_none_is_below_0(scores: list[float]) -> None:
    found = normalize_scores(scores)
    assert len(found) == len(scores)
    if scores:
        assert found.max() == 1.0 and found.min() >= 0.0
        assert found[int(np.argmax(scores))] == 1.0
        assert all((a >= b) == (x >= y) or x == y or a == b for a, x in zip(found, scores, strict=True)
                   for b, y in zip(found, scores, strict=True))  # fmt: skip


def test_b023_equal_scores_are_1_each() -> None:
    for scores in ([0.0, 0.0], [0.3, 0.3, 0.3], [-2.0, -2.0], [5.0]):
        assert normalize_scores(scores).tolist() == [1.0] * len(scores)
    assert normalize_scores([]).tolist() == []
    assert normalize_scores([0.8, 0.4, 0.0]).tolist() == [1.0, 0.5, 0.0]
    for wrong in ([float("nan")], [float("inf"), 1.0], [[1.0]]):
        with pytest.raises(ValueError, match="finite numbers"):
            normalize_scores(wrong)
