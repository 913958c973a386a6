"""CachedEmbedder: each text is embedded once, and a file never gives a wrong vector."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from script_runs import run_code
from tersely.errors import ModelReplyError, StoreError
from tersely.models.cached import CachedEmbedder


class Letters:
    """Counts letters, notes what it was asked for, and says that texts over 20 characters were cut."""

    name = "letters"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        return self.embed_report(texts)[0]

    def embed_report(self, texts: Sequence[str]) -> tuple[Any, Any]:
        self.asked += texts
        rows = np.array([[1 + text.count("a"), text.count("b"), len(text)] for text in texts], dtype=float)
        return rows.reshape(len(texts), 3), [i for i, text in enumerate(texts) if len(text) > 20]


def expected(texts: Sequence[str]) -> Any:
    rows = Letters().embed(texts)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@given(st.lists(st.lists(st.text("ab \ud800é", max_size=4), max_size=6), max_size=5))
def test_answers_are_those_of_the_embedder(calls: list[list[str]]) -> None:
    inner = Letters()
    cache = CachedEmbedder(inner)
    for texts in calls:
        assert np.array_equal(cache.embed(texts), expected(texts).reshape(len(texts), 3))
    everything = [text for texts in calls for text in texts]
    assert sorted(inner.asked) == sorted(set(everything))
    assert (cache.misses, cache.hits) == (len(set(everything)), len(everything) - len(set(everything)))


def test_truncation_is_remembered(tmp_path: Path) -> None:
    texts = ["a" * 30, "b", "b" * 21]
    for _ in range(2):  # the second time from the file
        cache = CachedEmbedder(Letters(), path=tmp_path / "vectors")
        for _ in range(2):
            assert cache.embed_report(texts)[1].tolist() == [0, 2]
        cache.close()


def test_memory_is_bounded() -> None:
    inner = Letters()
    cache = CachedEmbedder(inner, size=10 * (12 + 200))
    texts = [str(number) for number in range(50)]
    cache.embed(texts)
    cache.embed(texts[-10:])
    assert len(inner.asked) == 50
    cache.embed(texts[:1])
    assert len(inner.asked) == 51


def test_a_file_keeps_vectors_over_instances(tmp_path: Path) -> None:
    texts = [f"a{number}" for number in range(1200)]
    first = CachedEmbedder(Letters(), path=tmp_path / "vectors")
    vectors = first.embed(texts)
    first.close()
    inner = Letters()
    second = CachedEmbedder(inner, path=tmp_path / "vectors", size=0)
    assert np.array_equal(second.embed(texts), vectors)
    assert (inner.asked, second.hits, second.misses) == ([], 1200, 0)


def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    class Others(Letters):
        name = "others"

    CachedEmbedder(Letters(), path=tmp_path / "vectors").embed(["ab"])
    inner = Others()
    CachedEmbedder(inner, path=tmp_path / "vectors").embed(["ab"])
    assert inner.asked == ["ab"]


def test_a_file_needs_to_know_whose_vectors_it_keeps(tmp_path: Path) -> None:
    class Nameless:
        def embed(self, texts: Sequence[str]) -> Any:
            return np.ones((len(texts), 2))

    with pytest.raises(ValueError, match="Nameless has no name: pass name="):
        CachedEmbedder(Nameless(), path=tmp_path / "vectors")
    CachedEmbedder(Nameless(), path=tmp_path / "vectors", name="ones").embed(["a"])
    CachedEmbedder(Nameless()).embed(["a"])


def test_two_models_under_one_name_are_noticed(tmp_path: Path) -> None:
    class Narrow(Letters):
        def embed_report(self, texts: Sequence[str]) -> tuple[Any, Any]:
            return np.ones((len(texts), 2)), []

    CachedEmbedder(Letters(), path=tmp_path / "vectors").embed(["a"])
    with pytest.raises(StoreError, match=r"letters have \[2, 3\] dimensions"):
        CachedEmbedder(Narrow(), path=tmp_path / "vectors").embed(["a", "b"])


def test_a_failing_embedder_leaves_nothing_behind(tmp_path: Path) -> None:
    class Failing(Letters):
        def embed_report(self, texts: Sequence[str]) -> tuple[Any, Any]:
            return [[np.nan]] * len(texts), []

    with pytest.raises(ModelReplyError):
        CachedEmbedder(Failing(), path=tmp_path / "vectors").embed(["a"])
    assert np.array_equal(CachedEmbedder(Letters(), path=tmp_path / "vectors").embed(["a"]), expected(["a"]))


def _text(path: Path) -> None:
    path.write_text("This is a letter to the harbour master, not a database. " * 50)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _overwritten(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\x5a" * (len(data) - 4096)
    path.write_bytes(data)


def _other_program(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE vectors (key BLOB, vector BLOB, cut INTEGER, digest BLOB)")
    connection.close()


def _other_version(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def _other_vector(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(12)")
    connection.close()


def _swapped(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT rowid, vector FROM vectors ORDER BY rowid").fetchall()
        for (row, _), (_, vector) in zip(rows, rows[1:] + rows[:1], strict=True):
            connection.execute("UPDATE vectors SET vector = ? WHERE rowid = ?", (vector, row))
    connection.close()


@pytest.mark.parametrize(
    "damage", [_text, _cut, _overwritten, _other_program, _other_version, _other_vector, _swapped]
)
def test_a_damaged_or_foreign_file_is_an_error_and_is_left_alone(tmp_path: Path, damage: Any) -> None:
    path = tmp_path / "vectors"
    texts = ["a" * count for count in range(1, 12)]
    cache = CachedEmbedder(Letters(), path=path)
    cache.embed(texts)
    cache.close()
    damage(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="vectors"):
        CachedEmbedder(Letters(), path=path).embed(texts)
    assert path.read_bytes() == before


def test_every_flipped_byte_is_noticed_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    texts = ["ab", "b" * 25]
    cache = CachedEmbedder(Letters(), path=path)
    cache.embed(texts)
    cache.close()
    data = path.read_bytes()
    used = [place for place, byte in enumerate(data) if byte] + [0, 18, 4096 * 2]
    for place in used:
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        cache = None
        try:
            cache = CachedEmbedder(Letters(), path=path)
            vectors, truncated = cache.embed_report(texts)
            assert np.array_equal(vectors, expected(texts)) and truncated.tolist() == [1]
        except StoreError:
            pass
        finally:
            if cache is not None:
                cache.close()
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[str]]:
    """A file with vectors of two models, and the texts of one of them."""
    path = tmp_path_factory.mktemp("full") / "vectors"
    texts = ["a" * number + "b" for number in range(1, 80)]
    for name in ("letters", "others"):
        cache = CachedEmbedder(Letters(), path=path, name=name)
        cache.embed(texts)
        cache.close()
    return path.read_bytes(), texts


@pytest.mark.parametrize("part", range(5))
def test_a_damaged_file_gives_an_error_or_the_right_vectors(
    full: tuple[bytes, list[str]], tmp_path: Path, part: int
) -> None:
    for seed in range(part, 500, 5):
        random_ = random.Random(seed)
        data, texts = bytearray(full[0]), full[1]
        for _ in range(random_.choice((1, 20, 400))):
            data[random_.randrange(len(data))] ^= random_.randrange(1, 256)
        if part == 0:  # a page of another place, after the header or with it
            page = 4096 * random_.randrange(len(data) // 4096)
            data[page : page + 4096] = random_.choice((data[-4096:], random_.randbytes(4096)))
        path = tmp_path / f"vectors-{seed}"
        path.write_bytes(data)
        path.chmod(0o600)
        with contextlib.suppress(StoreError):
            cache = CachedEmbedder(Letters(), path=path)
            assert np.array_equal(cache.embed(texts), expected(texts)), seed
            cache.close()


def test_a_file_of_vectors_is_its_owners_alone(tmp_path: Path) -> None:
    cache = CachedEmbedder(Letters(), path=tmp_path / "vectors")
    cache.embed(["a"])
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
    cache.close()


def test_threads_share_a_cache(tmp_path: Path) -> None:
    cache = CachedEmbedder(Letters(), path=tmp_path / "vectors", size=20_000)
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        try:
            for _ in range(30):
                texts = ["ab"[number % 2] * int(number) for number in random.integers(0, 60, 20)]
                if not np.array_equal(cache.embed(texts), expected(texts)):
                    raise AssertionError(texts)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert cache.hits + cache.misses == 6 * 30 * 20


def test_processes_share_a_file(tmp_path: Path) -> None:
    """Four processes make and fill one file at the same time; a forked child uses its parent's cache."""
    code = f"""
import multiprocessing, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from tersely.models.cached import CachedEmbedder
class Lengths:
    name = "lengths"
    def embed(self, texts):
        return np.array([[1.0, len(text)] for text in texts])
path = {str(tmp_path / "vectors")!r}
texts = [str(number) * (1 + number % 7) for number in range(300)]
def work(seed, cache=None):
    cache = cache or CachedEmbedder(Lengths(), path=path)
    order = np.random.default_rng(seed).permutation(300)
    for start in range(0, 300, 30):
        some = [texts[i] for i in order[start:start + 30]]
        rows = np.array([[1.0, len(text)] for text in some])
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        assert np.allclose(cache.embed(some), rows)
    return cache.misses
context = multiprocessing.get_context("fork")
with context.Pool(4) as pool:
    assert sum(pool.map(work, range(4), chunksize=1)) >= 300
cache = CachedEmbedder(Lengths(), path=path)
cache.embed(texts[:3])
def child(_):
    return work(9, cache)
with context.Pool(2) as pool:
    assert pool.map(child, range(2)) == [0, 0]
"""
    done = run_code(code)
    assert done.returncode == 0, done.stderr[-2000:]
