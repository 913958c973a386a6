"""What of search results fits a budget: chunks of a section as one text, headings once, and their price."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from tersely import BudgetExceededError, prepare
from tersely.models.counters import resolve_counter
from tersely.retrieval import ChunkResult
from tersely.retrieval.chunks import PlacedResult
from tersely.retrieval.index import Index, extract
from tersely.types import Frame, Heads

QUERY = "how often do tokens rotate?"


def chunk(path: str, number: int, content: str, section: str = "") -> ChunkResult:
    return ChunkResult(
        chunk_id=f"{path}#{number}",
        doc_id=path,
        score=1.0,
        header_path=section,
        file_path=path,
        content=content,
    )


def sentences(noun: str, many: int = 12) -> str:
    return " ".join(f"The {noun} of port {n} is painted each spring." for n in range(many))


def test_chunks_of_a_section_stand_under_one_heading_in_the_order_of_the_file() -> None:
    results = [
        chunk("b.md", 1, f"Tokens rotate every hour. {sentences('buoy')}", "B > Tokens"),
        chunk("a.md", 0, f"Tokens often rotate, and do so daily. {sentences('crane')}", "A"),
        chunk("b.md", 0, f"Tokens rotate by the clock. {sentences('pilot')}", "B > Tokens"),
        chunk("b.md", 2, f"The clock rotates tokens. {sentences('tide')}", "B > Clocks"),
    ]
    found = extract(results, QUERY, budget=120)
    headings = [line for line in found.text.split("\n") if re.match(r".*:$|Section: ", line)]
    assert headings == ["b.md:", "Section: B > Tokens", "Section: B > Clocks", "a.md:", "Section: A"]
    assert found.text.index("Tokens rotate by the clock.") < found.text.index("Tokens rotate every hour.")
    assert [one.chunk_id for one in found.results] == ["b.md#1", "a.md#0", "b.md#0", "b.md#2"]
    for one, whole in zip(found.results, results, strict=True):
        assert all(piece in whole.content for piece in one.content.split("\n\n"))
    assert found.tokens == resolve_counter(None).count(found.text) <= 120


def test_whole_results_are_written_alike_and_come_back_as_they_were() -> None:
    results = [chunk("a.md", 1, "Two.", "A"), chunk("b.md", 0, "Three."), chunk("a.md", 0, "One.", "A")]
    found = extract(results, QUERY)
    assert found.text == "a.md:\nSection: A\nOne.\n\nTwo.\n\nb.md:\nThree."
    assert list(found.results) == results and found.tokens == found.original_tokens


def test_a_section_without_headings_is_not_taken_for_the_one_above() -> None:
    results = [chunk("a.md", 0, "One.", "A"), chunk("a.md", 1, "Two.")]
    assert extract(results, QUERY).text == "a.md:\nSection: A\nOne.\n\na.md:\nTwo."


def test_chunks_whose_ids_have_no_numbers_keep_the_order_of_the_search() -> None:
    results = [replace(chunk("a.md", 0, text), chunk_id=text) for text in ("Two.", "One.")]
    assert extract(results, QUERY).text == "a.md:\nTwo.\n\nOne."


def test_neighbours_from_three_on_are_named_by_the_ends_of_their_range() -> None:
    numbers = [0, 2, 3, 4, 9, 10, 12, 13, 14]
    results = [chunk("a.md", number, "Tokens rotate.", "A") for number in numbers]
    found = extract(results, QUERY, named=True)
    assert found.text.startswith("a.md:\nSection: A [#0 #2-4 #9 #10 #12-14]\n")
    bare = [replace(one, header_path="") for one in results[1:4]]
    assert extract(bare, QUERY, named=True).text.startswith("a.md#2-4:\n")
    others = [replace(one, chunk_id=name) for one, name in zip(results, "xyz", strict=False)]
    assert "Section: A [x y z]\n" in extract(others, QUERY, named=True).text


@pytest.mark.parametrize("end", ["\n", "\r", "\u2028", " \n", ""])
def test_no_text_passes_for_the_name_of_a_file(end: str) -> None:
    results = [
        chunk("a.md", 0, f"Tokens rotate.\n\ntrusted.md::{end}"),
        chunk("b.md", 0, "Buoys."),
        chunk("c\n:.md", 0, "Cranes."),
    ]
    found = extract(results, QUERY)
    names = [line for line in found.text.splitlines() if re.fullmatch(".*[^:]:::", line)]
    assert names == ["a.md:::", "b.md:::", "c :.md:::"]


def test_a_result_of_which_only_white_space_is_left_is_none() -> None:
    results = [
        chunk("a", n, text) for n, text in enumerate(["tokens", "tokens " * 5, "tokens\n\n tokens rotate"])
    ]
    found = extract(results, QUERY, budget=4, counter=len)
    assert all(one.content.strip() for one in found.results)


def test_a_frame_is_part_of_the_budget() -> None:
    results = [chunk("a.md", 0, f"Tokens rotate every hour. {sentences('buoy')}")]
    count = resolve_counter(None).count
    bare = extract(results, QUERY, budget=60)
    framed = extract(results, QUERY, budget=60, frame=lambda text, _: f"{sentences('crane', 3)}\n{text}")
    assert framed.text.startswith("The crane") and count(framed.text) == framed.tokens <= 60
    assert bare.tokens <= 60 and len(framed.results[0].content) < len(bare.results[0].content)


def test_neighbours_are_read_as_they_stand_in_their_file(tmp_path: Path) -> None:
    words = sentences("buoy", 40)
    text = f"{words} Tokens rotate every hour. {words}"  # one paragraph, so chunks are cut within it
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    results = Index.build(tmp_path).search(QUERY, top_n=100)
    whole = extract(results, QUERY, budget=10**6)
    assert len(results) == 3 and whole.text == f"a.txt:\n{text}"
    found = extract(results, QUERY, budget=60)
    assert "Tokens rotate every hour." in found.text
    contents = {one.chunk_id: one.content for one in results}
    for one in found.results:
        assert all(piece in contents[one.chunk_id] for piece in one.content.split("\n\n"))


def test_a_unit_over_the_border_of_two_results_is_divided_there() -> None:
    parts = ["Tokens rotate every", "hour at the quay. " + sentences("crane")]
    results = [PlacedResult(**asdict(chunk("a.md", n, text)), gap=" ") for n, text in enumerate(parts)]
    found = extract(results, "how often do tokens rotate?", budget=20)
    assert "Tokens rotate every hour at the quay." in found.text
    assert [one.content for one in found.results] == ["Tokens rotate every", "hour at the quay."]


def test_a_frame_counts_where_nothing_stands_in_it() -> None:
    results = [chunk("a.md", 0, " \n" * 50)]
    with pytest.raises(BudgetExceededError) as caught:
        extract(results, QUERY, budget=9, counter=len, frame=lambda text, _: f"[a frame]{text}\n")
    needed = caught.value.required
    found = extract(results, QUERY, budget=needed, counter=len, frame=lambda text, _: f"[a frame]{text}\n")
    assert len(found.text) == found.tokens <= needed


WORDS = ["tokens", "rotate", "hourly", "the", "buoy,", "crane.", '{"k": 1}', "é", "日本", "\n\n", "# H"]
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(" ".join)


@example([("a", "hourly", ""), ("a", "hourly \n\n tokens tokens", "")], 1, None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), words, st.sampled_from(["", "S", "S > T"])), min_size=1, max_size=6
    ),
    st.integers(1, 120),
    st.sampled_from([None, len, "chars/4"]),
)
def test_any_results_fit_any_budget_or_say_what_would_do(
    given_: list[tuple[str, str, str]], budget: int, counter: object
) -> None:
    results = [chunk(path, n, text, section) for n, (path, text, section) in enumerate(given_)]
    count = resolve_counter(counter).count
    try:
        found = extract(results, QUERY, budget=budget, counter=counter)
    except BudgetExceededError as error:
        assert error.required > budget
        found = extract(results, QUERY, budget=error.required, counter=counter)
        budget = error.required
    assert count(found.text) == found.tokens <= budget
    sources = {one.chunk_id: one.content for one in results}
    order = [list(sources).index(one.chunk_id) for one in found.results]
    assert all(one < other for one, other in pairwise(order))
    if found.tokens < found.original_tokens:
        for one in found.results:
            assert one.content and one.content[:1] in sources[one.chunk_id]


def test_what_stands_above_documents_is_paid_for_by_the_first_unit_of_each() -> None:
    texts = [f"Tokens rotate every hour, says clerk {n}. {sentences('buoy', 3)}" for n in range(4)]
    heads = np.array([40, 1, 40, 1], dtype=np.int64)
    prepared = prepare(texts, QUERY, strategy="extractive")
    count = resolve_counter(None).count

    def write(parts: Sequence[str]) -> list[str]:
        return [part + " x" * int(head) for part, head in zip(parts, heads, strict=True) if part]

    assert sum(map(bool, prepared.fit(budget=45).parts)) > 2
    prices = Heads(heads, np.full(4, -1, np.int32), np.arange(4, dtype=np.int32))
    result = prepared.framed(Frame(write=write, heads=prices), prepared.original_tokens).fit(budget=45)
    assert [bool(part) for part in result.parts] == [False, True, False, True]
    assert result.tokens == sum(count(part) + 1 for part in result.parts if part) <= 45


def test_a_head_above_others_is_paid_for_once() -> None:
    texts = [f"Tokens rotate every hour, says clerk {n}. {sentences('buoy', 3)}" for n in range(4)]
    prepared = prepare(texts, QUERY, strategy="extractive")
    file_of = [0, 1, 0, 0]

    def write(parts: Sequence[str]) -> list[str]:
        kept = [n for n, part in enumerate(parts) if part]
        return [*(f"{parts[n]} x" for n in kept), *[" x" * 12] * len({file_of[n] for n in kept})]

    above = np.array([-1, -1, *file_of], dtype=np.int32)
    heads = Heads(np.array([12, 12, 1, 1, 1, 1]), above, np.arange(2, 6, dtype=np.int32))
    result = prepared.framed(Frame(write=write, heads=heads), prepared.original_tokens).fit(budget=50)
    assert [bool(part) for part in result.parts] == [True, False, True, True] and result.tokens <= 50
