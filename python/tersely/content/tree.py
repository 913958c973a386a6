"""Trees of units, fitted: what is kept stands in what is kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

import numpy as np

from tersely import _native
from tersely.content.tree_text import Marker, Tree, render_tree
from tersely.errors import BudgetExceededError
from tersely.stages.count import count
from tersely.stages.select import REASONS, is_kept, mark_groups, mark_pinned
from tersely.strategies.fitting import Fit
from tersely.strategies.scored import to_result
from tersely.tables import Float64s, Int32s, Int64s, UInt8s
from tersely.types import Compressed, Request

__all__ = ["fit_tree"]

_FITS, _SELECTED, _PINNED = (REASONS.index(name) for name in ("fits", "selected", "pinned"))
_ROUNDS = 8  # of choosing, rendering and counting; each narrows the target
_CANDIDATES = 4  # rows considered for a token of the budget; most cost more than a token
_MARKER = 4.0  # tokens, about; not all that is kept has something left out
_GAP = 1.0  # tokens: white space of more than a character before a unit
_SHORT = 20  # characters
_AIM = 0.995  # of the budget
_CAUTION = 0.99  # where nothing has fitted, the target goes down by this to the power of 1, 3, 7, ...
_UNUSED = 100  # a text that leaves less than this share (1 / _UNUSED) of the budget is good enough


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
        first = _CANDIDATES * (budget + 250)
        all_ = self.pinned.any() or (self.group >= 0).any() or np.count_nonzero(tree.follows < 0) <= 2 * first
        most = len(table) if all_ else first
        order = _native.tree_order(table.heading, tree.follows, self.group, tree.priority, most)
        costs: Float64s = (table.end - table.start + 1).astype(np.float64) * density
        costs[1:] += (table.start[1:] - table.end[:-1] > 1) * _GAP
        needed = table.heading[table.heading >= 0]
        costs[needed] += _MARKER  # of what is left out below them
        self.rows, self.among = self._candidates(order, costs, bool(all_))
        self.recounts = 0

    def _candidates(
        self, order: Int32s, costs: Float64s, all_: bool
    ) -> tuple[Int64s, tuple[Int32s, Int32s, Int32s, UInt8s, Int32s, Float64s]]:
        """The rows that can be in, and what `tree_choose` is told of them.

        Of a large text with a small budget those are few: the first in the order, which what they need come
        before, and what follows them.
        """
        table, follows = self.tree.table, self.tree.follows
        if all_:
            rows = np.arange(len(table))
            return rows, (table.heading, follows, self.group, self.pinned, order, costs)
        among = np.zeros(len(table), dtype=bool)
        among[order] = True
        among |= (follows >= 0) & among[follows]
        rows = np.flatnonzero(among)
        place = np.full(len(table) + 1, -1, dtype=np.int32)  # the last for -1
        place[rows] = np.arange(len(rows), dtype=np.int32)
        none_i, none_u = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8)
        parent, mine = place[table.heading[rows]], place[follows[rows]]
        return rows, (parent, mine, none_i, none_u, place[order], costs[rows])

    def run(self) -> Fit:
        if len(self.tree.table) == 0:
            tokens = count(self.request.counter, "")
            if tokens > self.budget:
                self._nothing_fits(tokens)
            return Fit("", tokens, np.empty(0, dtype=np.uint8), None, 1, ("nothing_to_keep",))
        found = self._search(self.tree.marker)
        must, short = self.tree.must, self.tree.short
        if must is None or short is None or not must.any():
            return found or self._smallest()
        kept = self._musts(found)
        if kept < np.count_nonzero(must):
            shorter = self._search(short)
            if self._musts(shorter) <= kept:
                shorter = None if kept else self._first_must(short)
            if shorter is not None:
                found = replace(shorter, warnings=("markers_shortened",))
        return found or self._smallest()

    def _musts(self, found: Fit | None) -> int:
        """How many of what must stay stays."""
        return 0 if found is None else int(np.count_nonzero(found.status[self.tree.must]))

    def _first_must(self, marker: Marker) -> Fit | None:
        """The best unit of what must stay alone with what it needs, if it fits: estimates may not see it."""
        assert self.tree.must is not None
        order = self.among[4]
        first = np.flatnonzero(self.tree.must[self.rows[order]])[:1]
        alone = None if len(first) == 0 else self._try(self._choose(math.inf, int(first[0]) + 1), marker)
        return alone if alone is not None and alone.tokens <= self.budget else None

    def _search(self, marker: Marker) -> Fit | None:
        low, high, target = (0.0, 0), (math.inf, 0), float(self.budget)  # targets, and what they gave
        aim = _AIM * self.budget
        best: Fit | None = None
        tried: dict[bytes, Fit | None] = {}
        for attempt in range(2 * _ROUNDS):
            if attempt >= _ROUNDS and best is not None:
                break
            status = self._choose(target)
            key = status.tobytes()
            if key not in tried:
                tried[key] = self._try(status, marker)
            fitted = tried[key]
            tokens = fitted.tokens if fitted else 0
            if tokens > self.budget:
                high = (target, tokens)
            else:
                low = (target, tokens)
                best = fitted if best is None or tokens > best.tokens else best
                if fitted and self.budget - tokens <= self.budget * (1 + attempt // 2) // _UNUSED:
                    break
            if fitted is None:
                target *= 2
            elif high[0] == math.inf or best is None:
                target *= aim / tokens * (1 if best else _CAUTION ** (2**attempt - 1))
            else:
                share = (aim - low[1]) / max(high[1] - low[1], 1)
                target = low[0] + (high[0] - low[0]) * min(max(share, 0.1), 0.9)
            if not low[0] < target < high[0]:
                target = (low[0] + high[0]) / 2 if high[0] < math.inf else 1.5 * low[0] + 1
            if high[0] - low[0] < 0.5:
                break
        return best

    def _choose(self, target: float, most: int | None = None) -> UInt8s:
        rows = self.rows
        chosen = np.zeros(len(self.tree.table), dtype=np.uint8)
        chosen[rows] = _native.tree_choose(*self.among, target, len(rows) if most is None else most)
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
