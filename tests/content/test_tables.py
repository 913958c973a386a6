"""Tables: the header stays, then rows by query, outliers, first and last; every row is the source's."""

from __future__ import annotations

import csv
import io
import json
import random
from typing import Any

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import _native
from tersely.content.json import Json, json_pointers
from tersely.content.tables import Table
from tersely.models.counters import resolve_counter

HEAD = "id,host,latency,status"


def rows_of(size: int) -> list[str]:
    return [HEAD, *[f"{n},web-{n % 5},{random.Random(n).gauss(100, 5):.1f},OK" for n in range(size)]]


def test_headers_outliers_and_rows_that_are_asked_for() -> None:
    rows = rows_of(300)
    rows[101] = "100,web-0,988.0,OK"
    rows[202] = "201,web-1,101.0,FAILED"
    result = tersely.compress("\n".join(rows), budget=120, strategy=Table())
    lines = result.text.split("\n")
    assert lines[0] == HEAD and lines[1] == rows[1] and lines[-1] == rows[-1]
    assert rows[101] in lines and rows[202] in lines
    said = [result.text[start:end] for start, end in result.generated]
    assert all(line == "…" or (line.startswith("… ") and line.endswith(("row", "rows"))) for line in said)
    left_out = sum(int(line.split()[1].replace(",", "")) for line in said if line != "…")
    assert left_out == len(result.dropped) and left_out + len(result.kept) == len(rows)
    assert result.tokens <= 120
    rows = rows_of(400)
    for n in range(5, 400, 9):
        rows[n] = rows[n].replace("OK", f"odd-{n}")
    result = tersely.compress("\n".join(rows), budget=300, strategy=Table())
    *signs, last = [result.text[start:end] for start, end in result.generated]
    assert "markers_shortened" in result.receipt.warnings and set(signs) == {"…"}
    assert int(last.split()[1]) == len(rows) - len(result.kept)
    rows = [" | 2019 | 2018", *[f"Part {n} revenue | {n},204 | {n},118" for n in range(20)]]
    rows[8] = "Winch revenue | 26,024 | 20,967"
    text = (
        "In 2019 and 2018 the yard had customers in 31 lands, and in 2018 none of them left for another one."
    )
    result = tersely.compress(["\n".join(rows), text], "winch revenue in 2019 and 2018", budget=60)
    assert rows[8] in result.text and result.text.startswith(rows[0])
    result = tersely.compress(json.dumps(ORDERS), "order 37", budget=120, strategy=Json(tables=True))
    assert ORDERS[37] in unfolded(json.loads(result.text))
    kept = {pointer for pointer, _, kept in json_pointers(result) if kept}
    assert {"/37/id", "/37/note"} <= kept


def test_what_a_report_comes_to_stands_above_its_table() -> None:
    rows = [f"{n * 10:9}    0.{n:03}    0.000    0.{n:03} lib.py:{n}(f)" for n in range(30)]
    told = "   805834 function calls in 0.702 seconds"
    text = "\n".join(
        [told, "   Ordered by: internal time", "", "   ncalls  tottime  percall  cumtime place", *rows]
    )
    assert told in tersely.compress(text, ratio=0.3, strategy=Table()).text


def test_tables_of_markdown_without_a_header_and_of_sums() -> None:
    rows = ["| id | host |", "|---:|:-----|", *[f"| {n} | web-{n} |" for n in range(90)]]
    result = tersely.compress("\n".join(rows), budget=80, strategy=Table())
    lines = result.text.split("\n")
    assert lines[:2] == rows[:2] and all(line.startswith("|") and line.endswith("|") for line in lines)
    rows = rows_of(200)[1:]
    result = tersely.compress("\n".join(rows), "web-3 at 103", budget=40, strategy=Table(header=False))
    assert result.kept[0].start > 0
    parts = [
        "\n".join(
            [
                f"                     | run {unit} |",
                *(f"copy/{unit}/size={n:<4}-8     {n * 7 % 50}.{n}n ± {n % 9}%" for n in range(36)),
                f"geomean                  {10 + at}.5n",
            ]
        )
        for at, unit in enumerate(("read", "write", "both", "none"))
    ]
    units = Table().read([tersely.Document("\n\n".join(parts))], None, 1000)
    rows = [part.split("\n")[-1] for part in parts]
    said = [
        "\n\n".join(parts)[start:end] for start, end in zip(units.table.start, units.table.end, strict=True)
    ]
    assert min(units.worth[said.index(row)] for row in rows) >= 0.5


def test_remarks_around_rows_are_no_rows() -> None:
    rows = [f"host{n}.example.  {3600 + n % 2}  IN  A  10.0.0.{n}" for n in range(30)]
    rows[11] = "host11.example.  3600  EXPIRED  A  10.0.0.11"
    above = [
        "; <<>> DiG 9.10.6 <<>> AXFR example.",
        "; (1 server found)",
        ";; global options: +cmd",
    ]
    below = [";; Query time: 170 msec", ";; WHEN: Thu Mar 26 16:31:06 PDT 2020", ";; XFR size: 50 records"]
    found = _native.table_rows(["\n".join([*above, *rows, *below])], " ", True)[5]
    assert int(np.argmax(found)) == len(above) + 11 and not found[: len(above)].any()
    named = "\n".join(["# made by hand", "# name  ttl  class  type  address", *rows])
    assert _native.table_rows([named], " ", True)[3].tolist()[:3] == [3, 1, 0]


SPANNING = [
    [" | Year ended March 31, | ", " | 2019 | 2018"],
    [" | 2019 | 2018", " | (in thousands) | (in thousands)"],
    ["Year ended March 31, |  |  | ", " |  |  | Change", "($ in millions) | 2019 | 2018 | in percent"],
    ["Period |  | Prices", " | High | Low"],
    ["NEO | |", "Name | Salary | Bonus"],
]


@pytest.mark.parametrize("names", SPANNING)
def test_a_header_may_have_several_rows(names: list[str]) -> None:
    rows = [*names, *[f"Item {n} | {n},204 | {n},118" for n in range(40)]]
    result = tersely.compress("\n".join(rows), "Item 21", budget=80, strategy=Table(delimiter="|"))
    assert result.text.split("\n")[: len(names)] == names
    assert "Item 21 | 21,204 | 21,118" in result.text


@pytest.mark.parametrize(
    "rows",
    [
        [",host,load", "0,web-1,0.4", "1,web-2,0.5"],  # an index without a name
        ["host,load,", "web-1,0.4,", "web-2,0.5,x"],  # a comma at the end of each row
        ["a,b", "1,", ",2"],
        ["region,,", "north,10,20", "south,30,40"],  # amounts are no names
        [" | 2019 | 2018", " | 2,554 | 6,090", "Debt | 5 | 6"],
        [",a,b", ",c,d", ",e,f"],  # no row has a first cell
        ["NEO,,", "Name,Salary,Bonus"],  # nothing would be left
    ],
)
def test_rows_of_values_are_no_header(rows: list[str]) -> None:
    delimiter = "|" if "|" in rows[0] else ","
    _, _, _, role, head, _ = _native.table_rows(["\n".join(rows)], delimiter, True)
    assert np.count_nonzero(role == 1) == 1 and set(head[1:].tolist()) == {0}


CELL = st.text(st.sampled_from('ab1 ,;"\n\r\té'), max_size=6)


@given(st.lists(st.lists(CELL, min_size=2, max_size=4), min_size=1, max_size=12), st.sampled_from(",;\t"))
def test_rows_are_those_of_pythons_csv(rows: list[list[str]], delimiter: str) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    text = out.getvalue()
    found, start, end, role, head, standing = _native.table_rows([text], delimiter, True)
    pieces = [text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]
    assert found == delimiter and len(pieces) == len(rows) == len(role) == len(head) == len(standing)
    for piece, row in zip(pieces, rows, strict=True):
        assert list(csv.reader(io.StringIO(piece, newline=""), delimiter=delimiter)) == [row]


@given(st.text(st.sampled_from('ab,;|\t"\n\r é中-=+ 1')), st.sampled_from(["", ",", "|", " ", "="]))
def test_any_text_is_cut_into_rows(text: str, delimiter: str) -> None:
    _, start, end, role, head, standing = _native.table_rows([text], delimiter, True)
    after = 0
    for a, b in zip(start.tolist(), end.tolist(), strict=True):
        assert after <= a < b <= len(text) and not text[after:a].strip()
        after = b
    assert not text[after:].strip() and (standing >= 0).all() and (standing < 1).all()
    assert (head < range(len(head))).all() and (role[head[head >= 0]] == 1).all()  # a header stands above


PODS = [
    "NAME                STATUS    RESTARTS   AGE",
    *[f"web-{n:<15} Running   {n % 3:<10} {n}d" for n in range(60)],
]


def test_columns_by_white_space_keep_the_header_and_the_row_that_is_unlike_the_others() -> None:
    rows = [*PODS]
    rows[41] = rows[41].replace("Running  ", "CrashLoopBackOff")  # longer than its column
    text = "\n".join(rows)
    result = tersely.compress(text, budget=70, strategy="auto")
    assert result.receipt.content_types == ("table",)
    assert result.text.startswith(rows[0]) and rows[41] in result.text.split("\n")


@pytest.mark.parametrize("rule", ["+----+-------+", "-----+-------", "|----|-------|"])
def test_ruled_tables_keep_what_stands_above_the_rule(rule: str) -> None:
    rows = [f"| {n:<2} | {'gone' if n == 31 else 'paid':<5} |" for n in range(60)]
    text = "\n".join(["| id | state |", rule, *rows])
    result = tersely.compress(text, budget=80, strategy=Table())
    lines = result.text.split("\n")
    assert lines[:2] == ["| id | state |", rule] and rows[31] in lines


COUNT = resolve_counter(None).count
ORDERS = [{"id": n, "state": "paid", "note": f'of "{n}", late', "parts": [n, n + 1]} for n in range(60)]


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


def test_odd_rows_of_tables() -> None:
    rule = "+--------+-------------+--------+---------+"
    rows = [f"| {n + 100000} | Ada Byron   | {n}7.10  | paid    |" for n in range(25)]
    rows[7] = "| 154168 | Ada Byron   | 20.40  | expired |"
    text = "\n".join([rule, "| id     | customer    | total  | state   |", rule, *rows, rule])
    assert rows[7] in tersely.compress(text, budget=64, strategy=Table()).text
    rows = [f"{n},unix,{'y' if n % 2 else 'n'},deliver" for n in range(40)]
    rows[11] = "11,dgram,y,deliver " + "with another option " * 12
    rows[29] = "29,degraded,y,deliver"
    text = "\n".join(["id,kind,chroot,command", *rows])
    assert rows[29] in tersely.compress(text, budget=70, strategy=Table()).text
    rows = [f"web-{n}   up   10.0.0.{n}" for n in range(20)]
    rows[7] = "web-7   orphaned   10.0.0.7"
    text = "\n".join(["name   state   address", *rows])
    result = tersely.compress(text, budget=27, strategy=Table())
    assert result.text == f"name   state   address\n…\n{rows[7]}\n…"
    assert "markers_shortened" in result.receipt.warnings
