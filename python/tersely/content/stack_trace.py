"""Stack traces: exception, cause, the first and last frame of own code; each trace once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tersely.content.lines import FAILED, LineTable, Mark, asked_for, outcome_grades, read_lines
from tersely.content.logs import marked_lines
from tersely.content.units import Units
from tersely.types import Document, Int64s

__all__ = ["StackTrace"]

ESCAPE = re.compile(
    r"\x1b(?:\[[^@-~]*[@-~]?|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[A-Za-z])?"
)  # colours, links of terminals
FRAME = re.compile(
    r"\s+at |\s*#\d+\s|\s+/?\S+\.go:\d|\s+from \S+:\d+:in |\s*\.{3} \d+ (?:more|common frames)|"
    r"\s*(?:[|+] +)*File \"|"  # Python, in groups of exceptions too
    r"\s+\d+: ++(?:\S+\s*$|.*::)|"  # Rust
    r"\s*(?:\d+: from |[\w-]+ \(\d[\w.]*\) )?\S+:\d+:in |"  # Ruby
    r"[^\s@]*@(?:https?|file|webpack)\S*:\d+\s*$|"  # SpiderMonkey
    r"PHP +\d+\. |\d+ +\S+ +0x[0-9a-f]{8}|"  # Xdebug; Swift
    r"\s+(?:\([\w.-]+ \d[^)]*\) )?\S+\.exs?:\d+: |"  # Elixir
    r"\s+(?:\S+:\d+|\[C\]): in |"  # Lua
    r"\s+\[\d+\] \S|\s+@ \S|"  # Julia
    r"\s+[^\s(,]+(?:\(.*\)|,) called at "  # Perl; Haskell
)
RUBY_THROWN = re.compile(r"\s*\S+:\d+:in [`'][^']*': .*\([A-Z][\w:]*\)\s*$")
CAUSE = re.compile(
    r"\s*(?:Caused by: |Suppressed: |Wrapped by: |\[cause\]: |---> |During handling of the above|"
    r"The above exception was|Caused by:$)"
)
NUMBERED_CAUSE = re.compile(r"\s+\d+: (?!.*::)")  # below "Caused by:", of Rust's anyhow
THROWN = re.compile(
    r"\s{0,8}(?:[|+] +)*(?:[^\s:]{1,40}:? ){0,3}(?:[\w$.]{1,80}\.)?"
    r"(?:[A-Z]\w{0,60}(?:Error|Exception|Failure|Fault|Interrupt|Exit)|(?:Base)?ExceptionGroup)\b"
    r"|[A-Z]\w{0,60}(?:::[A-Z]\w{0,60}){1,9} \("
    r"|Error: |(?:PHP )?Fatal error: |\*\* \("
    r"|\S.{0,300} at \S{1,200} line \d{1,7}\.$"  # Perl
)
BEGIN = re.compile(
    r"\s*(?:[|+] +)*(?:Exception Group )?Traceback \(most recent call last\)|"
    r"\s*(?:goroutine \d+ |panic: |thread '[^']*'(?: \(\d+\))? panicked|"
    r"Exception in thread|Unhandled exception|Fatal Python error|==\d+==\s*ERROR|Program received signal|"
    r"SIG[A-Z]+)"
)
#: Lines above which, in some languages, stands what was thrown.
NAMED_ABOVE = re.compile(
    r"(?:PHP )?[Ss]tack (?:trace|traceback|backtrace):|\[?[Ss]tacktrace[\]:]|Current stack trace|CallStack \("
)
#: What frames of libraries and run-times look like.
LIBRARY = re.compile(
    r"site-packages|dist-packages|/usr/lib|/lib/python\d|<frozen |node_modules|node:|\binternal/|\(native|"
    r"\bat (?:java|javax|jdk|sun|kotlin|kotlinx|scala|groovy|com\.sun|io\.netty|System|Microsoft)\.|"
    r"\bat org\.(?:springframework|apache|hibernate|junit|eclipse|jboss|gradle)\.|/usr/local/go/src|"
    r"\bat (?:new |async )?(?:Array|Promise|Map|Set)\.?\w* \(|"
    r"\bruntime[./]|/rustc/|/\.cargo/|\b(?:std|core|alloc|tokio|__gnu_cxx)::|\brust_begin_unwind|"
    r"__libc_|libc\.so|libstdc\+\+|/usr/include|\b_start\b|__interceptor_|/gems/|/ruby/|^[\w-]+ \(\d|"
    r"/vendor/|\[internal function\]|\{main\}$|libswift|libdispatch|libsystem|dart:|"
    r"^\s+\((?:elixir|stdlib|phoenix\w*|plug\w*|ecto\w*|cowboy\w*|bandit) \d|\[C\]: in|@ Base|/base/GHC/"
)


_BEGINS, _THROWS, _CAUSES, _OWN, _LIBRARIES, _BELOW, _TEXT = range(7)
_WORTH = np.array([1.0, 6.0, 6.0, 1.5, 0.2, 0.8, 0.4])


@dataclass(frozen=True, slots=True)
class StackTrace:
    """Keeps exceptions and causes, and the first and last of your own frames in each trace.

    Frames of libraries go first. A trace that came before, its values aside, is left out: the first one says
    how often it came. Python, Java, Kotlin, JavaScript, TypeScript, Go, Rust, C#, Ruby, PHP,
    Perl, Lua, Elixir, Julia, Haskell, Dart, Swift, gdb and AddressSanitizer are read.

    Attributes:
        own: prefixes or parts of frames that are own code, such as a package or a folder; () for all that do
            not look like a library's or a run-time's.
    """

    kind: ClassVar[str] = "stack_trace"

    own: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.own, str) or not all(isinstance(part, str) and part for part in self.own):
            raise TypeError(f"own must be a tuple of parts of frames, not {self.own!r}")

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """Return the lines with their scores; examines at most `rows` lines one by one. O(characters)."""
        texts = [document.text for document in documents]
        lines = read_lines(texts, query, rows)
        role = np.array(self._roles(lines, texts), dtype=np.int64).reshape(-1)
        trace = _traces(lines, role)
        again, times = _repeats(lines, role, trace)
        grade = np.where(role == _TEXT, outcome_grades(lines), 0)  # what stands around traces
        must = (role == _THROWS) | (role == _CAUSES) | _end_frames(role, trace) | (grade >= FAILED)
        asked, for_query = asked_for(lines)
        must = (must & ~again | asked) & ~lines.bulk
        score = _WORTH[role] + np.where(must, 4, 0) + 0.6 * lines.has(Mark.ERROR) + for_query
        score += 2 * grade
        score = np.where(again, score * 0.005, score)
        score = np.where(lines.bulk, 0, np.where(lines.continued, score / 4, score))
        above = np.where(role == _BELOW, np.arange(len(role)) - 1, lines.table.heading).astype(np.int32)
        lines = replace(lines, table=replace(lines.table, heading=above))
        return Units(
            lines.table,
            score.astype(np.float32),
            marked_lines(lines, lambda row: f" … ×{times[row]}" if times.get(row, 1) > 1 else ""),
            must,
            bulk=lines.bulk,
            graded=True,
            warnings=lines.unmatched(query),
        )

    def _roles(self, lines: LineTable, texts: list[str]) -> list[int]:
        """Return the role of each line."""
        roles: list[int] = []
        table = lines.table
        previous = ""
        continued = lines.continued.tolist()
        for row, (document, start, end, _) in enumerate(table):
            text = ESCAPE.sub("", texts[document][start : min(end, start + 400)])
            below = (
                bool(roles)
                and roles[-1] in (_OWN, _LIBRARIES, _BELOW)
                and table.document[row - 1] == document
            )
            if lines.template[row] < 0 or continued[row]:
                role = _TEXT
            elif RUBY_THROWN.match(text):
                role = _THROWS
            elif NAMED_ABOVE.match(text):
                role = _TEXT
                if roles and roles[-1] == _TEXT and table.document[row - 1] == document:
                    roles[-1] = _THROWS
            elif roles and roles[-1] == _CAUSES and NUMBERED_CAUSE.match(text):
                role = _CAUSES
            elif " panicked at " in previous and previous.endswith(":"):
                role = _THROWS  # its message is on the next line
            elif FRAME.match(text):
                role = self._frame(text)
                if roles and _is_go_call(previous) and roles[-1] in (_TEXT, _OWN):
                    roles[-1] = role  # a call stands above its place
            elif below and text.startswith("    ") and previous.lstrip(" \t|+").startswith(('File "', "at ")):
                role = _BELOW  # the source line of a frame
            elif CAUSE.match(text):
                role = _CAUSES
            elif BEGIN.match(text):
                role = _BEGINS if "Traceback (" in text or text.lstrip().startswith("goroutine ") else _THROWS
            elif THROWN.match(text):
                role = _THROWS
            else:
                role = _TEXT
            roles.append(role)
            previous = text
        return roles

    def _frame(self, text: str) -> int:
        if self.own:
            return _OWN if any(part in text for part in self.own) else _LIBRARIES
        return _LIBRARIES if LIBRARY.search(text) or text.lstrip().startswith("...") else _OWN


def _is_go_call(text: str) -> bool:
    name, bracket, _ = text.partition("(")
    return (bool(bracket) and text.endswith(")") and " " not in name) or text.startswith("created by ")


def _traces(lines: LineTable, role: Int64s) -> Int64s:
    """int64[n]: the trace of each line: exception and frames; -1 for text.

    What was thrown stands above its frames, or below them (Python).
    """
    trace = np.full(len(role), -1, dtype=np.int64)
    number = -1
    open_, seen_frames, upside_down = False, False, False
    document = lines.table.document
    for row, what in enumerate(role.tolist()):
        if row and document[row] != document[row - 1]:
            open_ = False
        if what == _BEGINS:
            number += 1
            open_, seen_frames, upside_down = True, False, True
        elif what in (_THROWS, _CAUSES):
            if not open_ or (seen_frames and not upside_down):
                number += 1
                open_, seen_frames, upside_down = True, False, False
            elif upside_down and seen_frames:
                trace[row] = number
                open_ = False
                continue
        elif what in (_OWN, _LIBRARIES, _BELOW):
            if not open_:
                number += 1
                open_, upside_down = True, False
            seen_frames = True
        else:
            open_ = open_ and not seen_frames
            continue
        trace[row] = number
    return trace


def _end_frames(role: Int64s, trace: Int64s) -> npt.NDArray[np.bool_]:
    """bool[n]: the first and the last own frame of each trace; of one without own frames, its ends."""
    result = np.zeros(len(role), dtype=bool)
    for wanted in (_LIBRARIES, _OWN):
        rows = np.flatnonzero((role == wanted) & (trace >= 0))
        if len(rows) == 0:
            continue
        if wanted == _OWN:  # stands above what the trace's library frames gave
            result[np.isin(trace, trace[rows])] = False
        starts = np.flatnonzero(np.concatenate(([True], np.diff(trace[rows]) != 0)))
        result[rows[starts]] = True
        result[rows[np.concatenate((starts[1:] - 1, [len(rows) - 1]))]] = True
    return result


def _repeats(lines: LineTable, role: Int64s, trace: Int64s) -> tuple[npt.NDArray[np.bool_], dict[int, int]]:
    """Which rows belong to a trace that came before; and how often a first one came, by a row of it."""
    again = np.zeros(len(role), dtype=bool)
    times: dict[int, int] = {}
    first: dict[tuple[int, ...], int] = {}
    rows = np.flatnonzero(trace >= 0)
    if len(rows) == 0:
        return again, times
    for group in np.split(rows, np.flatnonzero(np.diff(trace[rows])) + 1):
        key = tuple(lines.template[group].tolist())
        thrown = group[(role[group] == _THROWS) | (role[group] == _CAUSES)]
        named = int(thrown[0]) if len(thrown) else int(group[0])
        if key in first:
            again[group] = True
            times[first[key]] += 1
        else:
            first[key] = named
            times[named] = 1
    return again, times
