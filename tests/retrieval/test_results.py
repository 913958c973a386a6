"""Results of a search: threshold, duplicates, the best, and what can be asked for besides."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from types import SimpleNamespace

import numpy as np
import pytest
import tersely
from hypothesis import example, given, strategies as st
from list_retriever import SUBJECTS, chunk, ten
from tersely.engine.count import count
from tersely.errors import BudgetExceededError
from tersely.retrieval import ChunkResult, DocumentChunk, SearchResult, compress_results
from tersely.retrieval.results import above_score, duplicates, extract_sentences, kmeans_groups, within_budget

TWINS = ["Tokens rotate every 24 hours.", "Tokens are rotated every 24 hours.", "Keys live in the vault."]


def with_scores(texts: list[str], scores: list[float]) -> list[ChunkResult]:
    return [
        chunk(f"c{row}", score, text) for row, (text, score) in enumerate(zip(texts, scores, strict=True))
    ]


def test_b002_chunk_result_has_six_fields_in_order() -> None:
    expected = ["chunk_id", "doc_id", "score", "header_path", "file_path", "content"]
    assert list(ChunkResult.__dataclass_fields__) == expected


@pytest.mark.parametrize(("characters", "tokens"), [(3750, 938), (7500, 1875), (15000, 3750), (18750, 4688)])
def test_b004_tokens_are_estimated_as_a_quarter_of_the_characters(characters: int, tokens: int) -> None:
    assert count(tersely.models.counters.resolve_counter("chars/4"), "x" * characters) == tokens


def test_b006_whole_chunks_while_they_fit() -> None:
    texts = [f"Subject {row} is {word}. " * 200 for row, word in enumerate(("salt", "iron", "wool", "rope"))]
    results = with_scores([text[:3000] for text in texts], [0.9, 0.8, 0.7, 0.6])
    left = compress_results(results, max_tokens=2000)
    assert [one.chunk_id for one in left.results] == ["c0", "c1"] and left.truncated
    assert left.compression_stats.after_dedup == 4 and left.compression_stats.returned_count == 2
    whole = compress_results(results, max_tokens=3000)
    assert len(whole) == 4 and not whole.truncated


def test_b006_a_worse_chunk_does_not_slip_in_and_the_best_is_never_lost() -> None:
    assert within_budget(["x" * 4000, "x" * 6000, "x" * 40]) == (1, True)  # 2,000 tokens are the default
    with pytest.raises(BudgetExceededError) as error:
        within_budget(["x" * 4001], 1000)
    assert (error.value.required, error.value.budget) == (1001, 1000)
    assert within_budget([], 1) == (0, False)
    assert within_budget(["one two", "three"], 2, counter=lambda text: len(text.split())) == (1, True)


@given(
    st.lists(st.sampled_from(["港は開いた。", "あ。", "No. ", "The pump runs. ", "\n", "い？"]), max_size=9)
)
@example(["港は開いた。", "あ。", "港は閉じた。"])  # the mark of a gap is longer than what it stood for
def test_b007_no_excerpt_is_longer_than_its_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    for number in range(1, 4):
        (excerpt,) = extract_sentences([text], "港 pump", number)
        assert len(excerpt.text) <= len(text)
        assert all(text[start:end] in excerpt.text for start, end in excerpt.spans)


def test_b007_sentences_of_each_chunk_in_source_order() -> None:
    texts = [
        "The office opens at nine. Tokens rotate every day. The cat sleeps. Rotation of tokens is automatic.",
        "Lunch is at noon. Old tokens expire after rotation. It rains. A token is a string.",
        "Tokens are signed. The sea is blue. The key of a token rotates. Walls are white.",
    ]
    left = compress_results(with_scores(texts, [0.9, 0.8, 0.7]), "how do tokens rotate?", max_sentences=6)
    assert [len(spans) for spans in left.spans] == [2, 2, 2]
    assert left.spans == tuple(tuple(sorted(spans)) for spans in left.spans)
    for source, text, spans in zip(texts, left.texts, left.spans, strict=True):
        assert text == " … ".join(source[start:end] for start, end in spans) or text in source
    assert "Tokens rotate every day." in left.texts[0] and "The cat sleeps." not in left.texts[0]
    with pytest.raises(ValueError, match="max_sentences needs a query"):
        compress_results([], max_sentences=3)


def test_b009_similar_vectors_are_one_and_the_best_score_stands_for_them() -> None:
    vectors = np.array([[1, 0, 0], [0.99, 0.14, 0], [0, 1, 0]])
    left = compress_results(with_scores(TWINS, [0.6, 0.9, 0.7]), vectors=vectors)
    assert [one.chunk_id for one in left.results] == ["c1", "c2"]
    assert left.duplicates == ((0, 1),) and left.compression_stats.clusters_merged == 1
    assert duplicates(TWINS, [1, 1, 1], vectors=vectors, keep_facts=False).tolist() == [0, 0, 2]


def test_b009_what_differs_in_a_number_is_no_duplicate_whatever_its_vector() -> None:
    texts = ["Version 2.1 keeps ten backups.", "Version 2.2 keeps ten backups."]
    same = np.ones((2, 3))
    assert compress_results(with_scores(texts, [0.9, 0.8]), vectors=same).duplicates == ()
    asked = compress_results(with_scores(texts, [0.9, 0.8]), vectors=same, keep_facts=False)
    assert asked.duplicates == ((1, 0),)


def test_b010_nothing_one_and_zero_vectors() -> None:
    empty = compress_results([])
    assert empty.results == () and empty.compression_stats.original_count == 0
    one = compress_results([chunk("a", 0.5, "Only this.")])
    assert len(one) == 1 and one.compression_stats.clusters_merged == 0
    zero = np.array([[0.0, 0], [1, 0], [0, 0]])
    assert compress_results(with_scores(TWINS, [0.9, 0.8, 0.7]), vectors=zero).duplicates == ()
    assert compress_results([], vectors=np.zeros((0, 4))).results == ()


def test_b011_kmeans_has_as_many_groups_as_are_wanted_or_different() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(6, 8))
    results = with_scores(list(SUBJECTS), [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    runs = [compress_results(results, vectors=vectors, strategy="kmeans", top_n=3) for _ in range(2)]
    assert runs[0].indices == runs[1].indices and len(runs[0]) == 3 and runs[0].indices[0] == 0
    assert len(compress_results(results, vectors=vectors, strategy="kmeans", top_n=9)) == 6
    twice = compress_results(ten(), strategy="kmeans", top_n=6)
    assert len(twice) == 6 and "twin" not in [one.chunk_id for one in twice.results]


def test_b011_kmeans_finds_groups_that_are_there() -> None:
    angles = np.array([0.0, 0.05, 1.5, 1.55, 3.0, 3.05])
    stands = kmeans_groups(np.stack([np.cos(angles), np.sin(angles)], axis=1), [1, 2, 3, 4, 5, 6], 3)
    assert stands.tolist() == [1, 1, 3, 3, 5, 5]


def test_b012_the_threshold_is_inclusive_and_keeps_the_order() -> None:
    results = [SimpleNamespace(score=score) for score in (0.9, 0.3, 0.29)]
    assert above_score(results, 0.3) == results[:2]
    assert above_score([SimpleNamespace(score=1.0)], 1.0) and above_score(results, 1.0) == []
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="min_score must lie in"):
            above_score(results, wrong)


def test_b015_duplicates_are_merged_before_the_cut() -> None:
    results = [*with_scores(list(SUBJECTS[:4]), [0.9, 0.85, 0.8, 0.75]), *ten()[:1], ten()[6]]
    left = compress_results(results, top_n=2)
    assert left.compression_stats.clusters_merged == 2  # one of them would stand third, one last
    assert len(left) == 2 and left.compression_stats.after_dedup == 4


def test_results_without_scores_count_how_probably_they_are_on_topic() -> None:
    texts = ["Bread is baked at four. The oven is old.", "Access tokens are rotated every 24 hours."]
    query = "How often are access tokens rotated?"
    left = compress_results(texts, query)
    assert left.results == (texts[1],)
    assert len(compress_results(texts, "What do lynxes hunt in winter?", min_score=0.5)) == 0
    assert len(compress_results([(text, 0.9) for text in texts], query)) == 2, "scores are taken as they are"


def test_b021_the_threshold_decides() -> None:
    pair = np.array([[1.0, 0], [0.7, 0.7141428]])
    results = with_scores(TWINS[:2], [0.9, 0.8])
    assert len(compress_results(results, vectors=pair, similarity_threshold=0.9)) == 2
    assert len(compress_results(results, vectors=pair, similarity_threshold=0.5)) == 1


def test_x26_identical_vectors_merge_at_one() -> None:
    vectors = np.array([[0.1, 0.7, 0.3]] * 2, dtype=np.float32)
    results = with_scores(TWINS[:2], [0.9, 0.8])
    assert len(compress_results(results, vectors=vectors, similarity_threshold=1.0)) == 1


def test_x27_no_chaining_unless_asked_for() -> None:
    texts = ["Tokens rotate daily.", "The tokens rotate daily.", "The tokens do rotate daily."]
    angles = np.array([0.0, 0.7, 1.4])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)  # neighbours .76, ends .17
    results = with_scores(texts, [0.9, 0.8, 0.7])
    assert len(compress_results(results, vectors=vectors, similarity_threshold=0.5)) == 2
    assert len(compress_results(results, vectors=vectors, similarity_threshold=0.5, linkage="single")) == 1
    with pytest.raises(ValueError, match="linkage must be one of"):
        compress_results(results, linkage="complete")


def test_x28_the_numbers_add_up() -> None:
    stats = compress_results(ten(), top_n=5).compression_stats
    assert asdict(stats) == {
        "original_count": 10,
        "after_threshold": 7,
        "after_dedup": 6,
        "clusters_merged": 1,
        "returned_count": 5,
    }


def test_x25_and_x77_the_default_threshold_is_its_own() -> None:
    assert len(compress_results([chunk("a", 0.3, "Just enough."), chunk("b", 0.2999, "Not quite.")])) == 1


@dataclass
class Theirs:
    page_content: str
    metadata: dict[str, object]


def test_results_of_all_kinds_are_read() -> None:
    kinds = [
        {"content": "a mapping", "score": 0.9},
        SearchResult(document=DocumentChunk(id="x", content="one of ours"), score=0.8),
        (Theirs("a pair", {}), 0.7),
        Theirs("a score in metadata", {"relevance_score": 0.6}),
        SimpleNamespace(node=SimpleNamespace(text="a node", id_="n1"), score=np.float32(0.5)),
    ]
    left = compress_results(kinds)
    assert left.texts == ("a mapping", "one of ours", "a pair", "a score in metadata", "a node")
    assert left.results == tuple(kinds)
    assert len(compress_results(["no score", Theirs("none here", {})])) == 2


@pytest.mark.parametrize(
    ("results", "error", "message"),
    [
        ("text", TypeError, "must be a list"),
        ([{"body": "x"}], TypeError, "result 0 must have a text"),
        ([{"text": 3}], TypeError, "must be str, not int"),
        ([{"text": "x", "score": 1}, "y"], ValueError, "result 1 has no score"),
        ([{"text": "x", "score": float("nan")}], ValueError, "finite"),
        ([{"text": "x", "score": True}], ValueError, "finite"),
    ],
)
def test_what_is_no_result_is_named(results: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compress_results(results)


@given(
    st.lists(st.tuples(st.sampled_from([*SUBJECTS, *TWINS]), st.floats(0, 1)), max_size=12),
    st.integers(1, 6),
    st.floats(0, 1),
)
def test_b015_the_steps_hold_for_any_results(rows: list[tuple[str, float]], top_n: int, low: float) -> None:
    results = with_scores([text for text, _ in rows], [score for _, score in rows])
    left = compress_results(results, top_n=top_n, min_score=low)
    stats = left.compression_stats
    assert stats.after_threshold == sum(one.score >= low for one in results)
    assert stats.after_threshold - stats.clusters_merged == stats.after_dedup
    assert stats.returned_count == len(left) == min(top_n, stats.after_dedup)
    scores = [one.score for one in left.results]
    assert scores == sorted(scores, reverse=True)
    for gone, stays in left.duplicates:
        assert results[gone].score <= results[stays].score
        assert "".join(filter(str.isdigit, results[gone].content)) == "".join(
            filter(str.isdigit, results[stays].content)
        )


def test_chunks_and_results_are_taken_by_position() -> None:
    chunk = DocumentChunk("a", "Keys rotate.")
    assert SearchResult(chunk, 0.5) == SearchResult(
        document=DocumentChunk(id="a", content="Keys rotate."), score=0.5
    )
