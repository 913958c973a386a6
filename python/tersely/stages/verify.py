"""The final text -> a receipt: counted again, over budget never."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely.tables import UInt8s
from tersely.types import Receipt

__all__ = ["verify"]


def verify(
    *,
    budget: int,
    tokens: int,
    original_tokens: int,
    counter: str,
    status: UInt8s,
    reasons: Sequence[str],
    first_kept: int,
    recounts: int,
    warnings: Sequence[str],
) -> Receipt:
    """Make the receipt of a text that counts `tokens`.

    Raises AssertionError if it is over budget: a strategy's mistake, never the caller's.
    """
    if tokens > budget:
        raise AssertionError(f"a strategy returned {tokens} tokens for a budget of {budget}")
    counts = np.bincount(status, minlength=len(reasons)).tolist()
    named = {
        f"{'kept' if code >= first_kept else 'dropped'}:{name}": counts[code]
        for code, name in enumerate(reasons)
        if counts[code]
    }
    return Receipt(budget, tokens, original_tokens, counter, len(status), named, recounts, tuple(warnings))
