"""Whether compression pays, at the caller's prices."""

from __future__ import annotations

import math

__all__ = ["break_even"]


def break_even(cost: float, saved_tokens: int, price_per_million: float) -> int | None:
    """Requests after which a compression that costs `cost` once has paid for itself: the smallest n with
    n * saved_tokens * price_per_million / 1e6 >= cost. None: never.

    `price_per_million`: of the input tokens that are saved, in the currency of `cost`: the cached price where
    they would be read from a provider's cache. Raises ValueError for negative numbers and NaN.
    """
    for name, value in (
        ("cost", cost),
        ("saved_tokens", saved_tokens),
        ("price_per_million", price_per_million),
    ):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{name} must be a number, not {value!r}")
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name} must be a finite number from 0, not {value!r}")
    if cost == 0:
        return 0
    saved = saved_tokens * price_per_million / 1e6
    return math.ceil(cost / saved) if saved > 0 and math.isfinite(cost / saved) else None
