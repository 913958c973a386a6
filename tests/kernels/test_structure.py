"""What is never split, sections, and the heading above each segment."""

from __future__ import annotations

import pytest
import tersely
from tersely import Kind
from tersely.types import Level

NESTED = """Preface line.

# One

First text. Second text.

## One A

Text under A.

### One A deep

Deep text.

## One B

Text under B.

# Two

Last text.
"""


def above(text: str) -> dict[str, str | None]:
    table = tersely.segment(text)
    pieces = [text[start:end] for _, start, end, _ in table]
    return {
        piece: pieces[at] if at >= 0 else None
        for piece, at in zip(pieces, table.heading.tolist(), strict=True)
    }


def test_heading_above_each_segment() -> None:
    assert above(NESTED) == {
        "Preface line.": None,
        "# One": None,
        "First text.": "# One",
        "Second text.": "# One",
        "## One A": "# One",
        "Text under A.": "## One A",
        "### One A deep": "## One A",
        "Deep text.": "### One A deep",
        "## One B": "# One",
        "Text under B.": "## One B",
        "# Two": None,
        "Last text.": "# Two",
    }


def test_an_indented_paragraph_does_not_end_a_list() -> None:
    found = above(
        "# Boat\n\nTie it up:\n\n1. Take a rope.\n\n   It hangs here.\n\n2. Knot it.\n\nDone.\n\n- Or not."
    )
    assert found["1. Take a rope."] == found["2. Knot it."] == "Tie it up:"
    assert found["It hangs here."] == found["- Or not."] == "# Boat"


def test_numbered_headings_nest_by_their_depth() -> None:
    found = above("1 Ropes\n\nAll about rope.\n\n1.1 Hemp\n\nHemp rots.\n\n2 Chains\n\nChains rust.\n")
    assert found["1.1 Hemp"] == "1 Ropes"
    assert found["Hemp rots."] == "1.1 Hemp"
    assert found["2 Chains"] is None


def test_sections_start_at_headings() -> None:
    sections = [NESTED[start:end] for _, start, end, _ in tersely.segment(NESTED, Level.SECTION)]
    assert [section.splitlines()[0] for section in sections] == [
        "Preface line.",
        "# One",
        "## One A",
        "### One A deep",
        "## One B",
        "# Two",
    ]
    assert sections[1] == "# One\n\nFirst text. Second text."


UNSPLIT = {
    "small table": "| part | age |\n|------|-----|\n| rope. One | 2 |\n| wire! Two | 3 |",
    "list item of three sentences": "- Hemp rots. Wire rusts. Nylon melts.",
    "fenced code": "```c\nint a = 1. ;\n\nreturn a; // Done. Really.\n```",
    "log line": "2031-04-05 06:07:08 ERROR Failed. Retrying. Gave up.",
    "heading": "## What. Is. This?",
}


@pytest.mark.parametrize("name", UNSPLIT)
def test_structures_are_not_split(name: str) -> None:
    text = f"Before it. \n\n{UNSPLIT[name]}\n\nAfter it."
    assert UNSPLIT[name] in [text[start:end] for _, start, end, _ in tersely.segment(text)]


@pytest.mark.parametrize("level", [Level.SENTENCE, Level.CLAUSE])
def test_a_large_table_is_cut_between_rows(level: Level) -> None:
    """The dashes belong to the head, without which they say nothing, and it is none."""
    rows = [f"| row {i} | value. Value {i} |" for i in range(60)]
    text = "\n".join(["| name | value |", "|---|---|", *rows])
    table = tersely.segment(text, level)
    pieces = [text[start:end] for _, start, end, kind in table if kind == Kind.TABLE]
    assert pieces == ["| name | value |\n|---|---|", *rows]


def test_large_code_is_cut_between_lines() -> None:
    lines = [f"    value_{i} = compute({i})  # step. Step." for i in range(120)]
    text = "\n".join(["```python", *lines, "```"])
    pieces = [text[start:end] for _, start, end, _ in tersely.segment(text)]
    assert len(pieces) > 1
    assert "\n".join(pieces) == text
    assert {line for piece in pieces for line in piece.split("\n")} == set(text.split("\n"))


def pieces_of(text: str) -> list[str]:
    return [text[start:end] for _, start, end, _ in tersely.segment(text)]


def test_a_turn_and_a_question_with_its_answer_are_one_unit() -> None:
    talk = ["Ada: Hello. Is the lamp lit?", "Ben: It is. I saw it."]
    assert pieces_of("\n".join(talk)) == talk
    pairs = ["Q: May I bring a dog?\nA: Yes, on a lead. The fee is 4 EUR.", "Q: And a cat?\nA: In a basket."]
    assert pieces_of("\n\n".join(pairs)) == pairs
    long = "Ada: " + "The lamp went out again before the tide had turned. " * 5
    assert len(pieces_of(f"{long}\nBen: Again?")) > 2
