"""Each document as what it is; the caller's word wins; the promises hold."""

from __future__ import annotations

import pickle
import random

import pytest
import tersely
from tersely.content.registry import CONTENT_TYPES, named_type
from tersely.content.units import ContentReader
from tersely.engine.strategies import Auto
from tersely.models.counters import resolve_counter
from tersely.report import to_html
from tersely.strategies import profile
from tersely.types import KINDS
from typed_samples import PROSE

ROWS = ["id,host,latency,status"]
ROWS += [f"{n},web-{n % 5},{random.Random(n).gauss(100, 5):.1f},OK" for n in range(120)]
ROWS[77] = "76,web-1,988.0,FAILED"
TABLE = "\n".join(ROWS)
PAGE = (
    "<!DOCTYPE html><html><head><title>Dams</title><style>p { color: red }</style></head><body>"
    "<nav><a href='/'>Home</a></nav>"
    + "".join(f"<p>Gate {n} is <b>closed</b> at night &amp; on day {n}.</p>" for n in range(60))
    + "</body></html>"
)


def test_the_table_of_the_appendix_and_both_of_ratios() -> None:
    assert list(CONTENT_TYPES) == [
        *KINDS,
        "xml",
        "yaml",
    ]  # ways to read HTML and code that are records
    assert CONTENT_TYPES["code"].profile == profile("source_code")
    assert CONTENT_TYPES["markdown"].profile == profile("documentation")
    assert CONTENT_TYPES["conversation"].profile == profile("conversation")
    assert CONTENT_TYPES["tool_output"].profile == profile("tool_output")
    assert CONTENT_TYPES["log"].profile == CONTENT_TYPES["stack_trace"].profile == profile("error_logs")
    for kind, entry in CONTENT_TYPES.items():
        reader = entry.reader and entry.reader()
        assert reader is None or isinstance(reader, ContentReader), kind
        if reader is not None:
            assert (
                CONTENT_TYPES[reader.kind].reader is not None and pickle.loads(pickle.dumps(reader)) == reader
            )
    count = resolve_counter(None).count
    for goal in ("default", "expected"):
        for kind in ("markdown", "tool_output", "conversation", "code"):
            ratio = profile(CONTENT_TYPES[kind].content, goal).ratio
            result = tersely.compress(PROSE, strategy=Auto(as_type=kind, goal=goal))
            assert result.receipt.budget == max(1, int(count(PROSE) * ratio + 1e-9))
            assert result.tokens <= result.receipt.budget
    asked = tersely.compress(PROSE, budget=50, strategy=Auto(goal="expected"))
    assert asked.receipt.budget == 50


@pytest.mark.parametrize("query", [None, "Which gate was opened on day 31?"])
def test_text_is_compressed_as_before(query: str | None) -> None:
    for texts in (PROSE, [PROSE, "# Notes\n\n- gate 3\n- gate 4\n\n" + PROSE]):
        told = tersely.compress(texts, query, ratio=0.2, strategy="auto")
        named = tersely.compress(texts, query, ratio=0.2, strategy=tersely.Extractive())
        assert told.text == named.text and told.kept == named.kept
        assert named.receipt.content_types == () and set(told.receipt.content_types) <= {"prose", "markdown"}


def test_each_type_goes_its_own_way() -> None:
    assert tersely.compress(TABLE, budget=80, strategy="auto").text.startswith("id,host,latency,status\n")
    assert "<" not in tersely.compress(PAGE, budget=80, strategy="auto").text
    assert tersely.compress(TABLE, budget=80, strategy="auto").receipt.content_types == ("table",)
    page = to_html(tersely.compress([TABLE, PAGE], budget=150, strategy="auto"))
    assert '["table, html",["is what the text was taken for"]]' in page
    assert "tags, scripts, comments: no text" in page


def test_the_callers_word_wins() -> None:
    as_text = tersely.compress(TABLE, budget=80, strategy="prose")
    assert as_text.text == tersely.compress(TABLE, budget=80, strategy="extractive").text
    assert as_text.receipt.content_types == ("prose",)
    told = {"text": TABLE, "metadata": {"content_type": "prose"}}
    assert tersely.compress(told, budget=80, strategy="auto").text == as_text.text
    assert tersely.compress(told, budget=80, strategy="table").receipt.content_types == ("table",)
    assert tersely.compress(told, budget=80, strategy=Auto(as_type="table")).text.startswith("id,host")
    with pytest.raises(ValueError, match=r"as_type must be one of prose, .*, not 'csv'"):
        Auto(as_type="csv")
    with pytest.raises(ValueError, match="goal must be"):
        Auto(goal="best")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"unknown strategy 'csv'; known names: extractive, .*, auto, prose"):
        tersely.compress("x", strategy="csv")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("log", "log"),
        ("text/html; charset=utf-8", "html"),
        ("TEXT/CSV", "table"),
        ("application/json", "json"),
        ("text/plain", None),
        ("nonsense", None),
        (7, None),
    ],
)
def test_content_types_in_metadata(value: object, kind: str | None) -> None:
    assert named_type({"content_type": value}) == kind
    assert named_type({}) is None


def test_pieces_of_code_and_unknown_lines() -> None:
    names = ("totals", "greet", "convert_image", "close_port", "parse_date", "send_mail")
    body = "def {0}(value):\n    parts = list(value)\n    result = {0}_of(parts)\n    return result\n"
    code = [body.format(name) for name in names]
    result = tersely.compress(code, "Which function converts an image?", budget=45, strategy="auto")
    assert code[2].strip() in result.text
    lines = [f"##step[taskStarted name='part {n}' worker='{n % 4}']" for n in range(120)]
    lines[60] = "##step[taskFailed name='part 60' worker='2']"
    text = "\n".join(lines)
    assert tersely.detect(text).kind == "tool_output"
    result = tersely.compress(text, budget=60, strategy="auto")
    assert result.receipt.content_types == ("tool_output",) and lines[60] in result.text
