"""Output of builds, linters, tests and package managers: failures, lines unlike the others, verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.checks import whole_number
from tersely.content.lines import FAILED, LineTable, outcome_grades, read_lines, split_at
from tersely.content.logs import units_of_lines
from tersely.content.units import Bools, Units
from tersely.types import Document, Int64s

__all__ = ["ToolOutput"]

_LONG, _HEAD = 400, 240  # characters of lines that are cut, and of what comes first of them, at most
_NAME = (40, 140, 200)  # characters of what names a failure: least, most; and of lines that are cut behind it
_NAMED = 16  # the least where a name in quotes ends


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """Keeps failures, the first line of each template, unusual lines, and summaries of tools.

    A line that was met before, character for character, counts little; of lines that are the same but for the
    time and counters the first says how many there are. Lists that people or programs wrote in an order of
    their own (commits, trees) are kept from their beginning. Of a long line that says what failed,
    the name of that comes first. Left out lines are counted where they were; where such counts would take
    more than a tenth of the budget, one counts all, and an "…" stands in the places of the others
    ("markers_shortened").
    """

    kind: ClassVar[str] = "tool_output"

    context: int = 2  #: lines around an error that count as its neighbourhood

    def __post_init__(self) -> None:
        whole_number(self.context, "context")

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """Return the lines with their scores; examines at most `rows` lines one by one. O(characters)."""
        texts = [document.text for document in documents]
        lines = read_lines(texts, query, rows)
        cut = _cut_of_long(lines, texts, outcome_grades(lines) >= FAILED)
        return units_of_lines(split_at(lines, cut) if cut.any() else lines, query, self.context)


def _cut_of_long(lines: LineTable, texts: list[str], failed: Bools) -> Int64s:
    """int64[n]: characters behind which long lines are cut, at a word; 0 for others. O(rows).

    Of those that say what failed, the name of that comes first, what is said of it behind: a word in quotes
    at best, so that names of all that failed come before the second thing that one says.
    """
    table = lines.table
    size = table.end - table.start
    failed = failed & (size > _NAME[2])
    cut = np.zeros(len(table), dtype=np.int64)
    for row in np.flatnonzero(((size > _LONG) | failed) & ~lines.continued & ~lines.bulk).tolist():
        text, start = texts[table.document[row]], int(table.start[row])
        least, most = _NAME[:2] if failed[row] else (_HEAD // 2, _HEAD)
        stop = max(text.rfind(end, start + _NAMED, start + most) + 1 for end in ("' ", '" '))
        stop = stop if failed[row] and stop else text.rfind(" ", start + least, start + most)
        cut[row] = max(stop - start, 0)
    return cut
