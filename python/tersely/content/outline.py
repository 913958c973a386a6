"""Documents in units, with what stands where units were left out; and how that is fitted into a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tersely.stages.count import count
from tersely.stages.select import REASONS, mark_groups, mark_pinned, select
from tersely.strategies.fitting import Fit, Places, Prices, fit, price
from tersely.strategies.scored import to_result
from tersely.tables import Float32s, Int64s, SegmentTable, UInt8s
from tersely.types import Compressed, Request

__all__ = ["Outline", "fit_outline"]

_FITS = REASONS.index("fits")


@dataclass(frozen=True, eq=False, slots=True)
class Outline:
    """What a content type says of documents.

    Attributes:
        table: the units, in source order; `heading` of a unit is the row of the one that it needs (a method
            its class, a frame its exception), -1 where it needs none.
        scores: float32[n] >= 0, what each unit is worth per token.
        must: uint8[n]: 1 for units that come before all others as far as the budget goes.
        marker: (first, last) rows of a run of left out units of one document -> what stands in its place, on
            a line of its own and in the syntax of the content; "" for nothing.
        joint: stands between kept units that do not touch, and around markers.
        warnings: reason codes.
        note: row -> what stands right after that unit when it is kept, such as how often it came; "" for
            nothing. None: no unit has one.
        bulk: bool[n]: units that are never kept, nor counted; None: there are none.
        complete: whether the units are all there is; else documents that fit are not left as they are.
    """

    table: SegmentTable
    scores: Float32s
    must: UInt8s
    marker: Callable[[int, int], str]
    joint: str = "\n"
    warnings: tuple[str, ...] = ()
    note: Callable[[int], str] | None = None
    bulk: npt.NDArray[np.bool_] | None = None
    complete: bool = True


def fit_outline(request: Request, read: Callable[[list[str]], Outline]) -> Compressed:
    """The units that fit the request's budget, with markers, which are `generated` in the result.

    Documents that fit as they are stay as they are. Units that must stay are pinned where all of them fit;
    else the best of them are chosen and nothing else. Raises BudgetExceededError when the request's pins,
    or the smallest unit, do not fit.
    """
    texts = [document.text for document in request.documents]
    whole = request.separator.join(texts)
    original = count(request.counter, whole)
    budget = request.budget if request.budget is not None else max(1, int(original * request.ratio))
    outline = read(texts)
    table = outline.table
    if original <= budget and outline.complete:
        fits = np.full(len(table), _FITS, dtype=np.uint8)
        fitted = Fit(whole, original, fits, None, 1, ())
        return to_result(request, table, outline.scores, fitted, original, budget, ())
    if request.pinned:
        outline = replace(outline, note=None)  # what is pinned stands in the text as it is
    pinned, group = mark_pinned(table, request.pinned), mark_groups(table, request.groups)
    must = outline.must > 0
    only_must = np.where(must, outline.scores + np.float32(1e-3), 0).astype(np.float32)
    first_must = outline.scores + (float(outline.scores.max(initial=0)) * must).astype(np.float32)

    def choose(costs: Int64s, target: int) -> UInt8s:
        all_stay = int(costs[must].sum()) <= target
        return select(
            table,
            outline.scores if all_stay else only_must,
            costs,
            target,
            pinned=np.maximum(pinned, must.astype(np.uint8)) if all_stay else pinned,
            group=group,
            headings=True,
        )

    fitted = fit(
        request,
        texts,
        table,
        first_must,
        pinned,
        group,
        budget,
        original,
        choose,
        _price(request, texts, outline, budget),
        rendering=lambda rows: render_outline(texts, outline, rows, request.separator),
    )
    found = [code for code in fitted.warnings if outline.bulk is None or code != "counter_not_additive"]
    warnings = (*outline.warnings, *found)  # what was not counted cannot be said to add up
    return to_result(request, table, outline.scores, fitted, original, budget, warnings)


def _price(request: Request, texts: list[str], outline: Outline, budget: int) -> Prices:
    """What each unit costs; one that is never kept costs more than there is."""
    if outline.bulk is None or not outline.bulk.any():
        return price(request, texts, outline.table)
    table, counted = outline.table, np.flatnonzero(~outline.bulk)
    rows = SegmentTable(
        table.document[counted],
        table.start[counted],
        table.end[counted],
        table.kind[counted],
        table.block[counted],
        table.heading[counted],
    )
    prices = price(request, texts, rows)
    counts = np.full(len(table), 4 * budget + 4, dtype=np.int64)
    costs = counts.copy()
    counts[counted], costs[counted] = prices.counts, prices.costs
    pieces = [""] * len(table)
    for row, piece in zip(counted.tolist(), prices.pieces, strict=True):
        pieces[row] = piece
    return Prices(pieces, counts, costs, prices.separator)


def render_outline(texts: list[str], outline: Outline, rows: Int64s, separator: str) -> tuple[str, Places]:
    """The text of the rows with markers, and where the markers stand in it. O(rows + runs + characters)."""
    table = outline.table
    first_of = np.searchsorted(table.document, np.arange(len(texts) + 1))
    parts: list[tuple[str, bool]] = []  # text, and whether it is a marker
    for document in np.unique(table.document[rows]).tolist():
        if parts:
            parts.append((separator, False))
        lines: list[list[tuple[str, bool]]] = []
        after = int(first_of[document])  # first row that no piece or marker stands for yet
        mine = rows[(rows >= after) & (rows < first_of[document + 1])]
        breaks = np.flatnonzero(np.diff(mine) != 1) + 1
        for run in np.split(mine, breaks):
            first, last = int(run[0]), int(run[-1])
            if after < first and (marker := outline.marker(after, first - 1)):
                lines.append([(marker, True)])
            lines.append(_run(texts[document], outline, first, last))
            after = last + 1
        if after < first_of[document + 1] and (
            marker := outline.marker(after, int(first_of[document + 1]) - 1)
        ):
            lines.append([(marker, True)])
        for number, line in enumerate(lines):
            parts += [(outline.joint, False), *line] if number else line
    return _joined(parts)


def _run(text: str, outline: Outline, first: int, last: int) -> list[tuple[str, bool]]:
    """Kept units that touch, as they stand in the source, with a note after those that have one."""
    start, end = outline.table.start, outline.table.end
    if outline.note is None:
        return [(text[int(start[first]) : int(end[last])], False)]
    parts, at = [], int(start[first])
    for row in range(first, last + 1):
        if note := outline.note(row):
            parts += [(text[at : int(end[row])], False), (note, True)]
            at = int(end[row])
    return [*parts, (text[at : int(end[last])], False)]


def _joined(parts: list[tuple[str, bool]]) -> tuple[str, Places]:
    places, at = [], 0
    for text, generated in parts:
        if generated:
            places.append((at, at + len(text)))
        at += len(text)
    return "".join(text for text, _ in parts), tuple(places)
