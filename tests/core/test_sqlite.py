"""SQLite files: shared, migrated, forked, theirs alone, and errors that say which file and what to do."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from tersely.errors import StoreError
from tersely.sqlite import DamageError, Database, Format


def make_notes(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE notes (text TEXT NOT NULL UNIQUE)")


def add_places(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE notes ADD COLUMN place INTEGER NOT NULL DEFAULT 7")


FIRST = Format("a file of notes", "write them again", (make_notes,), application=0x54525F31)
SECOND = replace(FIRST, migrations=(make_notes, add_places))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.sqlite"


def add(database: Database, *texts: str) -> int:
    def job(connection: sqlite3.Connection) -> int:
        connection.executemany("INSERT INTO notes (text) VALUES (?)", [(text,) for text in texts])
        return len(texts)

    return database.write(job)


def notes(database: Database) -> list[str]:
    with database.reading() as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY rowid")]


def test_what_is_written_is_read_by_others_and_later(path: Path) -> None:
    first, second = Database(path, FIRST), Database(path, FIRST)
    assert add(first, "a", "b") == 2 and notes(second) == ["a", "b"]
    assert add(second, "c") == 1 and notes(first) == ["a", "b", "c"]
    with first.reading() as connection:
        before = connection.execute("SELECT count(*) FROM notes").fetchone()
        add(second, "d")
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == before  # one snapshot
    for database in (first, second):
        database.close()
        database.close()
        for use in (lambda database=database: notes(database), lambda database=database: add(database, "e")):
            with pytest.raises(StoreError, match=r"notes\.sqlite was closed"):
                use()
    assert sorted(file.name for file in path.parent.iterdir()) == ["notes.sqlite", "notes.sqlite-lock"]
    reader = Database(path, FIRST, read_only=True)
    assert notes(reader) == ["a", "b", "c", "d"]
    with pytest.raises(StoreError, match="read only"):
        add(reader, "e")
    reader.close()


def test_connections_that_were_let_go_are_opened_again(path: Path) -> None:
    database = Database(path, FIRST)
    add(database, "a")
    database.release()
    assert not path.with_name("notes.sqlite-wal").exists()
    assert notes(database) == ["a"] and add(database, "b") == 1 and notes(database) == ["a", "b"]
    del database
    assert not path.with_name("notes.sqlite-wal").exists()  # closed with the object


def test_more_threads_than_connections_that_wait(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tersely.sqlite._IDLE", 2)
    database = Database(path, FIRST)
    add(database, "a")
    together = threading.Barrier(6)
    seen: list[object] = []

    def read() -> None:
        with database.reading() as connection:
            together.wait(20)
            seen.append(connection.execute("SELECT text FROM notes").fetchall())

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [[("a",)]] * 6 and len(database._idle) == 2
    database.close()


def test_older_formats_are_migrated_and_newer_ones_refused(path: Path) -> None:
    Database(path, FIRST).close()
    with pytest.raises(StoreError, match="has format 1, not 2: open it once to write"):
        Database(path, SECOND, read_only=True)
    for _ in range(2):
        database = Database(path, SECOND)
        with database.reading() as connection:
            assert [row[1] for row in connection.execute("PRAGMA table_info(notes)")] == ["text", "place"]
        database.close()
    before = path.read_bytes()
    for how in ({}, {"read_only": True}):
        with pytest.raises(StoreError, match="by a newer tersely: its format is 2, this one reads up to 1"):
            Database(path, FIRST, **how)
        with pytest.raises(StoreError, match="of another program, not a file of letters"):
            Database(path, replace(SECOND, name="a file of letters", application=5), **how)
    assert path.read_bytes() == before


def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    database = Database(path, FIRST)
    add(database, "a")
    database.close()
    before = path.read_bytes()
    broken = replace(FIRST, migrations=(make_notes, add_places, make_notes))
    with pytest.raises(StoreError, match=r"notes\.sqlite: table notes already exists"):
        Database(path, broken)
    assert path.read_bytes() == before


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_files_are_their_owners_alone(path: Path) -> None:
    mask = os.umask(0o022)
    try:
        database = Database(path, FIRST)
        add(database, "a")
        database.back_up(path.with_name("copy"))
        files = list(path.parent.iterdir())
        assert {file.name for file in files} >= {
            "notes.sqlite",
            "notes.sqlite-wal",
            "notes.sqlite-lock",
            "copy",
        }
        assert {mode(file) for file in files} == {0o600}
        database.close()
        path.with_name("notes.sqlite-lock").unlink()
        path.chmod(0o664)  # somebody shares it: what is made beside it is shared, too
        with pytest.warns(UserWarning, match=r"others may read or write .*notes\.sqlite \(its mode is 664\)"):
            database = Database(path, FIRST)
        add(database, "b")
        assert {mode(file) for file in path.parent.glob("notes*")} == {0o664}
        database.close()
    finally:
        os.umask(mask)


def test_errors_say_which_file_and_what_to_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tersely.sqlite._PATIENCE", 0.05)
    database = Database(path, FIRST)
    add(database, "a")
    assert database._writer is not None
    database._writer.execute("PRAGMA max_page_count = 50")
    foreign = sqlite3.connect(path, isolation_level=None)  # another program: it does not ask for our lock
    foreign.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"notes\.sqlite: database is locked \(.*another program.*try again"):
        add(database, "b")
    foreign.close()
    with pytest.raises(StoreError, match=r"notes\.sqlite: database or disk is full \(make room"):
        add(database, "b" * 300_000)
    with pytest.raises(StoreError, match=r"notes\.sqlite: UNIQUE constraint failed"):
        add(database, "c", "a")
    with database.reading() as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM notes")
    assert notes(database) == ["a"]
    database.close()
    with pytest.raises(StoreError, match=r"unable to open.*is it there, and may you read it"):
        Database(path.with_name("none"), FIRST, read_only=True)
    with pytest.raises(StoreError, match=r"no/notes.*No such file or directory"):
        Database(path.parent / "no" / "notes", FIRST)
    letter = path.with_name("letter")
    letter.write_bytes(b"Dear harbour master, this is a letter. " * 99)
    with pytest.raises(StoreError, match=r"is damaged, or is not a file of notes: .*; write them"):
        Database(letter, FIRST)


def test_damage_is_named_wherever_it_is_met(path: Path) -> None:
    database = Database(path, FIRST)

    def meet(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes VALUES ('half')")
        raise DamageError("a note is torn")

    with pytest.raises(StoreError, match=r"notes\.sqlite is damaged: a note is torn; write them again$"):
        database.write(meet)
    with pytest.raises(StoreError, match=r"a note is torn; write them again$"), database.reading():
        raise DamageError("a note is torn")
    assert notes(database) == []
    database.close()


def test_what_is_deleted_is_nowhere_in_the_file_after_a_vacuum(path: Path) -> None:
    database = Database(path, FIRST)
    add(database, "the harbour master", "the pilot")
    database.write(lambda connection: connection.execute("DELETE FROM notes WHERE rowid = 1"))
    database.vacuum()
    assert notes(database) == ["the pilot"]
    database.close()
    assert b"harbour" not in path.read_bytes()


def test_every_database_is_closed_while_a_process_forks(path: Path) -> None:
    code = """
import os, sys, threading
from pathlib import Path
from tersely.sqlite import Database, Format
def make(connection):
    connection.execute("CREATE TABLE t (a)")
form = Format("a table", "", (make,), application=5)
path = Path(sys.argv[1])
files = [Database(path.with_name(f"{path.name}{n}"), form) for n in range(5)]
stop = threading.Event()
def work(database):
    while not stop.is_set():
        database.write(lambda connection: connection.execute("INSERT INTO t VALUES (1)"))
        with database.reading() as connection:
            connection.execute("SELECT count(*) FROM t").fetchone()
threads = [threading.Thread(target=work, args=(database,)) for database in files for _ in range(2)]
for thread in threads:
    thread.start()
children = []
for _ in range(10):
    child = os.fork()
    if child == 0:
        for database in files:
            database.write(lambda connection: connection.execute("INSERT INTO t VALUES (2)"))
            with database.reading() as connection:
                assert connection.execute("SELECT count(*) FROM t WHERE a = 2").fetchone()[0]
            database.close()
        os._exit(0)
    children.append(child)
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 10
stop.set()
for thread in threads:
    thread.join()
for database in files:
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM t WHERE a = 2").fetchone() == (10,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
"""
    command = [sys.executable, "-B", "-W", "error", "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
