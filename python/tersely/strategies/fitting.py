"""Costs are estimates, the final count is the law: choose, render, count, correct."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from tersely.errors import BudgetExceededError
from tersely.stages.count import count, count_batch
from tersely.stages.render import render
from tersely.stages.select import REASONS, is_kept
from tersely.strategies.cutting import longest_prefix
from tersely.tables import Float32s, Int32s, Int64s, SegmentTable, UInt8s
from tersely.types import Request

__all__ = ["Fit", "Places", "Prices", "Render", "fit", "price", "price_counted"]

Places = tuple[tuple[int, int], ...]
# Kept rows -> text, and the characters of it that are no source's.
Render = Callable[[Int64s], tuple[str, Places]]

_ROUNDS = 5  # of choosing, rendering and counting; each narrows the target
_LARGEST_SUM = 2**60  # of costs: no tokenizer comes near, the native sums stay in range
_ADDITIVE = 0.1  # share by which the sum of the parts may differ from the whole without a warning
_CUT = REASONS.index("cut")
_SELECTED = REASONS.index("selected")
_PRESERVED = REASONS.index("preserved")


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """A text within the budget.

    Attributes:
        text, tokens: the text and its count.
        status: uint8[n], an index into REASONS for each segment.
        cut: where the only kept segment was cut (a character of its document), or None.
        recounts: texts counted.
        warnings: reason codes.
        generated: characters of `text` that are no source's.
    """

    text: str
    tokens: int
    status: UInt8s
    cut: int | None
    recounts: int
    warnings: tuple[str, ...]
    generated: Places = ()


@dataclass(frozen=True, eq=False, slots=True)
class Prices:
    """What each segment costs.

    Attributes:
        pieces: the texts of the segments.
        counts: int64[n], the tokens of each on its own.
        costs: int64[n] >= 1, with the separator that it may need.
        separator: tokens that it adds between two sentences.
    """

    pieces: list[str]
    counts: Int64s
    costs: Int64s
    separator: int


def price(request: Request, texts: list[str], table: SegmentTable) -> Prices:
    """Count the segments. One batch of the counter."""
    rows = zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
    pieces = [texts[index][start:end] for index, start, end in rows]
    return price_counted(request, pieces, count_batch(request.counter, pieces))


def price_counted(request: Request, pieces: list[str], counts: Int64s, gap: int | None = None) -> Prices:
    """`price` for segments that were counted; `gap`: `Prices.separator`, if known."""
    separator = _separator_cost(request) if gap is None else gap
    largest = _LARGEST_SUM // max(len(pieces), 1)
    costs = np.minimum(np.maximum(np.minimum(counts, largest) + separator, 1), largest)
    return Prices(pieces, counts, costs, separator)


def _separator_cost(request: Request) -> int:
    """Tokens that the separator adds between two sentences."""
    texts = ["one.", "Two", f"one.{request.separator}Two"]
    left, right, both = count_batch(request.counter, texts).tolist()
    return max(int(both - left - right), 0)


def fit(
    request: Request,
    texts: list[str],
    table: SegmentTable,
    scores: Float32s,
    pinned: UInt8s,
    group: Int32s,
    budget: int,
    original: int,
    choose: Callable[[Int64s, int], UInt8s],
    prices: Prices | None = None,
    cuttable: UInt8s | None = None,
    rendering: Render | None = None,
) -> Fit:
    """The best choice whose final text counts at most `budget`.

    `original`: tokens of the whole input. `choose(costs, target)` selects under a target of estimated
    tokens. The target is corrected by what the text really counts, so that the budget is neither exceeded
    nor left unused; a counter may be as little additive as it likes. `prices`: None, or what `price` said,
    so that several fits count the segments once. `cuttable`: where a segment must be cut, one of these
    (non-zero). `rendering`: None for `stages.render`, which also steps in where only one
    piece fits. Raises BudgetExceededError when pinned content or the smallest piece of any does not fit.
    """
    prices = prices or price(request, texts, table)

    def plain(rows: Int64s) -> tuple[str, Places]:
        return render(texts, table, rows, request.separator), ()

    return _Fitter(
        request,
        table,
        scores,
        pinned,
        group,
        budget,
        original,
        choose,
        prices,
        cuttable,
        plain,
        rendering or plain,
    ).run()


@dataclass(slots=True, eq=False)
class _Fitter:
    request: Request
    table: SegmentTable
    scores: Float32s
    pinned: UInt8s
    group: Int32s
    budget: int
    original: int
    choose: Callable[[Int64s, int], UInt8s]
    prices: Prices
    cuttable: UInt8s | None
    plain: Render
    render: Render
    recounts: int = 0

    def run(self) -> Fit:
        if len(self.table) == 0:
            return self._nothing_to_keep()
        pieces, counts, costs = self.prices.pieces, self.prices.counts, self.prices.costs
        if self.pinned.any():
            self._check_pinned(costs)
        fitted = self._search(costs) or self._unmarked(counts, costs) or self._cut(pieces)
        off = abs(self.original - int(counts.sum()))  # white space between segments may be a token each
        additive = off <= self.original * _ADDITIVE + len(pieces)
        return fitted if additive else replace(fitted, warnings=(*fitted.warnings, "counter_not_additive"))

    def _nothing_to_keep(self) -> Fit:
        tokens = self._count("")
        if tokens > self.budget:
            self._nothing_fits([tokens])
        return Fit("", tokens, np.empty(0, dtype=np.uint8), None, self.recounts, ("nothing_to_keep",))

    def _count(self, text: str) -> int:
        self.recounts += 1
        return count(self.request.counter, text)

    def _try(self, status: UInt8s, render: Render | None = None) -> Fit | None:
        """The rendered and counted choice; None when it keeps nothing."""
        rows = is_kept(status)
        if len(rows) == 0:
            return None
        text, generated = (render or self.render)(rows)
        return Fit(text, self._count(text), status, None, self.recounts, (), generated)

    def _check_pinned(self, costs: Int64s) -> None:
        fitted = self._try(self.choose(costs, 0), self.plain)
        if fitted is not None and fitted.tokens > self.budget:
            raise BudgetExceededError(
                f"pinned content alone needs {fitted.tokens} tokens, the budget is {self.budget}",
                required=fitted.tokens,
                budget=self.budget,
            )

    def _search(self, costs: Int64s) -> Fit | None:
        """Narrow the target between one that fitted and one that did not."""
        total = int(costs.sum())
        joined = min(max(total / max(self.original, 1), 0.9), 1.25)  # the parts together against the whole
        low, high, target = 0, total + 1, math.ceil(self.budget * joined)
        best: Fit | None = None
        least: Fit | None = None  # the smallest text over the budget
        for attempt in range(_ROUNDS):
            fitted = self._try(self.choose(costs, target))
            if fitted is None:
                break
            estimate = int(costs[is_kept(fitted.status)].sum())
            if fitted.tokens <= self.budget:
                if best is None or fitted.tokens > best.tokens:
                    best = fitted
                low = target
                room = self.budget - fitted.tokens
                dropped = fitted.status < _SELECTED
                if not dropped.any() or room < max(int(costs[dropped].min()), self.budget // 200):
                    break
                target += max(1, room * estimate // max(fitted.tokens, 1))
            else:
                if least is None or fitted.tokens < least.tokens:
                    least = fitted
                high = target
                over = (fitted.tokens - self.budget) * estimate // fitted.tokens
                target = min(target, estimate) - max(1, over) * 2**attempt
            if not low < target < high:
                target = (low + high) // 2
            if target in (low, high):
                break
        return best or (self._trim(least, costs) if least is not None else None)

    def _trim(self, over: Fit, costs: Int64s) -> Fit | None:
        """Take the lowest-scored segments out of a text over the budget, more each time, until it fits.

        Those with facts to preserve go last.
        """
        preserved = over.status == _PRESERVED
        free = np.flatnonzero(((over.status == _SELECTED) | preserved) & (self.group < 0))
        order = free[np.lexsort((-free, self.scores[free], preserved[free]))]
        saved = np.cumsum(costs[order])
        excess = over.tokens - self.budget
        while len(order) and excess <= 2 * int(saved[-1]):
            out = order[: int(np.searchsorted(saved, excess)) + 1]
            status = over.status.copy()
            status[out] = 0
            fitted = self._try(status)
            if fitted is None or fitted.tokens <= self.budget:
                return fitted
            excess *= 2
        return None

    def _unmarked(self, counts: Int64s, costs: Int64s) -> Fit | None:
        """The smallest choice, which has no room for markers."""
        marked, self.render = self.render is not self.plain, self.plain
        fitted = self._smallest(counts, costs)
        return replace(fitted, warnings=("markers_left_out",)) if fitted and marked else fitted

    def _smallest(self, counts: Int64s, costs: Int64s) -> Fit | None:
        """Whatever whole thing fits, best first: pins alone, else single segments or groups."""
        status = self.choose(costs, 0)
        if self.pinned.any():
            return self._try(status)
        order = np.lexsort((np.arange(len(counts)), -self.scores))
        fitting = order[(counts[order] <= self.budget) & (self.group[order] < 0)]
        if len(fitting):
            status = np.zeros(len(counts), dtype=np.uint8)
            status[fitting[0]] = _SELECTED
            return self._try(status)
        for number in np.unique(self.group[self.group >= 0]).tolist():
            fitted = self._try(self._group_status(number))
            if fitted is not None and fitted.tokens <= self.budget:
                return fitted
        return None

    def _cut(self, pieces: list[str]) -> Fit:
        """A prefix of the best segment of which at least a character fits; groups are never cut."""
        alone = np.flatnonzero((self.group < 0) if self.cuttable is None else (self.cuttable > 0))
        starts = count_batch(self.request.counter, [pieces[row][:1] for row in alone])
        possible = alone[starts <= self.budget]
        if len(possible) == 0:
            self._nothing_fits([int(tokens) for tokens in starts] + self._group_counts())
        row = int(possible[np.argmax(self.scores[possible])])
        size, mark = longest_prefix(pieces[row], lambda text: self._count(text) <= self.budget)
        text = pieces[row][:size] + mark
        status = np.zeros(len(pieces), dtype=np.uint8)
        status[row] = _CUT
        cut = int(self.table.start[row]) + size
        return Fit(text, self._count(text), status, cut, self.recounts, ("segment_cut",))

    def _group_status(self, number: int) -> UInt8s:
        return np.where(self.group == number, _SELECTED, 0).astype(np.uint8)

    def _group_counts(self) -> list[int]:
        fits = [
            self._try(self._group_status(number))
            for number in np.unique(self.group[self.group >= 0]).tolist()
        ]
        return [fitted.tokens for fitted in fits if fitted is not None]

    def _nothing_fits(self, needed: list[int]) -> NoReturn:
        required = min(needed)
        raise BudgetExceededError(
            f"nothing of the input fits into {self.budget} tokens: the smallest piece needs {required}",
            required=required,
            budget=self.budget,
        )
