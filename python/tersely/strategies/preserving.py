"""Which segments have to stay so that the facts a caller asked for do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tersely.errors import BudgetExceededError
from tersely.facts import FactReport, FactTable
from tersely.stages.count import count, count_batch
from tersely.stages.facts import PRESERVABLE, choose_facts, facts_kept, find_facts
from tersely.stages.render import render
from tersely.stages.segment import segment
from tersely.stages.select import REASONS, is_kept, mark_groups, mark_pinned, select
from tersely.strategies.splicing import offsets_of
from tersely.tables import Float32s, Float64s, Int32s, Int64s, Level, SegmentTable, UInt8s
from tersely.types import Compressed, Request

__all__ = ["MustKeep", "check_names", "fact_report", "preserved_facts", "with_facts"]

_FIRST_KEPT = REASONS.index("selected")
_ENDLESS = 2**60


def check_names(preserve: Collection[str] | str) -> tuple[str, ...]:
    """The names, in a fixed order. Raises TypeError or ValueError for what PRESERVABLE does not have."""
    if not isinstance(preserve, Iterable):
        raise TypeError(f"preserve must be a name or a list of names, not {type(preserve).__name__}")
    names = [preserve] if isinstance(preserve, str) else list(preserve)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"preserve must hold names, not {name!r}")
        if name not in PRESERVABLE:
            raise ValueError(f"preserve must hold some of {', '.join(PRESERVABLE)}, not {name!r}")
    return tuple(name for name in PRESERVABLE if name in names)


def preserved_facts(
    texts: Sequence[str],
    table: SegmentTable,
    level: Level,
    preserve: Collection[str],
    sentences: SegmentTable | None = None,
) -> FactTable:
    """The facts that `preserve` names. `sentences`: of the texts, where they were read already."""
    if level is not Level.SENTENCE and sentences is None:
        sentences = segment(texts, Level.SENTENCE)
    return choose_facts(texts, find_facts(texts, table, sentences), preserve)


@dataclass(frozen=True, eq=False, slots=True)
class MustKeep:
    """Facts that are to be preserved, as terms of the segments that hold them.

    Attributes:
        request, texts, table: what was asked, the documents' texts, their segments.
        facts: those to be preserved.
        scores: float32[n], what each segment is worth per token.
        group: int32[n], what stays together.
        preserve, strict: the names that were asked for, and whether a lost fact is an error.
    """

    request: Request
    texts: Sequence[str]
    table: SegmentTable
    facts: FactTable
    scores: Float32s
    group: Int32s
    preserve: tuple[str, ...]
    strict: bool
    _keys: Int32s = field(init=False)  # of each segment, one after another, each once
    _key_offsets: Int64s = field(init=False)
    _key_weight: Float32s = field(init=False)  # 1 for each
    _worth: Float64s = field(init=False)  # of each segment: its facts, by its relevance
    _wide: tuple[Int64s, Int64s] = field(init=False)  # first and last segment of facts that need several

    def __post_init__(self) -> None:
        """Sort the facts by segments. O(segments + facts log facts)."""
        facts, keys = self.facts, max(self.facts.keys, 1)
        held = np.sort(facts.segment.astype(np.int64) * keys + facts.key)
        row, key = np.divmod(held[np.flatnonzero(np.diff(held, prepend=-1))], keys)
        number = np.bincount(row, minlength=len(self.table))
        several = facts.last > facts.segment
        wide = facts.segment[several].astype(np.int64), facts.last[several].astype(np.int64)
        top = float(self.scores.max(initial=0))
        relevance = np.maximum(self.scores, 0) / top if top > 0 else 0.0
        object.__setattr__(self, "_keys", key.astype(np.int32))
        object.__setattr__(self, "_key_offsets", offsets_of(number))
        object.__setattr__(self, "_key_weight", np.ones(facts.keys, dtype=np.float32))
        object.__setattr__(self, "_worth", number * (1 + relevance))
        object.__setattr__(self, "_wide", wide)

    def hold(self, costs: Int64s, budget: int, pinned: UInt8s) -> UInt8s:
        """uint8[n]: 1 for what is pinned, and for segments that cover the most distinct facts per token.

        The facts of the most relevant segment count twice those of one that has nothing to do with the query.
        Greedy (csrc/kernels/select/budgeted.hpp, `coverage`).
        """
        status = select(
            self.table,
            (self._worth / np.maximum(costs, 1)).astype(np.float32),
            costs,
            budget,
            pinned=pinned,
            group=self.tied(costs, budget),
            term_ids=self._keys,
            term_offsets=self._key_offsets,
            term_weight=self._key_weight,
            redundancy=1.0,
            coverage=True,
        )
        held = pinned.copy()
        held[is_kept(status)] = 1
        return held

    def tied(self, costs: Int64s, budget: int) -> Int32s:
        """int32[n]: the groups; the segments of a fact that fits into the budget stay together.

        O(segments) where the caller has no groups.
        """
        first, last = self._wide
        if len(first) == 0:
            return self.group
        upto = np.concatenate(([0], np.cumsum(costs)))
        fits = upto[last + 1] - upto[first] <= budget
        if self.request.groups:
            table = self.table
            rows = zip(first[fits].tolist(), last[fits].tolist(), strict=True)
            spans = [[(int(table.document[a]), int(table.start[a]), int(table.end[b]))] for a, b in rows]
            return mark_groups(table, [*self.request.groups, *spans])
        size = len(self.table)
        step = np.bincount(first[fits], minlength=size) - np.bincount(last[fits], minlength=size)
        tied = np.cumsum(step) > 0  # to the next segment
        follows = np.concatenate(([False], tied[:-1]))
        lowest = np.maximum.accumulate(np.where(follows, 0, np.arange(size)))
        return np.where(tied | follows, lowest, -1).astype(np.int32)

    def checked(self, result: Compressed, status: UInt8s, cut: int | None) -> Compressed:
        """The result with what became of the facts in its receipt.

        `status`, `cut`: of the segments (strategies/fitting.py). Raises BudgetExceededError where facts were
        lost and that is an error; `.required` tokens would have been enough.
        """
        if cut is None:
            report = facts_kept(self.texts, self.facts, status, REASONS, _FIRST_KEPT)
        else:
            report = fact_report(result, self.preserve)
        if self.strict and (lost := report.of("lost")):
            budget = result.receipt.budget
            required = max(self._required(), budget + 1)
            raise BudgetExceededError(
                f"{len(lost)} facts that must be preserved do not fit into {budget} tokens (the first: "
                f"{lost[0].text[:60]!r}); {required} would do",
                required=required,
                budget=budget,
            )
        return with_facts(result, report)

    def _required(self) -> int:
        """Tokens of what is pinned and of segments with all facts."""
        table, counter = self.table, self.request.counter
        rows = zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
        counts = count_batch(counter, [self.texts[index][start:end] for index, start, end in rows])
        costs = np.clip(counts, 1, _ENDLESS // len(counts))
        needed = np.flatnonzero(self.hold(costs, _ENDLESS, mark_pinned(table, self.request.pinned)))
        return count(counter, render(self.texts, table, needed, self.request.separator))


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
    return facts_kept(texts, facts, status, [*reasons, "kept"], len(reasons))


def with_facts(result: Compressed, report: FactReport) -> Compressed:
    """The result with the report in its receipt, and a warning where facts were lost."""
    warnings = (*result.receipt.warnings, *(["facts_lost"] if report.number("lost") else []))
    return replace(result, receipt=replace(result.receipt, facts=report, warnings=warnings))
