"""Which segments have to stay so that the facts a caller asked for do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tersely.errors import BudgetExceededError
from tersely.facts import FactReport, FactTable
from tersely.stages.count import count, count_batch
from tersely.stages.facts import PRESERVABLE, choose_facts, facts_kept, find_facts, last_rows
from tersely.stages.render import render
from tersely.stages.segment import segment
from tersely.stages.select import REASONS, is_kept, mark_groups, select
from tersely.tables import Float32s, Int32s, Int64s, Level, SegmentTable, UInt8s
from tersely.types import Compressed, Request

__all__ = [
    "MustKeep",
    "check_names",
    "fact_report",
    "must_keep",
    "preserved_facts",
    "raise_lost",
    "with_facts",
]

_FIRST_KEPT = REASONS.index("selected")
_ENDLESS = 2**60


def check_names(preserve: Collection[str] | str) -> tuple[str, ...]:
    """The names, in a fixed order. Raises TypeError or ValueError for what PRESERVABLE does not have."""
    names = [preserve] if isinstance(preserve, str) else list(preserve)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"preserve must hold names, not {name!r}")
        if name not in PRESERVABLE:
            raise ValueError(f"preserve must hold some of {', '.join(PRESERVABLE)}, not {name!r}")
    return tuple(name for name in PRESERVABLE if name in names)


def preserved_facts(
    texts: Sequence[str], table: SegmentTable, level: Level, preserve: Collection[str]
) -> FactTable:
    """The facts that `preserve` names."""
    sentences = None if level is Level.SENTENCE else segment(texts, Level.SENTENCE)
    return choose_facts(texts, find_facts(texts, table, sentences), preserve)


@dataclass(frozen=True, eq=False, slots=True)
class MustKeep:
    """The facts as terms of the segments that hold them, ready to be covered.

    Attributes:
        table: the segments.
        worth: float32[n], number of distinct facts a segment holds, up to twice it for the relevant ones.
        keys, key_offsets: the facts' keys of each segment, one after another.
        weight: float32[keys], all 1.
        group, pinned: the caller's.
        wide: (document, start, end, first row, last row) of each fact that needs more than one segment.
        request: the caller's.
    """

    table: SegmentTable
    worth: Float32s
    keys: Int32s
    key_offsets: Int64s
    weight: Float32s
    group: Int32s
    pinned: UInt8s
    wide: tuple[tuple[int, int, int, int, int], ...]
    request: Request

    def rows(self, costs: Int64s, budget: int) -> Int64s:
        """Rows that cover as many distinct facts as fit, per token; the relevant ones first.

        Greedy (csrc/kernels/select/budgeted.hpp, `coverage`), what the caller pinned before all others.
        """
        status = select(
            self.table,
            (self.worth / np.maximum(costs, 1)).astype(np.float32),
            costs,
            budget,
            pinned=self.pinned,
            group=self._group(costs, budget),
            term_ids=self.keys,
            term_offsets=self.key_offsets,
            term_weight=self.weight,
            redundancy=1.0,
            coverage=True,
        )
        return is_kept(status)

    def _group(self, costs: Int64s, budget: int) -> Int32s:
        """The groups; the segments of a fact that fits into the budget stay together."""
        upto = np.concatenate(([0], np.cumsum(costs)))
        fitting = [
            [(document, start, end)]
            for document, start, end, first, last in self.wide
            if upto[last + 1] - upto[first] <= budget
        ]
        return mark_groups(self.table, [*self.request.groups, *fitting]) if fitting else self.group


def must_keep(
    request: Request,
    texts: Sequence[str],
    table: SegmentTable,
    facts: FactTable,
    scores: Float32s,
    pinned: UInt8s,
    group: Int32s,
) -> MustKeep:
    """Set up covering `facts`. O(segments + facts log facts)."""
    last = last_rows(texts, table, facts)
    pairs = np.unique(facts.segment.astype(np.int64) * max(facts.keys, 1) + facts.key)  # once a segment
    row, key = np.divmod(pairs, max(facts.keys, 1))
    held = np.bincount(row, minlength=len(table))
    top = float(scores.max(initial=0))
    relevance = np.maximum(scores, 0) / top if top > 0 else np.zeros_like(scores)
    several = np.flatnonzero(last > facts.segment)
    wide = (facts.document, facts.start, facts.end, facts.segment, last)
    return MustKeep(
        table,
        (held * (1 + relevance)).astype(np.float32),
        key.astype(np.int32),
        np.concatenate(([0], np.cumsum(held))),
        np.ones(facts.keys, dtype=np.float32),
        group,
        pinned,
        tuple(zip(*(column[several].tolist() for column in wide), strict=True)),
        request,
    )


def fact_report(result: Compressed, preserve: Collection[str]) -> FactReport:
    """What became of the facts in a result whose text is nothing but its kept spans."""
    texts = [document.text for document in result.documents]
    kept = [(span.document, span.start, span.end, int(span.kind), _FIRST_KEPT) for span in result.kept]
    reasons = list(dict.fromkeys(span.reason for span in result.dropped))
    codes = {reason: code for code, reason in enumerate(reasons)}
    dropped = [
        (span.document, span.start, span.end, int(span.kind), codes[span.reason]) for span in result.dropped
    ]
    spans = sorted((span[:4], span[4], kind) for kind, part in enumerate((dropped, kept)) for span in part)
    columns = np.array([span[0] for span in spans], dtype=np.int64).reshape(-1, 4).T
    nothing = np.zeros(len(spans), dtype=np.int32)
    table = SegmentTable(
        columns[0].astype(np.int32),
        columns[1].copy(),
        columns[2].copy(),
        columns[3].astype(np.uint8),
        nothing,
        nothing,
    )
    status = np.array([len(reasons) if kept else code for _, code, kept in spans], dtype=np.uint8)
    facts = preserved_facts(texts, table, Level.CHARACTER, preserve)
    return facts_kept(texts, table, facts, status, [*reasons, "kept"], len(reasons))


def with_facts(result: Compressed, report: FactReport) -> Compressed:
    """The result with the report in its receipt, and a warning where facts were lost."""
    warnings = (*result.receipt.warnings, *(["facts_lost"] if report.of("lost") else []))
    return replace(result, receipt=replace(result.receipt, facts=report, warnings=warnings))


def raise_lost(must: MustKeep, texts: Sequence[str], budget: int, report: FactReport) -> None:
    """Raise BudgetExceededError, with the tokens that would have been enough, where facts were lost."""
    lost = report.of("lost")
    if not lost:
        return
    table, request = must.table, must.request
    rows = zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
    costs = count_batch(request.counter, [texts[index][start:end] for index, start, end in rows])
    text = render(
        texts, table, must.rows(np.clip(costs, 1, _ENDLESS // len(costs)), _ENDLESS), request.separator
    )
    required = max(count(request.counter, text), budget + 1)
    raise BudgetExceededError(
        f"{len(lost)} facts that must be preserved do not fit into {budget} tokens (the first: "
        f"{lost[0].text[:60]!r}); {required} would do",
        required=required,
        budget=budget,
    )
