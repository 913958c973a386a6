"""Objects with the same keys as tables: shorter, valid, and every value the source's own."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tersely
from growth import MOST, growth
from hypothesis import given, strategies as st
from tersely import BudgetExceededError
from tersely.content.json import Json, json_pointers
from tersely.models.counters import resolve_counter

COUNT = resolve_counter(None).count
ORDERS = [{"id": n, "state": "paid", "note": f'of "{n}", late', "parts": [n, n + 1]} for n in range(60)]

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=40)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=9), inner, max_size=8),
)
keys = st.lists(st.text(max_size=12), min_size=1, max_size=5, unique=True)
rows = keys.flatmap(lambda names: st.lists(st.fixed_dictionaries(dict.fromkeys(names, scalars)), max_size=30))
documents = values | rows | st.fixed_dictionaries({"rows": rows, "more": values})


def unfolded(table: list[Any]) -> list[dict[str, Any]]:
    """The objects that a table says."""
    head, *rest = table
    return [dict(zip(head, row, strict=True)) for row in rest if not str(row[0]).startswith("… ")]


def test_a_table_has_its_keys_once_and_the_objects_of_the_source() -> None:
    text = json.dumps({"orders": ORDERS})
    plain = tersely.compress(text, budget=400, strategy=Json(minify=True))
    result = tersely.compress(text, budget=400, strategy=Json(tables=True))
    table = json.loads(result.text)["orders"]
    found = unfolded(table)
    assert table[0] == ["id", "state", "note", "parts"]
    assert found and all(ORDERS[row["id"]] == row for row in found)
    assert len(found) > sum("id" in row for row in json.loads(plain.text)["orders"] if isinstance(row, dict))
    assert any(
        row == [f"… {row[0].split()[1]} more"] for row in table if isinstance(row[0], str) and len(row) == 1
    )
    assert result.tokens == COUNT(result.text) <= 400
    said = "".join(result.text[start:end] for start, end in result.generated)
    assert '["id","state","note","parts"]' in said
    for span in result.kept:
        assert text[span.start : span.end] in result.text


def test_a_record_that_is_asked_for_is_in() -> None:
    result = tersely.compress(json.dumps(ORDERS), "order 37", budget=120, strategy=Json(tables=True))
    assert ORDERS[37] in unfolded(json.loads(result.text))
    kept = {pointer for pointer, _, kept in json_pointers(result) if kept}
    assert {"/37/id", "/37/note"} <= kept


@pytest.mark.parametrize(
    "other",
    [
        [{"a": 1}, {"a": 2}],
        [{"a": 1}, {"b": 2}, {"a": 3}],
        [{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 2}],
        [{"a": [{"c": 1}]}, {"a": [{"c": 2}]}, {"a": [{"c": 3}]}],
        [{"a": 1}, 7, {"a": 3}],
        [{}, {}, {}],
    ],
)
def test_what_is_no_table_stays_as_it_is(other: list[Any]) -> None:
    text = json.dumps({"rows": other, "more": ["word " * 9] * 60})
    result = tersely.compress(text, budget=150, strategy=Json(tables=True))
    assert json.loads(result.text)["rows"] == other


@pytest.mark.parametrize("budget", [2, 3, 5, 8, 13, 21])
def test_without_room_for_a_first_row_there_is_no_table(budget: int) -> None:
    text = json.dumps([{"": None, "0": None, "1": None, "2": None, "00": None}] * 3)
    result = tersely.compress(text, budget=budget, strategy=Json(tables=True))
    json.loads(result.text)
    assert result.tokens == COUNT(result.text) <= budget


def test_a_key_that_comes_twice_is_no_column() -> None:
    text = (
        '{"rows": ['
        + ", ".join(['{"a": 1, "a": 2}'] * 4)
        + '], "more": ['
        + ", ".join(["12345678"] * 90)
        + "]}"
    )
    result = tersely.compress(text, budget=150, strategy=Json(tables=True))
    assert '{"a": 1,"a": 2}' in result.text


@given(documents, st.sampled_from([None, 1]), st.booleans(), st.integers(1, 300))
def test_whatever_is_json_stays_json(value: Any, indent: int | None, ascii_only: bool, budget: int) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    try:
        result = tersely.compress(text, budget=budget, strategy=Json(tables=True))
    except BudgetExceededError as error:
        assert error.required > budget
        return
    json.loads(result.text)
    assert result.tokens == COUNT(result.text) <= budget
    at = 0
    for span in result.kept:
        piece = text[span.start : span.end]
        at = result.text.index(piece, at) + len(piece)


@given(rows, st.integers(20, 300))
def test_rows_of_tables_are_objects_of_the_source(objects: list[dict[str, Any]], budget: int) -> None:
    text = json.dumps(objects)
    try:
        result = tersely.compress(text, budget=budget, strategy=Json(tables=True))
    except BudgetExceededError:
        return
    made = json.loads(result.text)
    if result.text != text and len(objects) >= 3 and made and isinstance(made[0], list):
        head, *rest = made
        assert head == list(objects[0])
        known = [list(one.values()) for one in objects]
        assert all(row in known or str(row[0]).startswith("… ") for row in rest)


@pytest.mark.growth
def test_time_grows_with_the_rows() -> None:
    def run(text: str) -> object:
        return tersely.compress(text, budget=100, counter="chars/4", strategy=Json(tables=True))

    assert growth(lambda size: "[" + '{"id": 7, "name": "x"}, ' * (size // 24) + "0]", run) < MOST
    assert (
        growth(lambda size: "[" + ", ".join(['{"id": 7, "name": "x"}'] * (size // 24 + 1)) + "]", run) < MOST
    )
