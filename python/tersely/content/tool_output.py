"""Output of builds, linters, tests and package managers: failures, places, verdicts; the rest is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tersely.content.lines import (
    LineTable,
    Mark,
    around,
    asked_for,
    behind,
    places_of_lines,
    read_lines,
    split_after_places,
)
from tersely.content.logs import left_out, total_left_out
from tersely.content.outcomes import ERROR, FAILED, outcome_grades, report_grades, scenes
from tersely.content.units import Bools, Lines, Units
from tersely.core.checks import whole_number
from tersely.core.tables import Float32s
from tersely.core.types import Document

__all__ = ["ToolOutput"]

_BLOCK = 16  # lines behind a failure in which places are as telling as it is
_BESIDE = 5.0  # worth of bare places and frames beside failures: less than what failed
_BRIEF = 60  # characters of lines that say an outcome, for which they are worth one more
_LONG, _HEAD = 400, 240  # characters of lines that are cut, and of what comes first of them, at most
_NAME = (40, 140, 200)  # characters of what names a failure: least, most; and of lines that are cut behind it
_NAMED = 16  # the least where a name in quotes ends
_DETAIL = 0.6  # of what a failure is worth: what a line says behind its name, and the name once more
_SHORT = 120  # characters after a place: what was found there stays with it


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """Keeps error lines, lines that name a new path:line place, summaries and exit codes, both ends.

    A line that was met before, character for character, counts little; lines of one kind count less and less.
    Of a long line that says what failed, the name of that comes first. Left out lines are counted where they
    were; where such counts would take more than a tenth of the budget, one counts all, and an "…" stands in
    the places of the others ("markers_shortened").

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
        texts = [document.text for document in documents]
        lines = read_lines(texts, query, rows)
        grade = outcome_grades(lines)
        short = lines.table.end - lines.table.start - lines.anchor_end <= _SHORT
        whole = lines.has(Mark.ERROR) | (short & (grade >= ERROR)) | (lines.copies > 0)
        lines, long = _with_heads(lines, texts, grade >= FAILED)
        lines, rest = split_after_places(lines, ~whole | long)
        worth, essential = self._worth(lines, rest, _heads_again(lines, texts, rest))
        return Units(
            lines.table,
            worth,
            Lines(
                left_out(lines),
                continued=lines.continued,
                total=total_left_out(lines),
            ),
            essential,
            bulk=lines.bulk,
            graded=True,
            warnings=lines.unmatched(query),
        )

    def _worth(self, lines: LineTable, rest: Bools, again: Bools) -> tuple[Float32s, Bools]:
        """What each line is worth per token, and which come before all others."""
        n = len(lines.table)
        new = lines.copies == 0
        grade = report_grades(lines)
        bad = grade >= ERROR
        ends = np.zeros(n, dtype=bool)
        ends[:1] = ends[-1:] = True
        score = 0.3 / (1 + places_of_lines(lines)).astype(np.float32) + np.where(
            lines.has(Mark.FRAME), 0.2, 0
        )
        size = np.maximum(lines.table.end - lines.table.start, 1)
        placed = (lines.places > 0) & (bad | ~lines.has(Mark.PASSED))  # where all went well tells nothing
        score += np.where(placed, np.clip(250 / size, 1.5, 5), 0)  # each place is worth the same
        score += np.where(ends, 0.5, 0)
        scene = scenes(lines, grade)
        score += 9 * grade + 4 * scene
        score += np.where(
            bad & (grade < FAILED), np.minimum(_BRIEF / size, 3), 0
        )  # a short line says no less
        score += 0.4 * around(bad & new, self.context)
        beside = (grade == 0) | ~placed & ~bad
        score = np.where(beside, np.minimum(score, _BESIDE + 0.1 * score), score)
        # What a trace is of comes before where it was: its first frame may be all that else says so.
        frame = lines.has(Mark.FRAME)
        first = np.flatnonzero(frame[1:] & ~frame[:-1] & bad[:-1] & bad[1:]) + 1
        score[first - 1] = np.maximum(score[first - 1], score[first] + 0.1)
        asked, for_query = asked_for(lines)
        score += for_query
        score = np.where(lines.has(Mark.OVERWRITTEN), 0.01, score)
        score = np.where(new, score, score / (2 + lines.copies))
        says = rest & (grade >= ERROR) & (size <= _LONG)  # what went wrong, behind its name
        score = np.where(says | again, score * _DETAIL, np.where(rest, score / 8, score))
        score = np.where(lines.bulk, 0, score)
        failed = grade >= FAILED
        told = behind(failed, _BLOCK) if failed.any() else np.ones(n, dtype=bool)
        must = (bad | (scene > 0.5) | placed & told) & new | asked
        must &= (~rest | says) & ~lines.bulk & ~lines.has(Mark.OVERWRITTEN)
        return score.astype(np.float32), must


def _with_heads(lines: LineTable, texts: list[str], failed: Bools) -> tuple[LineTable, Bools]:
    """The lines with places to cut long ones at, behind a word; and which these are. O(rows).

    Of long lines that say what failed, the name of that comes first, what is said of it behind: a word in
    quotes at best, so that names of all that failed come before the second thing that one says.
    """
    table = lines.table
    size = table.end - table.start
    failed = failed & (size > _NAME[2])
    long = ((size > _LONG) | failed) & ~lines.continued & ~lines.bulk
    ends = lines.anchor_end.copy()
    for row in np.flatnonzero(long).tolist():
        text, start = texts[table.document[row]], int(table.start[row])
        least, most = _NAME[:2] if failed[row] else (_HEAD // 2, _HEAD)
        stop = max(text.rfind(end, start + _NAMED, start + most) + 1 for end in ("' ", '" '))
        stop = stop if failed[row] and stop else text.rfind(" ", start + least, start + most)
        ends[row] = max(int(ends[row]), stop - start, 0)
        long[row] = 0 < ends[row] <= most
    return replace(lines, anchor_end=ends), long


def _heads_again(lines: LineTable, texts: list[str], rest: Bools) -> Bools:
    """bool[n]: heads of cut lines that are, character for character, that of one before. O(rows)."""
    again = np.zeros(len(rest), dtype=bool)
    met: set[str] = set()
    for row in (np.flatnonzero(rest) - 1).tolist():
        head = texts[lines.table.document[row]][int(lines.table.start[row]) : int(lines.table.end[row])]
        again[row] = head in met
        met.add(head)
    return again
