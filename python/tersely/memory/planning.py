"""Whether compressing pays: the sum of its cost and its savings."""

from __future__ import annotations

import math

from tersely.checks import number


def break_even(cost: float, saved_tokens: int, price_per_million: float) -> int | None:
    """Return the least number of requests after which a compression has paid for itself; None: never.

    That is the smallest n with n * saved_tokens * price_per_million / 1e6 >= cost. `price_per_million` is the
    price of the saved input tokens, in the currency of `cost` (the cached price, if a provider caches them).
    Raises ValueError for negative numbers and NaN.
    """
    given = {"cost": cost, "saved_tokens": saved_tokens, "price_per_million": price_per_million}
    for name, value in given.items():
        number(value, name, least=0)
    if cost == 0:
        return 0
    saved = saved_tokens * price_per_million / 1e6
    return math.ceil(cost / saved) if saved > 0 and math.isfinite(cost / saved) else None
