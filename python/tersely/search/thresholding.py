"""Cut a list of search results: those with too low a score, off topic, or over a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from tersely.core import checks
from tersely.core.errors import BudgetExceededError
from tersely.core.tables import Float64s, Level
from tersely.core.types import Document
from tersely.engine.count import count_batch
from tersely.engine.probability import document_probability
from tersely.engine.relevance import hybrid, read_for_query
from tersely.providers.counters import resolve_counter
from tersely.providers.embedders import resolve_embedder

__all__ = ["ON_TOPIC", "above_score", "on_topic", "within_budget"]

#: The probability from which on a text is more likely on a query's topic than not (engine/probability.py).
ON_TOPIC = 0.5


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


def on_topic(
    texts: Sequence[str], query: str, titles: Sequence[str | None] = (), *, embedder: Any = None
) -> Float64s:
    """float64[n] in [0, 1]: the probability that each text is on the topic of a query.

    On topic, not that it answers; absolute, so that all may be low (`Compressed.relevance` is the same).
    `titles`: of the texts, one each or none. `embedder`: as for `tersely.dedup`. O(characters).
    """
    named = list(titles) or [None] * len(texts)
    documents = [Document(text, title=title) for text, title in zip(texts, named, strict=True)]
    prepared = read_for_query(documents, query.strip(), Level.SENTENCE)
    return document_probability(hybrid(prepared, resolve_embedder(embedder)).asked)


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
                    "the best result does not fit",
                    required=tokens,
                    budget=max_tokens,
                )
            return place, True
    return len(texts), False
