"""Many threads, processes and forks at one file."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tersely.errors import StoreError
from tersely.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "texts.sqlite"


def test_threads_write_and_read_at_once(path: Path) -> None:
    wrong: list[object] = []

    def work(store: Store, name: int) -> None:
        try:
            for number in range(15):
                id = f"{name}-{number}"
                store.put(f"{id} text", id=id)
                store.replace(id, f"{id} short")
                assert store.expand(id) == f"{id} text"
                assert store.search(f"{name}") is not None
        except BaseException as error:
            wrong.append(error)

    with Store.open(path) as store:
        threads = [threading.Thread(target=work, args=(store, name)) for name in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == [] and len(store) == 90 and store.check() == []


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
    wrong: list[object] = []

    def caller(store: Store, number: int) -> None:
        try:
            for turn in range(5):
                id, text = f"{number}-{turn}", f"caller{number} says turn{turn}"
                store.put(text, id=id)
                store.replace(id, f"short {number}")
                [found] = store.search(f"caller{number}", 1)
                if store.expand(id) != text or not found.text.startswith(f"caller{number} "):
                    wrong.append(id)
        except Exception as error:
            wrong.append(error)

    with Store.open(path) as store:
        threads = [threading.Thread(target=caller, args=(store, number)) for number in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == [] and len(store.ids()) == 320 and store.check() == []


def test_a_spawned_process_uses_the_store_that_is_open_here(path: Path) -> None:
    code = (
        "import sys; from tersely.store import Store\n"
        "with Store.open(sys.argv[1]) as store: store.put('there', id='b'); print(store.expand('a'))"
    )
    with Store.open(path) as store:
        store.put("here", id="a")
        command = [sys.executable, "-c", code, path]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        assert ran.stdout == "here\n" and store.expand("b") == "there" and store.check() == []


def test_x069_two_processes_write_one_file(path: Path) -> None:
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
