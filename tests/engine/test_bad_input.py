"""Inputs that are huge or say nothing: no crash, the budget holds, in reasonable time."""

from __future__ import annotations

import time

import pytest
import tersely
from odd_counters import quarters
from result_checks import check_counts
from sample_texts import ALL, prose
from tersely.types import Level

SECONDS_A_MEGABYTE = 6  # generous: sanitizer builds are some twenty times slower

MEGABYTE = 1_000_000
MONOTONE = {
    "spaces": " ",
    "newlines": "\n",
    "brackets": "(",
    "stops": ".",
    "quotes": '"',
    "backticks": "`",
    "greater than": ">",
    "items": "- ",
    "item lines": "- \n",
    "numbers": "1. ",
    "number lines": "1. \n",
    "rows": "a|b\n",
    "fences": "```\n",
    "nul": "\x00",
    "marks": "\u0301",
    "cjk": "漢",
    "thai": "ก",
    "emoji": "👍",
    "crlf": "\r\n",
    "hashes": "#",
}


def compress_in_time(text: str, budget: int = 1000, query: str | None = "storm") -> tersely.Compressed:
    start = time.process_time()
    result = tersely.compress(text, query, budget=budget, counter=quarters)
    spent = time.process_time() - start
    assert spent < SECONDS_A_MEGABYTE * max(len(text.encode("utf-8")) / MEGABYTE, 1)
    check_counts(result, [text], quarters, "\n\n")
    assert result.text or text.isspace()
    return result


@pytest.mark.parametrize("name", MONOTONE)
def test_a_hundred_kilobytes_of_one_thing(name: str) -> None:
    piece = MONOTONE[name]
    compress_in_time(piece * (100_000 // len(piece)))


@pytest.mark.slow
@pytest.mark.parametrize("name", MONOTONE)
def test_ten_megabytes_of_one_thing(name: str) -> None:
    piece = MONOTONE[name]
    compress_in_time(piece * (10 * MEGABYTE // len(piece)))


@pytest.mark.parametrize("size", [200_000, pytest.param(10 * MEGABYTE, marks=pytest.mark.slow)])
def test_one_sentence_without_punctuation(size: int) -> None:
    text = "the quay lies open to the wind and " * (size // 35)
    result = compress_in_time(text)
    assert result.receipt.segments > size // 3000


@pytest.mark.parametrize("size", [200_000, pytest.param(10 * MEGABYTE, marks=pytest.mark.slow)])
def test_one_word(size: int) -> None:
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


@pytest.mark.slow
@pytest.mark.parametrize("level", [Level.WORD, Level.PARAGRAPH, Level.SECTION])
def test_twenty_megabytes_at_every_level(level: Level) -> None:
    unit = "\n\n".join([*ALL, prose(50)]) + "\n\n"
    text = unit * (20 * MEGABYTE // len(unit))
    table = tersely.segment(text, level)
    assert table.end[-1] == len(text.rstrip())
    assert len(table) > 10_000


@pytest.mark.slow
def test_a_hundred_thousand_documents() -> None:
    texts = [f"Document {i} is about herring. It ends here." for i in range(100_000)]
    result = tersely.compress(texts, "Document 77777", budget=300, counter=quarters)
    assert "Document 77777 is about herring." in result.text
    check_counts(result, texts, quarters, "\n\n")


def test_thousands_of_empty_documents() -> None:
    texts = ["", " ", "\n"] * 3000 + ["Rope. Fog."]
    result = tersely.compress(texts, budget=2, counter=quarters, separator="")
    assert result.text == "Rope."
