"""Compression of documents that change: what did not change stays as it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from tersely.cache import BoundedCache
from tersely.providers.embedders import resolve_embedder
from tersely.stages.count import count, count_batch
from tersely.stages.render import render
from tersely.stages.select import REASONS, is_kept
from tersely.strategies.diff import Change, Diff, compare
from tersely.strategies.extractive import Extractive
from tersely.strategies.fitting import Fit
from tersely.strategies.rereading import Reread, reread, term_numbers
from tersely.strategies.scored import Scored
from tersely.tables import Float32s, UInt8s
from tersely.types import Compressed, Request

__all__ = ["Incremental", "IncrementalUpdate", "State"]

CACHE_BYTES = 64 * 2**20
_CHANGE_LIMIT = 0.1  # from this change_ratio on everything is compressed again
_STICKY = 1.25  # a kept segment is given up for one that is worth so many times as much per token
_DRIFT = 0.03  # share of the value of a fresh choice that may be lost before it is made
_ROUNDS = 4  # of choosing, rendering and counting
_VOCABULARY = 2  # times the terms of the last full reading; then old terms are cleared out
_FIRST_KEPT = REASONS.index("selected")
_PINNED = REASONS.index("pinned")


@dataclass(frozen=True, slots=True)
class IncrementalUpdate:
    """How a changed text came to its compression.

    Attributes:
        way: "incremental", "full" (everything was compressed again) or "same" (nothing had changed).
        reason: for "full", why: "new" (not known, or no longer), "options" (other options or documents),
            "change_ratio" (0.1 or more), "fitted" (before, everything was kept as it was), "fits" (it is now),
            "structure" (a code fence changed), "budget" (what stays did not fit), "quality" (a fresh
            choice is worth more by over 3%), "vocabulary" (too many terms of earlier versions), "model" (the
            embedder failed); else "".
        diff: against the version before; empty where there was none.
        recompressed: share of the source's characters that were read and scored anew, in [0, 1].
        prefix_tokens_kept: tokens of what the compressed text before and now begin with, the leading
            part that a prompt cache can use again.
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
        scored: what is known of the segments; None where everything was kept as it was.
        status: uint8[n], an index into REASONS for each segment.
        terms: the id of each term.
        vocabulary: how many terms the last full reading had.
        factor: estimated tokens for each token that the text counts.
    """

    request: Request
    result: Compressed
    update: IncrementalUpdate
    scored: Scored | None = None
    status: UInt8s = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    terms: Mapping[str, int] = field(default_factory=dict)
    vocabulary: int = 0
    factor: float = 1.0

    @property
    def nbytes(self) -> int:
        """Bytes in memory, roughly: texts, segments' texts, arrays."""
        characters = sum(len(document.text) for document in self.request.documents)
        rows = len(self.status)
        terms = len(self.scored.analysis.term_ids) if self.scored else 0
        return 6 * characters + 250 * rows + 4 * terms + 150 * len(self.terms) + 2000


@dataclass(frozen=True, slots=True)
class Incremental:
    """Keeps of documents that it has seen before what it kept then, and reads only what changed.

    Documents are known by their ids, without one by their place. It has a memory, so that an object serves many
    calls, and has no name among `STRATEGIES`: a fresh object for each call would be `Extractive`. Copies and
    pickles start with an empty memory. Safe to use from many threads.

    Attributes:
        extractive: how texts are cut, scored and chosen from. With a reranker, which reads all of the
            best segments, nothing is incremental.
        cache_bytes: memory for what is known of earlier versions; the least recently used go first.
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
        """Fit the documents into the budget; raises as `Extractive.compress` does."""
        return self.update(request).result

    def update(self, request: Request, name: str | None = None) -> State:
        """`compress`, and how. `name`: of the documents together; None: their ids.

        A change of less than 10% of the characters is read alone. What was kept before the change stays;
        from there on, a kept segment only gives way to one that is worth a quarter more per token. All is
        compressed again where that does not fit the budget, or where it is worth 3% less than a fresh choice.
        """
        key = cache_key(request, name)
        before = self.cache.get(key)
        state = self._updated(request, before)
        if state is not before:
            self.cache.put(key, state, state.nbytes)
        return state

    def _updated(self, request: Request, before: State | None) -> State:
        if before is None:
            return self._full(request, None, "new", _NOTHING)
        if not _comparable(before.request, request):
            return self._full(request, before, "options", _NOTHING)
        diff, changes = _differences(before.request, request)
        if not any(changes):
            same = IncrementalUpdate("same", "", _NOTHING, 0.0, before.result.tokens)
            return replace(before, update=same) if before.update != same else before
        if diff.change_ratio >= _CHANGE_LIMIT:
            return self._full(request, before, "change_ratio", diff)
        if before.scored is None:
            return self._full(request, before, "fitted", diff)
        found = self._incremental(request, before, before.scored, diff, changes)
        return self._full(request, before, found, diff) if isinstance(found, str) else found

    def _full(self, request: Request, before: State | None, reason: str, diff: Diff) -> State:
        whole, original, budget = _measured(request)
        if original <= budget:
            result = self.extractive.unchanged(request, whole, original, budget)
            return State(request, result, _told(request, before, result, "full", "fits", diff, 1.0))
        scored = self.extractive.score(request, original)
        fitted = scored.fit(budget)
        result = scored.result(fitted, budget)
        update = _told(request, before, result, "full", reason, diff, 1.0)
        if fitted.cut is not None or len(fitted.status) == 0:
            return State(request, result, update)
        terms = term_numbers(scored)
        factor = _factor(scored, fitted)
        return State(request, result, update, scored, fitted.status, terms, len(terms), factor)

    def _incremental(
        self, request: Request, before: State, known: Scored, diff: Diff, changes: list[list[Change]]
    ) -> State | str:
        """The new state, or why everything must be compressed again."""
        _, original, budget = _measured(request)
        if original <= budget:
            return "fits"
        if self.extractive.reranker is not None:
            return "model"
        read = reread(known, before.terms, request, changes, self.extractive.level, self.extractive.window)
        if read is None:
            return "structure"
        if len(read.terms) > _VOCABULARY * before.vocabulary:
            return "vocabulary"
        try:
            cosine = self._cosine(request, known, read)
        except Exception:  # whatever a model does; the full way says so in its warnings
            return "model"
        scored = self.extractive.score_read(request, original, read.analysis, read.prices, cosine)
        fitted = _settled(before, scored, read, budget)
        if isinstance(fitted, str):
            return fitted
        result = scored.result(fitted, budget)
        characters = sum(len(text) for text in scored.texts)
        update = _told(request, before, result, "incremental", "", diff, read.characters / characters)
        factor = _factor(scored, fitted)
        return State(request, result, update, scored, fitted.status, read.terms, before.vocabulary, factor)

    def _cosine(self, request: Request, known: Scored, read: Reread) -> Float32s | None:
        """Cosines with the query; only new segments go to the embedder."""
        if known.cosine is None:
            return None
        new = np.flatnonzero(read.origin < 0)
        cosine = known.cosine[read.origin] if len(known.cosine) else np.zeros(len(new), dtype=np.float32)
        pieces = [read.prices.pieces[row] for row in new.tolist()]
        if pieces:
            query = (request.query or "").strip()
            cosine[new] = resolve_embedder(self.extractive.embedder).similarity(query, pieces)
        return cosine


_NOTHING = Diff((), (), 0.0)


def cache_key(request: Request, name: str | None) -> bytes:
    """What documents are known by."""
    ids = [document.id for document in request.documents] if name is None else name
    return hashlib.sha256(json.dumps(ids).encode("utf-8", "surrogatepass")).digest()


def _comparable(before: Request, now: Request) -> bool:
    """Whether nothing but texts, spans and the budget differs."""
    settings = [
        (r.query, r.separator, r.counter, [(d.id, d.title) for d in r.documents]) for r in (before, now)
    ]
    return settings[0] == settings[1]


def _differences(before: Request, now: Request) -> tuple[Diff, list[list[Change]]]:
    pairs = [
        compare(old.text, new.text) for old, new in zip(before.documents, now.documents, strict=True)
    ]
    sizes = [sum(len(document.text) for document in r.documents) for r in (before, now)]
    changes = [places for _, places in pairs]
    moved = sum(c.old_end - c.old_start + c.new_end - c.new_start for places in changes for c in places)
    added = tuple(line for diff, _ in pairs for line in diff.added)
    removed = tuple(line for diff, _ in pairs for line in diff.removed)
    return Diff(added, removed, moved / max(*sizes, 1)), changes


def _measured(request: Request) -> tuple[str, int, int]:
    """The whole text, its tokens, and the budget."""
    whole = request.separator.join([document.text for document in request.documents])
    original = count(request.counter, whole)
    budget = request.budget if request.budget is not None else max(1, int(original * request.ratio))
    return whole, original, budget


def _settled(before: State, scored: Scored, read: Reread, budget: int) -> Fit | str:
    """A choice that keeps what was kept, as far as that is right; else why not."""
    n = len(read.origin)
    was = np.where(read.origin < 0, 0, before.status[read.origin]).astype(np.uint8)
    kept = was >= _FIRST_KEPT
    changed = np.flatnonzero(read.origin != np.arange(n))
    first = int(changed[0]) if len(changed) else n
    reason = "budget"
    for frozen in dict.fromkeys([first, 0]):  # what comes before the change stays; else, what stays is only favoured
        fixed = np.arange(n) < frozen
        fitted = _fitted(before, scored, kept, fixed, was, budget)
        if fitted is None:
            continue
        target = int(budget * before.factor)
        fresh = scored.choose(scored.scores, scored.prices.costs, target, scored.pinned)
        if _value(scored, fitted.status) >= (1 - _DRIFT) * _value(scored, fresh):
            return fitted
        reason = "quality"
    return reason


def _fitted(
    before: State, scored: Scored, kept: UInt8s, fixed: UInt8s, was: UInt8s, budget: int
) -> Fit | None:
    """The best choice found that fits the budget, given that `fixed` segments stay in or out."""
    request, texts, table = scored.request, scored.texts, scored.analysis.table
    scores = np.where(kept, scored.scores * np.float32(_STICKY), scored.scores)
    pinned = np.maximum(scored.pinned, (fixed & kept).astype(np.uint8))
    costs = scored.prices.costs.copy()
    costs[fixed & ~kept & (scored.pinned == 0)] = 2 * budget + int(2 * budget * before.factor) + 1
    target, best = int(budget * before.factor), None
    for recounts in range(1, _ROUNDS + 1):
        status = scored.choose(scores, costs, target, pinned)
        rows = is_kept(status)
        if len(rows) == 0:
            break
        text = render(texts, table, rows, request.separator)
        tokens = count(request.counter, text)
        estimate = int(scored.prices.costs[rows].sum())
        if tokens <= budget:
            stays = fixed & (scored.pinned == 0)
            if best is None or tokens > best.tokens:
                best = Fit(text, tokens, np.where(stays, was, status), None, recounts, ())
            break
        over = (tokens - budget) * estimate // tokens
        target = min(target, estimate) - max(1, over) * 2 ** (recounts - 1)
        if target <= 0:
            break
    return best


def _value(scored: Scored, status: UInt8s) -> float:
    kept = status >= _FIRST_KEPT
    return float(np.dot(scored.scores[kept].astype(np.float64), scored.prices.costs[kept]))


def _factor(scored: Scored, fitted: Fit) -> float:
    estimate = int(scored.prices.costs[is_kept(fitted.status)].sum())
    return min(max(estimate / max(fitted.tokens, 1), 0.5), 2.0)


def _told(
    request: Request, before: State | None, result: Compressed, way: Any, reason: str, diff: Diff, share: float
) -> IncrementalUpdate:
    kept = 0
    if before is not None:
        prefix = _common_prefix(before.result.text, result.text)
        kept = int(count_batch(request.counter, [prefix])[0]) if prefix else 0
    return IncrementalUpdate(way, reason, diff, share, kept)


def _common_prefix(old: str, new: str) -> str:
    low, high = 0, min(len(old), len(new))
    while low < high:  # slices compare at the speed of memory
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return new[:low]
