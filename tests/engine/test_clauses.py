"""Extractive(level="clause"): parts of sentences, marked gaps, and more facts in the same budget."""

from __future__ import annotations

import random

import numpy as np
import odd_counters
import pytest
import tersely
from hypothesis import given, strategies as st
from result_checks import check_result
from sample_texts import ALL, GUIDE
from tersely import BudgetExceededError, Extractive
from tersely.engine.facts import FactCoverage, find_facts
from tersely.engine.reading import mark_groups, segment
from tersely.models.counters import resolve_counter
from tersely.report import to_html
from tersely.strategies import Incremental
from tersely.types import Level
from text_strategies import texts

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
def test_A064_clauses_keep_facts_that_whole_sentences_have_no_room_for(seed: int) -> None:
    text = wordy(seed)
    shares = []
    for level in (Level.SENTENCE, Level.CLAUSE):
        result = tersely.compress(text, ratio=1 / 3, strategy=Extractive(level=level, preserve="numbers"))
        check_result(result, count, level=level)
        assert result.receipt.facts is not None and result.receipt.facts == tersely.check_facts(
            result, "numbers"
        )
        shares.append(result.receipt.facts.retention)
    assert shares[0] < 0.5
    assert shares[1] == 1.0


def test_an_ellipsis_stands_where_clauses_of_a_paragraph_are_left_out() -> None:
    text = wordy(1, 8)
    result = tersely.compress(text, ratio=1 / 3, strategy=CLAUSES)
    assert result.generated
    assert {result.text[start:end] for start, end in result.generated} == {"…"}
    assert result.text.count(" … ") == len(result.generated)
    assert not result.receipt.used_llm
    page = to_html(result)
    assert "says that something was left out" in page and "ritten by a model" not in page


def test_lines_of_code_and_tables_are_parted_by_the_separator() -> None:
    rows = [f"| rope {n} | {n} metres |" for n in range(12, 40)]
    code = [f"    length_{n} = measure({n}, twice=True)" for n in range(12, 40)]
    text = "\n".join(["| rope | length |", "|---|---|", *rows, "", "```", *code, "```"])
    result = tersely.compress(text, ratio=0.4, strategy=CLAUSES)
    check_result(result, count, level=Level.CLAUSE)
    assert not result.generated


@pytest.mark.parametrize("query", [None, "Who fed the pilot?"])
def test_a_clause_is_worth_what_its_sentence_is(query: str | None) -> None:
    documents = [*ALL, GUIDE]
    found = {}
    for level in (Level.SENTENCE, Level.CLAUSE):
        result = tersely.compress(documents, query, ratio=0.5, strategy=Extractive(level=level))
        found[level] = [(s.document, s.start, s.end, s.score) for s in [*result.kept, *result.dropped]]
    sentences = {
        (document, at): score for document, a, b, score in found[Level.SENTENCE] for at in range(a, b)
    }
    for document, start, _, score in found[Level.CLAUSE]:
        assert score == sentences[document, start]


@given(
    st.lists(texts, min_size=1, max_size=3),
    st.integers(1, 120),
    st.sampled_from([None, "rope and winch"]),
    st.sampled_from([count, odd_counters.words]),
    st.sampled_from([(), ("all",)]),
)
def test_the_budget_holds_and_nothing_is_invented(
    documents: list[str], budget: int, query: str | None, counter: object, preserve: tuple[str, ...]
) -> None:
    strategy = Extractive(level="clause", preserve=preserve)
    try:
        result = tersely.compress(documents, query, budget=budget, counter=counter, strategy=strategy)
    except BudgetExceededError:
        return
    check_result(result, counter, level=Level.CLAUSE)  # type: ignore[arg-type]


def test_nothing_is_marked_where_markers_have_no_room() -> None:
    result = tersely.compress(wordy(2), budget=9, strategy=CLAUSES)
    assert result.tokens <= 9 and not result.generated


def test_levels_of_clauses_are_nested() -> None:
    prepared = tersely.prepare(wordy(3), strategy=CLAUSES)
    levels = prepared.levels([prepared.allowed(None, ratio) for ratio in (0.5, 0.3, 0.1)])
    kept = [{(span.start, span.end) for span in result.kept} for result in levels]
    assert len(levels) == 3 and kept[2] < kept[1] < kept[0]
    for result in levels:
        check_result(result, count, level=Level.CLAUSE)


def test_edits_of_a_text_cut_into_clauses() -> None:
    strategy, text = Incremental(CLAUSES), wordy(4)
    for n in range(6):
        result = tersely.compress(text, ratio=0.4, strategy=strategy)
        assert result.generated
        check_result(result, count, level=Level.CLAUSE)
        text = text.replace("western", f"eastern {n}", 1)


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
