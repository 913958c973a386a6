"""What became of facts: in verbatim text, and in text that a model wrote."""

from __future__ import annotations

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from sample_texts import ALL, GUIDE
from tersely.engine.facts import (
    PRESERVABLE,
    choose_facts,
    facts_after,
    facts_kept,
    find_facts,
    list_facts,
)
from tersely.engine.reading import segment
from tersely.types import FactKind, FactReport
from text_strategies import texts

REASONS = ("budget", "redundant", "selected")
SOURCE = (
    "We paid Anna Smith 1,204 crowns on 2024-01-31. See src/x.py:12 and https://example.org/a. "
    '"Never hurry the pilot," she said. Use `foo(1)` here.\n\n```py\nx = 1\n```\n'
)


def found(report: FactReport, outcome: str) -> set[str]:
    return {fact.text for fact in report.of(outcome)}


@given(st.lists(texts, min_size=1, max_size=3), st.data())
def test_A021_kept_where_all_segments_of_an_occurrence_are(documents: list[str], data: st.DataObject) -> None:
    table = segment(documents)
    facts = find_facts(documents, table)
    status = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(table), max_size=len(table))), dtype=np.uint8
    )
    report = facts_kept(documents, facts, status, REASONS, 2)
    last = facts.last
    assert len(report.facts) == facts.keys
    for key, fact in enumerate(report.facts):
        rows = np.flatnonzero(facts.key == key)
        kept = any((status[facts.segment[row] : last[row] + 1] == 2).all() for row in rows)
        assert fact.outcome == ("kept" if kept else "lost")
        assert documents[fact.document][fact.start : fact.end] == fact.text
        assert fact.start == facts.start[rows[0]]
        whole = status[facts.segment[rows[0]] : last[rows[0]] + 1]
        assert fact.reason == ("" if kept else next(REASONS[code] for code in whole if code < 2))


@pytest.mark.parametrize("text", ALL)
def test_A021_the_same_text_keeps_everything(text: str) -> None:
    report = facts_after([text], text)
    assert report.retention == 1.0 and {fact.outcome for fact in report.facts} <= {"kept"}
    assert len(report.facts) == len(set(find_facts([text], segment([text])).key.tolist()))


def test_X10_nothing_is_left_of_an_empty_text() -> None:
    report = facts_after([SOURCE], "")
    assert {fact.outcome for fact in report.facts} == {"lost"} and report.retention == 0.0
    assert {fact.reason for fact in report.facts} == {"rewritten"}
    assert facts_after([], "").retention == 1.0


def test_X10_what_a_model_wrote_is_compared_fact_by_fact() -> None:
    report = facts_after([SOURCE], "On 2024-01-31 anna smith got 1204 crowns (src/x.py, line 12); foo(1).")
    assert found(report, "kept") == {"Anna Smith", "1,204", "2024-01-31", "src/x.py:12", "`foo(1)`"}
    assert found(report, "lost") == {
        "https://example.org/a",
        '"Never hurry the pilot,"',
        "```py\nx = 1\n```",
    } | {fact.text for fact in report.facts if fact.kind is FactKind.NEGATION}


def test_D024_made_up_facts_are_unsupported() -> None:
    text = "Anna Brown paid 1,205 crowns on 2024-02-01 for v2.1.0, see src/y.py and set max_size."
    report = facts_after([SOURCE], text)
    made_up = {"Anna Brown", "1,205", "2024-02-01", "v2.1.0", "src/y.py", "max_size"}
    assert found(report, "unsupported") == made_up
    assert {fact.document for fact in report.of("unsupported")} == {-1}


@pytest.mark.parametrize(
    ("source", "text", "supported"),
    [
        ("It cost 12.7 kg.", "It cost 13 kg.", False),  # rounding is making up
        ("It cost 12.7 kg.", "It cost 12 kg.", False),
        ("It cost 12 GB.", "It cost 12.", True),
        ("It cost 120.", "It cost 12.", False),
        ("Ask Anna Smith, and Bob.", "They met Bob Smith there.", True),  # all its words stand there
        ("Ask Anna Smith.", "They met Carla Smith there.", False),
        ("See a/b.py:12 there.", "It is in a/b.py there.", True),
        ("It was on 2024-01-31.", "It was in 2024.", True),
        ("It was 5%.", "It was 5.", False),
        ("It was 5.", "It was 5. Then 6.", False),
        ("It was 5.", "They say that it was 5.", True),
        ("See a/b.py there.", "It is in a/c.py there.", False),
        ("Not `max_size` here.", "Set max_size here.", True),
    ],
)
def test_D024_support(source: str, text: str, supported: bool) -> None:
    assert (not facts_after([source], text).of("unsupported")) is supported


def test_X10_what_was_put_back_is_reinserted() -> None:
    report = facts_after([SOURCE], "They paid 1,204 crowns. See src/x.py:12.", [(0, 47, 62)])
    assert found(report, "reinserted") == {"src/x.py:12"} and "1,204" in found(report, "kept")


@pytest.mark.parametrize("name", PRESERVABLE)
def test_A019_A020_A021_names_choose_kinds(name: str) -> None:
    text = GUIDE + SOURCE
    everything = find_facts([text], segment([text]))
    facts = choose_facts([text], everything, [name])
    kinds = set(PRESERVABLE[name])
    in_backticks = [text[s - 1] == "`" == text[e] for s, e in zip(facts.start, facts.end, strict=True)]
    assert all(kind in kinds or tick for kind, tick in zip(facts.kind, in_backticks, strict=True))
    assert sum(kind in kinds for kind in everything.kind) == sum(kind in kinds for kind in facts.kind)
    assert sorted(set(facts.key.tolist())) == list(range(facts.keys))


def test_A019_code_is_also_a_path_in_backticks() -> None:
    text = "Run `src/x.py` and src/y.py."
    facts = choose_facts([text], find_facts([text], segment([text])), ["code"])
    assert [text[s:e] for s, e in zip(facts.start, facts.end, strict=True)] == ["src/x.py"]


def test_X24_every_occurrence_is_listed() -> None:
    listed = list_facts(["It is 5.", "They say 5."])
    assert [(fact.document, fact.text, fact.outcome) for fact in listed] == [
        (0, "5", "found"),
        (1, "5", "found"),
    ]
    assert tersely.find_facts([]) == []
