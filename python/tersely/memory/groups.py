"""Which messages stay or go together: a tool's call with its results, reasoning with what follows it."""

from __future__ import annotations

from collections.abc import Sequence

from tersely.memory.messages import Entry

__all__ = ["atomic_groups"]


def atomic_groups(entries: Sequence[Entry]) -> list[tuple[int, int]]:
    """Half-open ranges of entries, in order; together all of them. O(entries).

    A range reaches from a call to the last of its results; calls whose ranges overlap share one.
    """
    called: dict[str, int] = {}
    begins = list(range(len(entries)))  # the first entry that each must stay with
    for index, entry in enumerate(entries):
        for call in entry.calls:
            called[call] = index
        for answer in entry.answers:
            begins[index] = min(begins[index], called.get(answer, index))
        if index and entries[index - 1].leads:
            begins[index] = min(begins[index], index - 1)
    groups: list[tuple[int, int]] = []
    for index, begin in enumerate(begins):
        first = index
        while groups and groups[-1][1] > begin:
            first = groups.pop()[0]
        groups.append((first, index + 1))
    return groups
