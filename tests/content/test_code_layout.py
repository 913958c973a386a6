"""Code in languages that no reader knows: what its layout says, and what a query finds in it."""

from __future__ import annotations

import random

import pytest
import tersely
from hypothesis import given, strategies as st
from tersely.content.code import Code, Role, read_code


def _cut(text: str) -> list[tuple[str, int, int]]:
    units = read_code("", text)
    return [
        (text[start:end].strip(), parent, follows)
        for start, end, parent, follows in zip(
            units.start.tolist(),
            units.end.tolist(),
            units.parent.tolist(),
            units.follows.tolist(),
            strict=True,
        )
    ]


def test_deeper_lines_are_a_body_and_end_closes_it() -> None:
    text = "class Cart\n  def add(item)\n    @items << item\n  rescue Full\n    nil\n  end\nend\nputs 1\n"
    assert _cut(text) == [
        ("class Cart", -1, -1),
        ("def add(item)", 0, -1),
        ("@items << item", 1, -1),
        ("rescue Full", 1, 1),
        ("nil", 1, -1),
        ("end", 1, 1),
        ("end", 0, 0),
        ("puts 1", -1, -1),
    ]


def test_lines_that_a_backslash_joins_are_one() -> None:
    text = "all: a b\n\tcc -c a \\\n  -o b\n\techo 'it\\'s done'\n\nclean:\n\trm a \"\n"
    assert [said for said, _, _ in _cut(text)] == [
        "all: a b",
        "cc -c a \\\n  -o b",
        "echo 'it\\'s done'",
        "clean:",
        'rm a "',
    ]


@pytest.mark.parametrize("opens", ['"', "'", "(", "{", "[["])
def test_what_is_never_closed_does_not_swallow_the_rest(opens: str) -> None:
    rules = "".join(f"rule{number}:\n\trun --level {number} --name part{number}\n\n" for number in range(60))
    text = f"NAME := {opens}shop\n{rules}"
    result = tersely.compress(text, "which level has part41", ratio=0.2, strategy=Code(language="make"))
    assert "run --level 41" in result.text and "rule41:" in result.text
    assert result.tokens <= 0.2 * result.original_tokens


def test_braces_that_match_say_more_than_layout() -> None:
    text = "class Cart {\nfun add(item: Item) {\nitems += item\n}\n}\n"
    units = read_code("kotlin", text)
    assert units.role.tolist()[:2] == [Role.DEFINITION, Role.DEFINITION]


@given(st.text(alphabet=" \t\n\\abend#'\"(){}:", max_size=80), st.sampled_from(["", "x", "else b"]))
def test_every_line_is_in_one_unit(text: str, query: str) -> None:
    units = read_code("", text, query)
    rows = range(len(units.start))
    lines = [line for row in rows for line in range(units.first[row], units.last[row] + 1)]
    assert lines == sorted(set(lines))
    said = [number for number, line in enumerate(text.split("\n")) if line.strip(" \t")]
    assert set(said) <= set(lines)
    assert all(units.parent[row] < row and units.follows[row] < row for row in rows)


@pytest.mark.parametrize("ratio", [0.1, 0.2, 0.3])
def test_the_line_that_a_query_says_stays_however_deep_it_is(ratio: float) -> None:
    rng = random.Random(1)
    words = ["cart", "mail", "tax", "order", "queue", "batch", "stock", "price"]
    deep = (
        "    if (cart_ready(order, 0) && stock_of(order, 0) > price_of(order, 0)) {\n"
        "        if (cart_ready(order, 1) && stock_of(order, 1) > price_of(order, 1)) {\n"
        "            /* A refund was paid twice. */\n        }\n    }\n"
    )
    text = ""
    for number in range(20):
        calls = "".join(
            f"    {rng.choice(words)}_{rng.choice(words)}({rng.choice(words)});\n" for _ in range(12)
        )
        text += f"void part{number}(int order) {{\n{calls}{deep if number == 10 else ''}}}\n\n"
    result = tersely.compress(text, "refund of an order paid twice", ratio=ratio, strategy=Code(language="c"))
    assert "void part10(int order) {" in result.text and "A refund was paid twice." in result.text
