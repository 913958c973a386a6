"""What is written: marks in the places of what is left out, whatever the budget; headings, gaps, clauses."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from result_checks import check_result
from tersely import BudgetExceededError, Document, Extractive, Kind
from tersely.content.units import ContentReader, Lines, Units, units_of
from tersely.engine.facts import FactCoverage, find_facts
from tersely.engine.reading import mark_groups, segment
from tersely.engine.strategies import Auto
from tersely.models.counters import resolve_counter
from tersely.report import to_html
from tersely.types import AnyStrategyName, Level
from text_strategies import texts

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


@dataclass(frozen=True)
class FirstLines:
    """Reads lines, earlier ones first; some are essential."""

    kind: ClassVar[str] = "prose"

    essential: frozenset[str]

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        found = []
        for number, document in enumerate(documents):
            at = 0
            for line in document.text.split("\n"):
                if line.strip():
                    found.append((number, at, at + len(line), line in self.essential))
                at += len(line) + 1
        document, start, end, kept = (np.array(column) for column in zip(*found, strict=True))
        return Units(
            units_of(document, start, end, Kind.PROSE),
            np.linspace(1, 0.1, len(found), dtype=np.float32),
            Lines(lambda first, last: f"# {last - first + 1} lines"),
            kept.astype(bool),
        )


def test_units_that_must_stay_and_pinned_headings_stay() -> None:
    assert isinstance(FirstLines(frozenset()), ContentReader)
    texts = ["\n".join(f"line number {n} says something" for n in range(50))]
    essential = {"line number 49 says something", "line number 30 says something"}
    strategy = Auto(as_type=FirstLines(frozenset(essential)))
    result = tersely.compress(texts, budget=60, strategy=strategy)
    assert all(line in result.text for line in essential) and len(result.kept) > 2
    tight = tersely.compress(texts, budget=12, strategy=strategy)
    assert [texts[0][span.start : span.end] for span in tight.kept] == ["line number 30 says something"]
    result = tersely.compress(TEXT, "Which pool signed with the old key?", budget=40, pinned=["## Summary"])
    assert "## Summary" in result.text


SECTIONS = {
    "# Outage of the payment gateway": "",
    "## Summary": "For an hour and a half, four checkouts of ten failed.",
    "## What happened": "One of two pools signed with the old key. It had been moved to snapshots in spring. "
    "The bank refused what that pool sent, and the client hid the reason.",
    "## What went well": "The alarm rang within five minutes. Nobody lost money.",
    "### In the office": "People were calm and wrote everything down.",
    "## What we will change": "The job will send a signed test request to each pool.",
}
TEXT = "\n\n".join(f"{heading}\n\n{body}".rstrip() for heading, body in SECTIONS.items())


count = resolve_counter(None).count
CLAUSES = Extractive(level="clause", preserve="all")
TOLD = "as everybody along the quay had always been telling anyone who cared to listen to such stories"


def wordy(seed: int, sentences: int = 40) -> str:
    """Long sentences with a number in one of their clauses, in paragraphs of four."""
    generator = random.Random(seed)
    found = [
        f"The old crane of the western harbour, which lifted {generator.randrange(1000, 9999)} tons, {TOLD}."
        for _ in range(sentences)
    ]
    return "\n\n".join(" ".join(found[at : at + 4]) for at in range(0, sentences, 4))


@pytest.mark.parametrize("seed", range(3))
def test_clauses_keep_facts_that_whole_sentences_have_no_room_for(seed: int) -> None:
    text = wordy(seed)
    shares = []
    for level in (Level.SENTENCE, Level.CLAUSE):
        result = tersely.compress(text, ratio=1 / 3, strategy=Extractive(level=level, preserve="numbers"))
        check_result(result, count)
        assert result.receipt.facts is not None and result.receipt.facts == tersely.check_facts(
            result, "numbers"
        )
        shares.append(result.receipt.facts.retention)
    assert shares[0] < 0.5
    assert shares[1] == 1.0


def test_marks_of_clauses() -> None:
    text = wordy(1, 8)
    result = tersely.compress(text, ratio=1 / 3, strategy=CLAUSES)
    assert result.generated
    assert {result.text[start:end] for start, end in result.generated} == {"…"}
    assert result.text.count(" … ") == len(result.generated)
    assert not result.receipt.used_llm
    page = to_html(result)
    assert "says that something was left out" in page and "ritten by a model" not in page
    rows = [f"| rope {n} | {n} metres |" for n in range(12, 40)]
    code = [f"    length_{n} = measure({n}, twice=True)" for n in range(12, 40)]
    text = "\n".join(["| rope | length |", "|---|---|", *rows, "", "```", *code, "```"])
    result = tersely.compress(text, ratio=0.4, strategy=CLAUSES)
    check_result(result, count)
    assert not result.generated
    result = tersely.compress(wordy(2), budget=9, strategy=CLAUSES)
    assert result.tokens <= 9 and not result.generated


@given(st.lists(texts, min_size=1, max_size=3), st.integers(0, 60), st.booleans())
def test_facts_tie_the_segments_that_they_span(documents: list[str], budget: int, grouped: bool) -> None:
    table = segment(documents, Level.CLAUSE)
    facts = find_facts(documents, table, segment(documents))
    groups = (((0, 0, 1 + len(documents[0]) // 2),),) if grouped else ()
    group = mark_groups(table, groups)
    costs = np.arange(len(table), dtype=np.int64) % 7 + 1
    must = FactCoverage.of(facts, len(table), None, ("all",), False, 1.0, False)
    last = facts.last
    spans = [
        [(int(facts.document[row]), int(facts.start[row]), int(facts.end[row]))]
        for row in range(len(facts))
        if last[row] > facts.segment[row] and costs[facts.segment[row] : last[row] + 1].sum() <= budget
    ]
    np.testing.assert_array_equal(must.tied(costs, budget, group), mark_groups(table, [*groups, *spans]))
