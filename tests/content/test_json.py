"""JSON stays JSON: every kept value verbatim, every hole counted, within the budget."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any
from uuid import UUID

import numpy as np
import pytest
import tersely
from hypothesis import given, settings, strategies as st
from tersely import BudgetExceededError, Compressed, Extractive, _native
from tersely.content.json import Json, json_pointers
from tersely.content.tree import CLOSE, OBJECT, PIECE, TreeUnits
from tersely.engine.finish import broken_promises
from tersely.models.counters import resolve_counter

COUNT = resolve_counter(None).count
MARKED = re.compile(r"\"?… ?(\d+-\d+)?|,\s*$")  # what says that something is left out, commas beside it

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=300)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=9), inner, max_size=20),
)
layouts = st.sampled_from([None, 1, 2])


def check(result: Compressed, minified: bool = False) -> None:
    assert COUNT(result.text) == result.tokens <= result.receipt.budget
    for start, end in result.generated:
        assert MARKED.match(result.text[start:end])
        once = not {"markers_left_out", "markers_shortened"}.isdisjoint(result.receipt.warnings)
        if result.text[start] == "," and not minified and not once:  # it parts a marker from something else
            assert any("…" in result.text[a:b] for a, b in result.generated if b == start or a == end)


cells = st.none() | st.booleans() | st.integers() | st.text(max_size=40)
keys = st.lists(st.text(max_size=12), min_size=1, max_size=5, unique=True)
records = keys.flatmap(
    lambda names: st.lists(st.fixed_dictionaries(dict.fromkeys(names, cells)), max_size=30)
)
documents = values | records | st.fixed_dictionaries({"rows": records, "more": values})


@pytest.mark.parametrize("strategy", [Json(), Json(minify=True), Json(tables=True)])
@given(documents, layouts, st.booleans(), st.integers(1, 400))
def test_whatever_is_json_stays_json(
    strategy: Json, value: Any, indent: int | None, ascii_only: bool, budget: int
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    try:
        result = tersely.compress(text, budget=budget, strategy=strategy)
    except BudgetExceededError as error:
        assert error.required > budget
        assert not isinstance(value, (dict, list)) or budget <= 2
        return
    json.loads(result.text)
    assert COUNT(result.text) == result.tokens <= budget
    if not strategy.tables:
        check(result, minified=strategy.minify)
    if strategy.minify and "kept:fits" not in result.receipt.reasons:
        assert result.text.count("\n") <= len(
            result.kept
        )  # small objects and arrays stay as they are written


def is_part(small: Any, large: Any) -> bool:
    """Whether `small` is `large` with holes that say so."""
    if isinstance(small, dict) and isinstance(large, dict):
        return all(key.startswith("…") or is_part(inner, large[key]) for key, inner in small.items())
    if isinstance(small, list) and isinstance(large, list):
        at = 0
        for inner in small:
            if isinstance(inner, str) and (hole := re.fullmatch(r"… (\d+) more", inner)):
                at += int(hole.group(1))
            elif not is_part(inner, large[at]):
                return False
            else:
                at += 1
        return at == len(large)
    if isinstance(small, str) and isinstance(large, str) and "…" in small:
        pattern = "".join(
            f".{{{part}}}" if number % 2 else re.escape(part)
            for number, part in enumerate(re.split(r"… (\d+) more(?: …)?", small))
        )
        return re.fullmatch(pattern, large, re.DOTALL) is not None
    return bool(small == large)


@given(
    st.recursive(
        st.integers() | st.text("ab ", min_size=0, max_size=400),
        lambda inner: (
            st.lists(inner, max_size=30) | st.dictionaries(st.text("xyz", max_size=4), inner, max_size=20)
        ),
    ),
    st.integers(3, 300),
)
def test_holes_say_how_much_they_are(value: Any, budget: int) -> None:
    result = tersely.compress(json.dumps([value]), budget=budget, strategy=Json())
    if not {"markers_left_out", "markers_shortened"} & set(result.receipt.warnings):
        assert is_part(json.loads(result.text), [value])


def test_what_a_query_an_odd_value_or_a_list_names_stays() -> None:
    rows = [{"id": f"user-{n:04}", "mail": f"u{n}@example.org", "plan": "free"} for n in range(300)]
    text = json.dumps(rows, indent=1)
    result = tersely.compress(text, "Which plan has user-0217?", budget=120, strategy=Json())
    assert rows[217] in json.loads(result.text)
    rows = [{"id": n, "status": "ok", "took": 10 + n % 3} for n in range(100)]
    rows[41]["status"] = "failed"
    rows[77]["took"] = 90_000
    text = json.dumps({"page": 1, "items": rows, "next": "/items?page=2"})
    result = tersely.compress(text, budget=140, strategy=Json())
    found = json.loads(result.text)
    assert found["page"] == 1 and found["next"] == "/items?page=2"
    assert {0, 41, 77, 99} <= {row["id"] for row in found["items"] if isinstance(row, dict)}
    failed: list[dict[str, Any]] = [
        {"title": f"fails {n}", "err": {"message": f"expected {n * 31}"}} for n in range(4)
    ]
    failed[1]["err"] |= {"name": "AssertionError", "actual": "false", "operator": "strictEqual", "code": "E7"}
    report = {
        "tests": [*[{"title": f"passes {n}", "err": {}} for n in range(3)], *failed],
        "failures": failed,
    }
    text = tersely.compress(json.dumps(report, indent=1), budget=180, strategy=Json()).text
    assert all(f'"fails {n}"' in text and f"expected {n * 31}" in text for n in range(4))


@given(st.integers(0, 29), st.integers(0, 3), st.sampled_from(["{}", "What is the TIMEOUT of {}?"]))
def test_the_entry_of_a_map_that_a_query_names_by_its_key_is_kept_at_any_depth(
    place: int, depth: int, asks: str
) -> None:
    entries = {f"svc{n}": {"replicas": n % 5, "env": {"TIMEOUT": str(n * 7)}} for n in range(30)}
    holder: dict[str, Any] = entries
    for level in range(depth):
        holder = {f"level{level}": holder}
    result = tersely.compress(json.dumps(holder), asks.format(f"svc{place}"), budget=100, strategy=Json())
    found = json.loads(result.text)
    for level in reversed(range(depth)):
        found = found[f"level{level}"]
    assert found[f"svc{place}"] == entries[f"svc{place}"]


@given(
    st.integers(0, 39),
    st.randoms(use_true_random=False),
    st.sampled_from([(), ("users",), ("data", "users")]),
)
def test_what_is_asked_of_a_record_comes_before_what_others_of_its_list_say(
    place: int, random: Random, path: tuple[str, ...]
) -> None:
    rows: list[dict[str, Any]] = [
        {
            "id": n,
            "mail": f"user{random.randint(100, 999)}@example.com",
            "roles": random.sample(["a", "b", "c"], 2),
        }
        for n in range(40)
    ]
    holder: Any = rows
    for key in reversed(path):
        holder = {key: holder}
    text = json.dumps(holder)
    result = tersely.compress(text, f"What is the mail of user {place}?", budget=60, strategy=Json())
    found = json.loads(result.text)
    for key in path:
        found = found[key]
    assert [
        row["mail"] for row in found if isinstance(row, dict) and row.get("id") == place and "mail" in row
    ] == [rows[place]["mail"]]


@given(st.integers(0, 74), st.sampled_from(["uuid", "words", "object"]), st.sampled_from([None, 1]))
def test_the_record_that_a_query_names_is_kept_where_it_fits_with_the_shortest_counts(
    place: int, form: str, indent: int | None
) -> None:
    keys = [str(UUID(int=(n + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128)) for n in range(75)]
    names: dict[str, Any] = {
        "uuid": str(UUID(int=7**45 % 2**128)),
        "words": "the port is 8080",
        "object": [1, 2],
    }
    everything = dict.fromkeys(keys, names[form])
    key, count = keys[place], len(keys)
    holes = {f"… 1-{place}": ""} if place else {}
    rest = {"…": count - 1 - place} if place < count - 1 else {}
    shortest = {**holes, key: names[form], **rest}
    budget = COUNT(json.dumps(shortest, indent=indent, ensure_ascii=False))
    text = json.dumps(everything, indent=indent)
    result = tersely.compress(text, f"What is the value of {key}?", budget=budget, strategy=Json())
    assert json.loads(result.text) == shortest
    assert "markers_shortened" in result.receipt.warnings
    check(result)
    wide = tersely.compress(text, f"What is the value of {key}?", budget=budget + 12, strategy=Json())
    assert json.loads(wide.text)[key] == names[form] and "markers_shortened" not in wide.receipt.warnings


@pytest.mark.parametrize(
    ("text", "query", "short"),
    [
        (json.dumps([*range(50), "pine", *range(20)]), "pine", '["… 50", "pine", "… 20"]'),
        ("\n".join([*map(str, range(500)), '"pine"']), "pine", '"… 500"\n"pine"'),
    ],
)
def test_short_counts_of_arrays_and_lines(text: str, query: str, short: str) -> None:
    result = tersely.compress(text, query, budget=COUNT(short), strategy=Json())
    assert result.text == short and "markers_shortened" in result.receipt.warnings


@pytest.mark.parametrize("part", [r"\ud83d\ude00", r"\u0041", r"\n", "😀", "é", r"\\", r"\""])
def test_strings_are_not_cut_inside_an_escape(part: str) -> None:
    for shift in range(6):
        text = json.dumps(["x" * shift])[:-2] + part * 300 + '"]'
        value = json.loads(text)[0]
        for budget in range(5, 80, 7):
            result = tersely.compress(text, budget=budget, strategy=Json())
            for found in json.loads(result.text):
                head = found.partition("…")[0]
                assert value.startswith(head)
                head.encode()  # no half of a pair


@pytest.mark.parametrize("budget", [5, 60, 2_000])
def test_a_byte_order_mark_is_no_fault(budget: int) -> None:
    value = [{"id": number, "name": f"n{number}"} for number in range(99)]
    result = tersely.compress("\ufeff" + json.dumps(value), budget=budget, strategy="auto")
    check(result)
    json.loads(result.text.removeprefix("\ufeff"))
    assert "json_invalid" not in result.receipt.warnings


def test_json_lines_and_numbers_stay_as_they_are_written() -> None:
    lines = [json.dumps({"n": n, "event": "tick"}) for n in range(200)]
    lines[120] = json.dumps({"n": 120, "event": "crash", "error": "disk full"})
    result = tersely.compress("\n".join(lines), budget=100, strategy=Json())
    found = [json.loads(line) for line in result.text.splitlines()]
    assert json.loads(lines[0]) in found and json.loads(lines[120]) in found
    found = [line for line in found if line != "…"]
    assert sum(int(line.split()[1]) if isinstance(line, str) else 1 for line in found) == 200
    odd = (
        r'{"a": 1e400, "a": 123456789012345678901234567890, "b": "\ud83d\ude00\u0041\/", "c": -0.0, "c": 0E1}'
    )
    text = f'{{"first": {odd}, "rest": {json.dumps(list(range(500)))}}}'
    result = tersely.compress(text, budget=150, strategy=Json())
    assert odd in result.text and json.loads(result.text)
    good, bad = json.dumps(list(range(300))), "[1, 2\n" * 100
    result = tersely.compress([good, bad], budget=60, strategy=Json())
    assert "json_invalid" in result.receipt.warnings
    assert json.loads(result.text.split("\n\n")[0])
    pin = ORDERS[ORDERS.index('"id": 12') :][:30]
    result = tersely.compress(ORDERS, budget=150, strategy=Json(minify=True), pinned=[pin])
    assert pin in result.text and result.receipt.content_types == ("prose",)
    assert "pinned_read_as_text" in result.receipt.warnings


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ('{"a": 1,,}', "json_invalid"), ("[,]", "json_invalid"), ("[1, 2 /* open", "json_invalid"),
        ("[-NaN]", "json_invalid"), ("[1 2]", "json_invalid"), ('{"a": tru', "json_invalid"),
        ('["\t"]', "json_invalid"), ("\ufeff{}", "json_invalid"), ("[" * 600 + "]" * 600, "json_too_deep"),
        ('{"a":' * 100_000, "json_too_deep"),
    ],
)  # fmt: skip
def test_what_is_not_json_is_text(text: str, warning: str) -> None:
    long = f"{text}\nSome words. More words here. " * 3 if len(text) < 100 else text
    result = tersely.compress(long, budget=12, strategy=Json())
    assert warning in result.receipt.warnings and result.tokens <= 12
    assert result.text == tersely.compress(long, budget=12, strategy=Extractive()).text


NOTES = re.compile(r'"(?:[^"\\\\]|\\\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
ENDS = re.compile(r'("(?:[^"\\\\]|\\\\.)*")|,(\s*[\]}])')


def without_notes(text: str) -> str:
    """JSON without comments."""
    return NOTES.sub(lambda match: match[0] if match[0].startswith('"') else " ", text)


gaps = st.sampled_from(["", "", "", " ", "\n", '// of "x, y\n', "/* z, ] */"])
written_scalars = st.sampled_from(["1", "NaN", "-Infinity", "null", '"s // no"', f'"{"a long text " * 9}"'])


@st.composite
def written(draw: st.DrawFn, depth: int = 0, trailing: bool = True) -> str:
    """JSON as programs write it."""
    if depth > 2 or (depth and draw(st.booleans())):
        return draw(written_scalars)
    opens, closes = draw(st.sampled_from(["[]", "{}"]))
    items = []
    for number in range(draw(st.integers(0, 7))):
        key = f'"k{number}"{draw(gaps)}:' if opens == "{" else ""
        value = draw(written(depth + 1, trailing))
        items.append(f"{draw(gaps)}{key}{draw(gaps)}{value}{draw(gaps)}")
    comma = "," + draw(gaps) if trailing and items and draw(st.booleans()) else ""
    return f"{opens}{draw(gaps)}{','.join(items)}{comma}{closes}"


@given(
    st.booleans().flatmap(lambda comma: st.tuples(st.just(comma), written(trailing=comma))), gaps, st.data()
)
def test_what_programs_write_as_json_needs_no_other_parser_afterwards(
    made: tuple[bool, str], gap: str, data: st.DataObject
) -> None:
    trailing, text = made[0], gap + made[1] + gap
    try:
        result = tersely.compress(text, budget=data.draw(st.integers(1, 200)), strategy=Json())
    except BudgetExceededError:
        return
    assert "json_invalid" not in result.receipt.warnings and not broken_promises(result)
    left = without_notes(result.text)
    json.loads(ENDS.sub(lambda match: match[1] or match[2], left) if trailing else left)


@pytest.mark.parametrize("comma", ["", ","])
def test_nan_and_comments_do_not_hide_what_a_document_says(comma: str) -> None:
    rows = ",\n".join(f'{{"epoch": {n}, "gap": {"NaN" if n == 191 else 1 / (n + 1):.5}}}' for n in range(250))
    text = f'// by hand\n{{"rows": [{rows}{comma}], /* last */ "verdict": "unstable from epoch 191"{comma}}}'
    kept = tersely.compress(text, ratio=0.1).text
    assert "NaN" in kept and "unstable from epoch 191" in kept


ORDERS = json.dumps(
    [{"id": n, "note": f"rope {n} of {n * 7919}", "paid": n % 3} for n in range(30)], indent=2
)


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        ("ope 12", "2 of"),  # within a string
        ('"id": 12', "12,\n    "),  # a member and what stands before the next one
        (',\n    "paid": 2', "2"),
        ('\n  {\n    "id": 12', "12"),
        ('\n  },\n  {\n    "id": 12', ",\n  {\n"),
        ("[\n", "{\n    "),
    ],
)
@pytest.mark.parametrize("text", [ORDERS, f'{{"page": 1, "rows":\n{ORDERS}}}'])
def test_what_is_pinned_stands_in_json_that_stays_json(text: str, begins: str, ends: str) -> None:
    begin = text.index(begins)
    end = text.index(ends, begin) + len(ends)
    result = tersely.compress(text, budget=120, pinned=[(begin, end)])
    assert text[begin:end] in result.text and result.tokens <= 120
    assert result.receipt.content_types == ("json",)
    assert broken_promises(result) == []
    json.loads(result.text)


@settings(max_examples=30)
@given(
    st.lists(st.dictionaries(st.text('a/~é"', max_size=3), st.integers() | st.text(max_size=80)), min_size=3)
)
def test_pointers_name_every_kept_and_dropped_part(value: list[dict[str, Any]]) -> None:
    text = json.dumps({"rows": value, "": 1})
    result = tersely.compress(text, budget=max(6, COUNT(text) // 3), strategy=Json())
    pointers = json_pointers(result)
    assert len(pointers) == len(result.kept) + len(result.dropped)
    for pointer, span, kept in pointers:
        assert (span in result.kept) is kept
        here: Any = json.loads(text)
        for step in pointer.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            here = here[int(name)] if isinstance(here, list) else here[name]
        source = text[span.start : span.end]
        if not isinstance(here, (dict, list, str)):
            assert source.strip(", ").endswith(json.dumps(here))


def test_a_small_budget_of_a_large_text_is_used() -> None:
    rows = [{"id": n, "tags": ["a", "b"], "text": "words " * 30} for n in range(20_000)]
    text = json.dumps(rows)
    for budget in (500, 5_000):
        result = tersely.compress(text, budget=budget, strategy=Json())
        assert 0.9 * budget <= result.tokens <= budget
        found = json.loads(result.text)
        assert "markers_shortened" in result.receipt.warnings  # what is gone is counted once, in the list
        kept = [record for record in found if isinstance(record, dict)]
        said = [int(marker.split()[1]) for marker in found if isinstance(marker, str) and marker != "…"]
        assert sum(said) + len(kept) == len(rows) and len(said) == 1
        for record in kept:
            assert rows[0]["text"].startswith(record.get("text", "").partition("…")[0])


def test_failures_and_odd_settings_come_first() -> None:
    answer = {
        "Name": "host",
        "Driver": "overlay2",
        "Labels": [f"part={n}" for n in range(60)],
        "Plugins": {"Network": ["bridge", "host"], "Volume": ["local"]},
        "Warnings": ["no swap limit support", "the bridge is disabled"],
        "Notes": ["ERROR: disk is full"],
    }
    kept = tersely.compress(json.dumps(answer, indent=1), ratio=0.3).text
    assert all(
        said in kept for said in ("no swap limit support", "the bridge is disabled", "ERROR: disk is full")
    )
    settings_ = {f"setting_{n}": f"value {n}" for n in range(150)}
    rows = [{"name": f"check {n}", "state": "failed: no route" if n == 33 else "ok"} for n in range(60)]
    assert "failed: no route" in tersely.compress(json.dumps({**settings_, "checks": rows}), ratio=0.05).text
    alike = "".join(
        f'  "pane.{n}.visible": {"true" if n % 3 else "false"}, // pane {n}\n' for n in range(150)
    )
    text = f'{{\n{alike}  "gateway": "https://10.0.0.7:3128",\n  "sampling": 0.25,\n}}\n'
    kept = tersely.compress(text, ratio=0.1).text
    assert "https://10.0.0.7:3128" in kept and '"sampling": 0.25' in kept


VALUES = st.recursive(
    st.integers(0, 9) | st.sampled_from(["a word", "… 3 more"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcdef"), inner, max_size=4),
    max_leaves=14,
)


@given(VALUES, st.data())
def test_markers_count_the_values_of_their_container(value: Any, data: st.DataObject) -> None:
    units = TreeUnits.read([json.dumps(value, ensure_ascii=False)], None)
    size, kind, above = len(units.kind), units.kind.tolist(), units.table.heading.tolist()
    marker = units.marker()
    for first in range(size):
        if kind[first] in (CLOSE, PIECE):
            continue
        inner = [row for row in range(first, size) if above[row] == above[first] and kind[row] != CLOSE]
        taken = inner[: data.draw(st.integers(1, len(inner)))]
        following = [row for row in range(taken[-1] + 1, size) if above[row] <= above[first]]
        last = (following[0] if following else size) - 1
        own = sum(max(int(units.own[row]), 0) - 1 for row in taken if units.own[row])
        left = len(taken) + own
        said = f"{left} more"
        named = above[first] >= 0 and kind[above[first]] == OBJECT
        at_end = len(taken) == len(inner)
        begin = int(units.place[first])
        if not named:
            assert marker(first, last) == f'"… {said}"' and marker.numbers()(first, last) == f'"… {left}"'
        else:
            place = "…" if at_end else f"… {begin + 1}-{begin + len(taken)}"
            assert marker(first, last) == f'"{place}": "{said}"'
            assert marker.numbers()(first, last) == (f'"…": {left}' if at_end else f'"{place}": ""')
        before = [row for row in range(first) if above[row] == above[first] and kind[row] != CLOSE]
        total = marker.total(np.array(before, dtype=np.int64))
        records = [row for row in _around(above, first) if units.record[row]]
        if before and records:
            assert total(first, last) == ("" if named else '"…"')
        elif at_end:
            assert f"{left} more" in total(first, last)
        else:
            assert total(first, last) == ("" if named else '"…"')


def _around(above: list[int], row: int) -> list[int]:
    """The containers that a row stands in."""
    found = []
    while (row := above[row]) >= 0:
        found.append(row)
    return found


def test_rows_that_are_none_are_refused() -> None:
    units = TreeUnits.read(["[1, 2, 3]"], None)
    marker = units.marker()
    for first, last in ((-1, 1), (2, 1), (0, len(units.kind))):
        with pytest.raises(ValueError, match="rows, in order"):
            marker(first, last)
    with pytest.raises(ValueError, match="one length"):
        _native.tree_marker(
            *(units.table.document, units.table.start, units.table.end, units.kind, units.table.heading),
            *(units.place[1:], units.count, units.own, units.record),
        )
