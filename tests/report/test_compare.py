"""A page for two results: every piece says which of them keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tersely
from hypothesis import given, strategies as st
from read_page import HARBOUR, Page, plain
from tersely.report import compare_html, write_comparison
from tersely.types import Level
from text_strategies import some_texts

HOSTILE = "<script>alert(1)</script> ${title} </div> \x1b[31m"


def covered(result: tersely.Compressed) -> list[set[int]]:
    """The characters of each document that a result keeps."""
    found: list[set[int]] = [set() for _ in result.documents]
    for span in result.kept:
        text = result.documents[span.document].text
        found[span.document] |= {at for at in range(span.start, span.end) if text[at].strip()}
    return found


def check(first: tersely.Compressed, second: tersely.Compressed, query: str | None = None) -> Page:
    """The page says of each character which of the results keep it."""
    page = Page(compare_html(first, second, query))
    assert page.texts == [document.text for document in first.documents]
    assert page.results == [first.text, second.text]
    one, two = covered(first), covered(second)
    for index, (drawn, text) in enumerate(zip(page.data["documents"], page.texts, strict=True)):
        said: dict[str, set[int]] = {"r-both": set(), "r-one": set(), "r-two": set()}
        for piece in drawn["pieces"]:
            if piece.get("fate") == "k":
                begin = piece["at"] - drawn["at"]
                places = range(begin, begin + len(plain(piece["text"])))
                said[piece["look"].split()[0]] |= {at for at in places if text[at].strip()}
        assert said["r-both"] == one[index] & two[index]
        assert said["r-one"] == one[index] - two[index]
        assert said["r-two"] == two[index] - one[index]
    return page


@given(some_texts.filter(bool), st.floats(0.1, 1.0), st.floats(0.1, 1.0), st.sampled_from(Level))
def test_each_piece_is_in_the_results_that_it_names(
    texts: list[str], one: float, two: float, level: Level
) -> None:
    def shortened(ratio: float) -> tersely.Compressed:
        strategy = tersely.Extractive(level=level)
        try:
            return tersely.compress(texts, ratio=ratio, strategy=strategy)
        except tersely.BudgetExceededError as error:
            return tersely.compress(texts, budget=error.required, strategy=strategy)

    check(shortened(one), shortened(two))


def test_two_budgets_are_named_and_linked_both_ways() -> None:
    texts = [HARBOUR, f"Otters float. {HOSTILE}"]
    results = [tersely.compress(texts, "ferry permit", budget=budget) for budget in (8, 24)]
    page = check(results[0], results[1], "ferry permit")
    assert page.inside["title"] == "2 documents: Budget 8 and Budget 24 – tersely"
    assert set(page.twins()) == {twin for piece in page.kept() for twin in piece["twins"].split()}
    assert {name[0] for name in page.twins()} == {"a", "b"}
    tip = page.kept("r-two")[0]["tip"]
    assert tip.startswith("Budget 8: Dropped: ") and "\nBudget 24: Kept: " in tip
    sizes = [sum(end - start for start, end in lane["places"]) for lane in page.data["lanes"]]
    assert 0 < sizes[0] < sizes[1]


def test_two_strategies_have_the_names_that_they_are_given(tmp_path: Path) -> None:
    text = f"# Harbour\n\n{HARBOUR}\n\n" * 4
    lead = tersely.compress(text, budget=30, strategy="lead")
    best = tersely.compress(text, budget=30)
    check(lead, best)
    write_comparison(lead, best, tmp_path / "two.html", names=("lead", HOSTILE))
    page = Page((tmp_path / "two.html").read_text(encoding="utf-8"))
    assert [panel["title"] for panel in page.data["panels"]] == ["lead", HOSTILE]


def test_the_same_twice_and_nothing_at_all() -> None:
    same = tersely.compress(HARBOUR, budget=12)
    page = check(same, same)
    assert not page.kept("r-one") and ["100%", ["of all that is kept, both keep"]] in page.data["figures"]
    check(tersely.compress("", budget=4), tersely.compress("", budget=9))


@pytest.mark.parametrize("names", [("one",), ("a", ""), ("a", 3)])
def test_names_are_two_texts(names: Any) -> None:
    result = tersely.compress(HARBOUR, budget=12)
    with pytest.raises(ValueError, match="names must be two texts"):
        compare_html(result, result, names=names)


def test_results_of_different_documents_are_refused() -> None:
    one, two = (tersely.compress(text, budget=12) for text in (HARBOUR, HARBOUR.upper()))
    with pytest.raises(ValueError, match="same documents"):
        compare_html(one, two)
