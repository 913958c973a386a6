"""How far a long run is, on stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

__all__ = ["Progress"]

_WIDTH = 30


class Progress:
    """A bar that is drawn anew in place on a terminal; a line every tenth of the way elsewhere."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = total
        self._done = 0
        self._begin = time.monotonic()
        self._drawn = 0.0
        self._terminal = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def step(self, doing: str) -> None:
        """One more is begun."""
        now = time.monotonic()
        tenth = self._done * 10 // max(self._total, 1)
        if self._terminal and now - self._drawn > 0.1:
            self._drawn = now
            filled = _WIDTH * self._done // max(self._total, 1)
            bar = "█" * filled + "·" * (_WIDTH - filled)
            print(f"\r\x1b[K{self._line(bar, now)}, {doing}", end="", file=sys.stderr, flush=True)
        elif not self._terminal and self._done * 10 % max(self._total, 1) < 10 and tenth > self._drawn:
            self._drawn = tenth
            print(self._line("", now), file=sys.stderr, flush=True)
        self._done += 1

    def _line(self, bar: str, now: float) -> str:
        elapsed = now - self._begin
        left = elapsed / self._done * (self._total - self._done) if self._done else 0.0
        return f"{self._label} {bar} {self._done}/{self._total}, {elapsed:.0f} s, {left:.0f} s to go"
