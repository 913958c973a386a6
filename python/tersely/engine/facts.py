"""Find facts (numbers, names, code, decisions ...), keep those that matter, and report each."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.engine.reading import MOST_TOKENS, is_kept, segment
from tersely.kernels.checks import united
from tersely.types import (
    PRESERVABLE,
    Compressed,
    Fact,
    FactKind,
    FactReport,
    FactTable,
    Float32s,
    Float64s,
    Int32s,
    Int64s,
    Level,
    SegmentTable,
    SourceFacts,
    Span,
    Spans,
    UInt8s,
    pieces,
    span_columns,
)

# Kinds that a model's text may not have on its own, and those that are words alone.
_MADE_UP = {
    kind for name in ("numbers", "names", "paths", "urls", "identifiers") for kind in PRESERVABLE[name]
}
_IN_WORDS = {
    kind
    for name in ("names", "quotes", "negations", "obligations", "decisions")
    for kind in PRESERVABLE[name]
}
_BLOCK_CHARACTERS = 3  # of a fenced block that count as much as a fact: it goes before what is around it
_WORD = re.compile(r"\w+")
_BACKTICK = re.compile("`")


def find_facts(texts: Sequence[str], table: SegmentTable, sentences: SegmentTable | None = None) -> FactTable:
    """Find the facts of texts (csrc/kernels/text/facts.hpp says what they are).

    `table`: the segments that `FactTable.segment` counts. `sentences`: the same texts cut at the level
    SENTENCE, where `table` is not. O(characters), one native pass with the GIL released.
    """
    given = table if sentences is None else sentences
    kind, document, start, end, segment, last, key, keys, weight = _native.find_facts(
        list(texts), given.document, given.start, given.end, given.kind, given.block
    )
    if sentences is not None:
        segment = rows_at(table, document, start)
        last = rows_at(table, document, end - 1)
    return FactTable(kind, document, start, end, segment, last, key, keys, weight)


def fact_keys(texts: Sequence[str], facts: FactTable) -> list[bytes]:
    """Return a key for each fact: equal facts of any texts have equal keys. O(characters of facts)."""
    return _native.fact_keys(facts.kind, pieces(texts, facts.document, facts.start, facts.end))


_COLUMNS = attrgetter("kind", "document", "start", "end", "segment", "last", "key", "weight")


def joined_facts(facts: FactTable, more: FactTable) -> FactTable:
    """Return facts, and `more` behind them, whose keys count on from theirs. O(facts)."""
    pairs: list[Any] = list(zip(*map(_COLUMNS, (facts, more)), strict=True))
    *columns, weight = map(np.concatenate, pairs)
    made: list[Any] = [*columns, more.keys, weight]
    return FactTable(*made)


_KINDS = tuple(FactKind)


def list_facts(texts: Sequence[str]) -> list[Fact]:
    """Every occurrence of every fact, in source order, its outcome "found"."""
    facts = find_facts(texts, segment(texts))
    columns = (facts.kind, facts.document, facts.start, facts.end)
    lists = [column.tolist() for column in columns]  # numbers may have a fact a digit
    return [
        Fact(_KINDS[kind], texts[document][start:end], document, start, end, "found")
        for kind, document, start, end in zip(*lists, strict=True)
    ]


def choose_facts(texts: Sequence[str], facts: FactTable, names: Collection[str]) -> FactTable:
    """Return the facts of the kinds in `names` (keys of PRESERVABLE); their keys are numbered anew."""
    chosen = facts.rows(is_named(texts, facts, names))
    old, key = np.unique(chosen.key, return_inverse=True)  # still in order of first occurrence
    return replace(chosen, key=key.astype(np.int32), keys=len(old))


def is_named(texts: Sequence[str], facts: FactTable, names: Collection[str]) -> npt.NDArray[np.bool_]:
    """bool[m]: whether each fact is of a kind in `names` (keys of PRESERVABLE)."""
    chosen = np.zeros(len(FactKind), dtype=bool)
    chosen[[int(kind) for name in names for kind in PRESERVABLE[name]]] = True
    wanted: npt.NDArray[np.bool_] = chosen[facts.kind]
    if "code" in names and "all" not in names:
        wanted |= _in_backticks(texts, facts)
    return wanted


def check_names(preserve: Collection[str] | str) -> tuple[str, ...]:
    """The names in a fixed order. Raises TypeError or ValueError for one that is not in PRESERVABLE."""
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
    texts: Sequence[str], table: SegmentTable, level: Level, preserve: Collection[str]
) -> FactTable:
    """The facts that `preserve` names. `level`: at which `table` is cut."""
    sentences = None if level is Level.SENTENCE else segment(texts)
    return choose_facts(texts, find_facts(texts, table, sentences), preserve)


@dataclass(frozen=True, eq=False, slots=True)
class FactCoverage:
    """Facts that are to be preserved, as terms of the units that hold them.

    Attributes:
        facts: those to be preserved.
        preserve, strict: the names that were asked for, and whether a lost fact is an error.
        share: of the budget that units may take for the facts in them, where not all facts fit.
        strictly: whether they may not take more where all do.
        keys, key_offsets: int32, int64[n + 1], the facts of each unit, each once (rows of CSR).
        weight: float32[keys], of each fact: what it says in its text, less where it is stated often.
        worth: float64[n], of each unit: the weight of its facts, by its relevance or how far its words stand
            alone; a fenced block counts as many as it is long, so that it stays if it fits.
        first, last: int64[k], units of facts that need several.
        grouped: whether the caller has groups.
    """

    facts: FactTable
    preserve: tuple[str, ...]
    strict: bool
    share: float
    strictly: bool
    keys: Int32s
    key_offsets: Int64s
    weight: Float32s
    worth: Float64s
    first: Int64s
    last: Int64s

    @staticmethod
    def of(
        facts: FactTable,
        units: int,
        factor: Float32s | None,
        preserve: tuple[str, ...],
        strict: bool,
        share: float,
        strictly: bool,
    ) -> FactCoverage:
        """Sort the facts by units. O(units + facts log facts).

        `units`: how many there are. `factor`: float32[n], on what the facts of each unit count; None: 1.
        """
        many = max(facts.keys, 1)
        held = np.sort(facts.segment.astype(np.int64) * many + facts.key)
        row, key = np.divmod(held[np.flatnonzero(np.diff(held, prepend=-1))], many)
        weight = np.zeros(many, dtype=np.float32)
        np.maximum.at(
            weight, facts.key, _native.weights_in_text(facts.kind, facts.segment, facts.weight, units)
        )
        weight /= np.maximum(np.bincount(facts.key, minlength=many), 1)
        weights = np.bincount(row, weight[key], minlength=units)
        block = facts.kind == FactKind.FENCED_CODE
        length = (facts.end - facts.start)[block] / _BLOCK_CHARACTERS
        lengths: Float64s = np.bincount(facts.segment[block], length, minlength=units).astype(np.float64)
        several = facts.last > facts.segment
        return FactCoverage(
            facts,
            preserve,
            strict,
            share,
            strictly,
            key.astype(np.int32),
            np.concatenate(([0], np.cumsum(np.bincount(row, minlength=units)))),
            weight,
            np.asarray((weights + lengths) * (1.0 if factor is None else factor), dtype=np.float64),
            facts.segment[several].astype(np.int64),
            facts.last[several].astype(np.int64),
        )

    def hold(
        self,
        document: Int32s,
        costs: Int64s,
        budget: int,
        pinned: UInt8s,
        group: Int32s,
        favour: Float32s | None = None,
    ) -> UInt8s:
        """uint8[n]: 1 for pinned units, and for those that cover most of the facts' weight per token.

        Where all facts need more than the budget, each token too many leaves two to other units, down
        to the share: facts that a text is full of must not cost it all else.
        `favour`: float32[n], factors on what the facts of each unit count. Greedy
        (csrc/kernels/select/budgeted.hpp, `coverage`).
        """
        if len(self.keys) == 0:
            return pinned
        if self.share < 1:
            least, room = int(self.share * budget), int(costs[pinned > 0].sum())
            if not self.strictly:
                every = self._cover(document, costs, 2 * budget, pinned, group, favour)
                least = max(least, 3 * budget - 2 * int(costs[every > 0].sum()))
            budget = min(budget, room + least)
        return self._cover(document, costs, budget, pinned, group, favour)

    def _cover(
        self,
        document: Int32s,
        costs: Int64s,
        budget: int,
        pinned: UInt8s,
        group: Int32s,
        favour: Float32s | None,
    ) -> UInt8s:
        worth = self.worth if favour is None else self.worth * favour
        status = _native.Choice(
            document=document,
            score=(worth / np.maximum(costs, 1)).astype(np.float32),
            cost=costs,
            pinned=pinned,
            group=self.tied(costs, budget, group),
            term_ids=self.keys,
            term_offsets=self.key_offsets,
            term_weight=self.weight,
            redundancy=1.0,
            coverage=True,
        ).select(min(budget, MOST_TOKENS))
        held = pinned.copy()
        held[is_kept(status)] = 1
        return held

    def tied(self, costs: Int64s, budget: int, group: Int32s) -> Int32s:
        """int32[n]: the groups; the units of a fact that fits into the budget stay together. O(units)."""
        first, last = self.first, self.last
        if len(first) == 0:
            return group
        upto = np.concatenate(([0], np.cumsum(costs)))
        fits = upto[last + 1] - upto[first] <= budget
        size = len(costs)
        step = np.bincount(first[fits], minlength=size) - np.bincount(last[fits], minlength=size)
        tied = np.cumsum(step) > 0  # to the next unit
        follows = np.concatenate(([False], tied[:-1]))
        lowest = np.maximum.accumulate(np.where(follows, 0, np.arange(size)))
        runs = np.where(tied | follows, lowest, -1).astype(np.int32)
        if not (group >= 0).any():
            return runs
        return _joined_groups(group, runs)


def _joined_groups(one: Int32s, other: Int32s) -> Int32s:
    """int32[n]: groups such that units of one group in either stay together. O(n)."""
    members, firsts = [], []
    for group in (one, other):
        member = np.flatnonzero(group >= 0)
        first = np.zeros(len(one), dtype=np.int64)
        first[group[member]] = member
        members.append(member)
        firsts.append(first[group[member]])
    label = united(len(one), np.concatenate(firsts), np.concatenate(members))
    return np.where((one >= 0) | (other >= 0), label, -1).astype(np.int32)


def _in_backticks(texts: Sequence[str], facts: FactTable) -> npt.NDArray[np.bool_]:
    """bool[m]: whether each fact is between backticks."""
    first = np.cumsum([0, *map(len, texts)], dtype=np.int64)  # of each document, all in one row
    marks = [first[i] + match.start() for i, text in enumerate(texts) for match in _BACKTICK.finditer(text)]
    if not marks:
        return np.zeros(len(facts), dtype=bool)
    at = np.array([*marks, np.iinfo(np.int64).max])
    before, behind = first[facts.document] + facts.start - 1, first[facts.document] + facts.end
    stands: npt.NDArray[np.bool_] = (at[np.searchsorted(at, before)] == before) & (
        at[np.searchsorted(at, behind)] == behind
    )
    stands &= (facts.start > 0) & (behind < first[facts.document + 1])
    return stands


def rows_at(table: SegmentTable, document: Int32s, at: Int64s) -> Int32s:
    """int32[m]: the row of the segment in which the character `at` of a document lies. O(m log segments).

    The first one's of its document before it, where white space stands, or a mark of the order of bytes.
    """
    return _native.rows_at(table.document, table.start, document, at)


def facts_kept(
    texts: Sequence[str],
    facts: FactTable,
    status: UInt8s,
    reasons: Sequence[str],
    first_kept: int,
) -> FactReport:
    """Report the facts of a verbatim result, where whole segments were kept.

    A fact is kept when all segments of one of its occurrences are; the reason of a lost one is that of the
    first segment that was dropped of its first occurrence. `status`: an index into `reasons` for each
    segment, kept from `first_kept` on. O(segments + facts).
    """
    dropped = np.concatenate(([0], np.cumsum(status < first_kept)))
    whole = dropped[facts.last + 1] == dropped[facts.segment]
    kept = np.zeros(facts.keys, dtype=bool)
    kept[facts.key[whole]] = True
    first = np.full(facts.keys, len(facts))
    np.minimum.at(first, facts.key, np.arange(len(facts)))
    first = np.sort(first[first < len(facts)])
    lacking = dropped.searchsorted(dropped[facts.segment[first]] + 1) - 1
    codes = status[np.minimum(lacking, len(status) - 1)]
    return FactReport(SourceFacts(tuple(texts), facts, first, ~kept[facts.key[first]], codes, tuple(reasons)))


def facts_after(
    sources: Sequence[str], text: str, reinserted: Sequence[tuple[int, int, int]] = ()
) -> FactReport:
    """Report which facts of `sources` a model's `text` states, and which it made up.

    A fact is kept where `text` has one with its key, or has it verbatim but for case and white space; its
    outcome is "reinserted" where an occurrence of it touches one of the (document, start, end) of
    `reinserted`. "unsupported" are numbers, dates, versions, names, paths, URLs and identifiers of `text`
    that no source has; a name is supported where the sources have all its words. O(characters + facts).
    """
    texts = [*sources, text]
    facts = find_facts(texts, segment(texts))
    written = facts.document == len(sources)
    has, had, again = np.zeros((3, facts.keys), dtype=bool)
    has[facts.key[written]] = True
    had[facts.key[~written]] = True
    for document, begin, end in reinserted:
        inside = (facts.document == document) & (facts.start < end) & (facts.end > begin)
        again[facts.key[inside]] = True
    _, first = np.unique(facts.key, return_index=True)
    unsure = (had & ~has).nonzero()[0]
    has[unsure] = _stated([text], [facts.fact(texts, row, "kept") for row in first[unsure].tolist()])
    found = []
    for key, row in enumerate(first.tolist()):
        if had[key]:
            outcome = ("reinserted" if again[key] else "kept",) if has[key] else ("lost", "rewritten")
            found.append(facts.fact(texts, row, *outcome))
    return FactReport([*found, *_made_up(texts, facts)])


def _made_up(texts: Sequence[str], facts: FactTable) -> list[Fact]:
    """List the facts of the last text that no text before it has."""
    _, first = np.unique(facts.key, return_index=True)
    new = first[facts.document[first] == len(texts) - 1]
    rows = [row for row, kind in zip(new.tolist(), facts.kind[new].tolist(), strict=True) if kind in _MADE_UP]
    written = [facts.fact(texts, row, "unsupported") for row in rows]
    return [
        Fact(fact.kind, fact.text, -1, -1, -1, "unsupported")
        for fact, stated in zip(written, _stated(texts[:-1], written), strict=True)
        if not stated
    ]


def _stated(texts: Sequence[str], facts: Sequence[Fact]) -> list[bool]:
    """Whether texts have each of some facts, whatever case and white space; for a name, all its words."""
    if not facts:
        return []
    forms = [
        _words(fact.text) if fact.kind in _IN_WORDS else " ".join(fact.text.casefold().strip("`").split())
        for fact in facts
    ]
    words = " ".join(map(_words, texts))
    plain, in_words = standing(" ".join(" ".join(texts).casefold().split()), forms), standing(words, forms)
    known = set(words.split())
    return [
        fact.kind is not FactKind.FENCED_CODE  # to the letter, or not at all: its key says it
        and (form in (in_words if fact.kind in _IN_WORDS else plain)
             or (fact.kind is FactKind.NAME and known.issuperset(form.split())))
        for fact, form in zip(facts, forms, strict=True)
    ]  # fmt: skip


def standing(text: str, wanted: Iterable[str]) -> set[str]:
    """Return those of some strings that a text has to the letter, no part of longer words or numbers.

    None without a word. O(characters).
    """
    strings = list(filter(_WORD.search, set(wanted)))
    return set(map(strings.__getitem__, _native.occurrences([text], strings, alone=True)[0].tolist()))


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def fact_report(result: Compressed, preserve: Collection[str]) -> FactReport:
    """Report the facts of a result whose text is nothing but its kept spans."""
    texts = [document.text for document in result.documents]
    kept, dropped = span_columns(result.kept), span_columns(result.dropped)
    codes, reasons = _reason_codes(result.dropped)
    columns = np.concatenate((dropped, kept), axis=1)
    status = np.full(columns.shape[1], len(reasons), dtype=np.uint8)
    status[: len(codes)] = codes
    order = np.lexsort(columns[::-1])
    document, start, end, kind = columns[:, order]
    nothing = np.zeros(len(order), dtype=np.int32)
    table = SegmentTable(document.astype(np.int32), start, end, kind.astype(np.uint8), nothing, nothing)
    facts = preserved_facts(texts, table, Level.CHARACTER, preserve)
    return facts_kept(texts, facts, status[order], [*reasons, "kept"], len(reasons))


def _reason_codes(spans: Sequence[Span]) -> tuple[npt.NDArray[Any], list[str]]:
    """A number for the reason of each span, and the reasons by number, in the order of the spans."""
    if not isinstance(spans, Spans):
        reasons = list(dict.fromkeys(span.reason for span in spans))
        return np.array([reasons.index(span.reason) for span in spans], dtype=np.int64), reasons
    used, first, codes = np.unique(spans.codes[spans.rows], return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[codes], [spans.reasons[code] for code in used[order]]


def with_facts(result: Compressed, report: FactReport, lost: int | None = None) -> Compressed:
    """The result with the report in its receipt, and a warning where facts were lost.

    `lost`: how many, where the report need not be looked at for it.
    """
    gone = report.number("lost") if lost is None else lost
    warnings = (*result.receipt.warnings, *(["facts_lost"] if gone else []))
    return replace(result, receipt=replace(result.receipt, facts=report, warnings=warnings))
