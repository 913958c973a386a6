"""A choice under a target, by its rules: what goes first, and what follows the selection."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, strategies as st
from tersely import _native
from tersely.engine.reading import REASONS

BUDGET, SELECTED, PINNED, PRESERVED = map(REASONS.index, ("budget", "selected", "pinned", "preserved"))


@st.composite
def readings(draw: st.DrawFn) -> dict[str, Any]:
    size = draw(st.integers(1, 9))

    def rows(values: st.SearchStrategy[Any], dtype: Any) -> Any:
        return np.array(draw(st.lists(values, min_size=size, max_size=size)), dtype=dtype)

    def runs(overlap: int) -> Any:
        edges = sorted(draw(st.sets(st.integers(0, size - overlap), max_size=4)))
        return np.array(edges[: len(edges) // 2 * 2], dtype=np.int64)

    few = st.sampled_from([0, 0, 0, 1])
    length = rows(st.integers(1, 14), np.int64)
    end = np.cumsum(length)
    return {
        "document": np.sort(rows(st.integers(0, 1), np.int32)),
        "score": rows(st.integers(0, 8), np.float32),
        "cost": rows(st.integers(1, 6), np.int64),
        "pinned": rows(few, np.uint8),
        "group": np.where(rows(few, bool), 0, -1).astype(np.int32),
        "heading": np.array([draw(st.integers(-1, row - 1)) for row in range(size)], dtype=np.int32),
        "ranked": draw(st.booleans()),
        "gist": rows(st.integers(0, 8), np.float32),
        "gist_room": draw(st.integers(0, 9)),
        "essential": rows(few, np.uint8),
        "auxiliary": rows(few, np.uint8),
        "leading": runs(0),
        "leading_share": 0.5,
        "fences": runs(1),
        "fill": draw(st.booleans()),
        "start": end - length,
        "end": end,
    }


def by_hand(reading: dict[str, Any], target: int, facts: Any) -> list[int]:
    """The same, a rule at a time, over the selection alone."""
    rules = ("gist", "gist_room", "essential", "auxiliary", "leading", "leading_share", "fences", "fill")
    problem = {name: value for name, value in reading.items() if name not in rules}
    cost, pinned, essential = reading["cost"], reading["pinned"], reading["essential"]
    held, score, gist_room, more = pinned.copy(), reading["score"], reading["gist_room"], False

    def select(score: Any, budget: int) -> Any:
        return _native.Choice(**{**problem, "score": score, "pinned": held}).select(budget)

    if not reading["ranked"] and cost[essential > 0].sum() <= target:
        held, more = held | essential, True
    elif not reading["ranked"]:
        score, gist_room = np.where(essential, score + np.float32(1e-3), 0).astype(np.float32), 0
    if len(reading["leading"]):
        more, room = True, min(target // 2, target - cost[held > 0].sum())
        for first, last in reading["leading"].reshape(-1, 2):
            taken = cost[first:last][held[first:last] == 0].sum()
            if taken > room:
                break
            held[first:last], room = 1, room - taken
    if facts is not None:
        held, more = held | facts, True
    first = held
    if 0 < gist_room < target:
        held, more = held | (select(reading["gist"], gist_room) >= SELECTED), True
    status = select(score, target)
    added = (status == PINNED) & (pinned == 0) & more
    status[added] = np.where(first[added], PRESERVED, SELECTED)
    if target > 0 and reading["fill"]:
        status = _native.Choice(**problem).fill_gaps(status)
    needed = {reading["heading"][row] for row in np.flatnonzero(status >= SELECTED)}
    for row in np.flatnonzero((reading["auxiliary"] > 0) & (status >= SELECTED) & (pinned == 0)):
        status[row] = status[row] if row in needed else BUDGET
    for opening, closing in reading["fences"].reshape(-1, 2):
        if not (status[opening + 1 : closing] >= SELECTED).any() and not pinned[[opening, closing]].any():
            status[[opening, closing]] = BUDGET
    return status.tolist()


@given(readings(), st.integers(0, 40), st.booleans())
def test_a_choice_follows_the_rules_of_its_reading(
    reading: dict[str, Any], target: int, preserve: bool
) -> None:
    facts = (np.arange(len(reading["cost"])) % 3 == 0).astype(np.uint8) if preserve else None
    choice = _native.Choice(**reading)
    found = choice.choose(target, None, None if facts is None else lambda held, _: held | facts)
    assert found.tolist() == by_hand(reading, target, facts)


@given(readings(), st.integers(0, 20), st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_headings_that_are_sent_above_documents_are_paid_for_once(
    reading: dict[str, Any], target: int, prices: list[int]
) -> None:
    """The first heading stands above the other two, each of which stands above a document."""
    head_cost, head_above = np.array(prices, dtype=np.int64), np.array([-1, 0, 0], dtype=np.int32)
    heads = {"head_cost": head_cost, "head_above": head_above, "head_of": np.array([1, 2], dtype=np.int32)}
    problem = {name: reading[name] for name in ("document", "score", "cost", "group", "ranked")}
    choice = _native.Choice(**problem, **heads)
    status = choice.choose(target)
    documents = set(reading["document"][status >= SELECTED].tolist())
    paid = sum(prices[1 + document] for document in documents) + (prices[0] if documents else 0)
    tokens = choice.tally(status)[0]
    assert tokens == reading["cost"][status >= SELECTED].sum() + paid and (tokens <= target or not documents)
