"""count and count_batch: a counter is foreign code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tersely.engine.reading import count, count_batch


class BatchCounter:
    """Answers a batch with whatever the function makes of it."""

    name = "odd"

    def __init__(self, answer: Callable[[Sequence[str]], Any]) -> None:
        self.answer = answer

    def count(self, text: str) -> int:
        return self.answer([text])[0]

    def count_batch(self, texts: Sequence[str]) -> Any:
        return self.answer(texts)


TEXTS = ["one", "two words", ""]
GOOD = {
    "list": lambda texts: [len(text) for text in texts],
    "tuple": lambda texts: tuple(len(text) for text in texts),
    "int32 array": lambda texts: np.array([len(text) for text in texts], dtype=np.int32),
    "uint64 array": lambda texts: np.array([len(text) for text in texts], dtype=np.uint64),
    "numpy scalars": lambda texts: [np.int64(len(text)) for text in texts],
}


@pytest.mark.parametrize("name", GOOD)
def test_whole_numbers_in_any_sequence(name: str) -> None:
    counts = count_batch(BatchCounter(GOOD[name]), TEXTS)
    assert counts.dtype == np.int64
    assert counts.tolist() == [3, 9, 0]
    assert count(BatchCounter(GOOD[name]), "four") == 4


def test_no_texts() -> None:
    assert count_batch(BatchCounter(GOOD["list"]), []).tolist() == []


BAD = {
    "floats": (lambda texts: [1.0 for _ in texts], "must return whole numbers"),
    "whole floats in an array": (lambda texts: np.ones(len(texts)), "must return whole numbers"),
    "nan": (lambda texts: [float("nan") for _ in texts], "must return whole numbers"),
    "strings": (lambda texts: ["3" for _ in texts], "must return whole numbers"),
    "None each": (lambda texts: [None for _ in texts], "must return whole numbers"),
    "lists each": (lambda texts: [[1] for _ in texts], "must return whole numbers"),
    "negative": (lambda texts: [-1 for _ in texts], "returned -1, less than 0"),
    "beyond int64": (lambda texts: [2**70 for _ in texts], "must return whole numbers"),
    "one too few": (lambda texts: [1 for _ in texts][1:], "returned 2 counts for 3 texts"),
    "one too many": (lambda texts: [1, *(1 for _ in texts)], "returned 4 counts for 3 texts"),
    "nothing": (lambda _: None, "odd"),
    "a number": (lambda _: 3, "odd"),
    "a generator": (lambda texts: (1 for _ in texts), "odd"),
    "a table": (lambda texts: np.ones((len(texts), 1), dtype=np.int64), "odd"),
}


@pytest.mark.parametrize("name", BAD)
def test_anything_else_is_a_value_error_that_names_the_counter(name: str) -> None:
    answer, message = BAD[name]
    with pytest.raises(ValueError, match=message) as caught:
        count_batch(BatchCounter(answer), TEXTS)
    assert "odd" in str(caught.value)


def test_a_counter_that_raises() -> None:
    def fail(texts: Sequence[str]) -> Any:
        raise OSError("model file is gone")

    with pytest.raises(ValueError, match="odd failed on 3 texts: OSError") as caught:
        count_batch(BatchCounter(fail), TEXTS)
    assert isinstance(caught.value.__cause__, OSError)


def test_an_interrupt_is_not_swallowed() -> None:
    def interrupt(texts: Sequence[str]) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count_batch(BatchCounter(interrupt), TEXTS)
