"""Whether compacting pays."""

from __future__ import annotations

import math

__all__ = ["break_even"]


def break_even(cost: float, saved_tokens: int, price: float) -> int | None:
    """Requests after which a compaction has paid: ceil(cost / (saved_tokens * price / 1,000,000)).

    `cost`: of the compaction; `price`: for a million tokens of what is saved, so the cached price where it
    would have been cached. None: never. 135 tokens at $3 for $0.01 take 25 requests, at $0.30 247.
    """
    if not 0 <= cost < math.inf or not 0 <= price < math.inf:
        raise ValueError(f"cost and price must be 0 or more, not {cost!r} and {price!r}")
    saving = saved_tokens * price / 1e6
    if cost == 0:
        return 0
    if saving <= 0:
        return None
    return math.ceil(round(cost / saving, 9))
