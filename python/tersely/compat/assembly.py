"""Share one budget among documents that are compressed one by one, and join what is left of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from tersely.core.errors import BudgetExceededError
from tersely.core.protocols import BatchTokenCounter
from tersely.engine.allocation import share_out
from tersely.engine.count import count, count_batch

__all__ = ["Assembly", "Part", "assemble"]

_LARGEST = 2**60  # tokens: the sums stay in range
_ROUNDS = 6  # of sharing out, making the parts and counting them together


@dataclass(frozen=True, slots=True)
class Part:
    """The compressed text of one document.

    Attributes:
        text: the part; None where there is none.
        required: tokens that the document needs at least; 0: not known.
    """

    text: str | None
    required: int = 0


@dataclass(frozen=True, slots=True)
class Assembly:
    """The joined parts, within the budget.

    Attributes:
        text, tokens: the parts joined by the separator, and their count.
        shares: of each document in `text`, by index, ascending: what it was allowed.
        refused: indices of those that got no share, or whose smallest piece is larger than it.
    """

    text: str
    tokens: int
    shares: Mapping[int, int]
    refused: tuple[int, ...]


Make = Callable[[Mapping[int, int]], Mapping[int, Part]]


def assemble(
    sizes: Sequence[int],
    weights: Sequence[float],
    budget: int,
    counter: BatchTokenCounter,
    separator: str,
    make: Make,
    floors: Sequence[int] | None = None,
) -> Assembly:
    """Share out the budget, have the parts made, and join them; the count of the whole never exceeds it.

    `make(shares)` gives the part of each index of `shares`, of at most so many tokens; a text of None with
    `required` 0 means that it failed, whatever its share; an empty one is left out. `floors`: tokens that
    each gets at least; one with a floor > 0 is never left out. What failed parts do not use goes to the
    others; where the joined text counts more than its parts, there is less to share. Raises
    BudgetExceededError where not one part fits, or not all that have a floor.
    """
    assembler = _Assembler(list(sizes), list(weights), budget, counter, separator, make)
    assembler.floors = list(floors) if floors is not None else assembler.floors
    return assembler.run()


class _Assembler:
    def __init__(
        self,
        sizes: list[int],
        weights: list[float],
        budget: int,
        counter: BatchTokenCounter,
        separator: str,
        make: Make,
    ) -> None:
        self.sizes, self.weights, self.budget = sizes, weights, budget
        self.counter, self.separator, self.make = counter, separator, make
        self.floors = [0] * len(sizes)
        self.left = list(range(len(sizes)))
        self.refused: dict[int, int] = {}  # what each would need, 0 where that is not known

    def run(self) -> Assembly:
        one, other = "one.", "Two"
        counts = count_batch(self.counter, [one, other, one + self.separator + other]).tolist()
        gap, room = max(counts[2] - counts[0] - counts[1], 0), self.budget
        shares: dict[int, int] = {}
        parts: dict[int, str] = {}
        for attempt in range(_ROUNDS):
            if not self.left or room < 1:
                break
            shares, parts, again = self._make_parts(min(room, _LARGEST), gap)
            if again:
                continue  # some got out, or need more
            text, tokens = self._join(parts)
            if tokens <= self.budget and parts:
                return self._assembly(text, tokens, shares, parts)
            room -= max(1, tokens - self.budget) * 2**attempt
        return self._drop_least(shares, parts)

    def _make_parts(self, room: int, gap: int) -> tuple[dict[int, int], dict[int, str], bool]:
        """Share the budget out and make the parts; say whether sharing it out again gives more."""
        found = share_out(
            [self.sizes[index] for index in self.left],
            [self.weights[index] for index in self.left],
            room,
            gap,
            [self.floors[index] for index in self.left],
        )
        shares = {self.left[place]: share for place, share in found.items()}
        made = self.make(shares)
        for index, part in made.items():
            if part.text is None and self.floors[index]:
                self.floors[index] = max(part.required, self.floors[index] + 1)
                if sum(self.floors) > self.budget:
                    self._raise_too_small(sum(self.floors))
            elif not part.text:
                self.left.remove(index)
                if part.required:
                    self.refused[index] = part.required
        parts = {index: part.text for index, part in made.items() if part.text}
        return shares, parts, any(part.text is None for part in made.values())

    def _drop_least(self, shares: dict[int, int], parts: dict[int, str]) -> Assembly:
        """Drop the parts with the lowest weights, more each time, until the rest fits."""
        pinned = [index for index, floor in enumerate(self.floors) if floor]
        order, out = sorted(parts, key=self._rank), 0
        while len(order) > max(len(pinned), 1) or (order and out == 0):
            order = order[: max(len(order) - out, len(pinned), 1)]
            chosen = {index: parts[index] for index in order}
            text, tokens = self._join(chosen)
            if tokens <= self.budget and set(pinned) <= set(chosen):
                return self._assembly(text, tokens, shares, chosen)
            out = 2 * out or 1
        if len(pinned) > 1:
            self._raise_too_small(max(sum(self.floors), self.budget + 1))
        for index in pinned or sorted(self.left, key=self._rank):
            part = self.make({index: self.budget})[index]
            if part.text and (tokens := count(self.counter, part.text)) <= self.budget:
                return self._assembly(part.text, tokens, {index: self.budget}, {index: part.text})
            self.refused[index] = max(part.required, self.budget + 1)
        tokens = count(self.counter, "")
        if self.refused or tokens > self.budget:
            self._raise_too_small(max(min([*self.refused.values()] or [tokens]), self.budget + 1))
        return self._assembly("", tokens, {}, {})

    def _rank(self, index: int) -> tuple[bool, float, int]:
        """Sort key: pinned parts first, then by weight, then in order."""
        return not self.floors[index], -self.weights[index], index

    def _join(self, parts: Mapping[int, str]) -> tuple[str, int]:
        text = self.separator.join(parts[index] for index in sorted(parts))
        return text, count(self.counter, text)

    def _assembly(
        self, text: str, tokens: int, shares: Mapping[int, int], parts: Mapping[int, str]
    ) -> Assembly:
        refused = set(self.refused) | (set(self.left) - set(parts))
        return Assembly(
            text, tokens, {index: shares[index] for index in sorted(parts)}, tuple(sorted(refused))
        )

    def _raise_too_small(self, required: int) -> NoReturn:
        raise BudgetExceededError(
            "nothing of the documents fits",
            required=required,
            budget=self.budget,
        )
