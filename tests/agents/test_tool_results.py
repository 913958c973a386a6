"""`compress_tool_result`: any shape in, the same shape out, under the budget, and the whole comes back."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from python_calls import python_calls
from result_shapes import CACHED, IMAGE, LOG, MAPPINGS, ROWS, differences, texts_of
from tersely import BudgetExceededError, Extractive
from tersely.agents import ToolResultCompressor, compress_tool, compress_tool_result
from tersely.agents.tool_results import FILE_READERS, ToolResultReport
from tersely.errors import StoreError
from tersely.models.counters import resolve_counter
from tersely.store import Store
from tersely.text import to_bytes, well_formed

COUNT = resolve_counter(None).count
QUERY = "which payment timed out, which user failed?"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "texts.sqlite") as opened:
        yield opened


def compress(result: Any, **options: Any) -> tuple[Any, ToolResultReport]:
    told: list[ToolResultReport] = []
    made = compress_tool_result(result, **{"query": QUERY, "report": told.append, **options})
    assert len(told) == 1
    return made, told[0]


@pytest.mark.parametrize("name", MAPPINGS)
def test_the_same_shape_comes_back_shorter(name: str, store: Store) -> None:
    result = MAPPINGS[name]
    before = copy.deepcopy(result)
    made, told = compress(result, budget=400, store=store)
    assert result == before, "what came is not changed"
    assert type(made) is type(result) and made != result
    assert told.status == "compressed" and told.tokens <= 400 < told.original_tokens
    for path in differences(result, made):
        assert path == () or isinstance(path[-1], str | int), path
        value = result
        for key in path:
            value = value[key]
        assert len(value) >= 200, f"only long texts differ: {path}"
    shown = list(texts_of(made))
    notes = [text for text in shown if f"tersely expand {told.id}]" in text]
    assert len(notes) == 1 and notes[0].endswith("]")
    assert sum(COUNT(text) for text in shown if "iVBOR" not in text) <= 400
    wanted = "ERROR payment 4711 timed out" if LOG in list(texts_of(result)) else "user 71"
    assert wanted in " ".join(shown) or name == "texts"
    whole = store.expand(told.id)
    assert LOG in whole or all(str(row["id"]) in whole for row in ROWS) or "module_899" in whole


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_result_that_fits_is_the_object_that_came(name: str, store: Store) -> None:
    made, told = compress(MAPPINGS[name], budget=10**6, store=store)
    assert made is MAPPINGS[name]
    assert told.status == "fits" and told.tokens == told.original_tokens and not told.id
    assert len(store) == 0
    made, told = compress(MAPPINGS[name], budget=300)
    again, after = compress(made, budget=300)  # what was compressed fits from then on
    assert again is made and after.tokens <= told.tokens <= 300


@pytest.mark.parametrize("name", ["text", "blocks", "mcp"])
@pytest.mark.parametrize("strategy", ["extractive", "hierarchical", "lead"])
def test_any_strategy_keeps_the_shape_and_the_budget(name: str, strategy: str) -> None:
    made, told = compress(MAPPINGS[name], budget=300, strategy=strategy, counter="chars/4")
    assert type(made) is type(MAPPINGS[name]) and told.status == "compressed" and told.tokens <= 300
    assert sum("of this result were left out]" in text for text in texts_of(made)) == 1


def test_the_note_counts_and_blocks_are_one_mark(store: Store) -> None:
    made, told = compress(LOG, budget=300, store=store)
    left = told.original_tokens - COUNT(made.rpartition("\n")[0])
    note = made.rpartition("\n")[2]
    assert note.startswith("[tersely: ") and note.endswith(f"tersely expand {told.id}]")
    assert abs(int(note.split()[1]) - left) <= 2
    assert store.expand(told.id) == LOG and COUNT(made) == told.tokens
    other, again = compress(LOG, budget=300, store=store, expand_with="call the tool expand with id {id}")
    assert other.endswith(f"all of it: call the tool expand with id {told.id}]") and again.id == told.id
    made, told = compress(LOG, budget=300)
    note = made.rpartition("\n")[2]
    assert note.startswith("[tersely: ") and note.endswith(" of this result were left out]") and not told.id
    blocks = [{"type": "text", "text": f"row {row} is done"} for row in range(600)]
    blocks[300]["text"] = "row 300: payment 4711 timed out"
    blocks[450] |= CACHED
    made, told = compress([IMAGE, *blocks], budget=200, store=store)
    assert told.status == "compressed" and told.tokens <= 200 and made[0] is IMAGE
    assert blocks[300] in made and made[-1]["text"].endswith(f"expand {told.id}]")
    assert all(block["type"] == "text" and block["text"] for block in made[1:])
    assert sum("cache_control" in block for block in made) == 1
    gaps = [block["text"].startswith("…") and "cache_control" not in block for block in made[1:]]
    assert not any(one and two for one, two in pairwise(gaps))


def test_what_the_caller_names_and_files_are_not_shortened() -> None:
    for name in ("grep", "mcp__search__grep"):
        made, told = compress(LOG, budget=300, name=name, keep_tools=[name])
        assert made is LOG and told.status == "kept" and told.original_tokens == COUNT(LOG)
    line = "The worker stopped for no reason.\n"
    made, _ = compress(LOG.replace("row.\n", "row.\n" + line, 1), budget=300, pinned=[line.strip(), "absent"])
    assert line.strip() in made
    for name in (*sorted(FILE_READERS), "mcp__filesystem__read_text_file"):
        made, told = compress(LOG, budget=300, name=name)
        assert made is LOG and told.status == "kept"
    for more in ({"name": name, "keep_files": False}, {"name": "Bash", "arguments": {"command": "cat x"}}):
        assert compress(LOG, budget=300, **more)[1].status == "compressed"


class Opaque:
    """An object of no known shape."""

    def __repr__(self) -> str:
        return LOG


def nested(depth: int, kind: type[Any]) -> Any:
    """A long text within so many lists or objects."""
    value: Any = "The worker wrote a row. " * 300
    for _ in range(depth):
        value = [value] if kind is list else {"a": value}
    return value


@pytest.mark.parametrize("kind", [list, dict])
@pytest.mark.parametrize("depth", [*range(300, 500, 25), 2_000, 50_000])
def test_data_at_any_depth_is_shortened_or_left_and_told(depth: int, kind: type[Any]) -> None:
    result = nested(depth, kind)
    made, told = compress(result, budget=2 * depth + 1000)
    assert told.status in ("compressed", "not_text", "fits") and (told.status == "compressed") == (
        made is not result
    )
    assert told.status != "not_text" or "500 levels are allowed" in told.warnings[0]


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (Opaque(), "unknown_shape"),
        ([Opaque()], "unknown_shape"),
        ({1: ROWS}, "unknown_shape"),
        ({"rows": (1, 2) * 900}, "unknown_shape"),
        ({"rows": [float("inf")] * 900}, "unknown_shape"),
        (bytes(range(256)) * 9, "not_text"),
    ],
)
def test_what_is_not_understood_is_left_alone_and_told(result: Any, status: str) -> None:
    made, told = compress(result, budget=300)
    assert made is result and told.status == status


def test_parts_that_are_no_long_text_stay() -> None:
    opaque = object()
    made, told = compress({"log": LOG, "table": opaque}, budget=300)
    assert made["table"] is opaque and made["log"] != LOG
    assert told.status == "compressed" and told.warnings == ("unknown_shape",)
    made, told = compress([IMAGE, {"type": "text", "text": LOG}], budget=300)
    assert made[0] is IMAGE and told.tokens <= 300
    only, after = compress([IMAGE], budget=300)
    assert only[0] is IMAGE and after.status == "fits"
    files = [{"type": "file", "name": f"a{row}.py", "size": row} for row in range(400)]
    made, told = compress(files, budget=300)
    assert told.status == "compressed" and all(isinstance(row, dict) for row in made)
    made, _ = compress({"command": "make all", "output": LOG, "error": "exit code 3"}, budget=300)
    assert made["command"] == "make all" and made["error"] == "exit code 3"
    rows = "\n".join(f"{row},{row * 7},{'late' if row == 9 else 'ok'}" for row in range(500))
    made, _ = compress(rows, budget=300, arguments='{"path": "data/rows.csv"}', query=None)
    assert "9,63,late" in made


@pytest.mark.parametrize("name", ["text", "records", "blocks", "data with records", "mcp"])
@pytest.mark.parametrize("budget", [1, 20, 40])
def test_a_budget_that_is_too_small_says_what_would_do(name: str, budget: int, store: Store) -> None:
    try:
        _, told = compress(MAPPINGS[name], budget=budget, store=store)
        assert told.tokens <= budget
    except BudgetExceededError as error:
        assert error.required > budget and error.budget == budget
        assert compress(MAPPINGS[name], budget=int(error.required), store=store)[1].tokens <= error.required


def test_wrong_arguments_and_failing_stores(tmp_path: Path) -> None:
    for options, words in (
        ({"budget": 0}, "budget"),
        ({"budget": "many"}, "budget"),
        ({"keep_tools": "grep"}, "keep_tools"),
        ({"pinned": "x"}, "pinned"),
        ({"keep_files": 1}, "keep_files"),
        ({"store": "notes.sqlite"}, "store must be a tersely.store.Store"),
        ({"report": 3}, "report"),
        ({"counter": "nobody"}, "counter"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            compress_tool_result(LOG, **options)
    told: list[ToolResultReport] = []
    path = tmp_path / "texts.sqlite"
    Store.open(path).close()
    with Store.open(path, read_only=True) as full:
        with pytest.raises(StoreError):
            compress_tool_result(LOG, budget=300, store=full)
        compressor = ToolResultCompressor(300, full, report=told.append)
        assert compressor.compress_or_leave(LOG, name="grep") is LOG
    assert told[0].status == "failed" and told[0].warnings[0].startswith("StoreError")


@pytest.mark.parametrize("level", ["word", "character"])
@pytest.mark.parametrize(
    "result",
    [
        {"functionResponse": {"name": "read", "response": {"result": "x\n-2024-03-05\n 7 a b\n" * 3}}},
        [{"a": 1, "b": [1, 2, 3], "c": "text of one"}] * 40,
        {"rows": [1, 2, 3] * 50},
    ],
)
def test_data_that_a_strategy_for_text_cuts_stays_an_object_or_list(level: Any, result: Any) -> None:
    """A number was all that was left of an object: AttributeError."""
    for budget in range(5, 200, 7):
        options: Any = {"counter": len, "strategy": Extractive(level=level)}
        try:
            made = compress_tool_result(result, budget=budget, **options)
        except BudgetExceededError as error:
            made = compress_tool_result(result, budget=error.required, **options)
        assert type(made) is type(result)


def test_the_decorator_keeps_what_a_framework_reads() -> None:
    told: list[ToolResultReport] = []

    @compress_tool(budget=300, report=told.append)
    def read_log(path: str, lines: int = 5) -> str:
        """Read the log."""
        return LOG

    assert read_log.__name__ == "read_log" and read_log.__doc__ == "Read the log."
    assert list(inspect.signature(read_log).parameters) == ["path", "lines"]
    assert COUNT(read_log("/srv/run.log")) <= 300 and told[0].name == "read_log"
    assert COUNT(compress_tool(lambda: LOG, budget=100)()) <= 100

    @compress_tool(budget=300)
    async def read_log() -> str:
        return LOG

    assert inspect.iscoroutinefunction(read_log)
    assert COUNT(asyncio.run(read_log())) <= 300

    def inner(path: str) -> str:
        return LOG

    @functools.wraps(inner)
    def injected(context: int, path: str) -> str:
        return inner(path)

    assert COUNT(compress_tool(injected, budget=300)(1, "a.log")) <= 300  # type: ignore[arg-type, call-arg]
    assert compress_tool(getattr, budget=300)(asyncio, "__name__") == "asyncio"
    with pytest.raises(TypeError, match="query must be"):
        compress_tool(lambda: LOG, query=3)


@pytest.mark.parametrize("indent", [None, 2])
def test_blocks_with_a_record_each_are_rows_of_one_list(indent: int | None) -> None:
    blocks = [{"type": "text", "text": json.dumps(row, indent=indent)} for row in ROWS]
    made, told = compress(blocks, budget=300)
    *kept, note = made
    assert told.status == "compressed" and told.tokens <= 300 and "[tersely:" in note["text"]
    assert blocks[71] in kept  # the row that failed, to the letter
    assert all(block in blocks or json.loads(block["text"]).keys() == {"…"} for block in kept)
    assert len(kept) > 5
    marked = [*blocks[:9], {**blocks[9], **CACHED}]
    assert [
        block.get("cache_control") for block in compress(marked, budget=60)[0] if "cache_control" in block
    ]


class AsyncTool:
    async def __call__(self, path: str) -> str:
        return LOG


async def read_later(path: str) -> str:
    return LOG


@pytest.mark.parametrize(
    "function",
    [AsyncTool(), lambda path: read_later(f"{path}"), functools.partial(read_later)],
    ids=["object", "function that calls one", "partial"],
)
def test_the_decorator_awaits_whatever_is_async(function: Any) -> None:
    made = compress_tool(function, budget=300)
    assert COUNT(asyncio.run(made("a.log"))) <= 300


def test_the_decorator_never_loses_a_result_and_never_hides_an_error() -> None:
    told: list[ToolResultReport] = []

    @compress_tool(budget=1, report=told.append)
    def fixed() -> Any:
        return {str(row): row for row in range(3)} | {"log": LOG}

    assert fixed()["log"] == LOG and told[0].status == "failed"

    @compress_tool
    def broken() -> str:
        raise OSError("no such file")

    with pytest.raises(OSError, match="no such file"):
        broken()
    for wrong in (int, 3, (row for row in ()), (lambda: (yield 1))):
        with pytest.raises(TypeError):
            compress_tool(wrong)  # type: ignore[call-overload]


def with_text(value: Any, text: str) -> Any:
    """Data whose strings have a text between their words, and between the parts of paths."""
    if isinstance(value, dict):
        return {key: with_text(inner, text) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_text(inner, text) for inner in value]
    return value.replace(" ", text).replace("/module", text) if isinstance(value, str) else value


HALF = "Half an emoji \ud83d of a log that was cut by its sender."


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_lone_surrogate_is_replaced_and_the_rest_shortened(name: str, store: Store) -> None:
    if isinstance(MAPPINGS[name], (bytes, bytearray)):
        return  # below
    half, read = (with_text(MAPPINGS[name], f" {one} ") for one in ("\ud83d", "\ufffd"))
    made, told = compress(half, budget=400)
    assert told.status == "compressed" and told.tokens <= 400 and "characters_replaced" in told.warnings
    shown, expected = (json.dumps(one, ensure_ascii=False) for one in (made, compress(read, budget=400)[0]))
    assert well_formed(shown) == expected  # what is not shortened stays as it came
    assert "\ud83d" in store.expand(compress(half, budget=400, store=store)[1].id)


def test_odd_characters_and_pins_are_told() -> None:
    made, told = compress(f"{LOG}\n{HALF}", budget=300)
    assert told.status == "compressed" and COUNT(made) <= 300 and "\ud83d" not in made
    fitting = [{"type": "text", "text": HALF}]
    assert compress(fitting, budget=300)[0] is fitting
    blocks = [{"type": "text", "text": json.dumps(row)} for row in odd_rows(100, "|")]
    with pytest.raises(ValueError, match="give the text of one value or key"):
        compress_tool_result(blocks, budget=400, pinned=['"id": "j40"'])
    told: list[ToolResultReport] = []
    compressor = ToolResultCompressor(400, pinned=['"id": "j40"'], report=told.append)
    assert compressor.compress_or_leave(blocks) is blocks
    assert told[0].status == "failed" and "give the text of one value" in told[0].problem
    for result, said in (
        (Opaque(), "it has no shape that is known: unknown_shape"),
        (bytes(range(256)) * 9, "it is no text: 'utf-8' codec can't decode byte 0x80"),
        (LOG[:90], ""),
        (LOG, ""),
    ):
        assert compress(result, budget=300)[1].problem.startswith(said)
    assert not compress(LOG, budget=300, name="Read")[1].problem


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_bytes_that_are_nearly_utf_8_are_shortened_and_come_back(kind: Any, store: Store) -> None:
    for bad in (b"caf\xe9 \xe2\x9c\x85", b"caf\xe9"):  # UTF-8 else; nothing else beyond ASCII
        whole = kind(LOG.encode() + bad + b"\n" + LOG.encode())
        made, told = compress(whole, budget=300, store=store, pinned=["caf"])
        assert type(made) is kind and COUNT(made.decode("utf-8")) <= 300
        assert ("caf\ufffd ✅" if len(bad) > 4 else "café") in made.decode()
        assert told.status == "compressed" and "characters_replaced" in told.warnings
        assert to_bytes(store.expand(told.id)) == whole


def strings_of(value: Any) -> Iterator[str]:
    """Every key and value of data, as text."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_of(inner)
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def odd_rows(count: int, odd: str) -> list[dict[str, Any]]:
    return [
        {
            "id": f"j{n}",
            "note": f"said {odd}{n}{odd} to {odd}",
            "n": n + 0.5,
            f"key {odd}{n}": n,
            "in": [{"x": f"{odd}y{n}"}],
        }
        for n in range(count)
    ]


@settings(max_examples=40, deadline=None)
@given(
    st.text('ab"\\\n\t/é\u2028\ud83d', min_size=1, max_size=4),
    st.sampled_from(["data", "json", "blocks", "nested"]),
    st.integers(0, 99),
    st.sampled_from(["said {odd}{n}{odd}", "{odd}y{n}", "key {odd}{n}", "j{n}", "{n}.5"]),
)
def test_what_is_pinned_stands_in_data_or_the_call_raises(odd: str, shape: str, n: int, pin: str) -> None:
    rows = odd_rows(100, odd)
    result = {
        "data": {"rows": rows},
        "json": json.dumps({"rows": rows}),
        "blocks": [{"type": "text", "text": json.dumps(row)} for row in rows],
        "nested": {"a": {"b": [rows, {"log": LOG}]}},
    }[shape]
    pinned = pin.format(odd=odd, n=n)
    try:
        made, told = compress(result, budget=500, pinned=[pinned])
    except BudgetExceededError as error:
        made, told = compress(result, budget=int(error.required), pinned=[pinned])
    except ValueError as error:
        assert "pinned" in str(error)
        return
    if shape in ("json", "blocks"):
        texts = [made] if shape == "json" else [block["text"] for block in made]
        read = well_formed(pinned)
        forms = (read, json.dumps(pinned)[1:-1], json.dumps(read, ensure_ascii=False)[1:-1])
        found = any(form in text for form in forms for text in texts)
    else:
        found = any(well_formed(pinned) in well_formed(one) for one in strings_of(made))
    assert found and "pins_not_found" not in told.warnings


@pytest.mark.parametrize("pin", ['"j40"', '"id":"j40"', '"id": "j40"', '"n":40.5', "j40"])
def test_json_that_is_pinned_stands_however_it_is_spaced(pin: str) -> None:
    made, told = compress({"rows": odd_rows(100, '"')}, budget=500, pinned=[pin])
    spaced, tight = json.dumps(made), json.dumps(made, separators=(",", ":"))
    assert (pin in spaced or pin in tight) and told.warnings.count("pins_not_found") == 0


@pytest.mark.parametrize("rows", [300, 3000])
def test_rows_of_data_cost_no_python_calls_each(rows: int) -> None:
    result = {"rows": [{"id": row, "state": "done", "ms": row * 7 % 113} for row in range(rows)]}
    assert python_calls(lambda: compress_tool_result(result, budget=600)) < 2000
