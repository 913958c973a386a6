"""Segments that are chosen for a query: properties of every choice, and one document by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from odd_counters import STEADY, words
from retrieval_corpus import CORPUS, QUERY, HitScorer, check_result, chunk, prose
from sample_texts import GUIDE
from tersely.errors import BudgetExceededError
from tersely.retrieval import (
    ChunkResult,
    CompressingRetriever,
    CompressionConfig,
    ContextualCompressor,
    DocumentChunk,
    ExtractiveCompressor,
    RelevanceReranker,
    RelevanceScore,
    Segmenter,
    SegmentSize,
    TokenBudgetConfig,
)
from tersely.types import Kind
from text_strategies import texts

ALLOCATIONS = ["uniform", "proportional", "threshold", "greedy"]


def limits(available: int, allocation: str = "proportional", least: int = 1) -> TokenBudgetConfig:
    return TokenBudgetConfig(available + 1, 1, least, 2000, allocation)  # type: ignore[arg-type]


@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_pinned_text_stays_whatever_it_is_worth(allocation: str) -> None:
    compressor = ContextualCompressor(budget=limits(60, allocation), counter=words)
    pin = "The gardener number7 carried lamp7 up tower7 before night7 fell."
    result = compressor.compress_sync(CORPUS, QUERY, pinned=pin)
    check_result(result, words, 60)
    assert pin in result.text
    reasons = [span.reason for one in result.compressed_documents for span in one.preserved_segments]
    assert reasons.count("pinned") == 1
    with pytest.raises(BudgetExceededError) as caught:
        compressor.compress_sync(CORPUS, QUERY, pinned=[document.content for document in CORPUS])
    error = caught.value
    assert error.required > error.budget == 61, "the budget that the caller sets, the response's one included"
    enough = ContextualCompressor(budget=limits(int(error.required) - 1, allocation), counter=words)
    whole = enough.compress_sync(CORPUS, QUERY, pinned=[document.content for document in CORPUS])
    assert all(document.content in whole.text for document in CORPUS)


@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_what_two_documents_say_word_for_word_is_kept_once(allocation: str) -> None:
    said = "Tokens are rotated every 24 hours by the gateway."
    documents = [
        chunk(f"{prose(3, 'sailor')} {said}"),
        chunk(f"{said} {prose(3, 'cook')}"),
        chunk(f"{prose(3, 'pilot')}\n\n{said}"),
    ]
    compressor = ContextualCompressor(budget=limits(80, allocation), counter=words)
    result = compressor.compress_sync(documents, QUERY)
    assert result.text.count(said) == 1
    gone = [span for one in result.compressed_documents for span in one.dropped_segments]
    duplicates = sum(span.reason == "duplicate" for span in gone)
    assert duplicates + len(result.dropped_documents) >= 2


@pytest.mark.parametrize("allocation", ["uniform", "proportional", "threshold"])
@pytest.mark.parametrize("available", range(60, 200, 20))
def test_what_one_document_cannot_use_is_not_lost(allocation: str, available: int) -> None:
    documents = [
        chunk(prose(14, f"rower{i}").replace("lamp", "tokens rotated ", 5 * i), str(i)) for i in range(4)
    ]
    config = CompressionConfig(min_relevance_threshold=0)
    compressor = ContextualCompressor(config=config, budget=limits(available, allocation), counter=words)
    result = compressor.compress_sync(documents, QUERY)
    check_result(result, words, available)
    assert result.usage.unused < 12, "less than the longest sentence"


def test_a_document_that_others_have_is_a_duplicate() -> None:
    documents = [chunk(prose(9), "a"), chunk(prose(9), "b"), chunk(prose(9, "tokens"), "c")]
    compressor = ContextualCompressor(
        budget=limits(100), counter=words, config=CompressionConfig(min_relevance_threshold=0)
    )
    result = compressor.compress_sync(documents, QUERY)
    assert [(one.index, one.reason) for one in result.dropped_documents] == [(1, "duplicate")]


def test_by_default_the_budget_flows_to_what_answers() -> None:
    answers = " ".join(
        f"Tokens of port {i} are rotated every {i + 2} hours by the gateway." for i in range(30)
    )
    others = [prose(30, f"token rower{i}") for i in range(5)]
    texts = [answers, *others]
    flowing = ContextualCompressor(token_budget=300, counter=words).compress_sync(texts, QUERY)
    check_result(flowing, words, 300)
    shared = ContextualCompressor(budget=limits(300, "uniform"), counter=words).compress_sync(texts, QUERY)
    check_result(shared, words, 300)
    kept = [result.text.count("are rotated every") for result in (flowing, shared)]
    assert kept[0] > 2 * kept[1]
    assert kept[1] >= 3, "its share"


class Shelf:
    """A retriever that finds all it has."""

    def __init__(self) -> None:
        self.chunks = [
            ChunkResult(
                chunk_id=str(document.id),
                doc_id="d",
                score=0.9,
                header_path="Tokens > Rotation",
                file_path="a.md",
                content=document.content,
            )
            for document in CORPUS
        ]

    def search(self, query: str, top_n: int = 5) -> list[ChunkResult]:
        return self.chunks[:top_n]

    def chunk(self, chunk_id: str) -> ChunkResult:
        return next(one for one in self.chunks if one.chunk_id == chunk_id)


def test_a_retriever_that_compresses_and_a_reranker_that_scores_nothing_again() -> None:
    compressor = ContextualCompressor(budget=limits(60), counter=words)
    retriever = CompressingRetriever(Shelf(), compressor)
    found, result = retriever.compressed(QUERY, 3)
    assert retriever.search(QUERY, 3) == found
    assert [one.content for one in found] == [one.content for one in result.compressed_documents]
    assert all(one.header_path == "Tokens > Rotation" for one in found)
    assert retriever.chunk("a").content == CORPUS[0].content
    reranker = RelevanceReranker(result)
    scores = [score.overall_score for score in result.relevance_scores]
    assert reranker.order() == sorted(range(3), key=lambda i: -scores[i])
    assert reranker.rerank(["x", "y", "z"], 1) == [["x", "y", "z"][reranker.order()[0]]]
    assert reranker.rerank()[0] in result.original_documents
    with pytest.raises(ValueError, match="there must be 3 documents, not 1"):
        reranker.rerank(["x"])


def test_one_counter_for_all() -> None:
    compressor = ContextualCompressor(counter=words)
    assert compressor.budget_manager.counter is compressor.counter


@pytest.mark.parametrize(
    ("documents", "error"),
    [
        ([DocumentChunk(id="a", content=b"x")], TypeError),
        ([1], TypeError),
        ([{"text": "x", "title": 5}], TypeError),
        (7, TypeError),
    ],  # type: ignore[arg-type]
)
def test_documents_that_are_none(documents: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="document"):
        ContextualCompressor().compress_sync(documents, QUERY)


LEVELS = ["CHARACTER", "WORD", "CLAUSE", "SENTENCE", "PARAGRAPH", "SECTION"]


def test_all_sizes_sentence_by_default() -> None:
    assert [size.name for size in SegmentSize] == LEVELS
    assert Segmenter().segment_size is SegmentSize.SENTENCE


@pytest.mark.parametrize("level", LEVELS)
@given(text=texts)
def test_no_size_loses_anything(level: str, text: str) -> None:
    segments = Segmenter(level).split(text)
    assert "".join(segment.gap + segment.text + segment.tail for segment in segments) == text * bool(segments)
    assert segments or not text.strip()
    assert not any(segment.tail for segment in segments[:-1])
    for index, segment in enumerate(segments):
        assert segment.text == text[segment.start : segment.end] != ""
        assert (segment.index, segment.gap.strip()) == (index, "")


def test_sections_start_at_headings() -> None:
    sections = Segmenter(SegmentSize.SECTION).split(GUIDE)
    assert [section.text.splitlines()[0] for section in sections][:3] == [
        "# The Harbour Handbook",
        "## 1. Arriving",
        "## 2. Signals",
    ]


def test_defaults() -> None:
    compressor = ExtractiveCompressor()
    assert (compressor.segmenter.segment_size, compressor.overlap) == (SegmentSize.SENTENCE, 1)
    assert ExtractiveCompressor("paragraph", 3).overlap == 3


@pytest.mark.parametrize(("budget", "expected"), [(10, [5]), (22, [4, 5]), (36, [4, 5, 6]), (60, [4, 5, 6])])
def test_a_hit_brings_its_neighbours_as_far_as_the_budget_allows(budget: int, expected: list[int]) -> None:
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


def test_segments_are_verbatim_in_order_and_within_the_budget() -> None:
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


def test_scores_are_the_scorers_own_where_it_cuts_likewise() -> None:
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
def test_the_choice_is_the_best_there_is(items: list[tuple[int, int]], budget: int) -> None:
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


@given(texts, st.integers(1, 40), st.sampled_from(STEADY), st.sampled_from(["a token", ""]))
def test_any_text_any_counter(text: str, budget: int, counter: object, query: str) -> None:
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


def test_pieces_of_a_segment_that_is_cut_are_the_segments_from_place_to_place() -> None:
    """The second piece was looked up as a segment of its own: KeyError."""
    text = f"One here. {' '.join(f'word{n},' for n in range(900))} end. Two there."
    found = ExtractiveCompressor().compress_sync(text, "word7 word500", 80)
    assert len({segment.index for segment in found.segments}) < len(found.segments)
    assert all(text[segment.start : segment.end] == segment.text for segment in found.segments)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="overlap_segments must be"):
        ExtractiveCompressor(overlap_segments=-1)
    with pytest.raises(ValueError, match="window must be a whole number"):
        Segmenter("character", window=0)
    compressor = ExtractiveCompressor()
    segments = compressor.segmenter.split("One. Two.")
    with pytest.raises(ValueError, match="one score a segment: 1 for 2"):
        compressor.select_optimal(segments, [1.0], 5)
    with pytest.raises(ValueError, match="finite"):
        compressor.select_optimal(segments, [1.0, float("inf")], 5)
