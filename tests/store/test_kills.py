"""Kill -9 at any moment: what was acknowledged is there, and whatever is there is whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_writer import original
from tersely.store import Store

Line = tuple[str, int, int, int]


@pytest.fixture
def writer() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-B", str(Path(__file__).parents[1] / "support" / "store_writer.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(20) == 0


def started(writer: subprocess.Popen[str], path: Path, round_: int, statement: int = 0) -> int:
    """Start a writer; its process id."""
    assert writer.stdin is not None and writer.stdout is not None
    writer.stdin.write(f"{path} {round_} {statement}\n")
    writer.stdin.flush()
    said = writer.stdout.readline().split()
    assert said[0] == "pid"
    return int(said[1])


def until_dead(writer: subprocess.Popen[str]) -> list[Line]:
    """What a writer said before it died."""
    assert writer.stdout is not None
    said = []
    while (words := writer.stdout.readline().split())[0] != "dead":
        said.append(read(words))
    return said


def killed(
    writer: subprocess.Popen[str], path: Path, round_: int, delay: float, writes: bool = False
) -> list[Line]:
    """What a writer said that was killed after `delay` seconds; `writes`: after its first write, so long."""
    assert writer.stdout is not None
    is_new = not path.exists()
    pid = started(writer, path, round_)
    said = []
    if writes or not is_new:  # else it is killed while it makes the file
        assert writer.stdout.readline().split()[0] == "opened"
    if writes:
        said.append(read(writer.stdout.readline().split()))
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    return said + until_dead(writer)


def read(words: list[str]) -> Line:
    return words[0], int(words[1]), int(words[2]), int(words[3]) if len(words) > 3 else 0


def assert_kept(store: Store, said: list[Line]) -> None:
    replaced = {}
    for what, round_, number, times in said:
        id = f"{round_}-{number}"
        if what == "put":
            assert store.expand(id) == original(round_, number)
        elif what == "many":
            for part in range(20):
                name = f"{id}-{part}"
                assert store.expand(name) == f"{name} {original(round_, number)}"
        elif what == "replaced":
            replaced[id] = (times, f"{times} {round_} {number}", original(round_, number))
    for id, (times, text, root) in replaced.items():
        assert store.get(id, times + 2).text == text and store.expand(id, times + 2) == root


def assert_whole(store: Store) -> None:
    """Also of what was not acknowledged: all of a transaction or nothing, and every id expands."""
    assert store.check() == []
    ids = store.ids()
    for id in ids:
        round_, number, *part = id.split("-")
        text = original(int(round_), int(number))
        assert store.expand(id) == (f"{id} {text}" if part else text)
        if part:
            assert all(f"{round_}-{number}-{k}" in store for k in range(20))


def run_kills(writer: subprocess.Popen[str], folder: Path, kills: int, writes: bool = False) -> int:
    """Rounds of writing that end in a kill; a new file for every tenth, so that its making is hit, too.

    `writes`: something was acknowledged before each kill.
    """
    random_ = random.Random(8)
    acknowledged = 0
    said: list[Line] = []
    for round_ in range(kills):
        path = folder / f"{round_ // 10}.sqlite"
        delay = random_.random() * (0.02 if round_ % 10 == 0 else 0.1)
        now = killed(writer, path, round_, delay, writes)
        assert now or not writes
        acknowledged += len(now)
        said = now if round_ % 10 == 0 else said + now
        if path.exists():
            with Store.open(path) as store:
                assert_kept(store, now)
        if round_ % 10 == 9 or round_ == kills - 1:
            with Store.open(path) as store:
                assert_kept(store, said)
                assert_whole(store)
    return acknowledged


def test_ten_kills_lose_nothing_that_was_acknowledged(writer: subprocess.Popen[str], tmp_path: Path) -> None:
    assert run_kills(writer, tmp_path, 10) > 10


def test_ten_kills_after_acknowledged_writes_lose_none_of_them(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert run_kills(writer, tmp_path, 10, writes=True) > 10


@pytest.mark.slow  # 137 s on two busy cores
def test_five_hundred_kills_after_acknowledged_writes_lose_none_of_them(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert run_kills(writer, tmp_path, 500, writes=True) > 500


def test_a_kill_before_any_statement_leaves_all_of_a_write_or_nothing(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    path, statement, seen = tmp_path / "texts.sqlite", 0, set()
    said: list[Line] = []
    while not any(what == "survived" for what, *_ in said):
        statement += 1
        started(writer, path, statement, statement)
        said = until_dead(writer)
        with Store.open(path) as store:
            done = [line for line in said if line[0] != "survived"]
            assert_kept(store, done)
            assert_whole(store)
            name = f"{statement}-1"
            versions = store.get(name).version if name in store else 0
            assert versions in (len(done), len(done) + 1)  # durable, and killed before it could say so
            seen.add((len(done), versions))
    assert statement > 20 and {(0, 0), (1, 1), (2, 2)} <= seen
