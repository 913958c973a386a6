"""The embedded index: what it finds, what it reads again, what it refuses."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from bag_embedder import BagEmbedder
from hypothesis import given, settings, strategies as st
from index_folders import WORDS, contents, write_folder
from other_threads import forks
from tersely import StaticEmbedder
from tersely.errors import StoreError
from tersely.retrieval import ChunkResult
from tersely.retrieval.chunks import Retriever
from tersely.retrieval.index import Index


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("harbour")
    write_folder(folder)
    return Index.build(folder)


def test_b002_results_are_chunks_with_six_fields(harbour: Index) -> None:
    names = ["chunk_id", "doc_id", "score", "header_path", "file_path", "content"]
    assert [field.name for field in dataclasses.fields(ChunkResult)] == names
    results = harbour.search("when does the crane stop?", top_n=3)
    assert len(results) == 3 and results[0].file_path == "crane.md"
    assert results[0].header_path.startswith("crane > The crane, part")
    assert all(200 <= len(result.content) <= 1500 for result in results)
    assert isinstance(harbour, Retriever)


def test_b023_scores_are_normalised_and_sorted(harbour: Index) -> None:
    for query in ("pilot sandbanks", "lamp", "zzzz", "the ship in the harbour at high water"):
        scores = [result.score for result in harbour.search(query, top_n=20)]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores) and (not scores or scores[0] == 1.0)


def test_more_results_begin_with_the_same_ones(tmp_path: Path) -> None:
    text = "".join(
        f"# Pier {n}\n\n" + f"The ferry of pier {n} waits for the tide. " * 9 + "\n\n" for n in range(300)
    )
    (tmp_path / "piers.md").write_text(text, encoding="utf-8")
    index = Index.build(tmp_path)
    for query in ("Which ferry waits at pier 7?", "tide"):
        found = [result.chunk_id for result in index.search(query, 100)]
        assert len(found) == 100
        for top_n in (1, 10, 40):
            assert [result.chunk_id for result in index.search(query, top_n)] == found[:top_n]


def test_search_finds_by_words_and_by_vectors(harbour: Index) -> None:
    for word in WORDS:
        for method in ("hybrid", "lexical", "vector"):
            assert harbour.search(f"{word}?", method=method)[0].file_path == f"{word}.md"
    assert harbour.search("vessel berth", method="lexical") == []
    assert harbour.search("vessel berth", method="vector") != []
    assert harbour.search("") == harbour.search("the of and", method="lexical") == []


SYNTAX = [
    '"foo OR bar*',
    "NEAR(",
    "NEAR(a b, 2)",
    "crane AND NOT",
    "header_path : x",
    "^crane",
    '"',
    "a-b*",
    "(",
]
SYNTAX += ["\0", "\ud800", "'; DROP TABLE chunks; --", "{a b} : c", "crane " * 5000]


@pytest.mark.parametrize("query", SYNTAX)
def test_nothing_in_a_query_is_syntax(harbour: Index, query: str) -> None:
    for method in ("hybrid", "lexical", "vector"):
        results = harbour.search(query, method=method)
        if "crane" in query and method != "vector":
            assert results[0].file_path == "crane.md"


@given(st.text(max_size=40))
def test_any_text_is_a_query(harbour: Index, query: str) -> None:
    harbour.search(query)


def test_chunks_vectors_and_spans_by_id(harbour: Index, tmp_path: Path) -> None:
    results = harbour.search("tide", top_n=4)
    ids = [result.chunk_id for result in results]
    texts = [f"{result.header_path}\n{result.content}" for result in results]
    assert np.array_equal(harbour.vectors(ids), StaticEmbedder().embed(texts))
    assert harbour.vectors([]).shape == (0, StaticEmbedder().dimensions)
    for result in results:
        assert harbour.chunk(result.chunk_id) == dataclasses.replace(result, score=1.0)
        path, start, end = harbour.span(result.chunk_id)
        assert (harbour.folder.parent / path).read_text()[start:end] == result.content
    for unknown in ("tide.md", "tide.md#99", "tide.md#-1", "../tide.md#0", "tide.md#²", "", "#"):
        with pytest.raises(KeyError):
            harbour.chunk(unknown)


def test_wrong_arguments_are_named(harbour: Index, tmp_path: Path) -> None:
    for top_n in (0, -1):
        with pytest.raises(ValueError, match="top_n must be a whole number from 1, not "):
            harbour.search("x", top_n)
    for wrong in (True, 1.5, "3"):
        with pytest.raises(TypeError, match="top_n must be a whole number, not "):
            harbour.search("x", wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="query must be str"):
        harbour.search(b"x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="method must be one of"):
        harbour.search("x", method="bm25")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is not a folder"):
        Index.build(tmp_path / "missing")
    with pytest.raises(ValueError, match="largest_file"):
        Index.build(tmp_path, largest_file=0)
    for many in (0, 33):
        with pytest.raises(ValueError, match="shards must be a whole number from 1 to 32"):
            Index.build(tmp_path, shards=many)


class Recorder(BagEmbedder):
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.texts += texts
        return super().embed(texts)


def test_only_what_changed_is_read_again_and_the_rest_is_the_same_as_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    write_folder(folder)
    embedder = Recorder()
    index = Index.build(folder, tmp_path / "index", embedder=embedder)
    assert index.report is not None and (index.report.added, index.report.files) == (5, 5)
    write_folder(folder, ("tide",), version=2)
    (folder / "lamp.md").unlink()
    (folder / "buoy.txt").write_text(f"The buoy. {WORDS['pilot'] * 3}", encoding="utf-8")
    embedder.texts.clear()
    again = Index.build(folder, tmp_path / "index", embedder=embedder)
    report = again.report
    assert report is not None
    assert (report.added, report.changed, report.removed, report.unchanged) == (1, 1, 1, 3)
    assert embedder.texts and all("Version 2" in text or "buoy" in text for text in embedder.texts)
    anew = Index.build(folder, tmp_path / "other", embedder=Recorder())
    assert contents(again) == contents(anew) == contents(index)  # an open index follows
    for query in (*WORDS, "buoy", "ship harbour high water", "version 2"):
        for method in ("hybrid", "lexical", "vector"):
            assert again.search(query, 50, method=method) == anew.search(query, 50, method=method)
    before = (tmp_path / "index" / "index.json").stat().st_mtime_ns
    third = Index.build(folder, tmp_path / "index", embedder=embedder).report
    assert third is not None and (third.unchanged, third.added, third.changed, third.removed) == (5, 0, 0, 0)
    assert (tmp_path / "index" / "index.json").stat().st_mtime_ns == before


@settings(max_examples=8)
@given(
    st.lists(st.dictionaries(st.sampled_from("abcd"), st.sampled_from([*WORDS, ""]), max_size=4), max_size=4)
)
def test_any_history_ends_like_a_fresh_index(
    tmp_path_factory: pytest.TempPathFactory, states: list[dict[str, str]]
) -> None:
    place = tmp_path_factory.mktemp("history")
    folder = place / "files"
    folder.mkdir()
    for state in [*states, {"a": "tide", "b": "pilot", "c": "tide"}]:
        for old in folder.iterdir():
            old.unlink()
        for name, word in state.items():
            (folder / f"{name}.md").write_text(WORDS.get(word, "") * 20, encoding="utf-8")
        index = Index.build(folder, place / "index")
    fresh = Index.build(folder, place / "fresh")
    assert contents(index) == contents(fresh)
    assert index.search("tide pilot water", 50) == fresh.search("tide pilot water", 50)


def test_an_empty_folder_is_an_empty_index(tmp_path: Path) -> None:
    index = Index.build(tmp_path)
    assert len(index) == 0 and index.search("x") == [] and index.files() == []
    write_folder(tmp_path)
    assert len(Index.build(tmp_path)) == len(index) > 0


def test_another_embedder_is_refused_when_opening_and_makes_the_index_anew(tmp_path: Path) -> None:
    write_folder(tmp_path)
    Index.build(tmp_path)
    with pytest.raises(ValueError, match="was made with the embedder"):
        Index.open(tmp_path, embedder=BagEmbedder())
    report = Index.build(tmp_path, embedder=BagEmbedder()).report
    assert report is not None and report.anew == "other_embedder" and report.added == 5
    assert Index.open(tmp_path, embedder=BagEmbedder()).search("crane")[0].file_path == "crane.md"


@forks
def test_an_index_works_in_a_forked_child_and_in_threads(harbour: Index) -> None:
    expected = harbour.search("pilot")
    with ThreadPoolExecutor(8) as pool:
        assert all(found == expected for found in pool.map(lambda _: harbour.search("pilot"), range(64)))
    child = os.fork()
    if child == 0:
        os._exit(0 if harbour.search("pilot") == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert harbour.search("pilot") == expected


def test_the_header_says_what_it_is(tmp_path: Path) -> None:
    write_folder(tmp_path)
    index = Index.build(tmp_path)
    header = json.loads((index.folder / "index.json").read_text())
    assert header["application"] == "tersely index" and header["format"] == 6
    [shard] = header["shards"]
    assert shard["files"] == 5 and shard["chunks"] == len(index)
    assert str(tmp_path) not in json.dumps(header)
    with pytest.raises(StoreError, match="holds no index"):
        Index.open(tmp_path.parent / "nowhere")
