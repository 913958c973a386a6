"""The folder of an index: locks, formats, damage, shards, and writers that are killed."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from index_folders import WORDS, contents, write_folder
from other_threads import forks
from tersely.cli import main
from tersely.errors import StoreError
from tersely.retrieval.index import Index, storage
from tersely.retrieval.index.storage import Snapshot, shard_of


@contextlib.contextmanager
def readers(read: Callable[[], object], many: int) -> Iterator[None]:
    """So many threads read again and again meanwhile; what one raises is raised at the end."""
    done = threading.Event()

    def again() -> None:
        while not done.is_set():
            read()

    with ThreadPoolExecutor(many) as pool:
        running = [pool.submit(again) for _ in range(many)]
        try:
            yield
        finally:
            done.set()
        for one in running:
            one.result()


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    write_folder(tmp_path / "harbour")
    return tmp_path / "harbour"


def state(folder: Path) -> dict[str, str]:
    return contents(Index.open(folder))


def generations(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / ".tersely").iterdir() if path.name.isdigit())


def write_header(place: Path, header: dict[str, object]) -> None:
    """Write the header of an index with the digest that it must have."""
    says = {name: value for name, value in header.items() if name != "digest"}
    (place / "index.json").write_text(json.dumps({**says, "digest": storage._header_digest(says)}))


def test_one_writer_at_a_time_and_readers_go_on(harbour: Path) -> None:
    index = Index.build(harbour)
    before = contents(index)
    with (harbour / ".tersely" / "tersely.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        write_folder(harbour, ("tide",), version=2)
        with pytest.raises(StoreError, match="another process writes"):
            Index.build(harbour)
        assert state(harbour) == before == contents(index)
    Index.build(harbour)
    assert state(harbour) == contents(index) != before
    assert len(generations(harbour)) == 1


@pytest.mark.slow
def test_searches_while_another_thread_writes_see_one_state(harbour: Path) -> None:
    index = Index.build(harbour)

    def read() -> None:
        assert len({result.content.count("Version 1.") for result in index.search("tide", 3)}) == 1

    with readers(read, 4):
        for version in range(2, 12):
            write_folder(harbour, version=1 + version % 2)
            Index.build(harbour)


def test_other_formats_and_damage_are_named(harbour: Path) -> None:
    place = Index.build(harbour).folder
    header = json.loads((place / "index.json").read_text())
    [shard] = header["shards"]
    for change, message in (
        ({"format": 1}, "index format 1; this version reads 6"),
        ({"application": "x"}, "not the header of an index"),
        ({"reading": None}, "damaged"),
        ({"dimensions": -1}, "damaged"),
        ({"shards": []}, "damaged"),
        ({"shards": {}}, "damaged"),
        ({"shards": [shard, "000001"]}, "damaged"),
        ({"shards": [{**shard, "generation": "../../etc"}]}, "damaged"),
        ({"shards": [{**shard, "chunks": True}]}, "damaged"),
        ({"shards": [{**shard, "chunks": -1}]}, "damaged"),
        ({"shards": [{**shard, "chunks": shard["chunks"] + 1}]}, "damaged"),
        ({"shards": [{**shard, "more": 1}]}, "damaged"),
        ({"shards": [{**shard, "digests": {}}]}, "damaged"),
        ({"shards": [{**shard, "digests": {**shard["digests"], "../../x": "0"}}]}, "damaged"),
    ):
        write_header(place, {**header, **change})
        with pytest.raises(StoreError, match=message):
            Index.open(harbour)
    for text in ("", "{", "[]", "[" * 50_000, "\0"):
        (place / "index.json").write_text(text)
        with pytest.raises(StoreError, match=r"index\.json"):
            Index.open(harbour)


def test_an_index_of_another_format_is_made_anew(harbour: Path) -> None:
    index = Index.build(harbour)
    expected = [found.chunk_id for found in index.search("ships")]
    header = json.loads((index.folder / "index.json").read_text())
    write_header(index.folder, {**header, "format": header["format"] - 1})
    with pytest.raises(StoreError, match="Index the folder again: that makes it anew"):
        Index.open(harbour)
    again = Index.build(harbour)
    assert again.report is not None and again.report.anew == "other_format"
    assert [found.chunk_id for found in again.search("ships")] == expected
    assert len([path for path in again.folder.iterdir() if path.is_dir()]) == 1  # what was there is gone
    report = Index.build(harbour).report
    assert report is not None and report.anew is None and report.added == 0


@pytest.mark.parametrize(
    "name",
    [
        "chunks.sqlite",
        "vectors.f32",
        "codes.i8",
        *(f"{n}.npy" for n in ["scale", "terms", "first", "rows", "order"]),
    ],
)
def test_a_damaged_generation_is_refused_and_made_anew(harbour: Path, name: str) -> None:
    index = Index.build(harbour)
    expected = contents(index)
    (index.folder / generations(harbour)[0] / name).write_bytes(b"not this")
    with pytest.raises(StoreError, match="damaged"):
        Index.open(harbour)
    report = Index.build(harbour).report
    assert report is not None and report.anew == "damaged" and report.added == len(WORDS)
    assert state(harbour) == expected


def index_files(place: Path) -> list[Path]:
    """The files of an index that searches read."""
    return [place / "index.json", *sorted(place.glob("*/*"))]


def named_damage(place: Path) -> set[Path]:
    """The files that a check names, one of which opening names, too."""
    with pytest.raises(StoreError, match=r"damaged|format|not the header") as opening:
        Index.open(place)
    try:
        checked = set(Index.check(place))
    except StoreError as error:  # the header itself
        assert str(error) == str(opening.value)
        checked = {place / "index.json"}
    assert any(str(path) in str(opening.value) for path in checked) or "index format" in str(opening.value)
    return checked


@pytest.mark.slow
@pytest.mark.parametrize("shards", [1, 3])
def test_a_bit_flipped_anywhere_is_noticed_and_the_file_named(harbour: Path, shards: int) -> None:
    place = Index.build(harbour, shards=shards).folder
    random_ = random.Random(shards)
    for path in index_files(place):
        data = path.read_bytes()
        places = {*range(min(len(data), 20)), *(random_.randrange(len(data)) for _ in data[: 60 // shards])}
        for at in sorted(places):
            flipped = bytearray(data)
            flipped[at] ^= 1 << random_.randrange(8)
            path.write_bytes(flipped)
            if path.name == "index.json" and same_header(data, flipped):
                assert Index.check(place) == ()  # of white space nothing depends on which it is
            else:
                assert named_damage(place) == {path}
        path.write_bytes(data)
    assert Index.check(place) == ()


def same_header(one: bytes, other: bytearray) -> bool:
    try:
        return bool(json.loads(one) == json.loads(other))
    except ValueError:
        return False


def test_exchanged_files_are_noticed_and_named(harbour: Path, tmp_path: Path) -> None:
    """Of one shard, of two shards, of an earlier generation, of another index: header and folders, too."""
    place = Index.build(harbour, shards=2).folder
    before = tmp_path / "before"
    shutil.copytree(place, before)
    write_folder(harbour, version=2)
    Index.build(harbour)
    old, new = index_files(before), index_files(place)
    pairs = [*itertools.combinations(new, 2), *itertools.product(new, old)]  # some are the same bytes
    for one, other in [(new[0], old[0]), *random.Random(1).sample(pairs, 150)]:
        first, second = one.read_bytes(), other.read_bytes()
        one.write_bytes(second)
        if other in new:
            other.write_bytes(first)
        if first == second:
            assert Index.check(place) == ()
        elif {one, other} >= {new[0], old[0]}:  # a header whose generations are gone
            assert named_damage(place)
        else:
            assert named_damage(place) <= {one, other}
        one.write_bytes(first)
        other.write_bytes(second)
    first, second = generations(harbour)
    for source, target in ((first, "x"), (second, first), ("x", second)):
        (place / source).rename(place / target)
    assert named_damage(place)


def test_damage_in_large_files_is_found_by_a_check_and_mended_by_a_build(
    harbour: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(storage, "_SMALL", 0)  # all files are large
    index = Index.build(harbour)
    expected, best = contents(index), [hit.chunk_id for hit in index.search("ships")]
    assert main(["index", "--check", str(harbour)]) == 0
    path = index.folder / generations(harbour)[0] / "vectors.f32"
    data = bytearray(path.read_bytes())
    data[-1] ^= 0x80
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"vectors\.f32 is damaged"):  # it is younger than the header
        Index.open(harbour)
    os.utime(path, ns=(0, 0))  # as where the disk lost it
    Index.open(harbour)
    capsys.readouterr()
    assert main(["index", "--check", "--json", str(harbour)]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out) == {"damaged": [str(path)]}
    assert f"{path} is damaged" in said.err and "index the folder again" in said.err
    again = Index.build(harbour)
    assert again.report is not None and again.report.anew == "damaged"
    assert Index.check(harbour) == () and contents(again) == expected
    assert [hit.chunk_id for hit in again.search("ships")] == best


@pytest.mark.parametrize("text", ["", "{", '{"format": 6}', "\0"])
def test_an_index_whose_header_is_damaged_is_made_anew(harbour: Path, text: str) -> None:
    place = Index.build(harbour).folder
    expected = state(harbour)
    (place / "index.json").write_text(text)
    report = Index.build(harbour).report
    assert report is not None and report.anew == "damaged" and state(harbour) == expected
    assert len(generations(harbour)) == 1


@pytest.mark.parametrize("seed", range(45))
def test_flipped_bytes_of_large_files_give_an_error_or_the_right_text(
    harbour: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "_SMALL", 0)
    expected = contents(Index.build(harbour))
    folder = harbour / ".tersely" / generations(harbour)[0]
    files = sorted(path for path in folder.iterdir() if path.stat().st_size)
    random_, path = random.Random(seed), files[seed % len(files)]
    data = bytearray(path.read_bytes())
    for _ in range(random_.choice((1, 20, 400))):
        data[random_.randrange(len(data))] ^= random_.randrange(1, 256)
    path.write_bytes(data)
    with contextlib.suppress(StoreError):
        index = Index.open(harbour)
        for name, text in expected.items():
            with contextlib.suppress(StoreError, KeyError):  # a damaged tree may lack it
                assert index.chunk(name).content == text
        for word in WORDS:
            with contextlib.suppress(StoreError):
                assert all(expected[hit.chunk_id] == hit.content for hit in index.search(word, 5))


def test_every_byte_of_a_chunk_is_checked(harbour: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "_SMALL", 0)  # so is the file where it is small
    index = Index.build(harbour)
    [hit] = index.search("tide", 1)
    path = index.folder / generations(harbour)[0] / "chunks.sqlite"
    data = path.read_bytes()
    at = data.index(hit.content.encode())
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(StoreError, match=r"chunks\.sqlite is damaged"):
        Index.open(harbour)
    os.utime(path, (0, 0))  # a disk that loses a bit leaves the time as it was
    opened = Index.open(harbour)
    for ask in (lambda: opened.search("tide", 1), lambda: opened.chunk(hit.chunk_id)):
        with pytest.raises(StoreError, match=r"chunk .* is not what was written; index the folder again"):
            ask()


def test_a_folder_with_other_things_is_left_alone(harbour: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")
    with pytest.raises(StoreError, match="holds something other than an index"):
        Index.build(harbour, tmp_path / "home")
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["letter.txt"]
    with pytest.raises(StoreError, match="is not a folder"):
        Index.build(harbour, tmp_path / "home" / "letter.txt")


def test_an_error_while_writing_leaves_the_old_index(harbour: Path) -> None:
    before = contents(Index.build(harbour))
    write_folder(harbour, version=2)

    def stop(done: int, of: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.build(harbour, progress=stop)
    assert state(harbour) == before and len(generations(harbour)) == 1


@pytest.mark.parametrize("size", [1, 5_000, 20_000])
@pytest.mark.parametrize("shards", [1, 3])
def test_a_full_disk_leaves_the_old_index(harbour: Path, size: int, shards: int) -> None:
    Index.build(harbour, shards=shards)
    before = state(harbour)
    write_folder(harbour, version=2)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        with pytest.raises(StoreError, match=r"File too large|full|disk"):
            Index.build(harbour)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert state(harbour) == before and len(generations(harbour)) == shards
    Index.build(harbour)
    assert all("Version 2." in text for text in state(harbour).values())


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_searched_and_not_written(harbour: Path) -> None:
    place = Index.build(harbour).folder
    before = state(harbour)
    folders = [place, place / generations(harbour)[0]]
    write_folder(harbour, version=2)
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert state(harbour) == before
        with pytest.raises(StoreError, match="Permission denied"):
            Index.build(harbour)
        assert state(harbour) == before
    finally:
        for folder in folders:
            folder.chmod(0o700)


def test_a_spawned_process_searches_and_writes_the_index_that_is_open_here(harbour: Path) -> None:
    index = Index.build(harbour)
    write_folder(harbour, version=2)
    code = "import sys; from tersely.retrieval.index import Index; print(len(Index.build(sys.argv[1])))"
    ran = subprocess.run([sys.executable, "-c", code, harbour], capture_output=True, text=True, check=True)
    assert int(ran.stdout) == len(index)
    assert all("Version 2." in hit.content for hit in index.search("tide", 3))


@pytest.mark.slow
@forks
def test_a_forked_child_searches_while_its_parents_threads_do(harbour: Path) -> None:
    index = Index.build(harbour)
    expected = [result.chunk_id for result in index.search("tide", 3)]
    with readers(lambda: index.search("tide", 3), 3):
        for version in range(2, 8):
            write_folder(harbour, version=version)
            Index.build(harbour)  # the forked child may have to open another generation
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # a lock that one of the parent's threads holds is never given back here
                found = [result.chunk_id for result in index.search("tide", 3)]
                os._exit(0 if found == expected else 1)
            assert os.waitpid(child, 0)[1] == 0
    assert [result.chunk_id for result in index.search("tide", 3)] == expected


_EVENTS = ["open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect", "fcntl.flock"]


def build_and_die(folder: Path, event: int) -> bool:
    """Index in a forked child that kills itself at its `event`-th opening, renaming, ...; whether it died."""
    child = os.fork()
    if child == 0:
        seen = 0

        def hook(name: str, arguments: object) -> None:
            nonlocal seen
            if name in _EVENTS:
                seen += 1
                if seen == event:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        try:
            Index.build(folder)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.slow
@forks
@pytest.mark.parametrize(
    ("events", "shards", "least"),
    [
        (range(2, 300, 12), 1, 4),
        (range(2, 300, 12), 3, 4),
        pytest.param(range(1, 1000), 1, 30, marks=pytest.mark.slow),  # any event
    ],
)
def test_a_killed_writer_leaves_the_old_index_or_the_new_one(
    harbour: Path, events: range, shards: int, least: int
) -> None:
    """`least`: events that there are before a build is through."""
    Index.build(harbour, shards=shards)
    before, version, died = state(harbour), 1, 0
    for event in events:
        version += 1
        write_folder(harbour, ("tide", "pilot"), version=version)
        killed = build_and_die(harbour, event)
        found = state(harbour)
        changed = [text for name, text in found.items() if name.startswith(("tide", "pilot"))]
        assert found == before or all(f"Version {version}." in text for text in changed)
        Index.build(harbour)
        before = state(harbour)
        assert all(f"Version {version}." in text for name, text in before.items() if name.startswith("tide"))
        assert len(generations(harbour)) == shards
        died += killed
        if not killed:
            break
    assert died >= least


@forks
@pytest.mark.parametrize("kills", [10, pytest.param(500, marks=pytest.mark.slow)])  # 72 s on two busy cores
def test_writers_killed_at_any_time_leave_the_old_index_or_the_new_one(harbour: Path, kills: int) -> None:
    Index.build(harbour)
    random_times = random.Random(5)
    for version in range(2, 2 + kills):
        before = state(harbour)
        write_folder(harbour, version=version)
        child = os.fork()
        if child == 0:
            try:
                Index.build(harbour)
            finally:
                os._exit(0)
        time.sleep(random_times.uniform(0, 0.06))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found = state(harbour)
        assert found == before or all(f"Version {version}." in text for text in found.values())
    Index.build(harbour)
    assert len(generations(harbour)) == 1


@forks
def test_a_first_build_that_is_killed_can_be_begun_again(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    for event in (2, 4, 6, 8, 10, 14, 20):
        write_folder(folder)
        build_and_die(folder, event)
        Index.build(folder)
        assert len(state(folder)) >= len(WORDS)


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_many_readers_see_one_state_each_while_shards_change(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    write_folder(folder)
    index = Index.build(folder, shards=3)
    command = [sys.executable, "-c", _READER, folder]
    others = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]

    def read() -> None:
        # the files of all shards change together, so a mixture of states would show
        hits = index.search("water crane lamp", 10)
        assert len({hit.content.count("Version 1.") for hit in hits}) == 1

    def ask(reader: subprocess.Popen[str]) -> str:
        assert reader.stdin is not None and reader.stdout is not None
        reader.stdin.write("go\n")
        reader.stdin.flush()
        return reader.stdout.readline().strip()

    try:
        with readers(read, 3):
            assert [reader.stdout.readline() for reader in others if reader.stdout] == ["ready\n"] * 2
            for version in range(2, 7):
                write_folder(folder, version=1 + version % 2)
                Index.build(folder)
                assert [ask(reader) for reader in others] == ["1", "1"]
    finally:
        for reader in others:
            reader.kill()
            reader.communicate()
