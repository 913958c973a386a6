"""An index of a folder: what it reads, how files are cut into chunks, how results are ranked."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from bag_embedder import BagEmbedder
from growth import MOST, growth
from hypothesis import given, settings, strategies as st
from index_folders import WORDS, as_written, contents, write_folder
from other_threads import forks
from tersely import StaticEmbedder, _native
from tersely.errors import StoreError
from tersely.file_text import read_path
from tersely.kernels import cosine_similarity
from tersely.retrieval import ChunkResult
from tersely.retrieval.chunks import Retriever
from tersely.retrieval.index import Index, storage
from tersely.retrieval.index.chunking import Chunk, cut_chunks
from tersely.retrieval.index.ranking import (
    MOST_COUNTED,
    best_cosines,
    best_rows,
    forget_words,
    fuse,
    make_words,
    normalize_scores,
    score_words,
    write_words,
)
from tersely.sqlite import Database
from text_strategies import texts


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("harbour")
    write_folder(folder)
    return Index.build(folder)


def test_results_are_chunks_with_six_fields(harbour: Index) -> None:
    names = ["chunk_id", "doc_id", "score", "header_path", "file_path", "content"]
    assert [field.name for field in dataclasses.fields(ChunkResult)] == names
    results = harbour.search("when does the crane stop?", top_n=3)
    assert len(results) == 3 and results[0].file_path == "crane.md"
    assert results[0].header_path.startswith("crane > The crane, part")
    assert all(200 <= len(result.content) <= 1500 for result in results)
    assert isinstance(harbour, Retriever)


def test_scores_are_normalised_and_sorted(harbour: Index) -> None:
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


SYNTAX_INDEX = ['"foo OR bar*', "NEAR(", "NEAR(a b, 2)", "crane AND NOT", "header_path : x", "^crane", '"']
SYNTAX_INDEX += ["a-b*", "(", "\0", "\ud800", "'; DROP TABLE chunks; --", "{a b} : c", "crane " * 5000]


@pytest.mark.parametrize("query", SYNTAX_INDEX)
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
    before = as_written(tmp_path / "index")
    third = Index.build(folder, tmp_path / "index", embedder=embedder).report
    assert third is not None and (third.unchanged, third.added, third.changed, third.removed) == (5, 0, 0, 0)
    assert as_written(tmp_path / "index") == before


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


def test_the_index_says_how_it_was_made_and_not_where(tmp_path: Path) -> None:
    write_folder(tmp_path)
    index = Index.build(tmp_path)
    with Database(index.folder / storage.FILE, storage.TABLES, read_only=True).reading() as connection:
        state = storage.read_state(connection, index.folder)
    assert state is not None and state.made.files == 5 and len(state.ids) == len(index)
    assert all(str(tmp_path).encode() not in data for data in as_written(index.folder).values())
    with pytest.raises(StoreError, match="holds no index"):
        Index.open(tmp_path.parent / "nowhere")


KINDS = ("text", "python", "javascript", "go", "shell")
LOG_BOOK = "The harbour master keeps a log of each ship that enters, with its draught and its cargo. "


def check_chunks(text: str, chunks: list[Chunk]) -> None:
    """What cut_chunks promises of anything but web pages."""
    at = 0
    for chunk in chunks:
        assert not text[at : chunk.start].strip()
        assert chunk.content == text[chunk.start : chunk.end]
        assert chunk.content == chunk.content.strip()
        assert 0 < len(chunk.content) <= 1500
        at = chunk.end
    assert not text[at:].strip()


@given(texts, st.sampled_from(KINDS))
def test_chunks_are_verbatim_and_hold_all_of_the_text_once(text: str, kind: str) -> None:
    check_chunks(text, cut_chunks(text, kind))


pieces = st.sampled_from(
    [
        "# Head\n\n",
        "## Sub\n\n",
        "Title\n=====\n\n",
        "- item one\n- item two\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
        "```py\nx = 1\n\ny = 2\n```\n\n",
        "def f(x):\n    return x\n\n",
        "A line.\n",
        LOG_BOOK,
        LOG_BOOK * 3 + "\n\n",
        "x" * 700 + "\n\n",
        "x " * 900 + "\n\n",
        "\n",
    ]
)


@given(st.lists(pieces, max_size=60).map("".join), st.sampled_from(KINDS))
def test_chunks_have_200_to_1500_characters(text: str, kind: str) -> None:
    chunks = cut_chunks(text, kind)
    check_chunks(text, chunks)
    if len(text.strip()) >= 200:
        assert all(len(chunk.content) >= 200 for chunk in chunks), [len(chunk.content) for chunk in chunks]
    else:
        assert len(chunks) <= 1


@given(
    st.lists(
        st.sampled_from(["<h1>A &amp; B</h1>", "<p>One two.</p>", "<h2>C", "</h2>", "<li>x", LOG_BOOK]),
        max_size=40,
    )
)
def test_chunks_of_pages_are_made_of_the_source(parts: list[str]) -> None:
    source = "".join(parts)
    at = 0
    for chunk in cut_chunks(source, "html"):
        assert at <= chunk.start < chunk.end <= len(source)
        part = source[chunk.start : chunk.end]
        for word in chunk.content.split():
            assert word in part
        at = chunk.end


BODY = "".join(f"        self.value_{number} = {number}  # a line of some length\n" for number in range(8))


@pytest.mark.parametrize(
    ("kind", "text", "paths"),
    [
        (
            "text",
            f"# Port\n\n{LOG_BOOK * 4}\n\n## Tides ##\n\n{LOG_BOOK * 4}\n\nPilots\n------\n\n{LOG_BOOK * 4}",
            ["Port", "Port > Tides", "Port > Pilots"],
        ),
        (
            "html",
            f"<html><title>x</title><body><h1>Port &amp; quay<a href='#p'>¶</a></h1><p>{LOG_BOOK * 4}</p><h2 "
            f"class='x'>Tides</h2><p>{LOG_BOOK * 4}</p><script>a = '<h1>no</h1>';</script></body></html>",
            ["Port & quay", "Port & quay > Tides"],
        ),
        (
            "python",
            f"class Ship:\n    def load(self):\n{BODY}\n    def sail(self):\n{BODY}\ndef dock(ship):\n{BODY}",
            ["class Ship > def load(self)", "class Ship > def sail(self)", "def dock(ship)"],
        ),
    ],
)
def test_header_paths(kind: str, text: str, paths: list[str]) -> None:
    chunks = cut_chunks(text, kind)
    assert [chunk.header_path for chunk in chunks] == paths
    titles = [re.sub(r".* > |def |&.*", "", path).strip() for path in paths]
    for title, chunk in zip(titles, chunks, strict=True):  # a chunk begins with its heading
        assert title in (text[chunk.start :] if kind == "html" else chunk.content)[:30]
    assert kind != "html" or "<p>" not in chunks[0].content


def test_small_sections_are_merged_and_carry_what_their_paths_share() -> None:
    sections = "".join(f"## Part {number}\n\n{LOG_BOOK}\n\n" for number in range(4))
    chunks = cut_chunks(f"# Port\n\n{sections}", "text")
    assert all(len(chunk.content) >= 200 for chunk in chunks)
    assert {chunk.header_path for chunk in chunks} == {"Port"}


def test_fences_tables_and_sentences_are_not_cut() -> None:
    fence = "```sh\n" + "".join(f"make target-{number}\n\n" for number in range(20)) + "```"
    table = "| ship | draught |\n|---|---|\n" + "".join(f"| ship {n} | {n} m |\n" for n in range(25))
    text = "# Port\n\n" + f"{LOG_BOOK * 5}\n\n{fence}\n\n{LOG_BOOK * 9}\n\n{table}\n\n" * 3
    chunks = [chunk.content for chunk in cut_chunks(text, "text")]
    assert sum(fence in chunk for chunk in chunks) == 3
    assert sum(table.strip() in chunk for chunk in chunks) == 3
    for chunk in chunks:
        assert chunk.count("```") % 2 == 0
        assert chunk.endswith((".", "```", "|")), chunk[-40:]


def test_a_heading_stays_with_its_text() -> None:
    text = "".join(f"## Part {number}\n\n{LOG_BOOK * (number % 9 + 3)}\n\n" for number in range(40))
    for chunk in cut_chunks(text, "text"):
        assert not chunk.content.splitlines()[-1].startswith("##")


@pytest.mark.parametrize("kind", KINDS)
def test_long_lines_are_cut_at_words(kind: str) -> None:
    text = ("word" * 5 + " ") * 1000
    for chunk in cut_chunks(text, kind):
        assert set(chunk.content.split()) == {"word" * 5}


@pytest.mark.growth
@pytest.mark.parametrize(
    "part", ["# a\n\n", "- a\n", "<h1 ", "=\n=\n", "a\n====\n", "def f(): x\n", "((((", "x"]
)
def test_chunking_is_linear(part: str) -> None:
    for kind in ("text", "html", "python"):
        assert growth(lambda size: part * (size // len(part)), partial(cut_chunks, kind=kind)) < MOST


def notes(index: Index) -> dict[str, str]:
    assert index.report is not None
    return {note.path: note.reason for note in index.report.notes}


def test_kinds_of_files_and_what_is_left_out(tmp_path: Path) -> None:
    text = (WORDS["tide"] + "\n") * 5
    read = ["README", "a.md", "b.TXT", "c.rst", "d.html", "deep/er/g.markdown", "e.py", "f.rs", "h.rst.txt"]
    not_read = [".hidden.md", "x.png", "y.json", "z.odt", ".git/config.md", "deep/.secret/s.txt"]
    for name in (*read, *not_read):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    index = Index.build(tmp_path)
    assert index.files() == sorted(read) and notes(index) == {}


def test_links_binary_huge_and_broken_files_have_notes(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    (outside / "secret.md").write_text("secret " * 100, encoding="utf-8")
    (folder / "whole.md").write_text("whole " * 100, encoding="utf-8")
    (folder / "link.md").symlink_to(outside / "secret.md")
    (folder / "dir").symlink_to(outside)
    (folder / "inner.md").symlink_to(folder / "whole.md")
    (folder / "circle.md").symlink_to(folder / "circle.md")
    (folder / "up").symlink_to("..")
    (folder / "binary.txt").write_bytes(b"\x7fELF\0\1\2" * 100)
    (folder / "huge.txt").write_text("huge " * 1000, encoding="utf-8")
    (folder / "latin.txt").write_bytes("Ein Schiff fährt über die Brücke. ".encode("latin-1") * 10)
    os.mkfifo(folder / "pipe.md")
    (folder / os.fsdecode(b"caf\xe9.md")).write_text("name " * 100, encoding="utf-8")
    index = Index.build(folder, largest_file=4000)
    assert index.files() == ["latin.txt", "whole.md"]
    assert notes(index) == {
        "binary.txt": "binary",
        "caf\\udce9.md": "name_not_utf8",
        "circle.md": "link_outside",
        "dir": "link_outside",
        "huge.txt": "too_large",
        "latin.txt": "not_utf8",
        "link.md": "link_outside",
        "pipe.md": "not_a_file",
        "up": "link_outside",
    }
    assert "secret" not in " ".join(contents(index).values())
    assert "fährt" in index.search("Schiff")[0].content
    assert index.report is not None and (index.report.added, index.report.files) == (2, 2)
    before = as_written(folder / ".tersely")
    assert notes(Index.build(folder, largest_file=4000)) == notes(index)  # unchanged files keep theirs
    assert as_written(folder / ".tersely") == before  # and nothing is written anew


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "windows-1252"])
def test_files_are_read_in_the_encodings_that_the_command_reads(tmp_path: Path, encoding: str) -> None:
    text = f"# Ebbe\n\nDie Fähre läuft bei Ebbe aus, für 9 Euro. {WORDS['tide'] * 3}\n"
    (tmp_path / "ebbe.md").write_bytes(text.encode(encoding))
    index = Index.build(tmp_path)
    assert notes(index) == {"ebbe.md": "not_utf8"}
    assert "Fähre läuft bei Ebbe" in index.search("Fähre")[0].content
    assert read_path(tmp_path / "ebbe.md").text.removeprefix("\ufeff") == text


def test_bytes_that_are_no_text_in_any_encoding_are_binary(tmp_path: Path) -> None:
    (tmp_path / "noise.txt").write_bytes(bytes(range(1, 256)) * 9)
    assert notes(Index.build(tmp_path)) == {"noise.txt": "binary"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_has_a_note(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "tide.md").chmod(0)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    try:
        assert notes(Index.build(tmp_path)) == {"closed": "unreadable", "tide.md": "unreadable"}
    finally:
        closed.chmod(0o700)


def test_a_file_that_becomes_unusable_leaves_the_index(tmp_path: Path) -> None:
    write_folder(tmp_path)
    assert "tide.md" in Index.build(tmp_path).files()
    (tmp_path / "tide.md").write_bytes(b"\0" * 500)
    index = Index.build(tmp_path)
    assert "tide.md" not in index.files() and notes(index) == {"tide.md": "binary"}
    assert index.report is not None and (index.report.removed, index.report.changed) == (1, 0)


def test_a_byte_order_mark_and_line_ends_stay_out_of_the_way(tmp_path: Path) -> None:
    text = f"# Head\r\n\r\n{WORDS['tide'] * 3}\r\n\r\nA late \0 byte.\r\n"
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf" + b" " * 9000 + b"\n" + text.encode())
    index = Index.build(tmp_path)
    (only,) = index.search("tide water")
    assert only.content == text.strip() and only.header_path == "Head"
    _, start, end = index.span(only.chunk_id)
    assert (tmp_path / "a.md").read_bytes().decode("utf-8-sig")[start:end] == only.content


def test_the_index_folder_is_not_indexed(tmp_path: Path) -> None:
    write_folder(tmp_path)
    for _ in range(2):
        index = Index.build(tmp_path, tmp_path / "visible")
        (index.folder / "note.md").write_text("x" * 500, encoding="utf-8")
        assert index.files() == sorted(f"{word}.md" for word in WORDS)


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
                often = min(document[word], MOST_COUNTED)
                length = 1.2 * (1 - 0.75 + 0.75 * sizes[row] / mean)
                scores[row] += idf * often * 2.2 / (often + length)
    return scores


@settings(max_examples=50)
@given(
    TEXTS,
    TEXTS,
    st.sampled_from(["tide", "pilot crane 9 m", "the", "日本", "tide tide", "zzz"]),
    st.integers(1, 4),
    st.booleans(),
)
def test_bm25_is_what_the_formula_says_whatever_came_and_went(
    texts: list[str], gone: list[str], query: str, at_once: int, merged: bool
) -> None:
    every = [*gone, *texts, "tide " * 20]
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        make_words(connection)
        parts = [
            write_words(connection, ids, [every[number] for number in ids])
            for ids in (
                range(first, min(first + at_once, len(every))) for first in range(0, len(every), at_once)
            )
        ]
        forget_words(connection, range(len(gone)), gone)
        if merged:
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        rows = np.arange(-len(gone), len(every) - len(gone), dtype=np.int32)
        sizes = np.concatenate(parts)[len(gone) :]
        expected = slow_bm25(every[len(gone) :], query)
        assert score_words(connection, query, rows, sizes) == pytest.approx(expected, rel=1e-5)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(0, 40), st.integers(1, 50))
def test_best_cosines_are_the_best_of_all(seed: int, width: int, count: int, many: int) -> None:
    generator = np.random.default_rng(seed)
    vectors = generator.integers(-2, 3, (count, width)).astype(np.float32)  # many ties, some zero rows
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = (vectors / np.where(norms == 0, 1, norms)).astype(np.float32)
    query = vectors[0] if count and seed % 2 else generator.standard_normal(width).astype(np.float32)
    query = query / max(float(np.linalg.norm(query)), 1e-9)
    exact = cosine_similarity(query[None, :], vectors)[0] if count else np.zeros(0, dtype=np.float32)
    expected = sorted((row for row in range(count) if exact[row] > 0), key=lambda row: -exact[row])
    assert best_cosines(vectors, query, many).tolist() == expected[:many]
    assert best_rows(exact, many).tolist() == expected[:many]


@given(st.lists(st.permutations(range(6)).map(lambda rows: rows[:4]), max_size=3))
def test_fusion_is_reciprocal_rank(rankings: list[list[int]]) -> None:
    rows, scores = fuse([np.array(rows) for rows in rankings], [1.0] * len(rankings))
    total: Counter[int] = Counter()
    for ranking in rankings:
        for rank, row in enumerate(ranking):
            total[row] += 1 / (11 + rank)  # type: ignore[assignment]
    assert rows.tolist() == sorted(total, key=lambda row: (-total[row], row))
    assert scores.tolist() == [total[row] for row in rows.tolist()]


@given(st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_the_best_score_becomes_1_and_none_is_below_0(scores: list[float]) -> None:
    found = normalize_scores(scores)
    assert len(found) == len(scores)
    if scores:
        assert found.max() == 1.0 and found.min() >= 0.0
        assert found[int(np.argmax(scores))] == 1.0
        assert all((a >= b) == (x >= y) or x == y or a == b for a, x in zip(found, scores, strict=True)
                   for b, y in zip(found, scores, strict=True))  # fmt: skip


def test_equal_scores_are_1_each() -> None:
    for scores in ([0.0, 0.0], [0.3, 0.3, 0.3], [-2.0, -2.0], [5.0]):
        assert normalize_scores(scores).tolist() == [1.0] * len(scores)
    assert normalize_scores([]).tolist() == []
    assert normalize_scores([0.8, 0.4, 0.0]).tolist() == [1.0, 0.5, 0.0]
    for wrong in ([float("nan")], [float("inf"), 1.0], [[1.0]]):
        with pytest.raises(ValueError, match="finite numbers"):
            normalize_scores(wrong)
