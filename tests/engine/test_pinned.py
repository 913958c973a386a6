"""Pins and groups: what must be kept, what stays or goes together, and the strings that name it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np
import odd_counters
import pytest
import tersely
from hypothesis import given, strategies as st
from sample_texts import prose
from tersely import BudgetExceededError, Document, Kind, _native
from tersely.engine.reading import mark_groups, segment, to_groups
from tersely.types import Level, SegmentTable, Span

TEXT = prose(30)
FACT = "Report 117 says"
START = TEXT.index(FACT)


def pinned_texts(result: tersely.Compressed) -> set[str]:
    return {
        result.documents[span.document].text[span.start : span.end]
        for span in result.kept
        if span.reason == "pinned"
    }


PINS = {
    "str": FACT,
    "list of str": [FACT],
    "pair": [(START, START + 3)],
    "triple": [(0, START, START + 3)],
    "list triple": [[0, START, START + 3]],
    "span": [Span(0, START, START + 3, Kind.PROSE, "", 0.0)],
    "bare span": Span(0, START, START + 3, Kind.PROSE, "", 0.0),
}


@pytest.mark.parametrize("name", PINS)
def test_every_way_to_name_a_pin(name: str) -> None:
    result = tersely.compress(TEXT, budget=80, pinned=PINS[name])
    (pinned,) = pinned_texts(result)
    assert pinned.startswith(FACT)
    assert pinned in result.text
    assert 0 < result.tokens <= 80


def test_what_pins_need_of_the_budget() -> None:
    sentence = TEXT[START : TEXT.index(".", START) + 1]
    exact = odd_counters.words(sentence)
    result = tersely.compress(TEXT, budget=exact, counter=odd_counters.words, pinned=FACT)
    assert result.text == sentence
    message = "^pinned content does not fit into a budget of 12; 13 would do$"
    with pytest.raises(BudgetExceededError, match=message) as caught:
        tersely.compress(TEXT, budget=12, counter=odd_counters.words, pinned=FACT)
    assert (caught.value.required, caught.value.budget) == (13, 12)
    documents = ["Aa bb. Cc dd. Ee ff.", "Gg hh. Ii jj."]
    pins = ["Aa", "Ii"]
    options = {"counter": odd_counters.characters, "separator": "#####"}
    assert tersely.compress(documents, budget=17, pinned=pins, **options).text == "Aa bb.#####Ii jj."
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(documents, budget=16, pinned=pins, **options)
    assert caught.value.required == 17


LINES = [f"  Rope {number} holds {number * 7 % 11} tons.   " for number in range(40)]
EDGES = {  # texts of several types, each with a line that has white space at both ends
    "prose": "\n\n".join(LINES),
    "log": "\n".join(f"12:00:{number:02} INFO {line}" for number, line in enumerate(LINES)),
    "code": "\n".join(f"def rope_{number}():\n    return 7\n\n" for number in range(40)),
    "json": json.dumps([{"rope": number, "holds": line} for number, line in enumerate(LINES)], indent=1),
    "page": "".join(f"<p>{line}</p>\n" for line in LINES),
}


@pytest.mark.parametrize("kind", EDGES)
@pytest.mark.parametrize("separator", ["\n\n", " | "])
def test_a_pin_keeps_the_white_space_at_its_edges(kind: str, separator: str) -> None:
    text = EDGES[kind]
    middle = len(text) // 2
    begin, end = text.index("\n", middle), text.index("\n", text.index("\n", middle) + 2) + 1
    for start, stop in ((begin, end), (begin, end + 3), (begin - 3, end)):
        pin = text[start:stop]
        assert pin.strip() and pin != pin.strip()
        result = tersely.compress(text, budget=250, pinned=[(start, stop)], separator=separator)
        assert pin in result.text
        assert result.tokens < result.original_tokens


def test_a_pin_from_one_record_into_another_stays_as_it_is() -> None:
    text = "\n".join(json.dumps({"n": n, "event": "tick", "took": n % 9}) for n in range(80))
    pin = text[text.index(' 47, "event"') : text.index(' "event"', text.index('"n": 49'))]
    for kind in ("jsonl", "auto"):
        result = tersely.compress(text, budget=200, pinned=[pin], strategy=kind)
        assert pin in result.text and result.receipt.content_types == ("jsonl",)


LETTERS = st.text("ab é漢\u3000😀", max_size=12)
STRINGS = st.lists(LETTERS.filter(bool), min_size=1, max_size=6, unique=True)


def everywhere(text: str, string: str) -> set[tuple[int, int]]:
    """Slow and obvious."""
    return {(at, at + len(string)) for at in range(len(text)) if text.startswith(string, at)}


@given(st.lists(LETTERS, min_size=1, max_size=4), STRINGS)
def test_each_occurrence_is_found_or_lies_at_the_end_of_one_that_is(
    texts: list[str], strings: list[str]
) -> None:
    found = list(zip(*(column.tolist() for column in _native.occurrences(texts, strings)), strict=True))
    assert len(set(found)) == len(found) <= sum(map(len, texts)) + len(strings)
    for number, string in enumerate(strings):
        mine = [row for row in found if row[0] == number]
        wanted = [(at, *place) for at, text in enumerate(texts) for place in everywhere(text, string)]
        assert {row[1:] for row in mine} <= set(wanted) and bool(mine) == bool(wanted)
        for text, start, end in wanted:
            assert any(row[1] == text and row[2] <= start and row[3] == end for row in found)


AMOUNTS = st.text("a 1.,%é_/~-", max_size=10)


def alone(text: str, start: int, end: int) -> bool:
    """Slow and obvious."""
    before, behind, first, last = text[:start], text[end:], text[start], text[end - 1]
    parts = [before[-1:] + first, last + behind[:1]]
    number = re.search(r"\d[.,]\Z", before) and first.isdigit()
    joined = first.isalnum() and re.search(r"[^\W_]_\Z", before)
    joined = joined or (last.isalnum() and re.match(r"_[^\W_]", behind))
    path = re.search(r"[/\\]|[^\W_]\.[a-z]", text[start:end]) and re.match(r"~|[./\\-][^\W_]", behind)
    within = number or joined or path or any(map(str.isalnum, filter(lambda two: len(two) > 1, parts)))
    return not within and not (last.isdigit() and re.match(r"%|[.,]\d", behind))


@given(AMOUNTS, st.lists(AMOUNTS.filter(bool), min_size=1, max_size=6, unique=True))
def test_what_is_no_part_of_a_longer_word_or_number_is_found_once(text: str, strings: list[str]) -> None:
    number, _, start, end = (column.tolist() for column in _native.occurrences([text], strings, alone=True))
    wanted = [{place for place in everywhere(text, string) if alone(text, *place)} for string in strings]
    assert sorted(number) == [at for at, places in enumerate(wanted) if places]
    assert all((low, high) in wanted[at] for at, low, high in zip(number, start, end, strict=True))


@given(st.lists(LETTERS, min_size=1, max_size=3), st.lists(STRINGS, max_size=4))
def test_groups_are_those_of_all_occurrences(texts: list[str], groups: list[list[str]]) -> None:
    documents = [Document(text) for text in texts]
    table = segment(texts, level=Level.WORD)
    groups = [
        some for group in groups if (some := [one for one in group if any(one in text for text in texts)])
    ]
    joined: list[set[int]] = []
    for group in groups:
        rows = touched(
            table,
            [
                (at, *place)
                for one in group
                for at, text in enumerate(texts)
                for place in everywhere(text, one)
            ],
        )
        meet = [other for other in joined if other & rows]
        joined = [other for other in joined if not other & rows] + [rows.union(*meet)]
    expected = np.full(len(table), -1)
    for rows in joined:
        expected[sorted(rows)] = min(rows, default=-1)
    assert mark_groups(table, to_groups(groups, documents)).tolist() == expected.tolist()


def touched(table: SegmentTable, spans: Sequence[tuple[int, int, int]]) -> set[int]:
    """Rows that overlap a span."""
    rows = list(zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True))
    return {
        row
        for row, (of, first, last) in enumerate(rows)
        if any(of == document and first < end and start < last for document, start, end in spans)
    }
