"""Grade lines by what they say of an outcome: failures first, each kind once; whatever the text is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tersely.content.lines import LineTable, Mark, place_in, places_of_lines
from tersely.core.tables import Float32s

__all__ = ["ERROR", "FAILED", "first_findings", "outcome_grades"]

FAILED, ERROR = 0.7, 0.45  # grades from which a line says that something failed, or has words of errors
_FEW = 3  # lines of a finding that is rare
_RARE = 20  # of so many findings one, at most, is of a rare kind
_END = 12  # lines at the end of a document, where verdicts stand


def outcome_grades(lines: LineTable) -> Float32s:
    """float32[n] in [0, 1]: how much each line says of what went wrong, or how all ended; 0: nothing.

    From FAILED: what tools write of failures (`Mark.FAILURE`), of a template less and less, and the first
    line of each finding, rare ones before others. From ERROR: words of errors, counts of results. Below:
    warnings. Lines that came before, character for character, share what one is worth. O(lines log lines).
    """
    later = 1 / (1 + places_of_lines(lines)).astype(np.float32)
    failure, summary = lines.has(Mark.FAILURE), lines.has(Mark.SUMMARY)
    error = lines.has(Mark.ERROR) & ~lines.has(Mark.PASSED)
    grade = np.where(lines.has(Mark.TROUBLE) & ~lines.has(Mark.QUIET), 0.25 + 0.1 * later, 0)
    grade = np.where(error, np.where(lines.has(Mark.QUIET), 0.45, 0.45 + 0.2 * later), grade)
    grade = np.where(summary, np.maximum(grade, 0.55 + 0.3 * _at_end(lines)), grade)
    grade = np.where(failure, 0.7 + 0.2 * later, grade)
    grade = np.where(failure & summary, np.maximum(grade, 0.9), grade)
    grade = np.where(lines.has(Mark.VERDICT), np.maximum(grade, 0.85), grade)
    if len(lines.findings):
        first = first_findings(lines)
        many = np.where(lines.finding >= 0, lines.findings[lines.finding], 0)
        few = (many > 0) & (many <= max(_FEW, int(lines.findings.sum()) // _RARE))
        told = 0.15 * first + 0.1 * few
        grade = np.where(told > 0, np.maximum(grade, 0.55) + told, grade)
    frame = lines.has(Mark.FRAME)
    top = frame & ~np.concatenate(([False], frame[:-1])) if len(frame) else frame
    grade = np.where(top, np.maximum(grade, 0.5 + 0.2 / (1 + np.cumsum(top))), grade)
    grade = grade / (1 + lines.copies)
    grade = np.where(lines.bulk | lines.has(Mark.OVERWRITTEN), 0, grade)
    return np.minimum(grade, 1).astype(np.float32)


def first_findings(lines: LineTable) -> npt.NDArray[np.bool_]:
    """bool[n]: the first line of each finding."""
    return np.asarray((lines.finding >= 0) & (place_in(lines.finding) == 0))


def _at_end(lines: LineTable) -> npt.NDArray[np.bool_]:
    """bool[n]: the last lines of each document."""
    document = lines.table.document
    last = np.searchsorted(document, document, side="right")
    return np.asarray(last - np.arange(len(document)) <= _END)
