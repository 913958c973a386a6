"""Grade lines by what they say of an outcome: failures first, each kind once; whatever the text is."""

from __future__ import annotations

from collections.abc import Sequence

from tersely import _native
from tersely.content.lines import LineTable, read_lines
from tersely.core.tables import Float32s
from tersely.providers.utf8 import native_texts

__all__ = [
    "ERROR",
    "FAILED",
    "is_lined",
    "outcome_grades",
    "report_grades",
    "says_alike",
    "tells_failures",
]

# Grades from which a line says that something failed, or has words of errors: line_grades.hpp of
# csrc/kernels/content.
FAILED, ERROR = 0.7, 0.45
_MOST_LINES = 16_384  # that are looked at one by one
_LONG = 20  # lines of a document that programs may have written
_LINES_OF_ONE = 8  # lines to a template, on average, that people do not write


def outcome_grades(lines: LineTable) -> Float32s:
    """float32[n] in [0, 1]: how much each line says of what went wrong, or how all ended; 0: nothing.

    From FAILED: what tools write of failures (`Mark.FAILURE`), of a template less and less, and the first
    line of each finding, rare ones before others. From ERROR: words of errors, counts of results. Below:
    warnings. Lines that came before, character for character, share what one is worth. O(lines).
    """
    return _native.outcome_grades(lines.graded())


def report_grades(lines: LineTable) -> Float32s:
    """float32[n] in [0, 1]: `outcome_grades` of lines that report to somebody, in sections and to an end.

    From ERROR too: the head of a section in which something failed, where few do, and numbers in the closing
    lines. O(lines).
    """
    return _native.report_grades(lines.graded())


def is_lined(text: str) -> bool:
    """Whether a text stands in lines, not in sentences (csrc/kernels/content/lined.hpp). O(1)."""
    return bool(_native.lined([text])[0])


def tells_failures(texts: Sequence[str], index: int, least: float = FAILED) -> bool:
    """Whether texts[index] stands in lines, not in sentences, and has one that says that something failed.

    `least`: the grade from which a line says so.

    O(characters) where it stands in lines, else O(1).
    """
    return _native.tells_failures(native_texts(texts), index, least, _MOST_LINES)


def says_alike(text: str) -> bool:
    """Whether lines follow a few templates, and none stands in another, as programs write. Linear."""
    if (text.count("\n ") + text.count("\n\t")) * _LINES_OF_ONE > text.count("\n"):
        return False
    lines = read_lines([text], None, _MOST_LINES)
    return lines.total >= _LONG and len(lines.counts) * _LINES_OF_ONE <= lines.total
