"""Token counters of every sort: named, by characters and words, not additive, giving zero, in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import odd_counters
from tersely.models.counters import resolve_counter

from promises.documents import as_read


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


class Wrong(Batches):
    """Counts in batches, and gives what is no count of tokens for some of them."""

    def __init__(self, answer: Callable[[list[int]], Any]) -> None:
        self.answer = answer

    def count_batch(self, texts: Sequence[str]) -> Any:
        return self.answer([self.count(text) for text in texts])


class Unsteady:
    """Counts each time otherwise."""

    name = "unsteady"

    def __init__(self, most: int) -> None:
        self.most, self.asked = most, 0

    def __call__(self, text: str) -> int:
        self.asked += 1
        return len(text) // 4 + self.asked * 7919 % self.most


#: What makes a counter that is none, anew for each call.
WRONG: dict[str, Callable[[], Any]] = {
    "negative": lambda: lambda text: -1 - len(text),
    "negative for some": lambda: lambda text: len(text) if len(text) % 3 else -1,
    "boolean": lambda: lambda text: len(text) > 40, "infinite": lambda: lambda text: float("inf"),
    "no number": lambda: lambda text: float("nan"), "fractions": lambda: lambda text: len(text) / 4,
    "nothing": lambda: lambda text: None, "text": lambda: lambda text: str(len(text)),
    "huge": lambda: lambda text: 2**70, "too few": lambda: Wrong(lambda counts: counts[1:]),
    "too many": lambda: Wrong(lambda counts: [*counts, 1]),
    "negative batch": lambda: Wrong(lambda counts: [-count for count in counts]),
    "booleans": lambda: Wrong(lambda counts: [True for _ in counts]),
    "infinite batch": lambda: Wrong(lambda counts: [float("inf") for _ in counts]),
    "one number": lambda: Wrong(sum), "unsteady": lambda: Unsteady(13),
    "wildly unsteady": lambda: Unsteady(9973),
}  # fmt: skip

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

#: Those that count as tokenizers do.
TOKENIZERS = {"o200k_base", "cl100k_base", "chars/4", "batches"}
#: Those by which a text never has more tokens than one that holds all of it.
STEADY = TOKENIZERS | {
    function.__name__ for function in (*odd_counters.STEADY, letters, upper, framed, lavish, thrifty)
}


def counter_named(random: Random) -> str:
    """The name of a counter; half of all calls count as tokenizers do. A wrong one for who asks for such."""
    if names := getattr(random, "wrong_counters", None):
        return str(random.choice(names))
    return random.choice(["o200k_base", "o200k_base", "chars/4", *COUNTERS, *COUNTERS])


def counter_of(name: str) -> Any:
    """The counter, as a caller gives it."""
    return WRONG[name]() if name in WRONG else COUNTERS[name]


def function_of(name: str) -> Callable[[str], int]:
    """The counter as a function of a text as it is read; of a wrong one, what it should have counted."""
    counter = COUNTERS["chars/4" if name in WRONG else name]
    if isinstance(counter, str):
        counter = resolve_counter(counter)
    count = counter if callable(counter) else counter.count
    return lambda text: count(as_read(text))
