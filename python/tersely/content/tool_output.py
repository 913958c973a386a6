"""Output of builds, linters, tests and package managers: failures, places, verdicts; the rest is counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tersely.content.lines import (
    Lines,
    Mark,
    asked_ids,
    check_context,
    read_lines,
    relevance,
    rows_for,
    split_after_places,
)
from tersely.content.logs import around, left_out, place_in
from tersely.content.outline import Outline, fit_outline
from tersely.tables import Float32s
from tersely.types import Compressed, Request

__all__ = ["ToolOutput"]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """Keeps error lines, lines that name a new path:line place, summaries and exit codes, both ends.

    A line that was met before, character for character, counts little; lines of one kind count less and less.
    Left out lines are counted where they were.

    Attributes:
        context: lines around an error that count as its neighbourhood.
    """

    context: int = 2

    def __post_init__(self) -> None:
        """Check the options."""
        check_context(self.context)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget, as `fit_outline` does. O(characters)."""
        return fit_outline(request, lambda texts: self.outline(texts, request.query, rows_for(request)))

    def outline(self, texts: list[str], query: str | None, most: int) -> Outline:
        """The lines with their worth; at most `most` of them are looked at one by one."""
        lines = read_lines(texts, query, most)
        whole = lines.has(Mark.ERROR) | (lines.copies > 0)
        lines, rest = split_after_places(lines, ~whole)
        scores, must = self._worth(lines, rest)
        asked = query is not None and bool(query.strip())
        matched = asked and bool(lines.asked_lines.any())
        return Outline(
            lines.table,
            scores,
            must.astype(np.uint8),
            lambda first, last: left_out(lines, first, last),
            bulk=lines.bulk,
            warnings=("query_without_matches",) if asked and not matched else (),
        )

    def _worth(self, lines: Lines, rest: npt.NDArray[np.bool_]) -> tuple[Float32s, npt.NDArray[np.bool_]]:
        """What each line is worth per token, and which come before all others."""
        n = len(lines.table)
        new = lines.copies == 0
        place = place_in(lines.template)
        error = lines.has(Mark.ERROR)
        ends = np.zeros(n, dtype=bool)
        ends[:1] = ends[-1:] = True
        score = 0.3 / (1 + place).astype(np.float32) + np.where(lines.has(Mark.TROUBLE), 0.5, 0)
        score += np.where(lines.has(Mark.SUMMARY), 3, 0) + np.where(lines.has(Mark.FRAME), 0.2, 0)
        size = np.maximum(lines.table.end - lines.table.start, 1)
        score += np.where(
            lines.places > 0, np.clip(250 / size, 1.5, 5), 0
        )  # each place is worth the same + np.where(ends, 0.5, 0)
        score += np.where(error, 5 + 3 / (1 + place), 0)
        score += 0.4 * around(error & new, self.context)
        score += 6 * relevance(lines)
        score = np.where(lines.has(Mark.OVERWRITTEN), 0.01, score)
        score = np.where(new, score, score / (2 + lines.copies))
        score = np.where(rest, score / 8, score)
        score = np.where(lines.bulk, 0, score)
        must = (error | (lines.places > 0) | lines.has(Mark.SUMMARY)) & new | asked_ids(lines)
        must &= ~rest & ~lines.bulk & ~lines.has(Mark.OVERWRITTEN)
        return score.astype(np.float32), must
