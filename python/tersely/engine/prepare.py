"""Prepare documents once, and fit them into any number of budgets; find a budget that is enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tersely.checks import budget_of
from tersely.content.units import ContentReader
from tersely.engine.count import count, count_batch, count_joined, count_sent
from tersely.engine.facts import fact_report, with_facts
from tersely.engine.finish import finish, unchanged
from tersely.engine.fit import Fit, fit
from tersely.engine.read import read
from tersely.engine.reading import Reading, found_in
from tersely.engine.render import Wording, render
from tersely.engine.select import FIRST_KEPT, is_kept
from tersely.errors import BudgetExceededError
from tersely.models.counters import Texts, texts_of
from tersely.types import Compressed, Document, Float32s, Frame, Request

if TYPE_CHECKING:
    from tersely.engine.strategies import Extractive

T = TypeVar("T")

_TRIES = 60  # of budgets that grow twofold: more than there are tokens


def with_required(attempt: Callable[[int], T], budget: int, enough: int | None = None) -> T:
    """Make an attempt under a budget; the error for one that is too small says a budget that was tried.

    Whether a budget does is no matter of arithmetic: counters are not additive, what is chosen depends on the
    budget, and documents may be read in another way. So what `attempt` says that it requires is tried, then
    more, twice as much more each time, until it succeeds. This is what keeps the promise of
    `BudgetExceededError.required`; every door that raises one goes through here.

    Args:
        attempt: budget -> result; the same every time.
        budget: that the caller gave.
        enough: a budget that does as far as is known, as that of all documents as they are.
    """
    try:
        return attempt(budget)
    except BudgetExceededError as error:
        told, required = error, max(int(error.required), budget + 1)
    more, tried = 1, budget
    for _ in range(_TRIES):
        if enough is not None and tried < enough < required:
            required = enough
        tried = required
        try:
            attempt(required)
            break
        except BudgetExceededError as error:
            required, more = max(int(error.required), tried + more), 2 * more
    raise BudgetExceededError(told.reason, required=required, budget=budget) from None


def smallest_fit(attempt: Callable[[int], T], budget: int, enough: int | None = None) -> T:
    """Make an attempt under a budget that no caller gave: where it is too small, under one that is enough."""
    try:
        return with_required(attempt, budget, enough)
    except BudgetExceededError as error:
        return attempt(int(error.required))


_ENDLESS = 2**59


class Prepared:
    """Documents that are read once, for any number of budgets. Made by `tersely.prepare`.

    Reading happens when a budget first asks for it, and only then. Not safe to use from several threads
    before the first fit.
    """

    def __init__(
        self,
        request: Request,
        options: Extractive,
        readers: Sequence[ContentReader | None] = (),
        types: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
        reading: Reading | None = None,
        revise: Callable[[Reading], Reading] | None = None,
        original_tokens: int | None = None,
        texts: Texts | None = None,
    ) -> None:
        """Say what to read, and how.

        `readers`: what reads each document as its content type; (): all are read as text. `revise`: changes
        what a new reading says of its units (worth, groups, which are never kept) before anything is fitted.
        `original_tokens`: of the documents together, where that is known, or nearly; None: they are counted.
        `texts`: those of the documents, with their UTF-8; None: they are made.
        """
        self.request, self.options, self._revise = request, options, revise
        self._readers, self._types, self._warnings = tuple(readers), types, warnings
        self._texts = texts_of(request.documents) if texts is None else texts
        if original_tokens is None and reading is not None:
            original_tokens = reading.original
        if original_tokens is None and request.frame is not None and request.frame.is_plain:
            original_tokens = self._sent_whole()
        if original_tokens is None:
            original_tokens = count_joined(request.counter, self._texts, request.separator)
        self.original_tokens = original_tokens
        self._reading = reading

    def framed(self, frame: Frame, original_tokens: int) -> Prepared:
        """Put what was read into a frame that was made of it; `original_tokens`: of all documents in that."""
        request = replace(self.request, frame=frame)
        return self.revised(replace(self.reading, request=request, original=original_tokens))

    def revised(self, reading: Reading) -> Prepared:
        """Go on with another reading in the place of this one's."""
        arguments = (self._readers, self._types, self._warnings, reading, self._revise)
        return Prepared(reading.request, self.options, *arguments, texts=self._texts)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents, as given."""
        return self.request.documents

    @property
    def reading(self) -> Reading:
        """The units of the documents and what each is worth."""
        if self._reading is None:
            reading = read(
                self.request,
                self.original_tokens,
                self.options,
                self._readers,
                texts=self._texts,
                types=self._types,
                warnings=self._warnings,
            )
            self._reading = reading if self._revise is None else self._revise(reading)
        return self._reading

    def fit(
        self,
        budget: int | None = None,
        ratio: float | None = None,
        *,
        floors: Sequence[int] | None = None,
        caps: Sequence[int] | None = None,
        favour: Float32s | None = None,
    ) -> Compressed:
        """Fit the documents into a budget.

        Args:
            budget: tokens allowed for the final text. None: `ratio` decides.
            ratio: share of the original tokens, in (0, 1]; None: what `prepare` was given, 0.3 by default.
            floors, caps: tokens that each document gets at least, as far as it can use them, and at most.
            favour: float32 factors on what the units of `reading` are worth.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit; a retry
        with its `.required` does. O(units log units), without reading again.
        """
        attempt = partial(self._fit, floors=floors, caps=caps, favour=favour)
        return with_required(attempt, self.allowed(budget, ratio), self.original_tokens)

    def _fit(
        self,
        allowed: int,
        floors: Sequence[int] | None = None,
        caps: Sequence[int] | None = None,
        favour: Float32s | None = None,
    ) -> Compressed:
        """`fit`, whose error says about what is required."""
        if self.fits(allowed) and not _binds(caps, self):
            return self._unchanged(allowed)
        try:
            fitted = fit(self.reading, allowed, floors=floors, caps=caps, favour=favour)
            if "markers_left_out" in fitted.warnings and (simpler := self._simpler()) is not None:
                return simpler._fit(allowed, floors, caps)
        except BudgetExceededError:
            if (simpler := self._simpler()) is not None:
                return simpler._fit(allowed, floors, caps)
            if self.request.pinned or not self._may_be_text():
                raise
            return self._read_by((), "no_unit_fits")._fit(allowed, floors, caps)
        if self.request.pinned and (whole := self._with_whole_pins(fitted)) is not None:
            return whole._fit(allowed, floors, caps)
        return self.finish(fitted, allowed)

    def levels(self, budgets: Sequence[int]) -> list[Compressed]:
        """One result a budget, largest first, each a part of the one before.

        The smallest is made first and stays in the larger ones, so that it is as good as if it were alone. A
        level that is a cut unit is cut from one that the level before has. Levels are left out from the end
        where nothing fits; raises BudgetExceededError where that is the first, or where pins do not fit:
        `[max(budget, error.required) for budget in budgets]` succeeds.
        """
        if list(budgets) != sorted(budgets, reverse=True):
            raise ValueError(f"budgets must descend, not {list(budgets)}")
        if not budgets:
            return []

        def attempt(least: int) -> list[Compressed]:
            return self._levels([max(budget, least) for budget in budgets])

        return with_required(attempt, budgets[-1], self.original_tokens)

    def _levels(self, budgets: Sequence[int]) -> list[Compressed]:
        """`levels`, whose error says about what is required."""
        if self.fits(budgets[-1]):
            return [self._unchanged(budget) for budget in budgets]
        alone: dict[int, Fit] = {}
        stays: Fit | None = None
        for level in reversed(range(len(budgets))):
            try:
                stays = alone[level] = fit(
                    self.reading, budgets[level], kept=stays.status if stays is not None else None
                )
            except BudgetExceededError:
                if self.reading.pinned.any() or level == 0:
                    raise
            stays = stays if stays is not None and stays.cut is None else None
        fits: list[Fit] = []
        for level, budget in enumerate(budgets):
            fitted = alone.get(level)
            if fitted is not None and fitted.cut is not None and fits:
                fitted = self._cut_within(budget, fits[-1])
            if fitted is None:
                break
            fits.append(fitted)
        for fitted in fits:
            if (pinned := self._with_whole_pins(fitted)) is not None:
                return pinned._levels(budgets)
        longer = [level for level, fitted in enumerate(fits) if fitted.tokens > self.original_tokens]
        whole = max(longer, default=-1)  # up to this level the documents as they are take less
        return [
            self._unchanged(budget) if level <= whole else self.finish(fitted, budget)
            for level, (fitted, budget) in enumerate(zip(fits, budgets, strict=False))
        ]

    def allowed(self, budget: int | None, ratio: float | None) -> int:
        """The tokens that a budget or ratio allows; with neither, those that were prepared for."""
        if budget is None and ratio is None:
            budget, ratio = self.request.budget, self.request.ratio
        return budget_of(budget, self.request.ratio if ratio is None else ratio, self.original_tokens)

    def finish(self, fitted: Fit, budget: int) -> Compressed:
        """The result of a choice; raises BudgetExceededError where it lost a fact that it may not."""
        reading = self.reading
        result, must = finish(reading, fitted, budget), reading.must
        if must is not None and must.strict and result.receipt.facts is not None:
            lost = result.receipt.facts.of("lost")
            if lost:
                required = max(self._required(), budget + 1)
                raise BudgetExceededError(
                    f"what must be preserved ({lost[0].text[:60]!r} and {len(lost) - 1} more) does not fit",
                    required=required,
                    budget=budget,
                )
        return result

    def _required(self) -> int:
        """Tokens of what is pinned and of units with all facts."""
        reading = self.reading
        assert reading.must is not None
        held = reading.must.hold(
            reading.table.document, reading.prices().costs, _ENDLESS, reading.pinned, reading.group
        )
        rows = is_kept((held * FIRST_KEPT).astype(held.dtype))
        return count(self.request.counter, render(reading, rows, Wording.BARE).text)

    def stands(self, fitted: Fit) -> bool:
        """Whether `fit` would give this choice, and not read the documents otherwise instead."""
        simpler = "markers_left_out" in fitted.warnings and self._simpler() is not None
        return not simpler and self._with_whole_pins(fitted) is None

    def fits(self, budget: int) -> bool:
        """Whether the documents fit as they are, as far as is known before they are read."""
        if self.original_tokens > budget:
            return False
        if self._reading is None and self._revise is None and self.request.frame is None:
            return True
        return self.reading.complete and self._sent_whole() <= budget

    def _whole(self) -> str:
        """Join the texts of the documents, unchanged."""
        return self._texts[0] if len(self._texts) == 1 else self.request.separator.join(self._texts)

    def _sent_whole(self) -> int:
        """Tokens of the documents as they are, in the way they are sent."""
        if self.request.frame is None:
            return self.original_tokens
        return count_sent(self.request, self._whole(), [one.text for one in self.documents])

    def _unchanged(self, budget: int) -> Compressed:
        options = self.options
        result = unchanged(
            self.request, options.level, options.window, self._whole(), self.original_tokens, budget
        )
        receipt = result.receipt
        told = (*self._warnings, *receipt.warnings)
        receipt = replace(receipt, warnings=told, content_types=self._types)
        result = replace(result, receipt=receipt, judge=self._relevance)
        return with_facts(result, fact_report(result, options.preserve)) if options.preserve else result

    def _relevance(self) -> tuple[float, ...]:
        """`Compressed.relevance` of documents that were not read as they fit."""
        chances = self.reading.relevance()
        return () if chances is None else tuple(chances.tolist())

    def _with_whole_pins(self, fitted: Fit) -> Prepared | None:
        """Read again so that pinned text is shown as it is; None where it is already.

        Documents of which it does not are read by what leaves more as it is, else as text.
        """
        if not self.request.pinned or not any(self._readers):
            return None
        pins: dict[int, set[str]] = {}
        for document, start, end in self.request.pinned:
            if self._readers[document] is not None:
                pins.setdefault(document, set()).add(self.documents[document].text[start:end].strip())
        parts = fitted.rendered.parts
        split = {document for document, some in pins.items() if some - found_in([parts[document]], some)}
        if not split:
            return None
        if (simpler := self._simpler()) is not None:
            return simpler
        as_text = [None if index in split else reader for index, reader in enumerate(self._readers)]
        return self._read_by(as_text, "pinned_read_as_text")

    def _simpler(self) -> Prepared | None:
        """Read again with readers that need less room, where there are some."""
        readers = [getattr(reader, "simpler", None) or reader for reader in self._readers]
        if all(new is old for new, old in zip(readers, self._readers, strict=True)):
            return None
        return self._read_by(readers)

    def _read_by(self, readers: Sequence[ContentReader | None], *warnings: str) -> Prepared:
        """Read the same documents with other readers."""
        told = (*self._warnings, *warnings)
        return Prepared(
            self.request,
            self.options,
            readers,
            self._types,
            told,
            revise=self._revise,
            original_tokens=self.original_tokens,
            texts=self._texts,
        )

    def _may_be_text(self) -> bool:
        """Whether documents whose units are all too large may be cut like text without breaking them."""
        return any(self._readers) and not any(getattr(r, "whole", False) for r in self._readers)

    def _cut_within(self, budget: int, finer: Fit) -> Fit | None:
        """A level that is cut from what a larger one has, but for its groups; None: nothing fits."""
        alone = np.where(self.reading.group < 0, finer.status, np.uint8(0))
        try:
            return fit(self.reading, budget, within=replace(finer, status=alone))
        except BudgetExceededError:
            return None


def _binds(caps: Sequence[int] | None, prepared: Prepared) -> bool:
    """Whether some document has more tokens than it may take."""
    if caps is None:
        return False
    counts = count_batch(prepared.request.counter, [document.text for document in prepared.documents])
    return bool((counts > np.asarray(caps)).any())
