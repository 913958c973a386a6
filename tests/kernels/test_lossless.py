"""The contract of segment.hpp, for every level and any text."""

from __future__ import annotations

import pytest
import tersely
from hypothesis import example, given
from sample_texts import ALL, GUIDE
from tersely import Kind
from tersely.types import Level, SegmentTable
from text_strategies import some_texts, texts

LONGEST = 2048  # bytes; kLongestSegment
LEVELS = list(Level)
TRICKY = [
    "", " ", "\x00", ".", "\r", "a\rb", "\n\n\n", "```", "    ", "e\u0301", "。", "\u3000", "* ", "1. ",
    "[...]", "- \n- \n",
]  # fmt: skip


def covered(table: SegmentTable, texts: list[str]) -> list[list[bool]]:
    marks = [[False] * len(text) for text in texts]
    for document, start, end, _ in table:
        assert 0 <= start < end <= len(texts[document]), "a span must be non-empty and inside its document"
        assert not any(marks[document][start:end]), "spans must be disjoint"
        marks[document][start:end] = [True] * (end - start)
    return marks


@pytest.mark.parametrize("level", LEVELS)
@given(some_texts)
@example(ALL)
@example(TRICKY)
def test_segments_cover_all_but_white_space_in_order_below_their_headings(
    level: Level, documents: list[str]
) -> None:
    table = tersely.segment(documents, level, window=7)
    for text, marks in zip(documents, covered(table, documents), strict=True):
        assert all(mark or char.isspace() for char, mark in zip(text, marks, strict=True))
    places = [(document, start) for document, start, _, _ in table]
    assert places == sorted(places)
    homes = list(zip(table.block.tolist(), table.document.tolist(), strict=True))
    assert homes == sorted(homes)
    assert len(set(homes)) == len(set(table.block.tolist())), "a block lies in one document"
    for row, above in enumerate(table.heading.tolist()):
        assert -1 <= above < row
        if above >= 0:
            assert table.kind[above] == Kind.HEADING and table.document[above] == table.document[row]
    if level != Level.CHARACTER:
        assert not any(documents[document][start:end].isspace() for document, start, end, _ in table)


LONG = {
    "letters": "x" * 5000, "two byte letters": "é" * 2500 + ". Next.", "three byte letters": "漢" * 3000,
    "marks on one letter": "漢" + "\u0301" * 2000, "emoji": "👩‍👩‍👧‍👦" * 300,
    "letters in a fence": "```\n" + "x" * 5000 + "\n```", "letters in a table": "| " + "x" * 5000 + " |",
    "letters in code": "{\n" + "x" * 5000 + "{\n}", "letters in a heading": "# " + "x" * 5000,
    "fenced line": "```\n" + "y = 1; " * 900 + "\n```", "table row": "| " + "cell " * 900 + "|",
    "list item": "- " + "item " * 900, "heading": "# " + "heading " * 900,
    "log line": "2024-03-05 10:11:12 " + "log " * 900, "data": "x = {" + "1, " * 1500 + "}",
}  # fmt: skip


def longest_segment(text: str, level: Level) -> int:
    return max(
        (len(text[start:end].encode("utf-8")) for _, start, end, _ in tersely.segment(text, level)), default=0
    )


@pytest.mark.parametrize("level", [Level.SENTENCE, Level.CLAUSE, Level.WORD])
@pytest.mark.parametrize("name", LONG)
def test_no_sentence_clause_or_word_is_longer_than_the_limit(level: Level, name: str) -> None:
    assert longest_segment(LONG[name], level) <= LONGEST


@pytest.mark.parametrize("gap", [" ", "\n"])
def test_words_without_marks_are_cut_sooner_than_a_long_sentence_with_marks(gap: str) -> None:
    words = ["so", "we", "went", "down", "again", "and", "the", "pump", "was", "not", "there", "last", "week"]
    transcript = gap.join(words * 40)
    assert longest_segment(transcript, Level.SENTENCE) <= LONGEST // 4
    assert longest_segment(", ".join(words * 20), Level.SENTENCE) > LONGEST // 4


@given(texts)
def test_long_runs_of_any_text_are_cut(text: str) -> None:
    long = text * (3 * LONGEST // max(len(text), 1))
    assert longest_segment(long, Level.SENTENCE) <= LONGEST


@given(texts)
@example(GUIDE)
def test_a_paragraph_is_the_union_of_its_sentences(text: str) -> None:
    paragraphs = tersely.segment(text, Level.PARAGRAPH)
    sentences = tersely.segment(text, Level.SENTENCE)
    extent: dict[int, tuple[int, int]] = {}
    for (_, start, end, _), block in zip(sentences, sentences.block.tolist(), strict=True):
        extent[block] = (extent.get(block, (start, end))[0], end)
    assert list(extent.values()) == list(zip(paragraphs.start.tolist(), paragraphs.end.tolist(), strict=True))
    assert [sentences.kind[sentences.block == b][0] for b in extent] == paragraphs.kind.tolist()


@pytest.mark.parametrize("level", LEVELS)
@given(some_texts)
def test_documents_are_cut_independently(level: Level, documents: list[str]) -> None:
    together = [row[1:] for row in tersely.segment(documents, level, window=5)]
    apart = [row[1:] for text in documents for row in tersely.segment(text, level, window=5)]
    assert together == apart
