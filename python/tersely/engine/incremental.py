"""Compress changing documents so that the text before a change stays the same, for prompt caches."""

from __future__ import annotations

import hashlib
import json
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tersely.cache import BoundedCache
from tersely.engine.fit import Fit, choose, fit
from tersely.engine.reading import FIRST_KEPT, REASONS, Reading, count
from tersely.engine.strategies import Auto, Extractive, Prepared
from tersely.errors import BudgetExceededError
from tersely.models.embedders import CheckedEmbedder, resolve_embedder
from tersely.types import Compressed, Float32s, Int64s, Request, SegmentTable

_LARGEST_TABLE = 10_000  # pairs of lines; where no line is unique, a larger part counts as replaced


@dataclass(frozen=True, slots=True)
class Diff:
    """The lines that differ between two texts.

    Attributes:
        added, removed: lines without their line ends, in order.
        change_ratio: characters added and removed, line ends included, / those of the longer text: 0 for
            equal texts, 2 at most.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    change_ratio: float


class Change(NamedTuple):
    """`old[old_start:old_end]` became `new[new_start:new_end]` (characters)."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def compute_diff(old: str, new: str) -> Diff:
    """Return the lines that were added and removed.

    The common beginning and end of both texts are skipped first. Between them, lines that occur once in each
    text and in the same order are anchors (patience diff); small parts without one go to difflib, larger ones
    count as replaced, so the diff is not always the shortest. Lines end at "\\n". O(characters + lines log
    lines).
    """
    return compare(old, new)[0]


def compare(old: str, new: str) -> tuple[Diff, list[Change]]:
    """Return `compute_diff`, and the ranges of characters that differ, in order."""
    if old == new:
        return Diff((), (), 0.0), []
    a, b = old.split("\n"), new.split("\n")
    hunks = list(_joined(_replaced(a, b)))
    places = _places(a, b, hunks, len(old), len(new))
    moved = sum(place.old_end - place.old_start + place.new_end - place.new_start for place in places)
    return Diff(
        added=tuple(line for _, _, k, m in hunks for line in b[k:m]),
        removed=tuple(line for i, j, _, _ in hunks for line in a[i:j]),
        change_ratio=moved / max(len(old), len(new)),
    ), [_trimmed(old, new, place) for place in places]


_Hunk = tuple[int, int, int, int]  # a[i:j] became b[k:m]


def _replaced(a: list[str], b: list[str]) -> Iterator[_Hunk]:
    """Hunks in order, some of them touching."""
    parts = [(0, len(a), 0, len(b))]  # a stack, the first part on top
    while parts:
        i, j, k, m = parts.pop()
        head = common_prefix(a[i:j], b[k:m])
        i, k = i + head, k + head
        tail = common_prefix(a[i:j][::-1], b[k:m][::-1])
        j, m = j - tail, m - tail
        if i == j or k == m:
            if i < j or k < m:
                yield i, j, k, m
            continue
        anchors = _anchors(a[i:j], b[k:m])
        if anchors:
            ends = [(i + x, k + y) for x, y in anchors] + [(j, m)]
            starts = [(i, k)] + [(x + 1, y + 1) for x, y in ends[:-1]]
            between = [(i, x, k, y) for (i, k), (x, y) in zip(starts, ends, strict=True)]
            parts.extend(part for part in reversed(between) if part[0] < part[1] or part[2] < part[3])
        elif (j - i) * (m - k) <= _LARGEST_TABLE:
            for name, x, y, z, w in SequenceMatcher(None, a[i:j], b[k:m], autojunk=False).get_opcodes():
                if name != "equal":
                    yield i + x, i + y, k + z, k + w
        else:
            yield i, j, k, m


def common_prefix(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many items, or characters, both begin with; by bisection, since slices compare quickly."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _trimmed(old: str, new: str, place: Change) -> Change:
    """A change without the characters that both of its sides begin and end with."""
    one, other = old[place.old_start : place.old_end], new[place.new_start : place.new_end]
    head = common_prefix(one, other)
    tail = common_prefix(one[head:][::-1], other[head:][::-1])
    return Change(place.old_start + head, place.old_end - tail, place.new_start + head, place.new_end - tail)


def _anchors(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """Find lines that are unique in both versions: the longest run that ascends in both."""
    in_a, in_b = Counter(a), Counter(b)
    place = {line: y for y, line in enumerate(b) if in_b[line] == 1}
    pairs = [(x, place[line]) for x, line in enumerate(a) if in_a[line] == 1 and line in place]
    ends: list[int] = []  # the lowest row of b that ends an ascending run of each length
    last: list[int] = []  # which pair that is
    before = [-1] * len(pairs)
    for number, (_, y) in enumerate(pairs):
        length = bisect_left(ends, y)
        before[number] = last[length - 1] if length else -1
        ends[length : length + 1], last[length : length + 1] = [y], [number]
    run: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _joined(hunks: Iterator[_Hunk]) -> Iterator[_Hunk]:
    """Hunks that touch made one."""
    current: _Hunk | None = None
    for i, j, k, m in hunks:
        if current is not None and (current[1], current[3]) == (i, k):
            current = (current[0], j, current[2], m)
        else:
            if current is not None:
                yield current
            current = (i, j, k, m)
    if current is not None:
        yield current


def _places(a: list[str], b: list[str], hunks: list[_Hunk], old_size: int, new_size: int) -> list[Change]:
    """Hunks in characters. A line's end belongs to it; after the last line of a text, to the next."""
    places = []
    old = new = done = left = 0  # characters before the lines `done` of a and `left` of b
    for i, j, k, m in hunks:
        old, new = old + _size(a[done:i]), new + _size(b[left:k])
        step = int(i == len(a) or k == len(b))  # the line end before goes or comes too
        start, begin = old - step, new - step
        old, new = old + _size(a[i:j]), new + _size(b[k:m])
        places.append(Change(start, min(old, old_size), begin, min(new, new_size)))
        done, left = j, m
    return places


def _size(lines: list[str]) -> int:
    """Characters of lines with their ends."""
    return sum(map(len, lines)) + len(lines)


_NO_COSINE = 2  # they are at most 1


@dataclass(frozen=True, eq=False, slots=True)
class Numbers:
    """A number of each unit of one version of a text."""

    text: str  #: that version
    start: Int64s  #: with `end`: int64[n], its units in source order
    end: Int64s
    values: npt.NDArray[Any]  #: a number of each

    def moved_to(self, text: str, places: Sequence[Change] | None = None) -> Numbers:
        """Return the numbers of those units that another version has, too, at their new places.

        `places`: where the versions differ; None: they are compared. O(units log changes).
        """
        if text == self.text:
            return self
        changes = compare(self.text, text)[1] if places is None else places
        old_start, old_end, _, new_end = np.array(changes, dtype=np.int64).T
        before = np.searchsorted(old_end, self.start, side="right")  # how many changes lie before each unit
        stays = self.end <= np.append(old_start, len(self.text))[before]
        moved = np.append(0, new_end - old_end)[before]
        return Numbers(text, (self.start + moved)[stays], (self.end + moved)[stays], self.values[stays])

    @property
    def nbytes(self) -> int:
        """Bytes in memory, but for the text."""
        return self.start.nbytes + self.end.nbytes + self.values.nbytes


@dataclass(eq=False, slots=True)
class Known:
    """Remembered counts and vectors of one document's units, for one counter, embedder and query."""

    counts: Numbers | None = None  #: their tokens, -1 where they were not counted; None: nothing
    cosines: Numbers | None = None  #: of the vectors of its segments with the query's; None: nothing
    tokens: int = -1  #: of the document; -1: not counted

    @property
    def nbytes(self) -> int:
        """Bytes in memory, with the text."""
        found = [one for one in (self.counts, self.cosines) if one is not None]
        return sum(one.nbytes for one in found) + (sys.getsizeof(found[0].text) if found else 0)


def carry(
    known: Sequence[Numbers | None], texts: Sequence[str], table: SegmentTable, missing: int
) -> npt.NDArray[Any]:
    """Return the number of each unit of `table`, which is about `texts`; `missing` where it is not known.

    O(units log units), and what it takes to compare texts that are not the same.
    """
    found = [(index, one.moved_to(texts[index])) for index, one in enumerate(known) if one is not None]
    if not sum(len(one.values) for _, one in found):
        return np.full(len(table), missing)
    base = np.cumsum([0, *(len(text) for text in texts)])
    start = np.concatenate([one.start + base[index] for index, one in found])
    end = np.concatenate([one.end + base[index] for index, one in found])
    values = np.concatenate([one.values for _, one in found])
    at = base[table.document]
    rows = np.minimum(np.searchsorted(start, table.start + at), len(start) - 1)
    same = (start[rows] == table.start + at) & (end[rows] == table.end + at)
    numbers: npt.NDArray[Any] = np.where(same, values[rows], values.dtype.type(missing))
    return numbers


def by_document(
    texts: Sequence[str], table: SegmentTable, values: npt.NDArray[Any], before: Sequence[Numbers | None] = ()
) -> list[Numbers]:
    """Number the units by document; with `before`, keep the numbers of a version with as many units."""
    limits = np.searchsorted(table.document, np.arange(len(texts) + 1)).tolist()
    made = []
    for index, (text, low, high) in enumerate(zip(texts, limits, limits[1:], strict=False)):
        old = before[index] if before else None
        if old is not None and old.text == text and len(old.values) == high - low:
            made.append(old)
            continue
        columns = (table.start[low:high], table.end[low:high], values[low:high])
        made.append(Numbers(text, *(column.copy() for column in columns)))  # views would keep all of them
    return made


def prepare_with(known: Sequence[Known], strategy: Auto, request: Request) -> Prepared:
    """Return `strategy.prepare(request)`, whose embedder is asked only about segments that are not known.

    What it says is noted in `known`, one a document. The result is the same as without.
    """
    if (request.query or "").strip() and strategy.text.scoring != "lexical":
        embedder = resolve_embedder(strategy.text.embedder)
        if embedder.table is None:  # else to ask costs less than to remember
            embedder = _KnownCosines(embedder.embedder, embedder.name, embedder.timeout, known)
        strategy = replace(strategy, text=replace(strategy.text, embedder=embedder))
    return strategy.prepare(request)


def price(known: Sequence[Known], reading: Reading) -> None:
    """Count the units of a reading that are not known, before it is first fitted, and note the counts."""
    texts, table = reading.texts, reading.table
    before = [one.counts for one in known]
    counts = reading.prices(carry(before, texts, table, -1).astype(np.int64)).counts
    estimated = reading.estimated()
    if estimated is not None:
        counts = np.where(estimated, -1, counts)
    for one, now in zip(known, by_document(texts, table, counts, before), strict=True):
        one.counts = now


@dataclass(frozen=True, slots=True)
class _KnownCosines(CheckedEmbedder):
    """An embedder that is asked only about segments that are not known."""

    known: Sequence[Known] = field(default=())

    def similarity_spans(self, query: str, texts: Sequence[str], table: SegmentTable) -> Float32s:
        before = [one.cosines for one in self.known]
        cosines = carry(before, texts, table, _NO_COSINE).astype(np.float32)
        new = np.flatnonzero(cosines == _NO_COSINE)
        if len(new):
            rows = SegmentTable(*(column[new] for column in table.columns()))
            cosines[new] = CheckedEmbedder.similarity_spans(self, query, texts, rows)
        for one, now in zip(self.known, by_document(texts, table, cosines, before), strict=True):
            one.cosines = now
        return cosines


CACHE_BYTES = 64 * 2**20
_CHANGE_LIMIT = 0.1  # from this change_ratio on, what was kept before says nothing
_NEW_LIMIT = 0.5  # share of the characters in units that are new, from which on it says nothing either
_STICKY = 1.1  # a kept unit is given up for one that is worth so many times as much per token
_DRIFT = 0.015  # share of the worth of a fresh choice that may be lost before it is made,
_APPEND_DRIFT = 0.03  # and where text was only added at the end
_SELECTED, _PINNED = REASONS.index("selected"), REASONS.index("pinned")
_SPAN_BYTES = 200  # of a kept or dropped unit of a result
_NEW = 255  # in place of a status: the version before did not have the unit
_NOTHING = Diff((), (), 0.0)


@dataclass(frozen=True, slots=True)
class IncrementalUpdate:
    """How a changed text came to its compression."""

    #: "incremental", "full" (chosen as if there had been no version before) or "same" (nothing had changed)
    way: Literal["incremental", "full", "same"]
    #: for "full", why: "new" (not known, or no longer), "options" (other options or documents),
    #: "change_ratio" (0.1 or more), "fitted" (before, everything was kept as it was, or one unit was cut),
    #: "fits" (everything is kept as it is now), "structure" (the change makes other units of most of the
    #: text, as a code fence does), "budget" (what stays did not fit), "quality" (a fresh choice is worth too
    #: much more), "embedder" (it failed), "reranker" (there is one, or a pruner); else ""
    reason: str
    diff: Diff  #: against the version before; empty where there was none
    #: share of the characters of all units in those that the version before did not have, in [0, 1]: only
    #: these were embedded, and counted one by one. 1 where the way is "full".
    recompressed: float
    #: tokens of what the compressed texts before and now both begin with: the leading part that a prompt
    #: cache can use again. A tokenizer may see its last token differently.
    prefix_tokens_kept: int


@dataclass(frozen=True, eq=False, slots=True)
class State:
    """The last compression of some documents. Never changed, only replaced."""

    request: Request  #: with `result`: what was asked, and the answer
    result: Compressed
    update: IncrementalUpdate  #: how it came about
    #: of each document, the codes of the choice (indices into REASONS); empty where everything was kept as it
    #: was, or one unit was cut
    status: Sequence[Numbers] = ()
    known: Sequence[Known] = ()  #: of each document, tokens and cosines of its units
    #: the worth of the last fresh choice, as a share of `_bound`; 0 where there was none
    of_bound: float = 0.0

    @property
    def nbytes(self) -> int:
        """Bytes in memory, roughly: texts, choices and arrays of units."""
        texts = 2 * sum(sys.getsizeof(document.text) for document in self.request.documents)
        numbers = sum(one.nbytes for one in self.status) + sum(one.nbytes for one in self.known)
        return texts + numbers + _SPAN_BYTES * self.result.receipt.segments + 2000


@dataclass(frozen=True, slots=True)
class Incremental:
    """Keeps the earlier selection of documents that it has seen, while that is good enough.

    A list of documents is recognized by its ids; documents without an id count by their position. One object
    remembers earlier selections and serves many calls; a new object for each call would do the same as a call
    without a strategy, so `STRATEGIES` has no name for it. Copies and pickles remember nothing. Safe to use
    from many threads at once. `advance` says what is kept.

    Attributes:
        extractive: how texts are cut, scored and chosen from.
        cache_bytes: memory for earlier versions; the least recently used are removed first.
        cache: that memory, with its hits and misses.
    """

    extractive: Extractive = field(default_factory=Extractive)
    cache_bytes: int = CACHE_BYTES
    cache: BoundedCache[State] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.extractive, Extractive):
            raise TypeError(f"extractive must be an Extractive, not {type(self.extractive).__name__}")
        object.__setattr__(self, "cache", BoundedCache(self.cache_bytes))

    def __reduce__(self) -> tuple[Any, ...]:
        """The options, not the memory."""
        return Incremental, (self.extractive, self.cache_bytes)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget; raises the errors of `Extractive.compress`."""
        return self.compress_update(request)[0]

    def compress_update(self, request: Request) -> tuple[Compressed, IncrementalUpdate]:
        """Compress as `compress` does, and also return how the result was made."""
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

    All of the text is read again, in native passes, and its tokens are counted as a whole; units that the
    version before had, too, are neither counted nor embedded.
    After a change of less than 10% of the characters, units that lie wholly before it stay in or out as they
    were, so that the text begins as before, and units that were kept after it only give way to those that
    are worth a tenth more per token. Where that does not fit the budget, or is worth 1.5% less than a fresh
    choice (3% where text was only added at the end), the first rule is dropped, then the second.

    Args:
        strategy: how documents are read and chosen from, the same as for `before`. With a reranker or
            a pruner, which read what is best in all the text, nothing stays.
        request: as for `strategy.compress`, which says what is raised.
        before: None: there is none.
        target: original tokens -> the budget; None: the request's.
        afresh: nothing stays, for other options.

    O(characters + lines log lines); the embedder: O(characters of new units).
    """
    if before is not None and before.request == request and not afresh:
        return replace(before, update=IncrementalUpdate("same", "", _NOTHING, 0.0, before.result.tokens))
    known, status = [Known() for _ in request.documents], list[Numbers]()
    diff, reason = _NOTHING, "new" if before is None else "options"
    if before is not None and not afresh and _comparable(before.request, request):
        diff, known, status = _brought_over(before, request)
        reason = "change_ratio" if diff.change_ratio >= _CHANGE_LIMIT else ""
    prepared = prepare_with(known, strategy, request)
    budget = prepared.allowed(None, None) if target is None else target(prepared.original_tokens)
    if prepared.fits(budget):
        return _state(request, before, prepared.fit(budget), "full", reason or "fits", diff, 1.0)
    reading = prepared.reading
    price(known, reading)
    chosen, share, of_bound = None, 1.0, 0.0
    if before is not None and not reason:
        codes = carry(status, reading.texts, reading.table, _NEW)
        sizes = reading.table.end - reading.table.start
        share = float(sizes[codes == _NEW].sum() / max(int(sizes.sum()), 1))
        reason = _obstacle(strategy.text, before, reading, share)
        if not reason:
            of_bound = before.of_bound
            chosen, reason = _settled(before, codes, reading, budget)
    way: Literal["full", "incremental"] = "incremental"
    if chosen is None:
        way, share = "full", 1.0
        chosen = _fresh(prepared, budget)
        of_bound = _of_bound(reading, chosen) if chosen is not None else 0.0
    if chosen is None or not prepared.stands(chosen):
        return _state(request, before, prepared.fit(budget), "full", reason or "budget", diff, 1.0)
    try:
        result = prepared.finish(chosen, budget)
    except BudgetExceededError:  # it lost a fact that it may not, which another choice may keep
        return _state(request, before, prepared.fit(budget), "full", reason or "budget", diff, 1.0)
    state = _state(request, before, result, way, reason, diff, share)
    if chosen.cut is not None or len(chosen.status) == 0:
        return state
    status = by_document(reading.texts, reading.table, chosen.status)
    return replace(state, status=status, known=known, of_bound=of_bound)


def _fresh(prepared: Prepared, budget: int) -> Fit | None:
    """A choice by worth alone; None where no unit fits, and the engine must read otherwise, or raise."""
    try:
        return fit(prepared.reading, budget)
    except BudgetExceededError:
        return None


def _brought_over(before: State, now: Request) -> tuple[Diff, list[Known], list[Numbers]]:
    """Return the changes of all documents, and the remembered units at their new places."""
    old, new = ([document.text for document in request.documents] for request in (before.request, now))
    compared = [compare(one, other) for one, other in zip(old, new, strict=True)]
    moved = sum(
        round(diff.change_ratio * max(len(a), len(b)))
        for (diff, _), a, b in zip(compared, old, new, strict=True)
    )
    size = max(sum(map(len, old)), sum(map(len, new)), 1)
    added = tuple(line for diff, _ in compared for line in diff.added)
    removed = tuple(line for diff, _ in compared for line in diff.removed)

    def bring(index: int, numbers: Numbers | None) -> Numbers | None:
        if numbers is None or numbers.text is not old[index]:  # what a page shows: compared when it is read
            return numbers
        return numbers.moved_to(new[index], compared[index][1])

    known = [
        Known(bring(index, one.counts), bring(index, one.cosines))
        for index, one in enumerate(before.known or [Known() for _ in old])
    ]
    status = [bring(index, one) or one for index, one in enumerate(before.status)]
    return Diff(added, removed, moved / size), known, status


def _obstacle(options: Extractive, before: State, reading: Reading, share: float) -> str:
    """The reason why the earlier choice cannot be used; "" if it can."""
    if not before.status:
        return "fitted"
    if options.reranker is not None or options.pruner is not None:
        return "reranker"
    if "embedder_failed" in reading.warnings and any(one.cosines is not None for one in before.known):
        return "embedder"
    return "structure" if share > _NEW_LIMIT else ""


def _settled(before: State, codes: npt.NDArray[Any], reading: Reading, budget: int) -> tuple[Fit | None, str]:
    """A choice that keeps the earlier one as far as it is still good; else None, and why.

    `before`: the version before; `codes`: what became of the units that there are now.
    """
    first = _unchanged(before.status, reading)
    was_kept = (codes >= FIRST_KEPT) & (codes != _NEW)
    favour: Float32s = np.where(was_kept, np.float32(_STICKY), np.float32(1))
    held = np.zeros(len(favour), dtype=np.uint8)
    held[:first] = np.where(was_kept[:first], codes[:first], 0)
    held[held == _PINNED] = _SELECTED  # perhaps nobody pins it this time
    held[reading.pinned > 0] = _PINNED
    before_change = np.arange(len(favour)) < first
    settled = np.where(before_change & ~was_kept & (reading.pinned == 0), np.float32(0), favour)
    appended = first == sum(len(one.values) for one in before.status)
    reason = "budget"
    for kept, factors in ((held, settled), (None, favour)) if first else ((None, favour),):
        try:
            fitted = fit(reading, budget, kept=kept, favour=factors)
        except BudgetExceededError:
            continue
        drift = _APPEND_DRIFT if kept is not None and appended else _DRIFT
        if fitted.cut is None and _is_good(reading, fitted, budget, drift, before.of_bound):
            return fitted, ""
        reason = "quality"
    return None, reason


def _unchanged(before: Sequence[Numbers], reading: Reading) -> int:
    """How many units at the start lie wholly before the first change, and are the same as before."""
    table = reading.table
    for index, (old, text) in enumerate(zip(before, reading.texts, strict=True)):
        low, high = np.searchsorted(table.document, [index, index + 1]).tolist()
        size = min(high - low, len(old.start))
        start, end = table.start[low : low + size], table.end[low : low + size]
        at = len(text) if old.text == text else common_prefix(old.text, text)
        same = (start == old.start[:size]) & (end == old.end[:size]) & (end <= at)
        count = size if same.all() else int(np.argmin(same))
        if count < max(high - low, len(old.start)):
            return int(low) + count
    return len(table)


def _comparable(before: Request, now: Request) -> bool:
    """Whether nothing but texts, spans and the budget differs."""
    settings = [
        (r.query, r.separator, r.counter, [(d.id, d.title) for d in r.documents]) for r in (before, now)
    ]
    return settings[0] == settings[1]


def _is_good(reading: Reading, fitted: Fit, budget: int, drift: float, of_bound: float) -> bool:
    """Say whether the worth of a choice is that of a fresh one that takes all of the budget, but for `drift`.

    What a fresh one is worth is estimated first, by the share of a bound that the last one had (`of_bound`):
    one is only made where that does not settle it by half of the drift.
    """
    costs = reading.prices().costs
    value = reading.worth.astype(np.float64) * costs
    kept = fitted.status >= FIRST_KEPT
    worth, estimate = float(value[kept].sum()), int(costs[kept].sum())
    limit = budget * estimate // max(fitted.tokens, 1)
    if of_bound and worth >= (1 - drift / 2) * of_bound * _bound(reading, limit):
        return True
    fresh = choose(reading, limit) >= FIRST_KEPT
    return worth >= (1 - drift) * float(value[fresh].sum())


def _of_bound(reading: Reading, chosen: Fit) -> float:
    """Return the worth of a choice as a share of the most that its tokens could hold."""
    costs = reading.prices().costs
    kept = np.asarray(chosen.status) >= FIRST_KEPT
    most = _bound(reading, int(costs[kept].sum()))
    return float((reading.worth[kept].astype(np.float64) * costs[kept]).sum()) / most if most > 0 else 0.0


def _bound(reading: Reading, limit: int) -> float:
    """Return the worth of the best units that fill so many tokens, repeats included. O(n log n)."""
    costs, worth = reading.prices().costs, reading.worth.astype(np.float64)
    order = np.argsort(-worth, kind="stable")
    size = int(np.searchsorted(np.cumsum(costs[order]), limit, side="right"))
    return float((worth * costs)[order[:size]].sum())


def _state(
    request: Request,
    before: State | None,
    result: Compressed,
    way: Literal["incremental", "full"],
    reason: str,
    diff: Diff,
    share: float,
) -> State:
    """A state without units, with the update's own fields."""
    same = common_prefix(before.result.text, result.text) if before is not None else 0
    if before is not None and same == len(before.result.text):
        prefix = before.result.tokens
    elif 2 * same <= len(result.text):
        prefix = count(request.counter, result.text[:same]) if same else 0
    else:  # a counter reads what is shorter
        prefix = result.tokens - count(request.counter, result.text[same:])
    prefix = min(max(prefix, 0), result.tokens)
    return State(request, result, IncrementalUpdate(way, reason, diff, share, prefix))
