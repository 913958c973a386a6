"""The selection against brute force and against a greedy search by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import reference
from hypothesis import assume, given, strategies as st
from tersely import _native

SELECTED = 2  # the first code of a segment that is in


@dataclass
class Problem:
    scores: list[float]
    costs: list[int]
    budget: int
    pinned: list[int]
    groups: list[int]
    terms: list[list[str]]
    redundancy: float = 0.0


def plain(scores: list[float], costs: list[int], budget: int) -> Problem:
    size = len(scores)
    return Problem(scores, costs, budget, [0] * size, [-1] * size, [[] for _ in range(size)])


WEIGHTS = {"a": 0.5, "b": 1.0, "c": 2.0, "d": 4.0, "e": 0.0}  # sums of them are exact


def selected(problem: Problem, **options: Any) -> list[int]:
    size = len(problem.scores)
    offsets = np.cumsum([0, *map(len, problem.terms)]).astype(np.int64)
    ids = [list(WEIGHTS).index(term) for row in problem.terms for term in row]
    choice = _native.Choice(
        score=np.array(problem.scores, dtype=np.float32),
        cost=np.array(problem.costs, dtype=np.int64),
        pinned=np.array(problem.pinned, dtype=np.uint8),
        group=np.array(problem.groups, dtype=np.int32),
        document=np.zeros(size, dtype=np.int32),
        term_ids=np.array(ids, dtype=np.int32),
        term_offsets=offsets,
        term_weight=np.array(list(WEIGHTS.values()), dtype=np.float32),
        redundancy=problem.redundancy,
        **options,
    )
    return choice.select(problem.budget).tolist()


def kept(problem: Problem, same: Sequence[int] = ()) -> set[int]:
    codes = selected(problem, same=np.array(same, dtype=np.int32))
    return {row for row, code in enumerate(codes) if code >= SELECTED}


scores = st.integers(-2, 20).map(lambda eighths: eighths / 8)
costs = st.integers(1, 12)


@st.composite
def plain_problems(draw: st.DrawFn, most: int = 10) -> Problem:
    size = draw(st.integers(0, most))
    rows = st.lists(st.tuples(scores, costs), min_size=size, max_size=size)
    chosen = draw(rows)
    return plain([score for score, _ in chosen], [cost for _, cost in chosen], draw(st.integers(0, 50)))


@st.composite
def full_problems(draw: st.DrawFn) -> Problem:
    problem = draw(plain_problems())
    size = len(problem.scores)
    if size:
        one_a_row = {"min_size": size, "max_size": size}
        problem.pinned = draw(st.lists(st.sampled_from([0, 0, 0, 1]), **one_a_row))
        problem.groups = draw(st.lists(st.sampled_from([-1, -1, -1, *range(min(size, 3))]), **one_a_row))
        problem.terms = draw(st.lists(st.lists(st.sampled_from("abcde"), max_size=4), **one_a_row))
        problem.redundancy = draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    return problem


@given(full_problems())
def test_the_same_rows_as_a_full_search(problem: Problem) -> None:
    expected, close = reference.greedy(
        problem.scores,
        problem.costs,
        problem.budget,
        pinned=problem.pinned,
        groups=problem.groups,
        terms=problem.terms,
        term_weight=WEIGHTS.__getitem__,
        redundancy=problem.redundancy,
    )
    assume(not close)
    assert kept(problem) == expected


def test_a_heading_in_a_group_brings_the_group() -> None:
    """Found by fuzzing: the heading above a selected segment came in without the rest of its group."""
    choice = _native.Choice(
        score=np.array([0.1, 0.1, 0.9], np.float32),
        cost=np.array([1, 5, 1], np.int64),
        group=np.array([0, 0, -1], np.int32),
        document=np.zeros(3, np.int32),
        heading=np.array([-1, -1, 0], np.int32),
    )
    status = choice.select(6)
    assert status.tolist() in ([2, 2, 0], [0, 0, 0])  # all three would cost 7


@given(full_problems(), st.data())
def test_what_only_repeats_is_left_out_unless_it_is_pinned(problem: Problem, data: st.DataObject) -> None:
    size = len(problem.scores)
    texts = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    same = [texts.index(text) for text in texts]
    rows = kept(problem, same)
    for row in rows:  # on its own, it has a text that no other row on its own has
        if problem.groups[row] < 0 and not problem.pinned[row]:
            others = [i for i in rows if i != row and same[i] == same[row]]
            assert all(problem.groups[i] >= 0 for i in others)
    if len(set(same)) == size:
        assert rows == kept(problem)


def _bare(codes: Sequence[int], problem: Problem, heads: Sequence[bool], above: Sequence[int]) -> set[int]:
    """Headings that were selected alone, and that no other row which is in stands under, at any depth."""
    alone = {
        row for row, code in enumerate(codes) if heads[row] and code == SELECTED and problem.groups[row] < 0
    }
    said = set[int]()
    for row, code in enumerate(codes):
        at = above[row] if code >= SELECTED and row not in alone else -1
        while at >= 0:
            said.add(at)
            at = above[at]
    return alone - said


@given(full_problems(), st.data())
def test_a_heading_is_selected_only_with_something_under_it(problem: Problem, data: st.DataObject) -> None:
    size = len(problem.scores)
    heads = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    above = [data.draw(st.sampled_from([-1, *(at for at in range(row) if heads[at])])) for row in range(size)]
    given_rows = {"kind": np.array(heads, np.uint8), "above": np.array(above, np.int32)}
    first = selected(problem)
    bare = _bare(first, problem, heads, above)
    expected = first
    if bare:
        without = replace(
            problem, scores=[0.0 if i in bare else score for i, score in enumerate(problem.scores)]
        )
        expected = selected(without)
        left = _bare(expected, without, heads, above)
        expected = [0 if row in left else code for row, code in enumerate(expected)]
    assert selected(problem, **given_rows) == expected
