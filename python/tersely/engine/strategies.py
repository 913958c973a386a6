"""The strategies that need no model, over documents that are read once and fitted as often as asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from tersely import checks
from tersely.checks import budget_of, share_kept, whole_number
from tersely.content.blocks import holds_blocks
from tersely.content.registry import CONTENT_TYPES, kinds_of
from tersely.content.units import ContentReader
from tersely.documents import to_level
from tersely.engine.allocation import SCORE_WEIGHT
from tersely.engine.facts import check_names, fact_report, rows_at, with_facts
from tersely.engine.finish import finish, relevance_of, unchanged
from tersely.engine.fit import Fit, fit
from tersely.engine.read import read
from tersely.engine.reading import (
    FIRST_KEPT,
    Reading,
    count,
    count_batch,
    count_joined,
    count_sent,
    found_in,
    with_neighbours,
)
from tersely.engine.render import Wording, render
from tersely.engine.worth import PRUNER_SHARE, RERANK_SHARE, with_wholes
from tersely.errors import BudgetExceededError
from tersely.models.counters import Texts, texts_of
from tersely.models.embedders import resolve_pruner
from tersely.options import CompressionMethod, Profile, profile
from tersely.protocols import Strategy
from tersely.types import Compressed, Document, Float32s, Frame, Int32s, Kind, Level, Request

T = TypeVar("T")

_TRIES = 60  # of budgets that grow twofold: more than there are tokens
_CLOSE = 16  # of a budget that does, the part that may be too much


def with_required(attempt: Callable[[int], T], budget: int, enough: int | None = None) -> T:
    """Make an attempt under a budget; the error for one that is too small says a budget that was tried.

    Whether a budget does is no matter of arithmetic: counters are not additive, what is chosen depends on the
    budget, and documents may be read in another way. So what `attempt` says that it requires is tried, then
    more, twice as much more each time, until it succeeds; and then what lies between that and the most that
    failed, by halves, until both are close. This is what keeps the promise of `BudgetExceededError.required`;
    every door that raises one goes through here.

    Args:
        attempt: budget -> result; the same every time.
        budget: that the caller gave.
        enough: a budget that does as far as is known, as that of all documents as they are.
    """
    try:
        return attempt(budget)
    except BudgetExceededError as error:
        told, required = error, max(int(error.required), budget + 1)
    more, failed, done = 1, budget, False
    for _ in range(_TRIES):
        if enough is not None and failed < enough < required:
            required = enough
        tried = (failed + required) // 2 if done else required
        try:
            attempt(tried)
            required, done = tried, True
        except BudgetExceededError as error:
            failed = tried
            if not done:
                required, more = max(int(error.required), tried + more), 2 * more
        if done and required - failed <= max(required // _CLOSE, 1):
            break
    raise BudgetExceededError(told.reason, required=required, budget=budget) from None


def smallest_fit(attempt: Callable[[int], T], budget: int, enough: int | None = None) -> T:
    """Make an attempt under a budget that no caller gave: where it is too small, under one that is enough."""
    try:
        return with_required(attempt, budget, enough)
    except BudgetExceededError as error:
        return attempt(int(error.required))


_ENDLESS = 2**59
_PIECES = 2  # that what is larger than the room that is left is cut into, at least
_LEAST_PIECE = 32  # characters: less says nothing
_TABLE = int(Kind.TABLE)  # quicker beside an array
_ROWS_ALONE = 4096  # bytes of pieces: no sentence or block of code is as large, so tables alone are cut
_ANSWERS = 0.5  # of the largest worth: a table that has this much is missed
_FEW_LINES = 2  # ends of lines in a table of one row


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
        """Take the documents and the way to read them.

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
        self._is_given = reading is not None  # by what another reading of the documents would lack

    def framed(self, frame: Frame, original_tokens: int) -> Prepared:
        """Put the reading into a frame made from it; `original_tokens`: of all documents in that frame."""
        request = replace(self.request, frame=frame)
        framed = self.revised(replace(self.reading, request=request, original=original_tokens))
        framed._is_given = self._is_given
        return framed

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
        """The units of the documents and their worth."""
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
            ratio: share of the original tokens, in (0, 1], instead of a budget; None: 0.3.
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
            cuts = self.options.piece != 0 and self._may_be_text()
            fitted = fit(self.reading, allowed, floors=floors, caps=caps, favour=favour, cuts_lines=cuts)
            if "markers_left_out" in fitted.warnings and (simpler := self._simpler()) is not None:
                return simpler._fit(allowed, floors, caps)
        except BudgetExceededError:
            if (simpler := self._simpler()) is not None:
                return simpler._fit(allowed, floors, caps)
            if self.request.pinned or not self._may_be_text():
                raise
            finer = None if self.options.piece else self._finer(allowed)
            if finer is not None and finer._readers != self._readers:
                return finer._fit(allowed, floors, caps)
            return self._read_by((), "no_unit_fits")._fit(allowed, floors, caps)
        if self.request.pinned and (whole := self._with_whole_pins(fitted)) is not None:
            return whole._fit(allowed, floors, caps)
        if (finer := self._again(fitted)) is not None:
            found = None if favour is None else _rows_in(finer.reading, self.reading)
            result = finer._fit(allowed, floors, caps, None if favour is None else favour[found])
            if fitted.room == 0 or result.tokens > fitted.tokens:
                return result
        return self.finish(fitted, allowed)

    def levels(self, budgets: Sequence[int]) -> list[Compressed]:
        """Return one result per budget, largest first, each a part of the larger ones.

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
            if fits and fits[-1].tokens < fitted.tokens:  # by shorter markers: it has all that this level has
                fitted = fits[-1]
            fits.append(fitted)
        for fitted in fits:
            if (other := self._with_whole_pins(fitted) or self._again(fitted)) is not None:
                return other._levels(budgets)
        longer = [level for level, fitted in enumerate(fits) if fitted.tokens > self.original_tokens]
        whole = max(longer, default=-1)  # up to this level the documents as they are take less
        return [
            self._unchanged(budget) if level <= whole else self.finish(fitted, budget)
            for level, (fitted, budget) in enumerate(zip(fits, budgets, strict=False))
        ]

    def allowed(self, budget: int | None, ratio: float | None) -> int:
        """Return the tokens that a budget or ratio allows; without either, those of the preparation."""
        if budget is None and ratio is None:
            budget, ratio = self.request.budget, self.request.ratio
        else:
            ratio = share_kept(budget, ratio)
        return budget_of(budget, ratio, self.original_tokens)

    def finish(self, fitted: Fit, budget: int) -> Compressed:
        """Return the result of a selection; raises BudgetExceededError if it lost a required fact."""
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
        text = render(reading, (held * FIRST_KEPT).astype(held.dtype), Wording.BARE).text
        return count(self.request.counter, text)

    def stands(self, fitted: Fit) -> bool:
        """Return whether `fit` would give this choice, and not read the documents otherwise instead."""
        simpler = "markers_left_out" in fitted.warnings and self._simpler() is not None
        return not simpler and self._with_whole_pins(fitted) is None and self._again(fitted) is None

    def fits(self, budget: int) -> bool:
        """Return whether the documents fit as they are, as far as is known before they are read."""
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
        judge = self._relevance if (self.request.query or "").strip() else None
        result = replace(result, receipt=receipt, judge=judge)
        return with_facts(result, fact_report(result, options.preserve)) if options.preserve else result

    def _relevance(self) -> tuple[float, ...]:
        """`Compressed.relevance` of documents that were not read as they fit."""
        asked = self.reading.asked
        return () if asked is None else relevance_of(asked)

    def _with_whole_pins(self, fitted: Fit) -> Prepared | None:
        """Read again so that pinned text is shown as it is; None where it is already.

        Documents of which it does not are read by what leaves more as it is, else with the units beside pins
        that end between units, else as text.
        """
        if not self.request.pinned or not any(self._readers):
            return None
        pins: dict[int, set[str]] = {}
        for document, start, end in self.request.pinned:
            pin = self.documents[document].text[start:end]
            if self._readers[document] is not None and pin.strip():
                pins.setdefault(document, set()).add(pin)
        parts = fitted.rendered.parts
        split = {document for document, some in pins.items() if some - found_in([parts[document]], some)}
        if not split:
            return None
        if (simpler := self._simpler()) is not None:
            return simpler
        pinned = self.request.pinned
        wide = with_neighbours(self.reading.table, pinned)
        wide = tuple(new if new[0] in split else old for old, new in zip(pinned, wide, strict=True))
        if wide != pinned:
            return self._read_by(self._readers, request=replace(self.request, pinned=wide))
        as_text = [None if index in split else reader for index, reader in enumerate(self._readers)]
        types = ["prose" if index in split else name for index, name in enumerate(self._types)]
        return self._read_by(as_text, "pinned_read_as_text", types=types)

    def _simpler(self) -> Prepared | None:
        """Read again with readers that need less room, where there are some."""
        readers = [getattr(reader, "simpler", None) or reader for reader in self._readers]
        if all(new is old for new, old in zip(readers, self._readers, strict=True)):
            return None
        return self._read_by(readers)

    def _read_by(
        self,
        readers: Sequence[ContentReader | None],
        *warnings: str,
        options: Extractive | None = None,
        request: Request | None = None,
        types: Sequence[str] | None = None,
    ) -> Prepared:
        """Read the same documents with other readers, options, pins or content types."""
        told = (*self._warnings, *warnings)
        return Prepared(
            request or self.request,
            options or self.options,
            readers,
            self._types if types is None else tuple(types),
            told,
            revise=self._revise,
            original_tokens=self.original_tokens,
            texts=self._texts,
        )

    def _again(self, fitted: Fit) -> Prepared | None:
        """Read again, with what is too large for the room cut, or else tables; None where all is well."""
        return self._finer(fitted.room) or self._by_rows(fitted)

    def _by_rows(self, fitted: Fit) -> Prepared | None:
        """Read again with tables cut into rows, where a whole one that answers the query was left out."""
        reading, options = self.reading, self.options
        if self._is_given or options.piece is not None or options.level is not Level.SENTENCE:
            return None
        if not reading.by_query or options.preserve_structure:
            return None
        left = reading.table.kind == _TABLE
        if not np.logical_or.reduce(left):
            return None
        left &= (fitted.status < FIRST_KEPT) & (reading.worth >= _ANSWERS * reading.worth.max())
        for region in reading.regions:
            left[region.first : region.last] &= region.form is None
        if not any(text.count("\n") > _FEW_LINES for text in reading.pieces(left.nonzero()[0])):
            return None
        return self._read_by(self._readers, "segments_cut", options=replace(options, piece=_ROWS_ALONE))

    def _finer(self, room: int) -> Prepared | None:
        """Read again, with text and code larger than the room that is left (`Fit.room`, or the budget) cut;
        None where there is none, or pieces would say nothing."""
        options = self.options
        if room == 0 or self._is_given or options.piece == 0 or options.level is not Level.SENTENCE:
            return None
        size = room * sum(map(len, self._texts)) // max(self.original_tokens, 1)  # characters, about
        piece = min(size, options.piece or size) // _PIECES
        if piece < _LEAST_PIECE:
            return None
        warnings = () if options.piece else ("segments_cut",)
        readers = list(self._readers)
        for index, reader in enumerate(readers):
            if not options.preserve_structure and (finer := getattr(reader, "finer", None)) is not None:
                readers[index] = finer(piece)
        return self._read_by(readers, *warnings, options=replace(options, piece=piece))

    def _may_be_text(self) -> bool:
        """Whether documents whose units are all too large may be cut like text without breaking them."""
        return any(self._readers) and True not in [getattr(r, "whole", False) for r in self._readers if r]

    def _cut_within(self, budget: int, finer: Fit) -> Fit | None:
        """A level cut from the units of a larger one, without groups; None: nothing fits."""
        alone = np.where(self.reading.group < 0, finer.status, np.uint8(0))
        try:
            return fit(self.reading, budget, within=replace(finer, status=alone))
        except BudgetExceededError:
            return None


def _rows_in(finer: Reading, coarse: Reading) -> Int32s:
    """int32[n]: the unit of a reading that each unit of a finer one lies in."""
    table = finer.table
    return rows_at(coarse.table, table.document, table.start)


def _binds(caps: Sequence[int] | None, prepared: Prepared) -> bool:
    """Whether some document has more tokens than it may take."""
    if caps is None:
        return False
    counts = count_batch(prepared.request.counter, [document.text for document in prepared.documents])
    return bool((counts > np.asarray(caps)).any())


Scoring = Literal["auto", "relevance", "lexical", "centrality", "lead"]
_SCORINGS = ("auto", "relevance", "lexical", "centrality", "lead")


@dataclass(frozen=True, slots=True)
class Extractive:
    """Keeps the segments with the highest score per token, verbatim.

    Attributes:
        level: how finely the text is cut. CLAUSE keeps parts of sentences, with "…" where others of a
            paragraph are left out: for `preserve` under a tight budget, as they hold more facts per token.
        scoring: "relevance" (to the query, by terms and vectors), "lexical" (by terms alone), "centrality"
            (without a query), "auto" (relevance if a word of the query is in the text, otherwise
            centrality), "lead" (1 - 0.01 i, + 0.3 for sentences of 6 to 49 words).
        embedder: makes the vectors: None (the table of token vectors that comes with tersely), or what
            `tersely.models.embedders.resolve_embedder` takes.
        reranker: an embedder or a cross-encoder that reads the best segments again; None: no model.
        rerank_share: how much of the text it reads, in (0, 1].
        pruner: a model that reads the best segments in windows, with the query, and returns for each the
            probability that it is to be kept (`tersely.protocols.Pruner`, `OnnxPruner`); None: no model.
        pruner_share: how much of the text it reads, in (0, 1].
        score_weight: with a query, how much a document's `score` weighs beside its text, in [0, 1]: segments
            have (score / mean score) ** score_weight times the score. Higher scores are better; give 0
            for distances. Equal, unknown and negative scores have no effect.
        redundancy: 0 to 1; how much a segment's score falls if selected ones have its terms. Above 0, a
            word-for-word repeat has no score. None: 0.2 with relevance (the evidence of one question
            shares its terms), 1 without.
        context: neighbours kept on each side of a selected segment, as far as the budget allows.
        preserve_structure: keep headings above selected segments, and the sentence that introduces a list.
        preserve: facts to keep as far as the budget allows. Without a query, they are selected before
            everything except pins, rare kinds first; with a query, only the facts of relevant segments
            count, within a tenth of the budget. Names from "code" (fenced and in backticks), "quotes",
            "numbers" (with dates and versions), "names", "paths" (with path:line), "urls", "identifiers",
            "errors", "negations", "obligations", "decisions", "all". One occurrence of each is enough.
            `receipt.facts` reports on them.
        preserve_share: without a query, if not all facts fit: the least share of the budget for them, in
            (0, 1]; the less they exceed the budget, the more they get.
        strict_preserve: raise BudgetExceededError if not all of them fit.
        window: characters of a CHARACTER segment.
        piece: larger sentences, tables and blocks of code are cut into pieces of this many bytes. None: only
            if over half of the budget would be unused, or a table that answers the query left out, otherwise
            (warning "segments_cut"); 0: never.
        position_decay, position_floor: for "lead": how fast scores fall, and the least score.
    """

    level: Level = Level.SENTENCE
    scoring: Scoring = "auto"
    embedder: Any = None
    reranker: Any = None
    rerank_share: float = RERANK_SHARE
    pruner: Any = None
    pruner_share: float = PRUNER_SHARE
    score_weight: float = SCORE_WEIGHT
    redundancy: float | None = None
    context: int = 0
    preserve_structure: bool = False
    preserve: tuple[str, ...] = ()
    preserve_share: float = 1.0
    strict_preserve: bool = False
    window: int = 200
    piece: int | None = None
    position_decay: float = 0.01
    position_floor: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", to_level(self.level))
        object.__setattr__(self, "preserve", check_names(self.preserve))
        checks.whole_number(self.context, "context")
        checks.whole_number(self.window, "window", least=1)
        if self.piece is not None:
            checks.whole_number(self.piece, "piece")
        checks.one_of(self.scoring, "scoring", _SCORINGS)
        if self.redundancy is not None:
            checks.number(self.redundancy, "redundancy", least=0, most=1)
        checks.number(self.position_decay, "position_decay")
        if self.position_floor is not None:
            checks.number(self.position_floor, "position_floor")
        checks.number(self.score_weight, "score_weight", least=0, most=1)
        checks.share(self.rerank_share, "rerank_share")
        checks.share(self.pruner_share, "pruner_share")
        if self.pruner is not None:
            resolve_pruner(self.pruner)
        checks.share(self.preserve_share, "preserve_share")

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget; all are read as text.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit, or, if
        `strict_preserve`, some facts. O(characters + segments log segments).
        """
        return Prepared(request, self).fit()


_SHORT_CODE = 3000  # characters
_MAY_HOLD_BLOCKS = frozenset({"prose", "markdown", "mixed"})


@dataclass(frozen=True, slots=True)
class Auto:
    """Reads each document by its content type; the segments of all compete for one budget.

    The type is the first known of these: `as_type`; `metadata["content_type"]` (a name of CONTENT_TYPES or a
    media type such as "text/html"); the result of `tersely.detect`, if that is confident; lines or prose.
    `receipt.content_types` lists the types. Long fenced blocks in text are read by their own type.

    Attributes:
        as_type: the content type of all documents, a name of CONTENT_TYPES or a reader such as
            `tersely.content.logs.Logs()`; None: detected for each document.
        text: how text is cut, scored and selected.
        goal: None: the request's ratio, if there is no budget. "default", "expected": each document's content
            type says how much of it is kept (`tersely.strategies.profile`). If the profile asks for a model,
            the receipt says that none wrote ("no_model").
    """

    as_type: str | ContentReader | None = None
    text: Extractive = field(default_factory=Extractive)
    goal: Literal["default", "expected"] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.as_type, str) and self.as_type not in CONTENT_TYPES:
            raise ValueError(f"as_type must be one of {', '.join(CONTENT_TYPES)}, not {self.as_type!r}")
        if self.as_type is not None and not isinstance(self.as_type, (str, ContentReader)):
            raise TypeError(f"as_type must be a name or a reader of a content type, not {self.as_type!r}")
        if self.goal not in (None, "default", "expected"):
            raise ValueError(f"goal must be 'default', 'expected' or None, not {self.goal!r}")

    @staticmethod
    def of_text(text: Extractive) -> Auto:
        """Return the strategy for options of text: by content type, or all as text if `level` is set."""
        return Auto(None if text.level is Level.SENTENCE else "prose", text=text)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit.
        """
        result = self.prepare(request).fit()
        extractive = CompressionMethod.EXTRACTIVE
        if self.goal is None or all(told.method is extractive for told in _profiles(result)):
            return result
        return replace(result, receipt=result.receipt.without_model("no_model"))

    def prepare(
        self,
        request: Request,
        revise: Callable[[Reading], Reading] | None = None,
        original_tokens: int | None = None,
    ) -> Prepared:
        """Read documents by content type for any number of budgets; arguments are those of `Prepared`."""
        texts = texts_of(request.documents)
        readers: list[ContentReader | None]
        own = None if self.as_type is None or isinstance(self.as_type, str) else self.as_type
        looks: dict[str, str] = {}
        if self.as_type is None:
            kinds, looks = kinds_of(request.documents, texts)
        else:
            kinds = [self.as_type if isinstance(self.as_type, str) else self.as_type.kind] * len(texts)
        # Short pieces of code and diffs beside others are text, whose lines are ranked together.
        pieces = [False] * len(kinds)
        if len(kinds) > 1:
            pairs = zip(kinds, texts, strict=True)
            pieces = [kind in ("code", "diff") and len(text) < _SHORT_CODE for kind, text in pairs]
        if own is not None:
            readers = [own] * len(texts)
        else:
            whole_blocks = "code" in self.text.preserve or "all" in self.text.preserve
            options: dict[str, dict[str, Any]] = {"code": {"looks": looks}}
            if self.as_type is None:
                options["conversation"] = {"with_query": False}
            readers = _readers(kinds, texts, pieces, whole_blocks, options)
        if self.goal is not None and request.budget is None:
            request = replace(request, budget=_budget_of(request, kinds, self.goal))

        def favour(reading: Reading) -> Reading:
            reading = with_wholes(reading, np.array(pieces))
            return reading if revise is None else revise(reading)

        return Prepared(
            request,
            self._options(readers) if any(readers) else self.text,
            readers,
            tuple(kinds),
            revise=favour if request.query and sum(pieces) > 1 else revise,
            original_tokens=original_tokens,
            texts=texts,
        )

    def _options(self, readers: Sequence[ContentReader | None]) -> Extractive:
        """The options for text: those of a reader that has some, else these."""
        for reader in readers:
            text = getattr(reader, "text", None)
            if isinstance(text, Extractive) and text != Extractive():
                mine = self.text
                if mine.pruner is None:
                    return text
                return replace(text, pruner=mine.pruner, pruner_share=mine.pruner_share)
        return self.text


def prepare_by(strategy: Strategy, request: Request, original_tokens: int | None = None) -> Prepared | None:
    """Return the documents as `strategy` prepares them; None if it selects by itself."""
    if isinstance(strategy, Auto):
        return strategy.prepare(request, None, original_tokens)
    if isinstance(strategy, Extractive):
        return Prepared(request, strategy, original_tokens=original_tokens)
    return None


def with_pruner(strategy: Strategy, pruner: Any) -> Strategy:
    """Return the strategy with a pruner as its second stage. Raises TypeError where it takes none."""
    if isinstance(strategy, Auto):
        return replace(strategy, text=replace(strategy.text, pruner=pruner))
    if isinstance(strategy, Extractive):
        return replace(strategy, pruner=pruner)
    raise TypeError(f"strategy must read documents where there is a pruner, not {type(strategy).__name__}")


def compress_framed(strategy: Strategy, request: Request) -> Compressed:
    """Compress a request whose result is sent in a frame, which the budget is for.

    A strategy that does not leave the fitting to the engine is asked again for so much less as it was over.
    """
    prepared = prepare_by(strategy, request)
    if prepared is not None:
        return prepared.fit()
    asked = replace(request, frame=None)
    while True:
        result = strategy.compress(asked)
        over = count_sent(request, result.text, result.parts) - (request.budget or 0)
        if over <= 0:
            return result
        asked = replace(asked, budget=max((asked.budget or 0) - over, 0))


def _readers(
    kinds: Sequence[str],
    texts: Texts,
    pieces: Sequence[bool],
    whole_blocks: bool,
    options: Mapping[str, Mapping[str, Any]],
) -> list[ContentReader | None]:
    """Return the reader of each document; one reader a type, so that documents of a type are read together.

    `pieces`: of each document, whether it is a piece of code. `whole_blocks`: code in text is to be preserved
    as it stands, so it is not read as what it is. `options`: of readers, by the name of what they read.
    """
    made: dict[str, ContentReader | None] = {}
    readers: list[ContentReader | None] = []
    text_alone = whole_blocks or _MAY_HOLD_BLOCKS.isdisjoint(kinds)
    blocks = [False] * len(texts) if text_alone else holds_blocks(texts)
    for kind, with_blocks, is_piece in zip(kinds, blocks, pieces, strict=True):
        name = kind
        if is_piece:
            name = "prose"
        elif kind in _MAY_HOLD_BLOCKS:
            name = "mixed" if with_blocks else "prose"
        if name not in made:
            make = CONTENT_TYPES[name].reader
            made[name] = None if make is None else make(**options.get(name, {}))
        readers.append(made[name])
    return readers


def _profiles(result: Compressed) -> list[Profile]:
    """How the content types of a result's documents are compressed by their profiles."""
    return [CONTENT_TYPES[kind].profile for kind in result.receipt.content_types]


def _budget_of(request: Request, kinds: Sequence[str], goal: Literal["default", "expected"]) -> int:
    """Tokens that the content types of the documents allow together."""
    sizes = count_batch(request.counter, [document.text for document in request.documents]).tolist()
    ratios = [profile(CONTENT_TYPES[kind].content, goal).ratio for kind in kinds]
    return max(1, int(sum(size * ratio for size, ratio in zip(sizes, ratios, strict=True)) + 1e-9))


def level_targets(original_tokens: int, levels: int) -> list[int]:
    """Return the tokens allowed for each level: a half, a quarter, ... of the original, at least 1."""
    return [max(1, original_tokens >> (level + 1)) for level in range(levels)]


@dataclass(frozen=True, slots=True)
class Hierarchical:
    """Makes levels of a half, a quarter, an eighth and so on, each a part of the larger ones.

    If a call has a budget, one more level is made for it.

    Attributes:
        levels: how many.
        extractive: how segments are read, scored and selected.
    """

    method: ClassVar[CompressionMethod] = CompressionMethod.HIERARCHICAL

    levels: int = 3
    extractive: Extractive = field(default_factory=Extractive)

    def __post_init__(self) -> None:
        whole_number(self.levels, "levels", least=1, most=30)
        if not isinstance(self.extractive, Extractive):
            raise TypeError(f"extractive must be Extractive, not {self.extractive!r}")

    def compress(self, request: Request) -> Compressed:
        """Return the level for a budget: a part of each larger level, which contains each smaller one.

        Raises BudgetExceededError as `Extractive` does.
        """
        prepared = Prepared(request, self.extractive)
        targets = level_targets(prepared.original_tokens, self.levels)

        def attempt(budget: int) -> Compressed:
            smaller = [target for target in targets if target < budget]
            while True:
                try:
                    return prepared.levels([budget, *smaller])[0]
                except BudgetExceededError:  # what is pinned is larger than the smallest level
                    if not smaller:
                        raise
                    smaller.pop()

        return with_required(attempt, prepared.allowed(None, None), prepared.original_tokens)


def _late(module: str, name: str) -> Callable[[], Strategy]:
    """A strategy whose module loads when it is made."""

    def make() -> Strategy:
        strategy: Strategy = getattr(import_module(module), name)()
        return strategy

    return make


STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "extractive": Extractive,
    "lead": lambda: Extractive(scoring="lead", redundancy=0.0),
    "abstractive": _late("tersely.writing.abstractive", "Abstractive"),
    "hybrid": _late("tersely.writing.abstractive", "Hybrid"),
    "hierarchical": Hierarchical,
}
