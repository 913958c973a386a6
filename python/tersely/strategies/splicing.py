"""Arrays in which runs of rows give way to others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["Seam", "offsets_of", "spliced", "spliced_list", "term_seams"]

Item = TypeVar("Item")
Scalar = TypeVar("Scalar", bound=np.generic)


class Seam(NamedTuple):
    """Rows `first` to `last` (exclusive) of what was give way to rows `begin` to `end` of what was read."""

    first: int
    last: int
    begin: int
    end: int


def spliced(old: npt.NDArray[Scalar], new: npt.NDArray[Scalar], seams: Sequence[Seam]) -> npt.NDArray[Scalar]:
    """The rows of `old`, with those of `new` at the seams, which are in order and apart. O(rows)."""
    return np.concatenate(_parts(old, new, seams))


def spliced_list(old: Sequence[Item], new: Sequence[Item], seams: Sequence[Seam]) -> list[Item]:
    """`spliced` for what is no array."""
    return list(chain.from_iterable(_parts(old, new, seams)))


def _parts(old: Any, new: Any, seams: Sequence[Seam]) -> list[Any]:
    parts, done = [], 0
    for seam in seams:
        parts += [old[done : seam.first], new[seam.begin : seam.end]]
        done = seam.last
    return [*parts, old[done:]]


def term_seams(old: npt.NDArray[np.int64], new: npt.NDArray[np.int64], seams: Sequence[Seam]) -> list[Seam]:
    """The seams of what rows hold, one after another; `old`, `new`: offsets of the rows."""
    return [
        Seam(old.item(seam.first), old.item(seam.last), new.item(seam.begin), new.item(seam.end))
        for seam in seams
    ]


def offsets_of(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """int64[n + 1]: where each of n rows begins, and the last one ends."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
