"""Of a tree of costs the way to what costs most stands; a question's second thing is served, too."""

from __future__ import annotations

import json

import pytest
import tersely


def test_the_way_to_what_costs_most_stands_by_time_and_loops() -> None:
    def node(depth: int, name: str, time: float, loops: int = 1) -> str:
        said = f"(cost=0.4..{99 + depth}.0 rows=9 width=4) (actual time=0.01..{time} rows=9 loops={loops})"
        return f"{' ' * 6 * depth}->  {name}  {said}"

    lines = ["Limit  (cost=1.0..2.0 rows=9 width=4) (actual time=0.01..915.2 rows=9 loops=1)"]
    lines += [node(1, "Hash Join", 914.8), f"{' ' * 8}Hash Cond: (a.x = b.y)"]
    lines += [node(2, "Nested Loop", 900.1), node(3, "Seq Scan on orders o", 12.3)]
    lines += [
        node(3, "Index Scan using items_idx on items i", 0.04, 22000),
        f"{' ' * 20}Index Cond: (o.id = 3)",
    ]
    lines += [node(2, "Hash", 8.1), node(3, "Seq Scan on users u", 7.7), f"{' ' * 20}Filter: (NOT gone)"]
    lines += ["Planning Time: 0.3 ms", "Execution Time: 915.9 ms"]
    kept = tersely.compress("\n".join(lines), ratio=0.6, strategy="tool_output").text
    for stands in ("Hash Join", "Nested Loop", "items_idx"):
        assert stands in kept
    assert "Seq Scan on users" not in kept


@pytest.mark.parametrize(
    "question", ["Why did it stop, and what is its memory limit?", "Stopped why? Memory limits?"]
)
def test_a_second_thing_that_is_asked_stands_with_its_heading(question: str) -> None:
    other = [f"  port {n}:  {8000 + 7 * n}/tcp" for n in range(30)]
    head = ["name:  cart", "state:  stopped", "  code:  137", "  reason:  OOMKilled", "networks:"]
    lines = [*head, *other, "limits:", "  cpu:  500m", "  memory:  256Mi", "mounts:", "  /data from data"]
    kept = tersely.compress("\n".join(lines), question, ratio=0.25, strategy="tool_output").text
    assert "OOMKilled" in kept
    assert "limits:\n" in kept
    assert "memory:  256Mi" in kept


def test_options_in_parentheses_are_no_cells_and_the_odd_one_stands() -> None:
    def mount(name: str) -> str:
        folder = name * (1 + ord(name) * 7 % 5)
        return f"/dev/sd{name}1 on /srv/{folder} type ext4 ({'ro' if name == 'm' else 'rw'},relatime,nosuid)"

    lines = list(map(mount, "abcdefghijklmnopqrst"))
    assert "(ro,relatime" in tersely.compress("\n".join(lines), ratio=0.2).text


def test_drawn_rules_are_no_rows_and_a_rare_note_stands() -> None:
    def row(*cells: object) -> str:
        return "│" + "│".join(f" {cell!s:<28} " for cell in cells) + "│"

    rules = [f"{left}{middle.join(['─' * 30] * 3)}{right}" for left, middle, right in ("┌┬┐", "├┼┤", "└┴┘")]
    body = [row(1000 + n, 70 + n * 7 % 20, "no penicillin" if n == 41 else "") for n in range(60)]
    text = "\n".join([rules[0], row("id", "pulse", "note"), rules[1], *body, rules[2]])
    kept = tersely.compress(text, ratio=0.1, strategy="table").text
    assert "no penicillin" in kept


def test_a_number_below_zero_is_odd_where_nearly_all_are_above() -> None:
    rows = [f"A{100 + n * 7},{-14 if n == 33 else 5 + n * 37 % 190},{n % 9 + 1}.50" for n in range(80)]
    assert ",-14," in tersely.compress("\n".join(["part,stock,price", *rows]), ratio=0.1).text


@pytest.mark.parametrize("written", ["{2}-{1:02}-{0:02}", "{0:02}.{1:02}.{2}", "{2}-{1:02}-{0:02}T08:30Z"])
def test_a_date_years_from_the_others_is_odd(written: str) -> None:
    days = [(1 + n * 11 % 28, 1 + n * 5 % 12, 2017 if n == 33 else 2026) for n in range(80)]
    rows = [{"part": f"A{100 + n * 7}", "counted": written.format(*day)} for n, day in enumerate(days)]
    odd = written.format(*days[33])
    table = "\n".join(["part,counted", *[",".join(row.values()) for row in rows]])
    for text in (table, json.dumps(rows)):
        assert odd in tersely.compress(text, ratio=0.1).text
