"""The budget is used, not only kept: also where the first choices land just above it."""

from __future__ import annotations

import random

import pytest
import tersely
from tersely.models.counters import resolve_counter

WORDS = [
    "harbour",
    "keeper",
    "storm",
    "ledger",
    "anchor",
    "lantern",
    "ferry",
    "willow",
    "copper",
    "granite",
    "signal",
    "compass",
    "rope",
    "tide",
]


def prose(seed: int, sentences: int) -> str:
    rng = random.Random(seed)
    lines = [
        " ".join(rng.choices(WORDS, k=rng.randint(3, 24))).capitalize()
        + rng.choice([".", "!", f" {rng.random():.3f}."])
        for _ in range(sentences)
    ]
    return rng.choice([" ", "\n", "\n\n"]).join(lines)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("query", [None, "Which signal warns the ferry?"])
def test_X09_most_of_the_budget_is_used(seed: int, query: str | None) -> None:
    text = prose(seed, 150)
    for budget in (200, 500, 1000):
        result = tersely.compress(text, query, budget=budget)
        assert 0.9 * budget <= result.tokens <= budget


class Tight:
    """Counts like o200k_base, and one more for each line break: every first estimate is too low."""

    name = "tight"

    def __init__(self) -> None:
        self.inner = resolve_counter("o200k_base")

    def count(self, text: str) -> int:
        return self.inner.count(text) + 7 * text.count("\n")

    def count_batch(self, texts: list[str]) -> list[int]:
        return [self.count(text) for text in texts]


@pytest.mark.parametrize("seed", range(10))
def test_X09_also_where_every_estimate_is_too_low(seed: int) -> None:
    result = tersely.compress(prose(seed, 150), budget=600, counter=Tight())
    assert 400 <= result.tokens <= 600
