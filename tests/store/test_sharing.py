"""Many threads, processes and forks at one file."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tersely.store import Store, StoreError
from tersely.store.commits import GroupCommit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "texts.sqlite"


class Transactions:
    """Transactions on a table in memory, counted."""

    def __init__(self) -> None:
        self.count = 0
        self.connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.connection.execute("CREATE TABLE t (a UNIQUE CHECK (a < 1000))")

    @contextlib.contextmanager
    def __call__(self) -> Iterator[sqlite3.Connection]:
        self.count += 1
        self.connection.execute("BEGIN")
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException:
            self.connection.rollback()
            raise

    def values(self) -> list[int]:
        return [value for (value,) in self.connection.execute("SELECT a FROM t ORDER BY a")]


def test_writes_that_wait_share_one_transaction() -> None:
    transactions = Transactions()
    group = GroupCommit(transactions)
    started, go = threading.Event(), threading.Event()

    def slow(connection: sqlite3.Connection) -> None:
        started.set()
        assert go.wait(20)

    def write(value: int) -> None:
        group.run(lambda connection: connection.execute("INSERT INTO t VALUES (?)", (value,)))

    threads = [threading.Thread(target=group.run, args=(slow,))]
    threads[0].start()
    assert started.wait(20)
    threads += [threading.Thread(target=write, args=(value,)) for value in range(50)]
    for thread in threads[1:]:
        thread.start()
    while len(group._queue) < 50:
        pass
    go.set()
    for thread in threads:
        thread.join()
    assert transactions.values() == list(range(50)) and transactions.count == 2
    transactions.connection.close()


def test_one_bad_write_does_not_hurt_the_others() -> None:
    transactions = Transactions()
    group = GroupCommit(transactions)
    outcomes: dict[int, object] = {}

    def job(value: int, connection: sqlite3.Connection) -> int:
        connection.execute("INSERT INTO t VALUES (?)", (value,))
        if value % 10 == 3:
            raise ValueError(f"no {value}")  # has no effect
        return value

    def write(value: int) -> None:
        try:
            outcomes[value] = group.run(lambda connection: job(value, connection))
        except (ValueError, sqlite3.IntegrityError) as error:
            outcomes[value] = type(error)

    with group._turn:  # so that all are in one transaction
        threads = [threading.Thread(target=write, args=(value,)) for value in [*range(20), 1000]]
        for thread in threads:
            thread.start()
        while len(group._queue) < 21:
            pass
    for thread in threads:
        thread.join()
    good = [value for value in range(20) if value % 10 != 3]
    assert transactions.values() == good
    assert outcomes == {
        **dict.fromkeys((3, 13), ValueError),
        1000: sqlite3.IntegrityError,
        **{v: v for v in good},
    }
    transactions.connection.close()


def test_an_interrupted_writer_leaves_the_others_their_jobs() -> None:
    transactions = Transactions()
    outcomes: list[str] = []

    @contextlib.contextmanager
    def interrupted_once() -> Iterator[sqlite3.Connection]:
        with transactions() as connection:
            yield connection
            if transactions.count == 1:
                raise KeyboardInterrupt

    group = GroupCommit(interrupted_once)

    def write(value: int) -> None:
        try:
            group.run(lambda connection: connection.execute("INSERT INTO t VALUES (?)", (value,)))
            outcomes.append("done")
        except KeyboardInterrupt:
            outcomes.append("interrupted")

    with group._turn:
        threads = [threading.Thread(target=write, args=(value,)) for value in range(6)]
        for thread in threads:
            thread.start()
        while len(group._queue) < 6:
            pass
    for thread in threads:
        thread.join(20)
    assert sorted(outcomes) == ["done"] * 5 + ["interrupted"] and len(transactions.values()) == 5
    transactions.connection.close()


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
    thread = threading.Thread(target=store._commits.run, args=(slow,))
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
    monkeypatch.setattr("tersely.store.connections._PATIENCE", 0.05)
    with Store.open(path) as store, Store.open(path) as other:
        store.put("text", id="a")
        with store._files.writing(), pytest.raises(StoreError, match="locked by another writer"):
            other.put("b")
        assert other.expand("a") == "text"
        other.put("b")


def test_opening_makes_no_threads_and_closing_leaves_no_files(path: Path) -> None:
    before = threading.active_count()
    with Store.open(path) as store:
        store.put("text")
        assert threading.active_count() == before
        open_files = len(list(Path("/proc/self/fd").iterdir()))
    assert len(list(Path("/proc/self/fd").iterdir())) < open_files
