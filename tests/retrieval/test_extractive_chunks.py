"""Segmenter and ExtractiveCompressor of tersely.retrieval."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from odd_counters import STEADY
from retrieval_corpus import CORPUS, QUERY, HitScorer, prose, words
from sample_texts import GUIDE
from tersely.errors import BudgetExceededError
from tersely.retrieval import ExtractiveCompressor, RelevanceScore, Segmenter, SegmentSize
from tersely.types import Kind
from text_strategies import texts

LEVELS = ["CHARACTER", "WORD", "CLAUSE", "SENTENCE", "PARAGRAPH", "SECTION"]


def test_d022_all_sizes_sentence_by_default() -> None:
    assert [size.name for size in SegmentSize] == LEVELS
    assert Segmenter().segment_size is SegmentSize.SENTENCE


@pytest.mark.parametrize("level", LEVELS)
@given(text=texts)
def test_d022_no_size_loses_anything(level: str, text: str) -> None:
    segments = Segmenter(level).split(text)
    assert "".join(segment.gap + segment.text + segment.tail for segment in segments) == text * bool(segments)
    assert segments or not text.strip()
    assert not any(segment.tail for segment in segments[:-1])
    for index, segment in enumerate(segments):
        assert segment.text == text[segment.start : segment.end] != ""
        assert (segment.index, segment.gap.strip()) == (index, "")


def test_d022_sections_start_at_headings() -> None:
    sections = Segmenter(SegmentSize.SECTION).split(GUIDE)
    assert [section.text.splitlines()[0] for section in sections][:3] == [
        "# The Harbour Handbook",
        "## 1. Arriving",
        "## 2. Signals",
    ]


@pytest.mark.parametrize(
    ("window", "error"), [(0, ValueError), (-1, ValueError), (True, TypeError), ("9", TypeError)]
)
def test_a_window_that_is_none(window: int, error: type[Exception]) -> None:
    with pytest.raises(error, match="window must be a whole number"):
        Segmenter("character", window=window)


def test_d017_defaults() -> None:
    compressor = ExtractiveCompressor()
    assert (compressor.segmenter.segment_size, compressor.overlap) == (SegmentSize.SENTENCE, 1)
    assert ExtractiveCompressor("paragraph", 3).overlap == 3


@pytest.mark.parametrize(("budget", "expected"), [(10, [5]), (22, [4, 5]), (36, [4, 5, 6]), (60, [4, 5, 6])])
def test_d017_a_hit_brings_its_neighbours_as_far_as_the_budget_allows(
    budget: int, expected: list[int]
) -> None:
    class OnlyOne(HitScorer):
        """The others are worth nothing at all."""

        def score_sync(self, documents: Sequence[Any], query: str) -> list[RelevanceScore]:
            (one,) = super().score_sync(documents, query)
            segments = tuple(replace(part, score=float(part.score == 1)) for part in one.segment_scores)
            return [replace(one, segment_scores=segments)]

    text = prose(12).replace("lamp5 ", "tokens ")
    compressor = ExtractiveCompressor(counter=words, scorer=OnlyOne("tokens"))
    found = compressor.compress_sync(text, QUERY, budget)
    assert [segment.index for segment in found.segments] == expected


def test_d016_segments_are_verbatim_in_order_and_within_the_budget() -> None:
    for overlap in (0, 1, 2):
        compressor = ExtractiveCompressor(overlap_segments=overlap, counter=words)
        for document in CORPUS:
            found = asyncio.run(compressor.compress(document, QUERY, 40))
            assert found == compressor.compress_sync(document, QUERY, 40)
            assert found.token_count == words(found.text) <= 40
            assert [one.index for one in found.segments] == sorted({one.index for one in found.segments})
            assert all(document.content[one.start : one.end] == one.text for one in found.segments)
            assert all(one.text in found.text for one in found.segments)
            assert len(found.scores) == len(found.segments)
    assert "24 hours" in compressor.compress_sync(CORPUS[0], QUERY, 30).text


def test_d017_scores_are_the_scorers_own_where_it_cuts_likewise() -> None:
    compressor = ExtractiveCompressor()
    segments = compressor.segmenter.split(CORPUS[0].content)
    scores = asyncio.run(compressor.score_segments(segments, QUERY))
    assert len(scores) == len(segments) == 19
    assert int(np.argmax(scores)) == 12
    coarse = ExtractiveCompressor("section", scorer=compressor.scorer)
    whole = coarse.segmenter.split(CORPUS[0].content)
    assert asyncio.run(coarse.score_segments(whole, QUERY)) == [max(scores)]


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 50)), min_size=1, max_size=12), st.integers(0, 60)
)
def test_d018_the_choice_is_the_best_there_is(items: list[tuple[int, int]], budget: int) -> None:
    compressor = ExtractiveCompressor(counter=words)
    text = "\n\n".join(" ".join(["word"] * cost) + "." for cost, _ in items)
    segments = Segmenter("paragraph").split(text)
    costs = [words(segment.text) for segment in segments]
    scores = [float(score) for _, score in items]
    assert len(segments) == len(items)
    chosen = compressor.select_optimal(segments, scores, budget)
    assert sum(costs[one.index] for one in chosen) <= budget
    best = max(
        sum(scores[i] for i in rows)
        for size in range(len(items) + 1)
        for rows in combinations(range(len(items)), size)
        if sum(costs[i] for i in rows) <= budget
    )
    assert sum(scores[one.index] for one in chosen) == best
    greedy, left = 0.0, budget
    for i in sorted(range(len(items)), key=lambda i: -scores[i] / costs[i]):
        if costs[i] <= left:
            greedy, left = greedy + scores[i], left - costs[i]
    assert best >= greedy


def test_d018_a_large_choice_is_made_too(monkeypatch: pytest.MonkeyPatch) -> None:
    compressor = ExtractiveCompressor(counter=words)
    segments = compressor.segmenter.split(prose(200))
    scores = [1.0 + i % 7 for i in range(len(segments))]
    exact = compressor.select_optimal(segments, scores, 500)
    monkeypatch.setattr("tersely.retrieval.contextual.extractive._CELLS", 10)
    near = compressor.select_optimal(segments, scores, 500)
    total = sum(scores[one.index] for one in exact)
    assert total >= sum(scores[one.index] for one in near) >= total / 2
    assert [one.index for one in near] == sorted(one.index for one in near)


@given(texts, st.integers(1, 40), st.sampled_from(STEADY), st.sampled_from(["a token", ""]))
def test_d016_any_text_any_counter(text: str, budget: int, counter: object, query: str) -> None:
    compressor = ExtractiveCompressor(counter=counter)
    try:
        found = compressor.compress_sync(text, query, budget)
    except BudgetExceededError as error:
        assert error.required > budget
        return
    assert found.token_count == compressor.counter.count(found.text) <= budget or not found.segments
    assert bool(found.segments) == bool(text.strip())
    for segment in found.segments:
        assert text[segment.start : segment.end] == segment.text
        assert segment.text in found.text


def test_a_segment_that_fits_nowhere_is_cut() -> None:
    found = ExtractiveCompressor(counter=words).compress_sync(
        "One very long sentence about tokens.", QUERY, 3
    )
    assert (found.text, found.token_count) == ("One very long…", 3)
    assert found.segments[0].text == "One very long"
    assert found.segments[0].kind is Kind.PROSE


@pytest.mark.parametrize(("overlap", "error"), [(-1, ValueError), (True, TypeError), (1.5, TypeError)])
def test_an_overlap_that_is_none(overlap: int, error: type[Exception]) -> None:
    with pytest.raises(error, match="overlap_segments must be"):
        ExtractiveCompressor(overlap_segments=overlap)


def test_wrong_scores() -> None:
    compressor = ExtractiveCompressor()
    segments = compressor.segmenter.split("One. Two.")
    with pytest.raises(ValueError, match="one score a segment: 1 for 2"):
        compressor.select_optimal(segments, [1.0], 5)
    with pytest.raises(ValueError, match="finite"):
        compressor.select_optimal(segments, [1.0, float("inf")], 5)
