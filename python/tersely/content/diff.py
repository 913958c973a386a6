"""Unified diffs: every file and its statistics, the changes that matter, context where there is room."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import ClassVar

import numpy as np

from tersely import _native
from tersely.content.tool_output import ToolOutput
from tersely.content.units import Lines, Units, units_of
from tersely.types import Document, Float64s, Kind

__all__ = ["Diff"]

_HUNK = re.compile(r"@@@*((?: -\d+(?:,\d+)?)+) \+\d+(?:,(\d+))? @@")
_FILE = re.compile(r"diff --(?:git|cc|combined) |Index: ")  # lines that begin a file's header
_GIT_LINE = re.compile(
    r"(?:old mode|new mode|mode|new file mode|deleted file mode|(?:dis)?similarity index|"
    r"(?:rename|copy) (?:from|to)|index|Binary files) |GIT binary patch"
)
_SIZE = re.compile(r"-\d+(?:,(\d+))?")
_BINARY = re.compile(r"(?:literal|delta) \d+")
_STATISTIC = re.compile(r" \S[^\n]*\|\s+(?:\d+|Bin)\b| \d+ files? changed")
_WHOLE_FILE = re.compile(r"Only in \S|(?:Binary f|F)iles .+ differ$")  # what `diff -r` says instead of hunks
# Lines that begin a commit: of git log, of a mailbox, of git log --oneline.
_COMMIT = re.compile(r"commit [0-9a-f]{7,64}\b|From [0-9a-f]{40,64} |[0-9a-f]{7,64} \S")
_SUBJECT = re.compile(r"    \S|Subject: ")
_NAME = re.compile(r"^(?:\+\+\+|---|diff --\w+) (?!/dev/null)([^\n\t]*)", re.MULTILINE)
_PREFIX = re.compile(r"(?:---|\+\+\+) (?:[a-z]/)?|\t.*")
_NEW_NAME = re.compile(r"^\+\+\+ ([^\n\t]*)", re.MULTILINE)
# Files that programs write, by their names and by what they say of themselves.
_MADE = re.compile(
    r"[.-](?:lock(?:\.\w+)?|min\.\w+|map|snap)$|/(?:go\.sum|npm-shrinkwrap\.json)$|"
    r"/(?:vendor|node_modules|third_party|dist|generated|__snapshots__)/",
    re.IGNORECASE,
)
_SAYS_MADE = re.compile(r"@generated|\bDO NOT EDIT\b|\b[Gg]enerated (?:by|from)\b")
_OWN_LINES = re.compile(r"… (\d+) lines?")  # what an earlier compression wrote: of lines it left out,
_OWN_CHANGES = re.compile(r" … \+\d+ -\d+ in \d+ hunks?\Z")  # and behind a file's header
_PART = re.compile(r"fh*|@[-+\\ …]*|t")  # of lines by their kinds (_kinds): a header, a hunk, another line
_RUN = re.compile(r"[-+\\]+| +|…")
_WORD = re.compile(r"\w+")
_LONGEST_RUN = 8  # changed lines of one unit
_WHOLE = 600  # characters of a hunk that is one unit for a query: what was asked for stands in its context
_BEGIN = 600  # characters behind a file's header in which a program says that it wrote the file
_LINE = 80  # characters: the changes of a file are worth less and less by so many
_DULL = 0.3  # what a changed line without words counts, or one that only moved
_MADE_SHARE = 0.25  # what changes of files that programs write count
# A file's name, and what stands above it in its header; of a hunk, its first line, changes, context; what
# begins a commit, its subject, or stands for a file; marks of an earlier compression; all else.
_HEADER, _ABOVE, _HUNK_LINE, _CHANGE, _CONTEXT, _TITLE, _OWN, _TEXT = range(8)
_WORTH = np.array([3.0, 0.01, 0.01, 1.0, 0.2, 4.0, 0.0, 0.6])


@dataclass(slots=True)
class _Piece:
    document: int
    start: int
    end: int
    kind: int
    above: int = -1  # index of the piece that it needs, -1: none
    file: int = -1  # of the header of its file
    near: int = 0  # lines of its run before a change; of context, lines to the nearest change
    changed: int = 0  # number of its first changed line
    follows: int = -1  # index of the piece that it is in or out with
    added: int = 0  # of a file's header: lines added and removed, hunks
    removed: int = 0
    hunks: int = 0
    lines: int = 0  # of a marker of an earlier compression: lines it stands for


@dataclass(frozen=True, slots=True)
class Diff:
    """Keeps file headers with numbers of changed lines, then changes about the query, context last.

    A changed line is worth what it is unlike the others; what only moved, or was written by a program, comes
    last; each further line of a file counts less. What was removed stays with what stands there now.
    Commits of `git log -p` and `git format-patch` are read with it: the line that begins one and its subject
    come first, and what is kept of a commit brings the former along. A list of names or statistics without
    any hunk is read as lines of a tool.

    Attributes:
        applies: keep or leave out hunks as a whole, each together with those before it in its file that move
            its lines: the result is a patch for the same files, line numbers exact. Else runs of changed
            and lines of context are kept or left out, markers count what is missing, and the result is to
            be read, not applied.
    """

    kind: ClassVar[str] = "diff"

    applies: bool = False

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """Return headers, changes and context with their scores. O(characters)."""
        texts = [document.text for document in documents]
        asked = query is not None and bool(query.strip())
        scan = _Scan(texts, self.applies, _WHOLE if asked else 0)
        pieces = scan.pieces
        if all(piece.kind in (_TEXT, _OWN) for piece in pieces):
            return ToolOutput().read(documents, query, rows)
        kind = np.array([piece.kind for piece in pieces])
        table = units_of(
            [piece.document for piece in pieces],
            [piece.start for piece in pieces],
            [piece.end for piece in pieces],
            Kind.CODE,
            [piece.above for piece in pieces],
        )
        table = replace(table, kind=np.where(kind == _TEXT, Kind.PROSE, Kind.CODE).astype(np.uint8))
        marker = (_left_out_files if self.applies else _left_out)(texts, pieces)
        note = None if self.applies else lambda row: _changes(pieces[row])
        return Units(
            table,
            _worth(scan, texts).astype(np.float32),
            Lines(marker, "" if self.applies else "\n", note),
            None if asked else (kind == _HEADER) | (kind == _TITLE),
            np.array([piece.follows for piece in pieces], dtype=np.int32),
            relevant=False,
            graded=True,  # what fails in a test that is changed has not failed
        )


class _Scan:
    """The pieces of all texts in order, and their changed lines."""

    def __init__(self, texts: Sequence[str], applies: bool, whole: int) -> None:
        self.pieces: list[_Piece] = []
        self.changed: list[str] = []  # lines, without their signs
        self.dull: list[bool] = []  # whether one has no words, or only moved
        self.applies, self.whole = applies, whole
        for self.document, self.text in enumerate(texts):
            self.lines = self.text.removesuffix("\n").split("\n")
            self.starts = list(accumulate(map(len, self.lines), lambda at, size: at + size + 1, initial=0))
            self.kinds = _kinds(self.lines)
            sides: dict[str, set[str]] = {"+": set(), "-": set()}  # without white space
            for kind, line in zip(self.kinds, self.lines, strict=True):
                if kind in sides:
                    sides[kind].add("".join(line[1:].split()))
            self.moved = sides["+"] & sides["-"]
            if applies:
                self._read_hunks()
            else:
                self._read_runs()

    def _add(self, first: int, last: int, kind: int, above: int, file: int = -1, near: int = 0) -> int:
        """Add the lines [first, last) as a piece; return its index."""
        start = self.starts[first]
        self.pieces.append(_Piece(self.document, start, start, kind, above, file, near, len(self.changed)))
        self._grow(self.pieces[-1], first, last)
        return len(self.pieces) - 1

    def _grow(self, piece: _Piece, first: int, last: int) -> None:
        """Add the lines [first, last) to a piece, the last of all."""
        piece.end = min(self.starts[last] - (not self.applies), len(self.text))
        for line in range(first, last):
            if self.kinds[line] in "+-":
                self.changed.append(self.lines[line][1:])
                said = "".join(self.changed[-1].split())
                self.dull.append(said in self.moved or not _WORD.search(said))

    def _count(self, file: int, first: int, last: int) -> bool:
        """Count a hunk for its file; whether it moves the lines behind it."""
        head, (added, removed) = self.pieces[file], (self.kinds.count(sign, first, last) for sign in "+-")
        head.added, head.removed, head.hunks = head.added + added, head.removed + removed, head.hunks + 1
        return added != removed

    def _read_hunks(self) -> None:
        """Whole hunks, the first of a file with its header; each needs the last one that moves its lines."""
        file = above = around = -1
        moved = False  # whether the last hunk of the file moved lines
        for part in _PART.finditer(self.kinds):
            first, last = part.span()
            if part[0] == "t":
                if around < 0 or _COMMIT.match(self.lines[first]):
                    if not self.lines[first].strip():
                        continue
                    around, file = self._add(first, last, _TEXT, -1), -1
                self._grow(self.pieces[around], first, last)
                continue
            around = -1
            if part[0][0] == "f" or file < 0:
                above, moved, file = -1, False, self._add(first, last, _CHANGE, -1, len(self.pieces))
                if part[0][0] == "f":
                    continue
            elif self.pieces[file].hunks == 0:
                self._grow(self.pieces[file], first, last)
            else:
                above = len(self.pieces) - 1 if moved else above
                self._add(first, last, _CHANGE, above, file)
            moved = self._count(file, first, last)

    def _read_runs(self) -> None:
        """Units of a diff: headers, hunk lines, runs of changed lines and of context, lines around them."""
        commit = file = -1
        titled = True  # whether the commit has its subject
        told = False  # whether the file's header says what an earlier compression counted
        for part in _PART.finditer(self.kinds):
            first, last = part.span()
            line = self.lines[first]
            if part[0] == "t":
                if own := _OWN_LINES.fullmatch(line):
                    self.pieces[self._add(first, last, _OWN, -1)].lines = int(own[1])
                elif _COMMIT.match(line):
                    commit, file, titled = self._add(first, last, _TITLE, -1), -1, False
                elif line.strip():
                    title = not titled and _SUBJECT.match(line) is not None
                    first_of_all = title or _WHOLE_FILE.match(line)
                    kind = _TITLE if first_of_all else _HEADER if _STATISTIC.match(line) else _TEXT
                    titled = titled or title
                    self._add(first, last, kind, commit if file < 0 else -1)
            elif part[0][0] == "f":
                names = self._names(first, last)
                if first < names:
                    self._add(first, names, _ABOVE, -1)
                file = self._add(names, last, _HEADER, commit, len(self.pieces))
                text = self.text[self.starts[names] : self.pieces[file].end].rstrip()
                self.pieces[file].end = self.starts[names] + len(text)
                told = _OWN_CHANGES.search(text) is not None
            else:
                self._read_hunk(first, last, file)
                if file >= 0 and not told:
                    self._count(file, first, last)

    def _names(self, first: int, last: int) -> int:
        """The line of a file's header from which the last ones name the file."""
        old, new = self.lines[max(last - 2, first)], self.lines[last - 1]
        if not new.startswith("+++ ") or last - first < 2:
            return first
        return last - 1 if _PREFIX.sub("", old) == _PREFIX.sub("", new) else last - 2

    def _read_hunk(self, first: int, last: int, file: int) -> None:
        if "…" not in self.kinds[first:last] and self.starts[last] - self.starts[first] <= self.whole:
            self._add(first, last, _CHANGE, file, file)
            return
        hunk = self._add(first, first + 1, _HUNK_LINE, file)
        for run in _RUN.finditer(self.kinds, first + 1, last):
            low, high = run.span()
            if run[0] == "…":
                own = _OWN_LINES.match(self.lines[low])
                self.pieces[self._add(low, high, _OWN, -1)].lines = int(own[1]) if own else 1
            elif run[0][0] == " ":
                above = (
                    low if low > first + 1 else low - last
                )  # no change stands where the hunk begins or ends
                below = high if high < last else high + last
                for line in range(low, high):
                    if self.lines[line]:  # an empty line of context is none
                        self._add(line, line + 1, _CONTEXT, hunk, file, min(line - above, below - line - 1))
            elif high - low <= _LONGEST_RUN:
                self._add(low, high, _CHANGE, hunk, file)
            else:
                self._read_long_run(low, high, hunk, file)

    def _read_long_run(self, low: int, high: int, hunk: int, file: int) -> None:
        """Line by line; an added line goes with the removed one that begins with the same word."""
        removed: defaultdict[str, deque[int]] = defaultdict(deque)
        near = 0
        for line in range(low, high):
            if self.kinds[line] == "\\":
                self._grow(self.pieces[-1], line, line + 1)
                continue
            near = near + 1 if line > low and self.kinds[line] == self.kinds[line - 1] else 0
            row = self._add(line, line + 1, _CHANGE, hunk, file, near)
            word = _WORD.search(self.lines[line])
            other = removed[word[0] if word else ""]
            if self.kinds[line] == "-":
                other.append(row)
            elif other:
                self.pieces[row].follows = other.popleft()


def _kinds(lines: Sequence[str]) -> str:
    """A letter for each line: "f" begins a file's header, "h" goes on with it, "@" begins a hunk, whose
    lines are "+", "-", " " or "\\", or "…" for those that an earlier compression left out; "t": all else.

    Lines of a hunk are counted, so that none is taken for a header, whatever it holds.
    """
    kinds: list[str] = []
    left: list[int] = []  # lines of the hunk that are to come: of each file before, of the file after
    marked = False  # whether some were left out; which ones, nobody knows
    header = ""  # what goes on: a header of "git" or of "other"s, "binary" data, its "bytes", "names"
    for line, below in pairwise([*lines, ""]):
        starts = _FILE.match(line) is not None or (
            line.startswith(("diff -", "--- ")) and below.startswith(("--- ", "+++ ", "@@ -"))
        )
        kind = "" if not left or (marked and starts) else _kind_in_hunk(line, left)
        if kind:
            marked = marked or kind == "…"
            kinds.append(kind)
            continue
        left, hunk = [], _HUNK.match(line)
        if hunk:
            kind, header, marked = "@", "", False
            left = [int(size or 1) for size in (*_SIZE.findall(hunk[1]), hunk[2])]
        elif header and (header := _goes_on(line, header, starts)):
            kind = "h"
        elif starts:
            kind = "f"
            header = "git" if line.startswith("diff --") else "names" if line.startswith("---") else "other"
        kinds.append(kind or "t")
    return "".join(kinds)


def _kind_in_hunk(line: str, left: list[int]) -> str:
    """The kind of a line within a hunk, counted down in `left`; "" if it is no such line."""
    if line.startswith("\\"):
        return "\\"
    if line.startswith("…"):
        return "…" if any(left) and _OWN_LINES.fullmatch(line) else ""
    kind, takes = _signs(line[: len(left) - 1].ljust(len(left) - 1))
    if not all(left[at] for at in takes):
        return ""
    for at in takes:
        left[at] -= 1
    return kind


@lru_cache(maxsize=256)
def _signs(signs: str) -> tuple[str, tuple[int, ...]]:
    """Return the kind of a line by its signs, one for each older file, and the files that have it."""
    if signs.strip("+- "):
        return "", ()
    removed = "-" in signs
    old = [at for at, sign in enumerate(signs) if sign == "-" or (sign == " " and not removed)]
    return "-" if removed else "+" if "+" in signs else " ", tuple(old if removed else [*old, len(signs)])


def _goes_on(line: str, header: str, starts: bool) -> str:
    """Return the kind of header line that may follow a header line; "" if the line is no header."""
    if header == "names":
        return "end" if line.startswith("+++ ") else ""
    if header == "end" or (starts and not line.startswith("--- ")):
        return ""
    if starts:
        return "names"
    if header == "bytes":
        return "bytes" if line else "binary"
    if header == "binary":
        return "bytes" if _BINARY.match(line) else ""
    if header == "git":
        return "" if not _GIT_LINE.match(line) else "binary" if line.startswith("GIT") else "git"
    return "other" if line else ""


def _worth(scan: _Scan, texts: list[str]) -> Float64s:
    """float64[n]: what each piece is worth per token without a query."""
    pieces = scan.pieces
    kind = np.array([piece.kind for piece in pieces])
    worth: Float64s = _WORTH[kind]
    near = np.array([piece.near for piece in pieces])
    first = np.array([*(piece.changed for piece in pieces), len(scan.changed)])
    rows = np.flatnonzero(np.diff(first))
    if len(rows) == 0:
        return worth
    rare = np.where(scan.dull, _DULL, 1) * np.sqrt(_native.rarity(scan.changed))
    each = np.maximum.reduceat(rare, first[rows])
    # Of a file the rarest come first, of equal ones those that begin a run; and the further ones count less.
    file = np.array([piece.file for piece in pieces])[rows]
    size = np.array([piece.end - piece.start for piece in pieces])[rows]
    order = np.lexsort((-each / np.sqrt(1 + near[rows]), file))
    upto = np.cumsum(size[order])
    begins = np.diff(file[order], prepend=-2) != 0
    upto -= np.maximum.accumulate(np.where(begins, upto - size[order], 0))
    head, place = np.unique(file, return_inverse=True)
    share = np.bincount(place, np.add.reduceat(rare, first[rows])) / np.bincount(place, np.diff(first)[rows])
    share *= [_MADE_SHARE if row >= 0 and _is_made(texts, pieces[row]) else 1 for row in head.tolist()]
    worth[rows[order]] = each[order] * share[place[order]] / np.sqrt(1 + upto / _LINE)
    context = np.flatnonzero(kind == _CONTEXT)  # is worth a part of the changes before and behind it
    after = np.searchsorted(rows, context)
    beside = [worth[rows[np.clip(at, 0, len(rows) - 1)]] for at in (after - 1, after)]
    worth[context] *= np.maximum(*beside) / (1 + near[context])
    return worth


def _is_made(texts: list[str], head: _Piece) -> bool:
    """Whether a program wrote the file of a header."""
    text = texts[head.document]
    names = _NAME.findall(text, head.start, min(head.end, head.start + _BEGIN))
    says = _SAYS_MADE.search(text, head.start, head.end + _BEGIN)
    return says is not None or any(_MADE.search("/" + name) for name in names)


def _changes(piece: _Piece) -> str:
    if piece.hunks == 0:
        return ""
    return f" … +{piece.added} -{piece.removed} in {piece.hunks} hunk{'s' if piece.hunks > 1 else ''}"


def _left_out_files(texts: list[str], pieces: list[_Piece]) -> Callable[[int, int], str]:
    """Marks that name files left out whole and count lines, where git and patch pass over them."""

    def marker(first: int, last: int) -> str:
        lines = []
        for piece in pieces[first : last + 1]:
            text = texts[piece.document]
            name = _NEW_NAME.search(text, piece.start, piece.end) if piece.hunks else None
            if name:
                lines.append(f"… {name[1]}{_changes(piece)}\n")
            elif piece.kind == _TEXT:
                lines.append(f"… {_lines(text, piece.start, piece.end)}\n")
        return "".join(lines)

    return marker


def _left_out(texts: list[str], pieces: list[_Piece]) -> Callable[[int, int], str]:
    """Says how many lines a run of left out pieces has."""

    def marker(first: int, last: int) -> str:
        own = [piece.lines - 1 for piece in pieces[first : last + 1] if piece.kind == _OWN]
        return f"… {_lines(texts[pieces[first].document], pieces[first].start, pieces[last].end, sum(own))}"

    return marker


def _lines(text: str, start: int, end: int, more: int = 0) -> str:
    """How many lines text[start:end] has, and more."""
    many = text.count("\n", start, end) + (not text.endswith("\n", start, end)) + more
    return f"{many} line{'s' if many > 1 else ''}"
