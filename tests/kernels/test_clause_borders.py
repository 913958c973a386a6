"""Clauses: where sentences are cut, what stays whole, and the oracle."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import reference
import tersely
from hypothesis import example, given, strategies as st
from sample_texts import ALL, GUIDE
from tersely import Kind
from tersely.types import Level
from text_strategies import texts

SOURCE = Path(__file__).parents[2] / "csrc/kernels/text/sentences.cpp"
_LIST = SOURCE.read_text(encoding="utf-8").partition("bool opens_clause")[2].partition("};")[0]
OPENERS = set(re.findall(r'"([a-z]+)"', _LIST))


def clauses(text: str) -> list[str]:
    return [text[start:end] for _, start, end, _ in tersely.segment(text, "clause")]


CASES = {
    "The pump failed, and the valve, built in 1999; was shut: see (below) for it":
     ["The pump failed,", "and the valve,", "built in 1999;", "was shut:", "see (below)", "for it"],
    "He came on March 12, 2024 with 1,250 tons at 10:30.":
     ["He came on March 12, 2024", "with 1,250 tons at 10:30."],
    '"We will see," she said to all.': ['"We will see,"', "she said to all."],
    "The old quay — a ruin — was sold - at last - for little.":
     ["The old quay", "— a ruin", "— was sold", "- at last", "- for little."],
    "The harbour was closed to all ships by the town council of the day":
     ["The harbour was closed", "to all ships by the town council of the day"],
    "So, no.": ["So, no."],
    "水泵必须每天检查，阀门在二零二四年更换。": ["水泵必须每天检查，", "阀门在二零二四年更换。"],
    "Der Hafen blieb lange geschlossen weil niemand den Deich erneuert hatte.":
     ["Der Hafen blieb lange geschlossen", "weil niemand den Deich erneuert hatte."],
    "## Ropes, winches, and chains": ["## Ropes, winches, and chains"],
    "| rope, thick | 20 m |\n|---|---|\n| wire, thin | 30 m |":
     ["| rope, thick | 20 m |\n|---|---|", "| wire, thin | 30 m |"],
    "```\ncall(one, two, three)\n```": ["```\ncall(one, two, three)\n```"],
    "- hemp, which rots; and wire, which rusts": ["- hemp,", "which rots;", "and wire,", "which rusts"],
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_where_sentences_are_cut(text: str) -> None:
    assert clauses(text) == CASES[text]


def test_lines_of_code_stay_whole_and_long_lines_of_data_do_not() -> None:
    short, long = '{"a": 1, "b": 2}', '{"a": [' + ", ".join(f'"rope {i}"' for i in range(60)) + "]}"
    assert clauses(f"{{\n{short},\n{short}\n}}") == [
        "{\n" + short + ",",
        short + "\n}",
    ]  # no brace is a piece
    assert len(clauses(f"{{\n{long},\n}}")) > 20


def expected(text: str) -> list[str]:
    found = []
    for _, start, end, kind in tersely.segment(text):
        whole = kind in (Kind.HEADING, Kind.FENCED_CODE) or (
            kind is Kind.CODE and len(text[start:end].encode()) <= 300
        )
        found += [text[start:end]] if whole else reference.clauses(text[start:end], OPENERS)
    return found


PIECES = st.lists(
    st.sampled_from(
        [
            *" ,;:()[]|\n\"'-—–”’，：،", ", ", " - ", " — ", "rope", "Winch ", " and ", " to ", "12", "é",
            "漢字漢", " (", ") ", "\u3000", "which",
        ]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(st.one_of(texts, PIECES))
@example(GUIDE)
@example("\n\n".join(ALL))
def test_clauses_are_those_of_the_oracle(text: str) -> None:
    table = tersely.segment(text)
    if Kind.TABLE not in table.kind:  # cut by rows
        assert [piece.strip() for piece in clauses(text)] == [piece.strip() for piece in expected(text)]


@given(texts)
def test_a_clause_lies_in_a_sentence(text: str) -> None:
    sentences, parts = tersely.segment(text), tersely.segment(text, Level.CLAUSE)
    ends = dict(zip(sentences.start.tolist(), sentences.end.tolist(), strict=True))
    if Kind.TABLE not in sentences.kind:
        for _, start, end, _ in parts:
            assert any(begin <= start and end <= stop for begin, stop in ends.items())
