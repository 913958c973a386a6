"""What the native border refuses: wrong arrays never reach a kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from small_corpora import Corpus, flat
from tersely import _native
from tersely.engine.worth import FEATURES
from tersely.models.weights import relevance_forest
from tersely.text import well_formed

GOOD = Corpus([["a"], ["b"], ["a"]], [0, 0, 1], [0, 1, 2], [-1, 0, -1], ["a"], [[], []])


def relevance_features(corpus: Corpus, query_row: int, title_rows: np.ndarray) -> np.ndarray:
    none = np.empty(0, np.float32)
    start, weights = np.zeros(len(corpus.documents), np.int64), np.zeros(len(FEATURES))
    asked = (query_row, title_rows, 0, none, start, start + 1)
    return _native.relevance(corpus.terms(), asked, weights, relevance_forest("static"), None)[0]


def lexical_calls(corpus: Corpus) -> list[object]:
    return [
        lambda: _native.centrality(corpus.terms()),
        lambda: _native.inverse_frequency(corpus.terms()),
        lambda: relevance_features(corpus, len(corpus.rows), corpus.title_rows()),
    ]


BAD_CORPORA = {
    "document descends": {"documents": [1, 0, 0], "headings": [-1, -1, -1]},
    "block descends": {"blocks": [2, 1, 0]},
    "heading is itself": {"headings": [-1, 1, -1]},
    "heading below": {"headings": [1, -1, -1]},
    "heading under -1": {"headings": [-2, -1, -1]},
    "heading in another document": {"headings": [-1, 0, 0]},
    "fewer blocks": {"blocks": [0, 1]},
}


@pytest.mark.parametrize("name", BAD_CORPORA)
def test_bad_segments_are_refused(name: str) -> None:
    for call in lexical_calls(replace(GOOD, **BAD_CORPORA[name])):
        with pytest.raises(ValueError, match="must"):
            call()


def test_good_segments_are_not() -> None:
    assert [len(call()) for call in lexical_calls(GOOD)] == [3, 2, len(FEATURES)]


@pytest.mark.parametrize(
    ("ids", "offsets"),
    [
        ([0, 2], [0, 1, 2]),
        ([-1, 0], [0, 1, 2]),
        ([0, 1], [0, 2, 1]),
        ([0, 1], [1, 1, 2]),
        ([0, 1], [0, 1]),
        ([0, 1], [0, 1, 9]),
    ],
)
def test_bad_terms_are_refused(ids: list[int], offsets: list[int]) -> None:
    columns = [np.array(column, dtype=np.int32) for column in ([0, 0], [0, 1], [-1, -1])]
    with pytest.raises(ValueError, match="term_"):
        given = (np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64))
        _native.centrality((*given, np.zeros(2, np.uint8), *columns))


@pytest.mark.parametrize(("query_row", "title_rows"), [(9, [-1]), (1, [9]), (1, [-2]), (1, [])])
def test_bad_rows_are_refused(query_row: int, title_rows: list[int]) -> None:
    with pytest.raises(ValueError, match="row"):
        relevance_features(flat([["a"]], ["a"]), query_row, np.array(title_rows, dtype=np.int64))


def select(budget: int, **problem: Any) -> Any:
    return _native.Choice(**problem).select(budget)


SELECTION: dict[str, Any] = {
    "score": np.ones(3, np.float32), "cost": np.ones(3, np.int64), "budget": 3,
    "pinned": np.zeros(3, np.uint8), "group": np.full(3, -1, np.int32), "document": np.zeros(3, np.int32),
    "heading": np.full(3, -1, np.int32), "term_ids": np.array([0, 1], np.int32),
    "term_offsets": np.array([0, 1, 2, 2], np.int64), "term_weight": np.ones(2, np.float32),
    "redundancy": 0.5, "context": 0, "kind": np.zeros(3, np.uint8), "above": np.full(3, -1, np.int32),
    "head_cost": np.ones(1, np.int64), "head_above": np.full(1, -1, np.int32),
    "head_of": np.zeros(1, np.int32),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("score", np.array([1, np.nan, 1], np.float32)), ("score", np.array([1, np.inf, 1], np.float32)),
        ("score", np.ones(2, np.float32)), ("cost", np.array([1, -1, 1], np.int64)),
        ("cost", np.ones(4, np.int64)), ("budget", -1), ("pinned", np.zeros(2, np.uint8)),
        ("group", np.array([-2, -1, -1], np.int32)), ("document", np.zeros(2, np.int32)),
        ("document", np.array([1, 0, 0], np.int32)), ("heading", np.array([-1, 1, -1], np.int32)),
        ("heading", np.array([-1, 2, -1], np.int32)), ("term_ids", np.array([0, 2], np.int32)),
        ("term_ids", np.array([0, -1], np.int32)), ("term_offsets", np.array([0, 2, 1, 2], np.int64)),
        ("term_offsets", np.array([0, 1, 2, 3], np.int64)), ("term_offsets", np.array([0, 1], np.int64)),
        ("term_weight", np.array([1, -1], np.float32)), ("term_weight", np.array([1, np.nan], np.float32)),
        ("redundancy", -0.1), ("redundancy", 1.1), ("redundancy", float("nan")), ("context", -1),
        ("kind", np.zeros(2, np.uint8)), ("above", np.full(2, -1, np.int32)),
        ("above", np.array([-1, 1, -1], np.int32)), ("above", np.array([-2, -1, -1], np.int32)),
        ("score", np.ones((3, 1), np.float32)), ("gist_room", 1), ("essential", np.ones(2, np.uint8)),
        ("price", np.ones(4, np.int64)), ("leading", np.array([0, 4], np.int64)),
        ("leading", np.array([2, 1], np.int64)), ("fences", np.array([0], np.int64)),
        ("fences", np.array([0, 3], np.int64)), ("bare", np.array([-1, 1], np.int64)), ("fill", True),
        ("head_above", np.zeros(1, np.int32)), ("head_of", np.ones(1, np.int32)),
        ("head_of", np.empty(0, np.int32)),
    ],
)  # fmt: skip
def test_bad_selections_are_refused(name: str, bad: object) -> None:
    with pytest.raises(ValueError, match=r"must|exceed"):
        select(**{**SELECTION, name: bad})


def test_a_good_selection_is_not() -> None:
    assert select(**SELECTION).tolist() == [2, 2, 2]
    with pytest.raises(TypeError, match="unknown"):
        _native.Choice(**SELECTION)


@pytest.mark.parametrize("level", [-1, 6])
def test_unknown_levels_are_refused(level: int) -> None:
    with pytest.raises(ValueError, match="level must be 0 to 5"):
        _native.segment(["text"], level, 10)


@pytest.mark.parametrize("texts", [[b"bytes"], [None], [1]])
def test_texts_must_be_str(texts: list[object]) -> None:
    with pytest.raises(TypeError):
        _native.segment(texts, 2, 10)
    with pytest.raises(TypeError):
        _native.terms(texts)


@given(st.lists(st.text(st.characters(categories=["L", "Z", "Cs", "So"])), max_size=5))
def test_lone_surrogates_are_read_as_replacement_characters(texts: list[str]) -> None:
    read = [well_formed(text) for text in texts]
    assert list(map(len, read)) == list(map(len, texts))
    for call in (_native.terms, lambda some: _native.segment(some, 2, 10)):
        for one, other in zip(call(texts), call(read), strict=True):
            assert np.array_equal(one, other)
