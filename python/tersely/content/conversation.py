"""Conversations: the newest turns and decisions come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from tersely.checks import flag, whole_number
from tersely.content.units import Units
from tersely.types import Document, Kind, SegmentTable

__all__ = ["Conversation"]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Keeps the newest turns whole, then segments with decisions, then others by score."""

    kind: ClassVar[str] = "conversation"
    share: ClassVar[float] = 0.5  # of the budget that the newest turns may take
    preserve: ClassVar[tuple[str, ...]] = ("decisions",)

    #: turns at the end of each document that go first, the newest before the others, as far as they take half
    #: of the budget
    recent: int = 4
    #: whether they go first where a query says what matters, too. Conversations that were found by their look
    #: are read without: then turns are kept for what they say about it, as other text is.
    with_query: bool = True
    #: how the text is read, valued and chosen (`tersely.Extractive`); None: as other text is
    text: Any = field(default=None)

    def __post_init__(self) -> None:
        whole_number(self.recent, "recent")
        flag(self.with_query, "with_query")

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """Return None: turns are read as text."""
        return None

    def newest(self, table: SegmentTable, documents: Sequence[int]) -> list[tuple[int, int]]:
        """Return [first, last) rows of the newest turns of documents, the newest of each first."""
        begins = np.diff(table.block, prepend=-1) != 0
        first = np.flatnonzero(begins & (table.kind == int(Kind.CHAT_TURN)))
        turns: list[tuple[int, int, int]] = []  # how many are newer, first and last row
        for document in documents:
            low, high = np.searchsorted(table.document, [document, document + 1]).tolist()
            mine = first[(first >= low) & (first < high)].tolist()
            starts = mine[max(len(mine) - self.recent, 0) :] if self.recent else []
            newest = reversed(list(pairwise([*starts, high])))
            turns += [(age, begin, end) for age, (begin, end) in enumerate(newest)]
        return [(begin, end) for _, begin, end in sorted(turns)]
