"""A store keeps, masks, and shares between threads, processes and forks."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import tersely
from hypothesis import given, settings, strategies as st
from tersely import NotReversibleError
from tersely.errors import StoreError, UnknownIdError
from tersely.store import Store
from tersely.store.texts import MAX_TEXT_BYTES, pack, unpack

TEXT = "Tokens rotate every 24 hours. The ferry waits at noon.\r\n" * 30
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=100)
NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "texts.sqlite"


def test_a_result_expands_after_a_restart(path: Path) -> None:
    result = tersely.compress(TEXT, "When does the ferry wait?", budget=40, counter="chars/4")
    with Store.open(path) as store:
        id = store.keep(result)
        assert store.keep(result) == id and store.get(id).version == 2  # nothing new
        assert (
            store.keep(tersely.compress(TEXT, budget=20, counter="chars/4")) == id
            and store.get(id).version == 3
        )
        assert store.get(id).version == 3
        assert store.keep(result, id="mine", metadata={"page": 1}) == "mine"
    with Store.open(path, read_only=True) as store:
        assert store.expand(id) == store.expand("mine") == TEXT
        assert store.get(id, 2).text == result.text
        record = store.records(id)[0]
        assert (record.original_text, record.compression_ratio) == (TEXT, result.ratio)
        assert store.get(id, 2).metadata["tokens"] == result.tokens
        assert store.get("mine", 1).metadata["page"] == 1


@pytest.mark.parametrize("what", ["text", None, 5])
def test_only_results_are_kept(path: Path, what: object) -> None:
    with Store.open(path) as store, pytest.raises(TypeError, match=r"must be a tersely\.Compressed, not "):
        store.keep(what)


@pytest.mark.parametrize("version", ["1", 1.0, True])
def test_a_version_is_a_whole_number(path: Path, version: object) -> None:
    with Store.open(path) as store:
        store.put("text", id="a")
        with pytest.raises(ValueError, match="version must be a whole number from 1, not 0"):
            store.expand("a", 0)
        with pytest.raises(UnknownIdError, match="nothing is stored under the id 'a' of version"):
            store.expand("a", 2**70)
        with pytest.raises(TypeError, match="version must be a whole number, not "):
            store.expand("a", version)


@settings(max_examples=20)
@given(texts=st.lists(ANY, min_size=1, max_size=4))
def test_each_document_of_a_result_comes_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "documents.sqlite"
    with Store.open(path) as store:
        id = store.keep(
            tersely.compress([{"text": text, "id": str(n)} for n, text in enumerate(texts)], budget=30)
        )
        assert [store.expand(id, document=n) for n in range(len(texts))] == texts
        assert store.expand(id) == "\n\n".join(texts)
        assert store.expand(store.put(texts[0]).id, document=0) == texts[0]
        for wrong in (len(texts), -1):
            with pytest.raises(IndexError, match=f"of {len(texts)}"):
                store.expand(id, document=wrong)


def test_a_backup_is_whole_and_taken_while_the_store_is_used(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    with Store.open(path) as store:
        store.put(TEXT, id="a")
        store.replace("a", "short")
        store.backup(copy)
        store.put("later", id="b")
        with pytest.raises(StoreError, match="exists already"):
            store.backup(copy)
        with pytest.raises(StoreError, match="cannot back up"):
            store.backup(tmp_path / "no" / "copy.sqlite")
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "copy.sqlite",
        "texts.sqlite",
        "texts.sqlite-lock",
    ]
    with Store.open(copy) as store:
        assert (store.ids(), store.expand("a"), store.check()) == (("a",), TEXT, [])
        assert store.search("ferry")[0].id == "a"
        store.put("new", id="c")


def test_a_read_only_store_can_be_backed_up(path: Path, tmp_path: Path) -> None:
    Store.open(path).close()
    with Store.open(path, read_only=True) as store:
        store.backup(tmp_path / "copy.sqlite")
    with Store.open(tmp_path / "copy.sqlite") as store:
        assert len(store) == 0


def test_nothing_expires_unless_somebody_prunes(path: Path) -> None:
    now = NOON
    with Store.open(path, clock=lambda: now) as store:
        store.put("old and left alone", id="old")
        store.put("old, shared words", id="used")
        now = NOON + timedelta(days=3650)
        store.replace("used", "short")  # in use: its original stays, too
        store.put("old and left alone", id="same text")
        store.put("new", id="new")
        assert len(store) == 4
        assert store.prune(NOON + timedelta(days=1)) == 1
        assert store.prune(NOON + timedelta(days=1)) == 0
        assert store.ids() == ("used", "same text", "new")
        assert (
            store.expand("used") == "old, shared words"
            and store.get("same text").text == "old and left alone"
        )
        assert [found.id for found in store.search("left alone")] == ["same text"]
        assert store.delete("same text") and store.check() == []
        with pytest.raises(ValueError, match="zone"):
            store.prune(datetime(2026, 1, 1))
    assert b"left alone" not in path.read_bytes()


def test_packed_bytes_cannot_blow_up() -> None:
    packed = zlib.compress(b"\0" * 50_000_000)
    with pytest.raises(StoreError, match="has 101 bytes, not 100"):
        unpack(packed, 100)
    for size in (-5, MAX_TEXT_BYTES + 1):
        with pytest.raises(StoreError, match=f"a text of {size} bytes"):
            unpack(packed, size)


@given(
    data=st.binary(max_size=2000) | st.text(max_size=300).map(lambda text: text.encode(errors="replace") * 9)
)
def test_what_is_packed_unpacks(data: bytes) -> None:
    packed = pack(data)
    assert unpack(packed, len(data)) == data and len(packed) <= len(data)


def test_masked_originals_are_said_not_to_be_there(tmp_path: Path) -> None:
    path, key = tmp_path / "texts.sqlite", "the-key-of-the-bank"
    with Store.open(path, mask=lambda text: text.replace(key, "***")) as store:
        assert not store.put("nothing secret", id="plain").masked
        told = {"token": key, "deep": [{"url": f"db://b:{key}@c"}, 7, None], "n": {"k": True}}
        version = store.put(f"the key is {key}.", id="a", metadata=told)
        assert version.masked and store.get("a").masked
        masked = {"token": "***", "deep": [{"url": "db://b:***@c"}, 7, None], "n": {"k": True}}
        assert version.metadata == masked
        store.replace("a", f"key {key}", preserved_metadata={"key": key})
        assert store.get("a").text == "key ***"
        with pytest.raises(NotReversibleError, match="'a' was masked before it was stored"):
            store.expand("a")
        assert store.expand("a", masked=True) == "the key is ***."
        assert store.records("a")[0].preserved_metadata == {"key": "***"}
        assert store.expand("plain") == "nothing secret"
        kept = store.keep(tersely.compress(f"Key {key} is old.", budget=50, counter="chars/4"))
        with pytest.raises(NotReversibleError):
            store.expand(kept, document=0)
    everything = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert key.encode() not in everything
    with Store.open(path, mask=len) as store, pytest.raises(TypeError, match="a masked text must be str"):  # type: ignore[arg-type]
        store.put("text")


WRITER = """
import sys
from tersely.store import Store
path, name = sys.argv[1:]
with Store.open(path) as store:
    store.put(name, id="shared")
    for number in range(60):
        store.put(f"{name} {number}", id=f"{name}-{number}")
        store.replace(f"{name}-{number}", "short")
        store.put(f"{name} {number}", id="shared")
"""


def test_sixty_four_callers_write_read_and_search_one_store(path: Path) -> None:
    def caller(number: int) -> None:
        for turn in range(5):
            id, text = f"{number}-{turn}", f"caller{number} says turn{turn}"
            store.put(text, id=id)
            store.replace(id, f"short {number}")
            [found] = store.search(f"caller{number}", 1)
            assert store.expand(id) == text and found.text.startswith(f"caller{number} ")

    with Store.open(path) as store:
        with ThreadPoolExecutor(64) as pool:
            list(pool.map(caller, range(64)))
        assert len(store.ids()) == 320 and store.check() == []


def test_two_processes_write_one_file(path: Path) -> None:
    command = [sys.executable, "-B", "-W", "error", "-c", WRITER, str(path)]
    running = [subprocess.Popen([*command, name]) for name in ("a", "b")]  # both make the file
    assert [process.wait(60) for process in running] == [0, 0]
    with Store.open(path) as store:
        assert store.check() == [] and len(store) == 121
        for name in "ab":
            assert all(store.expand(f"{name}-{n}") == f"{name} {n}" for n in range(60))
        last = store.get("shared").version
        texts = [store.get("shared", version).text for version in range(1, last + 1)]
        for name in "ab":  # each process's versions in its order, none lost but those that changed nothing
            own = [text for text in texts if text.split()[0] == name]
            assert own == [name, *(f"{name} {n}" for n in range(60))]


def test_a_forked_child_uses_its_parents_store(path: Path) -> None:
    code = """
import os, sys
from tersely.store import Store
with Store.open(sys.argv[1]) as store:
    store.put("before", id="a")
    pid = os.fork()
    if pid == 0:
        assert store.expand("a") == "before"
        store.put("of the child", id="child")
        os._exit(0)
    store.put("of the parent", id="parent")
    assert os.waitpid(pid, 0)[1] == 0
    assert store.expand("child") == "of the child" and store.check() == []
"""
    done = subprocess.run([sys.executable, "-B", "-c", code, str(path)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    with Store.open(path) as store:
        assert store.ids()[0] == "a" and sorted(store.ids()) == ["a", "child", "parent"]


def test_a_fork_waits_for_writes_and_leaves_no_connection_open(path: Path) -> None:
    code = """
import os, sys, threading
from tersely.store import Store
with Store.open(sys.argv[1]) as store:
    started, go = threading.Event(), threading.Event()
    def slow(connection):
        started.set()
        go.wait(20)
    thread = threading.Thread(target=store._file.write, args=(slow,))
    thread.start()
    started.wait(20)
    threading.Timer(0.2, go.set).start()
    pid = os.fork()  # waits for the write: no connection may be open
    if pid == 0:
        store.put("of the child", id="child")
        os._exit(0)
    thread.join()
    assert os.waitpid(pid, 0)[1] == 0 and store.expand("child") == "of the child"
"""
    command = [sys.executable, "-B", "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_lock_that_stays_is_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tersely.sqlite._PATIENCE", 0.05)
    with Store.open(path) as store:
        store.put("text", id="a")
        with path.with_name(path.name + "-lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(StoreError, match=r"locked by another writer for 0\.05 seconds"):
                store.put("b")
            assert store.expand("a") == "text"
        assert store.put("b").version == 1


def test_opening_makes_no_threads_and_closing_leaves_no_files(path: Path) -> None:
    before = threading.active_count()
    with Store.open(path) as store:
        store.put("text")
        assert threading.active_count() == before
        open_files = len(list(Path("/proc/self/fd").iterdir()))
    assert len(list(Path("/proc/self/fd").iterdir())) < open_files
