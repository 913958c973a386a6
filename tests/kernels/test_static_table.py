"""The native static table: sums of rows against float64, and what it refuses."""

from __future__ import annotations

import resource
import sys
import threading
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import sample_texts
import text_strategies
import wordpieces
from growth import MOST, growth
from hypothesis import given, strategies as st
from other_threads import UNDER_ASAN, assert_others_run_during
from tersely import _native

Coded = tuple[npt.NDArray, npt.NDArray]
WORDS = wordpieces.trained()
TEXTS = [*sample_texts.ALL, sample_texts.prose(300), "", " \0 ", "⁂", "the the the", "[SEP]"]


def in_order(table: _native.StaticTable, coded: Coded, text: str) -> bytes:
    """The contract of static_table.hpp to the bit."""
    rows = wordpieces.decoded(*coded).astype(np.float32)[table.ids(text)]
    sums = np.cumsum(np.insert(rows, 0, 0, axis=0), axis=0)[-1]
    wide = np.zeros(-(-len(sums) // 16) * 16)
    wide[: len(sums)] = sums
    partial = np.cumsum((wide * wide).reshape(-1, 16), axis=0)[-1]
    while len(partial) > 1:
        partial = partial[: len(partial) // 2] + partial[len(partial) // 2 :]
    factor = 1 / np.sqrt(partial[0]) if partial[0] > 0 else 0.0
    return (wide[: len(sums)] * factor).astype(np.float32).tobytes()


@pytest.mark.parametrize("dimensions", [2, 4, 62, 64, 66, 128, 254, 256, 258, 320, 384, 1000])
def test_vectors_are_sums_of_rows_of_length_one(dimensions: int) -> None:
    coded = wordpieces.codes(WORDS, dimensions)
    table = _native.StaticTable("\n".join(WORDS).encode(), *coded)
    vectors = table.embed(TEXTS)
    assert (len(table), table.dimensions) == (len(WORDS), dimensions)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), dimensions)
    for vector, text in zip(vectors, TEXTS, strict=True):
        assert vector.tobytes() == in_order(table, coded, text)


@given(st.lists(text_strategies.texts, max_size=3))
def test_any_texts(texts: list[str]) -> None:
    coded = wordpieces.codes(WORDS, 6, seed=5)
    table = _native.StaticTable("\n".join(WORDS).encode(), *coded)
    vectors = table.embed(texts)
    for row, text in enumerate(texts):
        assert vectors[row].tobytes() == table.embed([text]).tobytes()  # no text changes another's vector
        assert vectors[row].tobytes() == in_order(table, coded, text)


@pytest.mark.parametrize("scale", [2.0**-64, 2.0**64, -(2.0**64), 1.0, 1e-9])
def test_scales_of_every_size_give_rows_of_length_one(scale: float) -> None:
    rows, _ = wordpieces.codes(WORDS, 64)
    table = _native.StaticTable("\n".join(WORDS).encode(), rows, np.full(len(WORDS), scale, np.float32))
    lengths = np.linalg.norm(table.embed(["the harbour " * 5000, "the"]).astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths, 1, rtol=1e-6)


GOOD = {"words": b"[UNK]\na\nb", "rows": np.zeros((3, 2), np.uint8), "scales": np.ones(3, np.float32)}


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("words", b"[UNK]\na", "there are 2 words and 3 scales"),
        ("words", b"[UNK]\na\nb\nc", "there are 4 words and 3 scales"),
        ("rows", np.zeros((2, 2), np.uint8), "there are 2 rows and 3 scales"),
        ("rows", np.zeros(3, np.uint8), "rows must be 2D, not 1D"),
        ("rows", np.zeros((3, 0), np.uint8), "2 to 8192 dimensions"),
        ("rows", np.zeros((3, 4097), np.uint8), "2 to 8192 dimensions"),
        ("scales", np.ones(2, np.float32), "there are 3 rows and 2 scales"),
        ("scales", np.ones((3, 1), np.float32), "1D"),
        ("scales", np.array([1, np.nan, 1], np.float32), "scale of row 1 is -?nan"),
        ("scales", np.array([1, 1, -np.inf], np.float32), "scale of row 2 is -inf"),
        ("scales", np.array([1e-30, 1, 1], np.float32), "scale of row 0 is 1e-30; its magnitude must be"),
        ("scales", np.array([1, 3e19, 1], np.float32), "scale of row 1 is 3e\\+19"),
    ],
)
def test_bad_tables_are_refused(name: str, bad: object, message: str) -> None:
    _native.StaticTable(**GOOD)
    with pytest.raises(ValueError, match=message):
        _native.StaticTable(**{**GOOD, name: bad})


@pytest.mark.parametrize("texts", [[b"bytes"], [None], [1], "text", None])
def test_texts_must_be_a_list_of_str(texts: object) -> None:
    with pytest.raises(TypeError):
        _native.StaticTable(**GOOD).embed(texts)


def test_words_of_earlier_texts_change_nothing() -> None:
    seed = np.random.default_rng(5)
    letters = seed.choice(list("abcdefgh"), (200_000, 5))  # more spellings than a table remembers
    words = ["".join(row[: 1 + i % 5]) for i, row in enumerate(letters)]
    texts = [" ".join(words[i : i + 500]) for i in range(0, len(words), 500)]
    used = wordpieces.table(WORDS, 64)
    for number, text in enumerate(texts):
        found = used.embed([text])
        if number % 10 == 9:
            assert found.tobytes() == wordpieces.table(WORDS, 64).embed([text]).tobytes()


def test_callers_at_once_get_what_one_gets_alone() -> None:
    table = wordpieces.table(WORDS, 256)
    alone = table.embed(TEXTS).tobytes()
    found: list[bytes] = []

    def call() -> None:
        found.extend(table.embed(TEXTS).tobytes() for _ in range(20))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 80


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ids", "embed"])
def test_other_threads_run_meanwhile(name: str) -> None:
    table = wordpieces.table(WORDS, 256)
    text = sample_texts.prose(1000) * 100
    assert_others_run_during(lambda: table.ids(text) if name == "ids" else table.embed([text]))


@pytest.mark.growth
def test_work_grows_with_the_tokens() -> None:
    table = wordpieces.table(WORDS, 256)
    assert growth(lambda size: [sample_texts.prose(size // 80)], table.embed) < MOST


@pytest.mark.skipif(UNDER_ASAN, reason="AddressSanitizer keeps freed memory for a while")
@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_nothing_is_kept_after_a_call() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    texts = [sample_texts.prose(100), "é" * 9999]
    bad = np.full(len(WORDS), np.nan, np.float32)

    def work() -> None:
        table = wordpieces.table(WORDS, 256)
        for _ in range(20):
            table.embed(texts)
            table.ids(texts[0])
            table.embed([*texts, "\ud800"])
        with pytest.raises(ValueError, match="scale"):
            _native.StaticTable("\n".join(WORDS).encode(), wordpieces.codes(WORDS, 256)[0], bad)

    for _ in range(3):
        work()
    before = resident()
    for _ in range(15):
        work()
    assert resident() - before < 1_000_000
