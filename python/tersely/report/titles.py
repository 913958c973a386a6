"""Name documents for people: by their titles, else by as much of their paths as tells them apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tersely.core.types import Document
from tersely.report.words import name

__all__ = ["Title", "heading_of", "titles_of"]

_STEPS = re.compile(r"[\\/]+")
_LONGEST = 70  # characters of a list of names that still is a heading


@dataclass(frozen=True, slots=True)
class Title:
    """What a document is called, and its whole name where that is longer; not yet escaped."""

    short: str
    whole: str = ""

    @property
    def html(self) -> str:
        """As an element that keeps its own direction."""
        tip = f' title="{name(self.whole)}"' if self.whole else ""
        return f"<bdi{tip}>{name(self.short)}</bdi>"


def titles_of(documents: Sequence[Document]) -> list[Title]:
    """Return a title a document: its own, the end of its path, its id, or its number. O(characters)."""
    named: list[Title | None] = [None] * len(documents)
    paths: dict[int, list[str]] = {}
    for index, document in enumerate(documents):
        path = document.file_name
        if document.title:
            named[index] = Title(document.title)
        elif steps := [step for step in _STEPS.split(path) if step]:
            paths[index] = steps
        else:
            named[index] = Title(str(document.id or "") or f"Document {index + 1}")
    for index, steps in _shortest(paths).items():
        short, whole = "/".join(steps), documents[index].file_name
        named[index] = Title(short, whole if whole != short else "")
    return [title for title in named if title is not None]


def _shortest(paths: dict[int, list[str]]) -> dict[int, list[str]]:
    """Take as many steps from the end of each path as tell it from the others."""
    short = {index: steps[-1:] for index, steps in paths.items()}
    for length in range(2, 1 + max(map(len, paths.values()), default=0)):
        same = defaultdict(list)
        for index, steps in short.items():
            same[tuple(steps)].append(index)
        twins = [index for some in same.values() if len(some) > 1 for index in some]
        if not twins:
            break
        for index in twins:
            short[index] = paths[index][-length:]
    return short


def heading_of(documents: Sequence[Document], titles: Sequence[Title], noun: str = "documents") -> str:
    """Return what all of them are called together, as plain text."""
    if len(documents) == 1:
        document = documents[0]
        return titles[0].short if document.title or document.id or document.file_name else "Compressed text"
    listed = ", ".join(title.short for title in titles[:6])
    known = documents and all(document.title or document.id or document.file_name for document in documents)
    if known and len(documents) <= 6 and len(listed) <= _LONGEST:
        return listed
    return f"{len(documents):,} {noun}"
