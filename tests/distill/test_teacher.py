"""The teacher's vectors on disk: made once, whole or not at all, never those of other texts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tersely import distill as teacher
from tersely.distill import cached_vectors


class Counting:
    """A teacher whose vectors are lengths and first letters; remembers what it was asked."""

    def __init__(self, name: str = "counting", fail_at: str | None = None) -> None:
        self.name, self.asked, self.fail_at = name, [], fail_at

    def embed(self, texts: Sequence[str]) -> Any:
        if self.fail_at in texts:
            raise KeyboardInterrupt
        self.asked += texts
        return np.array([[len(text), ord(text[0])] for text in texts], dtype=np.float64)


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teacher, "SHARD", 4)


TEXTS = [f"{letter}{number}" for letter in "abc" for number in (1, 22, 333)]


def silent(done: int, of: int) -> None:
    pass


def test_vectors_are_made_once(tmp_path: Path) -> None:
    first, again, seen = Counting(), Counting(), []
    vectors = cached_vectors(first, TEXTS, tmp_path, lambda done, of: seen.append((done, of)))
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, first.embed(TEXTS))
    assert seen == [(4, 9), (8, 9), (9, 9)]
    np.testing.assert_array_equal(cached_vectors(again, TEXTS, tmp_path, silent), vectors)
    assert again.asked == []


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        cached_vectors(Counting(fail_at=TEXTS[5]), TEXTS, tmp_path, silent)
    after = Counting()
    cached_vectors(after, TEXTS, tmp_path, silent)
    assert after.asked == TEXTS[4:]


@pytest.mark.parametrize("damage", [b"", b"\x93NUMPY", b"not an array"])
def test_a_damaged_file_is_made_again(tmp_path: Path, damage: bytes) -> None:
    whole = cached_vectors(Counting(), TEXTS, tmp_path, silent)
    (path,) = tmp_path.glob("*/00001.npy")
    path.write_bytes(damage)
    after = Counting()
    np.testing.assert_array_equal(cached_vectors(after, TEXTS, tmp_path, silent), whole)
    assert after.asked == TEXTS[4:8]
    np.save(path, np.full((4, 2), np.nan, np.float32))
    np.testing.assert_array_equal(cached_vectors(Counting(), TEXTS, tmp_path, silent), whole)


def test_other_texts_and_teachers_have_their_own_files(tmp_path: Path) -> None:
    cached_vectors(Counting(), TEXTS, tmp_path, silent)
    for other, texts in ((Counting("other"), TEXTS), (Counting(), TEXTS[:-1]), (Counting(), TEXTS[::-1])):
        cached_vectors(other, texts, tmp_path, silent)
        assert other.asked == texts
    manifests = [json.loads(path.read_text()) for path in tmp_path.glob("*/manifest.json")]
    assert len(manifests) == 4
    assert {entry["teacher"] for entry in manifests} == {"counting", "other"}


SLOW = """
import sys, time
from pathlib import Path
import numpy as np
from tersely import distill as teacher
teacher.SHARD = 1
class Slow:
    name = "slow"
    def embed(self, texts):
        time.sleep(0.02)
        return np.ones((len(texts), 3))
teacher.cached_vectors(Slow(), [str(n) for n in range(500)], Path(sys.argv[1]), lambda done, of: None)
"""


def test_a_killed_run_leaves_only_whole_files(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(tmp_path)])
    try:
        for _ in range(600):
            if len(list(tmp_path.glob("*/*.npy"))) > 3:
                break
            time.sleep(0.05)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    files = sorted(tmp_path.glob("*/*.npy"))
    assert 3 < len(files) < 500
    for path in files:
        assert np.load(path).shape == (1, 3)
