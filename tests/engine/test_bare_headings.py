"""With a query, no heading is selected alone: what it announces would be missing."""

from __future__ import annotations

import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import Kind

SECTIONS = {
    "# Outage of the payment gateway": "",
    "## Summary": "For an hour and a half, four checkouts of ten failed.",
    "## What happened": "One of two pools signed with the old key. It had been moved to snapshots in spring. "
    "The bank refused what that pool sent, and the client hid the reason.",
    "## What went well": "The alarm rang within five minutes. Nobody lost money.",
    "### In the office": "People were calm and wrote everything down.",
    "## What we will change": "The job will send a signed test request to each pool.",
}
TEXT = "\n\n".join(f"{heading}\n\n{body}".rstrip() for heading, body in SECTIONS.items())


def bare(result: tersely.Compressed) -> list[str]:
    """Headings that were selected, with nothing kept up to the next one of their level or above."""
    kept = [(TEXT[span.start : span.end].strip(), span) for span in result.kept]
    found = []
    for place, (text, span) in enumerate(kept):
        level = len(text) - len(text.lstrip("#"))
        if span.kind != Kind.HEADING or span.reason != "selected":
            continue
        for below, other in kept[place + 1 :]:
            if other.kind == Kind.HEADING and len(below) - len(below.lstrip("#")) <= level:
                found.append(text)
                break
            if other.kind != Kind.HEADING:
                break
        else:
            found.append(text)
    return found


@given(
    st.integers(12, 140),
    st.sampled_from(["Which pool signed with the old key?", "What went well in the office?", "summary"]),
)
def test_a_heading_is_selected_only_with_something_under_it(budget: int, query: str) -> None:
    assert bare(tersely.compress(TEXT, query, budget=budget)) == []


def test_a_pinned_heading_stays_alone() -> None:
    result = tersely.compress(TEXT, "Which pool signed with the old key?", budget=40, pinned=["## Summary"])
    assert "## Summary" in result.text


@pytest.mark.parametrize("budget", [40, 60, 80])
def test_room_of_bare_headings_goes_to_text(budget: int) -> None:
    result = tersely.compress(TEXT, "Which pool signed with the old key?", budget=budget)
    assert result.tokens > 0.6 * budget
    assert "One of two pools signed with the old key." in result.text
