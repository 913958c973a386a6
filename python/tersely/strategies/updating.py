"""The compression of a text that changed, made of the one before."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from tersely.providers.embedders import resolve_embedder
from tersely.stages.count import count
from tersely.stages.select import REASONS, is_kept
from tersely.strategies.diff import Change, Diff, common_prefix, compare
from tersely.strategies.extractive import Extractive
from tersely.strategies.fitting import Fit
from tersely.strategies.recounting import recount
from tersely.strategies.rereading import NO_NUMBERS, Numbers, Reread, numbers_of, reread
from tersely.strategies.scored import Scored
from tersely.tables import Float32s, Int64s, UInt8s
from tersely.types import Compressed, Request

__all__ = ["IncrementalUpdate", "State", "advance"]

Bools = npt.NDArray[np.bool_]
Way = Literal["incremental", "full", "same"]

_CHANGE_LIMIT = 0.1  # from this change_ratio on everything is compressed again
_STICKY = 1.1  # a kept segment is given up for one that is worth so many times as much per token
_DRIFT = 0.015  # share of the value of a fresh choice that may be lost before it is made,
_APPEND_DRIFT = 0.03  # and where text was only added at the end
_ROUNDS = 4  # of choosing, rendering and counting
_VOCABULARY = 2  # times the terms and facts of the last full reading; then earlier versions' are cleared out
_LARGEST_SUM = 2**60  # of costs, as in strategies/fitting.py
_FIRST_KEPT = REASONS.index("selected")
_NOTHING = Diff((), (), 0.0)


@dataclass(frozen=True, slots=True)
class IncrementalUpdate:
    """How a changed text came to its compression.

    Attributes:
        way: "incremental", "full" (everything was compressed again) or "same" (nothing had changed).
        reason: for "full", why: "new" (not known, or no longer), "options" (other options or documents),
            "change_ratio" (0.1 or more), "fitted" (before, everything was kept as it was, or one segment was
            cut), "fits" (everything is kept as it is now), "structure" (a code fence changed), "budget" (what
            stays did not fit), "quality" (a fresh choice is worth too much more), "vocabulary" (too many
            terms of earlier versions), "embedder" (it failed), "reranker" (there is one); else "".
        diff: against the version before; empty where there was none.
        recompressed: share of the source's characters that were read and scored anew, in [0, 1].
        prefix_tokens_kept: tokens of what the compressed texts before and now both begin with: the leading
            part that a prompt cache can use again. A tokenizer may see its last token differently.
    """

    way: Way
    reason: str
    diff: Diff
    recompressed: float
    prefix_tokens_kept: int


@dataclass(frozen=True, eq=False, slots=True)
class State:
    """The last compression of some documents. Never changed, only replaced.

    Attributes:
        request, result: what was asked, and the answer.
        update: how it came about.
        scored: what is known of the segments; None where everything was kept as it was.
        status: uint8[n], an index into REASONS for each segment.
        origin: int64[n], the row that each had in the state before; None where all were read anew.
        numbers: the ids of terms and facts.
        vocabulary: how many of these the last full reading had.
        factor: estimated tokens for each token that the text counts.
    """

    request: Request
    result: Compressed
    update: IncrementalUpdate
    scored: Scored | None = None
    status: UInt8s = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    origin: Int64s | None = None
    numbers: Numbers = NO_NUMBERS
    vocabulary: int = 0
    factor: float = 1.0

    @property
    def nbytes(self) -> int:
        """Bytes in memory, roughly: texts (whole, as segments, as dropped and kept), arrays, terms."""
        texts = sum(sys.getsizeof(document.text) for document in self.request.documents)
        rows = len(self.status)
        terms = len(self.scored.analysis.term_ids) if self.scored else 0
        return 3 * texts + 250 * rows + 4 * terms + 150 * self.numbers.size + 2000


def advance(
    extractive: Extractive,
    request: Request,
    before: State | None,
    *,
    original: int | None = None,
    afresh: bool = False,
) -> State:
    """Compress the request's documents; `before`: the state of an earlier version of them.

    A change of less than 10% of the characters is read alone. What was kept before the change stays, and a
    kept segment after it only gives way to one that is worth a tenth more per token. Where that does not fit
    the budget, or is worth 1.5% less than a fresh choice (3% where text was only added at the end), the
    latter goes for all segments; where that does not help either, all is compressed again.

    Args:
        extractive: how texts are cut, scored and chosen from, the same as for `before`. With a reranker,
            which reads what is best in all the text, nothing is incremental.
        request: as for `Extractive.compress`, which says what is raised.
        before: None: there is none.
        original: tokens of the documents joined by the separator, if known.
        afresh: everything is to be compressed again, for other options.
    """
    whole = request.separator.join([document.text for document in request.documents])
    if before is not None and before.request == request and not afresh:
        return replace(before, update=IncrementalUpdate("same", "", _NOTHING, 0.0, before.result.tokens))
    tokens = count(request.counter, whole) if original is None else original
    budget = request.budget if request.budget is not None else max(1, int(tokens * request.ratio))
    if before is None:
        return _full(extractive, request, None, "new", _NOTHING, whole, tokens, budget)
    diff, found = _NOTHING, None
    reason = "options"
    if not afresh and _comparable(before.request, request):
        diff, changes = _differences(before.request, request)
        reason = _obstacle(extractive, before, diff, tokens <= budget)
        if not reason and before.scored is not None:
            outcome = _incremental(extractive, request, before, before.scored, diff, changes, tokens, budget)
            found, reason = (None, outcome) if isinstance(outcome, str) else (outcome, "")
    return found or _full(extractive, request, before, reason, diff, whole, tokens, budget)


def _obstacle(extractive: Extractive, before: State, diff: Diff, fits: bool) -> str:
    """Why everything must be compressed again, as far as that can be said before reading; or ""."""
    if diff.change_ratio >= _CHANGE_LIMIT:
        return "change_ratio"
    if fits:
        return "fits"
    if before.scored is None:
        return "fitted"
    return "reranker" if extractive.reranker is not None else ""


def _full(
    extractive: Extractive,
    request: Request,
    before: State | None,
    reason: str,
    diff: Diff,
    whole: str,
    tokens: int,
    budget: int,
) -> State:
    if tokens <= budget:
        result = extractive.unchanged(request, whole, tokens, budget)
        return State(request, result, _told(request, before, result, "full", reason, diff, 1.0))
    scored = extractive.score(request, tokens)
    fitted = scored.fit(budget)
    result = scored.result(fitted, budget)
    update = _told(request, before, result, "full", reason, diff, 1.0)
    if fitted.cut is not None or len(fitted.status) == 0:
        return State(request, result, update)
    numbers, factor = numbers_of(scored), _factor(scored, fitted)
    return State(request, result, update, scored, fitted.status, None, numbers, numbers.size, factor)


def _incremental(
    extractive: Extractive,
    request: Request,
    before: State,
    known: Scored,
    diff: Diff,
    changes: list[list[Change]],
    tokens: int,
    budget: int,
) -> State | str:
    """The new state, or why everything must be compressed again."""
    read = reread(known, before.numbers, request, changes, extractive.level, extractive.window)
    if read is None:
        return "structure"
    if read.numbers.size > _VOCABULARY * before.vocabulary:
        return "vocabulary"
    try:
        cosine = _cosine(extractive, request, known, read)
    except Exception:  # whatever a model does; the full way says so in its warnings
        return "embedder"
    scored = extractive.score_read(request, tokens, read.analysis, read.prices, cosine, read.facts)
    fitted = _settled(before, scored, read, budget)
    if isinstance(fitted, str):
        return fitted
    result = scored.result(fitted, budget)
    characters = sum(len(text) for text in scored.texts)
    update = _told(request, before, result, "incremental", "", diff, read.characters / characters)
    rows = (scored, fitted.status, read.origin, read.numbers)
    return State(request, result, update, *rows, before.vocabulary, _factor(scored, fitted))


def _cosine(extractive: Extractive, request: Request, known: Scored, read: Reread) -> Float32s | None:
    """Cosines with the query; only new segments go to the embedder."""
    if known.cosine is None:
        return None
    new = np.flatnonzero(read.origin < 0)
    cosine = known.cosine[read.origin] if len(known.cosine) else np.zeros(len(new), dtype=np.float32)
    pieces = [read.prices.pieces[row] for row in new.tolist()]
    if pieces:
        query = (request.query or "").strip()
        cosine[new] = resolve_embedder(extractive.embedder).similarity(query, pieces)
    return cosine


def _comparable(before: Request, now: Request) -> bool:
    """Whether nothing but texts, spans and the budget differs."""
    settings = [
        (r.query, r.separator, r.counter, [(d.id, d.title) for d in r.documents]) for r in (before, now)
    ]
    return settings[0] == settings[1]


def _differences(before: Request, now: Request) -> tuple[Diff, list[list[Change]]]:
    pairs = [compare(old.text, new.text) for old, new in zip(before.documents, now.documents, strict=True)]
    size = max(*(sum(len(document.text) for document in r.documents) for r in (before, now)), 1)
    moved = sum(c.old_end - c.old_start + c.new_end - c.new_start for _, places in pairs for c in places)
    added = tuple(line for diff, _ in pairs for line in diff.added)
    removed = tuple(line for diff, _ in pairs for line in diff.removed)
    return Diff(added, removed, moved / size), [places for _, places in pairs]


def _settled(before: State, scored: Scored, read: Reread, budget: int) -> Fit | str:
    """A choice that keeps what was kept, as far as that is right; else why not."""
    n = len(read.origin)
    was = np.where(read.origin < 0, 0, before.status[read.origin]).astype(np.uint8)
    kept = was >= _FIRST_KEPT
    was[kept] = _FIRST_KEPT  # nobody pinned it this time
    changed = np.flatnonzero(read.origin != np.arange(n))
    first = int(changed[0]) if len(changed) else n
    costs, target = scored.prices.costs, int(budget * before.factor)
    best = _value(scored, scored.choose(scored.scores, costs, target, scored.pinned))
    reason = "budget"
    for frozen in dict.fromkeys([first, 0]):  # first with all before the change as it was
        fixed = np.arange(n) < frozen
        fitted = _fitted(before, scored, kept, fixed, was, budget)
        drift = _APPEND_DRIFT if frozen == len(before.status) else _DRIFT
        if fitted is not None and _value(scored, fitted.status) >= (1 - drift) * best:
            return fitted
        reason = "quality" if fitted is not None else reason
    return reason


def _fitted(before: State, scored: Scored, kept: Bools, fixed: Bools, was: UInt8s, budget: int) -> Fit | None:
    """The first choice that fits the budget, given that `fixed` segments stay in or out."""
    scores = np.where(kept, scored.scores * np.float32(_STICKY), scored.scores)
    pinned = np.maximum(scored.pinned, (fixed & kept).astype(np.uint8))
    costs = scored.prices.costs.copy()
    costs[fixed & ~kept] = min(4 * budget + 1, _LARGEST_SUM // len(costs))  # it never fits
    target = int(budget * before.factor)
    for recounts in range(1, _ROUNDS + 1):
        status = scored.choose(scores, costs, target, pinned)
        rows = is_kept(status)
        if len(rows) == 0:
            return None
        text, generated = scored.render(rows)
        tokens = recount(scored.request.counter, text, before.result.text, before.result.tokens)
        if tokens <= budget:
            stays = fixed & (scored.pinned == 0) & (kept == (status >= _FIRST_KEPT))
            return Fit(text, tokens, np.where(stays, was, status), None, recounts, (), generated)
        estimate = int(scored.prices.costs[rows].sum())
        over = (tokens - budget) * estimate // tokens
        target = max(min(target, estimate) - max(1, over) * 2 ** (recounts - 1), 0)
    return None


def _value(scored: Scored, status: UInt8s) -> float:
    kept = status >= _FIRST_KEPT
    return float(np.dot(scored.scores[kept].astype(np.float64), scored.prices.costs[kept]))


def _factor(scored: Scored, fitted: Fit) -> float:
    estimate = int(scored.prices.costs[is_kept(fitted.status)].sum())
    return min(max(estimate / max(fitted.tokens, 1), 0.5), 2.0)


def _told(
    request: Request,
    before: State | None,
    result: Compressed,
    way: Way,
    reason: str,
    diff: Diff,
    share: float,
) -> IncrementalUpdate:
    prefix = result.text[: common_prefix(before.result.text, result.text)] if before is not None else ""
    kept = min(recount(request.counter, prefix, result.text, result.tokens), result.tokens) if prefix else 0
    return IncrementalUpdate(way, reason, diff, share, kept)
