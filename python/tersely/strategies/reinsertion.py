"""Facts that a model lost come back: the segments that hold them, verbatim, as far as the budget goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tersely.facts import Fact
from tersely.stages.count import count_batch
from tersely.stages.render import render
from tersely.stages.select import is_kept, mark_groups, select
from tersely.strategies.drafts import NO_ROWS, Piece, joined
from tersely.tables import Int32s, Int64s, SegmentTable

if TYPE_CHECKING:
    from tersely.strategies.writing import Writing

__all__ = ["Bools", "reinsert", "whole_groups"]

Bools = npt.NDArray[np.bool_]

_ROUNDS = 4
_TOO_DEAR = 2**40


def whole_groups(marked: Bools, group: Int32s) -> Bools:
    """bool[n]: the marked rows, and all rows of their groups."""
    grouped = marked & (group >= 0)
    return marked | np.isin(group, np.unique(group[grouped])) if grouped.any() else marked


def reinsert(task: Writing, pieces: list[Piece], pinned: Bools) -> tuple[list[Piece], Int64s]:
    """The pieces with the pinned segments and those that hold lost facts behind them, in source order, and
    the rows of the latter.

    Chosen are segments with the most distinct lost facts per token (stages/select.py); where the count of the
    whole says that they do not fit, fewer.
    """
    there = pinned.copy()
    for piece in pieces:
        if piece.rows is not None:
            there[piece.rows] = True
    fixed = np.flatnonzero(pinned)
    draft = _with_rows(task, pieces, fixed)
    lost = task.concerned(task.facts(joined(draft))).of("lost")
    wanted = [(fact, rows) for fact in lost if not there[rows := _rows_of(task.table, fact)].all()]
    if not wanted:
        return draft, NO_ROWS
    room = task.budget - task.tokens(joined(draft))
    for attempt in range(_ROUNDS):
        if room < 1:
            break
        rows = np.setdiff1d(_chosen(task, wanted, room), np.flatnonzero(there))
        if len(rows) == 0:
            break
        longer = _with_rows(task, pieces, np.union1d(fixed, rows))
        over = task.tokens(joined(longer)) - task.budget
        if over <= 0:
            return longer, rows
        room -= over * 2**attempt
    return draft, NO_ROWS


def _with_rows(task: Writing, pieces: Sequence[Piece], rows: Int64s) -> list[Piece]:
    if len(rows) == 0:
        return list(pieces)
    text = render(task.texts, task.table, rows, task.request.separator)
    return [*pieces, Piece(task.request.separator, NO_ROWS), Piece(text, rows)]


def _rows_of(table: SegmentTable, fact: Fact) -> Int64s:
    """The rows that a fact of the source touches."""
    first, last = np.searchsorted(table.document, [fact.document, fact.document + 1])
    low = first + np.searchsorted(table.end[first:last], fact.start, side="right")
    high = first + np.searchsorted(table.start[first:last], fact.end, side="left")
    return np.arange(low, max(low, high))


def _chosen(task: Writing, wanted: Sequence[tuple[Fact, Int64s]], room: int) -> Int64s:
    """Rows that cover as many of the wanted facts as `room` tokens can."""
    table = task.table
    size = len(table)
    across = [((fact.document, fact.start, fact.end),) for fact, rows in wanted if len(rows) > 1]
    group = mark_groups(table, [*task.request.groups, *across])  # what a fact touches comes together
    facts_of: list[list[int]] = [[] for _ in range(size)]
    for number, (_, rows) in enumerate(wanted):
        facts_of[int(rows[0])].append(number)
    offsets = np.concatenate(([0], np.cumsum([len(facts) for facts in facts_of]))).astype(np.int64)
    involved = whole_groups(np.diff(offsets) > 0, group)
    rows = np.flatnonzero(involved)
    separator = task.request.separator
    places = zip(
        table.document[rows].tolist(), table.start[rows].tolist(), table.end[rows].tolist(), strict=True
    )
    pieces = [task.texts[document][start:end] + separator for document, start, end in places]
    costs = np.full(size, _TOO_DEAR, dtype=np.int64)
    costs[rows] = np.maximum(count_batch(task.request.counter, pieces), 1)
    status = select(
        table,
        (np.diff(offsets) / costs).astype(np.float32),
        costs,
        room,
        pinned=np.zeros(size, dtype=np.uint8),
        group=group,
        term_ids=np.array([fact for facts in facts_of for fact in facts], dtype=np.int32),
        term_offsets=offsets,
        term_weight=np.ones(len(wanted), dtype=np.float32),
        redundancy=1.0,
    )
    return is_kept(status)
