"""The folder of an index: locks, formats, damage, and writers that are killed."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from index_folders import WORDS, contents, write_folder
from other_threads import forks
from tersely.cli import main
from tersely.errors import StoreError
from tersely.retrieval.index import Index


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


def vectors(folder: Path) -> Path:
    """The file of the vectors: there is one, and nothing that a writer left."""
    names = {path.name for path in (folder / ".tersely").iterdir()}
    [name] = names - {
        ".gitignore",
        "tersely.lock",
        *(f"index.sqlite{end}" for end in ("", "-wal", "-shm", "-lock")),
    }
    assert name.startswith("vectors-") and name.endswith(".npy")
    return folder / ".tersely" / name


def change_state(place: Path, column: str, value: object) -> None:
    """Write another value into the row that says how an index was made."""
    with contextlib.closing(sqlite3.connect(place / "index.sqlite")) as connection:
        connection.execute(f"UPDATE state SET {column} = ?", (value,))
        connection.commit()


def build_apart(folder: Path) -> None:
    """Index a folder; nothing of the index stays open, so all of it is in its files."""
    Index.build(folder).close()


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
    assert vectors(harbour).exists()


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("format", 7, "index format 7; this version reads 8"),
        ("says", "{}", "damaged"),
        ("says", b"\0", "damaged"),
        ("ids", b"", "damaged"),
        ("sizes", None, "damaged"),
    ],
)
def test_another_format_and_damage_are_named_and_made_anew(
    harbour: Path, column: str, value: object, message: str
) -> None:
    index = Index.build(harbour)
    expected = contents(index)
    with contextlib.suppress(sqlite3.IntegrityError):
        change_state(index.folder, column, value)
    if value is None:
        (index.folder / "index.sqlite").write_bytes(b"not this" * 1000)
    with pytest.raises(StoreError, match=message):
        Index.open(harbour)
    report = Index.build(harbour).report
    assert report is not None and report.added == len(WORDS)
    assert report.anew == ("other_format" if column == "format" else "damaged")
    assert state(harbour) == expected == contents(index)  # an open index follows
    assert vectors(harbour).exists() and Index.check(harbour) == ()
    report = Index.build(harbour).report
    assert report is not None and report.anew is None and report.added == 0


def test_files_that_are_gone_are_named_and_made_anew(harbour: Path) -> None:
    expected = contents(Index.build(harbour))
    vectors(harbour).unlink()
    with pytest.raises(StoreError, match=r"vectors-000001\.npy is damaged or was removed"):
        Index.open(harbour)
    assert [path.name for path in Index.check(harbour)] == ["vectors-000001.npy"]
    report = Index.build(harbour).report
    assert report is not None and report.anew == "damaged" and state(harbour) == expected
    (harbour / ".tersely" / "index.sqlite").unlink()
    with pytest.raises(StoreError, match="holds no index"):
        Index.open(harbour)
    assert len(Index.build(harbour)) == len(expected)


def test_damage_is_found_by_a_check_and_mended_by_a_build(
    harbour: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = Index.build(harbour)
    expected = contents(index)
    index.close()
    assert main(["index", "--check", str(harbour)]) == 0
    for path in (vectors(harbour), index.folder / "index.sqlite"):
        data = bytearray(path.read_bytes())
        data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
        path.write_bytes(data)
        capsys.readouterr()
        assert main(["index", "--check", "--json", str(harbour)]) == 1
        said = capsys.readouterr()
        assert json.loads(said.out) == {"damaged": [str(path)]}
        assert f"{path} is damaged" in said.err and "index the folder again" in said.err
        again = Index.build(harbour)
        assert again.report is not None and again.report.anew == "damaged"
        assert Index.check(harbour) == () and contents(again) == expected
        again.close()


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
    assert state(harbour) == before and vectors(harbour).exists()


@pytest.mark.parametrize("size", [1, 5_000, 20_000])
def test_a_full_disk_leaves_the_old_index(harbour: Path, size: int) -> None:
    build_apart(harbour)
    before = state(harbour)
    write_folder(harbour, version=2)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        with pytest.raises(StoreError, match=r"File too large|full|disk"):
            Index.build(harbour)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert state(harbour) == before
    Index.build(harbour)
    assert all("Version 2." in text for text in state(harbour).values())


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_searched_and_not_written(harbour: Path) -> None:
    place = Index.build(harbour).folder
    before = state(harbour)
    write_folder(harbour, version=2)
    place.chmod(0o500)
    try:
        assert state(harbour) == before
        with pytest.raises(StoreError, match="Permission denied"):
            Index.build(harbour)
        assert state(harbour) == before
    finally:
        place.chmod(0o700)


@pytest.mark.slow
@forks
def test_a_forked_child_searches_while_its_parents_threads_do(harbour: Path) -> None:
    index = Index.build(harbour)
    expected = [result.chunk_id for result in index.search("tide", 3)]
    with readers(lambda: index.search("tide", 3), 3):
        for version in range(2, 8):
            write_folder(harbour, version=version)
            Index.build(harbour)  # the forked child may have to map other vectors
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


@forks
@pytest.mark.parametrize(
    ("events", "least"),
    [(range(2, 300, 6), 3), pytest.param(range(1, 1000), 20, marks=pytest.mark.slow)],
)
def test_a_killed_writer_leaves_the_old_index_or_the_new_one(
    harbour: Path, events: range, least: int
) -> None:
    """`least`: events that there are before a build is through."""
    Index.build(harbour)
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
        assert vectors(harbour).exists()
        died += killed
        if not killed:
            break
    assert died >= least


@forks
def test_a_first_build_that_is_killed_can_be_begun_again(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    for event in (2, 4, 6, 8, 10, 14, 20):
        write_folder(folder)
        build_and_die(folder, event)
        Index.build(folder)
        assert len(state(folder)) >= len(WORDS)


def test_of_equal_chunks_the_first_ones_are_found_whenever_they_came(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(0, 260, 2):
        (folder / f"f{number:03d}.md").write_text(WORDS["tide"] * 4, encoding="utf-8")
    Index.build(folder, tmp_path / "index")
    for number in range(1, 260, 2):
        (folder / f"f{number:03d}.md").write_text(WORDS["tide"] * 4, encoding="utf-8")
    index = Index.build(folder, tmp_path / "index")
    for method in ("hybrid", "lexical", "vector"):
        for size in (1, 40, 120, 260):
            found = [hit.chunk_id for hit in index.search("harbour", size, method=method)]
            assert found == [f"f{number:03d}.md#0" for number in range(size)]


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
def test_many_readers_see_one_state_each_while_it_changes(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    write_folder(folder)
    index = Index.build(folder)
    command = [sys.executable, "-c", _READER, folder]
    others = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]

    def read() -> None:
        # all files change together, so a mixture of states would show
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
