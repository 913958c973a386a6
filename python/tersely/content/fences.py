"""Long fenced blocks of Markdown: a log, a file, a reply of a server, pasted into a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tersely import _native
from tersely.content.units import Units
from tersely.core.types import Document
from tersely.providers.utf8 import native_texts

__all__ = ["LONG", "Mixed", "holds_blocks", "long_blocks"]

LONG = 1000  # characters from which a block is compressed as what it is

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


def holds_blocks(texts: Sequence[str]) -> list[bool]:
    """Say whether each text has a fenced block of LONG characters or more. O(characters)."""
    fenced = _native.fenced(native_texts(texts))
    if True not in fenced:
        return fenced
    return [
        found and next(long_blocks(text), None) is not None for text, found in zip(texts, fenced, strict=True)
    ]


def long_blocks(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of what stands between the fences of each long block, in order, without their line ends.

    A fence is closed by one of the same characters, as long or longer, with nothing behind it (CommonMark,
    4.5); one that is never closed is none. O(characters).
    """
    if "```" not in text and "~~~" not in text:
        return
    marks, start = "", 0  # of the block that is open; "": none
    for fence in _FENCE.finditer(text):
        mine, behind = fence.groups()
        if not marks:
            if mine[0] == "~" or "`" not in behind:  # else code in a line
                marks, start = mine, fence.end() + 1
        elif mine.startswith(marks) and (not behind or behind.isspace()):
            marks, end = "", fence.start() - 1
            if end - start >= LONG:
                yield start, end


@dataclass(frozen=True, slots=True)
class Mixed:
    """Text with long fenced blocks: each block is read as what it is, the rest as text; fences stay.

    The lines of a fence stand and fall with what is kept between them.

    Attributes:
        text: how the text is read, valued and chosen (`tersely.Extractive`); None: as other text is.
    """

    kind: ClassVar[str] = "mixed"

    text: Any = field(default=None)

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """None: blocks are found and read with the text around them (`long_blocks`)."""
        return None
