"""Token counters of every sort: named, by characters and words, not additive, giving zero, in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import odd_counters
from tersely.providers.counters import resolve_counter

__all__ = ["COUNTERS", "Batches", "counter_named", "function_of"]


def letters(text: str) -> int:
    """Nothing for what is no letter of English: whole documents count zero."""
    return sum(character.isascii() and character.isalpha() for character in text)


def upper(text: str) -> int:
    """Nothing for most."""
    return sum(map(str.isupper, text))


def framed(text: str) -> int:
    """Something for nothing."""
    return 3 + len(text) // 4


def lavish(text: str) -> int:
    """More for the whole than for the parts: ten tokens for each line but the first."""
    return len(text.split()) + 10 * text.count("\n")


def thrifty(text: str) -> int:
    """Less for the whole than for the parts."""
    return int(len(text) ** 0.5)


def different(text: str) -> int:
    """What stands there twice costs once."""
    return len(set(text.split()))


class Batches:
    """A counter that is asked for many texts at once."""

    name = "batches"

    def count(self, text: str) -> int:
        return len(text) // 3 + 1

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


COUNTERS: dict[str, Any] = {
    "o200k_base": "o200k_base",
    "cl100k_base": "cl100k_base",
    "chars/4": "chars/4",
    "batches": Batches(),
    **{
        function.__name__: function
        for function in (*odd_counters.ALL, letters, upper, framed, lavish, thrifty, different)
    },
}


def counter_named(random: Random) -> str:
    """The name of a counter; half of all calls count as tokenizers do."""
    return random.choice(["o200k_base", "o200k_base", "chars/4", *COUNTERS, *COUNTERS])


def function_of(name: str) -> Callable[[str], int]:
    """The counter as a function."""
    counter = COUNTERS[name]
    if isinstance(counter, str):
        return resolve_counter(counter).count
    return counter if callable(counter) else counter.count
