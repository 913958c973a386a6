"""Compress documents that change: what was kept stays, and what did not change is not counted again."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from tersely.core.cache import BoundedCache
from tersely.core.errors import BudgetExceededError
from tersely.core.tables import Float32s, SegmentTable, UInt8s
from tersely.core.types import Compressed, Request
from tersely.engine.auto import Auto
from tersely.engine.count import count
from tersely.engine.extractive import Extractive
from tersely.engine.fit import Fit, choose, fit
from tersely.engine.line_diff import Diff, common_prefix, compare
from tersely.engine.memo import Memo, prepare_with
from tersely.engine.prepare import Prepared
from tersely.engine.reading import Reading
from tersely.engine.select import FIRST_KEPT, REASONS

__all__ = ["CACHE_BYTES", "Incremental", "IncrementalUpdate", "State", "advance"]

CACHE_BYTES = 64 * 2**20
_CHANGE_LIMIT = 0.1  # from this change_ratio on, what was kept before says nothing
_NEW_LIMIT = 0.5  # share of the characters in units that are new, from which on it says nothing either
_STICKY = 1.1  # a kept unit is given up for one that is worth so many times as much per token
_DRIFT = 0.015  # share of the worth of a fresh choice that may be lost before it is made,
_APPEND_DRIFT = 0.03  # and where text was only added at the end
_SELECTED, _PINNED = REASONS.index("selected"), REASONS.index("pinned")
_NOTHING = Diff((), (), 0.0)


@dataclass(frozen=True, slots=True)
class IncrementalUpdate:
    """How a changed text came to its compression.

    Attributes:
        way: "incremental", "full" (chosen as if there had been no version before) or "same" (nothing had
            changed).
        reason: for "full", why: "new" (not known, or no longer), "options" (other options or documents),
            "change_ratio" (0.1 or more), "fitted" (before, everything was kept as it was, or one unit was
            cut), "fits" (everything is kept as it is now), "structure" (the change makes other units of most
            of the text, as a code fence does), "budget" (what stays did not fit), "quality" (a fresh choice
            is worth too much more), "embedder" (it failed), "reranker" (there is one); else "".
        diff: against the version before; empty where there was none.
        recompressed: share of the source's characters in units that the version before did not have, in
            [0, 1]: tokenizer and embedder were asked about these alone. 1 where the way is "full".
        prefix_tokens_kept: tokens of what the compressed texts before and now both begin with: the leading
            part that a prompt cache can use again. A tokenizer may see its last token differently.
    """

    way: Literal["incremental", "full", "same"]
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
        table, pieces, status: the units, their texts, and the codes of the choice (indices into REASONS);
            None and empty where everything was kept as it was, or one unit was cut.
        memo: what is known of the pieces.
    """

    request: Request
    result: Compressed
    update: IncrementalUpdate
    table: SegmentTable | None = None
    pieces: Sequence[str] = ()
    status: UInt8s = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    memo: Memo = field(default_factory=Memo)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, roughly: texts (whole, as units, dropped and kept), what is known of units."""
        texts = sum(sys.getsizeof(document.text) for document in self.request.documents)
        return 3 * texts + 400 * len(self.status) + 2000


@dataclass(frozen=True, slots=True)
class Incremental:
    """Keeps of documents that it has seen before what it kept then, as far as that is still right.

    Documents are known by their ids together; those without one by their places. An object has a memory and
    serves many calls; a fresh one for each call would do what a call without strategy does, so there is no
    name for it among `STRATEGIES`. Copies and pickles start with an empty memory. Safe to use from many
    threads at once. `advance` says what stays.

    Attributes:
        extractive: how texts are cut, scored and chosen from.
        cache_bytes: memory for what is known of earlier versions; the least recently used go first.
        cache: that memory, with its hits and misses.
    """

    extractive: Extractive = field(default_factory=Extractive)
    cache_bytes: int = CACHE_BYTES
    cache: BoundedCache[State] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the options."""
        if not isinstance(self.extractive, Extractive):
            raise TypeError(f"extractive must be an Extractive, not {type(self.extractive).__name__}")
        object.__setattr__(self, "cache", BoundedCache(self.cache_bytes))

    def __reduce__(self) -> tuple[Any, ...]:
        """The options, not the memory."""
        return Incremental, (self.extractive, self.cache_bytes)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget; raises what `Extractive.compress` does."""
        return self.compress_update(request)[0]

    def compress_update(self, request: Request) -> tuple[Compressed, IncrementalUpdate]:
        """`compress`, and how the result came about."""
        ids = json.dumps([document.id for document in request.documents])
        key = hashlib.sha256(ids.encode()).digest()
        state = advance(Auto.of_text(self.extractive), request, self.cache.get(key))
        self.cache.put(key, state, state.nbytes)
        return state.result, state.update


def advance(
    strategy: Auto,
    request: Request,
    before: State | None,
    *,
    target: Callable[[int], int] | None = None,
    afresh: bool = False,
) -> State:
    """Compress the request's documents; `before`: the state of an earlier version of them.

    All of the text is read in one native pass; the tokenizer and the embedder are asked about new units only.
    After a change of less than 10% of the characters, units that lie wholly before it stay in or out as they
    were, so that the text begins as before, and units that were kept after it only give way to those that
    are worth a tenth more per token. Where that does not fit the budget, or is worth 1.5% less than a fresh
    choice (3% where text was only added at the end), the first rule is dropped, then the second.

    Args:
        strategy: how documents are read and chosen from, the same as for `before`. With a reranker, which
            reads what is best in all the text, nothing stays.
        request: as for `strategy.compress`, which says what is raised.
        before: None: there is none.
        target: original tokens -> the budget; None: the request's.
        afresh: nothing stays, for other options.

    O(characters + lines log lines); tokenizer and embedder: O(characters of new units).
    """
    if before is not None and before.request == request and not afresh:
        return replace(before, update=IncrementalUpdate("same", "", _NOTHING, 0.0, before.result.tokens))
    known = before is not None and not afresh and _comparable(before.request, request)
    memo = Memo()
    if before is not None and known:
        memo.add(before.memo)
    prepared = prepare_with(memo, strategy, request)
    tokens = prepared.original_tokens
    budget = prepared.allowed(None, None) if target is None else target(tokens)
    diff = _difference(before.request, request) if before is not None and known else _NOTHING
    if prepared.fits(budget):
        reason = "fits" if diff.change_ratio < _CHANGE_LIMIT else "change_ratio"
        result = prepared.fit(budget)
        return _state(request, before, result, "full", reason if known else _unknown(before), diff, 1.0)
    reading = prepared.reading
    pieces = reading.pieces()
    chosen, share, reason = None, 1.0, _unknown(before)
    if before is not None and known:
        had = set(before.pieces)
        new = sum(len(piece) for piece in pieces if piece not in had)
        share = new / max(sum(map(len, pieces)), 1)
        reason = _obstacle(strategy.text, before, reading, diff, share)
        if not reason:
            chosen, reason = _settled(before, reading, pieces, budget)
    way: Literal["full", "incremental"] = "incremental"
    if chosen is None:
        way, share = "full", 1.0
        chosen = _fresh(prepared, budget)
    if chosen is None or not prepared.stands(chosen):
        return _state(request, before, prepared.fit(budget), "full", reason or "budget", diff, 1.0)
    try:
        result = prepared.finish(chosen, budget)
    except BudgetExceededError:  # it lost a fact that it may not, which another choice may keep
        return _state(request, before, prepared.fit(budget), "full", reason or "budget", diff, 1.0)
    state = _state(request, before, result, way, reason, diff, share)
    if chosen.cut is not None or len(chosen.status) == 0:
        return state
    return replace(state, table=reading.table, pieces=pieces, status=chosen.status, memo=memo.of(pieces))


def _fresh(prepared: Prepared, budget: int) -> Fit | None:
    """A choice by worth alone; None where no unit fits, and the engine must read otherwise, or raise."""
    try:
        return fit(prepared.reading, budget)
    except BudgetExceededError:
        return None


def _unknown(before: State | None) -> str:
    return "new" if before is None else "options"


def _obstacle(options: Extractive, before: State, reading: Reading, diff: Diff, share: float) -> str:
    """Why what was kept before says nothing now; "" where it does."""
    if diff.change_ratio >= _CHANGE_LIMIT:
        return "change_ratio"
    if before.table is None:
        return "fitted"
    if options.reranker is not None:
        return "reranker"
    if "embedder_failed" in reading.warnings and before.memo.cosines:
        return "embedder"
    return "structure" if share > _NEW_LIMIT else ""


def _settled(before: State, reading: Reading, pieces: Sequence[str], budget: int) -> tuple[Fit | None, str]:
    """A choice that keeps what was kept, as far as that is right; else None, and why."""
    first = _unchanged_rows(before, reading)
    before_change = np.arange(len(reading.table)) < first
    codes = zip(before.pieces, before.status.tolist(), strict=True)
    kept_texts = {piece for piece, code in codes if code >= FIRST_KEPT}
    was_kept = np.array([piece in kept_texts for piece in pieces], dtype=bool)
    was_kept[:first] = before.status[:first] >= FIRST_KEPT
    favour: Float32s = np.where(was_kept, np.float32(_STICKY), np.float32(1))
    held = np.zeros(len(favour), dtype=np.uint8)
    held[:first] = np.where(was_kept[:first], before.status[:first], 0)
    held[held == _PINNED] = _SELECTED  # perhaps nobody pins it this time
    held[reading.pinned > 0] = _PINNED
    settled = np.where(before_change & ~was_kept & (reading.pinned == 0), np.float32(0), favour)
    reason = "budget"
    for kept, factors in ((held, settled), (None, favour)) if first else ((None, favour),):
        try:
            fitted = fit(reading, budget, kept=kept, favour=factors)
        except BudgetExceededError:
            continue
        drift = _APPEND_DRIFT if kept is not None and first == len(before.status) else _DRIFT
        if fitted.cut is None and _share_of_best(reading, fitted, budget) >= 1 - drift:
            return fitted, ""
        reason = "quality"
    return None, reason


def _unchanged_rows(before: State, reading: Reading) -> int:
    """How many units at the start lie wholly before the first change, and are the same as before."""
    old, new = before.table, reading.table
    assert old is not None
    pairs = zip(before.request.documents, reading.request.documents, strict=True)
    document, at = len(reading.texts), 0
    for index, (was, now) in enumerate(pairs):
        if was.text != now.text:
            document, at = index, common_prefix(was.text, now.text)
            break
    size = min(len(old), len(new))
    same = (new.document[:size] < document) | ((new.document[:size] == document) & (new.end[:size] <= at))
    for one, other in ((old.document, new.document), (old.start, new.start), (old.end, new.end)):
        same &= one[:size] == other[:size]
    return size if same.all() else int(np.argmin(same))


def _comparable(before: Request, now: Request) -> bool:
    """Whether nothing but texts, spans and the budget differs."""
    settings = [
        (r.query, r.separator, r.counter, [(d.id, d.title) for d in r.documents]) for r in (before, now)
    ]
    return settings[0] == settings[1]


def _difference(before: Request, now: Request) -> Diff:
    """What was added and removed in all documents together."""
    pairs = [compare(old.text, new.text) for old, new in zip(before.documents, now.documents, strict=True)]
    size = max(*(sum(len(document.text) for document in r.documents) for r in (before, now)), 1)
    moved = sum(c.old_end - c.old_start + c.new_end - c.new_start for _, places in pairs for c in places)
    added = tuple(line for diff, _ in pairs for line in diff.added)
    removed = tuple(line for diff, _ in pairs for line in diff.removed)
    return Diff(added, removed, moved / size)


def _share_of_best(reading: Reading, fitted: Fit, budget: int) -> float:
    """What a choice is worth beside a fresh one that is estimated to take all of the budget."""
    costs = reading.prices().costs
    value = reading.worth.astype(np.float64) * costs
    kept = fitted.status >= FIRST_KEPT
    estimate = int(costs[kept].sum())
    fresh = choose(reading, budget * estimate // max(fitted.tokens, 1)) >= FIRST_KEPT
    best = float(value[fresh].sum())
    return float(value[kept].sum()) / best if best > 0 else 1.0


def _state(
    request: Request,
    before: State | None,
    result: Compressed,
    way: Literal["incremental", "full"],
    reason: str,
    diff: Diff,
    share: float,
) -> State:
    """A state without units, with what the update says of itself."""
    prefix = result.text[: common_prefix(before.result.text, result.text)] if before is not None else ""
    kept = min(count(request.counter, prefix), result.tokens) if prefix else 0
    return State(request, result, IncrementalUpdate(way, reason, diff, share, kept))
