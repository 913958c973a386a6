"""A page for two results: every piece says which of them keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tersely
from hypothesis import given, strategies as st
from page_checks import check_safe
from read_page import Page, shown
from tersely.report import compare_html, write_comparison
from tersely.types import Level
from text_strategies import some_texts

HARBOUR = "The harbour opens at six. Fog is common in March. The ferry needs a permit. Gulls steal chips."
HOSTILE = "<script>alert(1)</script> ${title} </div> \x1b[31m"


def covered(result: tersely.Compressed) -> list[set[int]]:
    """The characters of each document that a result keeps."""
    found: list[set[int]] = [set() for _ in result.documents]
    for span in result.kept:
        text = result.documents[span.document].text
        found[span.document] |= {at for at in range(span.start, span.end) if text[at].strip()}
    return found


def drawn(page: Page, texts: list[str]) -> dict[str, list[set[int]]]:
    """The same, as the page says it: by "both", "one" and "two"."""
    found: dict[str, list[set[int]]] = {look: [set() for _ in texts] for look in ("both", "one", "two")}
    starts = [sum(map(len, texts[:index])) for index in range(len(texts))]
    for element in page.all("span", "k"):
        if "data-at" not in element.attributes:
            continue
        (look,) = (name for name in found if f"r-{name}" in element.classes)
        at = int(element.attributes["data-at"])
        index = max(n for n, start in enumerate(starts) if start <= at and (texts[n] or at < start))
        begin = at - starts[index]
        text = texts[index]
        found[look][index] |= {n for n in range(begin, begin + len(element.text)) if text[n].strip()}
    return found


def check(first: tersely.Compressed, second: tersely.Compressed, query: str | None = None) -> Page:
    page = Page(compare_html(first, second, query))
    check_safe(page)
    texts = [document.text for document in first.documents]
    assert page.texts == list(map(shown, texts))
    assert page.results == [shown(first.text), shown(second.text)]
    said, one, two = drawn(page, texts), covered(first), covered(second)
    for index in range(len(texts)):
        assert said["both"][index] == one[index] & two[index]
        assert said["one"][index] == one[index] - two[index]
        assert said["two"][index] == two[index] - one[index]
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
    assert page.all("title")[0].text == "2 documents: Budget 8 and Budget 24 – tersely"
    source = {twin for e in page.all("span", "k") for twin in e.attributes.get("data-k", "").split()}
    panels = {e.attributes["data-s"] for e in page.elements if "data-s" in e.attributes}
    assert panels == source
    assert {name[0] for name in panels} == {"a", "b"}
    only = [e for e in page.all("span", "k", "r-two") if "title" in e.attributes]
    assert only[0].attributes["title"].startswith("Budget 8: Dropped: ")
    assert "\nBudget 24: Kept: " in only[0].attributes["title"]
    widths = [sum(float(e.attributes["width"]) for e in page.all("rect", look)) for look in ("one", "two")]
    assert 0 < widths[0] < widths[1]


def test_two_strategies_have_the_names_that_they_are_given(tmp_path: Path) -> None:
    text = f"# Harbour\n\n{HARBOUR}\n\n" * 4
    lead = tersely.compress(text, budget=30, strategy="lead")
    best = tersely.compress(text, budget=30)
    check(lead, best)
    write_comparison(lead, best, tmp_path / "two.html", names=("lead", HOSTILE))
    page = Page((tmp_path / "two.html").read_text(encoding="utf-8"))
    check_safe(page)
    assert [e.text for e in page.all("h2")] == ["Source", "lead", shown(HOSTILE)]


def test_the_same_twice_and_nothing_at_all() -> None:
    same = tersely.compress(HARBOUR, budget=12)
    page = check(same, same)
    assert not page.all("span", "k", "r-one", "x") and "100%" in [e.text for e in page.all("dd")]
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
