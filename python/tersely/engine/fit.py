"""Fit units into a budget: choose under a target, write, count the text, correct the target.

The token counts of units are estimates, because tokenizers are not additive; the count of the final text
decides. The only such loop is `Choice.search` (csrc/kernels/write/fitting.hpp).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from operator import attrgetter
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from tersely import _native, checks
from tersely.content.units import Lines, Nested
from tersely.engine.reading import (
    CUT_MARK,
    FIRST_KEPT,
    MOST_TOKENS,
    REASONS,
    Reading,
    count,
    count_batch,
    count_sent,
    is_kept,
    least_prefix,
    longest_prefix,
    prices_of_headings,
)
from tersely.engine.render import Places, Rendered, Wording, layout_of, noted, render
from tersely.errors import BudgetExceededError
from tersely.models.counters import TOKEN_TABLES, BytePairCounter, CallableCounter
from tersely.types import Float32s, Int64s, UInt8s

_ADDITIVE = 0.1  # share by which the sum of the parts may differ from the whole without a warning
_GUESSED_ADDITIVE = 0.5  # the same where the parts are estimates
_GIST, _GIST_UNITS = 0.1, 30  # of a text of so many units, that goes by what it is about before facts do
_COUNTS_SHARE, _COUNT_SHARE = 0.1, 0.05  # of the budget: more is too much for counts in each place, for one
_FEW_COUNTS = 2  # that give way only to a unit that is worth more
_CUT, _SELECTED, _PINNED, _PRESERVED = (
    REASONS.index(name) for name in ("cut", "selected", "pinned", "preserved")
)


@checks.quick
@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """A text within the budget."""

    rendered: Rendered  #: the text, the part of each document in it, and the characters that are no source's
    tokens: int  #: its count
    status: UInt8s  #: uint8[n], an index into REASONS for each unit
    cut: int | None  #: where the only kept unit was cut (a character of its document), or None
    recounts: int  #: texts counted
    warnings: tuple[str, ...] = ()  #: reason codes
    #: tokens left, where they are more than half of the budget and pieces of text or code that say something
    #: new are larger; else 0
    room: int = 0


def fit(
    reading: Reading,
    budget: int,
    *,
    kept: UInt8s | None = None,
    within: Fit | None = None,
    floors: Sequence[int] | None = None,
    caps: Sequence[int] | None = None,
    favour: Float32s | None = None,
    cuts_lines: bool = False,
) -> Fit:
    """The best choice of units whose final text counts at most `budget`.

    Args:
        reading: the units and their worth.
        budget: tokens allowed for the whole text.
        kept: uint8[n] codes of an earlier choice, all of which stays (levels that nest, kept prefixes).
        within: a choice for a larger budget: if no unit fits whole, what this one has of its units is cut.
        floors, caps: tokens that each document gets at least (as far as it can use them), and at most.
        favour: float32[n], factors on what units are worth; with 0 a unit stays out.
        cuts_lines: whether the best of the lines that are larger than what is left of the budget is cut,
            where that is more than half.

    Raises BudgetExceededError when pinned units, or the smallest unit of any, do not fit; its `.required` is
    an estimate, which `with_required` makes sure of. O(units log units + characters kept) a round.
    """
    fitting = _Fitting(reading, budget, kept, within, floors, caps, favour)
    fitted = fitting.run()
    essential = reading.essential
    some_left = essential is not None and fitting.essential_in(fitted) < np.count_nonzero(essential)
    if some_left and fitting.heads is not None and 8 * fitted.tokens < 7 * budget:
        # What is essential fits by itself, not with its heads: no target lies between some of it and all.
        by_worth = replace(reading, essential=None, must=None)
        other = _Fitting(by_worth, budget, kept, within, floors, caps, favour).run()
        fitted = max(fitted, other, key=attrgetter("tokens"))
    if fitted.cut is None and budget - fitted.tokens > budget // 2:
        if cuts_lines:
            fitted = fitting.with_cut_line(fitted)
        fitted = fitting.with_unused(fitted)
    return fitted


def choose(reading: Reading, target: int) -> UInt8s:
    """uint8[n]: the codes of the best choice under a target of estimated tokens, not written or counted."""
    fitting = _Fitting(reading, target, None, None, None, None, None)
    return fitting.choice.choose(min(target, MOST_TOKENS), None, fitting.preserve())[0]


class _Fitting:
    def __init__(
        self,
        reading: Reading,
        budget: int,
        kept: UInt8s | None,
        within: Fit | None,
        floors: Sequence[int] | None,
        caps: Sequence[int] | None,
        favour: Float32s | None,
    ) -> None:
        self.reading, self.budget, self.within = reading, budget, within
        self.table, self.kept, self.pinned, self.favour = reading.table, kept, reading.pinned, favour
        if kept is not None:
            self.pinned = np.maximum(self.pinned, (kept >= FIRST_KEPT).astype(np.uint8))
        self.prices, self.same = reading.prices(), reading.same()
        self.heads = None if reading.request.frame is None else prices_of_headings(reading.request)
        gist, self.gist_room = reading.worth, 0
        if reading.gist is not None and not reading.ranked and len(reading.gist) >= _GIST_UNITS:
            gist, self.gist_room = reading.gist, int(_GIST * reading.original)
        worth = gist if budget <= self.gist_room else reading.worth
        self.worth, self.gist = worth, gist
        self.costs = self.prices.costs  # that a choice goes by
        if favour is not None:
            self.worth, self.gist = worth * favour, gist * favour
            if not favour.all():
                never = min(4 * budget + 1, MOST_TOKENS // len(self.table))
                self.costs = np.where(favour == 0, never, self.costs)
        self.floors, self.caps = floors, None if caps is None else np.asarray(caps, dtype=np.int64)
        self.layout = layout_of(reading)
        self.choice = self._choice()
        self.counted = 0  # texts, by Python
        self.alone: dict[int, Fit | None] = {}  # units that were tried alone

    def run(self) -> Fit:
        if len(self.worth) == 0:
            return self._leave_all_out(("nothing_to_keep",))
        if len(self.pinned.nonzero()[0]):
            self._check_pinned()
        if self.floors is not None:
            self.floors = self._estimated_floors(self.floors)
        fitted = self._search(Wording.FULL)
        if self.reading.ranked:
            fitted = self._say_less(fitted)
        if self.reading.forms:
            fitted = self._say_total(fitted)
        if fitted is None and self.reading.optional:
            fitted = self._smallest() or self._leave_all_out()
        fitted = fitted or self._unmarked() or self._cut()
        if self.kept is not None:
            fitted = replace(fitted, status=np.where(self.kept < FIRST_KEPT, fitted.status, self.kept))
        if self.prices.exact and not self.reading.pages:  # else the units are not all of the whole
            original = self.reading.original
            off = abs(original - int(np.add.reduce(self.prices.counts)))
            guessed = isinstance(self.reading.request.counter, CallableCounter)
            most = _GUESSED_ADDITIVE if guessed else _ADDITIVE
            if off > original * most + len(self.worth):  # white space may be a token each
                return replace(fitted, warnings=(*fitted.warnings, "counter_not_additive"))
        return fitted

    def with_unused(self, fitted: Fit) -> Fit:
        """The choice with its `Fit.room`, and a warning where what is left out is larger than the rest of the
        budget, which is most of it."""
        room = self.budget - fitted.tokens
        if room <= self.budget // 2 or fitted.cut is not None:  # a line was cut
            return fitted
        reading, table, new = self.reading, self.table, self._larger(fitted, room)
        large = (fitted.status < FIRST_KEPT) & (self.prices.counts > room)
        left = np.zeros(len(table), dtype=bool)
        for region in reading.regions:
            rows, form = slice(region.first, region.last), region.form
            if form is None:
                left[rows] = new[rows]
            elif isinstance(form, Nested) and form.cut:
                lines, text = large[rows].nonzero()[0] + region.first, reading.texts[region.document]
                places = zip(
                    lines.tolist(), table.start[lines].tolist(), table.end[lines].tolist(), strict=True
                )
                left[[row for row, start, end in places if "\n" in text[start:end]]] = True
        if not (left | new).any():
            return fitted
        warnings = (*fitted.warnings, "larger_left_out")
        return replace(fitted, room=room if left.any() else 0, warnings=warnings)

    def _larger(self, fitted: Fit, room: int) -> npt.NDArray[np.bool_]:
        """bool[n]: units left out, in no group, that say something new and have more tokens than `room`."""
        reading = self.reading
        out = (fitted.status < FIRST_KEPT) & (reading.group < 0) & (self.worth > 0)
        if len(self.same):
            out &= ~np.isin(self.same, self.same[is_kept(fitted.status)])
        if reading.bulk is not None:
            out &= ~reading.bulk
        larger: npt.NDArray[np.bool_] = out & (self.prices.counts > room)
        return larger

    def with_cut_line(self, fitted: Fit) -> Fit:
        """The choice with the start of the best line that is larger than the room, where that is most of the
        budget."""
        reading, table, room = self.reading, self.table, self.budget - fitted.tokens
        if not reading.forms or self.caps is not None:
            return fitted
        possible = self._larger(fitted, room)
        if len(reading.needs):  # of those that need nothing that is out
            possible &= (reading.needs < 0) | (fitted.status[reading.needs] >= FIRST_KEPT)
        for region in reading.regions:
            possible[region.first : region.last] &= isinstance(region.form, Lines)
        # What is behind a cut would stand as the gap before a kept line that follows.
        follows = (table.document[1:] == table.document[:-1]) & (fitted.status[1:] >= FIRST_KEPT)
        possible[:-1] &= ~follows
        best = self._best_first(np.flatnonzero(possible))[:1]
        if len(best) == 0 or "\n" in (piece := self._piece(row := int(best[0]))) or piece.isspace():
            return fitted
        status = fitted.status.copy()
        status[row] = _CUT
        regions = tuple(noted(one, row) if one.first <= row < one.last else one for one in reading.regions)

        def written(size: int) -> Rendered:
            end = table.end.copy()
            end[row] = table.start[row] + size
            return render(replace(reading, table=replace(table, end=end), regions=regions), status)

        size, mark = longest_prefix(
            piece, lambda text: self._measure(written(max(len(text) - len(CUT_MARK), 0))), self.budget
        )
        rendered = written(size)
        tokens = self._measure(rendered)
        if not mark or tokens > self.budget:
            return fitted
        cut, warnings = int(table.start[row]) + size, (*fitted.warnings, "segments_cut")
        return Fit(rendered, tokens, status, cut, self.recounts, warnings)

    def _choice(self) -> _native.Choice:
        """The units with their worth and the constraints of a choice."""
        reading, table, rules = self.reading, self.table, dict[str, Any]()
        request = reading.request
        if request.frame is None and isinstance(request.counter, BytePairCounter):
            rules["counter"] = TOKEN_TABLES[request.counter.encoding]  # what is written is what is sent
        else:
            rules["counter"] = partial(count_sent, request)
        if reading.by_query:  # headings are not selected with nothing under them
            rules["kind"], rules["above"] = table.kind, table.heading
        for name, rows in (("essential", reading.essential), ("auxiliary", reading.auxiliary)):
            if rows is not None:
                rules[name] = rows.view(np.uint8)
        if reading.leading:
            rules["leading"] = np.array(reading.leading, dtype=np.int64).ravel()
            rules["leading_share"] = reading.leading_share
        if reading.fences:
            rules["fences"] = np.array(reading.fences, dtype=np.int64).ravel()
        if reading.ranked:
            rules["bare"], rules["fill"] = reading.unmarked(), not reading.request.groups
        if self.heads is not None:
            rules["head_cost"], rules["head_above"] = self.heads.costs, self.heads.above
            rules["head_of"] = self.heads.of
        return _native.Choice(
            document=table.document,
            start=table.start,
            end=table.end,
            score=self.worth,
            gist=self.gist,
            gist_room=self.gist_room,
            cost=self.costs,
            price=self.prices.costs,
            pinned=self.pinned,
            group=reading.group,
            heading=reading.needs,
            term_ids=reading.term_ids,
            term_offsets=reading.term_offsets,
            term_weight=reading.term_weight,
            redundancy=reading.redundancy,
            context=min(reading.context, len(table.start)),
            ranked=reading.ranked,
            cap=self.caps,
            same=self.same,
            layout=self.layout,
            original=reading.original,
            **rules,
        )

    def preserve(self) -> Callable[[UInt8s, int], UInt8s] | None:
        """What holds units for the facts in them; None: nobody asked for facts."""
        return None if self.reading.must is None else self._hold_facts

    def _hold_facts(self, held: UInt8s, target: int) -> UInt8s:
        """Hold units with facts to preserve, too."""
        must, essential = self.reading.must, self.reading.essential
        assert must is not None
        if essential is not None and not self.reading.ranked and not held[essential].all():
            return held  # what is essential does not fit, and goes before facts
        return must.hold(self.table.document, self.costs, target, held, self.reading.group, self.favour)

    def _estimated_floors(self, floors: Sequence[int]) -> list[int]:
        """Floors in tokens as units are estimated: with markers, and what fills gaps, parts are longer."""
        held = self._hold_floors(self.pinned, self.budget)
        table, costs = self.table, self.prices.costs
        estimates = np.zeros(len(floors), dtype=np.int64)
        np.add.at(estimates, table.document, np.where(held > 0, costs, 0))
        status = np.where(held > 0, _SELECTED, 0).astype(np.uint8)
        if not held.any():
            return list(floors)
        parts = self.layout.write(self.choice.fill_gaps(status) if self.reading.ranked else status)[1]
        counts = count_batch(self.reading.request.counter, parts)
        factor = np.where((estimates > 0) & (counts > 0), estimates / np.maximum(counts, 1), 1.0)
        return [int(floor * share) for floor, share in zip(floors, factor.tolist(), strict=True)]

    def _hold_floors(self, held: UInt8s, target: int) -> UInt8s:
        """Hold units that must stay, and the best of each document for the tokens it gets at least."""
        assert self.floors is not None
        reading, held = self.reading, held.copy()
        if held.any():
            held[is_kept(self.choice.only(held))] = 1
        limits = np.searchsorted(self.table.document, np.arange(len(self.floors) + 1)).tolist()
        room = target - int(self.prices.costs[held > 0].sum())
        for least, low, high in zip(self.floors, limits, limits[1:], strict=False):
            floor = min(least, room)
            if floor <= 0 or low == high:
                continue
            rows = slice(low, high)
            group = np.where(reading.group[rows] >= low, reading.group[rows] - low, -1)
            needs = np.where(reading.needs[rows] >= low, reading.needs[rows] - low, -1)
            offsets = reading.term_offsets[low : high + 1]
            begin = int(offsets[0]) if len(offsets) else 0
            same = self.same[rows] - low if len(self.same) else self.same
            status = _native.Choice(
                document=self.table.document[rows],
                score=self.worth[rows],
                cost=self.costs[rows],
                pinned=held[rows],
                group=np.where(group < high - low, group, -1).astype(np.int32),
                heading=needs.astype(np.int32),
                term_ids=reading.term_ids[begin:],
                term_offsets=offsets - begin,
                term_weight=reading.term_weight,
                redundancy=reading.redundancy,
                ranked=reading.ranked,
                same=np.where(same >= 0, same, np.arange(len(same))).astype(np.int32),
            ).select(floor)
            held[rows][is_kept(status)] = 1
            room = target - int(self.prices.costs[held > 0].sum())
        return held

    def _leave_all_out(self, warnings: tuple[str, ...] = ()) -> Fit:
        """Choose no unit; the text around the units counts all the same."""
        nothing = Rendered("", ("",) * len(self.reading.texts), ())
        tokens = self._measure(nothing)
        if tokens > self.budget:
            self._nothing_fits([tokens])
        status = np.zeros(len(self.table), dtype=np.uint8)
        return Fit(nothing, tokens, status, None, self.recounts, warnings)

    def _count(self, text: str) -> int:
        self.counted += 1
        return count(self.reading.request.counter, text)

    def _measure(self, rendered: Rendered) -> int:
        """Tokens of a written choice, as they are sent."""
        self.counted += 1
        return count_sent(self.reading.request, rendered.text, rendered.parts)

    @property
    def recounts(self) -> int:
        """How many texts were counted."""
        return self.counted + self.choice.recounts

    def _fit_of(self, made: tuple[str, tuple[str, ...], Int64s, UInt8s, int, int] | None) -> Fit | None:
        if made is None:
            return None
        text, parts, places, status, tokens, recounts = made
        return Fit(Rendered(text, parts, places), tokens, status, None, self.counted + recounts)

    def _try(self, status: UInt8s, wording: Wording = Wording.FULL) -> Fit | None:
        """The written and counted choice, or all units where these take less; None when it keeps nothing."""
        return self._fit_of(self.choice.attempt(status, wording))

    def _check_pinned(self) -> None:
        fitted = self._try(self.choice.only(self.pinned), Wording.BARE)
        if fitted is not None and fitted.tokens > self.budget:
            problem, required = "pinned content does not fit", fitted.tokens
            raise BudgetExceededError(problem, required=required, budget=self.budget)

    def _search(self, wording: Wording) -> Fit | None:
        """The best text within the budget.

        First what is pinned, then what is essential, units that facts need, the gist, the best of the others.
        """
        costs, bulk = self.prices.costs, self.reading.bulk
        total = int(np.add.reduce(costs if bulk is None else costs[~bulk]))
        heads, around = self.heads, 0
        if heads is not None:
            total, around = total + int(heads.costs.sum()), heads.around
        joined = min(max(total / max(self.reading.original - around, 1), 0.9), 1.25)  # parts : the whole
        if bulk is not None and bulk.any():
            joined = 1.0
        target = max(math.ceil((min(self.budget, MOST_TOKENS) - around) * joined), 1)
        estimated, floors = self.reading.fragments is not None, None
        if self.floors is not None:
            floors = partial(self._hold_floors, self.pinned)
        limits = (min(self.budget, MOST_TOKENS), target, total + 1)
        fitted = self._fit_of(self.choice.search(*limits, estimated, wording, floors, self.preserve()))
        return fitted if fitted is None or fitted.tokens <= self.budget else self._trim(fitted, wording)

    def _say_less(self, fitted: Fit | None) -> Fit | None:
        """The choice with shorter markers, where more essential units stay with it."""
        reading = self.reading
        if reading.essential is None or not any(getattr(form, "short", None) for form in reading.forms):
            return fitted
        held = self.essential_in(fitted)
        if held == np.count_nonzero(reading.essential):
            return fitted
        shorter = self._search(Wording.SHORT)
        if self.essential_in(shorter) <= held:
            shorter = None if held else self._first_essential()
        return fitted if shorter is None else replace(shorter, warnings=("markers_shortened",))

    def essential_in(self, one: Fit | None) -> int:
        """How many essential units a choice has."""
        rows = self.reading.essential
        return 0 if one is None or rows is None else int(np.count_nonzero(one.status[rows] >= FIRST_KEPT))

    def _say_total(self, fitted: Fit | None) -> Fit | None:
        """The choice with one count for all that is left out and a sign in each place, where counts in each
        take too much of the budget; with signs alone, where that makes room for a unit that is worth more."""
        forms = self.reading.forms
        if fitted is None or fitted.warnings or not any(getattr(form, "total", None) for form in forms):
            return fitted
        for wording, share in ((Wording.TOTAL, _COUNTS_SHARE), (Wording.SIGNS, _COUNT_SHARE)):
            said = [fitted.rendered.text[start:end] for start, end in fitted.rendered.generated]
            counted = [marker for marker in said if "…" in marker and any(map(str.isdigit, marker))]
            counts = "\n".join(counted)
            if not counts or self._count(counts) <= share * self.budget:
                break
            shorter = self._search(wording)
            if shorter is None or self.essential_in(shorter) < self.essential_in(fitted):
                continue
            had, has = fitted.status >= FIRST_KEPT, shorter.status >= FIRST_KEPT
            better = self.worth[has & ~had].max(initial=0) > self.worth[had & ~has].max(initial=0)
            if better or (wording is Wording.TOTAL and counts.count("\n") >= _FEW_COUNTS):
                fitted = replace(shorter, warnings=("markers_shortened",))
        return fitted

    def _first_essential(self) -> Fit | None:
        """The best essential unit alone with what it needs, if it fits: estimates may not see it."""
        assert self.reading.essential is not None
        rows = np.flatnonzero(self.reading.essential)
        alone = self._try(self._alone(int(rows[np.argmax(self.worth[rows])])), Wording.SHORT)
        return alone if alone is not None and alone.tokens <= self.budget else None

    def _alone(self, row: int) -> UInt8s:
        """The codes of one unit with what it needs, beside what is pinned."""
        held = self.pinned.copy()
        held[row] = 1
        status = self.choice.only(held)
        status[(status == _PINNED) & (self.pinned == 0)] = _SELECTED
        return status

    def _try_alone(self, row: int) -> Fit | None:
        """`_alone`, written and counted: once, whoever asks."""
        if row not in self.alone:
            self.alone[row] = self._try(self._alone(row), Wording.BARE)
        return self.alone[row]

    def _trim(self, over: Fit, wording: Wording) -> Fit | None:
        """Take the least valuable units out of a text over the budget, more each time, until it fits.

        Those with facts to preserve go last; a unit that others need stays.
        """
        costs, needs = self.prices.costs, self.reading.needs
        preserved = over.status == _PRESERVED
        free_rows = ((over.status == _SELECTED) | preserved) & (self.reading.group < 0)
        if len(needs):
            kept = is_kept(over.status)
            free_rows[needs[kept][needs[kept] >= 0]] = False
        free = np.flatnonzero(free_rows)
        order = free[np.lexsort((-free, self.worth[free], preserved[free]))]
        saved = np.cumsum(costs[order])
        excess = over.tokens - self.budget
        while len(order) and excess <= 2 * int(saved[-1]):
            out = order[: int(np.searchsorted(saved, excess)) + 1]
            status = over.status.copy()
            status[out] = 0
            fitted = self._try(self.choice.leave_unneeded_out(status), wording)
            if fitted is None or fitted.tokens <= self.budget:
                return fitted
            excess *= 2
        return None

    def _unmarked(self) -> Fit | None:
        """The smallest choice: signs for what is left out, or nothing, where it has no
        room for more: what is kept then are units that need one another, or that are pinned."""
        fitted = self._smallest()
        if fitted is None or not self.reading.forms:
            return fitted
        for wording, warnings in ((Wording.FULL, ()), (Wording.SIGNS, ("markers_shortened",))):
            marked = self._try(fitted.status, wording)
            if marked is not None and marked.tokens <= self.budget:
                return replace(marked, warnings=warnings)
        return replace(fitted, warnings=("markers_left_out",))

    def _smallest(self) -> Fit | None:
        """The best single thing that fits: pins, else a unit with its needs, or a group."""
        if self.pinned.any():
            return self._try(self.choice.only(self.pinned), Wording.BARE)
        counts, group = self.prices.counts, self.reading.group
        possible = (counts <= self.budget) & (group < 0)
        if self.reading.bulk is not None:
            possible &= ~self.reading.bulk
        if not (self.reading.ranked or possible.any() or group.max(initial=-1) >= 0):
            return None
        order = self._best_first(np.arange(len(counts)))
        if self.reading.auxiliary is not None:
            order = order[~self.reading.auxiliary[order]]
        fitting = order[possible[order]]
        if self.reading.ranked:  # what others stand in, such as the outermost brackets, is the best of all
            fitting = np.concatenate((order[:1], fitting))
        for row in self._smallest_first(fitting):
            fitted = self._try_alone(row)
            if fitted is not None and fitted.tokens <= self.budget:
                return fitted
        return None

    def _best_first(self, rows: Int64s) -> Int64s:
        """Rows of units to try one at a time: essential ones, then by worth, ties to the lowest."""
        keys: list[npt.NDArray[Any]] = [rows, -self.worth[rows]]
        if self.reading.essential is not None:
            keys.append(~self.reading.essential[rows])
        return rows[np.lexsort(keys)]

    def _smallest_first(self, fitting: Int64s) -> list[int]:
        """A few units and groups to try alone: the best that need nothing, then the smallest groups."""
        needs, group = self.reading.needs, self.reading.group
        free = fitting[needs[fitting] < 0] if len(needs) else fitting
        rows = [*free[:2].tolist(), *fitting[:2].tolist()]
        member = group >= 0
        if member.any():
            owners = np.flatnonzero(np.bincount(group[member]))
            sums = np.bincount(group[member], weights=self.prices.counts[member], minlength=len(group))
            rows += owners[np.argsort(sums[owners], kind="stable")][:64].tolist()
        return list(dict.fromkeys(rows))

    def _cut(self) -> Fit:
        """Cut a prefix of the best unit that at least a character fits of; groups are never cut."""
        reading = self.reading
        free = (reading.group < 0) if self.within is None else (self.within.status >= FIRST_KEPT)
        for never in (reading.fragments, reading.bulk):
            if never is not None:
                free = free & ~never
        if len(reading.needs):
            free = free & (reading.needs < 0)
        alone = np.flatnonzero(free)
        pieces = reading.pieces(alone)
        says = np.array([not piece.isspace() for piece in pieces], dtype=bool)
        alone = alone[says]
        firsts = [piece[: least_prefix(piece)] for piece in compress(pieces, says)]
        if reading.request.frame is None:
            starts = count_batch(reading.request.counter, firsts)
        else:
            heads = list(zip(self.table.document[alone].tolist(), firsts, strict=True))
            rows = dict(zip(heads, alone.tolist(), strict=True))  # one for all that begin alike
            known = {head: self._measure(self._cut_text(row, head[1])) for head, row in rows.items()}
            starts = np.array([known[head] for head in heads], np.int64)
        possible = alone[starts <= self.budget]
        if len(possible) == 0:
            self._nothing_fits([int(tokens) for tokens in starts] + self._whole_counts())
        row = int(self._best_first(possible)[0])
        piece = self._piece(row)
        size, mark = longest_prefix(piece, lambda text: self._measure(self._cut_text(row, text)), self.budget)
        status = np.zeros(len(self.table), dtype=np.uint8)
        status[row] = _CUT
        cut = int(self.table.start[row]) + size
        rendered = self._cut_text(row, piece[:size] + mark, ((size, size + len(mark)),) if mark else ())
        return Fit(rendered, self._measure(rendered), status, cut, self.recounts, ("segment_cut",))

    def _cut_text(self, row: int, text: str, generated: Places = ()) -> Rendered:
        """Cut the text of a unit whose heading is the only other unit."""
        parts = [""] * len(self.reading.texts)
        parts[int(self.table.document[row])] = text
        return Rendered(text, tuple(parts), generated)

    def _piece(self, row: int) -> str:
        """The text of a unit, or the part of it that a larger choice kept."""
        piece = self.reading.pieces(np.array([row]))[0]
        if self.within is None or self.within.cut is None:
            return piece
        return piece[: self.within.cut - int(self.table.start[row])]

    def _whole_counts(self) -> list[int]:
        """Tokens of units and groups that are kept whole or not at all, each with what it needs."""
        rows = self._smallest_first(self._best_first(np.arange(len(self.worth))))
        return [fitted.tokens for fitted in map(self._try_alone, rows) if fitted is not None]

    def _nothing_fits(self, needed: list[int]) -> NoReturn:
        required = max(min(needed), self.budget + 1)
        raise BudgetExceededError("nothing of the input fits", required=required, budget=self.budget)
