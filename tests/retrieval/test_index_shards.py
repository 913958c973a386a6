"""An index in shards: it answers as one index does, and a change writes the shards that it concerns."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from index_folders import WORDS, contents, write_folder
from tersely.errors import StoreError
from tersely.retrieval.index import Index
from tersely.retrieval.index.storage import Snapshot, shard_of

METHODS = ("hybrid", "lexical", "vector")
QUERIES = ("tide", "pilot crane at nine metres", "the lamp of the lighthouse", "harbour wind", "zzz")
# Few sentences, so that many chunks are equal: ties must fall as in one index.
SENTENCES = st.lists(st.sampled_from([*WORDS.values(), "Nine metres.", "日本語の文です。"]), max_size=12)
CORPORA = st.dictionaries(st.sampled_from([f"{a}{b}" for a in ("", "x/", "é/") for b in "abcd"]), SENTENCES)


def write_corpus(folder: Path, corpus: dict[str, list[str]]) -> None:
    for name, sentences in corpus.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# Part\n\n" + "\n\n".join(sentences), encoding="utf-8")


def check_equal(one: Index, other: Index, sizes: tuple[int, ...] = (2, 50)) -> None:
    """The same chunks, ids, vectors and results; scores to the bit."""
    assert contents(one) == contents(other) and one.files() == other.files()
    ids = sorted(contents(one), reverse=True)
    assert not ids or np.array_equal(one.vectors(ids), other.vectors(ids))
    assert [one.span(chunk_id) for chunk_id in ids] == [other.span(chunk_id) for chunk_id in ids]
    for query in QUERIES:
        for method in METHODS:
            for size in sizes:
                found = one.search(query, size, method=method)
                assert found == other.search(query, size, method=method)


def shards_of(index: Index) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((index.folder / "index.json").read_text())["shards"]
    return found


def changed(before: list[dict[str, object]], after: list[dict[str, object]]) -> set[int]:
    return {number for number, (old, new) in enumerate(zip(before, after, strict=True)) if old != new}


@settings(max_examples=6)
@given(CORPORA, CORPORA)
def test_shards_answer_as_one_index_does_before_and_after_changes(
    tmp_path_factory: pytest.TempPathFactory, first: dict[str, list[str]], second: dict[str, list[str]]
) -> None:
    place = tmp_path_factory.mktemp("shards")
    folder = place / "files"
    for corpus in (first, second):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        write_corpus(folder, corpus)
        shutil.rmtree(place / "fresh", ignore_errors=True)
        one = Index.build(folder, place / "fresh")
        for shards in (1, 2, 7):
            Index.build(folder, place / str(shards), shards=shards)
            check_equal(Index.open(place / str(shards)), one)


def test_more_equal_chunks_than_candidates_are_cut_at_the_same_place(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    write_corpus(folder, {f"f{number}": [WORDS["tide"]] * 4 for number in range(260)})
    one = Index.build(folder, tmp_path / "one")
    seven = Index.build(folder, tmp_path / "seven", shards=7)
    assert len(one) > 250
    for method in METHODS:
        for size in (1, 40, 120, 300):
            assert one.search("tide", size, method=method) == seven.search("tide", size, method=method)


def test_a_change_writes_its_shard_and_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    write_folder(folder)
    index = Index.build(folder, tmp_path / "index", shards=4)
    before = shards_of(index)
    assert [shard["files"] for shard in before] == [
        sum(shard_of(f"{word}.md", 4) == number for word in WORDS) for number in range(4)
    ]
    write_folder(folder, ("tide",), version=2)
    again = Index.build(folder, tmp_path / "index")  # as many shards as there are
    assert again.report is not None and (again.report.changed, again.report.unchanged) == (1, 4)
    assert changed(before, shards_of(again)) == {shard_of("tide.md", 4)}
    kept = {path.name for path in (tmp_path / "index").iterdir() if path.is_dir()}
    assert kept == {shard["generation"] for shard in shards_of(again)}
    check_equal(again, Index.build(folder, tmp_path / "fresh"))
    check_equal(index, again)  # an open index follows
    mark = (tmp_path / "index" / "index.json").stat().st_mtime_ns
    Index.build(folder, tmp_path / "index", shards=4)
    assert (tmp_path / "index" / "index.json").stat().st_mtime_ns == mark


def test_another_number_of_shards_makes_the_index_anew(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    write_folder(folder)
    one = Index.build(folder, tmp_path / "one")
    index = Index.build(folder, tmp_path / "index", shards=2)
    for shards, anew in ((3, "other_shards"), (None, None), (3, None), (1, "other_shards")):
        again = Index.build(folder, tmp_path / "index", shards=shards)
        assert again.report is not None and again.report.anew == anew
        assert again.report.added == (5 if anew else 0)
        check_equal(again, one)
    check_equal(index, one)


def test_shards_without_files_are_empty(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    index = Index.build(folder, tmp_path / "index", shards=7)
    assert len(index) == 0 and index.files() == [] and index.search("tide") == []
    assert index.vectors([]).shape[0] == 0
    write_corpus(folder, {"only": list(WORDS.values())})
    check_equal(Index.build(folder, tmp_path / "index"), Index.build(folder, tmp_path / "one"))
    (folder / "only.md").unlink()
    assert len(Index.build(folder, tmp_path / "index")) == len(index) == 0
    assert index.search("tide") == []


@pytest.mark.parametrize(
    "what", ["folder", "chunks.sqlite", "vectors.f32", "codes.i8", "rest.npy", "rows.npy", "ids.npy"]
)
def test_a_missing_or_damaged_shard_is_named_and_made_anew_alone(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "harbour"
    write_folder(folder)
    index = Index.build(folder, tmp_path / "index", shards=3)
    one = Index.build(folder, tmp_path / "one")
    before = shards_of(index)
    number = shard_of("tide.md", 3)
    if number == max(range(3), key=lambda shard: str(before[shard]["generation"])):
        number = shard_of("lamp.md", 3)  # the newest has the order of all
    generation = tmp_path / "index" / str(before[number]["generation"])
    if what == "folder":
        shutil.rmtree(generation)
    else:
        (generation / what).write_bytes(b"not this")
    message = f"{generation.name}.* is damaged or was removed.*index the folder again"
    with pytest.raises(StoreError, match=message):
        Index.open(tmp_path / "index")
    again = Index.build(folder, tmp_path / "index")
    assert again.report is not None and again.report.anew == "damaged"
    assert again.report.added == before[number]["files"] and 0 < again.report.added < len(WORDS)
    assert changed(before, shards_of(again)) == {number}
    check_equal(again, one)


def test_chunks_that_a_shard_has_lost_are_noticed_by_the_next_build(tmp_path: Path) -> None:
    import sqlite3

    folder = tmp_path / "harbour"
    write_folder(folder)
    index = Index.build(folder, tmp_path / "index", shards=2)
    file = tmp_path / "index" / str(shards_of(index)[0]["generation"]) / "chunks.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM chunks WHERE number = 0")
    connection.close()
    again = Index.build(folder, tmp_path / "index")
    assert again.report is not None and again.report.anew == "damaged"
    check_equal(again, Index.build(folder, tmp_path / "one"))


def test_threads_that_ask_at_once_open_the_shards_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(tmp_path)
    index = Index.build(tmp_path, shards=32)
    opened: list[int] = []

    class Counted(Snapshot):
        def __init__(self, *arguments: Any) -> None:
            opened.append(threading.get_ident())
            super().__init__(*arguments)

    monkeypatch.setattr("tersely.retrieval.index.index.Snapshot", Counted)
    for version in (1, 2):
        write_folder(tmp_path, version=version)
        Index.build(tmp_path)
        opened.clear()
        together = threading.Barrier(12)

        def ask(together: threading.Barrier = together) -> list[str]:
            together.wait()
            return [one.content for one in index.search("tide", 3)]

        with ThreadPoolExecutor(12) as pool:
            found = [one.result() for one in [pool.submit(ask) for _ in range(12)]]
        assert len(opened) == 1 and all(one == found[0] for one in found)


_READER = """
import sys
from tersely.retrieval.index import Index
index = Index.open(sys.argv[1])
print("ready", flush=True)
for _ in sys.stdin:
    versions = {hit.content.count("Version 1.") for hit in index.search("tide", 3)}
    print(len(versions), flush=True)
"""


def test_many_readers_see_one_state_each_while_shards_change(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    write_folder(folder)
    index = Index.build(folder, shards=3)
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", _READER, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    done, wrong = threading.Event(), []

    def read() -> None:
        while not done.is_set():
            # the files of all shards change together, so a mixture of states would show
            versions = {hit.content.count("Version 1.") for hit in index.search("water crane lamp", 10)}
            if len(versions) != 1:
                wrong.append(versions)

    def ask(reader: subprocess.Popen[str]) -> str:
        assert reader.stdin is not None and reader.stdout is not None
        reader.stdin.write("go\n")
        reader.stdin.flush()
        return reader.stdout.readline().strip()

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(read) for _ in range(3)]
        try:
            assert [reader.stdout.readline() for reader in readers if reader.stdout] == ["ready\n"] * 2
            for version in range(2, 7):
                write_folder(folder, version=1 + version % 2)
                Index.build(folder)
                assert [ask(reader) for reader in readers] == ["1", "1"]
        finally:
            done.set()
            for reader in readers:
                reader.kill()
                reader.communicate()
        for one in running:
            one.result()
    assert wrong == []
