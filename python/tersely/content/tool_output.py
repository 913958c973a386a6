"""Output of builds, linters, tests and package managers: failures, lines unlike the others, verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
_LEAST_REST = 4  # characters behind a cut that a mark for them is shorter than
_PIECES = 16  # of the rest of a long line, at most
_END = 1.5  # times what its pieces are worth, for how it ends


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
        row, place, last = _cuts_of_long(lines, texts, outcome_grades(lines) >= FAILED)
        if not len(row):
            return units_of_lines(lines, query, self.context)
        units = units_of_lines(split_at(lines, row, place), query, self.context)
        behind = row + 1 + np.arange(len(row))  # the row that begins at each place
        many = np.bincount(row)[row] > 1
        worth, essential = units.worth.copy(), units.essential
        worth[behind[last & many]] *= _END
        if essential is not None:
            essential = essential.copy()
            essential[behind[many]] = False
        return replace(units, worth=worth, essential=essential)


def _cuts_of_long(lines: LineTable, texts: list[str], failed: Bools) -> tuple[Int64s, Int64s, Bools]:
    """Rows of long lines, the places at words where they are cut, and which is a line's last. O(rows).

    Of those that say what failed, the name of that comes first, what is said of it behind: a word in quotes
    at best, so that names of all that failed come before the second thing that one says. A long rest is in
    pieces, its end one of them, so that a line is as long as there is room for.
    """
    table = lines.table
    size = table.end - table.start
    failed = failed & (size > _NAME[2])
    cuts: list[tuple[int, int, bool]] = []
    for row in np.flatnonzero(((size > _LONG) | failed) & ~lines.continued & ~lines.bulk).tolist():
        text, start, end = texts[table.document[row]], int(table.start[row]), int(table.end[row])
        least, most = _NAME[:2] if failed[row] else (_HEAD // 2, _HEAD)
        stop = max(text.rfind(quote, start + _NAMED, start + most) + 1 for quote in ("' ", '" '))
        stop = stop if failed[row] and stop else text.rfind(" ", start + least, start + most)
        if stop <= start or stop + _LEAST_REST > end:
            continue
        places = [stop]
        if failed[row] and end - stop > _LONG:
            step = max(_HEAD, (end - stop) // _PIECES)
            for want in (*range(stop + step, end - step, step), end - _NAME[1]):
                at = text.rfind(" ", places[-1] + _NAME[0], want)
                places += [at] if at > 0 else []
        cuts += [(row, at, at == places[-1]) for at in places]
    columns = np.array(cuts, dtype=np.int64).reshape(-1, 3)
    return columns[:, 0], columns[:, 1], columns[:, 2] > 0
