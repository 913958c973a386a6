"""Unified diffs: every file and its statistics, the changes that matter, context where there is room."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np

from tersely import _native
from tersely.content.units import Lines, Units, units_of
from tersely.core.tables import Float32s, Kind, SegmentTable, pieces
from tersely.core.types import Document

__all__ = ["Diff"]

_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@[^\n]*\n?", re.MULTILINE)
_FILE = re.compile(
    r"^(?:(diff --git )|Index: |diff -[^\n]*\n(?=--- )|--- [^\n]*\n\+\+\+ )[^\n]*\n?", re.MULTILINE
)
# What stands below the first line of a file's header: as git writes it, as others do.
_GIT_LINES = re.compile(
    r"(?:(?:old mode|new mode|new file mode|deleted file mode|(?:dis)?similarity index|"
    r"(?:rename|copy) (?:from|to)|index|Binary files) [^\n]*\n?)*"
    r"(?:GIT binary patch\n(?:(?:literal|delta) \d+\n(?:[^\n]+\n)+\n?)*)?"
    r"(?:--- [^\n]*\n\+\+\+ [^\n]*\n?)?"
)
_OTHER_LINES = re.compile(r"(?:(?!@@ |--- |diff --git |Index: )[^\n]+\n)*(?:--- [^\n]*\n\+\+\+ [^\n]*\n?)?")
_STATISTIC = re.compile(r" \S[^\n]*\|\s+(?:\d+|Bin)\b| \d+ files? changed")
# Lines that begin a commit: of git log, of a mailbox, of git log --oneline.
_COMMIT = re.compile(r"commit [0-9a-f]{7,64}\b|From [0-9a-f]{40,64} |[0-9a-f]{7,64} \S")
_SUBJECT = re.compile(r"    \S|Subject: ")
_NEW_NAME = re.compile(r"^\+\+\+ ([^\n\t]*)", re.MULTILINE)
_NOT_BLANK = re.compile(r"^[^\S\n]*+\S[^\n]*", re.MULTILINE)  # a line
_RUN = re.compile(
    r"(?:\+[^\n]*\n?)+|(?:-[^\n]*\n?)+|(?:\\[^\n]*\n?)+|(?: [^\n]*\n?|\n)+|… \d+ lines?(?:\n|\Z)"
)
_OWN_LINES = re.compile(r"… (\d+) lines?\n?")  # what an earlier compression wrote: of lines it left out,
_OWN_CHANGES = re.compile(r" … \+\d+ -\d+ in \d+ hunks?\Z")  # and behind a file's header
_LONGEST_RUN = 8  # changed lines of one unit
_MOST_WORDS = 1024  # of a query
_NEAR = 0.8  # of the best match of a query: units that come before all others, as headers do
_HEADER, _TEXT, _HUNK_LINE, _CHANGE, _CONTEXT, _TITLE, _OWN = range(7)
_WORTH = np.array([3.0, 0.8, 1.0, 1.0, 0.2, 4.0, 0.0], dtype=np.float32)


class _Piece(NamedTuple):
    start: int
    end: int
    kind: int
    above: int  # index of the piece that it needs, -1: none
    added: int = 0  # of a file's header: lines added and removed, hunks
    removed: int = 0
    hunks: int = 0
    lines: int = 0  # of a marker of an earlier compression: lines it stands for


@dataclass(frozen=True, slots=True)
class Diff:
    """Keeps headers of files with how many lines each changes, then changes by the query, context last.

    Commits of `git log -p` and `git format-patch` are read with it: the line that begins one and its subject
    come first, and what is kept of a commit brings the former along.

    Attributes:
        applies: keep or leave out hunks as a whole, each together with those before it in its file that move
            its lines: the result is a patch for the same files, line numbers exact. Else runs of changed
            and of context lines are kept or left out, markers count what is missing, and the result is to
            be read, not applied.
    """

    kind: ClassVar[str] = "diff"

    applies: bool = False

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """Headers, changes and context with their worth. O(characters)."""
        texts = [document.text for document in documents]
        pieces: list[_Piece] = []
        document: list[int] = []
        for number, text in enumerate(texts):
            pieces += _hunks(text, len(pieces)) if self.applies else _runs(text, len(pieces))
            document += [number] * (len(pieces) - len(document))
        kind = np.array([piece.kind for piece in pieces], dtype=np.int64)
        start, end = [piece.start for piece in pieces], [piece.end for piece in pieces]
        table = units_of(document, start, end, Kind.CODE, [piece.above for piece in pieces])
        table = replace(table, kind=np.where(kind == _TEXT, Kind.PROSE, Kind.CODE).astype(np.uint8))
        asked = _asked(texts, table, query)
        words = query is not None and bool(query.strip())
        named = (asked > 0) & (asked >= _NEAR * asked.max(initial=0))
        marker = (_left_out_files if self.applies else _left_out)(texts, pieces, document)
        note = None if self.applies else lambda row: _changes(pieces[row])
        return Units(
            table,
            _WORTH[kind] + 4 * asked,
            Lines(marker, "" if self.applies else "\n", note),
            (kind == _HEADER) | (kind == _TITLE) | named,
            warnings=("query_without_matches",) if words and not asked.any() else (),
        )


def _sections(text: str) -> Iterator[tuple[int, int, int, int]]:
    """All of a diff in order: (kind, start, end of its first line or header, end).

    `_HEADER`: of a file; `_HUNK_LINE`: a hunk; `_TEXT`: what stands around these. Lines of a hunk are
    counted, so that none is taken for a header, whatever it holds.
    """
    at = 0
    hunk, file = _HUNK.search(text), _FILE.search(text)
    while True:
        if hunk is not None and hunk.start() < at:
            hunk = _HUNK.search(text, at)
        if file is not None and file.start() < at:
            file = _FILE.search(text, at)
        starts = [found.start() for found in (hunk, file) if found is not None]
        start = min(starts, default=len(text))
        if at < start:
            yield _TEXT, at, start, start
        if hunk is not None and start == hunk.start():
            at = _hunk_end(text, hunk)
            yield _HUNK_LINE, start, hunk.end(), at
        elif file is not None:
            if file[0].startswith("--- "):
                more = None
            elif file[1]:
                more = _GIT_LINES.match(text, file.end())
            else:
                more = _OTHER_LINES.match(text, file.end())
            at = file.end() if more is None else more.end()
            yield _HEADER, start, at, at
        else:
            return


def _hunk_end(text: str, hunk: re.Match[str]) -> int:
    old = int(hunk[1]) if hunk[1] is not None else 1
    new = int(hunk[2]) if hunk[2] is not None else 1
    at, marked = hunk.end(), False
    while (old > 0 or new > 0 or text.startswith("\\", at)) and (run := _RUN.match(text, at)):
        sign = run[0][0]
        if sign == "…":  # lines that were left out; which ones, nobody knows
            at, marked = run.end(), True
            continue
        line = text.find("\n", run.end())  # a header's second line, behind the run
        header = _FILE.search(text, run.start(), len(text) if line < 0 else line) if marked else None
        if header is not None:  # so these lines count for nothing
            return header.start()
        most = {"+": new, "-": old, "\\": 1 << 60}.get(sign, min(old, new))
        size, end = _first_lines(text, run.start(), run.end(), most)
        if size == 0:
            break
        old -= size if sign not in "+\\" else 0
        new -= size if sign not in "-\\" else 0
        at = end
    return at


def _first_lines(text: str, start: int, end: int, most: int) -> tuple[int, int]:
    """How many of the lines of text[start:end] are among the first `most`, and where they end."""
    many = text.count("\n", start, end) + (not text.endswith("\n", start, end))
    if many <= most:
        return many, end
    for _ in range(most):
        start = text.index("\n", start) + 1
    return most, start


def _hunks(text: str, first: int) -> list[_Piece]:
    """Whole hunks, the first of a file with its header; each needs the last before it that moves lines."""
    pieces: list[_Piece] = []
    file = above = -1  # of the pieces: the header of the file, what the next hunk of it needs
    moved = False  # whether the last hunk of the file moved lines
    for kind, start, body, end in _sections(text):
        if kind == _TEXT:
            cuts = [
                start + line.start()
                for line in _NOT_BLANK.finditer(text[start:end])
                if _COMMIT.match(line[0])
            ]
            for begin, stop in pairwise([start, *cuts, end]):
                if text[begin:stop].strip():
                    pieces.append(_Piece(begin, stop, _TEXT, -1))
                    file = -1
            continue
        if kind == _HEADER or file < 0:
            file, above, moved = len(pieces), first + len(pieces), False
            pieces.append(_Piece(start, end, _CHANGE, -1))
            if kind == _HEADER:
                continue
        head = pieces[file]
        added, removed = _counted(text, body, end)
        if head.hunks == 0:
            pieces[file] = head = head._replace(end=end)
        else:
            if moved:
                above = first + len(pieces) - 1
            pieces.append(_Piece(start, end, _CHANGE, above))
        moved = added != removed
        pieces[file] = head._replace(
            added=head.added + added, removed=head.removed + removed, hunks=head.hunks + 1
        )
    return pieces


def _runs(text: str, first: int) -> list[_Piece]:
    """Headers, hunk lines, runs of changed lines and of context, lines of what stands around them."""
    pieces: list[_Piece] = []
    commit = file = -1  # of the pieces: what begins the commit, the header of the file
    titled = True  # whether the commit has its subject
    told = False  # whether the file's header says what an earlier compression counted
    for kind, start, body, end in _sections(text):
        if kind == _TEXT:
            for line in _NOT_BLANK.finditer(text, start, end):
                what, above, own = _TEXT, commit if file < 0 else -1, _OWN_LINES.fullmatch(line[0])
                if own:
                    pieces.append(_Piece(line.start(), line.end(), _OWN, -1, lines=int(own[1])))
                    continue
                if _COMMIT.match(line[0]):
                    what, above, commit, file, titled = _TITLE, -1, len(pieces), -1, False
                elif _STATISTIC.match(line[0]):
                    what = _HEADER
                elif not titled and _SUBJECT.match(line[0]):
                    what, titled = _TITLE, True
                pieces.append(_Piece(line.start(), line.end(), what, first + above if above >= 0 else -1))
        elif kind == _HEADER:
            file = len(pieces)
            stop = start + len(text[start:end].rstrip())
            told = _OWN_CHANGES.search(text[start:stop]) is not None
            pieces.append(_Piece(start, stop, _HEADER, first + commit if commit >= 0 else -1))
        else:
            hunk = first + len(pieces)
            stop = body - text.endswith("\n", start, body)
            pieces.append(_Piece(start, stop, _HUNK_LINE, first + file if file >= 0 else -1))
            if file >= 0 and not told:
                head, (added, removed) = pieces[file], _counted(text, body, end)
                pieces[file] = head._replace(
                    added=head.added + added, removed=head.removed + removed, hunks=head.hunks + 1
                )
            for run in _RUN.finditer(text, body, end):
                if own := _OWN_LINES.match(run[0]):
                    stop = run.end() - run[0].endswith("\n")
                    pieces.append(_Piece(run.start(), stop, _OWN, -1, lines=int(own[1])))
                    continue
                what = _CHANGE if run[0][0] in "+-\\" else _CONTEXT
                pieces += [_Piece(a, b, what, hunk) for a, b in _chunks(text, run.start(), run.end(), what)]
    return pieces


def _chunks(text: str, start: int, end: int, kind: int) -> Iterator[tuple[int, int]]:
    """A run in units: changed lines by the eight; of context its first line, its last, the rest."""
    if kind == _CHANGE:
        while start < end:
            stop = start
            for _ in range(_LONGEST_RUN):
                stop = text.find("\n", stop, end) + 1 or end
            yield start, stop - text.endswith("\n", start, stop)
            start = stop
        return
    second = text.find("\n", start, end) + 1 or end
    last = max(text.rfind("\n", start, end - 1) + 1, second)
    for a, b in ((start, second), (second, last), (last, end)):
        stop = b - text.endswith("\n", a, b)
        if a < stop:  # an empty line of context is none
            yield a, stop


def _counted(text: str, start: int, end: int) -> tuple[int, int]:
    """Lines added and removed."""
    body = "\n" + text[start:end]
    return body.count("\n+"), body.count("\n-")


def _asked(texts: list[str], table: SegmentTable, query: str | None) -> Float32s:
    """How much of the query each unit holds together with the units it needs: float32[n] in [0, 1].

    The share of the query's terms, rare ones counting more; a needed unit has no less than one that needs it.
    """
    result = np.zeros(len(table), dtype=np.float32)
    if query is None or not query.strip() or len(table) == 0:
        return result
    ids, offsets, words = _native.terms([query, *pieces(texts, table.document, table.start, table.end)])
    wanted = np.unique(ids[: offsets[1]])[:_MOST_WORDS]  # in the order of the query
    unit = np.repeat(np.arange(len(table)), np.diff(offsets[1:]))
    met = np.zeros((len(table), len(wanted)), dtype=bool)
    place = np.full(len(words), -1)
    place[wanted] = np.arange(len(wanted))
    column = place[ids[offsets[1] :]]
    met[unit[column >= 0], column[column >= 0]] = True
    frequency = met.sum(axis=0)
    weight = np.where(frequency > 0, np.log1p(len(table) / np.maximum(frequency, 1)), 0).astype(np.float32)
    above = table.heading.tolist()
    for row, needed in enumerate(above):
        if needed >= 0:
            met[row] |= met[needed]
    if weight.any():
        result = (met @ weight / weight.sum()).astype(np.float32)
    for row, needed in reversed(list(enumerate(above))):
        if needed >= 0:
            result[needed] = max(result[needed], result[row])
    return result


def _changes(piece: _Piece) -> str:
    if piece.hunks == 0:
        return ""
    return f" … +{piece.added} -{piece.removed} in {piece.hunks} hunk{'s' if piece.hunks > 1 else ''}"


def _left_out_files(texts: list[str], pieces: list[_Piece], document: list[int]) -> Callable[[int, int], str]:
    """Names files of which nothing is kept and counts lines around them, where git and patch pass over."""

    def marker(first: int, last: int) -> str:
        lines = []
        for row in range(first, last + 1):
            piece, text = pieces[row], texts[document[row]]
            name = _NEW_NAME.search(text, piece.start, piece.end) if piece.hunks else None
            if name:
                lines.append(f"… {name[1]}{_changes(piece)}\n")
            elif piece.kind == _TEXT:
                lines.append(f"… {_lines(text, piece.start, piece.end)}\n")
        return "".join(lines)

    return marker


def _left_out(texts: list[str], pieces: list[_Piece], document: list[int]) -> Callable[[int, int], str]:
    """Says how many lines a run of left out units has."""

    def marker(first: int, last: int) -> str:
        own = [piece.lines - 1 for piece in pieces[first : last + 1] if piece.kind == _OWN]
        return f"… {_lines(texts[document[first]], pieces[first].start, pieces[last].end, sum(own))}"

    return marker


def _lines(text: str, start: int, end: int, more: int = 0) -> str:
    """How many lines text[start:end] has, and more."""
    many = text.count("\n", start, end) + (not text.endswith("\n", start, end)) + more
    return f"{many} line{'s' if many > 1 else ''}"
