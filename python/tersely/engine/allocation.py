"""Share out a budget: the seed's formula, and water filling."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tersely.types import Float64s, Int64s

_LEAST = 8  # tokens: with less, nothing is said
# On HotpotQA, MuSiQue and Natural Questions scores of BM25, of cosines, at random and of distances change the
# evidence kept at 20% by .016 at most; at .5 those at random take .05, distances .09 to .18.
SCORE_WEIGHT = 0.15
_HUGE = 1e300  # a score as large is none: sums of such would not be finite


def seed_allocate(remaining: int, relevance: float, total: int) -> int:
    """Return int(remaining * relevance / total) if relevance > 0, otherwise remaining / total, rounded down.

    This is one chunk's share of the remaining budget, for `total` chunks. It leaves part of the budget unused
    and depends on the order of the chunks; `share_out` does neither.
    """
    if total < 1:
        raise ValueError(f"total must be 1 or more, not {total}")
    return int(remaining * relevance / total) if relevance > 0 else remaining // total


def fill(sizes: npt.ArrayLike, weights: npt.ArrayLike, budget: int) -> Int64s:
    """Return int64[n]: shares of a whole budget in proportion to the weights, none above its size.

    share = min(size, level * weight), with the level at which the shares add up to the budget (or to all the
    sizes, where they are less); rounded by largest remainder, ties to the lowest index. `weights` > 0.
    O(n log n).
    """
    size, weight = np.asarray(sizes, dtype=np.int64), np.asarray(weights, dtype=np.float64)
    if int(size.sum()) <= budget:
        return size.copy()
    order = np.argsort(size / weight, kind="stable")  # who is full first
    full = np.concatenate(([0], np.cumsum(size[order])[:-1]))
    open_weight = np.cumsum(weight[order][::-1])[::-1]
    level = (budget - full) / open_weight
    last = int(np.argmax(level * weight[order] <= size[order]))  # from here on nobody is full
    exact = np.minimum(size, max(float(level[last]), 0.0) * weight)
    share = np.minimum(np.floor(exact).astype(np.int64), size)
    missing = budget - int(share.sum())
    room = np.flatnonzero(share < size)
    neediest = room[np.lexsort((room, -(exact - share)[room]))]
    share[neediest[:missing]] += 1
    return share


def fill_above(floors: Int64s, sizes: Int64s, weights: npt.NDArray[np.float64], budget: int) -> Int64s:
    """Return int64[n]: shares as of `fill`, but each at least its floor, at the cost of the others."""
    share, free = floors.copy(), np.ones(len(floors), dtype=bool)
    while free.any():
        share[free] = fill(sizes[free], weights[free], max(budget - int(floors[~free].sum()), 0))
        short = free & (share < floors)
        if not short.any():
            break
        share[short] = floors[short]
        free &= ~short
    return share


def share_out(
    sizes: Sequence[int], weights: Sequence[float], budget: int, gap: int, floors: Sequence[int]
) -> dict[int, int]:
    """Share out a budget, {index: share}; each pair of neighbours costs `gap` more.

    Those with the lowest weight (ties: the last) get none where otherwise somebody's share were under 8
    tokens and less than all it needs. Whoever has a floor > 0 gets at least that, and is no reason for others
    to get none. O(n log^2 n).
    """
    size, weight, floor = (np.asarray(values) for values in (sizes, weights, floors))
    order = np.lexsort((np.arange(len(size)), -weight, floor == 0))  # floors first, then by weight
    needed = max(int((floor > 0).sum()), 1)

    def shares(count: int) -> tuple[Int64s, Int64s]:
        chosen = np.sort(order[:count])
        room = budget - gap * (count - 1)
        return chosen, fill_above(floor[chosen], size[chosen], weight[chosen], room)

    def enough(count: int) -> bool:
        chosen, share = shares(count)
        if gap * (count - 1) > budget:
            return False
        return bool(((share >= np.minimum(size[chosen], _LEAST)) | (floor[chosen] > 0)).all())

    low, high = needed, len(size)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if enough(middle) else (low, middle - 1)
    chosen, share = shares(min(low, len(size)))
    return dict(zip(chosen.tolist(), share.tolist(), strict=True))


def in_steps(shares: Mapping[int, int], sizes: Sequence[int]) -> dict[int, int]:
    """Round shares to coarse steps (16, 24, 32, 48, 64, 96 ... tokens); their sum does not grow.

    Whoever gets its whole size keeps it; other shares are rounded down, and what is left lifts the first ones
    by a step. A share that changes little, as when a list grows, mostly stays as it was, and with it what a
    model was asked to write. O(shares).
    """
    steps = {index: _step(share) if share < sizes[index] else share for index, share in shares.items()}
    left = sum(shares.values()) - sum(steps.values())
    for index, step in steps.items():
        lifted = min(step + _leading(step), sizes[index])
        if step and step < lifted <= step + left:
            left -= lifted - step
            steps[index] = lifted
    return steps


def _step(share: int) -> int:
    return share // _leading(share) * _leading(share)


def _leading(share: int) -> int:
    """Return the step of a share, its second highest bit."""
    return 1 << max(share.bit_length() - 2, 0)


def weights_of(scores: Sequence[object]) -> Float64s | None:
    """Return float64[n]: weights of documents, their scores divided by the mean of the known ones.

    A score counts as a hundredth of the largest at least, and one that is no finite number as the mean. None:
    all are equal or unknown, or one is below 0, whose scale says nothing.
    """
    known = np.array([_as_number(score) for score in scores], dtype=np.float64)
    finite = known[np.isfinite(known)]
    if len(finite) == 0 or finite.min() < 0 or finite.min() == finite.max():
        return None
    whole = np.where(np.isfinite(known), np.maximum(known, finite.max() / 100), finite.mean())
    weights: Float64s = whole / finite.mean()
    return weights


def _as_number(score: object) -> float:
    """Read a score as a float: NaN if it is no number, or too large to be summed."""
    try:
        number = float(score) if isinstance(score, (int, float, np.integer, np.floating)) else math.nan
    except OverflowError:  # an int over 1e308
        return math.nan
    return number if abs(number) < _HUGE else math.nan
