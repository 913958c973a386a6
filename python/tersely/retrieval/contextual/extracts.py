"""Extracts of documents: shares of the budget, the best segments of each, and all of it within the budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely.retrieval.contextual.budget import BudgetPlan
from tersely.retrieval.contextual.call import (
    Call,
    Made,
    Outcome,
    fewer,
    less_gaps,
    required_tokens,
    to_outcome,
    to_plan,
    together,
)
from tersely.retrieval.contextual.choice import FIRST_KEPT, Place
from tersely.retrieval.contextual.extraction import Extract, extract
from tersely.retrieval.contextual.reading import needs
from tersely.retrieval.contextual.settings import AllocationStrategy, CompressionStrategy
from tersely.stages.count import count, count_batch
from tersely.tables import Int64s, UInt8s

__all__ = ["extract_all"]

_ROUNDS = 6  # of sharing out and counting the whole; each leaves less to share
_BEST = 4  # documents that may have what others did not use


def extract_all(call: Call, live: Sequence[int], reason: str | None) -> Outcome:
    """Shares, extracts, and all of it counted again until it fits; what does not is left out, the least
    relevant first."""
    required = required_tokens(call, live) if call.pinned else np.zeros(len(call.documents), dtype=np.int64)
    room = call.available
    made: dict[int, Made] = {}
    plan = to_plan(call, np.zeros(len(call.documents), dtype=np.int64))
    for attempt in range(_ROUNDS):
        made, plan = _extracts(call, live, required, room, reason)
        over = together(call, made) - call.available
        if over <= 0:
            return to_outcome(call, made, plan)
        room -= max(over, 1) * 2**attempt
        if room < max(int(required.sum()), 1):
            break
    return to_outcome(call, fewer(call, made), plan)


def _extracts(
    call: Call, live: Sequence[int], required: Int64s, room: int, reason: str | None
) -> tuple[dict[int, Made], BudgetPlan]:
    reading = call.reading
    if call.config.allocation_strategy is AllocationStrategy.MARGINAL:
        found, shares = _of_all(call, room)
    else:
        shared = less_gaps(call, room)
        most = np.maximum(_could_use(call, live, shared), required)
        plan = call.manager.allocate(
            most.tolist(), call.scores.tolist(), available=shared, required=required.tolist()
        )
        shares = np.array(plan.allocations, dtype=np.int64)
        places = {index: reading.rows(index) for index in live if shares[index]}
        made = extract(reading, {places[index]: int(shares[index]) for index in places})
        found = {index: made[place] for index, place in places.items()}
        shares = _rest_used(call, places, found, shares, room)
    method = CompressionStrategy.EXTRACTIVE.value
    texts = {index: one for index, one in found.items() if one.text}
    return (
        {index: Made(one.text, one.tokens, method, one, fallback=reason) for index, one in texts.items()},
        to_plan(call, shares),
    )


def _could_use(call: Call, live: Sequence[int], room: int) -> Int64s:
    """int64[documents]: tokens that each could use; 0 for those that come too late to have a share.

    Shares go to the best documents, as many as the least for each allows: no more are counted.
    """
    least = call.manager.config.min_per_document
    order = np.array(sorted(live, key=lambda index: (-call.scores[index], index)), dtype=np.int64)
    enough = int(np.searchsorted(np.cumsum(np.minimum(call.sizes[order], least)), room, side="right")) + 1
    if call.pinned or call.strict:
        enough = len(order)
    while True:
        best = order[:enough]
        call.reading.prices.count(best.tolist())
        size = np.minimum(call.sizes, needs(call.reading, len(call.documents)) * 21 // 20 + 8)
        if enough >= len(order) or int(np.minimum(size[best], least).sum()) > room:
            break
        enough *= 2
    most = np.zeros_like(size)
    most[best] = size[best]
    return most


def _rest_used(
    call: Call, places: dict[int, Place], found: dict[int, Extract], shares: Int64s, room: int
) -> Int64s:
    """The shares once what some documents did not use has gone to the best that could use more; `found` has
    what they keep then."""
    joined = call.separator.join(found[index].text for index in sorted(found) if found[index].text)
    tokens = sum(one.tokens for one in found.values())
    rest = room - max(count(call.manager.counter, joined), tokens)
    status = call.reading.status
    again = sorted(found, key=lambda index: (-call.scores[index], index))
    more = [index for index in again if found[index].text and _lacks(status, places[index], found[index])]
    changed = False
    for index in more[:_BEST]:
        most = min(int(call.sizes[index]), call.manager.config.max_per_document)
        share = min(found[index].tokens + rest, most)
        if share <= shares[index]:
            continue
        place = places[index]
        better = extract(call.reading, {place: share})[place]
        if better.tokens > found[index].tokens:
            rest -= better.tokens - found[index].tokens
            found[index], changed = better, True
    if not changed:
        return shares
    for index, one in found.items():
        shares[index] = one.tokens
    return shares


def _lacks(status: UInt8s, place: Place, extracted: Extract) -> bool:
    """Whether something of a range that may be chosen is left out."""
    out = extracted.status < FIRST_KEPT
    return extracted.cut is not None or bool((out & (status[place[0] : place[1]] == 0)).any())


def _of_all(call: Call, room: int) -> tuple[dict[int, Extract], Int64s]:
    """One choice over the segments of all documents, taken apart again."""
    reading = call.reading
    reading.prices.count(range(len(call.documents)))
    place = (0, len(reading.table))
    whole = extract(reading, {place: room})[place]
    found: dict[int, Extract] = {}
    shares = np.zeros(len(call.documents), dtype=np.int64)
    texts = reading.texts_of(whole.kept)
    if whole.cut is not None:
        texts = dict.fromkeys(texts, whole.text)
    counts = count_batch(call.manager.counter, list(texts.values())).tolist()
    for (index, text), tokens in zip(texts.items(), counts, strict=True):
        first, last = reading.rows(index)
        found[index] = Extract(first, whole.status[first:last], text, tokens, whole.cut)
        shares[index] = tokens
    return found, shares
