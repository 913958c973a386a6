"""Codes, letters and rows of places: csrc/kernels/text/signs.hpp."""

from __future__ import annotations

import random
import re

import numpy as np
from tersely import _native

# The contract as a pattern: "\w" of letters, digits and "_".
CODES = re.compile(
    r"\b(?:[A-Za-z_-]{1,40}+\d|\d[\d_-]{0,40}+[A-Za-z])[\w-]{2,}+|(?<![\d.,:-])\b\d{6,20}+\b(?![.,:]\d)"
)
PARTS = [
    "HAT",
    "a",
    "-",
    "_",
    "1",
    "07",
    "123456",
    "9" * 21,
    "x" * 41,
    " ",
    ".",
    ",",
    ":",
    "\n",
    "é",
    "٣",
    "字",
]


def random_texts(count: int) -> list[str]:
    rng = random.Random(7)
    return ["".join(rng.choices(PARTS, k=rng.randrange(12))) for _ in range(count)]


def test_codes_are_those_of_the_pattern() -> None:
    texts = [*random_texts(20_000), "HAT039 c-17 3f2a-99 10:30:45 1234567 a1b 1.234567", ""]
    none = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    document, start, end, key, keys = _native.find_codes(texts, *none)
    found = list(zip(document.tolist(), start.tolist(), end.tolist(), strict=True))
    expected = [(at, *match.span()) for at, text in enumerate(texts) for match in CODES.finditer(text)]
    assert found == expected
    said = [texts[at][low:high] for at, low, high in found]
    assert keys == len(set(said))
    assert dict(zip(said, key.tolist(), strict=True)) == {
        one: at for at, one in enumerate(dict.fromkeys(said))
    }


def test_codes_where_facts_begin_are_left_out() -> None:
    places = np.array([0, 1], dtype=np.int32), np.array([5, 0], dtype=np.int64)
    document, start, _, key, keys = _native.find_codes(["a12b HAT039 a12b", "a12b HAT039"], *places)
    found = list(zip(document.tolist(), start.tolist(), key.tolist(), strict=True))
    assert found == [(0, 0, 0), (0, 12, 0), (1, 5, 1)]
    assert keys == 2


def test_letters_side_by_side() -> None:
    texts = ["a1b", "ab", "1 2 3", "", "é", "éa", "字字", "_a_", "9z9zz"]
    assert _native.have_letters(texts).tolist() == [0, 1, 0, 0, 0, 1, 1, 0, 1]


def test_rows_of_places() -> None:
    documents = np.array([0, 0, 2, 2, 2], dtype=np.int32)
    starts = np.array([1, 5, 2, 3, 9], dtype=np.int64)
    asked = [(0, 0), (0, 1), (0, 4), (0, 5), (0, 99), (1, 0), (1, 7), (2, 0), (2, 3), (2, 8), (2, 9), (3, 0)]
    document, at = np.array(asked).T
    rows = _native.rows_at(documents, starts, document.astype(np.int32), at)
    assert rows.tolist() == [0, 0, 0, 1, 1, 1, 1, 2, 3, 3, 4, 4]
