"""Files that are damaged, full, old, new, not ours, or not to be written."""

from __future__ import annotations

import random
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tersely.errors import StoreError, UnknownIdError
from tersely.store import Store

WORDS = ("token", "rotates", "every", "hour", "\x00", "naïve", "日本語", "\r\n")


def text_of(number: int) -> str:
    random_ = random.Random(number)
    return f"{number} " + " ".join(random_.choices(WORDS, k=random_.choice((3, 60, 2000))))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "texts.sqlite"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "texts.sqlite"
    with Store.open(path) as store:
        store.put_many([{"id": f"t{number}", "text": text_of(number)} for number in range(60)])
        for number in range(0, 60, 3):
            store.replace(f"t{number}", f"short {number}")
    return path


@pytest.mark.parametrize("seed", range(25))
def test_a_damaged_file_gives_an_error_or_the_right_bytes(sound: Path, path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    data = bytearray(sound.read_bytes())
    for _ in range(random_.choice((1, 20, 400))):
        at = random_.randrange(100, len(data))  # the rest of the header is another test
        data[at] ^= random_.randrange(1, 256)
    if seed % 5 == 0:  # a page of another place
        page = 4096 * random_.randrange(1, len(data) // 4096)
        data[page : page + 4096] = data[-4096:]
    path.write_bytes(data)
    path.chmod(0o600)
    errors = 0
    try:
        with Store.open(path, read_only=True) as store:
            for number in range(60):
                try:
                    assert store.expand(f"t{number}") == text_of(number)
                    assert store.get(f"t{number}").text in (text_of(number), f"short {number}")
                except StoreError:
                    errors += 1
            assert not errors or store.check()
    except StoreError:
        pass


def test_every_byte_of_a_text_is_checked(path: Path) -> None:
    with Store.open(path) as store:
        store.put("plain text, too short to compress", id="a")
    data = path.read_bytes()
    at = data.index(b"plain text, too short")
    path.write_bytes(data[:at] + b"P" + data[at + 1 :])
    with Store.open(path) as store:
        for call in (store.get, store.expand, store.records):
            with pytest.raises(StoreError, match="damaged"):
                call("a")
        assert any("SHA-256" in line for line in store.check())
        with pytest.raises(StoreError, match="damaged"):  # what could not be given back is not replaced
            store.replace("a", "p")
        assert store.put("plain text, too short to compress", id="b").version == 1  # writes it again
        assert store.expand("a") == store.expand("b") == "plain text, too short to compress"
        assert store.check() == []


def test_a_damaged_version_is_noticed(path: Path) -> None:
    with Store.open(path) as store:
        store.put_many([{"id": "a", "text": "one"}, {"id": "b", "text": "two"}])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE versions SET text = 2 WHERE id = 'a'")  # a sound text, not its own
    connection.close()
    with Store.open(path) as store:
        with pytest.raises(StoreError, match="version 1 of 'a' does not match"):
            store.get("a")
        assert store.get("b").text == "two" and len(store.check()) == 1


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Writes past `size` bytes of any file fail, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [1, 40_000, 100_000, 300_000])
def test_a_full_disk_loses_nothing(path: Path, size: int) -> None:
    done = []
    with Store.open(path) as store:
        store.put(text_of(0), id="t0")
        with file_size_limit(size), pytest.raises(StoreError, match=r"full|disk"):
            for number in range(1, 500):
                store.put(text_of(number), id=f"t{number}")
                done.append(number)
        assert store.expand("t0") == text_of(0)
        store.put("room again", id="after")
        failed = f"t{len(done) + 1}"
        assert failed not in store
    with Store.open(path) as store:
        assert [store.expand(f"t{number}") for number in done] == [text_of(number) for number in done]
        assert store.expand("after") == "room again" and store.check() == []


def test_a_read_only_store_reads_and_refuses_to_write(sound: Path) -> None:
    with Store.open(sound, read_only=True) as store:
        assert store.expand("t3") == text_of(3) and store.search("naïve hour", 2)
        for call in (lambda: store.put("new"), lambda: store.replace("t3", "s"), lambda: store.delete("t3")):
            with pytest.raises(StoreError, match="read only"):
                call()


IN_A_LOCKED_FOLDER = """
import os, sqlite3, sys  # all of it is loaded before the right to read it is given up
from tersely.store import Store
from tersely.errors import StoreError
if os.geteuid() == 0:
    os.setuid(65534)  # root may write everywhere
path = sys.argv[1]
for new in (path, path + ".new"):
    try:
        Store.open(new).put("x")
    except StoreError as error:
        print("refused:", "Permission denied" in str(error))
with Store.open(path, read_only=True) as store:
    print(store.expand("t3").split()[0], len(store), store.check(), len(store.search("token", 3)))
try:
    Store.open(path + ".new", read_only=True)
except StoreError as error:
    print("missing:", "unable to open" in str(error))
"""


def test_a_read_only_folder(sound: Path) -> None:
    folder = sound.parent / "locked"
    folder.mkdir()
    shutil.copy(sound, folder / "texts.sqlite")
    for part in (folder, *[parent for parent in folder.parents if parent.owner() == folder.owner()]):
        if "pytest" in str(part):
            part.chmod(0o755)
    (folder / "texts.sqlite").chmod(0o444)
    folder.chmod(0o555)
    try:
        command = [sys.executable, "-B", "-c", IN_A_LOCKED_FOLDER, str(folder / "texts.sqlite")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        folder.chmod(0o755)
    assert done.stdout.splitlines() == ["refused: True", "refused: True", "3 60 [] 3", "missing: True"], done


@pytest.mark.parametrize("read_only", [True, False])
def test_files_of_others_are_refused_and_not_touched(tmp_path: Path, read_only: bool) -> None:
    other, nonsense = tmp_path / "other.sqlite", tmp_path / "nonsense.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    nonsense.write_bytes(b"not a database at all" * 500)
    for path, words in ((other, "another program"), (nonsense, "not a database")):
        before = path.read_bytes()
        with pytest.raises(StoreError, match=words):
            Store.open(path, read_only=read_only)
        assert path.read_bytes() == before


def test_missing_folders_and_closed_stores_are_errors(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No such file"):
        Store.open(tmp_path / "no" / "texts.sqlite")
    with pytest.raises(StoreError, match="unable to open"):
        Store.open(tmp_path / "texts.sqlite", read_only=True)
    store = Store.open(tmp_path / "texts.sqlite")
    store.put("text", id="a")
    store.close()
    store.close()
    for call in (lambda: store.get("a"), lambda: store.put("b")):
        with pytest.raises(StoreError, match="closed"):
            call()
    with Store.open(tmp_path / "texts.sqlite") as again, pytest.raises(UnknownIdError):
        again.get("b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["texts.sqlite", "texts.sqlite-lock"]
