"""Token counters that tokenizers are not: not additive, not monotone, never zero, coarse."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any


def words(text: str) -> int:
    return len(text.split())


def characters(text: str) -> int:
    return len(text)


def utf8_bytes(text: str) -> int:
    return len(text.encode("utf-8"))


def quarters(text: str) -> int:
    return -(-len(text) // 4)


def lines(text: str) -> int:
    return text.count("\n") + 1


def remainder(text: str) -> int:
    return len(text) // 4 + len(text) % 7


def wave(text: str) -> int:
    return len(text) // 5 + (len(text) * 7919) % 13


def checksum(text: str) -> int:
    return len(text) // 6 + zlib.crc32(text.encode("utf-8")) % 17


def squares(text: str) -> int:
    return len(text) ** 2 // 100 + 1


def sawtooth(text: str) -> int:
    return 60 - len(text) % 50


ALL = [words, characters, utf8_bytes, quarters, lines, remainder, wave, checksum, squares, sawtooth]
STEADY = [words, characters, utf8_bytes, quarters, lines, squares]  # a longer text never counts less


class Answers:
    """A counter that gives `answer(texts)` for the counts of a batch."""

    def __init__(self, answer: Callable[[Sequence[str]], Any]) -> None:
        self.answer = answer

    def count(self, text: str) -> Any:
        return next(iter(self.answer([text])), None)

    def count_batch(self, texts: Sequence[str]) -> Any:
        return self.answer(texts)


#: Answers that are no counts, each a new counter.
WRONG: dict[str, Callable[[], Any]] = {
    "negative": lambda: Answers(lambda texts: [-1 for _ in texts]),
    "boolean": lambda: Answers(lambda texts: [True for _ in texts]),
    "short": lambda: Answers(lambda texts: [len(text) // 4 for text in texts][:-1]),
    "long": lambda: Answers(lambda texts: [9, *(len(text) // 4 for text in texts)]),
    "infinite": lambda: Answers(lambda texts: [float("inf") for _ in texts]),
    "no number": lambda: Answers(lambda texts: [float("nan") for _ in texts]),
    "a text": lambda: Answers(lambda texts: ["7" for _ in texts]),
    "nothing": lambda: Answers(lambda texts: None),
    "huge": lambda: Answers(lambda texts: [10**30 for _ in texts]),
    "failing": lambda: Answers(lambda texts: 1 // 0),
}
