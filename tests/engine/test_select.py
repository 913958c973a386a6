"""The select stage: which segments stay, and why."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import _native
from tersely.engine.reading import REASONS, is_kept

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


REPEATS = {"terms": [[0, 1], [0, 1], [2]], "weights": [1.0, 1.0, 1.0]}
SHARED = {"terms": [[0], [0, 1], [2]], "weights": [1.0, 1.0, 1.0], "redundancy": 1.0}
HIT = [0.1, 0.1, 0.1, 0.9, 0.1, 0.1, 0.1]
ABOVE = [-1, 0, 1, 0, -1]  # row 0 and 1 are headings of row 2; row 0 of row 3
UNDER = ([0.1, 0.1, 0.9, 0.1, 0.5], [1, 1, 4, 4, 4])
CAPPED = ([0.9, 0.8, 0.7, 0.6], [4, 4, 4, 4], 16, {"documents": [0, 0, 1, 1]})
IN, OUT = "selected", "budget"
# scores, costs, budget, options -> the rows that are kept, or the reason of each row
CASES: dict[str, tuple[list[float], list[int], int, dict[str, Any], list[Any]]] = {
    "X03: what does not fit is passed over": ([0.9, 0.8, 0.7], [3, 40, 4], 10, {}, [IN, OUT, IN]),
    "A032: best first, in source order": ([0.1, 0.9, 0.5], [5, 5, 5], 10, {}, [1, 2]),
    "X04: no score is too low": ([0.9, 0.3, 0.8, 0.2], [9, 8, 8, 6], 50, {}, [0, 1, 2, 3]),
    "X04: the best have room": ([0.9, 0.3, 0.8, 0.2], [9, 8, 8, 6], 20, {}, [0, 2]),
    "X07: ties go to the lowest": ([0.5] * 9, [2] * 9, 7, {}, [0, 1, 2]),
    "X07: ties of different cost": ([0.5] * 4, [4, 3, 5, 3], 7, {}, [0, 1]),
    "one beats many small ones": ([1.0, 0.9], [1, 10], 10, {}, [1]),
    "the one is completed": ([1.0, 0.9, 0.1], [2, 10, 1], 11, {}, [1, 2]),
    "negative scores fill the room": ([-0.5, 0.5, -0.1], [3, 3, 3], 6, {}, [0, 1]),
    "a cost of zero fits": ([0.1, 0.9, 0.2], [0, 5, 0], 5, {}, [0, 1, 2]),
    "no budget": ([0.5, 0.5], [1, 1], 0, {}, [OUT, OUT]),
    "nothing": ([], [], 10, {}, []),
    "costs far apart": ([0.5] * 3, [2**40, 1, 2**41], 2**40 + 1, {}, [0, 1]),
    "pins are kept and pay": ([0.9, 0.1, 0.8], [4] * 3, 8, {"pinned": [0, 1, 0]}, [IN, "pinned", OUT]),
    "pins may exceed": ([0.9, 0.1, 0.8], [4] * 3, 3, {"pinned": [0, 1, 1]}, [OUT, "pinned", "pinned"]),
    "a group is in": ([0.9, 0.1, 0.9, 0.5], [3] * 4, 6, {"group": [0, -1, 0, -1]}, [0, 2]),
    "a group is out": ([0.9, 0.4, 0.9, 0.5], [3] * 4, 5, {"group": [0, -1, 0, -1]}, [3]),
    "a pin pins its group": (
        *([0.1, 0.9, 0.1], [3] * 3, 6, {"group": [0, -1, 0], "pinned": [0, 0, 1]}),
        ["pinned", OUT, "pinned"],
    ),
    "a group has its value per token": ([0.9, 0.2, 0.6, 0.6], [2] * 4, 4, {"group": [0, 0, -1, -1]}, [2, 3]),
    "repeats are equal without redundancy": ([0.9, 0.8, 0.5], [2] * 3, 4, REPEATS, [IN, IN, OUT]),
    "redundancy prefers something new": (
        *([0.9, 0.8, 0.5], [2] * 3, 4, {**REPEATS, "redundancy": 1.0}),
        [IN, "redundant", IN],
    ),
    "a repeat is worth nothing at any redundancy": (
        *([0.9, 0.8, 0.001], [2] * 3, 4, {**REPEATS, "redundancy": 0.01}),
        [IN, "redundant", IN],
    ),
    # row 1 shares half of its weight with row 0: its 0.9 is worth 0.9 * (1 - 1 * 0.25) = 0.675
    "the square of the overlap, above": ([1.0, 0.9, 0.67], [2] * 3, 4, SHARED, [0, 1]),
    "the square of the overlap, below": ([1.0, 0.9, 0.68], [2] * 3, 4, SHARED, [0, 2]),
    "the weight of terms counts": (  # row 1 shares a tenth of its weight, row 2 nine tenths
        *([1.0, 0.8, 0.9], [2] * 3, 4),
        {"terms": [[0, 2], [0, 1], [2, 3]], "weights": [1.0, 9.0, 9.0, 1.0], "redundancy": 1.0},
        [0, 1],
    ),
    "pins make others redundant": (
        *([0.1, 0.9, 0.5], [2] * 3, 4, {**REPEATS, "redundancy": 1.0, "pinned": [1, 0, 0]}),
        ["pinned", "redundant", IN],
    ),
    "D017: a neighbour on each side": (
        *(HIT, [2] * 7, 6, {"context": 1}),
        [OUT, OUT, "context", IN, "context", OUT, OUT],
    ),
    "D026: two on each side": (HIT, [2] * 7, 10, {"context": 2}, [1, 2, 3, 4, 5]),
    "D017: context as far as there is room": (HIT, [2] * 7, 5, {"context": 2}, [2, 3]),
    "context stops at the document": (
        *([0.1, 0.9, 0.1], [2] * 3, 6, {"context": 1, "documents": [0, 1, 1]}),
        [IN, IN, "context"],
    ),
    "context at the start": ([0.9, 0.1, 0.1, 0.1], [2] * 4, 4, {"context": 1}, [0, 1]),
    "context at the end": ([0.1, 0.1, 0.1, 0.9], [2] * 4, 4, {"context": 3}, [2, 3]),
    "context brings a group": (
        *([0.1, 0.9, 0.1, 0.2], [2] * 4, 6, {"context": 1, "group": [0, -1, -1, 0]}),
        [0, 1, 3],
    ),
    "D023: headings come along": (*UNDER, 6, {"heading": ABOVE}, ["heading", "heading", IN, OUT, OUT]),
    "headings are paid for": (*UNDER, 5, {"heading": ABOVE}, [0, 4]),
    "headings are paid for once": (
        *([0.1, 0.1, 0.9, 0.8, 0.1], [1, 1, 4, 4, 9], 10, {"heading": ABOVE}),
        [0, 1, 2, 3],
    ),
    "pins bring their headings": (
        *([0.1] * 5, [2] * 5, 6, {"heading": ABOVE, "pinned": [0, 0, 1, 0, 0]}),
        ["heading", "heading", "pinned", OUT, OUT],
    ),
    "a group may hold its heading": (
        *([0.1, 0.9, 0.2], [2] * 3, 4, {"heading": [-1, 0, -1], "group": [0, 0, -1]}),
        [IN, IN, OUT],
    ),
    # row 1 is dear with its heading, cheap once row 2 has brought it
    "offered anew": ([0.1, 0.5, 1.0, 0.45], [6, 2, 2, 2], 12, {"heading": [-1, 0, 0, -1]}, [0, 1, 2, 3]),
    # offered when its heading had no room beside it, it comes in as soon as the heading is there
    "offered late": ([0.2, 0.9, 0.8], [4, 9, 1], 14, {"heading": [-1, 0, 0], "ranked": True}, [0, 1, 2]),
    "passed over": (
        *([0.2, 0.9, 0.8, 0.7], [4, 8, 6, 2], 12, {"heading": [-1, 0, -1, 0], "ranked": True}),
        [0, 1],
    ),
    "ranked: by worth alone": ([0.9, 0.8, 0.1], [10, 1, 1], 10, {"ranked": True}, [0]),
    "ranked: what fits": ([0.9, 0.8, 0.1], [10, 1, 1], 9, {"ranked": True}, [1, 2]),
    "ranked: ties go to the lowest": ([0.5, 0.9, 0.5], [3] * 3, 6, {"ranked": True}, [0, 1]),
    "ranked: no single unit in place of the first": ([1.0, 0.9], [1, 10], 10, {"ranked": True}, [0]),
    "a cap for each document": (*CAPPED[:3], {**CAPPED[3], "cap": [4, 8]}, [0, 2, 3]),
    "a cap of nothing": (*CAPPED[:3], {**CAPPED[3], "cap": [0, 7]}, [2]),
    "pins stay beyond a cap, and count": (
        *(*CAPPED[:3], {**CAPPED[3], "cap": [3, 8], "pinned": [1, 0, 0, 0]}),
        ["pinned", OUT, IN, IN],
    ),
    "headings count for a cap": (
        *(*CAPPED[:3], {**CAPPED[3], "cap": [7, 99], "heading": [-1, 0, -1, 2]}),
        [0, 2, 3],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_selected_and_why(case: str) -> None:
    scores, costs, budget, options, expected = CASES[case]
    reasons = choose(scores, costs, budget, **options)
    assert expected in (reasons, kept(reasons))
    assert all(choose(scores, costs, budget, **options) == reasons for _ in range(20))


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
