"""Documents as trees of units: what is left out is a marker in its place, everything else is the source's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.errors import BudgetExceededError
from tersely.stages.count import count
from tersely.stages.select import REASONS, is_kept, mark_groups, mark_pinned
from tersely.strategies.fitting import Fit, Places
from tersely.strategies.scored import to_result
from tersely.tables import Float64s, Int32s, Int64s, SegmentTable, UInt8s
from tersely.types import Compressed, Request

__all__ = ["Marker", "Tree", "fit_tree"]

Marker = Callable[[int, int], str]

_FITS, _SELECTED, _PINNED = (REASONS.index(name) for name in ("fits", "selected", "pinned"))
_ROUNDS = 9  # of choosing, rendering and counting; each narrows the target
_SHORT = 20  # characters
_UNUSED = 100  # a text that leaves less than this share (1 / _UNUSED) of the budget is good enough


@dataclass(frozen=True, eq=False, slots=True)
class Tree:
    """What a content type says of documents.

    Attributes:
        table: the units, in source order; `heading` is the unit that each needs (what opens its object, the
            signature of its function), -1 for none. A unit whose opening is kept, and all that close it, are.
        follows: int32[n], the unit that each is in or out with, such as what closes an object; -1 for none.
        priority: float64[n], higher comes first; a unit never comes before the one it needs.
        marker: (first, last) rows of a run of left out units of one document -> what stands in its place;
            "" for nothing. Where some of a document is kept, such a run never parts what follows from what it
            follows.
        short: such a marker with less to say, used where more of what `must` stay stays with it (warning
            "markers_shortened").
        bare: (first, last) -> what must stand in the place of a run even where there is no room for markers.
        must: bool[n] or None, what the markers give way to.
        gap: row -> what stands before it instead of the document's own gap; None: that.
        numbered: each line of a document has its number before it.
        warnings: reason codes.
    """

    table: SegmentTable
    follows: Int32s
    priority: Float64s
    marker: Marker
    short: Marker | None = None
    bare: Marker = lambda first, last: ""
    must: npt.NDArray[np.bool_] | None = None
    gap: Callable[[int], str] | None = None
    numbered: bool = False
    warnings: tuple[str, ...] = ()


def fit_tree(request: Request, read: Callable[[list[str]], Tree]) -> Compressed:
    """The units of highest priority that fit the request's budget, and markers for the others.

    Documents that fit as they are stay as they are ("fits"). Between kept units and markers stand the
    document's own gaps. Raises BudgetExceededError where pinned units, or the first unit, do not fit.
    O(units log units + characters), a text of the budget's size counted at most 20 times.
    """
    texts = [document.text for document in request.documents]
    whole = request.separator.join(texts)
    original = count(request.counter, whole)
    budget = request.budget if request.budget is not None else max(1, int(original * request.ratio))
    tree = read(texts)
    table = tree.table
    if original <= budget:
        fits = np.full(len(table), _FITS, dtype=np.uint8)
        fitted = Fit(whole, original, fits, None, 1, ())
    else:
        fitted = _Fitter(request, texts, tree, budget, original / max(len(whole), 1)).run()
    scores = tree.priority.astype(np.float32)
    return to_result(request, table, scores, fitted, original, budget, (*tree.warnings, *fitted.warnings))


class _Fitter:
    """Costs are estimated by length; the final count is the law."""

    def __init__(self, request: Request, texts: list[str], tree: Tree, budget: int, density: float) -> None:
        table = tree.table
        self.request, self.texts, self.tree, self.budget = request, texts, tree, budget
        self.group = mark_groups(table, request.groups)
        self.pinned = mark_pinned(table, request.pinned)
        self.order = _native.tree_order(table.heading, tree.follows, self.group, tree.priority)
        self.costs: Float64s = (table.end - table.start + 1).astype(np.float64) * density
        self.recounts = 0

    def run(self) -> Fit:
        if len(self.tree.table) == 0:
            tokens = count(self.request.counter, "")
            if tokens > self.budget:
                self._nothing_fits(tokens)
            return Fit("", tokens, np.empty(0, dtype=np.uint8), None, 1, ("nothing_to_keep",))
        found = self._search(self.tree.marker)
        must, short = self.tree.must, self.tree.short
        if must is not None and short is not None and (found is None or not found.status[must].all()):
            shorter = self._search(short)
            kept = 0 if found is None else np.count_nonzero(found.status[must])
            if shorter is not None and np.count_nonzero(shorter.status[must]) > kept:
                found = replace(shorter, warnings=("markers_shortened",))
        return found or self._smallest()

    def _search(self, marker: Marker) -> Fit | None:
        low, high, target = 0.0, float(self.costs.sum()) + 1, float(self.budget)
        best: Fit | None = None
        for _ in range(_ROUNDS):
            fitted = self._try(self._choose(target), marker)
            if fitted is None:
                low = target
            elif fitted.tokens <= self.budget:
                low = target
                best = fitted if best is None or fitted.tokens > best.tokens else best
                if self.budget - fitted.tokens <= self.budget // _UNUSED:
                    break
            else:
                high = target
            tokens = fitted.tokens if fitted else 0
            guess = target * self.budget / tokens if tokens else (low + high) / 2
            step = (high - low) / 16
            target = min(max(guess, low + step), high - step)
            if high - low < 0.5:
                break
        return best

    def _choose(self, target: float, most: int | None = None) -> UInt8s:
        table = self.tree.table
        chosen = _native.tree_choose(
            table.heading,
            self.tree.follows,
            self.group,
            self.pinned,
            self.order,
            self.costs,
            target,
            len(table) if most is None else most,
        )
        if most is None and not (self.group >= 0).any():
            self._fill_gaps(chosen)
        return np.where(chosen, np.where(self.pinned, _PINNED, _SELECTED), 0).astype(np.uint8)

    def _fill_gaps(self, chosen: UInt8s) -> None:
        """Take in what is no longer than a marker for it; what it needs is in or comes along."""
        table = self.tree.table
        change = np.flatnonzero(np.diff(chosen) | np.diff(table.document)) + 1
        firsts = np.concatenate(([0], change))
        lasts = np.concatenate((change - 1, [len(chosen) - 1]))
        short = (chosen[firsts] == 0) & (table.end[lasts] - table.start[firsts] <= _SHORT)
        # only beside what is kept: a document of which nothing is kept has no markers
        beside = np.zeros(len(firsts), dtype=bool)
        same = table.document[firsts[1:]] == table.document[lasts[:-1]]
        beside[1:] |= same
        beside[:-1] |= same
        for run in np.flatnonzero(short & beside).tolist():
            chosen[firsts[run] : lasts[run] + 1] = 1

    def _smallest(self) -> Fit:
        """Pins alone, else the first unit; without markers where there is no room for them."""
        status = self._choose(float("inf"), 0 if self.pinned.any() else 1)
        marked = self._try(status, self.tree.marker)
        if marked is not None and marked.tokens <= self.budget:
            return marked
        bare = self._try(status, self.tree.bare)
        if bare is None or bare.tokens > self.budget:
            self._nothing_fits(bare.tokens if bare else 1)
        return replace(bare, warnings=("markers_left_out",))

    def _nothing_fits(self, required: int) -> NoReturn:
        what = "pinned content alone" if self.pinned.any() else "the smallest piece"
        raise BudgetExceededError(
            f"{what} needs {required} tokens, the budget is {self.budget}",
            required=required,
            budget=self.budget,
        )

    def _try(self, status: UInt8s, marker: Marker) -> Fit | None:
        rows = is_kept(status)
        if len(rows) == 0:
            return None
        text, generated = render_tree(self.texts, self.tree, rows, self.request.separator, marker)
        self.recounts += 1
        tokens = count(self.request.counter, text)
        return Fit(text, tokens, status, None, self.recounts, (), generated)


def render_tree(
    texts: list[str], tree: Tree, rows: Int64s, separator: str, marker: Marker
) -> tuple[str, Places]:
    """The documents of the rows with markers for other rows, and where what is not the source's stands.

    O(runs of rows + characters kept).
    """
    table = tree.table
    limits = np.searchsorted(table.document, np.arange(len(texts) + 1)).tolist()
    parts = _Parts()
    for document in np.unique(table.document[rows]).tolist():
        if parts.pieces:
            parts.add(separator)
        low, high = limits[document], limits[document + 1]
        mine = rows[(rows >= low) & (rows < high)]
        breaks = np.flatnonzero(np.diff(mine) != 1 if tree.gap is None else np.ones(len(mine) - 1)) + 1
        firsts = mine[np.concatenate(([0], breaks))].tolist()
        lasts = mine[np.concatenate((breaks - 1, [len(mine) - 1]))].tolist()
        _render_document(texts[document], tree, low, high, firsts, lasts, marker, parts)
    return "".join(parts.pieces), tuple(parts.places)


class _Parts:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.places: list[tuple[int, int]] = []
        self.length = 0

    def add(self, text: str, generated: bool = False) -> None:
        if generated and text:
            self.places.append((self.length, self.length + len(text)))
        self.pieces.append(text)
        self.length += len(text)

    def add_numbered(self, text: str, line: int) -> None:
        """A piece of a document that begins on the line; lines that begin in it get their numbers."""
        for place, part in enumerate(text.split("\n")):
            if place:
                self.add("\n")
            if part and (not self.pieces or self.pieces[-1].endswith("\n")):
                self.add(f"{line + place:>5}  ", generated=True)
            if part:
                self.add(part)


def _render_document(
    text: str,
    tree: Tree,
    low: int,
    high: int,
    firsts: list[int],
    lasts: list[int],
    marker: Marker,
    parts: _Parts,
) -> None:
    """Runs of kept rows [firsts[i], lasts[i]] of the rows [low, high), with the document's own gaps."""
    start, end = tree.table.start, tree.table.end

    def put(begin: int, stop: int) -> None:
        piece = text[begin:stop]
        if tree.numbered:
            parts.add_numbered(piece, text.count("\n", 0, begin) + 1)
        else:
            parts.add(piece)

    def put_gap(row: int) -> None:
        """What stands before a row."""
        if low < row < high and tree.gap is not None:
            parts.add(tree.gap(row))
        elif low < row < high:
            put(int(end[row - 1]), int(start[row]))

    done = low  # rows that something stands for
    for first, last in zip([*firsts, high], [*lasts, high - 1], strict=True):
        if done < first:
            stand_in = marker(done, first - 1)
            if stand_in:
                put_gap(done)
                parts.add(stand_in, generated=True)
                put_gap(first)
            elif done > low and first < high:
                comma = "," in text[int(end[first - 1]) : int(start[first])]
                put_gap(done if comma else first)  # no comma before what closes
        elif first < high:
            put_gap(first)
        if first < high:
            put(int(start[first]), int(end[last]))
        done = last + 1
