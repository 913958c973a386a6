"""The fenced blocks of a Markdown page, and what the comment before each says about running it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]  # of the repository
_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w{}-]*) *$")
_NOTE = re.compile(r"^ *<!-- run: (?P<note>[^>]*) -->$")
_SHELL = ("sh", "bash", "shell", "console")
NOTES = ("slow", "server", "fails", "installs", "elsewhere")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block."""

    language: str  #: what stands behind the opening fence
    code: str
    line: int  #: the line of its first line of code, from 1
    #: what `<!-- run: NOTE -->` on the line above says: one of `NOTES`, "needs MODULE ...", or nothing
    note: str = ""
    #: the code of the block of language "text" that comes next, with no words between; "" if none
    output: str = ""

    @property
    def is_shell(self) -> bool:
        """Whether it is for a shell."""
        return self.language in _SHELL

    @property
    def needs(self) -> tuple[str, ...]:
        """The modules without which it cannot run."""
        return tuple(self.note.removeprefix("needs ").split()) if self.note.startswith("needs ") else ()


def read_blocks(page: Path) -> list[Block]:
    """Read the fenced blocks of a page. Raises ValueError for a fence without an end and an unknown note."""
    blocks: list[Block] = []
    before = between = ""
    opened: tuple[str, str, int, str] | None = None
    body: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if opened is not None:
            indent, language, start, note = opened
            if line.strip() == "```":
                block = Block(language, "\n".join(body) + "\n", start, note)
                if language == "text" and not between and blocks and blocks[-1].language != "text":
                    blocks[-1] = replace(blocks[-1], output=block.code)
                blocks.append(block)
                opened, before, between = None, "", ""
            else:
                body.append(line.removeprefix(indent))
        elif fence := _FENCE.match(line):
            note = found["note"] if (found := _NOTE.match(before)) else ""
            if note and note not in NOTES and not note.startswith("needs "):
                raise ValueError(
                    f"{page.name}:{number - 1}: unknown note {note!r}; known: {', '.join(NOTES)}"
                )
            opened, body = (fence["indent"], fence["language"], number + 1, note), []
        else:
            before = line
            between += line.strip()
    if opened is not None:
        raise ValueError(f"{page.name}:{opened[2] - 1}: the fence has no end")
    return blocks
