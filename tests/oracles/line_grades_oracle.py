"""Grades of lines in NumPy: the oracle of csrc/kernels/content/line_grades.hpp, which says what they are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from tersely.content.lines import LineTable, Mark
from tersely.types import Float32s, Int32s, Int64s

FAILED, ERROR = 0.7, 0.45  # grades from which a line says that something failed, or has words of errors
_FEW = 3  # lines of a finding that is rare
_RARE = 20  # of so many findings one, at most, is of a rare kind
_NONE = 0.3  # of a count of none, where something failed, and of how something stands
_MILD = 0.4  # of a finding that is no error, where few are
_CONCLUSIONS = 0.02  # of all rows: more say what each part came to
_DRAWN = 0.3  # of what a line is worth, for one of a quote of what is complained of
_VALUES = 10  # lines behind a failure in which values that were compared stand
# Failures, of all lines or in number, that have the room for what stands around them.
_SCARCE, _ALWAYS = 0.03, 3
_SECTION = 40  # lines above a failure in which the head of its section is looked for
_BEFORE, _BEHIND = 2, 7  # lines of its section around a failure that tell of it
_CLOSING = (
    3  # lines at the end of a document that say how all ended: with a number, and none like them before
)
_LONG = 20  # lines of a document that has a closing
_TOTALS = 6  # lines below a heading of totals that may be these
_LONG_LINE = 120  # characters: of a longer line without words of errors, a root of the rest counts
_WEIGHTS = {
    "outcome": 10.0,
    "scene": 2.0,
    "near": 1.0,
    "first": 1.5,
    "rare": 1.0,
    "odd": 3.0,
    "share": 2.0,
    "piece": 4.0,
}
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
    wrong = Mark.ERROR | Mark.TROUBLE | Mark.PASSED | Mark.FAILURE
    none = lines.has(Mark.NONE) & ~lines.has(wrong) & failure.any()
    grade = np.where(none, np.maximum(grade, _NONE), grade)
    counts = summary & ~none
    grade = np.where(counts, np.maximum(grade, 0.45 + (0.1 + 0.3 * _at_end(lines)) * later), grade)
    grade = np.where(failure, 0.7 + 0.2 * later, grade)
    grade = np.where(failure & summary, np.maximum(grade, 0.9), grade)
    grade = np.where(lines.has(Mark.VERDICT), np.maximum(grade, 0.85), grade)
    if len(lines.findings):
        first = first_findings(lines)
        many = np.where(lines.finding >= 0, lines.findings[lines.finding], 0)
        few = (many > 0) & (many <= max(_FEW, int(lines.findings.sum()) // _RARE))
        told = 0.15 * first + 0.1 * few
        errors = np.count_nonzero((lines.finding >= 0) & lines.has(Mark.ERROR))
        severe = 0 < 2 * errors < int(lines.findings.sum())
        least = np.where(severe & ~lines.has(Mark.ERROR), _MILD, 0.55)
        grade = np.where(told > 0, np.maximum(grade, least) + told, grade)
    concludes = lines.has(Mark.CONCLUDES) & (lines.copies == 0) & ~lines.has(Mark.QUIET)
    if np.count_nonzero(concludes) <= max(_ALWAYS, _CONCLUSIONS * len(grade)):
        how = np.where(lines.has(Mark.PASSED), 0.65, _NONE)
        grade = np.where(concludes, np.maximum(grade, how), grade)
    drawn, heads = quotes(lines)
    grade = np.where(heads, np.maximum(grade, (0.45 + 0.1 * later).astype(np.float32)), grade)
    grade = np.where(drawn & (grade < FAILED), grade * _DRAWN, grade)
    grade = np.where(_says_below(lines) & ~drawn, np.maximum(grade, 0.5 + 0.1 * later), grade)
    values = lines.has(Mark.COMPARED) & behind(grade >= FAILED, _VALUES)
    grade = np.where(values, np.maximum(grade, ERROR + 0.2 * later), grade)
    grade = np.maximum(grade, _traces(lines))
    grade = grade / (1 + lines.copies)
    grade = np.where(lines.bulk | lines.has(Mark.OVERWRITTEN), 0, grade)
    return np.minimum(grade, 1).astype(np.float32)


def report_grades(lines: LineTable) -> Float32s:
    """float32[n] in [0, 1]: `outcome_grades` of lines that report to somebody, in sections and to an end.

    From ERROR too: the head of a section in which something failed, where few do, and numbers in the closing
    lines; below: numbers right below a heading of totals. O(lines log lines).
    """
    grade = outcome_grades(lines)
    grade = np.where(_heads(lines, grade >= FAILED), np.maximum(grade, 0.6), grade)
    grade = np.where(_totals(lines), np.maximum(grade, np.float32(0.4)), grade)
    grade = np.where(_closes(lines), np.maximum(grade, 0.5), grade)
    return grade.astype(np.float32)


def behind(chosen: npt.NDArray[np.bool_], reach: int) -> npt.NDArray[np.bool_]:
    """bool[n]: up to `reach` rows behind a chosen one, without the chosen ones."""
    rows = np.arange(len(chosen))
    since = rows - np.maximum.accumulate(np.where(chosen, rows, -reach - 1))
    return np.asarray((since <= reach) & ~chosen)


def line_worth(
    lines: LineTable, grade: Float32s, asked: Float32s, context: int
) -> tuple[Float32s, list[int]]:
    """What lines are worth beside each other, and 1: fails, 2: is new."""
    n, document = len(grade), lines.table.document
    says = (grade >= np.float32(ERROR)) & (lines.copies == 0)
    said = lines.has(Mark.ERROR | Mark.TROUBLE | Mark.SUMMARY | Mark.FAILURE)
    failed = grade >= np.float32(FAILED)
    told, met = scenes(lines, grade), dict.fromkeys(range(len(lines.counts)), 0)
    drawn = quotes(lines)[0] & ~failed
    worth, first, in_run = np.zeros(n), [0] * n, places_in_runs(lines)
    for i in range(n):
        template = int(lines.template[i])
        if lines.bulk[i] or lines.has(Mark.OWN)[i]:
            continue
        graded, count = float(grade[i]), int(lines.counts[template])
        counted = lines.has(Mark.SUMMARY)[i] and count > _FEW
        apart = bool(failed[i] and (not counted or met[template] + 1 >= count))
        first[i] = int(apart)
        if lines.continued[i]:
            worth[i] = 0.1 + _WEIGHTS["piece"] * graded
        else:
            odd = float(lines.odd[i])
            rare = (lines.variants[lines.variant[i]] if lines.variant[i] >= 0 else count) <= 3
            again = 1 if rare or apart or not said[i] else np.sqrt(1 + met[template])
            worth[i] = _WEIGHTS["outcome"] * graded / again + _WEIGHTS["scene"] * float(told[i])
            first[i] |= int(failed[i] and (rare or met[template] < 3))
            if lines.forms[template] == 0:
                worth[i] += 0.1
            else:
                worth[i] += _WEIGHTS["share"] / np.sqrt(count)
                worth[i] += _WEIGHTS["first"] * (met[template] == 0) / np.sqrt(1 + in_run[i])
                worth[i] += _WEIGHTS["rare"] * rare + _WEIGHTS["odd"] * odd
                first[i] |= 2 * int(rare or met[template] == 0)
            met[template] += 1
        around = slice(max(i - context, 0), i + context + 1)
        near = bool((says[around] & (document[around] == document[i])).any())
        worth[i] += _WEIGHTS["near"] * near
        size = int(lines.table.end[i] - lines.table.start[i])
        if size > _LONG_LINE and graded < ERROR:
            worth[i] *= np.sqrt(_LONG_LINE / size)
        worth[i] = worth[i] * (_DRAWN if drawn[i] else 1) + float(asked[i])
        if lines.has(Mark.OVERWRITTEN)[i]:
            worth[i] = 0.01
        if lines.has(Mark.OVERWRITTEN)[i] or lines.copies[i] or drawn[i]:
            first[i] = 0
    return np.where(lines.copies > 0, worth / (2 + lines.copies), worth).astype(np.float32), first


def places_in_runs(lines: LineTable) -> list[int]:
    """How many lines of its form and margin stand right before each line; 0 for what is said in sentences."""
    place, document, line = [0] * len(lines.line), lines.table.document, lines.line
    other = lines.bulk | lines.has(Mark.OWN)
    for i in range(1, len(place)):
        if other[i] or other[i - 1] or lines.has(Mark.WORDY)[i]:
            continue
        same = lines.forms[lines.template[i]] == lines.forms[lines.template[i - 1]]
        below = document[i] == document[i - 1] and line[i] == line[i - 1] + 1
        if same and below and lines.margin[i] == lines.margin[i - 1]:
            place[i] = place[i - 1] + 1
    return place


def _says_below(lines: LineTable) -> npt.NDArray[np.bool_]:
    """bool[n]: lines that stand indented right below a place where something is wrong."""
    place = lines.has(Mark.ANCHOR) & lines.has(Mark.ERROR) & ~lines.has(Mark.FRAME) & (lines.margin >= 0)
    below = np.zeros(len(place), dtype=bool)
    document = lines.table.document
    next_to = (document[1:] == document[:-1]) & (lines.line[1:] == lines.line[:-1] + 1)
    below[1:] = place[:-1] & next_to & (lines.margin[1:] > lines.margin[:-1])
    return below & ~lines.has(Mark.ANCHOR)


def quotes(lines: LineTable) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """bool[n] twice: rows of quotes with signs below, and the rows above that say what is wrong there."""
    n, document, line = len(lines.line), lines.table.document, lines.line
    below = np.zeros(n + 1, dtype=bool)  # right below the row before
    below[1:n] = (document[1:] == document[:-1]) & (np.diff(line) == 1)
    points, gutter = lines.has(Mark.POINTS), lines.has(Mark.POINTS | Mark.GUTTER)
    above = points[1:] & below[1:n] & ~lines.has(Mark.ANCHOR | Mark.FAILURE)[:-1]
    drawn, heads = points.copy(), np.zeros(n, dtype=bool)
    drawn[:-1] |= above
    while True:  # a gutter goes on, up and down
        more = drawn.copy()
        more[1:] |= drawn[:-1] & below[1:n] & gutter[1:]
        more[:-1] |= drawn[1:] & below[1:n] & gutter[:-1]
        if (more == drawn).all():
            break
        drawn = more
    for row in np.flatnonzero(drawn & below[:n]):
        if drawn[row - 1] or lines.has(Mark.FRAME)[row - 1]:
            continue
        heads[row - 1] = True
        if lines.has(Mark.ANCHOR)[row - 1] and below[row - 1] and not drawn[row - 2]:
            heads[row - 2] = True
    return drawn, heads


def place_in(group: Int32s) -> Int64s:
    """int64[n]: 0 for the first row of a group, 1 for its last, 2 for its second, ..."""
    n = len(group)
    order = np.argsort(group, kind="stable")
    ids = group[order]
    starts = (
        np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1]))) if n else np.empty(0, dtype=np.int64)
    )
    sizes = np.diff(np.concatenate((starts, [n])))
    rank = np.arange(n) - np.repeat(starts, sizes)
    rank = np.where(rank > 0, rank + 1, 0)
    last = starts + sizes - 1
    rank[last[sizes > 1]] = 1
    place = np.empty(n, dtype=np.int64)
    place[order] = rank
    return place


def places_of_lines(lines: LineTable) -> Int64s:
    """int64[n]: `place_in` of the template of each line; pieces of a long one have the place of its head."""
    goes_on = lines.continued
    head = np.maximum.accumulate(np.where(goes_on, 0, np.arange(len(goes_on))))
    place = np.zeros(len(goes_on), dtype=np.int64)
    place[~goes_on] = place_in(lines.template[~goes_on])
    return place[head]


def first_findings(lines: LineTable) -> npt.NDArray[np.bool_]:
    """bool[n]: the first line of each finding."""
    return np.asarray((lines.finding >= 0) & (place_in(lines.finding) == 0))


def scenes(lines: LineTable, grade: Float32s) -> Float32s:
    """float32[n] in [0, 1]: how much lines tell of the failures that they stand beside, where these are few.

    What follows a failure tells more than what precedes it, and less and less with the distance; what passed
    tells nothing. O(lines).
    """
    told = np.zeros(len(grade), dtype=np.float32)
    failed = _few_failures(lines, grade >= FAILED)
    rows = np.flatnonzero(failed)
    for step in range(1, _BEHIND + 1):
        below = rows[rows + step < len(told)] + step
        np.maximum.at(told, below, np.float32(1 / (1 + 0.2 * step)))
        if step <= _BEFORE:
            np.maximum.at(told, rows[rows >= step] - step, np.float32(0.4))
    return np.where(failed | lines.has(Mark.PASSED) | (lines.copies > 0), 0, told).astype(np.float32)


def _traces(lines: LineTable) -> Float32s:
    """float32[n] in [0, 0.6]: what the line above a trace and its first new frame tell.

    Of later traces less and less; those below words of errors or trouble are counted by themselves. Of new
    frames, which no trace had before, an odder one goes before one with the words of many lines.
    """
    frame = lines.has(Mark.FRAME)
    starts = frame & ~_follows(frame)
    worth = np.zeros(len(frame), dtype=np.float32)
    heads = np.flatnonzero(starts)
    if len(heads) == 0:
        return worth
    above = np.maximum(heads - 1, 0)
    told = lines.has(Mark.ERROR | Mark.TROUBLE)[above] & ~frame[above]
    says = np.where(told, 0.5 + 0.2 / (1 + np.cumsum(told)), 0.3 + 0.6 / (1 + np.cumsum(~told)))
    worth[above] = says
    worth[frame] = 0
    new = np.flatnonzero(frame & (lines.copies == 0))
    chosen: dict[int, int] = {}
    for trace, row in zip((np.cumsum(starts)[new] - 1).tolist(), new.tolist(), strict=True):
        old = chosen.setdefault(trace, row)
        common = lines.variant[old] >= 0 and lines.variants[lines.variant[old]] > _FEW
        if common and lines.odd[row] > lines.odd[old]:
            chosen[trace] = row
    for trace, row in chosen.items():
        worth[row] = says[trace]
    return worth


def _follows(frame: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """bool[n]: whether one of the two lines above is a frame: a call and its place may stand in turn."""
    before = np.zeros(len(frame), dtype=bool)
    before[1:] = frame[:-1]
    before[2:] |= frame[:-2]
    return before


def _few_failures(lines: LineTable, failed: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The failures that are said for the first time, or none where they are many.

    A count of failures has nothing around it that tells of one; where all are counts, errors tell.
    """
    new = (lines.copies == 0) & ~lines.bulk & ~lines.has(Mark.SUMMARY)
    found = failed & new
    if not found.any():
        found = lines.has(Mark.ERROR) & ~lines.has(Mark.PASSED | Mark.QUIET) & new
    many = np.count_nonzero(found) > max(_ALWAYS, _SCARCE * lines.total)
    return np.zeros(len(failed), dtype=bool) if many else found


def _heads(lines: LineTable, failed: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """bool[n]: the first line behind a blank one above each of a few failures."""
    heads = np.zeros(len(failed), dtype=bool)
    rows = np.flatnonzero(_few_failures(lines, failed))
    if len(rows) == 0:
        return heads
    document = lines.table.document
    opens = np.ones(len(failed), dtype=bool)
    opens[1:] = (np.diff(lines.line) > 1) | (document[1:] != document[:-1])
    above = np.maximum.accumulate(np.where(opens, np.arange(len(failed)), 0))[rows]
    heads[above[rows - above <= _SECTION]] = True
    return heads & ~lines.bulk


def _closes(lines: LineTable) -> npt.NDArray[np.bool_]:
    """bool[n]: the last lines of long documents that have a number, and no lines like them."""
    document = lines.table.document
    first, end = (np.searchsorted(document, document, side=side) for side in ("left", "right"))
    last = (end - np.arange(len(document)) <= _CLOSING) & ~lines.bulk
    closing = np.bincount(lines.template[last & ~lines.continued], minlength=len(lines.counts))
    new = np.array(
        [not one or closing[t] == lines.counts[t] for one, t in zip(last, lines.template, strict=True)], bool
    )
    return np.asarray(last & (end - first >= _LONG) & new & lines.has(Mark.NUMBER), dtype=bool)


def _totals(lines: LineTable) -> npt.NDArray[np.bool_]:
    """bool[n]: the lines with a number right below a heading of totals."""
    below, document, line = np.zeros(len(lines.line), dtype=bool), lines.table.document, lines.line
    for head in np.flatnonzero(lines.has(Mark.TOTALS)).tolist():
        for row in range(head + 1, min(head + _TOTALS + 1, len(below))):
            far = line[row] - line[row - 1] > (2 if row == head + 1 else 1)
            if far or document[row] != document[head]:
                break
            below[row] = True
    return below & lines.has(Mark.NUMBER) & ~lines.bulk & ~lines.has(Mark.OWN)


def _at_end(lines: LineTable) -> npt.NDArray[np.bool_]:
    """bool[n]: the last lines of each document."""
    document = lines.table.document
    last = np.searchsorted(document, document, side="right")
    return np.asarray(last - np.arange(len(document)) <= _END)
