"""Segments that are read, counted and scored: what is left is to choose some for a budget."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tersely.stages.render import render, render_clauses
from tersely.stages.select import REASONS, is_kept, select
from tersely.stages.verify import verify
from tersely.strategies.fitting import Fit, Places, Prices, fit
from tersely.strategies.preserving import MustKeep
from tersely.tables import Analysis, Float32s, Int32s, Int64s, SegmentTable, UInt8s
from tersely.types import Compressed, Request, Spans

__all__ = ["Scored", "to_result"]

_FIRST_KEPT = REASONS.index("selected")
_PINNED = REASONS.index("pinned")
_PRESERVED = REASONS.index("preserved")


@dataclass(frozen=True, eq=False, slots=True)
class Scored:
    """One reading of a request, good for any number of budgets.

    Attributes:
        request, texts: what was asked, and the documents' texts.
        original: tokens of the whole input.
        analysis: segments and terms.
        scores: float32[n], what each segment is worth per token.
        weight: float32[vocabulary], of each term when redundancy is priced.
        pinned, group: uint8[n], int32[n]: what must stay, what stays together.
        prices: what each segment costs.
        redundancy, context, headings: of the selection.
        warnings: reason codes so far.
        cosine: float32[n], of each segment's vector with the query's; None where there are no vectors.
        must: which segments hold facts that are to be preserved; None: nobody asked.
        clauses: whether the segments are clauses: an "…" says where some of a paragraph are left out.
    """

    request: Request
    texts: list[str]
    original: int
    analysis: Analysis
    scores: Float32s
    weight: Float32s
    pinned: UInt8s
    group: Int32s
    prices: Prices
    redundancy: float
    context: int
    headings: bool
    warnings: tuple[str, ...]
    cosine: Float32s | None = None
    must: MustKeep | None = None
    clauses: bool = False

    def choose(self, scores: Float32s, costs: Int64s, target: int, pinned: UInt8s) -> UInt8s:
        """uint8[n]: the codes of the best choice under a target of estimated tokens (stages/select.py).

        What is pinned comes first, then the segments that facts need, then the best of the others.
        """
        held = pinned if self.must is None else self.must.hold(costs, target, pinned)
        status = select(
            self.analysis.table,
            scores,
            costs,
            target,
            pinned=held,
            group=self.group,
            term_ids=self.analysis.term_ids,
            term_offsets=self.analysis.term_offsets,
            term_weight=self.weight,
            redundancy=self.redundancy,
            context=self.context,
            headings=self.headings,
        )
        if held is not pinned:
            status[(status == _PINNED) & (pinned == 0)] = _PRESERVED
        return status

    def render(self, rows: Int64s) -> tuple[str, Places]:
        """The text of some segments (ascending), and the characters of it that are no source's."""
        if self.clauses:
            return render_clauses(self.texts, self.analysis.table, rows, self.request.separator)
        return render(self.texts, self.analysis.table, rows, self.request.separator), ()

    def fit(self, budget: int, kept: Fit | None = None, within: Fit | None = None) -> Fit:
        """The best choice for a budget.

        `kept`: a choice for a smaller budget, all of which stays. `within`: one for a larger budget: if no
        segment fits whole, what this one has of its segments is cut. Raises BudgetExceededError when pinned
        content or the smallest piece of any does not fit.
        """
        stays = None if kept is None else kept.status >= _FIRST_KEPT
        pinned = self.pinned if stays is None else np.maximum(self.pinned, stays.astype(np.uint8))
        prices, cuttable = self.prices, None
        if within is not None:
            cuttable = (within.status >= _FIRST_KEPT).astype(np.uint8)
            prices = self._cut_prices(within)

        def choose(costs: Int64s, target: int) -> UInt8s:
            return self.choose(self.scores, costs, target, pinned)

        fitted = fit(
            self.request,
            self.texts,
            self.analysis.table,
            self.scores,
            pinned,
            self.group,
            budget,
            self.original,
            choose,
            prices,
            cuttable,
            self.render if self.clauses else None,
        )
        if kept is None or stays is None:
            return fitted
        return replace(fitted, status=np.where(stays, kept.status, fitted.status))

    def _cut_prices(self, fitted: Fit) -> Prices:
        """The prices with only as much of a cut segment as was kept."""
        if fitted.cut is None:
            return self.prices
        row = int(is_kept(fitted.status)[0])
        pieces = self.prices.pieces.copy()
        pieces[row] = pieces[row][: fitted.cut - int(self.analysis.table.start[row])]
        return replace(self.prices, pieces=pieces)

    def result(self, fitted: Fit, budget: int) -> Compressed:
        """A choice as callers know it. Raises BudgetExceededError where it lost a fact that it may not."""
        warnings = (*self.warnings, *fitted.warnings)
        table = self.analysis.table
        result = to_result(self.request, table, self.scores, fitted, self.original, budget, warnings)
        return result if self.must is None else self.must.checked(result, fitted.status, fitted.cut)


def to_result(
    request: Request,
    table: SegmentTable,
    scores: Float32s,
    fitted: Fit,
    original: int,
    budget: int,
    warnings: tuple[str, ...],
) -> Compressed:
    """The result with its spans and its receipt."""
    receipt = verify(
        budget=budget,
        tokens=fitted.tokens,
        original_tokens=original,
        counter=str(getattr(request.counter, "name", type(request.counter).__name__)),
        status=fitted.status,
        reasons=REASONS,
        first_kept=_FIRST_KEPT,
        recounts=fitted.recounts,
        warnings=warnings,
    )
    kept = Spans(table, is_kept(fitted.status), REASONS, fitted.status, scores)
    dropped = Spans(table, np.flatnonzero(fitted.status < _FIRST_KEPT), REASONS, fitted.status, scores)
    if fitted.cut is None:
        return Compressed(fitted.text, request.documents, kept, dropped, receipt, fitted.generated)
    whole = kept[0]  # the only one: its head was kept, its rest was dropped
    head, rest = replace(whole, end=fitted.cut), replace(whole, start=fitted.cut)
    place = sum((span.document, span.start) < (whole.document, whole.start) for span in dropped)
    return Compressed(
        fitted.text, request.documents, [head], [*dropped[:place], rest, *dropped[place:]], receipt
    )
