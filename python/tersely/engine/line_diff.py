"""What changed between two versions of a text, line by line."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

__all__ = ["Change", "Diff", "common_prefix", "compare", "compute_diff"]

_LARGEST_TABLE = 10_000  # pairs of lines; where no line is unique, a larger part counts as replaced


@dataclass(frozen=True, slots=True)
class Diff:
    """A line diff.

    Attributes:
        added, removed: lines without their line ends, in order.
        change_ratio: characters added and removed, line ends included, / those of the longer text: 0 for
            equal texts, 2 at most.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    change_ratio: float


class Change(NamedTuple):
    """`old[old_start:old_end]` became `new[new_start:new_end]` (characters)."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def compute_diff(old: str, new: str) -> Diff:
    """The lines that were added and removed.

    What both texts begin and end with is skipped first. Between, lines that stand once in each text and in
    the same order are anchors (patience diff); small parts without one go to difflib, larger ones count as
    replaced, so the diff is not always the shortest. Lines end at "\\n". O(characters + lines log lines).
    """
    return compare(old, new)[0]


def compare(old: str, new: str) -> tuple[Diff, list[Change]]:
    """`compute_diff`, and the characters that differ, in order; what lies between them is equal."""
    if old == new:
        return Diff((), (), 0.0), []
    a, b = old.split("\n"), new.split("\n")
    hunks = list(_joined(_replaced(a, b)))
    places = _places(a, b, hunks, len(old), len(new))
    moved = sum(place.old_end - place.old_start + place.new_end - place.new_start for place in places)
    return Diff(
        added=tuple(line for _, _, k, m in hunks for line in b[k:m]),
        removed=tuple(line for i, j, _, _ in hunks for line in a[i:j]),
        change_ratio=moved / max(len(old), len(new)),
    ), [_trimmed(old, new, place) for place in places]


_Hunk = tuple[int, int, int, int]  # a[i:j] became b[k:m]


def _replaced(a: list[str], b: list[str]) -> Iterator[_Hunk]:
    """Hunks in order, some of them touching."""
    parts = [(0, len(a), 0, len(b))]  # a stack, the first part on top
    while parts:
        i, j, k, m = parts.pop()
        head = common_prefix(a[i:j], b[k:m])
        i, k = i + head, k + head
        tail = common_prefix(a[i:j][::-1], b[k:m][::-1])
        j, m = j - tail, m - tail
        if i == j or k == m:
            if i < j or k < m:
                yield i, j, k, m
            continue
        anchors = _anchors(a[i:j], b[k:m])
        if anchors:
            ends = [(i + x, k + y) for x, y in anchors] + [(j, m)]
            starts = [(i, k)] + [(x + 1, y + 1) for x, y in ends[:-1]]
            between = [(i, x, k, y) for (i, k), (x, y) in zip(starts, ends, strict=True)]
            parts.extend(part for part in reversed(between) if part[0] < part[1] or part[2] < part[3])
        elif (j - i) * (m - k) <= _LARGEST_TABLE:
            for name, x, y, z, w in SequenceMatcher(None, a[i:j], b[k:m], autojunk=False).get_opcodes():
                if name != "equal":
                    yield i + x, i + y, k + z, k + w
        else:
            yield i, j, k, m


def common_prefix(a: Sequence[str], b: Sequence[str]) -> int:
    """How many items, or characters, both begin with; by bisection, since slices compare quickly."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _trimmed(old: str, new: str, place: Change) -> Change:
    """A change without the characters that both of its sides begin and end with."""
    one, other = old[place.old_start : place.old_end], new[place.new_start : place.new_end]
    head = common_prefix(one, other)
    tail = common_prefix(one[head:][::-1], other[head:][::-1])
    return Change(place.old_start + head, place.old_end - tail, place.new_start + head, place.new_end - tail)


def _anchors(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """Rows of lines that stand once in each: the longest run that ascends in both."""
    in_a, in_b = Counter(a), Counter(b)
    place = {line: y for y, line in enumerate(b) if in_b[line] == 1}
    pairs = [(x, place[line]) for x, line in enumerate(a) if in_a[line] == 1 and line in place]
    ends: list[int] = []  # the lowest row of b that ends an ascending run of each length
    last: list[int] = []  # which pair that is
    before = [-1] * len(pairs)
    for number, (_, y) in enumerate(pairs):
        length = bisect_left(ends, y)
        before[number] = last[length - 1] if length else -1
        ends[length : length + 1], last[length : length + 1] = [y], [number]
    run: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _joined(hunks: Iterator[_Hunk]) -> Iterator[_Hunk]:
    """Hunks that touch made one."""
    current: _Hunk | None = None
    for i, j, k, m in hunks:
        if current is not None and (current[1], current[3]) == (i, k):
            current = (current[0], j, current[2], m)
        else:
            if current is not None:
                yield current
            current = (i, j, k, m)
    if current is not None:
        yield current


def _places(a: list[str], b: list[str], hunks: list[_Hunk], old_size: int, new_size: int) -> list[Change]:
    """Hunks in characters. A line's end belongs to it; after the last line of a text, to the next."""
    places = []
    old = new = done = left = 0  # characters before the lines `done` of a and `left` of b
    for i, j, k, m in hunks:
        old, new = old + _size(a[done:i]), new + _size(b[left:k])
        step = int(i == len(a) or k == len(b))  # the line end before goes or comes too
        start, begin = old - step, new - step
        old, new = old + _size(a[i:j]), new + _size(b[k:m])
        places.append(Change(start, min(old, old_size), begin, min(new, new_size)))
        done, left = j, m
    return places


def _size(lines: list[str]) -> int:
    """Characters of lines with their ends."""
    return sum(map(len, lines)) + len(lines)
