"""Unified diffs: every file and its statistics, the changes that matter, context where there is room."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from tersely import _native
from tersely.content.units import Lines, Units, units_of
from tersely.core.tables import Float32s, Kind, SegmentTable
from tersely.core.types import Document

__all__ = ["Diff"]

_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@[^\n]*\n?", re.MULTILINE)
_FILE = re.compile(r"^(?:diff --git |Index: |--- [^\n]*\n\+\+\+ )", re.MULTILINE)
_STATISTIC = re.compile(r" \S[^\n]*\|\s+(?:\d+|Bin)\b| \d+ files? changed")
_NEW_NAME = re.compile(r"^\+\+\+ ([^\n\t]*)", re.MULTILINE)
_RUN = re.compile(r"(?:\+[^\n]*\n?)+|(?:-[^\n]*\n?)+|(?:\\[^\n]*\n?)+|(?: [^\n]*\n?|\n)+")
_LONGEST_RUN = 8  # changed lines of one unit
_HEADER, _TEXT, _HUNK_LINE, _CHANGE, _CONTEXT = range(5)
_WORTH = np.array([3.0, 0.8, 1.0, 1.0, 0.2], dtype=np.float32)


class _Piece(NamedTuple):
    start: int
    end: int
    kind: int
    above: int  # index of the piece that it needs, -1: none
    added: int = 0  # of a file's header: lines added and removed, hunks
    removed: int = 0
    hunks: int = 0


@dataclass(frozen=True, slots=True)
class Diff:
    """Keeps headers of files with how many lines each changes, then changes by the query, context last.

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
        asked = _asked(texts, table, query)
        words = query is not None and bool(query.strip())
        marker = (_left_out_files if self.applies else _left_out)(texts, pieces, document)
        note = None if self.applies else lambda row: _changes(pieces[row])
        return Units(
            table,
            _WORTH[kind] + 4 * asked,
            Lines(marker, "" if self.applies else "\n", note),
            kind == _HEADER,
            warnings=("query_without_matches",) if words and not asked.any() else (),
        )


def _sections(text: str) -> Iterator[tuple[int, int, list[tuple[int, int, int]]]]:
    """Files of a diff: start, end of the header, and (start, end of its first line, end) of each hunk.

    What stands before the first file is a section without hunks. Lines of a hunk are counted, so that none is
    taken for a header, whatever it holds.
    """
    start, at = 0, 0
    hunks: list[tuple[int, int, int]] = []
    hunk, file = _HUNK.search(text), _FILE.search(text)
    while True:
        if hunk is not None and hunk.start() < at:
            hunk = _HUNK.search(text, at)
        if file is not None and file.start() < at:
            file = _FILE.search(text, at)
        if hunk is not None and (file is None or hunk.start() < file.start()):
            end = _hunk_end(text, hunk)
            hunks.append((hunk.start(), hunk.end(), end))
            at = end
            continue
        if file is None:
            yield start, hunks[0][0] if hunks else len(text), hunks
            return
        if file.start() > start:
            yield start, hunks[0][0] if hunks else file.start(), hunks
        start, hunks = file.start(), []
        at = text.find("\n", file.end()) + 1 or len(text)
        if not file[0].startswith("---") and (names := _NAMES.match(text, at)):
            at = names.end()


_NAMES = re.compile(r"(?:(?!@@ |--- |diff --git )[^\n]*\n)*(?:--- [^\n]*\n\+\+\+ [^\n]*\n?)?")


def _hunk_end(text: str, hunk: re.Match[str]) -> int:
    old = int(hunk[1]) if hunk[1] is not None else 1
    new = int(hunk[2]) if hunk[2] is not None else 1
    at = hunk.end()
    while (old > 0 or new > 0 or text.startswith("\\", at)) and (run := _RUN.match(text, at)):
        sign = run[0][0]
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
    for start, header_end, hunks in _sections(text):
        if not text[start:header_end].strip() and not hunks:
            continue
        above = first + len(pieces)
        counted = [_counted(text, body, end) for _, body, end in hunks]
        added, removed = (sum(column) for column in zip(*counted, strict=True)) if counted else (0, 0)
        pieces.append(
            _Piece(start, hunks[0][2] if hunks else header_end, _CHANGE, -1, added, removed, len(hunks))
        )
        for (begin, _, end), before in zip(hunks[1:], counted, strict=False):
            if before[0] != before[1]:
                above = first + len(pieces) - 1
            pieces.append(_Piece(begin, end, _CHANGE, above))
    return pieces


def _runs(text: str, first: int) -> list[_Piece]:
    """Headers, hunk lines, runs of changed lines and of context."""
    pieces: list[_Piece] = []
    for start, header_end, hunks in _sections(text):
        if not hunks and _FILE.match(text, start) is None:
            pieces += [
                _Piece(line.start(), line.end(), _HEADER if _STATISTIC.match(line[0]) else _TEXT, -1)
                for line in re.compile(r"[^\n]*\S[^\n]*").finditer(text, start, header_end)
            ]
            continue
        above = -1
        counted = [_counted(text, body, end) for _, body, end in hunks]
        added, removed = (sum(column) for column in zip(*counted, strict=True)) if counted else (0, 0)
        end_of_header = start + len(text[start:header_end].rstrip())
        if start < end_of_header:  # a diff may begin with a hunk
            above = first + len(pieces)
            pieces.append(_Piece(start, end_of_header, _HEADER, -1, added, removed, len(hunks)))
        for begin, body, end in hunks:
            hunk = first + len(pieces)
            pieces.append(_Piece(begin, body - text.endswith("\n", begin, body), _HUNK_LINE, above))
            for run in _RUN.finditer(text, body, end):
                kind = _CHANGE if run[0][0] in "+-\\" else _CONTEXT
                pieces += [_Piece(a, b, kind, hunk) for a, b in _chunks(text, run.start(), run.end(), kind)]
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
    """float32[n] in [0, 1]: the share of the query's terms in a unit, rare ones counting more."""
    rows = zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
    result = np.zeros(len(table), dtype=np.float32)
    if query is None or not query.strip() or len(table) == 0:
        return result
    ids, offsets, words = _native.terms(
        [query, *(texts[document][start:end] for document, start, end in rows)]
    )
    wanted = np.unique(ids[: offsets[1]])
    unit = np.repeat(np.arange(len(table)), np.diff(offsets[1:]))
    pairs = np.unique(np.stack((unit, ids[offsets[1] :])), axis=1)
    frequency = np.bincount(pairs[1], minlength=len(words))
    weight = np.zeros(len(words), dtype=np.float32)
    weight[wanted] = np.log1p(len(table) / np.maximum(frequency[wanted], 1))
    np.add.at(result, pairs[0], weight[pairs[1]])
    total = float(weight[wanted[frequency[wanted] > 0]].sum())
    return result / np.float32(total) if total > 0 else result


def _changes(piece: _Piece) -> str:
    if piece.hunks == 0:
        return ""
    return f" … +{piece.added} -{piece.removed} in {piece.hunks} hunk{'s' if piece.hunks > 1 else ''}"


def _left_out_files(texts: list[str], pieces: list[_Piece], document: list[int]) -> Callable[[int, int], str]:
    """Names the files of which nothing is kept, on lines that git and patch pass over."""

    def marker(first: int, last: int) -> str:
        lines = []
        for row in range(first, last + 1):
            piece = pieces[row]
            name = _NEW_NAME.search(texts[document[row]], piece.start, piece.end) if piece.hunks else None
            if name:
                lines.append(f"… {name[1]}{_changes(piece)}\n")
        return "".join(lines)

    return marker


def _left_out(texts: list[str], pieces: list[_Piece], document: list[int]) -> Callable[[int, int], str]:
    """Says how many lines a run of left out units has."""

    def marker(first: int, last: int) -> str:
        text = texts[document[first]]
        many = text.count("\n", pieces[first].start, pieces[last].end) + 1
        return f"… {many} line{'s' if many > 1 else ''}"

    return marker
