"""Work that several answers need is done once, and each of the answers is charged for it in full."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

__all__ = ["Ledger", "Once", "OnceEmbedder", "OncePruner"]

Value = TypeVar("Value")


class Ledger:
    """CPU milliseconds to add to the time of the answer that is being made."""

    def __init__(self) -> None:
        self._owed = 0.0

    def charge(self, milliseconds: float) -> None:
        """Add the time of work that was done earlier."""
        self._owed += milliseconds

    @contextmanager
    def free(self) -> Iterator[None]:
        """What happens inside is not the system's own work, and is not charged."""
        owed, begin = self._owed, time.process_time()
        yield
        self._owed = owed - (time.process_time() - begin) * 1e3

    def settle(self) -> float:
        """What is owed; nothing is owed afterwards."""
        owed, self._owed = self._owed, 0.0
        return owed


class OnceEmbedder:
    """An embedder that embeds the same list of texts once, for one question at several ratios."""

    def __init__(self, embedder: Any, ledger: Ledger) -> None:
        self._embedder = embedder
        self._calls: Once[Any] = Once(ledger, 64)

    def embed(self, texts: Sequence[str]) -> Any:
        """What the embedder gives for the list."""
        return self._calls("\0".join(texts), lambda: self._embedder.embed(texts))


class OncePruner:
    """A pruner that reads the same window with the same question once, at several ratios."""

    def __init__(self, pruner: Any, ledger: Ledger) -> None:
        self._pruner = pruner
        self._calls: Once[Any] = Once(ledger, 4_096)

    def prune(self, query: str, segments: Sequence[str]) -> Any:
        """What the pruner says of the window."""
        return self._calls("\0".join([query, *segments]), lambda: self._pruner.prune(query, segments))


class Once(Generic[Value]):
    """Results by key. A result that is there already is charged to the ledger with the time it took.

    At most `most` of them are held; then it starts anew.
    """

    def __init__(self, ledger: Ledger, most: int) -> None:
        self._ledger = ledger
        self._most = most
        self._done: dict[str, tuple[Value, float]] = {}

    def __call__(self, key: str, work: Callable[[], Value]) -> Value:
        """The result for the key, from `work` where it isn't there yet."""
        if key in self._done:
            value, cost = self._done[key]
            self._ledger.charge(cost)
            return value
        begin = time.process_time()
        value = work()
        self.keep(key, value, (time.process_time() - begin) * 1e3)
        return value

    def __contains__(self, key: str) -> bool:
        return key in self._done

    def keep(self, key: str, value: Value, cost: float) -> None:
        """Hold a result that took `cost` CPU ms."""
        if len(self._done) >= self._most:
            self._done.clear()
        self._done[key] = (value, cost)
