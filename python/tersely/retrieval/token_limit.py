"""As many whole results as a token budget holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tersely.errors import BudgetExceededError
from tersely.providers.counters import resolve_counter
from tersely.stages.count import count_batch

__all__ = ["within_budget"]


def within_budget(texts: Sequence[str], max_tokens: int = 2000, counter: Any = "chars/4") -> tuple[int, bool]:
    """(how many texts from the first on fit into `max_tokens`, whether any is left out).

    The first that does not fit ends it; what comes after is not looked at, so that a worse result never takes
    the place of a better one. `counter` is what `tersely.compress` takes; "chars/4" is ceil(characters / 4).

    Raises BudgetExceededError where not even the first fits: nothing of it would be left to read.
    """
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int):
        raise TypeError(f"max_tokens must be a whole number of tokens, not {max_tokens!r}")
    if max_tokens < 1:
        raise ValueError(f"max_tokens must be 1 or more, not {max_tokens}")
    used = 0
    for place, tokens in enumerate(count_batch(resolve_counter(counter), list(texts)).tolist()):
        used += tokens
        if used > max_tokens:
            if place == 0:
                raise BudgetExceededError(
                    f"the best result has {tokens} tokens; max_tokens is {max_tokens}",
                    required=tokens,
                    budget=max_tokens,
                )
            return place, True
    return len(texts), False
