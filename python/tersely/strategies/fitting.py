"""Costs are estimates, the final count is the law: choose, render, count, correct."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tersely.errors import BudgetExceededError
from tersely.stages.count import count, count_batch
from tersely.stages.render import render
from tersely.stages.select import REASONS, is_kept
from tersely.types import Float32s, Int32s, Int64s, Request, SegmentTable, UInt8s

__all__ = ["CUT_MARK", "Fit", "fit"]

CUT_MARK = "…"
_ROUNDS = 5  # of choosing, rendering and counting; each narrows the target
_CUT = REASONS.index("cut")
_SELECTED = REASONS.index("selected")


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """A text within the budget.

    Attributes:
        text, tokens: the text and its count.
        status: uint8[n], an index into REASONS for each segment.
        cut: where the only kept segment was cut (a character of its document), or None.
        recounts: texts counted.
        warnings: reason codes.
    """

    text: str
    tokens: int
    status: UInt8s
    cut: int | None
    recounts: int
    warnings: tuple[str, ...]


def fit(
    request: Request,
    texts: list[str],
    table: SegmentTable,
    scores: Float32s,
    pinned: UInt8s,
    group: Int32s,
    budget: int,
    choose: Callable[[Int64s, int], UInt8s],
) -> Fit:
    """The best choice whose final text counts at most `budget`.

    `choose(costs, target)` selects under a target of estimated tokens. The target is corrected by what
    the text really counts, so that the budget is neither exceeded nor left unused; a counter may be as
    little additive as it likes. Raises BudgetExceededError when pinned content or the smallest piece
    of any does not fit.
    """
    return _Fitter(request, texts, table, scores, pinned, group, budget, choose).run()


@dataclass(slots=True, eq=False)
class _Fitter:
    request: Request
    texts: list[str]
    table: SegmentTable
    scores: Float32s
    pinned: UInt8s
    group: Int32s
    budget: int
    choose: Callable[[Int64s, int], UInt8s]
    recounts: int = 0

    def run(self) -> Fit:
        if len(self.table) == 0:
            return Fit(
                "", self._count(""), np.empty(0, dtype=np.uint8), None, self.recounts, ("nothing_to_keep",)
            )
        pieces = self._pieces()
        counts = count_batch(self.request.counter, pieces)
        costs = np.maximum(counts + self._separator_cost(), 1)
        if self.pinned.any():
            self._check_pinned(costs)
        best = self._search(costs)
        if best is None:
            best = self._smallest(counts, costs)
        return best or self._cut(pieces)

    def _pieces(self) -> list[str]:
        table, texts = self.table, self.texts
        rows = zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
        return [texts[index][start:end] for index, start, end in rows]

    def _count(self, text: str) -> int:
        self.recounts += 1
        return count(self.request.counter, text)

    def _separator_cost(self) -> int:
        """Tokens that the separator adds between two sentences."""
        one, other = "one.", "Two"
        joined = one + self.request.separator + other
        left, right, both = count_batch(self.request.counter, [one, other, joined]).tolist()
        return max(int(both - left - right), 0)

    def _try(self, status: UInt8s) -> Fit | None:
        """The rendered and counted choice; None when it keeps nothing."""
        rows = is_kept(status)
        if len(rows) == 0:
            return None
        text = render(self.texts, self.table, rows, self.request.separator)
        return Fit(text, self._count(text), status, None, self.recounts, ())

    def _check_pinned(self, costs: Int64s) -> None:
        fitted = self._try(self.choose(costs, 0))
        if fitted is not None and fitted.tokens > self.budget:
            raise BudgetExceededError(
                f"pinned content alone needs {fitted.tokens} tokens, the budget is {self.budget}",
                required=fitted.tokens,
                budget=self.budget,
            )

    def _search(self, costs: Int64s) -> Fit | None:
        """Narrow the target between one that fitted and one that did not."""
        low, high, target = 0, int(costs.sum()) + 1, self.budget
        best: Fit | None = None
        for _ in range(_ROUNDS):
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
                high = target
                target = min(target, estimate) - max(
                    1, (fitted.tokens - self.budget) * estimate // fitted.tokens
                )
            if not low < target < high:
                target = (low + high) // 2
            if target in (low, high):
                break
        return best

    def _smallest(self, counts: Int64s, costs: Int64s) -> Fit | None:
        """Whatever whole thing fits, best first: pins alone, else single segments or groups."""
        status = self.choose(costs, 0)
        if self.pinned.any():
            return self._try(status)
        order = np.lexsort((np.arange(len(counts)), -self.scores))
        for row in order[(counts[order] <= self.budget) & (self.group[order] < 0)].tolist()[:1]:
            status = np.zeros(len(counts), dtype=np.uint8)
            status[row] = _SELECTED
            return self._try(status)
        for number in np.unique(self.group[self.group >= 0]).tolist():
            status = np.where(self.group == number, _SELECTED, 0).astype(np.uint8)
            fitted = self._try(status)
            if fitted is not None and fitted.tokens <= self.budget:
                return fitted
        return None

    def _cut(self, pieces: list[str]) -> Fit:
        """A prefix of the best segment that is not in a group."""
        alone = np.flatnonzero(self.group < 0)
        if len(alone) == 0:
            self._nothing_fits(pieces)
        row = int(alone[np.argmax(self.scores[alone])])
        piece = pieces[row]
        for mark in (CUT_MARK, ""):
            size = self._longest_prefix(piece, mark)
            if size == 0:
                continue
            text = piece[:size] + mark
            status = np.zeros(len(pieces), dtype=np.uint8)
            status[row] = _CUT
            cut = int(self.table.start[row]) + size
            return Fit(text, self._count(text), status, cut, self.recounts, ("segment_cut",))
        return self._nothing_fits(pieces)

    def _longest_prefix(self, piece: str, mark: str) -> int:
        """Characters of the longest prefix found that fits with the mark, at a word's end if possible."""
        low, high = 0, len(piece)
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (middle, high) if self._fits(piece[:middle] + mark) else (low, middle)
        size = low
        while size > 0 and unicodedata.combining(piece[size]):
            size -= 1
        space = piece.rfind(" ", 0, size + 1)
        if space >= size // 2 and space > 0:
            whole_words = len(piece[:space].rstrip())
            if self._fits(piece[:whole_words] + mark):
                return whole_words
        return size if size > 0 and self._fits(piece[:size] + mark) else 0

    def _fits(self, text: str) -> bool:
        return self._count(text) <= self.budget

    def _nothing_fits(self, pieces: list[str]) -> Fit:
        required = min(self._count(piece[:1]) for piece in pieces[:16])
        raise BudgetExceededError(
            f"nothing of the input fits into {self.budget} tokens: the smallest piece tried needs {required}",
            required=required,
            budget=self.budget,
        )
