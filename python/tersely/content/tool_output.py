"""Output of builds, linters, tests and package managers: failures, places, verdicts; the rest is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.content.lines import (
    LineTable,
    Mark,
    around,
    asked_ids,
    places_of_lines,
    read_lines,
    relevance,
    split_after_places,
)
from tersely.content.logs import left_out
from tersely.content.outcomes import ERROR, outcome_grades
from tersely.content.units import Bools, Lines, Units
from tersely.core.checks import whole_number
from tersely.core.tables import Float32s
from tersely.core.types import Document

__all__ = ["ToolOutput"]

_SHORT = 120  # characters after a place: what was found there stays with it


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """Keeps error lines, lines that name a new path:line place, summaries and exit codes, both ends.

    A line that was met before, character for character, counts little; lines of one kind count less and less.
    Left out lines are counted where they were.

    Attributes:
        context: lines around an error that count as its neighbourhood.
    """

    kind: ClassVar[str] = "tool_output"

    context: int = 2

    def __post_init__(self) -> None:
        """Check the options."""
        whole_number(self.context, "context")

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """The lines with their worth; at most `rows` of them are looked at one by one. O(characters)."""
        lines = read_lines([document.text for document in documents], query, rows)
        short = lines.table.end - lines.table.start - lines.anchor_end <= _SHORT
        whole = lines.has(Mark.ERROR) | (short & (outcome_grades(lines) >= ERROR)) | (lines.copies > 0)
        lines, rest = split_after_places(lines, ~whole)
        worth, essential = self._worth(lines, rest)
        return Units(
            lines.table,
            worth,
            Lines(lambda first, last: left_out(lines, first, last), continued=lines.continued),
            essential,
            bulk=lines.bulk,
            graded=True,
            warnings=lines.unmatched(query),
        )

    def _worth(self, lines: LineTable, rest: Bools) -> tuple[Float32s, Bools]:
        """What each line is worth per token, and which come before all others."""
        n = len(lines.table)
        new = lines.copies == 0
        grade = outcome_grades(lines)
        bad = grade >= ERROR
        ends = np.zeros(n, dtype=bool)
        ends[:1] = ends[-1:] = True
        score = 0.3 / (1 + places_of_lines(lines)).astype(np.float32) + np.where(
            lines.has(Mark.FRAME), 0.2, 0
        )
        size = np.maximum(lines.table.end - lines.table.start, 1)
        score += np.where(lines.places > 0, np.clip(250 / size, 1.5, 5), 0)  # each place is worth the same
        score += np.where(ends, 0.5, 0)
        score += 9 * grade
        score += 0.4 * around(bad & new, self.context)
        score += 6 * relevance(lines)
        score = np.where(lines.has(Mark.OVERWRITTEN), 0.01, score)
        score = np.where(new, score, score / (2 + lines.copies))
        score = np.where(rest, score / 8, score)
        score = np.where(lines.bulk, 0, score)
        must = (bad | (lines.places > 0)) & new | asked_ids(lines)
        must &= ~rest & ~lines.bulk & ~lines.has(Mark.OVERWRITTEN)
        return score.astype(np.float32), must
