"""Conversations: the newest turns as they are, decisions, and what else matters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from tersely.errors import BudgetExceededError
from tersely.stages.count import count, count_batch
from tersely.stages.segment import segment
from tersely.strategies.extractive import Extractive
from tersely.tables import Kind, Level, SegmentTable
from tersely.types import Compressed, Request

__all__ = ["Conversation"]

_SHARE = 0.5  # of the budget that the newest turns may take
_TURN = int(Kind.CHAT_TURN)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Keeps the newest turns whole, segments with decisions, and of the rest what `text` keeps.

    Attributes:
        recent: turns at the end of each document that are pinned, the newest first, as far as they take half
            of the budget.
        text: how the rest is chosen; decisions are added to what it preserves.
    """

    recent: int = 4
    text: Extractive = field(default_factory=Extractive)

    def __post_init__(self) -> None:
        """Check the options."""
        if isinstance(self.recent, bool) or not isinstance(self.recent, int) or self.recent < 0:
            raise ValueError(f"recent must be a whole number of turns from 0, not {self.recent!r}")

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget, as `Extractive.compress` does."""
        chosen = replace(self.text, preserve=(*self.text.preserve, "decisions"))
        analysis = chosen.read(request)
        pinned = self._newest(request, analysis.table if chosen.level == Level.SENTENCE else None)
        if pinned:
            try:
                return chosen.compress(replace(request, pinned=(*request.pinned, *pinned)), analysis)
            except BudgetExceededError:  # beside what the caller pinned there is no room for them
                pass
        return chosen.compress(request, analysis)

    def _newest(self, request: Request, table: SegmentTable | None) -> list[tuple[int, int, int]]:
        """(document, start, end) of the newest turns that fit their share, of each document in turn.

        `table`: the documents cut into sentences; None: that is done here.
        """
        if self.recent == 0:
            return []
        texts = [document.text for document in request.documents]
        if table is None:
            table = segment(texts, Level.SENTENCE)
        begins = np.diff(table.block, prepend=-1) != 0
        first = np.flatnonzero(begins & (table.kind == _TURN))
        borders = np.searchsorted(table.document[first], np.arange(len(texts) + 1))
        turns: list[tuple[int, int, int, int]] = []  # how many are newer, document, start, end
        for document, text in enumerate(texts):
            starts = table.start[first[borders[document] : borders[document + 1]]].tolist()[-self.recent :]
            newest = reversed(list(pairwise([*starts, len(text)])))
            for age, (start, end) in enumerate(newest):
                turns.append((age, document, start, start + len(text[start:end].rstrip())))
        room = _SHARE * self._budget(request, texts)
        spans = [(document, start, end) for _, document, start, end in sorted(turns)]
        sizes = count_batch(request.counter, [texts[document][start:end] for document, start, end in spans])
        fitting = int(np.searchsorted(np.cumsum(sizes), room, side="right"))
        return spans[:fitting]

    def _budget(self, request: Request, texts: list[str]) -> float:
        if request.budget is not None:
            return request.budget
        return count(request.counter, request.separator.join(texts)) * request.ratio
