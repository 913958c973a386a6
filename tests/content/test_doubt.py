"""Where one sign speaks for a content type and others against it: lines are lines, sentences are text."""

from __future__ import annotations

import pytest
import tersely
from hypothesis import given, strategies as st
from tersely.content.detect import detect_each
from tersely.content.registry import trusted_kind


def read_as(text: str) -> str:
    return trusted_kind(detect_each([text])[0], text)


def coverage(margin: str) -> str:
    """A source of which each line has a count in the margin."""
    body = [
        "int total(int n) {",
        "  int sum = 0;",
        "  for (int i = 0; i < n; i++) {",
        "    sum += i;",
        "  }",
        "  return sum;",
        "}",
    ]
    return "\n".join(margin.format(count=(7 * n * n) % 23, line=n + 1, code=body[n % 7]) for n in range(60))


def excerpts() -> str:
    """What a linter says of places, each with lines of its source."""
    told = "  x no-shadow: `value` is declared above\n  help: rename one of them\n"
    return "\n".join(
        f"{told}  ,-[src/part{n}.ts:{3 * n % 50}:5]\n{3 * n % 50:3} | function part{n}(value: string) {{\n"
        f"{3 * n % 50 + 1:3} |   const value = read();\n    :         ^^^^^\n  `----\n"
        for n in range(30)
    )


STATUS = "On branch main\nChanges not staged for commit:\n" + "".join(
    f"\t{'deleted' if n % 9 == 4 else 'modified'}:   lib/part{n}.rb\n" for n in range(60)
)
RSYNC = "sending incremental file list\n" + "".join(
    f"  skipped: lib/part{n}.rb\n  skipped: lib/other{n}.rb\n" for n in range(30)
)
BENCH = "".join(f"Ieee/IEEE/size={n}/entity  {n}.5n ± {n % 9}%\n\n" for n in range(60))
SENSORS = "coretemp-isa-0000\nAdapter: ISA adapter\n" + "".join(
    f"Core {n}:        +{40 + n}.0°C  (high = +80.0°C, crit = +100.0°C)\n" for n in range(16)
)


@pytest.mark.parametrize(
    "text",
    [
        coverage("%{count:06}  {code}"),
        coverage("{count:8}:  {line:4}:{code}"),
        coverage("{line:5}|{count:8}|{code}"),
        excerpts(),
        STATUS,
        RSYNC,
        BENCH,
        SENSORS,
    ],
)
def test_what_tools_write_is_no_code(text: str) -> None:
    assert read_as(text) in ("tool_output", "table")


@pytest.mark.parametrize(
    "margin", ["{line:5} | {code}", "{line:6}\t{code}", "{line}:{code}", "{line:4}: {code}"]
)
def test_a_source_with_line_numbers_is_code(margin: str) -> None:
    assert read_as(coverage(margin)) == "code"


def test_remarks_above_a_table_are_no_rows() -> None:
    rows = "".join(f"chr{n % 3}\t{100 * n}\trs{n}\tA\tG\n" for n in range(30))
    assert (
        tersely.detect(f"##format=5\n##fields=<a,b>\n# made by hand\n#CHR\tAT\tID\tREF\tALT\n{rows}").kind
        == "table"
    )


@given(st.sampled_from(["entity", "IEEE", "downto", "fn", "defmodule", "std_logic"]), st.integers(12, 60))
def test_a_word_that_is_on_every_line_makes_no_code(word: str, lines: int) -> None:
    assert read_as("".join(f"runs/{word}/part={n} {n}.5 {n % 7}%\n" for n in range(lines))) != "code"


@pytest.mark.parametrize(
    "head",
    [
        "Page {n} of 212                CONFIDENTIAL                Annual Report",
        "The Harbour Board        Minutes of the Meeting          {n}",
        "{n}      CHAPTER THREE      The Winter",
    ],
)
def test_running_heads_make_no_table_of_sentences(head: str) -> None:
    streets = ["Mill", "Church", "Station", "High", "Bridge"]
    pages = [
        f"{head.format(n=n)}\n\nThe house in {streets[n % 5]} Street was sold in the spring, and all of\n"
        f"those who had lived there since the war moved to the {n}th floor of a new building.\n\n"
        for n in range(14, 34)
    ]
    text = "".join(pages)
    assert read_as(text) == "prose"
    kept = tersely.compress(text, "When was the house in Mill Street sold?", budget=60).text
    assert "more row" not in kept
