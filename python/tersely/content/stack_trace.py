"""Stack traces: exception, cause, your own frames; each trace once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tersely.content.lines import LineTable, Mark, read_lines
from tersely.content.logs import units_of_lines
from tersely.content.units import Units
from tersely.types import Document

__all__ = ["StackTrace"]

_CONTEXT = 2  # lines around an error that count as its neighbourhood


@dataclass(frozen=True, slots=True)
class StackTrace:
    """Keeps exceptions and causes, and of each trace the first frame of your own code.

    Lines are read as those of `ToolOutput` are. A trace that came before is left out, whatever values its
    exception has: the first one says how often it came.
    """

    kind: ClassVar[str] = "stack_trace"

    #: prefixes or parts of frames that are own code, such as a package or a folder; () for all that do not
    #: look like a library's or a run-time's
    own: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.own, str) or not all(isinstance(part, str) and part for part in self.own):
            raise TypeError(f"own must be a tuple of parts of frames, not {self.own!r}")

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units:
        """Return the lines with their scores; examines at most `rows` lines one by one. O(characters)."""
        texts = [document.text for document in documents]
        lines = read_lines(texts, query, rows)
        return units_of_lines(self._with_own(lines, texts) if self.own else lines, query, _CONTEXT)

    def _with_own(self, lines: LineTable, texts: list[str]) -> LineTable:
        """Mark the frames without a part of `own` as a library's, the others as own ones."""
        table, marks = lines.table, lines.marks & ~np.uint32(Mark.LIBRARY)
        for row in np.flatnonzero(lines.has(Mark.FRAME)).tolist():
            frame = texts[table.document[row]][table.start[row] : table.end[row]]
            if not any(part in frame for part in self.own):
                marks[row] |= np.uint32(Mark.LIBRARY)
        return replace(lines, marks=marks)
