"""CHARACTER and WORD segments against their oracles, byte offsets, byte scans around widths of vectors."""

from __future__ import annotations

import pytest
import reference
import tersely
from hypothesis import example, given, strategies as st
from tersely.types import Level
from text_strategies import texts

WORD_ALPHABET = "abzÉß9_.,-'\"!#|>()漢字かカ한글ไทย\u0e34\u0301 \t\n\u00a0\u3000👍"


def spans(text: str, level: Level = Level.SENTENCE, window: int = 200) -> list[tuple[int, int]]:
    return [(start, end) for _, start, end, _ in tersely.segment(text, level, window=window)]


@given(texts, st.integers(1, 40))
@example("é👍漢" * 50, 1)
@example("a" * 129 + "\u0301" * 129, 64)
def test_windows_have_a_fixed_number_of_characters(text: str, size: int) -> None:
    assert spans(text, Level.CHARACTER, size) == reference.windows(text, size)


@pytest.mark.parametrize("size", [1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 10**9])
@pytest.mark.parametrize("alphabet", ["a", "é", "漢", "👍", "aé漢👍"])
def test_byte_offsets_become_character_offsets(size: int, alphabet: str) -> None:
    text = (alphabet * 400)[:390]
    assert spans(text, Level.CHARACTER, size) == reference.windows(text, size)


@given(st.text(WORD_ALPHABET, max_size=60))
@example("漢字とkana混じりtext 한국어 ไทย\u0e34\u0e35x")
@example("a漢\u0301b")
def test_words(text: str) -> None:
    assert [text[start:end] for start, end in spans(text, Level.WORD)] == reference.words(text)


def test_windows_must_hold_at_least_one_character() -> None:
    with pytest.raises(ValueError, match=r"window must be .*1.*, not 0"):
        tersely.segment("abc", "character", window=0)


WIDTHS = [1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 191, 192, 193, 257]
MARKS = ["!", "?", "؟", "۔", "։", "།", "၊။", "។", "‼", "。", "！", "？"]
FILLERS = ["x", "é", "ж", "ה", "я́"]  # none of their bytes is the first byte of a mark


@pytest.mark.parametrize("size", WIDTHS)
def test_marks_are_found_behind_any_number_of_bytes(size: int) -> None:
    for filler in FILLERS:
        word = filler * max(size, 4)
        assert spans(filler * size) == [(0, len(filler * size))]  # no byte inside a character is a mark
        for mark in (".", *MARKS):
            first, second = word + mark, "Z" + word + mark
            expected = [(0, len(first)), (len(first) + 1, len(first) + 1 + len(second))]
            assert spans(f"{first} {second}") == expected, (filler, mark)


@pytest.mark.parametrize("size", WIDTHS)
def test_lines_characters_and_ends_at_any_number_of_bytes(size: int) -> None:
    for newline in ("\n", "\r\n"):
        second = size + len(newline)
        text = "Q" * size + newline + "R" * 300  # too long for wrapped text, so each line was meant
        assert spans(text) == [(0, size), (second, second + 300)]
    for wide in ("é", "漢", "👍", "e\u0301"):
        quoted = f"Say “{wide * size}” twice. Then {wide * size} once."
        middle = quoted.index(" Then")
        assert spans(quoted) == [(0, middle), (middle + 1, len(quoted))]
    sentence = "Y" + "y" * (size + 2) + "!"  # marks at every place of a block
    step = len(sentence) + 1
    assert spans(" ".join([sentence] * 70)) == [(i * step, i * step + step - 1) for i in range(70)]
    assert spans("v" * size) == [(0, size)]
    assert spans("v" * size + ".") == [(0, size + 1)]
    assert spans(" " * size) == []
    assert spans("." * size) == [(0, size)]
