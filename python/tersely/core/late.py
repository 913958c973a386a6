"""Sequences whose items are made when they are read, as most callers read few of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeVar, overload

__all__ = ["LateSequence"]

T = TypeVar("T")

_SHOWN = 3  # items in a repr


class LateSequence(Sequence[T]):
    """A sequence that makes its items when they are read; equal to any sequence of equal items.

    A subclass says how many there are, and makes the one at an index from 0.
    """

    __slots__ = ()
    _called: ClassVar[str] = "items"

    @abstractmethod
    def _make(self, index: int) -> T:
        """The item at an index in [0, len(self))."""

    def _some(self, indices: range) -> Iterator[T]:
        """The items at these indices; a subclass that makes many at once at less cost says how."""
        return map(self._make, indices)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        """The item at `index`, or a list for a slice."""
        if isinstance(index, slice):
            return list(self._some(range(*index.indices(len(self)))))
        return self._make(range(len(self))[index])

    def __iter__(self) -> Iterator[T]:
        """The items in order."""
        return self._some(range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Equal to any sequence of equal items."""
        return isinstance(other, Sequence) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # like a list

    def __repr__(self) -> str:
        """The first items and the number of all."""
        shown = ", ".join(map(repr, self[:_SHOWN]))
        return f"<{len(self)} {self._called}: {shown}{', ...' if len(self) > _SHOWN else ''}>"
