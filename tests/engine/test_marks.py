"""Marks of what is left out stand in its place, whatever the budget: no strangers become neighbours."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.types import AnyStrategyName

STATES = ("done", "done", "done", "FAILED", "skipped", "took 9 ms", "error: disk full")
Make = Callable[[list[int]], str]


def joined(line: Callable[[int, str], str], head: str = "") -> Make:
    return lambda states: head + "\n".join(line(n, STATES[state]) for n, state in enumerate(states))


FORMS: dict[AnyStrategyName, Make] = {
    "log": joined(lambda n, s: f"2024-05-01 10:00:{n % 60:02d} INFO part {n} of {n * 37 % 91}: {s}"),
    "tool_output": joined(lambda n, s: f"step {n * 37 % 91} {s}"),
    "stack_trace": joined(lambda n, s: f'  File "/app/f{n}.py", line {n}, in g\n    raise E{n}("{s}")'),
    "table": joined(lambda n, s: f"{n},web-{n % 7},{s}", "id,host,state\n"),
    "yaml": joined(lambda n, s: f"- name: web-{n}\n  host:\n    rack: r{n % 3}\n  state: '{s}'"),
    "json": lambda states: json.dumps([STATES[state] + str(n) for n, state in enumerate(states)]),
    "jsonl": joined(lambda n, s: json.dumps(f"part {n}: {s}")),
    "diff": joined(
        lambda n, s: (
            f"diff --git a/f{n} b/f{n}\n--- a/f{n}\n+++ b/f{n}\n@@ -1,3 +1,3 @@\n a\n-b {n}\n+{s}\n c"
        )
    ),
}


def check_neighbours(result: tersely.Compressed) -> None:
    """What stands side by side did so in the source, but for white space, or has a mark between."""
    source = result.documents[0].text
    marked = [end for start, end in result.generated if "…" in result.text[start:end]]
    at, places = 0, []
    for span in result.kept:
        piece = source[span.start : span.end]
        start = result.text.index(piece, at)
        at = start + len(piece)
        places.append((start, at))
    pairs = zip(itertools.pairwise(result.kept), itertools.pairwise(places), strict=True)
    for (one, other), ((_, left), (right, _)) in pairs:
        between = source[one.end : other.start]
        if between.strip(" \n,"):
            assert any(left < end <= right for end in marked), (source[one.start : one.end], between)


@pytest.mark.parametrize("form", FORMS)
@given(st.lists(st.integers(0, len(STATES) - 1), min_size=12, max_size=90), st.floats(0.02, 0.95))
def test_neighbours_were_neighbours_or_have_a_mark_between(
    form: AnyStrategyName, states: list[int], share: float
) -> None:
    text = FORMS[form](states)
    budget = max(int(resolve_counter(None).count(text) * share), 8)
    try:
        result = tersely.compress(text, budget=budget, strategy=form)
    except BudgetExceededError:
        return
    assert result.tokens <= budget
    if {"markers_left_out", "segment_cut"}.isdisjoint(result.receipt.warnings):
        check_neighbours(result)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.5])
def test_marks_are_there_from_a_tenth_of_the_text_on(form: AnyStrategyName, share: float) -> None:
    text = FORMS[form]([n * n % 7 for n in range(200)])
    result = tersely.compress(text, ratio=share, strategy=form)
    assert not {"markers_left_out", "segment_cut"} & set(result.receipt.warnings)
    check_neighbours(result)
