"""Inputs that are huge, say nothing or were made to provoke: no crash, in budget, in reasonable time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tersely
from growth import MOST, growth
from hypothesis import given, strategies as st
from odd_counters import quarters
from result_checks import check_result
from sample_texts import ALL, REPEATED, prose
from tersely import Extractive, _native
from tersely.content.lines import _gaps
from tersely.engine.reading import longest_prefix
from tersely.models.counters import resolve_counter
from tersely.models.tree_sitter import has_syntax_errors
from tersely.retrieval.extractive import best_overlaps
from tersely.retrieval.results import extract_sentences

SECONDS_A_MEGABYTE = 6  # generous: sanitizer builds are some twenty times slower

MEGABYTE = 1_000_000


def compress_in_time(text: str, budget: int = 1000, query: str | None = "storm") -> tersely.Compressed:
    start = time.process_time()
    result = tersely.compress(text, query, budget=budget, counter=quarters)
    spent = time.process_time() - start
    assert spent < SECONDS_A_MEGABYTE * max(len(text.encode("utf-8")) / MEGABYTE, 1)
    check_result(result, quarters)
    assert result.text or text.isspace()
    return result


@pytest.mark.parametrize("size", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", REPEATED)
def test_a_long_text_of_one_thing(name: str, size: int) -> None:
    piece = REPEATED[name]
    compress_in_time(piece * (size // len(piece)))


@pytest.mark.parametrize("size", [200_000, pytest.param(10 * MEGABYTE, marks=pytest.mark.slow)])
def test_one_word_and_one_sentence_without_an_end(size: int) -> None:
    text = "the quay lies open to the wind and " * (size // 35)
    result = compress_in_time(text)
    assert result.receipt.segments > size // 3000
    compress_in_time("x" * size)
    compress_in_time("aB" * (size // 2))
    compress_in_time("1" * size)


@pytest.mark.parametrize(
    "megabytes", [1, pytest.param(20, marks=pytest.mark.slow), pytest.param(100, marks=pytest.mark.slow)]
)
def test_a_long_mixed_text(megabytes: int) -> None:
    unit = "\n\n".join([*ALL, prose(50)]) + "\n\n"
    text = unit * (megabytes * MEGABYTE // len(unit.encode("utf-8")))
    result = compress_in_time(text, budget=5000, query="When does the storm sluice fail?")
    assert result.tokens > 4500


def test_empty_documents_wrong_code_and_short_lines() -> None:
    texts = ["", " ", "\n"] * 1000 + ["Rope. Fog."]
    result = tersely.compress(texts, budget=2, counter=quarters, separator="")
    assert result.text == "Rope."
    with_colours = "\x1b[" * 30_000
    assert has_syntax_errors("python", with_colours)
    assert len(tersely.segment("A\nB\nC\nD\n")) == 4


PIECES = st.lists(st.sampled_from(["a", "b ", "\n", "  ", "\t", "é", "a b", "\u3000"]), max_size=20)


def first_equal(text: str, places: Sequence[tuple[int, int]], alone: Sequence[int]) -> list[int]:
    """Slow and obvious."""
    found: dict[str, int] = {}
    indents = ("  ", "\n ", "\t\t", "\n\t", " \t", "\t ")
    result = []
    for row, (start, end) in enumerate(places):
        free = not alone[row] and text[max(start - 2, 0) : start] not in indents
        result.append(found.setdefault(text[start:end].strip(), row) if free else row)
    return result


def marked(alone: Sequence[int], by_kind: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same marks by unit, or by the kind of each."""
    marks, none = np.array(alone, dtype=np.uint8), np.zeros(len(alone), dtype=np.uint8)
    return (
        (marks, np.array([0, 1], dtype=np.uint8), none[:0])
        if by_kind
        else (none, np.zeros(1, np.uint8), marks)
    )


@given(PIECES, st.lists(st.integers(0, 30)), st.data())
def test_equal_units_are_those_of_the_oracle(pieces: list[str], cuts: list[int], data: Any) -> None:
    text = "".join(pieces)
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    places = list(pairwise(edges))
    alone = data.draw(st.lists(st.sampled_from([0, 0, 1]), min_size=len(places), max_size=len(places)))
    start, end = (np.array([place[i] for place in places], dtype=np.int64) for i in (0, 1))
    found = _native.first_equal(
        [text], np.zeros(len(places), dtype=np.int32), start, end, *marked(alone, data.draw(st.booleans()))
    )
    expected = first_equal(text, places, alone)
    assert found.tolist() == ([] if expected == list(range(len(expected))) else expected)


@given(
    st.lists(
        st.sampled_from(["word ", "a", "-" * 40, "é", "e\u0301", "漢", "12", "👩\u200d🚀", "\x1b[31m"]),
        min_size=1,
    ),
    st.integers(1, 40),
)
def test_the_longest_prefix_fits_and_one_more_letter_does_not(pieces: list[str], budget: int) -> None:
    text = "".join(pieces) + "x" * 200
    size, mark = longest_prefix(text, len, budget)
    assert size >= 1 and (len(text[:size] + mark) <= budget or size == 1)
    count = resolve_counter(None).count
    if count(text[:1]) <= budget < count(text):
        calls: list[str] = []

        def tokens(piece: str) -> int:
            calls.append(piece)
            return count(piece)

        size, mark = longest_prefix(text, tokens, budget)
        assert count(text[:size] + mark) <= budget and len(calls) <= 60


@pytest.mark.parametrize("unit", ["e\u0301", "👩\u200d👧\u200d👦", "👍\U0001f3fd", "\x1b[31;1mx\x1b[0m"])
def test_no_letter_emoji_or_control_sequence_is_cut_within(unit: str) -> None:
    for budget in range(len(unit) + 1, 60):
        size, mark = longest_prefix(unit * 20, len, budget)
        rest = size % len(unit)
        assert mark == "…" and (rest == 0 or unit[:rest].endswith(("m", "x")))


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9), st.floats(0, 1))), PIECES)
def test_the_best_overlap_is_that_of_the_oracle(scored: list[Any], pieces: list[str]) -> None:
    theirs = [SimpleNamespace(start=s, end=s + n, score=score) for s, n, score in scored]
    places = [(4 * n, 4 * n + 3) for n in range(len(pieces))]
    expected = [
        max((one.score for one in theirs if one.start < end and one.end > start), default=0.25)
        for start, end in places
    ]
    assert best_overlaps(places, SimpleNamespace(segment_scores=theirs, overall_score=0.25)) == expected


@given(PIECES)
def test_gaps_are_those_that_hold_more_than_an_end_of_line(pieces: list[str]) -> None:
    text = "".join(pieces)
    stops = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    begins = stops - np.array([len(piece) for piece in pieces], dtype=np.int64)
    expected = [n for n, piece in enumerate(pieces) if len(piece) >= 3 or piece.strip()]
    assert _gaps(text, begins, stops).tolist() == expected


def sections(text: str) -> None:
    tersely.compress(text, ratio=0.2, counter=quarters, strategy=Extractive(level="section"))  # type: ignore[arg-type]


RUNS = {
    "one unit is cut": ("-", sections),
    "equal lines": ("a b\n", lambda text: tersely.compress(text, ratio=0.2, counter=quarters)),
    "open brackets": ("[", lambda text: _native.code_units(text, "javascript", "", False)),
    "sentences of results": ("A.\n", lambda text: extract_sentences([text], "storm fee", 3)),
    "marks in a list": (
        '"… 5 more",\n',
        lambda text: tersely.compress(f"[{text}1]", ratio=0.3, counter=quarters),
    ),
}


@pytest.mark.growth
@pytest.mark.parametrize("name", RUNS)
def test_time_grows_with_the_text(name: str) -> None:
    piece, run = RUNS[name]
    assert growth(lambda size: piece * (size // len(piece)), run) < MOST


@pytest.mark.parametrize("line", ["a", "1", "{", "}", ";", "A"])
def test_lines_of_hardly_anything_are_units_together(line: str) -> None:
    text = f"{line}\n" * 5_000
    table = tersely.segment(text)
    assert len(table) <= len(text) / 64
    assert "".join(text[start:end] for _, start, end, _ in table).count(line) == 5_000
