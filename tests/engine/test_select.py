"""The select stage: which segments stay, and why."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import _native
from tersely.engine.select import REASONS, is_kept

_NAMES = {"documents": "document", "weights": "term_weight"}
_TYPES = {"pinned": np.uint8, "cap": np.int64, "weights": np.float32, "term_offsets": np.int64}


def choose(scores: list[float], costs: list[int], budget: int, **options: Any) -> list[str]:
    """The reason of each row. `terms`: term ids of each row; `weights`: of each term."""
    size = len(scores)
    rows = {"documents": [0] * size, "pinned": [0] * size, "group": [-1] * size, **options}
    if (terms := rows.pop("terms", None)) is not None:
        rows["term_ids"] = [term for row in terms for term in row]
        rows["term_offsets"] = np.cumsum([0, *map(len, terms)])
    given = {
        _NAMES.get(name, name): np.array(values, dtype=_TYPES.get(name, np.int32))
        if isinstance(values, list | np.ndarray)
        else values
        for name, values in rows.items()
    }
    choice = _native.Choice(
        score=np.array(scores, dtype=np.float32), cost=np.array(costs, dtype=np.int64), **given
    )
    return [REASONS[code] for code in choice.select(budget).tolist()]


def kept(reasons: list[str]) -> list[int]:
    return [row for row, reason in enumerate(reasons) if reason not in ("budget", "redundant")]


def test_X03_a_sentence_that_does_not_fit_is_passed_over() -> None:
    assert choose([0.9, 0.8, 0.7], [3, 40, 4], 10) == ["selected", "budget", "selected"]


def test_A032_best_first_in_source_order() -> None:
    assert kept(choose([0.1, 0.9, 0.5], [5, 5, 5], 10)) == [1, 2]


@pytest.mark.parametrize(("target", "expected"), [(50, [0, 1, 2, 3]), (20, [0, 2])])
def test_X04_without_a_score_floor(target: int, expected: list[int]) -> None:
    assert kept(choose([0.9, 0.3, 0.8, 0.2], [9, 8, 8, 6], target)) == expected


def test_X07_ties_go_to_the_lowest_index() -> None:
    first = choose([0.5] * 9, [2] * 9, 7)
    assert kept(first) == [0, 1, 2]
    assert all(choose([0.5] * 9, [2] * 9, 7) == first for _ in range(1000))


def test_X07_ties_of_different_cost() -> None:
    assert kept(choose([0.5, 0.5, 0.5, 0.5], [4, 3, 5, 3], 7)) == [0, 1]


def test_a_single_segment_beats_many_small_ones() -> None:
    assert kept(choose([1.0, 0.9], [1, 10], 10)) == [1]


def test_the_single_segment_is_completed() -> None:
    assert kept(choose([1.0, 0.9, 0.1], [2, 10, 1], 11)) == [1, 2]


def test_negative_scores_count_as_zero_but_fill_the_room() -> None:
    assert kept(choose([-0.5, 0.5, -0.1], [3, 3, 3], 6)) == [0, 1]


def test_a_cost_of_zero_always_fits() -> None:
    assert kept(choose([0.1, 0.9, 0.2], [0, 5, 0], 5)) == [0, 1, 2]


def test_no_budget_keeps_nothing() -> None:
    assert choose([0.5, 0.5], [1, 1], 0) == ["budget", "budget"]
    assert choose([], [], 10) == []


def test_pinned_rows_are_kept_and_pay() -> None:
    assert choose([0.9, 0.1, 0.8], [4, 4, 4], 8, pinned=[0, 1, 0]) == ["selected", "pinned", "budget"]


def test_pinned_rows_may_exceed_the_budget() -> None:
    assert choose([0.9, 0.1, 0.8], [4, 4, 4], 3, pinned=[0, 1, 1]) == ["budget", "pinned", "pinned"]


def test_groups_are_taken_or_left_together() -> None:
    assert kept(choose([0.9, 0.1, 0.9, 0.5], [3, 3, 3, 3], 6, group=[0, -1, 0, -1])) == [0, 2]
    assert kept(choose([0.9, 0.4, 0.9, 0.5], [3, 3, 3, 3], 5, group=[0, -1, 0, -1])) == [3]


def test_a_pin_pins_its_group() -> None:
    reasons = choose([0.1, 0.9, 0.1], [3, 3, 3], 6, group=[0, -1, 0], pinned=[0, 0, 1])
    assert reasons == ["pinned", "budget", "pinned"]


def test_a_group_counts_by_its_value_per_token() -> None:
    assert kept(choose([0.9, 0.2, 0.6, 0.6], [2, 2, 2, 2], 4, group=[0, 0, -1, -1])) == [2, 3]


REPEATS = {"terms": [[0, 1], [0, 1], [2]], "weights": [1.0, 1.0, 1.0]}


def test_redundancy_prefers_something_new() -> None:
    scores, costs = [0.9, 0.8, 0.5], [2, 2, 2]
    assert choose(scores, costs, 4, redundancy=0.0, **REPEATS) == ["selected", "selected", "budget"]
    assert choose(scores, costs, 4, redundancy=1.0, **REPEATS) == ["selected", "redundant", "selected"]


def test_a_word_for_word_repeat_is_worth_nothing_at_any_redundancy() -> None:
    assert choose([0.9, 0.8, 0.001], [2, 2, 2], 4, redundancy=0.01, **REPEATS)[1] == "redundant"


def test_redundancy_goes_by_the_square_of_the_overlap() -> None:
    # row 1 shares half of its weight with row 0: its 0.9 is worth 0.9 * (1 - 1 * 0.25) = 0.675
    terms, weights = [[0], [0, 1], [2]], [1.0, 1.0, 1.0]
    for other, expected in ((0.67, [0, 1]), (0.68, [0, 2])):
        assert (
            kept(choose([1.0, 0.9, other], [2, 2, 2], 4, redundancy=1.0, terms=terms, weights=weights))
            == expected
        )


def test_redundancy_goes_by_the_weight_of_the_terms() -> None:
    # row 1 shares a tenth of its weight, row 2 nine tenths
    terms, weights = [[0, 2], [0, 1], [2, 3]], [1.0, 9.0, 9.0, 1.0]
    assert kept(choose([1.0, 0.8, 0.9], [2, 2, 2], 4, redundancy=1.0, terms=terms, weights=weights)) == [0, 1]


def test_what_pins_say_makes_others_redundant() -> None:
    reasons = choose([0.1, 0.9, 0.5], [2, 2, 2], 4, redundancy=1.0, pinned=[1, 0, 0], **REPEATS)
    assert reasons == ["pinned", "redundant", "selected"]


HIT = [0.1, 0.1, 0.1, 0.9, 0.1, 0.1, 0.1]


def test_D017_one_neighbour_on_each_side() -> None:
    reasons = choose(HIT, [2] * 7, 6, context=1)
    assert kept(reasons) == [2, 3, 4]
    assert reasons[2:5] == ["context", "selected", "context"]


def test_D026_two_neighbours_on_each_side() -> None:
    assert kept(choose(HIT, [2] * 7, 10, context=2)) == [1, 2, 3, 4, 5]


def test_D017_context_only_as_far_as_the_budget_allows() -> None:
    assert kept(choose(HIT, [2] * 7, 5, context=2)) == [2, 3]


def test_context_stops_at_the_document() -> None:
    reasons = choose([0.1, 0.9, 0.1], [2, 2, 2], 6, context=1, documents=[0, 1, 1])
    assert reasons == ["selected", "selected", "context"]


def test_context_at_the_ends() -> None:
    assert kept(choose([0.9, 0.1, 0.1, 0.1], [2] * 4, 4, context=1)) == [0, 1]
    assert kept(choose([0.1, 0.1, 0.1, 0.9], [2] * 4, 4, context=3)) == [2, 3]


def test_context_brings_a_whole_group() -> None:
    reasons = choose([0.1, 0.9, 0.1, 0.2], [2] * 4, 6, context=1, group=[0, -1, -1, 0])
    assert kept(reasons) == [0, 1, 3]


ABOVE = [-1, 0, 1, 0, -1]  # row 0 and 1 are headings of row 2; row 0 of row 3


def test_D023_a_selected_segment_brings_the_headings_above_it() -> None:
    reasons = choose([0.1, 0.1, 0.9, 0.1, 0.5], [1, 1, 4, 4, 4], 6, heading=ABOVE)
    assert reasons == ["heading", "heading", "selected", "budget", "budget"]


def test_headings_are_paid_for() -> None:
    assert kept(choose([0.1, 0.1, 0.9, 0.1, 0.5], [1, 1, 4, 4, 4], 5, heading=ABOVE)) == [0, 4]


def test_headings_are_paid_for_once() -> None:
    assert kept(choose([0.1, 0.1, 0.9, 0.8, 0.1], [1, 1, 4, 4, 9], 10, heading=ABOVE)) == [
        0,
        1,
        2,
        3,
    ]


def test_pinned_segments_bring_their_headings() -> None:
    reasons = choose([0.1] * 5, [2] * 5, 6, heading=ABOVE, pinned=[0, 0, 1, 0, 0])
    assert reasons == ["heading", "heading", "pinned", "budget", "budget"]


def test_a_group_may_hold_its_own_heading() -> None:
    reasons = choose([0.1, 0.9, 0.2], [2, 2, 2], 4, heading=[-1, 0, -1], group=[0, 0, -1])
    assert reasons == ["selected", "selected", "budget"]


def test_costs_far_apart() -> None:
    assert kept(choose([0.5, 0.5, 0.5], [2**40, 1, 2**41], 2**40 + 1)) == [0, 1]


def test_is_kept_lists_rows_in_order() -> None:
    codes = np.array(
        [REASONS.index(reason) for reason in ("pinned", "budget", "cut", "redundant", "fits")], np.uint8
    )
    assert is_kept(codes).tolist() == [0, 2, 4]


# Order, caps and needs, against what Python finds by trying everything.


def closure(unit: int, needs: list[int], group: list[int], chosen: set[int]) -> set[int]:
    """What comes in with a unit that is not in yet: what stands and falls with it, and what those need."""
    todo, found = [unit], set()
    while todo:
        row = todo.pop()
        if row < 0 or row in found or row in chosen:
            continue
        found.add(row)
        todo += [needs[row], *(other for other, of in enumerate(group) if of >= 0 and of == group[row])]
    return found


def fits(
    new: set[int], chosen: set[int], costs: list[int], documents: list[int], budget: int, caps: list[int]
) -> bool:
    spent = sum(costs[row] for row in chosen | new)
    each = [sum(costs[row] for row in chosen | new if documents[row] == d) for d in range(len(caps))]
    return spent <= budget and all(
        one <= cap or not any(documents[row] == d for row in new)
        for d, (one, cap) in enumerate(zip(each, caps, strict=True))
    )


def in_order(
    scores: list[float],
    costs: list[int],
    budget: int,
    needs: list[int],
    group: list[int],
    documents: list[int],
    caps: list[int],
) -> set[int]:
    """The best that fits with what it brings, again and again: each time all units are looked at."""
    chosen: set[int] = set()
    while True:
        best: tuple[float, int, set[int]] | None = None
        for unit in range(len(scores)):
            new = closure(unit, needs, group, chosen)
            if unit in chosen or not fits(new, chosen, costs, documents, budget, caps):
                continue
            mine = max(scores[row] for row in new)
            if best is None or mine > best[0]:
                best = (mine, unit, new)
        if best is None:
            return chosen
        chosen |= best[2]


@st.composite
def problems(draw: st.DrawFn, grouped: bool = True) -> dict[str, Any]:
    size = draw(st.integers(1, 8))
    documents = sorted(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
    of = {d: documents.index(d) for d in documents}
    needs = [draw(st.sampled_from([-1, *range(of[documents[row]], row)])) for row in range(size)]
    group = [-1] * size
    if grouped and size > 2 and draw(st.booleans()):
        for row in draw(st.sets(st.integers(0, size - 1), min_size=2, max_size=3)):
            group[row] = 0
    return {
        "scores": [draw(st.integers(1, 9)) / 8 for _ in range(size)],
        "costs": draw(st.lists(st.integers(1, 9), min_size=size, max_size=size)),
        "budget": draw(st.integers(0, 40)),
        "needs": needs,
        "group": group,
        "documents": documents,
        "caps": draw(st.lists(st.integers(0, 30), min_size=3, max_size=3)),
    }


def solve(problem: dict[str, Any], ranked: bool) -> set[int]:
    reasons = choose(
        problem["scores"],
        problem["costs"],
        problem["budget"],
        documents=problem["documents"],
        heading=problem["needs"],
        group=problem["group"],
        cap=problem["caps"],
        ranked=ranked,
    )
    return set(kept(reasons))


@given(problems(grouped=False))
def test_ranked_units_come_in_their_order_whatever_they_cost(problem: dict[str, Any]) -> None:
    assert solve(problem, True) == in_order(**problem)


@given(problems(), st.booleans())
def test_what_is_chosen_holds_and_leaves_nothing_out_that_fits(problem: dict[str, Any], ranked: bool) -> None:
    chosen = solve(problem, ranked)
    costs, documents, caps = problem["costs"], problem["documents"], problem["caps"]
    needs, group = problem["needs"], problem["group"]
    assert sum(costs[row] for row in chosen) <= problem["budget"]
    for document, cap in enumerate(caps):
        assert sum(costs[row] for row in chosen if documents[row] == document) <= cap
    for row in chosen:
        assert closure(row, needs, group, set()) <= chosen
    for row in set(range(len(costs))) - chosen:  # also what was offered before what it needs came in
        assert not fits(closure(row, needs, group, chosen), chosen, costs, documents, problem["budget"], caps)


@given(problems(grouped=False))
def test_at_least_half_of_the_best_choice(problem: dict[str, Any]) -> None:
    problem |= {"needs": [-1] * len(problem["costs"]), "caps": [100] * 3}
    costs, scores = problem["costs"], problem["scores"]

    def value(rows: set[int]) -> float:
        return sum(scores[row] * costs[row] for row in rows)

    everything = range(len(costs))
    choices = (
        set(rows) for size in range(len(costs) + 1) for rows in itertools.combinations(everything, size)
    )
    best = max(value(rows) for rows in choices if sum(costs[row] for row in rows) <= problem["budget"])
    assert value(solve(problem, False)) >= best / 2


def test_a_unit_is_offered_anew_when_what_it_needs_is_in() -> None:
    # row 1 is dear with its heading, cheap once row 2 has brought it
    reasons = choose([0.1, 0.5, 1.0, 0.45], [6, 2, 2, 2], 12, heading=[-1, 0, 0, -1])
    assert kept(reasons) == [0, 1, 2, 3]
    # offered when its heading had no room beside it, it comes in as soon as the heading is there
    late = choose([0.2, 0.9, 0.8], [4, 9, 1], 14, heading=[-1, 0, 0], ranked=True)
    assert kept(late) == [0, 1, 2]
    passed = choose([0.2, 0.9, 0.8, 0.7], [4, 8, 6, 2], 12, heading=[-1, 0, -1, 0], ranked=True)
    assert kept(passed) == [0, 1]


def test_ranked_by_worth_alone() -> None:
    assert kept(choose([0.9, 0.8, 0.1], [10, 1, 1], 10, ranked=True)) == [0]
    assert kept(choose([0.9, 0.8, 0.1], [10, 1, 1], 9, ranked=True)) == [1, 2]
    assert kept(choose([0.5, 0.9, 0.5], [3, 3, 3], 6, ranked=True)) == [0, 1]  # ties: the lowest
    # no single unit in place of what comes first, however large
    assert kept(choose([1.0, 0.9], [1, 10], 10, ranked=True)) == [0]


def test_caps_hold_for_each_document() -> None:
    scores, costs, documents = [0.9, 0.8, 0.7, 0.6], [4, 4, 4, 4], [0, 0, 1, 1]
    assert kept(choose(scores, costs, 16, documents=documents, cap=[4, 8])) == [0, 2, 3]
    assert kept(choose(scores, costs, 16, documents=documents, cap=[0, 7])) == [2]
    reasons = choose(scores, costs, 16, documents=documents, cap=[3, 8], pinned=[1, 0, 0, 0])
    assert reasons == ["pinned", "budget", "selected", "selected"]  # pins stay, and count
    brought = choose(scores, costs, 16, documents=documents, cap=[7, 99], heading=[-1, 0, -1, 2])
    assert kept(brought) == [0, 2, 3]


REPEATED = "The same sentence stands here again and again."
HEARTBEAT = "INFO heartbeat of the worker is fine"


@pytest.mark.parametrize("strategy", [None, "extractive", "log", "tool_output"])
@pytest.mark.parametrize("query", [None, "what about number 7?"])
@pytest.mark.parametrize("ratio", [0.5, 0.8, 0.95])
def test_spare_room_is_not_filled_with_repeats(strategy: str | None, query: str | None, ratio: float) -> None:
    prose = [f"Number {n} is about a thing that nobody else has." for n in range(30)]
    log = [f"INFO request {n} of user {n * 7 % 50} was served" for n in range(60)]
    for once, again, joint in ((prose, REPEATED, "\n\n"), (log, HEARTBEAT, "\n")):
        text = joint.join([*once, *[again] * 40, "The end is near."])
        result = tersely.compress(text, query, ratio=ratio, strategy=strategy)
        kept = [text[span.start : span.end].strip() for span in result.kept]
        assert kept.count(again) <= 1 and len(set(kept)) == len(kept)
        if ratio > 0.9:
            assert len(kept) == len(once) + 2, "what is said once is all there"
        pinned = tersely.compress(text, query, ratio=0.95, strategy=strategy, groups=[[once[3], once[4]]])
        assert once[3] in pinned.text and once[4] in pinned.text


def test_repeats_stay_where_they_are_pinned_or_everything_fits() -> None:
    text = "\n\n".join([REPEATED] * 3 + ["One more sentence is here."])
    assert tersely.compress(text, ratio=1.0).text == text
    at = text.rindex(REPEATED)
    kept = tersely.compress(text, ratio=0.8, pinned=[(0, 0, 5), (0, at, at + 5)]).kept
    assert [span.start for span in kept if span.reason == "pinned"] == [0, at]


def test_lines_of_code_and_tables_repeat() -> None:
    code = "\n".join(f"def f{n}(x):\n    y = x\n    return y" for n in range(12)) + "\nlast = 1"
    kept = tersely.compress(code, ratio=0.9, strategy="extractive").text
    assert kept.count("return y") > 1
