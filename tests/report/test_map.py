"""The map of the source: kept text is drawn where it lies, and the page's pieces know their places."""

from __future__ import annotations

import itertools

import pytest
import tersely
from hypothesis import given, strategies as st
from page_checks import check_safe
from read_page import Page
from tersely.report import to_html
from tersely.report.page import COLUMNS, STEPS, levels

HARBOUR = "The harbour opens at six. Fog is common in March. The ferry needs a permit. Gulls steal chips."


def naive(places: list[tuple[int, int]], total: int) -> list[int]:
    """By characters' shares of each column, one character at a time."""
    covered = [0.0] * COLUMNS
    for character in itertools.chain.from_iterable(range(*place) for place in places):
        start, end = COLUMNS * character / total, COLUMNS * (character + 1) / total
        for column in range(int(start), min(int(end) + 1, COLUMNS)):
            covered[column] += max(min(end, column + 1) - max(start, column), 0.0)
    return [max(1, min(STEPS, round(STEPS * share))) if share > 1e-7 else 0 for share in covered]


@given(st.lists(st.integers(0, 3000), min_size=2, max_size=16, unique=True), st.integers(1, 500))
def test_a_column_is_as_high_as_it_is_full(cuts: list[int], more: int) -> None:
    cuts = sorted(cuts)[: len(cuts) // 2 * 2]
    places = list(zip(cuts[::2], cuts[1::2], strict=True))
    total = cuts[-1] + more
    ours, theirs = levels(places, total), naive(places, total)
    assert len(ours) == COLUMNS
    assert all(
        abs(one - other) <= 1 for one, other in zip(ours, theirs, strict=True)
    )  # halves round either way
    assert sum(one != other for one, other in zip(ours, theirs, strict=True)) <= len(cuts)


def test_one_kept_character_of_a_long_text_is_seen() -> None:
    seen = levels([(999_999, 1_000_000)], 1_000_000)
    assert seen == [0] * (COLUMNS - 1) + [1]
    assert levels([(0, 5)], 5) == [STEPS] * COLUMNS


def rectangles(page: Page, look: str) -> list[tuple[float, float]]:
    found = [e.attributes for e in page.all("rect", look)]
    return [(float(e["x"]) / COLUMNS, float(e["width"]) / COLUMNS) for e in found]


def test_kept_text_is_drawn_where_it_lies() -> None:
    texts = [HARBOUR, "Otters float. " * 20, f"{HARBOUR} The ferry is late."]
    result = tersely.compress(texts, "ferry permit", budget=14)
    page = Page(to_html(result, "ferry permit"))
    total = sum(map(len, texts))
    starts = [0, *itertools.accumulate(map(len, texts))]
    expected = [(starts[span.document] + span.start, span.end - span.start) for span in result.kept]
    drawn = rectangles(page, "in")
    assert [x for x, _ in drawn] == pytest.approx([start / total for start, _ in expected], abs=1e-4)
    assert [w for _, w in drawn] == pytest.approx([size / total for _, size in expected], abs=1e-4)
    edges = [x for x, _ in rectangles(page, "edge")]
    assert edges == pytest.approx([starts[1] / total, starts[2] / total], abs=1e-4)
    hits = [x for x, _ in rectangles(page, "hit")]
    assert hits[0] == pytest.approx(HARBOUR.index("ferry") / total, abs=1 / COLUMNS)


def test_each_piece_says_where_it_starts() -> None:
    texts = [HARBOUR, f"Otters float. {HARBOUR}"]
    result = tersely.compress(texts, "permit", budget=20)
    page = Page(to_html(result))
    joined = "".join(texts)
    pieces = [e for e in page.all("span", "k") if "data-at" in e.attributes]
    assert pieces
    assert all(joined.startswith(e.text, int(e.attributes["data-at"])) for e in pieces)
    assert [e.attributes["data-at"] for e in page.all("article")] == ["0", str(len(HARBOUR))]
    (drawn,) = (e for e in page.elements if e.attributes.get("id") == "map")
    assert drawn.attributes["data-total"] == str(len(joined))
    assert drawn.attributes["aria-valuemax"] == str(len(pieces))


def test_a_map_of_very_many_pieces_stays_small() -> None:
    text = " ".join(f"Boat {n} is {'late' if n % 2 else 'on time'}." for n in range(6000))
    result = tersely.compress(text, "late", ratio=0.3)
    page = Page(to_html(result, "late"))
    assert len(result.kept) > 1000
    assert len(page.all("rect")) < 3 * COLUMNS
    assert {e.attributes["height"] for e in page.all("rect", "in")} <= {
        str(4 * n) for n in range(1, STEPS + 1)
    }


def test_nothing_kept_and_nothing_there_have_a_map() -> None:
    for texts in ("", [], ["", " \n "]):
        page = Page(to_html(tersely.compress(texts, budget=4)))
        check_safe(page)
        assert not rectangles(page, "in")


@pytest.mark.parametrize(("size", "checked"), [(100, False), (30_000, True)])
def test_long_sources_show_only_what_was_kept_at_first(size: int, checked: bool) -> None:
    text = "".join(f"Boat {n} is late. " for n in range(size // 17))
    page = Page(to_html(tersely.compress(text, budget=20)))
    (box,) = (e for e in page.all("input") if e.attributes.get("id") == "only")
    (main,) = page.all("main")
    assert ("checked" in box.attributes, "only" in main.classes) == (checked, checked)
