"""Cut a list of search results: those with too low a score, and those over a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from tersely.core import checks
from tersely.core.errors import BudgetExceededError
from tersely.engine.count import count_batch
from tersely.providers.counters import resolve_counter

__all__ = ["above_score", "within_budget"]


class _HasScore(Protocol):
    @property
    def score(self) -> float: ...


Result = TypeVar("Result", bound=_HasScore)


def above_score(results: Sequence[Result], min_score: float = 0.3) -> list[Result]:
    """Keep the results with a score of at least `min_score`, in their order; there may be none.

    Raises ValueError for a `min_score` that is not in [0, 1].
    """
    least = checks.number(min_score, "min_score", least=0, most=1)
    return [result for result in results if result.score >= least]


def within_budget(texts: Sequence[str], max_tokens: int = 2000, counter: Any = "chars/4") -> tuple[int, bool]:
    """Count how many texts from the first on fit into `max_tokens`: (that number, whether any is left out).

    The first that does not fit ends it; what comes after is not looked at, so that a worse result never takes
    the place of a better one. `counter` is what `tersely.compress` takes; "chars/4" is ceil(characters / 4).

    Raises BudgetExceededError where not even the first fits: nothing of it would be left to read.
    """
    max_tokens = checks.whole_number(max_tokens, "max_tokens", least=1)
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
