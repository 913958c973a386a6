"""Mentions of a history that grows, found some messages at a time, so that no turn takes long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tersely.memory.mentions import Mentions, find_mentions, join_mentions
from tersely.memory.messages import Entry

__all__ = ["Notes"]

_AT_ONCE = 3000  # tokens of messages that wait until they are read together, and are read in one turn


@dataclass(eq=False, slots=True)
class Notes:
    """What was read of a history. `first` never becomes smaller from call to call; entries stay the same."""

    _upto: int = 0  # entries before this one were read, or are not asked for any more
    _pieces: list[int] = field(default_factory=lambda: [0])  # of all entries before each, and after the last
    _parts: list[tuple[int, int, Mentions]] = field(default_factory=list)  # of entries [begin, end), in order

    def read(self, entries: Sequence[Entry], first: int, costs: Sequence[int]) -> None:
        """Read the next entries from `first`, if there are many tokens of them. `costs`: tokens of each."""
        self._leave(first)
        if sum(costs[self._upto :]) >= _AT_ONCE:
            last, tokens = self._upto, 0
            while tokens < _AT_ONCE:
                tokens += costs[last]
                last += 1
            self._read(entries, last)

    def since(self, entries: Sequence[Entry], first: int) -> Mentions:
        """The mentions of all entries from `first`; documents are numbered from its first piece."""
        self._leave(first)
        self._read(entries, len(entries))
        start = self._pieces[first]
        return join_mentions([(part, self._pieces[begin] - start) for begin, _, part in self._parts])

    def _leave(self, first: int) -> None:
        """Forget the entries before `first`."""
        self._parts = [part for part in self._parts if part[1] > first]
        if self._parts and self._parts[0][0] < first:
            begin, end, mentions = self._parts[0]
            left = join_mentions([(mentions, self._pieces[begin] - self._pieces[first])])
            self._parts[0] = (first, end, left)
        self._upto = max(self._upto, first)

    def _read(self, entries: Sequence[Entry], last: int) -> None:
        for entry in entries[len(self._pieces) - 1 : last]:
            self._pieces.append(self._pieces[-1] + len(entry.pieces))
        if self._upto < last:
            texts = [piece.text for entry in entries[self._upto : last] for piece in entry.pieces]
            self._parts.append((self._upto, last, find_mentions(texts)))
            self._upto = last
