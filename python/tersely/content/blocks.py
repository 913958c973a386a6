"""Long blocks of another content type in a text: between fences of Markdown, or JSON among other lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tersely import _native
from tersely.content.units import Units
from tersely.types import Document

LONG = _native.LONG_BLOCK  # characters from which a block is compressed as what it is

_BEFORE = ("", " ", "  ", "   ")  # a fence in its line


@dataclass(frozen=True, slots=True)
class Block:
    """A log, a file, a reply of a server, in a text."""

    start: int  #: with `end`: the characters of what it is
    end: int
    opened: int  #: with `closed`: the same with the lines of its fence; start and end where it has none
    closed: int
    language: str = ""  #: what its fence says that it is, "" where it says nothing

    @property
    def fenced(self) -> bool:
        """Whether it has a fence."""
        return self.opened < self.start


def holds_blocks(texts: Sequence[str]) -> list[bool]:
    """Say whether each text has a block of LONG characters or more. O(characters)."""
    found = _native.holds_blocks(texts)
    for index, holds in enumerate(found):
        if holds is None:  # it has marks of fences
            found[index] = next(_fenced_blocks(texts[index]), None) is not None
    return list(map(bool, found))


def long_blocks(text: str) -> list[Block]:
    """The blocks of LONG characters or more, in order. O(characters)."""
    blocks = list(_fenced_blocks(text))
    for start, end in _native.json_blocks(text):
        if end - start >= LONG and all(end <= block.opened or block.closed <= start for block in blocks):
            blocks.append(Block(start, end, start, end))
    return sorted(blocks, key=lambda block: block.start)


def _fenced_blocks(text: str) -> Iterator[Block]:
    """Long blocks between fences.

    A fence is closed by one of the same characters, as long or longer, with nothing behind it (CommonMark,
    4.5); one that is never closed is none. O(characters).
    """
    fences: list[tuple[int, str, int]] = []  # where the line begins, from its marks on, its end
    for mark in ("```", "~~~"):
        at = text.find(mark)
        while at >= 0:
            begins, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = len(text) if end < 0 else end
            if text[begins:at] in _BEFORE:
                fences.append((begins, text[at:end], end))
            at = text.find(mark, end)
    opened, marks, said, first, start = False, "", "", 0, 0
    for begins, line, end in sorted(fences):
        behind = line.lstrip(line[0])
        if not opened:
            if line[0] == "~" or "`" not in behind:  # else code in a line
                opened, marks, said = True, line.removesuffix(behind), behind
                first, start = begins, end + 1
        elif line.startswith(marks) and (not behind or behind.isspace()):
            if begins - 1 - start >= LONG:
                language = said.lstrip("`~ ").partition(" ")[0].strip()
                yield Block(start, begins - 1, first, end, language)
            opened = False


@dataclass(frozen=True, slots=True)
class Mixed:
    """Read long blocks of a text by their own content type, the rest as text; fences stay.

    The lines of a fence stand and fall with what is kept between them.
    """

    kind: ClassVar[str] = "mixed"

    #: how the text is read, valued and chosen (`tersely.Extractive`); None: as other text is
    text: Any = field(default=None)

    def read(self, documents: Sequence[Document], query: str | None, rows: int) -> Units | None:
        """None: blocks are found and read with the text around them (`long_blocks`)."""
        return None
