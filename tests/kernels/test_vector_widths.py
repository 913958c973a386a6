"""The byte scans at sizes around vector widths, as seen through segment()."""

from __future__ import annotations

import pytest
import tersely

SIZES = [1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 191, 192, 193, 257]
MARKS = ["!", "?", "؟", "۔", "։", "།", "၊။", "។", "‼", "。", "！", "？"]
FILLERS = ["x", "é", "ж", "ה", "я́"]  # none of their bytes is the first byte of a mark


def spans(text: str) -> list[tuple[int, int]]:
    return [(start, end) for _, start, end, _ in tersely.segment(text)]


@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize("mark", [".", *MARKS])
def test_a_mark_is_found_behind_any_number_of_bytes(mark: str, filler: str) -> None:
    for size in SIZES:
        word = filler * max(size, 4)
        first, second = word + mark, "Z" + word + mark
        expected = [(0, len(first)), (len(first) + 1, len(first) + 1 + len(second))]
        assert spans(f"{first} {second}") == expected, f"{size} characters before the mark"


@pytest.mark.parametrize("filler", ["é", "ж", "я́"])
def test_no_byte_inside_a_character_is_a_mark(filler: str) -> None:
    for size in SIZES:
        text = filler * size
        assert spans(text) == [(0, len(text))]


@pytest.mark.parametrize("size", SIZES)
def test_line_ends_are_found_behind_any_number_of_bytes(size: int) -> None:
    for newline in ("\n", "\r\n"):
        second = size + len(newline)
        text = "Q" * size + newline + "R" * 300  # too long for wrapped text, so each line was meant
        assert spans(text) == [(0, size), (second, second + 300)]


@pytest.mark.parametrize("wide", ["é", "漢", "👍", "e\u0301"])
@pytest.mark.parametrize("size", SIZES)
def test_characters_are_counted_over_any_number_of_bytes(wide: str, size: int) -> None:
    quoted = f"Say “{wide * size}” twice. Then {wide * size} once."
    middle = quoted.index(" Then")
    assert spans(quoted) == [(0, middle), (middle + 1, len(quoted))]


@pytest.mark.parametrize("size", SIZES)
def test_marks_at_every_place_of_a_block(size: int) -> None:
    sentence = "Y" + "y" * (size + 2) + "!"
    text = " ".join([sentence] * 70)
    step = len(sentence) + 1
    assert spans(text) == [(i * step, i * step + step - 1) for i in range(70)]


@pytest.mark.parametrize("size", SIZES)
def test_a_text_that_ends_at_a_vector_border(size: int) -> None:
    assert spans("v" * size) == [(0, size)]
    assert spans("v" * size + ".") == [(0, size + 1)]
    assert spans(" " * size) == []
    assert spans("." * size) == [(0, size)]
